// SPDX-License-Identifier: MIT
// A tree of variations: moves, where we are, what the server showed of each position. It knows the
// order of moves and nothing of the rules: every new position is asked for.
import { app } from "./app.svelte";
import type { Position, RecordNode, Reviewed, ReviewedMove, StudyNode, View } from "./messages";
import { forgetLink } from "./share";

export interface Estimate {
  winRate: number; // black's
  mate: number | null;
  depth: number;
}

export interface TreeNode {
  id: number;
  parent: number;
  move: string; // "" at the root
  children: number[];
  comment: string;
  estimate: Estimate | null;
  reviewed: ReviewedMove | null;
}

/** A review that was made, with the nodes of its line, the root first. */
export interface Finished {
  tell: Reviewed;
  line: number[];
}

interface Kept {
  position: Position;
  nodes: StudyNode[];
  at: number; // by the order of `nodes`, from 1; 0 is the root
  names: Names;
  estimates?: (Estimate | null)[]; // the root's first
  finished?: Finished | null; // by the order of `nodes` too
}

export interface Names {
  black: string;
  white: string;
  result: string;
  event: string;
}

const NO_NAMES: Names = { black: "", white: "", result: "", event: "" };
const MOST_KEPT = 300_000; // letters of a study that the server keeps

function root(): TreeNode {
  return node(0, -1, "");
}

function node(id: number, parent: number, move: string): TreeNode {
  return { id, parent, move, children: [], comment: "", estimate: null, reviewed: null };
}

export class Tree {
  start = $state.raw<Position>({ rule: "renju", size: 15, setup: null, moves: [] });
  nodes = $state<TreeNode[]>([root()]);
  at = $state(0);
  names = $state<Names>({ ...NO_NAMES });
  finished: Finished | null = null;
  borrowed = false; // it came by a link, and nobody has changed it: the own study is still kept
  private readonly views = new Map<string, View>();
  private version = $state(0); // counts what came into `views`

  /** The nodes from the root to a node. */
  path(id: number = this.at): TreeNode[] {
    const found: TreeNode[] = [];
    for (let n = this.nodes[id]; n; n = this.nodes[n.parent]) found.unshift(n);
    return found;
  }

  moves(id: number = this.at): string[] {
    return this.path(id).slice(1).map((n) => n.move);
  }

  position(id: number = this.at): Position {
    return { ...this.start, moves: this.moves(id) };
  }

  get current(): TreeNode {
    return this.nodes[this.at] ?? this.nodes[0]!;
  }

  /** What is to be seen now; of the last position that is known, while an answer is on its way. */
  get view(): View | null {
    void this.version;
    return this.views.get(this.key(this.moves())) ?? null;
  }

  private key(moves: string[]): string {
    return moves.join(" ");
  }

  /** The main line from here to its end, always by the first child, the node itself first. */
  lineFrom(id: number): number[] {
    const found = [id];
    for (let n = this.nodes[id]; n?.children.length; n = this.nodes[n.children[0]!]) {
      found.push(n.children[0]!);
    }
    return found;
  }

  /** The line through the current node: up from the root, and down by first children. */
  get line(): number[] {
    const up = this.path().map((n) => n.id);
    return [...up.slice(0, -1), ...this.lineFrom(this.at)];
  }
  /** Moves up to the current node, and to the end of its line. */
  get ply(): number {
    return this.path().length - 1;
  }
  get end(): number {
    return this.line.length - 1;
  }

  // --- beginning ---

  async begin(start: Position, names: Names = NO_NAMES): Promise<void> {
    const answer = await app.link.ask(
      { type: "look", position: { ...start, moves: [] }, every: false },
      "views",
    );
    this.start = { ...start, moves: [] };
    this.nodes = [root()];
    this.at = 0;
    this.names = { ...names };
    this.finished = null;
    this.borrowed = false;
    this.views.clear();
    this.remember([], answer.views.at(-1)!);
  }

  /** Begin with a tree: parents come before their children. */
  async take(start: Position, nodes: (RecordNode | StudyNode)[], names: Names): Promise<void> {
    await this.begin(start, names);
    const taken = [root()];
    for (const entry of nodes) {
      const id = taken.length;
      const parent = entry.parent + 1;
      taken.push({ ...node(id, parent, entry.move), comment: entry.comment ?? "" });
      taken[parent]?.children.push(id);
    }
    this.nodes = taken;
    await this.fetchLine(this.lineFrom(0).at(-1)!);
  }

  /** Begin with a line of moves, and go to its end. */
  async takeMoves(position: Position, names: Names = NO_NAMES): Promise<void> {
    const nodes = position.moves.map((move, n) => ({ parent: n - 1, move, comment: "" }));
    await this.take({ ...position, moves: [] }, nodes, names);
    this.at = this.nodes.length - 1;
  }

  private remember(moves: string[], view: View): void {
    this.views.set(this.key(moves), view);
    this.version += 1;
  }

  /** Ask for all positions on the way to a node: then stepping needs no answers. */
  private async fetchLine(id: number): Promise<void> {
    const position = this.position(id);
    const answer = await app.link.ask({ type: "look", position, every: true }, "views");
    answer.views.forEach((view, n) => {
      this.views.set(this.key(position.moves.slice(0, n)), view);
    });
    this.version += 1;
  }

  // --- moving about ---

  async go(id: number): Promise<void> {
    if (!this.nodes[id]) return;
    this.at = id;
    if (!this.views.has(this.key(this.moves(id)))) await this.fetchLine(id).catch(app.failed);
  }

  back(): void {
    if (this.current.parent >= 0) void this.go(this.current.parent);
  }

  forward(): void {
    const next = this.current.children[0];
    if (next !== undefined) void this.go(next);
  }

  first(): void {
    void this.go(0);
  }

  last(): void {
    void this.go(this.lineFrom(this.at).at(-1)!);
  }

  /** Go to a place on the current line. */
  jump(ply: number): void {
    const id = this.line[ply];
    if (id !== undefined) void this.go(id);
  }

  // --- changing ---

  /** Play a move here, if the server allows it; a move that is there already is gone to. */
  async play(move: string): Promise<boolean> {
    const here = this.current;
    const there = here.children.find((id) => this.nodes[id]?.move === move);
    if (there !== undefined) {
      await this.go(there);
      return true;
    }
    const position = this.position();
    position.moves = [...position.moves, move];
    try {
      const answer = await app.link.ask({ type: "look", position, every: false }, "views");
      this.remember(position.moves, answer.views[0]!);
    } catch (error) {
      app.failed(error);
      return false;
    }
    const id = this.nodes.length;
    this.borrowed = false;
    this.nodes.push(node(id, here.id, move));
    this.nodes[here.id]!.children.push(id);
    this.at = id;
    return true;
  }

  async playLine(moves: string[]): Promise<void> {
    for (const move of moves) if (!(await this.play(move))) return;
  }

  /** Remove the current move and all after it. */
  remove(): void {
    const gone = this.current;
    if (gone.parent < 0) return;
    const parent = this.nodes[gone.parent]!;
    parent.children = parent.children.filter((id) => id !== gone.id);
    this.at = parent.id;
    this.keep();
  }

  /** Make the line to the current node the main line. */
  promote(): void {
    for (const step of this.path().slice(1)) {
      const parent = this.nodes[step.parent]!;
      parent.children = [step.id, ...parent.children.filter((id) => id !== step.id)];
    }
    this.keep();
  }

  /** Whether the current move belongs to the main line. */
  get isMain(): boolean {
    return this.path().every((n) => n.parent < 0 || this.nodes[n.parent]?.children[0] === n.id);
  }

  /** The nodes that are still in the tree, parents first, the main line first; without the root. */
  private order(): TreeNode[] {
    const found: TreeNode[] = [];
    const waiting = [...this.nodes[0]!.children].reverse();
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const entry = this.nodes[id]!;
      found.push(entry);
      waiting.push(...[...entry.children].reverse());
    }
    return found;
  }

  /** Where a node is in `flat`, from 1; 0 is the root. */
  placeOf(id: number): number {
    return this.order().findIndex((entry) => entry.id === id) + 1;
  }

  /** The tree for a file or for keeping. */
  flat(): StudyNode[] {
    const nodes = this.order();
    const places = new Map(nodes.map((entry, place) => [entry.id, place]));
    return nodes.map(({ parent, move, comment }) => ({
      parent: places.get(parent) ?? -1,
      move,
      comment,
    }));
  }

  // --- keeping ---

  keep(): void {
    this.borrowed = false;
    forgetLink();
    const text = this.text();
    if (text) app.link.send({ type: "keep_study", text });
  }

  /** The tree as `restore` takes it; undefined where it is too large. */
  text(): string | undefined {
    const nodes = [this.nodes[0]!, ...this.order()];
    const places = new Map(nodes.map((entry, place) => [entry.id, place]));
    const least: Kept = {
      position: this.start,
      nodes: this.flat(),
      at: places.get(this.at) ?? 0,
      names: this.names,
    };
    const line = this.finished?.line.map((id) => places.get(id) ?? -1) ?? [];
    const isWhole = this.finished && !line.includes(-1); // nothing of it was deleted
    const all: Kept = {
      ...least,
      estimates: nodes.map((entry) => entry.estimate),
      finished: isWhole ? { tell: this.finished!.tell, line } : null,
    };
    return [all, least].map((kept) => JSON.stringify(kept)).find((t) => t.length < MOST_KEPT);
  }

  /** The tree that was kept; `finished` is there if its review was. */
  async restore(text: string): Promise<void> {
    const kept = JSON.parse(text) as Kept;
    await this.take(kept.position, kept.nodes, kept.names);
    kept.estimates?.forEach((estimate, id) => {
      if (this.nodes[id]) this.nodes[id].estimate = estimate;
    });
    this.finished = kept.finished ?? null;
    await this.go(kept.at);
  }
}
