// SPDX-License-Identifier: MIT
// The study: a variation tree with an engine. Analysis of the current position, records, reviews,
// excluded moves.
import { app } from "./app.svelte";
import { engine, type Job } from "./engine.svelte";
import { isError, noteText, percent } from "./format";
import { games } from "./games";
import type { AnalysisEvent, GamePosition, ReviewEvent } from "./protocol";
import { readRecord } from "./records";
import { restoreStudy, studyText } from "./saved_study";
import type { SgfGame } from "./sgf_model";
import { RequestRejected } from "./server_back_end";
import { forgetLink, linkedGame } from "./share";
import { Solver } from "./solver.svelte";
import { ofTab } from "./storage";
import { EMPTY_BOARD, Tree } from "./tree.svelte";
import { t } from "./text.svelte";
import type { Key } from "./translations";

const REVIEWING = "tengen-reviewing"; // storage key: effort of the review that runs in this tab
const PLACE = "tengen-place"; // storage key: moves to the current node of this tab

const EMPTY_REVIEW: Omit<ReviewEvent, "id" | "total"> = {
  type: "review",
  state: "running",
  done: 0,
  start: 0.5,
  moves: [],
  accuracy_black: null,
  accuracy_white: null,
  turning_point: null,
};

export type Tool = "move" | "exclude" | "only" | "black" | "white" | "erase";

class Study {
  readonly tree = new Tree();
  readonly solver = new Solver(this.tree);
  on = $state(false); // whether the engine analyses
  analysis = $state.raw<AnalysisEvent | null>(null);
  tool = $state<Tool>("move");
  excluded = $state<string[]>([]);
  only = $state<string[]>([]);
  preview = $state.raw<string[]>([]); // the line under the pointer
  reviewState = $state.raw<ReviewEvent | null>(null);
  settingUp = $state(false); // editing the stones
  busy = $state(false); // loading a record
  collection = $state.raw<SgfGame[]>([]); // the games of the loaded record
  chosen = $state(0); // the shown game of the collection
  private isOpen = false; // the stored study is known
  private isLoading = false;
  private isLoaded = false; // it or a link is shown
  private isOutdated = false; // the stored study has changed while it was loaded
  private analysisJob: Job<AnalysisEvent> | null = null;
  private analysisKey = "";
  private reviewJob: Job<ReviewEvent> | null = null;
  private reviewLine: number[] = [];
  private requests = 0; // counts requests of records

  constructor() {
    this.tree.onNote = (note) => app.notify(noteText(note, this.tree.start.rule));
    app.onOpen(() => void this.loadInitial());
    engine.onReady(() => this.engineReady());
  }

  /** The analysis waits for a free engine of the server. */
  get waiting(): boolean {
    return this.on && engine.isQueued;
  }

  /** Continues what a lost connection or a reload has ended. */
  private resume(): void {
    this.analysisKey = "";
    this.follow();
    const effort = Number(ofTab.get(REVIEWING));
    if (effort && !this.reviewJob && this.tree.nodes.length > 1) this.review(effort);
  }

  private engineReady(): void {
    if (this.isLoaded) this.resume();
    else if (this.isOpen && !this.isLoading) void this.loadInitial();
  }

  /** Loads the game of the link, else the stored study. */
  private async loadInitial(): Promise<void> {
    const { tree } = this;
    this.isOpen = true;
    this.isOutdated = this.isLoading;
    if (this.isLoading) return;
    if (this.isLoaded && (tree.nodes.length > 1 || tree.isFromLink)) return;
    this.isLoading = true;
    do {
      this.isOutdated = false;
      await this.loadStored();
    } while (this.isOutdated && !tree.isFromLink);
    this.isLoading = false;
  }

  private async loadStored(): Promise<void> {
    const { tree } = this;
    try {
      const text = await games.study();
      if (!(await this.openLink())) {
        if (text) await this.restore(text, ofTab.get(PLACE)?.split(" ").filter(Boolean));
        else await tree.begin();
      }
    } catch (error) {
      if (!engine.isReady) return; // again when it is
      app.failed(error);
      await tree.reset(EMPTY_BOARD).catch(app.failed);
    }
    this.isLoaded = true;
    this.resume();
  }

  private async restore(text: string, place?: string[]): Promise<void> {
    await restoreStudy(this.tree, text, place);
    const { finished } = this.tree;
    if (finished) this.applyReview(finished.review, finished.line);
  }

  /** Stores the changes since the last call. Does nothing before the stored study is known, and
   * while an unchanged link is shown. */
  saveChanges(): void {
    const { tree } = this;
    const isOwn = this.isLoaded && !tree.isFromLink;
    if (isOwn && tree.isChanged && tree.nodes.length > 1) tree.save();
  }

  /** Before the page is left: a reload of this tab shows the same node. */
  leave(): void {
    this.saveChanges();
    if (this.isLoaded && !this.tree.isFromLink) ofTab.set(PLACE, this.tree.moves().join(" "));
  }

  /** Starts another board. A new rule keeps legal moves; a notice offers to undo. */
  async newBoard(start: GamePosition, keepsMoves: boolean): Promise<void> {
    const { tree } = this;
    const before = this.textToUndo();
    const at = tree.indexOf(tree.at);
    let isReplaced = true;
    try {
      if (keepsMoves) {
        const game = { ...tree.toGame(), position: start };
        isReplaced = !(await tree.load(game, { isStrict: true }).then(
          () => true,
          () => false,
        ));
      }
      if (isReplaced) await tree.reset(start);
      else await tree.go(at);
    } catch (error) {
      app.failed(error);
      return;
    }
    this.clearResults();
    tree.save();
    if (isReplaced) this.offerUndo("boardReplaced", before);
  }

  /** Deletes the current move and everything after it. */
  remove(): void {
    const before = studyText(this.tree);
    this.tree.remove();
    this.solver.nodesDeleted();
    this.offerUndo("movesDeleted", before);
  }

  /** The tree, unless it is an empty board. */
  private textToUndo(): string | undefined {
    const { tree } = this;
    return tree.nodes.length > 1 || tree.start.setup ? studyText(tree) : undefined;
  }

  private offerUndo(text: Key, before: string | undefined): void {
    if (!before) return;
    app.notify(t(text), "info", () => {
      this.clearResults();
      void this.restore(before).then(() => this.tree.save(), app.failed);
    });
  }

  /** Shows the game of the link, if there is one; it replaces the stored study once changed. */
  async openLink(): Promise<boolean> {
    const linked = linkedGame(app.failed);
    if (!linked) return false;
    try {
      const loading = this.tree.load(linked.game, { isFromLink: true, isStrict: true });
      this.tree.at = linked.at + 1; // it is shown before it is checked
      this.clearResults();
      if (await loading) await this.tree.go(this.tree.at);
    } catch (error) {
      if (!engine.isReady) throw error;
      forgetLink();
      app.failed(error);
      return false;
    }
    return true;
  }

  // --- analysis ---

  toggle(): void {
    this.on = !this.on;
    this.preview = [];
    this.analysisKey = "";
    if (this.on) this.follow();
    else this.stopAnalysis();
  }

  private stopAnalysis(): void {
    const job = this.analysisJob;
    this.analysisJob = null;
    job?.stop();
  }

  /** Analyses the current position, if the engine is on. */
  follow(): void {
    if (!this.on || !engine.isReady) return;
    const position = this.tree.position();
    const { lines } = app.settings;
    const options = { lines, only: [...this.only], exclude: [...this.excluded] };
    const key = JSON.stringify([position, options]);
    if (key === this.analysisKey) return;
    this.stopAnalysis();
    this.analysisKey = key;
    this.analysis = null;
    if (this.tree.view?.outcome) return;
    const job = engine.analyse(position, options, (event) => {
      if (this.analysisJob === job) this.updateAnalysis(event);
    });
    this.analysisJob = job;
    job.done.catch((error: unknown) => {
      if (this.analysisJob !== job) return;
      this.analysisJob = null;
      this.analysis = null;
      const isOver = error instanceof RequestRejected && error.event.code === "over";
      if (engine.isReady && !isOver) app.failed(error);
    });
  }

  private updateAnalysis(event: AnalysisEvent): void {
    this.analysis = event;
    const best = event.lines[0];
    const here = this.tree.current;
    const isUnrestricted = !this.only.length && !this.excluded.length;
    if (best && isUnrestricted && best.depth >= (here.estimate?.depth ?? 0)) {
      here.estimate = { winRate: best.win_rate, mate: best.mate, depth: best.depth };
      this.tree.isChanged = true;
    }
  }

  /** Called when the position changes: clears what belonged to the last one. */
  moved(): void {
    this.excluded = [];
    this.only = [];
    this.preview = [];
    this.follow();
  }

  // --- records ---

  /** Loads a record; returns whether it is shown: it may be unreadable, or a later request has
   * replaced it. */
  load(text: string, name: string): Promise<boolean> {
    return this.showGame(readRecord(text, name, this.tree.start.rule), 0);
  }

  /** Shows another game of the collection. */
  async choose(number: number): Promise<void> {
    if (this.collection[number] && !this.busy) await this.showGame(this.collection, number);
  }

  private async showGame(
    source: SgfGame[] | Promise<SgfGame[]>,
    number: number,
  ): Promise<boolean> {
    const request = ++this.requests;
    const isLast = () => request === this.requests;
    this.busy = true;
    try {
      const collection = await source;
      const game = collection[number]!;
      if (!isLast() || !(await this.replaceTree(() => this.tree.load(game)))) return false;
      for (const note of game.notes) app.notify(noteText(note, game.position.rule));
      this.collection = collection;
      this.chosen = number;
      return true;
    } catch (error) {
      if (isLast()) app.failed(error);
      return false;
    } finally {
      if (isLast()) this.busy = false;
    }
  }

  /** Shows the moves of a game. Returns what `replaceTree` does. */
  showMoves(position: GamePosition, names?: SgfGame["names"]): Promise<boolean> {
    return this.replaceTree(() => this.tree.loadMoves(position, names));
  }

  /** Loads another tree and stores it; a notice offers to undo. Returns whether it is shown: a later
   * call may have replaced it. */
  private async replaceTree(load: () => Promise<boolean>): Promise<boolean> {
    const before = this.textToUndo();
    if (!(await load())) return false;
    this.clearResults();
    this.tree.save();
    this.offerUndo("studyReplaced", before);
    return true;
  }

  /** Clears the results of another game. */
  clearResults(): void {
    if (this.reviewState?.state === "running") this.stopReview();
    this.reviewState = null;
    this.reviewJob = null;
    this.collection = [];
    this.tool = "move";
    this.settingUp = false;
    this.analysisKey = "";
    this.solver.close();
    this.moved();
  }

  // --- review ---

  review(effort = 1): void {
    if (this.on) this.toggle();
    this.reviewJob?.stop();
    const line = this.tree.lineFrom(0);
    const job = engine.review(this.tree.position(line.at(-1)!), { effort }, (event) => {
      if (this.reviewJob === job) this.applyReview(event, line);
    });
    this.reviewJob = job;
    this.reviewLine = line;
    this.reviewState = { ...EMPTY_REVIEW, id: job.id, total: line.length };
    ofTab.set(REVIEWING, String(effort));
    job.done.then(
      (event) => {
        if (this.reviewJob === job) this.reviewFinished(event);
      },
      (error: unknown) => {
        if (this.reviewJob !== job) return;
        this.reviewJob = null;
        if (!engine.isReady) return; // `resume` starts it again
        this.reviewState = null;
        ofTab.set(REVIEWING, null);
        app.failed(error);
      },
    );
  }

  stopReview(): void {
    ofTab.set(REVIEWING, null);
    if (this.reviewJob) this.reviewJob.stop();
    else if (this.reviewState?.state === "running")
      this.reviewState = { ...this.reviewState, state: "stopped" };
  }

  private applyReview(review: ReviewEvent, line: number[]): void {
    this.reviewState = review;
    for (const move of review.moves) {
      const entry = this.tree.nodes[line[move.ply] ?? -1];
      if (!entry) continue;
      entry.reviewed = move;
      entry.estimate = { winRate: move.win_rate, mate: move.mate, depth: 0 };
    }
    const start = this.tree.nodes[0];
    if (review.state === "done" && start)
      start.estimate = { winRate: review.start, mate: null, depth: 0 };
  }

  private reviewFinished(review: ReviewEvent): void {
    ofTab.set(REVIEWING, null);
    this.reviewJob = null;
    if (review.state === "done") {
      app.announce(t("reviewDone", percent(review.accuracy_black), percent(review.accuracy_white)));
      const turning = this.reviewLine[(review.turning_point ?? 0) - 1];
      if (turning !== undefined) void this.tree.go(turning);
    }
    this.tree.finished = { review, line: this.reviewLine };
    this.tree.save();
  }

  /** Goes to the next or the previous mistake of the review. */
  jumpToError(direction: 1 | -1): void {
    const line = this.tree.line;
    const here = line.indexOf(this.tree.at);
    for (let ply = here + direction; ply >= 0 && ply < line.length; ply += direction) {
      const verdict = this.tree.nodes[line[ply + 1] ?? -1]?.reviewed?.verdict;
      if (verdict && isError(verdict)) {
        this.tree.jump(ply);
        return;
      }
    }
  }
}

export const study = new Study();
