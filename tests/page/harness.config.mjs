// SPDX-License-Identifier: MIT
// Builds a page that has nothing but the back end with the workers, for tests. Run in web/:
//
//     npx vite build --config ../tests/page/harness.config.mjs --outDir FOLDER
import { fileURLToPath } from "node:url";

export default {
  root: fileURLToPath(new URL("harness", import.meta.url)),
  base: "./",
  publicDir: false,
  build: { target: "es2022", modulePreload: false, emptyOutDir: true },
  worker: { format: "iife", rollupOptions: { output: { entryFileNames: "engine.js" } } },
};
