// SPDX-License-Identifier: MIT
// A position as a link. Everything is after the #, which browsers never send.
// Format: #p=RULE/SIZE/MOVES, or #p=RULE/SIZE/MOVES/BLACK/WHITE/TURN with a set-up.
import type { GamePosition, NewGameRequest } from "./messages";
import { unescaped } from "./socket";
import { ofTab } from "./storage";

const RULES = ["freestyle", "standard", "renju", "caro", "caro6"] as const;

export function linkOf(position: GamePosition): string {
  const parts = [position.rule, String(position.size), position.moves.join("")];
  if (position.setup) {
    const { black, white, turn } = position.setup;
    parts.push(black.join(""), white.join(""), turn ?? "");
  }
  return `${location.origin}${location.pathname}#p=${parts.join("/")}`;
}

function points(text: string | undefined): string[] {
  return text?.match(/pass|[a-v]\d{1,2}/g) ?? [];
}

const OPENED = "tengen-link"; // the link that this tab shows, so that a reload shows it again

export function isLink(): boolean {
  return /[#&]p=/.test(location.hash);
}

/** The position of the address, or of the last link opened in this tab; cleans the address. The
 * server validates the position. */
export function linkedPosition(): GamePosition | null {
  const linked = /[#&]p=([^&]+)/.exec(unescaped(location.hash))?.[1];
  if (isLink()) history.replaceState(null, "", `${location.pathname}#analyse`);
  if (linked) ofTab.set(OPENED, linked);
  return positionOf(ofTab.get(OPENED) ?? "");
}

export function forgetLink(): void {
  ofTab.set(OPENED, null);
}

function positionOf(text: string): GamePosition | null {
  const [named, size, moves, black, white, turn] = text.split("/");
  const rule = RULES.find((known) => known === named);
  if (!rule || !Number.isInteger(Number(size))) return null;
  const side = turn === "white" || turn === "black" ? turn : null;
  const setup: GamePosition["setup"] =
    black || white ? { black: points(black), white: points(white), turn: side } : null;
  return { rule, size: Number(size), setup, moves: points(moves) };
}

/** Settings of a new game in the address, as `tengen play --level 5` opens it; removes them. */
export function newGameFromAddress(): Partial<NewGameRequest> | null {
  if (isLink()) return null;
  const fields = new URLSearchParams(location.hash.slice(1));
  const settings: Partial<NewGameRequest> = {};
  const number = (name: string, min: number, max: number): number | null => {
    const value = Number(fields.get(name) ?? NaN);
    return value >= min && value <= max ? value : null;
  };
  const level = number("level", 1, 10);
  const seconds = number("seconds", 0.1, 60);
  const size = number("size", 5, 22);
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
