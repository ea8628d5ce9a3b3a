// SPDX-License-Identifier: MIT
// A game as the fragment of a link (docs/formats/link.md): `g=renju/15/h8i9j10-2k7&at=2`. Links of
// version 0.1.0 have a position: `p=renju/15/h8i9`.
import type { GamePosition, SetupStones } from "./protocol";
import { isPointName, PASS } from "./points";
import {
  HEADER,
  NO_NAMES,
  BadRecord,
  gameOfMoves,
  lineThrough,
  namedRule,
  sizeFault,
  type RecordNode,
  type SgfGame,
} from "./sgf_model";

const MAX_LINK = 8000; // characters of a fragment that programs still accept as a link
const MAX_NAME = 100;
const MAX_MOVES = 20_000;
const NAMES = Object.values(HEADER);
// A move, a step back with the number of moves, or a comment. The `;` at the end of a link is often
// taken for punctuation: it may be missing there.
const TOKEN = /pass|[a-v][1-9]\d?|-\d{1,6}|![^;]*(?:;|$)/y;

/** A game with the node to show: its index, -1 for the start. */
export interface LinkedGame {
  game: SgfGame;
  at: number;
}

/** A game as a fragment without `#`: with variations and comments, or without them if that would be
 * too long. `at` is the node to show, -1 the start. */
export function encodeGame(game: SgfGame, at: number): string {
  const whole = encode(game, at, true);
  if (whole.length <= MAX_LINK) return whole;
  const line = lineThrough(game, at);
  return encode({ ...game, ...lineOf(game, line) }, line.indexOf(at), false);
}

function encode(game: SgfGame, at: number, hasComments: boolean): string {
  const { rule, size, setup } = game.position;
  const parts = [rule, String(size), encodeTree(game, hasComments)];
  if (setup) parts.push(setup.black.join(""), setup.white.join(""), setup.turn ?? "");
  const fields = [`g=${parts.join("/")}`];
  for (const name of NAMES) {
    const text = Array.from(game.names[name] ?? "").slice(0, MAX_NAME).join("");
    if (text) fields.push(`${name}=${encodeText(text)}`);
  }
  if (at !== mainEnd(game)) fields.push(`at=${at + 1}`);
  return fields.join("&");
}

/** The moves. A line that does not follow the move before it steps back first. */
function encodeTree({ nodes, rootComment }: SgfGame, hasComments: boolean): string {
  const comment = (text: string) => (hasComments && text ? `!${encodeText(text)};` : "");
  const depths: number[] = [];
  let text = comment(rootComment);
  let last = -1;
  nodes.forEach((node, n) => {
    const depth = node.parent < 0 ? 1 : depths[node.parent]! + 1;
    depths.push(depth);
    if (node.parent !== last) text += `-${depths[last]! - depth + 1}`;
    text += node.move + comment(node.comment);
    last = n;
  });
  return text;
}

/** Spaces become `+`, so that comments stay readable. */
function encodeText(text: string): string {
  const escaped = encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));
  const escape = (mark: string) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
  return escaped.replace(/[*!'()~_]/g, escape).replaceAll("%20", "+");
}

function decodeText(text: string): string {
  return decoded(text.replaceAll("+", " "));
}

/** The last node of the main line; -1: there are no moves. */
function mainEnd(game: SgfGame): number {
  return lineThrough(game).at(-1) ?? -1;
}

function lineOf({ nodes }: SgfGame, line: number[]): Pick<SgfGame, "nodes" | "rootComment"> {
  const moves = line.map((n, ply) => ({ ...nodes[n]!, parent: ply - 1, comment: "" }));
  return { nodes: moves, rootComment: "" };
}

// --- reading ---

/** The part of an address or of a pasted text that has a game; null if there is none. */
export function fragmentOf(text: string): string | null {
  const trimmed = text.trim();
  const mark = trimmed.indexOf("#");
  if (mark < 0 || /\s/.test(trimmed)) return null;
  const fragment = trimmed.slice(mark + 1);
  // Some programs escape the whole fragment.
  return [fragment, decoded(fragment)].find((part) => /(?:^|&)[gp]=/.test(part)) ?? null;
}

/** Decodes a part of an address; returns it unchanged if it is malformed. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Reads a fragment that `fragmentOf` found. Throws BadRecord. */
export function decodeGame(fragment: string): LinkedGame {
  const fields = new Map(
    fragment.split("&").map((field) => {
      const mark = field.indexOf("=");
      return [field.slice(0, mark), field.slice(mark + 1)] as const;
    }),
  );
  const old = fields.get("p");
  const [rule, size, tree, ...setup] = (fields.get("g") ?? decoded(old ?? "")).split("/");
  const named = namedRule(rule ?? "");
  const lines = /^\d{1,2}$/.test(size ?? "") ? Number(size) : 0;
  if (!named || sizeFault(lines))
    throw new BadRecord("this link has no game: it begins with a rule and a size, as renju/15/h8");
  const position: GamePosition = { rule: named, size: lines, setup: readSetup(setup), moves: [] };
  if (!fields.has("g")) return decodeOld(position, tree ?? "");
  const { nodes, rootComment } = decodeTree(tree ?? "");
  const names = { ...NO_NAMES };
  for (const name of NAMES) names[name] = decodeText(fields.get(name) ?? "");
  const game: SgfGame = { position, nodes, names, rootData: null, rootComment, notes: [] };
  const at = fields.has("at") ? Number(fields.get("at")) - 1 : NaN;
  const isThere = Number.isInteger(at) && at >= -1 && at < nodes.length;
  return { game, at: isThere ? at : mainEnd(game) };
}

function decodeOld(position: GamePosition, moves: string): LinkedGame {
  const game = gameOfMoves({ ...position, moves: points(moves) });
  return { game, at: game.nodes.length - 1 };
}

function readSetup([black, white, turn]: string[]): SetupStones | null {
  const side = turn === "white" || turn === "black" ? turn : null;
  if (!black && !white && side !== "white") return null;
  return { black: points(black ?? ""), white: points(white ?? ""), turn: side };
}

function points(text: string): string[] {
  const names = text.match(/pass|[a-v]\d{1,2}/g) ?? [];
  return names.filter((name) => name === PASS || isPointName(name));
}

function decodeTree(text: string): Pick<SgfGame, "nodes" | "rootComment"> {
  const nodes: RecordNode[] = [];
  let rootComment = "";
  let last = -1;
  for (let at = 0; at < text.length; ) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0];
    if (!token) {
      const rest = text.slice(at, at + 20);
      throw new BadRecord(`this link is damaged at ${JSON.stringify(rest)}`);
    }
    at += token.length;
    if (token.startsWith("-")) {
      for (let back = Number(token.slice(1)); back > 0 && last >= 0; back -= 1)
        last = nodes[last]!.parent;
    } else if (token.startsWith("!")) {
      const comment = decodeText(token.slice(1).replace(/;$/, ""));
      if (last < 0) rootComment = comment;
      else nodes[last]!.comment = comment;
    } else {
      if (nodes.length === MAX_MOVES) throw new BadRecord(`a link of more than ${MAX_MOVES} moves`);
      nodes.push({ parent: last, move: token, comment: "", data: null });
      last = nodes.length - 1;
    }
  }
  return { nodes, rootComment };
}
