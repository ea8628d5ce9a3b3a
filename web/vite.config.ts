// SPDX-License-Identifier: MIT
// Builds the page: files with plain names, so that a change of the page is a change of these files and
// nothing else. `engine.js` is the worker, a classic script. scripts/web_page.py puts them into
// src/tengen/web/static, which also has the files that are not built.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [svelte()],
  base: "./",
  publicDir: false,
  server: {
    proxy: {
      "/ws": { target: "ws://127.0.0.1:8361", ws: true },
      "/engine/": "http://127.0.0.1:8361",
      "/problems.json": "http://127.0.0.1:8361",
      "/icon.svg": "http://127.0.0.1:8361",
      "/tengen.webmanifest": "http://127.0.0.1:8361",
    },
  },
  worker: { format: "iife", rollupOptions: { output: { entryFileNames: "engine.js" } } },
  build: {
    outDir: "../build/page",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        entryFileNames: "app.js",
        chunkFileNames: "[name].js",
        assetFileNames: "app[extname]",
      },
    },
  },
});
