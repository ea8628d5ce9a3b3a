// SPDX-License-Identifier: MIT
// The study: a tree with an engine beside it. Analysis that follows the current position, solvers
// with their proofs, reviews, what to leave out.
import { app } from "./app.svelte";
import type { Analysis, ProofNode, Reviewed, Solved, Tell } from "./messages";
import { positionOfHash } from "./share";
import { Tree } from "./tree.svelte";
import { t } from "./words.svelte";

export type Tool = "move" | "block" | "force" | "black" | "white" | "erase";

class Study {
  readonly tree = new Tree();
  on = $state(false); // whether the engine analyses
  analysis = $state.raw<Analysis | null>(null);
  tool = $state<Tool>("move");
  blocked = $state<string[]>([]);
  forced = $state<string[]>([]);
  preview = $state.raw<string[]>([]); // a line that the pointer is over
  solved = $state.raw<Solved | null>(null);
  proof = $state.raw<ProofNode | null>(null);
  reviewed = $state.raw<Reviewed | null>(null);
  busy = $state(false); // a record is being read
  private analysisId = 0;
  private analysisKey = "";
  private solveId = 0;
  private solveAt = 0; // the node that the solver was asked about
  private reviewId = 0;
  private reviewLine: number[] = [];

  constructor() {
    app.onTell((tell) => this.heard(tell));
    app.onConnect(() => void this.connected());
  }

  private async connected(): Promise<void> {
    this.analysisId = 0;
    this.analysisKey = "";
    if (this.reviewed?.state === "running") this.reviewed = null;
    if (this.tree.view) {
      this.follow();
      return;
    }
    try {
      const shared = positionOfHash();
      if (shared) {
        app.mode = "analyse";
        await this.tree.takeMoves(shared);
      } else if (app.welcome?.study) await this.tree.restore(app.welcome.study);
      else await this.tree.begin(this.tree.start);
    } catch (error) {
      app.failed(error);
      await this.tree.begin({ rule: "renju", size: 15, setup: null, moves: [] }).catch(app.failed);
    }
  }

  private heard(tell: Tell): boolean {
    if (tell.type === "analysis") {
      if (tell.id === this.analysisId) this.takeAnalysis(tell);
      return true;
    }
    if (tell.type === "solved") {
      if (tell.id === this.solveId) this.takeSolved(tell);
      return true;
    }
    if (tell.type === "reviewed") {
      if (tell.id === this.reviewId) this.takeReview(tell);
      return true;
    }
    if (tell.type === "fault" && tell.id !== null) {
      if (tell.id === this.analysisId) this.analysis = null;
      if (tell.id === this.solveId) this.solved = null;
      if (tell.id === this.reviewId) this.reviewed = null;
    }
    return false;
  }

  // --- analysis ---

  toggle(): void {
    this.on = !this.on;
    this.analysisKey = "";
    if (this.on) this.follow();
    else this.halt();
  }

  private halt(): void {
    if (this.analysisId) app.link.send({ type: "stop", id: this.analysisId });
    this.analysisId = 0;
  }

  /** Have the engine look at the current position, if it is on. */
  follow(): void {
    if (!this.on || !app.connected) return;
    const position = this.tree.position();
    const lines = app.settings.lines;
    const only = this.forced;
    const block = this.blocked;
    const key = JSON.stringify([position, lines, only, block]);
    if (key === this.analysisKey) return;
    this.halt();
    this.analysisKey = key;
    this.analysis = null;
    if (this.tree.view?.outcome) return;
    this.analysisId = app.link.newId();
    app.link.send({ type: "analyse", id: this.analysisId, position, lines, only, block });
  }

  private takeAnalysis(tell: Analysis): void {
    this.analysis = tell;
    const best = tell.lines[0];
    const here = this.tree.nodes[this.tree.at];
    const isWhole = !this.forced.length && !this.blocked.length;
    if (best && here && isWhole && best.depth >= (here.estimate?.depth ?? 0)) {
      here.estimate = { winRate: best.win_rate, mate: best.mate, depth: best.depth };
    }
    if (tell.state === "done" && tell.why) app.notify(tell.why);
  }

  /** Called when the position changes: what belonged to the last one goes. */
  moved(): void {
    this.blocked = [];
    this.forced = [];
    this.preview = [];
    this.follow();
  }

  // --- solvers ---

  solve(goal: "vcf" | "vct", side: "black" | "white"): void {
    if (this.solveId) app.link.send({ type: "stop", id: this.solveId });
    this.proof = null;
    this.solved = null;
    this.solveId = app.link.newId();
    this.solveAt = this.tree.at;
    const position = this.tree.position();
    app.link.send({ type: "solve", id: this.solveId, position, goal, side, seconds: 15 });
  }

  private takeSolved(tell: Solved): void {
    this.solved = tell;
    if (tell.state === "win") void this.proofStep([]);
  }

  /** Show what the proof says after some moves from its start. */
  async proofStep(moves: string[]): Promise<void> {
    const id = this.solveId;
    app.link.send({ type: "proof_step", id, moves });
    await new Promise<void>((done) => {
      this.onProof = done;
    });
  }

  private onProof: (() => void) | null = null;

  /** Proof nodes carry the solver's number, so they come here and not as an answer. */
  takeProof(tell: ProofNode): void {
    this.proof = tell;
    this.onProof?.();
  }

  /** Play the proof's moves on the tree, from where the solver was asked. */
  async showProof(moves: string[]): Promise<void> {
    await this.tree.go(this.solveAt);
    await this.tree.playLine(moves);
    await this.proofStep(moves);
  }

  closeProof(): void {
    if (this.solveId) app.link.send({ type: "stop", id: this.solveId });
    this.solveId = 0;
    this.solved = null;
    this.proof = null;
  }

  // --- records ---

  async load(text: string, name: string): Promise<void> {
    this.busy = true;
    try {
      const rule = this.tree.start.rule;
      const found = await app.link.ask({ type: "load", text, name, rule }, "record");
      const { black, white, result, event } = found;
      await this.tree.take(found.position, found.nodes, { black, white, result, event });
      this.forget();
      for (const note of found.notes) app.notify(note);
      this.tree.keep();
    } catch (error) {
      app.failed(error);
    } finally {
      this.busy = false;
    }
  }

  /** What was found about another game. */
  forget(): void {
    this.reviewed = null;
    this.reviewId = 0;
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
    this.reviewed = null;
    app.link.send({ type: "review", id: this.reviewId, position, black, white, result, effort });
  }

  stopReview(): void {
    app.link.send({ type: "stop", id: this.reviewId });
  }

  private takeReview(tell: Reviewed): void {
    this.reviewed = tell;
    for (const move of tell.moves) {
      const entry = this.tree.nodes[this.reviewLine[move.ply] ?? -1];
      if (!entry) continue;
      entry.reviewed = move;
      entry.estimate = { winRate: move.win_rate, mate: move.mate, depth: 0 };
    }
    if (tell.state === "done") {
      const start = this.tree.nodes[0];
      if (start) start.estimate = { winRate: tell.start, mate: null, depth: 0 };
      app.say(t("accuracy"));
      if (tell.turning_point) this.tree.jump(tell.turning_point - 1);
    }
  }

  /** The next or the previous error of the review. */
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

export const study = new Study();
app.onTell((tell) => {
  if (tell.type !== "proof_node") return false;
  study.takeProof(tell);
  return true;
});
