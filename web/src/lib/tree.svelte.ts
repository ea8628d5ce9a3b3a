// SPDX-License-Identifier: MIT
// A variation tree: moves, the current node, the server's view of each position. It knows the order
// of moves and no rules: the server provides every view.
import { app } from "./app.svelte";
import type { GamePosition, RecordNode, ReviewEvent, MoveReview, StudyNode, PositionView } from "./messages";
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
  reviewed: MoveReview | null;
}

/** A finished review with the nodes of its line, the root first. */
export interface Finished {
  review: ReviewEvent;
  line: number[];
}

/** The stored form of a study. Version 0.1.0 wrote `tell` for `review`. */
interface SavedStudy {
  position: GamePosition;
  nodes: StudyNode[];
  at: number; // index in `nodes`, from 1; 0 is the root
  names: Names;
  estimates?: (Estimate | null)[]; // the root's first
  finished?: (Omit<Finished, "review"> & { review?: ReviewEvent; tell?: ReviewEvent }) | null;
}

export interface Names {
  black: string;
  white: string;
  result: string;
  event: string;
}

const NO_NAMES: Names = { black: "", white: "", result: "", event: "" };
const MAX_SAVED = 300_000; // characters of a stored study

function root(): TreeNode {
  return node(0, -1, "");
}

function node(id: number, parent: number, move: string): TreeNode {
  return { id, parent, move, children: [], comment: "", estimate: null, reviewed: null };
}

export class Tree {
  start = $state.raw<GamePosition>({ rule: "renju", size: 15, setup: null, moves: [] });
  nodes = $state<TreeNode[]>([root()]);
  at = $state(0);
  names = $state<Names>({ ...NO_NAMES });
  finished: Finished | null = null;
  isFromLink = false; // opened by a link and not changed: the stored study stays
  private readonly views = new Map<string, PositionView>();
  private version = $state(0); // counts changes of `views`

  /** The nodes from the root to a node. */
  path(id: number = this.at): TreeNode[] {
    const path: TreeNode[] = [];
    for (let n = this.nodes[id]; n; n = this.nodes[n.parent]) path.unshift(n);
    return path;
  }

  moves(id: number = this.at): string[] {
    return this.path(id).slice(1).map((n) => n.move);
  }

  position(id: number = this.at): GamePosition {
    return { ...this.start, moves: this.moves(id) };
  }

  get current(): TreeNode {
    return this.nodes[this.at] ?? this.nodes[0]!;
  }

  /** The view of the current position; null until the server has sent it. */
  get view(): PositionView | null {
    void this.version;
    return this.views.get(this.key(this.moves())) ?? null;
  }

  private key(moves: string[]): string {
    return moves.join(" ");
  }

  /** A node and its first descendants, to the end of the line. */
  lineFrom(id: number): number[] {
    const line = [id];
    for (let n = this.nodes[id]; n?.children.length; n = this.nodes[n.children[0]!]) {
      line.push(n.children[0]!);
    }
    return line;
  }

  /** The line through the current node, from the root to its end. */
  get line(): number[] {
    const up = this.path().map((n) => n.id);
    return [...up.slice(0, -1), ...this.lineFrom(this.at)];
  }
  /** Number of moves up to the current node, and of the whole line. */
  get ply(): number {
    return this.path().length - 1;
  }
  get end(): number {
    return this.line.length - 1;
  }

  // --- loading ---

  async reset(start: GamePosition, names: Names = NO_NAMES, isFromLink = false): Promise<void> {
    const event = await app.link.request(
      { type: "view", position: { ...start, moves: [] } },
      "views",
    );
    this.start = { ...start, moves: [] };
    this.nodes = [root()];
    this.at = 0;
    this.names = { ...names };
    this.finished = null;
    this.isFromLink = isFromLink;
    this.views.clear();
    this.remember([], event.views.at(-1)!);
  }

  /** Loads a tree: parents come before their children. */
  async load(
    start: GamePosition,
    nodes: (RecordNode | StudyNode)[],
    names: Names,
    isFromLink = false,
  ): Promise<void> {
    await this.reset(start, names, isFromLink);
    const loaded = [root()];
    for (const entry of nodes) {
      const id = loaded.length;
      const parent = entry.parent + 1;
      loaded.push({ ...node(id, parent, entry.move), comment: entry.comment ?? "" });
      loaded[parent]?.children.push(id);
    }
    this.nodes = loaded;
    await this.fetchLine(this.lineFrom(0).at(-1)!);
  }

  /** Loads a line of moves and goes to its end. */
  async loadMoves(position: GamePosition, names = NO_NAMES, isFromLink = false): Promise<void> {
    const nodes = position.moves.map((move, n) => ({ parent: n - 1, move, comment: "" }));
    await this.load({ ...position, moves: [] }, nodes, names, isFromLink);
    this.at = this.nodes.length - 1;
  }

  private remember(moves: string[], view: PositionView): void {
    this.views.set(this.key(moves), view);
    this.version += 1;
  }

  /** Requests the views of all positions up to a node, so that stepping needs no request. */
  private async fetchLine(id: number): Promise<void> {
    const position = this.position(id);
    const event = await app.link.request({ type: "view", position, whole_line: true }, "views");
    event.views.forEach((view, n) => {
      this.views.set(this.key(position.moves.slice(0, n)), view);
    });
    this.version += 1;
  }

  // --- navigation ---

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

  /** Goes to a ply of the current line. */
  jump(ply: number): void {
    const id = this.line[ply];
    if (id !== undefined) void this.go(id);
  }

  // --- editing ---

  /** Plays a move if it is legal; goes to its node if it exists. */
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
      const event = await app.link.request({ type: "view", position }, "views");
      this.remember(position.moves, event.views[0]!);
    } catch (error) {
      app.failed(error);
      return false;
    }
    const id = this.nodes.length;
    this.isFromLink = false;
    this.nodes.push(node(id, here.id, move));
    this.nodes[here.id]!.children.push(id);
    this.at = id;
    return true;
  }

  async playLine(moves: string[]): Promise<void> {
    for (const move of moves) if (!(await this.play(move))) return;
  }

  /** Removes the current move and everything after it. */
  remove(): void {
    const removed = this.current;
    if (removed.parent < 0) return;
    const parent = this.nodes[removed.parent]!;
    parent.children = parent.children.filter((id) => id !== removed.id);
    this.at = parent.id;
    this.save();
  }

  /** Makes the line to the current node the main line. */
  promote(): void {
    for (const step of this.path().slice(1)) {
      const parent = this.nodes[step.parent]!;
      parent.children = [step.id, ...parent.children.filter((id) => id !== step.id)];
    }
    this.save();
  }

  /** Whether the current move belongs to the main line. */
  get isMain(): boolean {
    return this.path().every((n) => n.parent < 0 || this.nodes[n.parent]?.children[0] === n.id);
  }

  /** The nodes of the tree without the root: parents first, main line first. */
  private order(): TreeNode[] {
    const order: TreeNode[] = [];
    const stack = [...this.nodes[0]!.children].reverse();
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      const entry = this.nodes[id]!;
      order.push(entry);
      stack.push(...[...entry.children].reverse());
    }
    return order;
  }

  /** The index of a node in `flat`, from 1; 0 is the root. */
  indexOf(id: number): number {
    return this.order().findIndex((entry) => entry.id === id) + 1;
  }

  /** The tree as a list, for a file or for storage. */
  flat(): StudyNode[] {
    const nodes = this.order();
    const places = new Map(nodes.map((entry, place) => [entry.id, place]));
    return nodes.map(({ parent, move, comment }) => ({
      parent: places.get(parent) ?? -1,
      move,
      comment,
    }));
  }

  // --- storage ---

  save(): void {
    this.isFromLink = false;
    forgetLink();
    const text = this.text();
    if (text) app.link.send({ type: "save_study", text });
  }

  /** The tree as `restore` reads it; undefined if it is too large. */
  text(): string | undefined {
    const nodes = [this.nodes[0]!, ...this.order()];
    const places = new Map(nodes.map((entry, place) => [entry.id, place]));
    const base: SavedStudy = {
      position: this.start,
      nodes: this.flat(),
      at: places.get(this.at) ?? 0,
      names: this.names,
    };
    const line = this.finished?.line.map((id) => places.get(id) ?? -1) ?? [];
    const isComplete = this.finished && !line.includes(-1); // no node was deleted
    const full: SavedStudy = {
      ...base,
      estimates: nodes.map((entry) => entry.estimate),
      finished: isComplete ? { review: this.finished!.review, line } : null,
    };
    return [full, base].map((saved) => JSON.stringify(saved)).find((t) => t.length < MAX_SAVED);
  }

  /** Loads a stored tree, with `finished` if its review was stored. */
  async restore(text: string): Promise<void> {
    const saved = JSON.parse(text) as SavedStudy;
    await this.load(saved.position, saved.nodes, saved.names);
    saved.estimates?.forEach((estimate, id) => {
      if (this.nodes[id]) this.nodes[id].estimate = estimate;
    });
    const review = saved.finished?.review ?? saved.finished?.tell;
    this.finished = saved.finished && review ? { review, line: saved.finished.line } : null;
    await this.go(saved.at);
  }
}
