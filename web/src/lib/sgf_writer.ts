// SPDX-License-Identifier: MIT
// Writes a game as SGF. What a file had is written as it was, in its order; what the page changed
// replaces it. A game of the page gets the header of the Python writer.
import type { Colour } from "./protocol";
import {
  addSetup,
  entriesOf,
  entriesOfText,
  isSameSetup,
  prepend,
  readHeader,
  removeSetup,
  replace,
  set,
  textOf,
  withoutComment,
  type Entries,
  type Entry,
} from "./sgf_entries";
import {
  AFTER,
  BEFORE,
  DEFAULT_SIZE,
  HEADER,
  HIDDEN,
  IMPLIED,
  JOINED,
  escapeText,
  firstTurn,
  otherColour,
  parsePoint,
  pointLetters,
  valuesText,
  type HiddenLine,
  type RecordNode,
  type SgfData,
  type SgfGame,
} from "./sgf_model";
import { commentsOf } from "./sgf_nodes";

const MOVES_PER_LINE = 12;

/** What follows a node: a move of the page, nodes without a move, or variations kept as text. */
type Item =
  | { kind: "move"; index: number }
  | { kind: "group"; id: string; items: Item[] }
  | { kind: "text"; text: string; several: boolean };

/** The game as SGF. Of a game that was read from SGF every property is kept. */
export function writeSgf(game: SgfGame): string {
  return new SgfWriter(game).write();
}

/** The game without some moves and all that follows them, which its SGF still has. For moves that
 * break the rules. */
export function hideNodes(game: SgfGame, hidden: ReadonlySet<number>): SgfGame {
  if (!hidden.size) return game;
  const writer = new SgfWriter(game);
  const places: number[] = []; // of a node in the result; -1: it is hidden
  const nodes: RecordNode[] = [];
  const changed = new Map<number, string[]>(); // HIDDEN by parent
  game.nodes.forEach((node, n) => {
    const isBelow = node.parent >= 0 && places[node.parent] === -1;
    places.push(isBelow || hidden.has(n) ? -1 : nodes.length);
    if (!isBelow && hidden.has(n) && !changed.has(node.parent))
      changed.set(node.parent, writer.hiddenWith(node.parent, hidden));
    if (places[n] === -1) return;
    nodes.push({ ...node, parent: node.parent < 0 ? -1 : places[node.parent]! });
  });
  const add = (data: SgfData | null, parent: number): SgfData | null =>
    changed.has(parent) ? { ...data, [HIDDEN]: changed.get(parent)! } : data;
  game.nodes.forEach((_, n) => {
    const place = places[n]!;
    if (place >= 0) nodes[place]!.data = add(nodes[place]!.data, n);
  });
  return { ...game, nodes, rootData: add(game.rootData, -1) };
}

class SgfWriter {
  private readonly children: number[][]; // of the start, then of each node
  private readonly turns: Colour[] = []; // who makes each move
  private readonly out: string[] = [];

  constructor(private readonly game: SgfGame) {
    this.children = [[], ...game.nodes.map(() => [])];
    game.nodes.forEach(({ parent }, n) => {
      this.children[parent + 1]!.push(n);
      const above = this.turns[parent];
      this.turns.push(above ? otherColour(above) : firstTurn(game.position.setup));
    });
  }

  write(): string {
    this.out.push("(");
    for (const text of this.start()) this.out.push(text);
    const joined = this.joined();
    this.writeItems(this.items(joined?.index ?? -1), [")\n"]);
    return this.out.join("");
  }

  /** The hidden lines of a parent together with some of its moves. */
  hiddenWith(parent: number, hidden: ReadonlySet<number>): string[] {
    const lines: string[] = [];
    const before: string[] = [];
    const add = (items: Item[]) => {
      for (const item of items) {
        if (item.kind === "group") {
          before.push(item.id);
          add(item.items);
          before.pop();
          continue;
        }
        place += 1;
        if (item.kind === "move" && !hidden.has(item.index)) continue;
        const text = item.kind === "text" ? item.text : this.textOf(item);
        const isSeveral = item.kind === "text" && item.several;
        const line: HiddenLine = [place, isSeveral, [...before], text];
        lines.push(JSON.stringify(line));
      }
    };
    let place = -1;
    add(this.items(parent));
    return lines;
  }

  private textOf(item: Item): string {
    this.out.length = 0;
    this.writeItems([item], [""]);
    return this.out.join("");
  }

  /** Writes what follows a node, depth first; `waiting` is what comes after all of it. */
  private writeItems(items: Item[], waiting: (Item | string)[]): void {
    let column = 1;
    for (let next: Item[] | null = items; ; ) {
      if (next?.length === 1 && !(next[0]!.kind === "text" && next[0]!.several))
        waiting.push(next[0]!);
      else for (const item of [...(next ?? [])].reverse()) waiting.push(")", item, "\n(");
      let item = waiting.pop()!;
      for (; typeof item === "string"; item = waiting.pop()!) {
        this.out.push(item);
        column = 0;
        if (!waiting.length) return;
      }
      if (item.kind === "text") {
        this.out.push(item.text);
        next = null;
        continue;
      }
      this.out.push(column && column % MOVES_PER_LINE === 0 ? "\n;" : ";");
      column += 1;
      next = item.kind === "move" ? this.items(item.index) : item.items;
      if (item.kind === "move") this.writeMove(item.index);
      else this.out.push(item.id.slice(item.id.indexOf(";") + 1));
    }
  }

  /** What follows a move, or the start (-1). */
  private items(index: number): Item[] {
    const data = index < 0 ? this.game.rootData : this.game.nodes[index]!.data;
    const children = this.children[index + 1]!;
    const hidden = (data?.[HIDDEN] ?? []).map((text) => JSON.parse(text) as HiddenLine);
    if (!hidden.length && !children.some((n) => this.game.nodes[n]!.data?.[BEFORE]))
      return children.map((n) => ({ kind: "move", index: n }));
    const lines: [string[], Item][] = children.map((n) => [
      this.game.nodes[n]!.data?.[BEFORE] ?? [],
      { kind: "move", index: n },
    ]);
    for (const [place, several, before, text] of hidden)
      lines.splice(Math.min(place, lines.length), 0, [before, { kind: "text", text, several }]);
    const top: Item[] = [];
    for (const [before, item] of lines) {
      let items = top;
      for (const id of before) {
        let group = items.find((other) => other.kind === "group" && other.id === id);
        if (!group) items.push((group = { kind: "group", id, items: [] }));
        if (group.kind === "group") items = group.items;
      }
      items.push(item);
    }
    return top;
  }

  private writeMove(index: number): void {
    const { move, comment, data } = this.game.nodes[index]!;
    const entries = entriesOf(data);
    this.setMove(entries, move, this.turns[index]!);
    const after = this.setComment(entries, comment, data?.[AFTER] ?? []);
    this.out.push(textOf(entries));
    for (const text of after) this.out.push(text);
  }

  private setMove(entries: Entries, move: string, colour: Colour): void {
    const key = colour === "black" ? "B" : "W";
    const old = entries.get("B") ?? entries.get("W");
    const { size } = this.game.position;
    const isKept = old !== undefined && entries.has(key) && old[1].length > 0;
    if (isKept && parsePoint(old[1][0]!, size) === move) return;
    const entry: Entry = [entries.has(key) ? old![0] : key, [pointLetters(move, size)]];
    if (!old) return prepend(entries, key, entry);
    replace(entries, entries.has("B") ? "B" : "W", key, entry);
  }

  /** Sets the comment of a node; returns the nodes without a move after it, which may have parts of
   * the comment. */
  private setComment(entries: Entries, comment: string, after: string[]): string[] {
    const old = entries.get("C");
    const rest = commentsOf(after);
    const own = ownComment(old?.[1], comment, rest.join("\n"));
    if (old?.[1].length && own === valuesText(old[1])) return after.map((text) => `;${text}`);
    const text = own ?? comment;
    if (text) set(entries, "C", [escapeText(text)]);
    else entries.delete("C");
    const kept = own === null ? after.map(withoutComment) : after;
    return kept.map((text) => `;${text}`);
  }

  // --- the start ---

  /** The move in the first node of the file, if there still is nothing beside it. */
  private joined(): { index: number; node: RecordNode } | null {
    const [item, other] = this.items(-1);
    if (item?.kind !== "move" || other || this.game.rootComment) return null;
    const node = this.game.nodes[item.index]!;
    return node.data?.[JOINED] ? { index: item.index, node } : null;
  }

  /** The first node of the file and those without a move that follow it. */
  private start(): string[] {
    const { game } = this;
    if (!game.rootData) return [";", textOf(this.newHeader())];
    const all = [entriesOf(game.rootData), ...(game.rootData[AFTER] ?? []).map(entriesOfText)];
    const [root] = all;
    const implied = new Map(
      (game.rootData[IMPLIED] ?? []).map((pair) => {
        const mark = pair.indexOf("=");
        return [pair.slice(0, mark), pair.slice(mark + 1)] as const;
      }),
    );
    this.setHeader(all, implied);
    this.setSetup(all);
    this.setCharset(all);
    const joined = this.joined();
    let after: string[];
    if (joined) {
      const { move, comment, data } = joined.node;
      this.setMove(root!, move, this.turns[joined.index]!);
      after = this.setComment(root!, comment, data?.[AFTER] ?? []);
    } else {
      for (const key of ["B", "W"]) root!.delete(key);
      after = this.setComment(root!, game.rootComment, all.slice(1).map(textOf));
    }
    return [";", textOf(root!), ...after];
  }

  private newHeader(): Entries {
    const { position, names, rootComment } = this.game;
    const entries: Entries = new Map();
    const header = { FF: "4", GM: "4", CA: "UTF-8", SZ: String(position.size), RU: position.rule };
    for (const [key, value] of Object.entries(header)) set(entries, key, [value]);
    for (const [key, name] of Object.entries(HEADER)) {
      const value = names[name];
      if (value) set(entries, key, [escapeText(value)]);
    }
    addSetup(entries, position);
    if (rootComment) set(entries, "C", [escapeText(rootComment)]);
    return entries;
  }

  private setHeader(all: Entries[], implied: Map<string, string>): void {
    const { position, names } = this.game;
    const wanted: Record<string, string | undefined> = {
      SZ: String(position.size),
      RU: position.rule,
    };
    for (const [key, name] of Object.entries(HEADER)) wanted[key] = names[name];
    for (const [key, value] of Object.entries(wanted)) {
      if (value === undefined) continue;
      const found = all.map((entries) => entries.get(key)?.[1]);
      const usual = key === "SZ" ? String(DEFAULT_SIZE) : "";
      if (value === (readHeader(key, found) ?? implied.get(key) ?? usual)) continue;
      for (const entries of all.slice(1)) entries.delete(key);
      if (value || implied.has(key)) set(all[0]!, key, [escapeText(value)]);
      else all[0]!.delete(key);
    }
  }

  private setSetup(all: Entries[]): void {
    const { position, rootData } = this.game;
    const hasMoves = this.children[0]!.length > 0 || rootData?.[HIDDEN] !== undefined;
    if (isSameSetup(all, position, hasMoves)) return;
    for (const entries of all) removeSetup(entries);
    addSetup(all[0]!, position);
  }

  /** Files are written as UTF-8. */
  private setCharset(all: Entries[]): void {
    const named = all.find((entries) => entries.has("CA"));
    if (named) {
      if (!/^\s*utf-?8\s*$/i.test(named.get("CA")![1][0]!)) set(named, "CA", ["UTF-8"]);
    } else if (!this.isAscii()) set(all[0]!, "CA", ["UTF-8"]);
  }

  private isAscii(): boolean {
    const isPlain = (text: string) => /^[\0-\x7f]*$/.test(text);
    const isPlainData = (data: SgfData | null) =>
      Object.values(data ?? {}).every((values) => values.every(isPlain));
    const { nodes, names, rootComment, rootData } = this.game;
    return (
      isPlain(rootComment + Object.values(names).join("")) &&
      isPlainData(rootData) &&
      nodes.every((node) => isPlain(node.comment) && isPlainData(node.data))
    );
  }
}

/** The part of a comment that is the node's own, where `rest` is that of the nodes without a move
 * after it; null: the whole was changed. */
function ownComment(values: string[] | undefined, comment: string, rest: string): string | null {
  if (!rest || comment === rest) return rest ? "" : comment;
  if (!comment.endsWith(`\n${rest}`)) return null;
  const own = comment.slice(0, -rest.length - 1);
  return !values?.length || valuesText(values) === own ? own : null;
}
