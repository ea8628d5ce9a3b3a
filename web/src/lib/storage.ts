// SPDX-License-Identifier: MIT
// Storage of the browser; in memory where it is disabled or full.
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

/** Permanent. */
export const permanent = {
  get: (key: string) => recall("localStorage", key),
  set: (key: string, value: string | null) => remember("localStorage", key, value),
};

/** For the lifetime of the tab, reloads included. */
export const ofTab = {
  get: (key: string) => recall("sessionStorage", key),
  set: (key: string, value: string | null) => remember("sessionStorage", key, value),
};
