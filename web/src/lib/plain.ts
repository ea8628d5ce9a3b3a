// SPDX-License-Identifier: MIT
// Plain lists of moves (docs/formats/plain.md): header lines such as `size: 15`, then moves by name
// (`h8`) or as pairs of Gomocup (`7,7`), with or without numbers between them.
import {
  BadRecord,
  DEFAULT_SIZE,
  NO_NAMES,
  faultAt,
  gameOfMoves,
  namedRule,
  sizeFault,
  type SgfGame,
} from "./sgf_model";
import { nameOf, PASS } from "./points";
import type { GamePosition, Rule } from "./protocol";

const MAX_MOVES = 20_000;
const MOVES_PER_LINE = 10;
const TEXTS = ["black", "white", "result", "date", "event"] as const;

// All are sticky and match in one way only, so that reading takes linear time.
const HEADER = /[ \t]*(size|rule|black|white|result|date|event)[ \t]*:[ \t]*([^\r\n]*)/iy;
const BLANK = /[\s,;]+|#[^\r\n]*/y; // between moves
const HEADER_BLANK = /\s+|#[^\r\n]*/y;
const NUMBER = /\d{1,6}[ \t]?(?:\.{1,3}|\))/y;
const NAME = /([A-Za-z][1-9]\d?)(?!\d)/y;
const PAIR = /(\d{1,2})[ \t]*,[ \t]*(\d{1,2})(?!\d)/y;
const NOTHING = /--|pass/iy;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function skip(pattern: RegExp, text: string, at: number): number {
  for (let found = matchAt(pattern, text, at); found; found = matchAt(pattern, text, at))
    at += found[0].length;
  return at;
}

/** Whether a text looks like a list of moves: it begins with a header line or a move. */
export function isPlain(text: string): boolean {
  const at = skip(HEADER_BLANK, text, 0);
  return [HEADER, NUMBER, NAME, PAIR, NOTHING].some((pattern) => matchAt(pattern, text, at));
}

/** The one game of a text. Throws BadRecord. `rule` is that of a text that does not name it. */
export function parsePlain(text: string, rule: Rule = "freestyle"): SgfGame {
  let at = skip(HEADER_BLANK, text, 0);
  if (at === text.length) throw faultAt(text, 0, "no move and no header line like 'size: 15'");
  const position: GamePosition = { rule, size: DEFAULT_SIZE, setup: null, moves: [] };
  const names = { ...NO_NAMES };
  let isRuleNamed = false;
  for (let line = matchAt(HEADER, text, at); line; line = matchAt(HEADER, text, at)) {
    const name = line[1]!.toLowerCase();
    const start = at + line[0].length - line[2]!.length;
    const value = line[2]!.split("#", 1)[0]!.trim();
    const known = TEXTS.find((other) => other === name);
    if (known) names[known] = line[2]!.trim();
    else if (name === "size") position.size = readSize(text, value, start);
    else {
      const named = namedRule(value);
      if (!named) throw faultAt(text, start, `no rule ${JSON.stringify(value.slice(0, 20))}`);
      position.rule = named;
      isRuleNamed = true;
    }
    at = skip(HEADER_BLANK, text, at + line[0].length);
  }
  position.moves = readMoves(text, skip(BLANK, text, at), position.size);
  const game = gameOfMoves(position, names);
  if (!isRuleNamed) {
    const note = `The record does not name its rule; assuming ${rule}.`;
    game.notes.push({ code: "rule", number: 0, text: note });
  }
  return game;
}

function readSize(text: string, value: string, at: number): number {
  const size = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  const fault = sizeFault(size, JSON.stringify(value.slice(0, 20)));
  if (fault) throw faultAt(text, at, fault);
  return size;
}

function readMoves(text: string, at: number, size: number): string[] {
  const moves: string[] = [];
  while (at < text.length) {
    const number = matchAt(NUMBER, text, at);
    if (number) at += number[0].length;
    else {
      const name = matchAt(NAME, text, at);
      const pair = name ? null : matchAt(PAIR, text, at);
      const nothing = name || pair ? null : matchAt(NOTHING, text, at);
      const found = name ?? pair ?? nothing;
      if (!found) throw noMove(text, at);
      if (moves.length === MAX_MOVES) throw faultAt(text, at, `more than ${MAX_MOVES} moves`);
      moves.push(nothing ? PASS : pointAt(text, at, found, size));
      at += found[0].length;
    }
    at = skip(BLANK, text, at);
  }
  return moves;
}

function pointAt(text: string, at: number, found: RegExpExecArray, size: number): string {
  const name = found.length === 2 ? found[1]!.toLowerCase() : "";
  const x = name ? name.charCodeAt(0) - 97 : Number(found[1]);
  const y = name ? Number(name.slice(1)) - 1 : Number(found[2]);
  if (x < size && y < size) return nameOf(x, y);
  const board = `the ${size}x${size} board, which ends at ${nameOf(size - 1, size - 1)}`;
  throw faultAt(text, at, `'${found[0]}' is off ${board}`);
}

function noMove(text: string, at: number): BadRecord {
  if (matchAt(HEADER, text, at)) return faultAt(text, at, "a header line after the first move");
  const word = text.slice(at, at + 20).split(/\s/, 1)[0]!;
  const known = "use names like h8, pairs like 7,7, or pass";
  return faultAt(text, at, `no move ${JSON.stringify(word)}: ${known}`);
}

/** The moves of a position as a text that `parsePlain` reads. The start must be an empty board. */
export function writePlain({ rule, size, moves }: GamePosition): string {
  const lines = [`size: ${size}`, `rule: ${rule}`, ""];
  for (let n = 0; n < moves.length; n += MOVES_PER_LINE)
    lines.push(moves.slice(n, n + MOVES_PER_LINE).join(" "));
  return `${lines.join("\n")}\n`;
}
