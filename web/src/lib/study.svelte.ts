// SPDX-License-Identifier: MIT
// The study: a variation tree with an engine. Analysis of the current position, solvers with their
// proofs, reviews, excluded moves.
import { app } from "./app.svelte";
import { engine, RequestRejected, type Job } from "./engine.svelte";
import { noteText } from "./format";
import { games } from "./games";
import type {
  AnalysisEvent,
  Colour,
  GamePosition,
  ProofNodeEvent,
  ReviewEvent,
  SolutionEvent,
} from "./protocol";
import { readRecord } from "./records";
import type { SgfGame } from "./sgf";
import { forgetLink, linkedGame } from "./share";
import { ofTab } from "./storage";
import { Tree } from "./tree.svelte";
import { t, type Key } from "./text.svelte";

const REVIEWING = "tengen-reviewing"; // storage key: effort of the review that runs in this tab
const SOLVE_TIME = 15; // s

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

const EMPTY_BOARD: GamePosition = { rule: "renju", size: 15, setup: null, moves: [] };

export type Tool = "move" | "exclude" | "only" | "black" | "white" | "erase";

class Study {
  readonly tree = new Tree();
  on = $state(false); // whether the engine analyses
  analysis = $state.raw<AnalysisEvent | null>(null);
  tool = $state<Tool>("move");
  excluded = $state<string[]>([]);
  only = $state<string[]>([]);
  preview = $state.raw<string[]>([]); // the line under the pointer
  solution = $state.raw<SolutionEvent | null>(null);
  proof = $state.raw<ProofNodeEvent | null>(null);
  reviewState = $state.raw<ReviewEvent | null>(null);
  settingUp = $state(false); // editing the stones
  busy = $state(false); // loading a record
  collection = $state.raw<SgfGame[]>([]); // the games of the loaded record
  chosen = $state(0); // the shown game of the collection
  isOpen = false; // the stored study is known
  private isLoading = false;
  private isLoaded = false; // it or a link is shown
  private isOutdated = false; // the stored study has changed while it was loaded
  private analysisJob: Job<AnalysisEvent> | null = null;
  private analysisKey = "";
  private solveJob: Job<SolutionEvent> | null = null;
  private solveRoot = 0; // the node of the solver's position
  private reviewJob: Job<ReviewEvent> | null = null;
  private reviewLine: number[] = [];

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
        if (text) await this.restore(text);
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

  private async restore(text: string): Promise<void> {
    await this.tree.restore(text);
    const { finished } = this.tree;
    if (finished) this.applyReview(finished.review, finished.line);
  }

  /** Starts another board. A new rule keeps legal moves; a notice offers to undo. */
  async newBoard(start: GamePosition, keepsMoves: boolean): Promise<void> {
    const { tree } = this;
    const before = tree.nodes.length > 1 ? tree.text() : undefined;
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
    const before = this.tree.text();
    this.tree.remove();
    this.offerUndo("movesDeleted", before);
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
    const linked = linkedGame();
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
    }
  }

  /** Called when the position changes: clears what belonged to the last one. */
  moved(): void {
    this.excluded = [];
    this.only = [];
    this.preview = [];
    this.follow();
  }

  // --- solvers ---

  solve(goal: "vcf" | "vct", side: Colour): void {
    this.closeProof();
    this.solveRoot = this.tree.at;
    const options = { side, seconds: SOLVE_TIME };
    const job = engine.solve(this.tree.position(), goal, options, (event) => {
      if (this.solveJob === job) this.solution = event;
    });
    this.solveJob = job;
    job.done.then(
      (event) => {
        if (this.solveJob === job && event.state === "win") void this.proofStep([]);
      },
      (error: unknown) => {
        if (this.solveJob !== job) return;
        this.closeProof();
        app.failed(error);
      },
    );
  }

  /** Shows the node of the proof after some moves from its root. */
  async proofStep(moves: string[]): Promise<void> {
    const job = this.solveJob;
    if (!job) return;
    try {
      const node = await engine.proofStep(job.id, moves);
      if (this.solveJob === job) this.proof = node;
    } catch (error) {
      if (this.solveJob === job) app.failed(error);
    }
  }

  /** Plays moves of the proof in the tree, from the solver's position. */
  async showProof(moves: string[]): Promise<void> {
    await this.tree.go(this.solveRoot);
    await this.tree.playLine(moves);
    await this.proofStep(moves);
  }

  closeProof(): void {
    const job = this.solveJob;
    this.solveJob = null;
    job?.stop();
    this.solution = null;
    this.proof = null;
  }

  // --- records ---

  /** Loads a record; returns whether it was readable. */
  async load(text: string, name: string): Promise<boolean> {
    this.busy = true;
    try {
      const collection = await readRecord(text, name, this.tree.start.rule);
      await this.showGame(collection[0]!);
      this.collection = collection;
      this.chosen = 0;
      return true;
    } catch (error) {
      app.failed(error);
      return false;
    } finally {
      this.busy = false;
    }
  }

  /** Shows another game of the collection. */
  async choose(number: number): Promise<void> {
    const game = this.collection[number];
    if (!game || this.busy) return;
    const { collection } = this;
    this.busy = true;
    try {
      await this.showGame(game);
      this.collection = collection;
      this.chosen = number;
    } catch (error) {
      app.failed(error);
    } finally {
      this.busy = false;
    }
  }

  private async showGame(game: SgfGame): Promise<void> {
    await this.tree.load(game);
    this.clearResults();
    for (const note of game.notes) app.notify(noteText(note, game.position.rule));
    this.tree.save();
  }

  /** Shows the moves of a game. */
  async showMoves(position: GamePosition, names?: SgfGame["names"]): Promise<void> {
    await this.tree.loadMoves(position, names);
    this.clearResults();
    this.tree.save();
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
    this.closeProof();
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
    const bad = ["mistake", "blunder", "missed_win", "inaccuracy"];
    const line = this.tree.line;
    const here = line.indexOf(this.tree.at);
    for (let ply = here + direction; ply >= 0 && ply < line.length; ply += direction) {
      const verdict = this.tree.nodes[line[ply + 1] ?? -1]?.reviewed?.verdict;
      if (verdict && bad.includes(verdict)) {
        this.tree.jump(ply);
        return;
      }
    }
  }
}

function percent(value: number | null): string {
  return value === null ? "–" : value.toFixed(0);
}

export const study = new Study();
