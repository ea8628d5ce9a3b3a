// SPDX-License-Identifier: MIT
// Links to games and positions, and the settings in the address. Everything is after the #, which
// browsers never send. The format is in link.ts.
import type { GameSettings } from "./game_state";
import { RULES, SIZES } from "./facts";
import { decodeGame, encodeGame, fragmentOf, type LinkedGame } from "./link";
import type { SgfGame } from "./sgf_model";
import { ofTab } from "./storage";

const OPENED = "tengen-link"; // the link that this tab shows, so that a reload shows it again

/** Whether links of this page open on this computer only. */
export function isLocalPage(): boolean {
  const { protocol, hostname } = location;
  const isLoopback = /^(?:(?:.*\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  return protocol === "file:" || isLoopback;
}

/** A link to a game at a node (-1: the start). */
export function linkOf(game: SgfGame, at: number): string {
  return `${location.origin}${location.pathname}#${encodeGame(game, at)}`;
}

export function isLink(): boolean {
  return fragmentOf(location.hash) !== null;
}

/** The game of the address, or of the last link opened in this tab; cleans the address. Null if
 * there is none or it is damaged, which `onFault` gets. The tree checks the moves. */
export function linkedGame(onFault: (error: unknown) => void): LinkedGame | null {
  const fragment = fragmentOf(location.hash);
  if (fragment !== null) {
    history.replaceState(null, "", `${location.pathname}#analyse`);
    ofTab.set(OPENED, fragment);
  }
  const opened = fragment ?? ofTab.get(OPENED);
  if (!opened) return null;
  try {
    // Version 0.1.0 stored the position alone.
    return decodeGame(fragmentOf(`#${opened}`) ?? `p=${opened}`);
  } catch (error) {
    forgetLink();
    onFault(error);
    return null;
  }
}

export function forgetLink(): void {
  ofTab.set(OPENED, null);
}

/** Settings of a new game in the address, as `tengen play --level 5` opens it; removes them. */
export function newGameFromAddress(): Partial<GameSettings> | null {
  if (isLink()) return null;
  const fields = new URLSearchParams(location.hash.slice(1));
  const settings: Partial<GameSettings> = {};
  const number = (name: string, min: number, max: number): number | null => {
    const value = Number(fields.get(name) ?? NaN);
    return value >= min && value <= max ? value : null;
  };
  const level = number("level", 1, 10);
  const seconds = number("seconds", 0.1, 60);
  const size = number("size", SIZES.at(0)!, SIZES.at(-1)!);
  const rule = RULES.find((known) => known === fields.get("rule"));
  const you = (["black", "white"] as const).find((colour) => colour === fields.get("you"));
  if (rule) settings.rule = rule;
  if (you) settings.you = you;
  if (size !== null) settings.size = Math.floor(size);
  if (level !== null) Object.assign(settings, { level: Math.floor(level), seconds: null });
  if (seconds !== null) settings.seconds = seconds;
  if (!Object.keys(settings).length) return null;
  for (const name of ["level", "seconds", "size", "rule", "you"]) fields.delete(name);
  history.replaceState(null, "", location.pathname + (fields.size ? `#${fields}` : ""));
  return settings;
}
