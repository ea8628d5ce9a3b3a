// SPDX-License-Identifier: MIT
// The service worker of the static edition: the page works without a network after the first visit.
// It keeps the files of one version together, and answers from them. Files of the engine that the
// page itself has fetched are in another cache (web/src/worker/engine_files.ts).
//
// scripts/static_site.py writes the version and the files; the server registers no service worker.
"use strict";

const VERSION = "";
const FILES = []; // [address relative to this file, its SHA-256 in base64]

// Other copies of the page on this origin have caches too. A scope has no `#`: the prefix is not one
// of the caches of a folder within it.
const PREFIX = `tengen-page-${self.registration.scope}#`;
const PAGE = PREFIX + VERSION;
const ENGINE = "tengen-engine";
// With these the page may share memory with its workers, which a host of files does not send.
const ISOLATION = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
};

async function keep(cache, [address, digest]) {
  if (await caches.match(address, { cacheName: ENGINE })) return;
  const integrity = `sha256-${digest}`;
  const response = await fetch(address, { cache: "no-cache", integrity });
  if (!response.ok) throw new Error(`${address}: status ${response.status}`);
  await cache.put(address, response);
}

async function install() {
  const cache = await caches.open(PAGE);
  await Promise.all(FILES.map((file) => keep(cache, file)));
}

async function activate() {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== PAGE) await caches.delete(name);
  }
  await self.clients.claim();
}

/** The kept response. A page that was opened before an update finds its own files of the engine,
 * whose addresses have checksums. */
async function kept(request) {
  const { scope } = self.registration;
  const address = request.url.split("#")[0];
  const plain = address.split("?")[0];
  const name = plain === scope ? `${scope}index.html` : plain;
  for (const cacheName of [PAGE, ENGINE]) {
    const found = await caches.match(address, { cacheName, ignoreVary: true });
    if (found) return found;
  }
  if (name.startsWith(`${scope}engine/`)) return undefined;
  return caches.match(name, { cacheName: PAGE, ignoreVary: true });
}

function isolated(response) {
  if (response.type === "opaque" || response.type === "opaqueredirect") return response;
  const headers = new Headers(response.headers);
  for (const [name, text] of Object.entries(ISOLATION)) headers.set(name, text);
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}

async function answer(request) {
  return isolated((await kept(request)) ?? (await fetch(request)));
}

/** Replaces the last version, unless another window shows it: it would lose its files. */
async function activateAlone({ source }) {
  const { scope } = self.registration;
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const others = windows.filter(({ id, url }) => id !== source.id && url.startsWith(scope));
  if (others.length === 0) await self.skipWaiting();
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("message", (event) => {
  if (event.data === "activate") event.waitUntil(activateAlone(event));
});
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const isOwn = request.method === "GET" && request.url.startsWith(self.registration.scope);
  if (isOwn) event.respondWith(answer(request));
});
