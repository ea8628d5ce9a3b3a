// SPDX-License-Identifier: MIT
// The service worker of the static edition (src/tengen/web/static/sw.js), which keeps the page for visits
// without a network.

/** Registers it. A new version that an earlier visit has fetched is used at once, unless the page is
 * open in another window or the user has begun to do something: then a later visit uses it. */
export async function registerServiceWorker(): Promise<void> {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  if (!serviceWorker) return; // not a secure context
  try {
    const registration = await serviceWorker.register("./sw.js");
    const hasBegun = navigator.userActivation?.hasBeenActive ?? true;
    if (!registration.waiting || !serviceWorker.controller || hasBegun) return;
    serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
    registration.waiting.postMessage("activate");
  } catch {
    // the browser does not allow it: the page needs the network at every visit
  }
}
