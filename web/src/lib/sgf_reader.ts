// SPDX-License-Identifier: MIT
// Makes the tree of the page from one scanned game. The tree has moves only; everything else of the
// file is kept with them, so that the writer can put it back (`SgfData`).
import {
  AFTER,
  BEFORE,
  HEADER,
  HIDDEN,
  IMPLIED,
  JOINED,
  NO_NAMES,
  firstTurn,
  otherColour,
  ruleOf,
  valuesText,
  type HiddenLine,
  type RecordNode,
  type RecordNote,
  type SgfData,
  type SgfGame,
} from "./sgf_model";
import {
  NodeReader,
  commentOf,
  commentsOf,
  hasSetup,
  sideOf,
  type FileMove,
  type Properties,
} from "./sgf_nodes";
import type { Colour, Rule, SetupStones } from "./protocol";
import type { ScannedGame } from "./sgf_scan";

const MAX_NODES = 20_000; // moves that are shown of a game
const MAX_NOTES = 8;
const MAX_AFTER = 1000; // nodes without a move that follow a move
const MAX_BEFORE = 8; // nodes without a move between a move and its parent
const MAX_BEFORE_TEXT = 1_000_000; // characters of all of them
const YIELD = 4096; // nodes between two pauses
const NONE: string[] = [];

/** Variations that are not shown, before they become a `HiddenLine`. */
interface Hidden {
  place: number;
  several: boolean;
  before: string[];
  from: number;
  to: number;
}

/** The start or a move of the page while the tree grows. */
interface Host {
  turn: Colour;
  ply: number;
  lines: number; // continuations so far, hidden ones included
  after: string[];
  hidden: Hidden[];
}

/** Reads one game. `defaultRule` is that of a game that does not name its rule. */
export class GameReader extends NodeReader {
  private rule: Rule | null = null;
  private readonly names = { ...NO_NAMES };
  private readonly implied = new Map<string, string>();
  private readonly stones = new Map<string, Colour>();
  private turn: Colour | null = null;
  private readonly notes: RecordNote[] = [];
  private readonly nodes: RecordNode[] = [];
  private readonly hosts: Host[] = []; // the start, then each move of the page
  private readonly host: number[]; // by node of the file: index in `hosts`
  private readonly before: string[][]; // by node of the file
  private beforeText = 0;
  private unseen = 0; // nodes without a move that are not shown

  constructor(
    text: string,
    game: ScannedGame,
    private readonly defaultRule: Rule,
  ) {
    super(text, game);
    this.host = new Array<number>(game.parent.length);
    this.before = new Array<string[]>(game.parent.length);
  }

  *read(): Generator<void, SgfGame> {
    const origins = this.readHeader();
    const root = this.properties(0);
    const move = this.move(root);
    const last = this.readStart(root, move);
    for (const [key, n] of origins) {
      if (n > last) this.implied.set(key, this.headerValue(key));
    }
    const setup = this.setup();
    this.hosts[0]!.turn = firstTurn(setup);
    if (move) this.readJoined(root, move);
    for (let n = last + 1; n < this.game.parent.length; ) {
      const next = this.readNode(n);
      if (Math.floor(n / YIELD) !== Math.floor(next / YIELD)) yield;
      n = next;
    }
    this.addNotes();
    const rootData = this.finish(this.data(root, move?.point ?? null) ?? {});
    const comments = [move ? "" : commentOf(root), ...commentsOf(this.hosts[0]!.after)];
    return {
      position: { rule: this.rule ?? this.defaultRule, size: this.size, setup, moves: [] },
      nodes: this.nodes,
      names: this.names,
      rootData,
      rootComment: comments.filter(Boolean).join("\n"),
      notes: this.notes,
    };
  }

  private note(code: RecordNote["code"], number: number, text: string): void {
    if (this.notes.length < MAX_NOTES) this.notes.push({ code, number, text });
  }

  private addNotes(): void {
    if (!this.rule) {
      const rule = this.defaultRule;
      this.note("rule", 0, `The record does not name its rule; assuming ${rule}.`);
    }
    if (this.unseen) {
      const text = "Parts without a move are kept in the file and not shown";
      this.note("hidden", this.unseen, `${text}: ${this.unseen}.`);
    }
  }

  /** Keeps with each move what the tree has no place for; returns the same of the start. */
  private finish(rootData: SgfData): SgfData {
    if (!this.rule) this.implied.set("RU", this.defaultRule);
    if (this.implied.size) rootData[IMPLIED] = [...this.implied].map((pair) => pair.join("="));
    this.keep(this.hosts[0]!, rootData);
    this.nodes.forEach((node, n) => {
      const host = this.hosts[n + 1]!;
      if (!host.after.length && !host.hidden.length) return;
      this.keep(host, (node.data ??= plainData(otherColour(host.turn), node.comment)));
      node.comment = [node.comment, ...commentsOf(host.after)].filter(Boolean).join("\n");
    });
    return rootData;
  }

  private keep({ after, hidden }: Host, data: SgfData): void {
    if (after.length) data[AFTER] = after;
    if (!hidden.length) return;
    data[HIDDEN] = hidden.map(({ place, several, before, from, to }) => {
      const line: HiddenLine = [place, several, before, this.text.slice(from, to)];
      return JSON.stringify(line);
    });
  }

  // --- the header and the start ---

  /** Reads the values for the whole game, which some programs write into later nodes, up to the
   * first move or set-up; returns the node of each. */
  private readHeader(): Map<string, number> {
    const origins = new Map<string, number>();
    for (let n = 0; n < this.game.parent.length && !this.isHeaderOver; n += 1) {
      const found = this.properties(n);
      for (const [key, name] of Object.entries(HEADER)) {
        const value = found.get(key);
        if (!value || this.names[name]) continue;
        this.names[name] = valuesText(value.values);
        origins.set(key, n);
      }
      const rule = found.get("RU");
      if (rule && !origins.has("RU")) {
        this.rule = ruleOf(rule.values[0]!);
        origins.set("RU", n);
      }
      if (found.has("SZ") && !origins.has("SZ")) origins.set("SZ", n);
      this.isHeaderOver = found.has("B") || found.has("W") || hasSetup(found);
    }
    this.isHeaderOver = true;
    return origins;
  }

  private headerValue(key: string): string {
    if (key === "SZ") return String(this.size);
    if (key === "RU") return this.rule ?? this.defaultRule;
    return this.names[HEADER[key as keyof typeof HEADER]];
  }

  /** Reads the stones before the first move: of the first node, and of those without a move that
   * follow it. Returns the last of these. */
  private readStart(root: Properties, move: FileMove | null): number {
    const { parent, children } = this.game;
    const start: Host = { turn: "black", ply: 0, lines: 0, after: [], hidden: [] };
    this.hosts.push(start);
    this.addStones(root);
    this.host[0] = 0;
    this.before[0] = NONE;
    if (move) return 0;
    this.turn = sideOf(root.get("PL")?.values);
    let last = 0;
    while (last + 1 < parent.length && children[last] === 1 && last < MAX_AFTER) {
      const found = this.properties(last + 1);
      if (this.move(found)) break;
      last += 1;
      this.addStones(found);
      this.turn = sideOf(found.get("PL")?.values) ?? this.turn;
      start.after.push(this.content(last));
      this.host[last] = 0;
      this.before[last] = NONE;
    }
    return last;
  }

  private addStones(found: Properties): void {
    const { black, white, empty } = this.setupOf(found);
    for (const point of black) this.stones.set(point, "black");
    for (const point of white) this.stones.set(point, "white");
    for (const point of empty) this.stones.delete(point);
  }

  private setup(): SetupStones | null {
    const of = (colour: Colour) =>
      [...this.stones].filter(([, stone]) => stone === colour).map(([point]) => point);
    const [black, white] = [of("black"), of("white")];
    const turn = this.turn ?? this.firstColour() ?? firstTurn({ black, white, turn: null });
    if (!black.length && !white.length && turn === "black") return null;
    return { black, white, turn };
  }

  /** The colour of the first move of the file: of a start that does not name its side to move. */
  private firstColour(): Colour | null {
    for (let n = 0; n < this.game.parent.length; n += 1) {
      const found = this.uncheckedProperties(n);
      if (found.has("B")) return "black";
      if (found.has("W")) return "white";
    }
    return null;
  }

  /** The first node of the file has the first move. */
  private readJoined(root: Properties, move: FileMove): void {
    const start = this.hosts[0]!;
    const data = { [JOINED]: [] };
    this.nodes.push({ parent: -1, move: move.point, comment: commentOf(root), data });
    this.addHost(start);
    this.host[0] = 1;
  }

  // --- the tree ---

  private addHost(parent: Host): void {
    parent.lines += 1;
    const turn = otherColour(parent.turn);
    this.hosts.push({ turn, ply: parent.ply + 1, lines: 0, after: [], hidden: [] });
  }

  /** Reads a node of the file; returns the next one, which is not below it if it is hidden. */
  private readNode(n: number): number {
    const found = this.properties(n);
    const above = this.game.parent[n]!;
    const index = this.host[above]!;
    const host = this.hosts[index]!;
    const before = this.before[above]!;
    const move = this.move(found);
    this.setupOf(found); // its points must be on the board
    const side = sideOf(found.get("PL")?.values) ?? host.turn;
    if (hasSetup(found) || (!move && side !== host.turn)) {
      const text = `Stones are set up after move ${host.ply}; the line ends there.`;
      this.note("setup", host.ply, text);
      return this.hide(n, host, before);
    }
    if (!move) return this.readWithoutMove(n, index, before);
    if (move.colour !== host.turn) {
      const text = `Move ${host.ply + 1}: ${move.colour} moves out of turn; the line ends there.`;
      this.note("move", host.ply + 1, text);
      return this.hide(n, host, before);
    }
    if (this.nodes.length === MAX_NODES) {
      const text = `Only the first ${MAX_NODES.toLocaleString("en")} moves are shown.`;
      if (!this.notes.some(({ code }) => code === "max_nodes"))
        this.note("max_nodes", MAX_NODES, text);
      return this.hide(n, host, before);
    }
    const comment = commentOf(found);
    let data = this.data(found, move.point);
    if (before.length) data = { ...(data ?? plainData(move.colour, comment)), [BEFORE]: before };
    this.nodes.push({ parent: index - 1, move: move.point, comment, data });
    this.addHost(host);
    this.host[n] = this.nodes.length;
    this.before[n] = NONE;
    return n + 1;
  }

  private readWithoutMove(n: number, index: number, before: string[]): number {
    const host = this.hosts[index]!;
    const children = this.game.children[n]!;
    const content = this.content(n);
    this.host[n] = index;
    const isOnly = before === NONE && this.game.children[this.game.parent[n]!] === 1;
    if (isOnly && host.after.length < MAX_AFTER) {
      host.after.push(content);
      this.before[n] = NONE;
      return n + 1;
    }
    this.unseen += 1;
    const chain = [...before, `${n};${content}`];
    const length = children * chain.reduce((sum, entry) => sum + entry.length, 0);
    const isLong = before.length === MAX_BEFORE || this.beforeText + length > MAX_BEFORE_TEXT;
    if (isLong || !children) return this.hide(n, host, before);
    this.beforeText += length;
    this.before[n] = chain;
    return n + 1;
  }

  /** Hides a node and all below it; returns the node after these. */
  private hide(n: number, host: Host, before: string[]): number {
    const { variation, from, close, last } = this.game;
    const first = variation[n]!;
    const previous = host.hidden.at(-1);
    const isNext = previous?.before === before && previous.place + 1 === host.lines;
    // Neighbours become one line: a file may have a million of them.
    if (previous && isNext && first === n) {
      previous.several = true;
      previous.to = close[first]!;
    } else {
      const [place, start, to] = [host.lines, from[n]! - 1, close[first]!];
      host.hidden.push({ place, several: false, before, from: start, to });
      host.lines += 1;
    }
    return last[first]! + 1;
  }
}

/** The properties of a plain move. */
function plainData(colour: Colour, comment: string): SgfData {
  const data: SgfData = { [colour === "black" ? "B" : "W"]: [] };
  if (comment) data.C = [];
  return data;
}
