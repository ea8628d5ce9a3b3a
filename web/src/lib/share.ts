// SPDX-License-Identifier: MIT
// A position as a link: everything is behind the #, so that it stays on this machine.
// Form: #p=RULE/SIZE/MOVES, or #p=RULE/SIZE/MOVES/BLACK/WHITE/TURN with a set-up.
import type { Position } from "./messages";

const RULES = ["freestyle", "standard", "renju", "caro", "caro6"] as const;

export function linkOf(position: Position): string {
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

/** The position of the address, if it has one; the address is cleaned. The server judges it. */
export function positionOfHash(): Position | null {
  const found = /[#&]p=([^&]+)/.exec(decodeURIComponent(location.hash));
  if (!found?.[1]) return null;
  history.replaceState(null, "", location.pathname);
  const [named, size, moves, black, white, turn] = found[1].split("/");
  const rule = RULES.find((known) => known === named);
  if (!rule || !Number.isInteger(Number(size))) return null;
  const side = turn === "white" || turn === "black" ? turn : null;
  const setup: Position["setup"] =
    black || white ? { black: points(black), white: points(white), turn: side } : null;
  return { rule, size: Number(size), setup, moves: points(moves) };
}
