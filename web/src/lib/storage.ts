// SPDX-License-Identifier: MIT
// What the browser remembers. Where it refuses to (storage switched off, or full), the page works
// all the same, and forgets with its tab.
const MEMORY = new Map<string, string>();

type Place = "localStorage" | "sessionStorage";

function recall(place: Place, key: string): string | null {
  try {
    return window[place].getItem(key) ?? MEMORY.get(key) ?? null;
  } catch {
    return MEMORY.get(key) ?? null;
  }
}

function remember(place: Place, key: string, value: string | null): void {
  MEMORY.delete(key);
  try {
    if (value === null) window[place].removeItem(key);
    else window[place].setItem(key, value);
  } catch {
    if (value !== null) MEMORY.set(key, value);
  }
}

/** For good. */
export const lasting = {
  get: (key: string) => recall("localStorage", key),
  set: (key: string, value: string | null) => remember("localStorage", key, value),
};

/** As long as this tab is open, reloads included. */
export const ofTab = {
  get: (key: string) => recall("sessionStorage", key),
  set: (key: string, value: string | null) => remember("sessionStorage", key, value),
};
