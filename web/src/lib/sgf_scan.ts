// SPDX-License-Identifier: MIT
// The structure of SGF: which nodes a game has, and the properties of a node. Loops with explicit
// stacks, as trees may be a hundred thousand nodes deep; time and memory are linear.

const MAX_NODES = 1_000_000; // of a game
const MAX_PROPERTIES = 1000; // of a node
const YIELD = 8192; // nodes between two pauses

/** The nodes of a game in the order of the text, which is parents first, main line first. A
 * variation is what a pair of parentheses holds. */
export interface ScannedGame {
  begin: number; // offset of `(;`
  end: number; // after the last `)`
  parent: number[]; // -1: the first node
  children: number[]; // how many
  from: number[]; // offset after the `;`
  to: number[]; // where the properties end
  variation: number[]; // the first node of the variation that the node is in
  close: number[]; // by first node: offset of the `)` of its variation
  last: number[]; // by first node: the last node of its variation
}

/** A fault in the structure or, with the depth 0, in a value of a game. */
export class ScanFault extends Error {
  constructor(
    message: string,
    readonly offset: number,
    readonly depth: number, // open parentheses
  ) {
    super(message);
  }
}

/** One property of a node. */
export interface Property {
  key: string; // in capital letters
  name: string; // as in the file
  values: string[]; // escapes included
  offset: number; // of the first value
}

function isSpace(code: number): boolean {
  if (code <= 32) return code === 32 || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
  return code > 127 && /\s/.test(String.fromCharCode(code));
}

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

function skipSpace(text: string, at: number): number {
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** Where the name that begins at `at` ends. */
function nameEnd(text: string, at: number): number {
  let end = at;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (!isLetter(code) && !(code >= 48 && code <= 57)) break;
  }
  return end;
}

/** The offset of the `]` of the value that begins at `at`; -1: it has none. */
function valueEnd(text: string, at: number): number {
  for (;;) {
    const end = text.indexOf("]", at);
    if (end < 0) return -1;
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === 92) escapes += 1;
    if (escapes % 2 === 0) return end;
    at = end + 1;
  }
}

/** Where the property that begins at `at` ends, blanks after it included. */
function skipProperty(text: string, at: number, depth: number): number {
  const end = nameEnd(text, at);
  let place = skipSpace(text, end);
  if (text[place] !== "[") throw unexpected(text, at, depth);
  while (text[place] === "[") {
    const close = valueEnd(text, place + 1);
    if (close < 0) {
      const name = text.slice(at, Math.min(end, at + 20));
      throw new ScanFault(`the value of ${name} has no end: ']' is missing`, place, depth);
    }
    place = skipSpace(text, close + 1);
  }
  return place;
}

function unexpected(text: string, at: number, depth: number): ScanFault {
  const found = JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0));
  const expected = "expected a property with its value, ';', '(' or ')'";
  return new ScanFault(`${expected}, not ${found}`, at, depth);
}

/** The game whose `(;` is at `begin`; `at` is the offset after it. Pauses now and then. */
export function* scanGame(text: string, begin: number, at: number): Generator<void, ScannedGame> {
  const game: ScannedGame = {
    begin,
    end: 0,
    parent: [-1],
    children: [0],
    from: [at],
    to: [at],
    variation: [0],
    close: [0],
    last: [0],
  };
  const open = [0]; // first nodes of the open variations
  let node = 0;
  let isClosed = false; // after a variation: another may follow, a node may not
  let isInNode = true;
  for (;;) {
    at = skipSpace(text, at);
    const code = text.charCodeAt(at);
    if (code === 41) {
      const first = open.pop()!;
      game.close[first] = at;
      game.last[first] = game.parent.length - 1;
      at += 1;
      if (!open.length) break;
      node = game.parent[first]!;
      [isClosed, isInNode] = [true, false];
    } else if (code === 59 || code === 40) {
      const isVariation = code === 40;
      if (isVariation) at = skipSpace(text, at + 1);
      if (isVariation && text.charCodeAt(at) !== 59)
        throw new ScanFault("a variation begins with '(;'", at, open.length + 1);
      if (isClosed && !isVariation)
        throw new ScanFault("a node after a variation: expected '(' or ')'", at, open.length);
      const next = game.parent.length;
      if (next === MAX_NODES)
        throw new ScanFault(`a game of more than ${MAX_NODES} nodes`, at, open.length);
      at += 1;
      game.children[node]! += 1;
      game.variation.push(isVariation ? next : game.variation[node]!);
      game.parent.push(node);
      game.children.push(0);
      game.from.push(at);
      game.to.push(at);
      game.close.push(0);
      game.last.push(0);
      if (isVariation) open.push(next);
      node = next;
      [isClosed, isInNode] = [false, true];
      if (next % YIELD === 0) yield;
    } else if (isInNode && isLetter(code)) {
      at = skipProperty(text, at, open.length);
      game.to[node] = at;
    } else if (at < text.length) throw unexpected(text, at, open.length);
    else throw new ScanFault("the game has no end: ')' is missing", at, open.length);
  }
  game.end = at;
  return game;
}

/** The offset after the parenthesis that closes `depth` open ones, whatever stands between; -1 if
 * there is none. */
export function skipDamaged(text: string, at: number, depth: number): number {
  const token = /[[()]/g;
  token.lastIndex = at;
  for (let found = token.exec(text); found && depth > 0; found = token.exec(text)) {
    if (found[0] === "[") {
      const close = valueEnd(text, found.index + 1);
      if (close < 0) return -1;
      token.lastIndex = close + 1;
    } else {
      depth += found[0] === "(" ? 1 : -1;
      if (depth === 0) return found.index + 1;
    }
  }
  return -1;
}

/** Older files pad names with small letters, which are dropped: `SiZe` is SZ; but `b` is B. */
function capitals(name: string): string {
  const rest = name.replace(/[a-z]/g, "");
  return /^[A-Z]/.test(rest) ? rest : name.toUpperCase();
}

/** The properties between two offsets of a scanned game. One that is given twice has the values of
 * both. */
export function properties(text: string, from: number, to: number): Map<string, Property> {
  const found = new Map<string, Property>();
  let at = skipSpace(text, from);
  while (at < to) {
    const end = nameEnd(text, at);
    if (end === at) break;
    const name = text.slice(at, end);
    const key = /[a-z]/.test(name) ? capitals(name) : name;
    at = skipSpace(text, end);
    let property = found.get(key);
    if (!property) found.set(key, (property = { key, name, values: [], offset: at }));
    if (found.size > MAX_PROPERTIES)
      throw new ScanFault(`a node of more than ${MAX_PROPERTIES} properties`, from, 0);
    while (at < to && text[at] === "[") {
      const close = valueEnd(text, at + 1);
      if (close < 0) return found;
      property.values.push(text.slice(at + 1, close));
      at = skipSpace(text, close + 1);
    }
  }
  return found;
}
