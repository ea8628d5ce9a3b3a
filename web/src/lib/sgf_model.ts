// SPDX-License-Identifier: MIT
// A game record as the page holds it, between the readers (sgf.ts, plain.ts, link.ts) and the
// writer (sgf_writer.ts).
import { RULES, SIZES } from "./facts";
import { nameOf, PASS, placeOf } from "./points";
import type { Colour, GamePosition, Rule, SetupStones } from "./protocol";

/** The properties of an SGF node: the name as the file spells it, and the values as they stand
 * between the brackets, escapes included, in the order of the file. No values for a move or a
 * comment mean that it stands at this place in its usual spelling; the tree has its text.
 *
 * Four names that no property can have keep what the tree has no place for:
 * `;` nodes without a move that follow this node, each as the text after its `;`;
 * `<` nodes without a move between the parent and this node, each with a number before its `;`
 *     that is the same for siblings below the same node;
 * `(` variations that are not shown, each as JSON (`HiddenLine`);
 * `?` only of the start: values of the header that stand elsewhere or are assumed, as `RU=renju`;
 * `+` the first move stands in the first node of the file, whose properties are those of the start.
 */
export type SgfData = Record<string, string[]>;
export const AFTER = ";";
export const BEFORE = "<";
export const HIDDEN = "(";
export const IMPLIED = "?";
export const JOINED = "+";

/** Variations that the page cannot show: their place among the siblings, whether they are more than
 * one, the nodes without a move above them (as for `<`), and their text. */
export type HiddenLine = [place: number, several: boolean, before: string[], text: string];

/** A move of a record with its comment. */
export interface RecordNode {
  parent: number; // index of the parent, which comes first; -1: the start
  move: string;
  comment: string;
  data: SgfData | null;
}

export interface Names {
  black: string;
  white: string;
  result: string;
  event: string;
  date?: string; // missing: not known to the page; the writer keeps that of the file
}

/** The properties of the header with the names. */
export const HEADER = {
  RE: "result",
  PB: "black",
  PW: "white",
  DT: "date",
  EV: "event",
} as const;

/** What a reader could not show as it is. `text` is English; `code` selects the translation. */
export interface RecordNote {
  code: "rule" | "max_nodes" | "max_games" | "move" | "setup" | "hidden" | "skipped";
  number: number;
  text: string;
  reason?: string; // of `skipped`
}

/** A game. Its nodes are depth first: parents before their children, the main line first. */
export interface SgfGame {
  position: GamePosition; // without moves
  nodes: RecordNode[];
  names: Names;
  rootData: SgfData | null;
  rootComment: string;
  notes: RecordNote[];
}

export const NO_NAMES: Readonly<Required<Names>> = {
  black: "",
  white: "",
  result: "",
  event: "",
  date: "",
};
export const DEFAULT_SIZE = 15;

/** A text that cannot be read. Line and column count from 1; 0: not known. */
export class BadRecord extends Error {
  readonly code = "record";

  constructor(
    readonly fault: string,
    readonly line = 0,
    readonly column = 0,
  ) {
    super(line ? `line ${line}, column ${column}: ${fault}` : fault);
    this.name = "BadRecord";
  }
}

/** The fault at an offset of a text. */
export function faultAt(text: string, offset: number, fault: string): BadRecord {
  let line = 1;
  let start = 0;
  for (const found of text.slice(0, offset).matchAll(/\r\n|\n|\r/g)) {
    line += 1;
    start = found.index + found[0].length;
  }
  return new BadRecord(fault, line, offset - start + 1);
}

export function sizeFault(size: number, spelling = String(size)): string {
  if (SIZES.includes(size)) return "";
  return `board size ${spelling}: boards have ${SIZES.at(0)} to ${SIZES.at(-1)} lines`;
}

export function otherColour(colour: Colour): Colour {
  return colour === "black" ? "white" : "black";
}

/** The side that makes the first move: without a turn black, unless it has more stones. */
export function firstTurn(setup: SetupStones | null): Colour {
  if (!setup) return "black";
  return setup.turn ?? (setup.black.length > setup.white.length ? "white" : "black");
}

/** A rule by its name, in any case. */
export function namedRule(text: string): Rule | null {
  const name = text.trim().toLowerCase();
  return RULES.find((rule) => rule === name) ?? null;
}

/** Text as it stands between the brackets of an SGF value. */
export function escapeText(text: string): string {
  return text
    .replace(/\r\n|\n\r|\r/g, "\n")
    .replaceAll("\\", "\\\\")
    .replaceAll("]", "\\]");
}

/** The inverse of `escapeText`; a backslash before a line break joins the lines. */
export function unescapeText(raw: string): string {
  if (!/\r|\\\n/.test(raw)) return raw.replace(/\\([\s\S])/g, "$1");
  return raw.replace(
    /\\(?:\r\n|\n\r|\r|\n)|\\([\s\S])|(\r\n|\n\r|\r)/g,
    (_, escaped: string | undefined, end: string | undefined) => (end ? "\n" : (escaped ?? "")),
  );
}

/** The text of a property with several values. */
export function valuesText(values: readonly string[]): string {
  return values.map(unescapeText).join("\n");
}

const SPELLINGS = new Map<number, Map<string, string>>();

/** Every spelling of the points of a board, and of the pass. */
function spellings(size: number): Map<string, string> {
  let known = SPELLINGS.get(size);
  if (known) return known;
  known = new Map([["", PASS]]);
  if (size <= 19) known.set("tt", PASS); // in older versions of SGF
  for (let x = 0; x < size; x += 1) {
    for (let y = 0; y < size; y += 1) {
      const name = nameOf(x, y);
      for (const spelling of [pointLetters(name, size), name, name.toUpperCase()])
        known.set(spelling, name);
    }
  }
  SPELLINGS.set(size, known);
  return known;
}

/** The name of a point, or `pass`, in any spelling of SGF; null if it is not on the board. */
export function parsePoint(raw: string, size: number): string | null {
  const known = spellings(size);
  return known.get(raw) ?? (raw.length < 100 ? known.get(raw.trim()) : undefined) ?? null;
}

/** The points of one value of a list: one point, or a rectangle like `aa:cc`; null if there is none
 * or one of its corners is no point. */
export function listPoints(raw: string, size: number): string[] | null {
  const colon = raw.indexOf(":");
  const one = parsePoint(colon < 0 ? raw : raw.slice(0, colon), size);
  const two = colon < 0 ? one : parsePoint(raw.slice(colon + 1), size);
  if (!one || !two || one === PASS || two === PASS) return null;
  const [from, to] = [placeOf(one), placeOf(two)];
  const points: string[] = [];
  for (let y = Math.min(from.y, to.y); y <= Math.max(from.y, to.y); y += 1) {
    for (let x = Math.min(from.x, to.x); x <= Math.max(from.x, to.x); x += 1)
      points.push(nameOf(x, y));
  }
  return points;
}

/** A point as two letters, column and row from the top; empty for the pass. */
export function pointLetters(move: string, size: number): string {
  if (move === PASS) return "";
  return move.charAt(0) + String.fromCharCode(97 + size - Number(move.slice(1)));
}

const RULES_OF_FILES: Record<string, Rule> = {
  freestylegomoku: "freestyle",
  gomokufreestyle: "freestyle",
  free: "freestyle",
  gomoku: "standard", // federations call exactly five "gomoku"
  standardgomoku: "standard",
  gomokustandard: "standard",
  exactfive: "standard",
  rif: "renju",
  carogomoku: "caro",
  gomokucaro: "caro",
};
const GOMOCUP_RULES: Record<number, Rule> = {
  0: "freestyle",
  1: "standard",
  4: "renju",
  8: "caro6",
  9: "caro",
};

function fileRule(name: string): Rule | null {
  return namedRule(name) ?? (Object.hasOwn(RULES_OF_FILES, name) ? RULES_OF_FILES[name]! : null);
}

/** The rule that a value of RU names: a name, a number of Gomocup, or a name before a mark
 * (`Renju, Soosorv-8`). */
export function ruleOf(raw: string): Rule | null {
  const text = unescapeText(raw.slice(0, 200)).trim().toLowerCase();
  if (/^\d{1,2}$/.test(text)) return GOMOCUP_RULES[Number(text)] ?? null;
  const first = /^([a-z0-9]+)\s*[,;:(/]/.exec(text)?.[1];
  return fileRule(text.replace(/[^a-z0-9]/g, "")) ?? (first ? fileRule(first) : null);
}

/** A game of moves without variations. */
export function gameOfMoves(position: GamePosition, names: Names = { ...NO_NAMES }): SgfGame {
  return {
    position: { ...position, moves: [] },
    nodes: position.moves.map((move, n) => ({ parent: n - 1, move, comment: "", data: null })),
    names,
    rootData: null,
    rootComment: "",
    notes: [],
  };
}

/** The nodes of the line through a node, to its end; by default the main line. */
export function lineThrough({ nodes }: Pick<SgfGame, "nodes">, at = -1): number[] {
  const line: number[] = [];
  for (let n = at; n >= 0; n = nodes[n]!.parent) line.push(n);
  line.reverse();
  let end = at;
  for (let n = at + 1; n < nodes.length; n += 1) {
    if (nodes[n]!.parent !== end) continue;
    line.push(n);
    end = n;
  }
  return line;
}
