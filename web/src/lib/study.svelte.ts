// SPDX-License-Identifier: MIT
// The study: a variation tree with an engine. Analysis of the current position, solvers with their
// proofs, reviews, excluded moves.
import { app } from "./app.svelte";
import type { AnalysisEvent, GamePosition, ProofNodeEvent, ReviewEvent, SolutionEvent, ServerEvent } from "./messages";
import { forgetLink, linkedPosition } from "./share";
import { ofTab } from "./storage";
import { noteText } from "./format";
import { Tree } from "./tree.svelte";
import { t, type Key } from "./text.svelte";

const REVIEWING = "tengen-reviewing"; // storage key: effort of the review that runs in this tab

const EMPTY_REVIEW: Omit<ReviewEvent, "id" | "total"> = {
  type: "review",
  state: "waiting",
  done: 0,
  start: 0.5,
  moves: [],
  accuracy_black: null,
  accuracy_white: null,
  turning_point: null,
  sgf: "",
};

/** Whether a solver or a review is not finished. */
function isRunning(event: SolutionEvent | ReviewEvent | null): boolean {
  return event?.state === "running" || event?.state === "waiting";
}

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
  private analysisId = 0;
  private analysisKey = "";
  private solveId = 0;
  private solveRoot = 0; // the node of the solver's position
  private reviewId = 0;
  private reviewLine: number[] = [];

  constructor() {
    app.onEvent((event) => this.handle(event));
    app.onConnect(() => void this.connected());
  }

  private async connected(): Promise<void> {
    this.analysisId = 0;
    this.analysisKey = "";
    if (isRunning(this.solution)) this.closeProof(); // the server has stopped it
    if (!this.tree.view) await this.loadInitial();
    else this.follow();
    const effort = Number(ofTab.get(REVIEWING));
    if (effort && this.tree.nodes.length > 1) this.review(effort);
  }

  /** Loads the position of the link, else the stored study. */
  private async loadInitial(): Promise<void> {
    try {
      if (await this.openLink()) return;
      if (app.welcome?.study) await this.restore(app.welcome.study);
      else await this.tree.reset(this.tree.start);
    } catch (error) {
      app.failed(error);
      await this.tree.reset({ rule: "renju", size: 15, setup: null, moves: [] }).catch(app.failed);
    }
  }

  private async restore(text: string): Promise<void> {
    await this.tree.restore(text);
    const { finished } = this.tree;
    if (finished) this.applyReview(finished.review, finished.line);
  }

  /** Starts another board. A new rule keeps the moves if they are legal; a notice offers to undo. */
  async newBoard(start: GamePosition, keepsMoves: boolean): Promise<void> {
    const { tree } = this;
    const before = tree.nodes.length > 1 ? tree.text() : undefined;
    const nodes = tree.flat();
    const at = tree.indexOf(tree.at);
    const { names } = tree;
    let isReplaced = true;
    try {
      if (keepsMoves) {
        isReplaced = !(await tree.load(start, nodes, names).then(
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

  /** Shows the position of the link, if there is one; it replaces the stored study once changed. */
  async openLink(): Promise<boolean> {
    const position = linkedPosition();
    if (!position) return false;
    try {
      await this.tree.loadMoves(position, undefined, true);
    } catch (error) {
      forgetLink();
      app.failed(error);
      return false;
    }
    this.clearResults();
    return true;
  }

  private handle(event: ServerEvent): boolean {
    if (event.type === "analysis") {
      if (event.id === this.analysisId) this.updateAnalysis(event);
      return true;
    }
    if (event.type === "solution") {
      if (event.id === this.solveId) this.updateSolution(event);
      return true;
    }
    if (event.type === "proof_node") {
      this.proof = event;
      this.onProof?.();
      return true;
    }
    if (event.type === "review") {
      if (event.id !== this.reviewId) return true;
      this.applyReview(event, this.reviewLine);
      if (!isRunning(event)) this.reviewFinished(event);
      return true;
    }
    if (event.type === "error" && event.id !== null) {
      if (event.id === this.analysisId) this.analysis = null;
      if (event.id === this.solveId) this.solution = null;
      if (event.id === this.reviewId) {
        this.reviewState = null;
        ofTab.set(REVIEWING, null);
      }
    }
    return false;
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
    if (this.analysisId) app.link.send({ type: "stop", id: this.analysisId });
    this.analysisId = 0;
  }

  /** Analyses the current position, if the engine is on. */
  follow(): void {
    if (!this.on || !app.connected) return;
    const position = this.tree.position();
    const lines = app.settings.lines;
    const only = this.only;
    const exclude = this.excluded;
    const key = JSON.stringify([position, lines, only, exclude]);
    if (key === this.analysisKey) return;
    this.stopAnalysis();
    this.analysisKey = key;
    this.analysis = null;
    if (this.tree.view?.outcome) return;
    this.analysisId = app.link.newId();
    app.link.send({ type: "analyse", id: this.analysisId, position, lines, only, exclude });
  }

  private updateAnalysis(event: AnalysisEvent): void {
    this.analysis = event;
    const best = event.lines[0];
    const here = this.tree.nodes[this.tree.at];
    const isUnrestricted = !this.only.length && !this.excluded.length;
    if (best && here && isUnrestricted && best.depth >= (here.estimate?.depth ?? 0)) {
      here.estimate = { winRate: best.win_rate, mate: best.mate, depth: best.depth };
    }
    if (event.preempted) app.notify(t("preempted"));
  }

  /** Called when the position changes: clears what belonged to the last one. */
  moved(): void {
    this.excluded = [];
    this.only = [];
    this.preview = [];
    this.follow();
  }

  // --- solvers ---

  solve(goal: "vcf" | "vct", side: "black" | "white"): void {
    if (this.solveId) app.link.send({ type: "stop", id: this.solveId });
    this.proof = null;
    this.solution = null;
    this.solveId = app.link.newId();
    this.solveRoot = this.tree.at;
    const position = this.tree.position();
    app.send({ type: "solve", id: this.solveId, position, goal, side, seconds: 15 });
  }

  private updateSolution(event: SolutionEvent): void {
    this.solution = event;
    if (event.state === "win") void this.proofStep([]);
  }

  /** Shows the node of the proof after some moves from its root. */
  async proofStep(moves: string[]): Promise<void> {
    const id = this.solveId;
    app.link.send({ type: "proof_step", id, moves });
    await new Promise<void>((done) => {
      this.onProof = done;
    });
  }

  private onProof: (() => void) | null = null;

  /** Plays moves of the proof in the tree, from the solver's position. */
  async showProof(moves: string[]): Promise<void> {
    await this.tree.go(this.solveRoot);
    await this.tree.playLine(moves);
    await this.proofStep(moves);
  }

  closeProof(): void {
    if (this.solveId) app.link.send({ type: "stop", id: this.solveId });
    this.solveId = 0;
    this.solution = null;
    this.proof = null;
  }

  // --- records ---

  /** Loads a record; returns whether it was readable. */
  async load(text: string, name: string): Promise<boolean> {
    this.busy = true;
    try {
      const rule = this.tree.start.rule;
      const record = await app.link.request({ type: "load_record", text, name, rule }, "record");
      const { black, white, result, event } = record;
      await this.tree.load(record.position, record.nodes, { black, white, result, event });
      this.clearResults();
      for (const note of record.notes) app.notify(noteText(note, record.position.rule));
      this.tree.save();
      return true;
    } catch (error) {
      app.failed(error);
      return false;
    } finally {
      this.busy = false;
    }
  }

  /** Clears the results of another game. */
  clearResults(): void {
    if (isRunning(this.reviewState)) this.stopReview();
    this.reviewState = null;
    this.reviewId = 0;
    this.tool = "move";
    this.settingUp = false;
    this.analysisKey = "";
    this.closeProof();
    this.moved();
  }

  // --- review ---

  review(effort = 1): void {
    if (this.on) this.toggle();
    const line = this.tree.lineFrom(0);
    this.reviewLine = line;
    const position = this.tree.position(line.at(-1)!);
    const { black, white, result } = this.tree.names;
    this.reviewId = app.link.newId();
    this.reviewState = null;
    const id = this.reviewId;
    if (!app.send({ type: "review", id, position, black, white, result, effort })) return;
    ofTab.set(REVIEWING, String(effort));
    this.reviewState = { ...EMPTY_REVIEW, id, total: line.length };
  }

  stopReview(): void {
    ofTab.set(REVIEWING, null);
    app.link.send({ type: "stop", id: this.reviewId });
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
