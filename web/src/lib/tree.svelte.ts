// SPDX-License-Identifier: MIT
// A variation tree: moves, the current node, the view of each shown position. It knows the order
// of moves and no rules: the engine provides the views, and so decides which moves are legal. Lines
// are checked when they are shown; an illegal move ends its line.
import { app } from "./app.svelte";
import { engine } from "./engine.svelte";
import { games } from "./games";
import type { GamePosition, MoveReview, PositionView, ReviewEvent } from "./protocol";
import { provisionalViews } from "./provisional";
import { NO_NAMES } from "./sgf_model";
import type { Names, RecordNode, RecordNote, SgfData, SgfGame } from "./sgf_model";
import { hideNodes } from "./sgf_writer";
import { studyText } from "./saved_study";
import { forgetLink } from "./share";
import { legalViews, readNodes, TreeNode, type TreeSource } from "./tree_node.svelte";

/** A finished review with the nodes of its line, the root first. */
export interface Finished {
  review: ReviewEvent;
  line: number[];
}

/** What `load` replaces. */
interface Contents {
  start: GamePosition;
  nodes: TreeNode[];
  at: number;
  names: Names;
  rootData: SgfData | null;
  finished: Finished | null;
  isFromLink: boolean;
  isChanged: boolean;
  views: Map<number, PositionView>;
}

const SMALL = 1000; // nodes of a tree whose side lines are checked after loading, not when shown
const CHECK_PAUSE = 50; // ms between two of them
export const EMPTY_BOARD: GamePosition = { rule: "renju", size: 15, setup: null, moves: [] };

interface LoadOptions {
  isFromLink?: boolean;
  isStrict?: boolean;
}

export class Tree {
  start = $state.raw<GamePosition>(EMPTY_BOARD);
  nodes = $state.raw<TreeNode[]>([new TreeNode(0, -1, "")]);
  at = $state(0);
  names = $state<Names>({ ...NO_NAMES });
  rootData: SgfData | null = null;
  finished: Finished | null = null;
  isFromLink = false; // opened by a link and not changed: the stored study stays
  isChanged = false; // since it was loaded or saved; the current node does not count
  /** Called when a shown line turned out to have an illegal move. */
  onNote: (note: RecordNote) => void = () => {};
  private views = new Map<number, PositionView>();
  private version = $state(0); // counts changes of `views`
  private loads = 0; // counts calls of `load`
  private generation = 0; // counts loaded trees
  private replacing: Promise<void> = Promise.resolve(); // of a tree that is not shown yet

  /** The nodes from the root to a node. */
  path(id: number = this.at): TreeNode[] {
    const path: TreeNode[] = [];
    for (let n = this.nodes[id]; n; n = this.nodes[n.parent]) path.push(n);
    return path.reverse();
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

  /** The review of the next move of the line. */
  get nextReview(): MoveReview | null {
    return this.nodes[this.current.children[0] ?? -1]?.reviewed ?? null;
  }

  /** The view of the current position; null until the engine has sent it. */
  get view(): PositionView | null {
    void this.version;
    return this.views.get(this.at) ?? null;
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

  async reset(start: GamePosition): Promise<void> {
    await this.load({ position: { ...start, moves: [] }, nodes: [] });
  }

  /** Requests the view of the start, if nothing is loaded. Keeps moves that are played meanwhile. */
  async begin(): Promise<void> {
    if (!this.views.has(0)) await this.fetchLine(0);
  }

  /** Loads a tree; returns whether it is shown: a later call may have replaced it. Rejects, and
   * keeps the present one, if the start is invalid, or `isStrict` and the main line is not legal.
   * A link is shown before it is checked. */
  load(source: TreeSource, options: LoadOptions = {}): Promise<boolean> {
    const loading = this.replace(source, options);
    if (!options.isFromLink)
      this.replacing = loading.then(
        () => {},
        () => {},
      );
    return loading;
  }

  private async replace(
    source: TreeSource,
    { isFromLink = false, isStrict = false }: LoadOptions,
  ): Promise<boolean> {
    const nodes = readNodes(source);
    const line = [nodes[0]!];
    for (let id = line[0]!.children[0]; id !== undefined; id = line.at(-1)!.children[0])
      line.push(nodes[id]!);
    const start = { ...source.position, moves: [] };
    const played = { ...start, moves: line.slice(1).map((n) => n.move) };
    const before = this.contents();
    const loaded: Contents = {
      start,
      nodes,
      at: 0,
      names: { ...(source.names ?? NO_NAMES) },
      rootData: source.rootData ?? null,
      finished: null,
      isFromLink,
      isChanged: false,
      views: new Map(),
    };
    const load = ++this.loads;
    if (isFromLink) {
      const views = provisionalViews(played);
      this.show({ ...loaded, views: new Map(views.map((view, n) => [line[n]!.id, view])) });
    }
    try {
      const [views, reason] = await legalViews(played, isStrict);
      if (load !== this.loads) return false;
      if (!isFromLink) this.show(loaded);
      this.remember(
        line.map((n) => n.id),
        views,
        reason,
      );
    } catch (error) {
      if (isFromLink && load === this.loads) this.show(before);
      throw error;
    }
    void this.checkSideLines(this.generation);
    return true;
  }

  private contents(): Contents {
    const { start, nodes, at, names, rootData, finished, isFromLink, isChanged, views } = this;
    const shown = { start, nodes, at, rootData, finished, isFromLink, isChanged, views };
    return { ...shown, names: { ...names } };
  }

  private show(contents: Contents): void {
    this.generation += 1;
    Object.assign(this, contents);
    this.version += 1;
  }

  /** Loads a line of moves and goes to its end; returns what `load` does. */
  async loadMoves(position: GamePosition, names: Names = NO_NAMES): Promise<boolean> {
    const nodes = position.moves.map((move, n) => ({ parent: n - 1, move }));
    const isShown = await this.load({ position, nodes, names });
    if (isShown) this.last();
    return isShown;
  }

  private addViews(views: [number, PositionView][]): void {
    for (const [id, view] of views) this.views.set(id, view);
    this.version += 1;
  }

  /** Stores the views of a line; cuts the line before its first illegal move. */
  private remember(line: number[], views: PositionView[], reason: string): void {
    this.addViews(views.map((view, n) => [line[n]!, view]));
    const illegal = line[views.length];
    if (illegal === undefined) return;
    const isShown = this.path().some((n) => n.id === illegal);
    this.hide(illegal);
    if (isShown) this.at = line[views.length - 1]!;
    const number = views.length;
    const text = `Move ${number}: ${reason}; the line ends there.`;
    this.onNote({ code: "move", number, text });
  }

  /** Requests the views of the line through a node, so that stepping needs no request. */
  private async fetchLine(id: number): Promise<void> {
    const { generation } = this;
    const line = [...this.path(id).slice(0, -1).map((n) => n.id), ...this.lineFrom(id)];
    const [views, reason] = await legalViews(this.position(line.at(-1)));
    if (generation === this.generation) this.remember(line, views, reason);
  }

  private async checkSideLines(generation: number): Promise<void> {
    if (this.nodes.length > SMALL) return;
    const ends = this.nodes.filter((n) => !n.children.length && !this.views.has(n.id));
    for (const { id } of ends) {
      await new Promise((resolve) => setTimeout(resolve, CHECK_PAUSE));
      if (generation !== this.generation) return;
      if (this.views.has(id)) continue;
      const isChecked = await this.fetchLine(id).then(
        () => true,
        () => false, // no connection: checked when shown
      );
      if (!isChecked) return;
    }
  }

  // --- navigation ---

  /** Whether a node exists and was not deleted. */
  isAttached(id: number): boolean {
    const path = this.path(id);
    const hasParent = (n: TreeNode) => !!this.nodes[n.parent]?.children.includes(n.id);
    return path[0]?.id === 0 && path.slice(1).every(hasParent);
  }

  async go(id: number): Promise<void> {
    if (!this.isAttached(id)) return;
    this.at = id;
    if (!this.views.has(id)) await this.fetchLine(id).catch(app.failed);
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

  /** The id of the child with a move. */
  childOf(node: TreeNode, move: string): number | undefined {
    return node.children.find((id) => this.nodes[id]?.move === move);
  }

  /** Plays a move if it is legal; goes to its node if it exists. */
  async play(move: string): Promise<boolean> {
    await this.replacing; // a move meanwhile is for the new tree
    const here = this.current;
    const there = this.childOf(here, move);
    if (there !== undefined) {
      await this.go(there);
      return true;
    }
    const { generation } = this;
    const position = this.position();
    let view: PositionView;
    try {
      view = await engine.view({ ...position, moves: [...position.moves, move] });
    } catch (error) {
      app.failed(error);
      return false;
    }
    if (generation !== this.generation || !this.isAttached(here.id)) return false;
    const twin = this.childOf(here, move); // of a double click
    const id = twin ?? this.nodes.length;
    if (twin === undefined) {
      this.nodes = [...this.nodes, new TreeNode(id, here.id, move)];
      here.children = [...here.children, id];
      this.addViews([[id, view]]);
      this.isChanged = true;
    }
    this.isFromLink = false;
    this.at = id;
    return true;
  }

  /** Plays moves one after another, until one is not legal or another tree is loaded. */
  async playLine(moves: string[]): Promise<void> {
    const { loads } = this;
    for (const move of moves) if (loads !== this.loads || !(await this.play(move))) return;
  }

  /** Removes an illegal move and what follows it; the SGF of the tree still has them. */
  private hide(id: number): void {
    if (this.rootData) {
      const order = this.order();
      const place = order.findIndex((entry) => entry.id === id);
      const above = order.findIndex((entry) => entry.id === this.nodes[id]!.parent);
      const { nodes, rootData } = hideNodes(this.toGame(), new Set([place]));
      if (above < 0) this.rootData = rootData;
      else order[above]!.data = nodes[above]!.data;
    }
    this.detach(id);
  }

  private detach(id: number): void {
    const parent = this.nodes[this.nodes[id]!.parent]!;
    parent.children = parent.children.filter((child) => child !== id);
  }

  /** Removes the current move and everything after it. */
  remove(): void {
    const { id, parent } = this.current;
    if (parent < 0) return;
    this.detach(id);
    this.at = parent;
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
  order(): TreeNode[] {
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

  /** The tree as a list. */
  flat(): RecordNode[] {
    const nodes = this.order();
    const places = new Map(nodes.map((entry, place) => [entry.id, place]));
    return nodes.map(({ parent, move, comment, data }) => ({
      parent: places.get(parent) ?? -1,
      move,
      comment,
      data,
    }));
  }

  /** The tree as a record. */
  toGame(): SgfGame {
    return {
      position: this.start,
      nodes: this.flat(),
      names: { ...this.names },
      rootData: this.rootData,
      rootComment: this.nodes[0]!.comment,
      notes: [],
    };
  }

  // --- storage ---

  save(): void {
    this.isFromLink = this.isChanged = false;
    forgetLink();
    const text = studyText(this);
    if (text) void games.saveStudy(text);
  }
}
