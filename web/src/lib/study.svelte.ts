// SPDX-License-Identifier: MIT
// The study: a tree with an engine beside it. Analysis that follows the current position, solvers
// with their proofs, reviews, what to leave out.
import { app } from "./app.svelte";
import type { Analysis, Position, ProofNode, Reviewed, Solved, Tell } from "./messages";
import { forgetLink, linkedPosition } from "./share";
import { ofTab } from "./storage";
import { noteWords } from "./told";
import { Tree } from "./tree.svelte";
import { t, type Key } from "./words.svelte";

const REVIEWING = "tengen-reviewing"; // the effort of the review that runs in this tab

const NOTHING_YET: Omit<Reviewed, "id" | "total"> = {
  type: "reviewed",
  state: "waiting",
  done: 0,
  start: 0.5,
  moves: [],
  accuracy_black: null,
  accuracy_white: null,
  turning_point: null,
  sgf: "",
};

/** Whether the answer of a solver or a review is still to come. */
function isAtWork(found: Solved | Reviewed | null): boolean {
  return found?.state === "running" || found?.state === "waiting";
}

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
  settingUp = $state(false); // stones are being put freely
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
    if (isAtWork(this.solved)) this.closeProof(); // the server no longer works on it
    if (!this.tree.view) await this.bring();
    else this.follow();
    const effort = Number(ofTab.get(REVIEWING));
    if (effort && this.tree.nodes.length > 1) this.review(effort);
  }

  /** What this page begins with: the position of a link, else the study that was kept. */
  private async bring(): Promise<void> {
    try {
      if (await this.openLink()) return;
      if (app.welcome?.study) await this.restore(app.welcome.study);
      else await this.tree.begin(this.tree.start);
    } catch (error) {
      app.failed(error);
      await this.tree.begin({ rule: "renju", size: 15, setup: null, moves: [] }).catch(app.failed);
    }
  }

  private async restore(text: string): Promise<void> {
    await this.tree.restore(text);
    const { finished } = this.tree;
    if (finished) this.takeReview(finished.tell, finished.line);
  }

  /** Begin with another board. By another rule the moves stay, if it allows them; what goes can be
   * brought back. */
  async fresh(start: Position, keepsMoves: boolean): Promise<void> {
    const { tree } = this;
    const before = tree.nodes.length > 1 ? tree.text() : undefined;
    const nodes = tree.flat();
    const at = tree.placeOf(tree.at);
    const { names } = tree;
    let isGone = true;
    try {
      if (keepsMoves) {
        isGone = !(await tree.take(start, nodes, names).then(
          () => true,
          () => false,
        ));
      }
      if (isGone) await tree.begin(start);
      else await tree.go(at);
    } catch (error) {
      app.failed(error);
      return;
    }
    this.forget();
    tree.keep();
    if (isGone) this.offerBack("boardIsNew", before);
  }

  /** Delete the current move and all after it. */
  remove(): void {
    const before = this.tree.text();
    this.tree.remove();
    this.offerBack("movesAreGone", before);
  }

  private offerBack(words: Key, before: string | undefined): void {
    if (!before) return;
    app.notify(t(words), "info", () => {
      this.forget();
      void this.restore(before).then(() => this.tree.keep(), app.failed);
    });
  }

  /** Show the position of a link, if this page came by one. It is kept when somebody changes it. */
  async openLink(): Promise<boolean> {
    const position = linkedPosition();
    if (!position) return false;
    try {
      await this.tree.takeMoves(position);
    } catch (error) {
      forgetLink();
      app.failed(error);
      return false;
    }
    this.tree.borrowed = true;
    this.forget();
    return true;
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
      if (tell.id !== this.reviewId) return true;
      this.takeReview(tell, this.reviewLine);
      if (!isAtWork(tell)) this.reviewEnded(tell);
      return true;
    }
    if (tell.type === "fault" && tell.id !== null) {
      if (tell.id === this.analysisId) this.analysis = null;
      if (tell.id === this.solveId) this.solved = null;
      if (tell.id === this.reviewId) {
        this.reviewed = null;
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
    if (tell.state === "done" && tell.why) app.notify(t("othersWait"));
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
    app.tell({ type: "solve", id: this.solveId, position, goal, side, seconds: 15 });
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

  /** Read a record; whether it could be read. */
  async load(text: string, name: string): Promise<boolean> {
    this.busy = true;
    try {
      const rule = this.tree.start.rule;
      const found = await app.link.ask({ type: "load", text, name, rule }, "record");
      const { black, white, result, event } = found;
      await this.tree.take(found.position, found.nodes, { black, white, result, event });
      this.forget();
      for (const note of found.notes) app.notify(noteWords(note, found.position.rule ?? rule));
      this.tree.keep();
      return true;
    } catch (error) {
      app.failed(error);
      return false;
    } finally {
      this.busy = false;
    }
  }

  /** What was found about another game. */
  forget(): void {
    if (isAtWork(this.reviewed)) this.stopReview();
    this.reviewed = null;
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
    this.reviewed = null;
    const id = this.reviewId;
    if (!app.tell({ type: "review", id, position, black, white, result, effort })) return;
    ofTab.set(REVIEWING, String(effort));
    this.reviewed = { ...NOTHING_YET, id, total: line.length };
  }

  stopReview(): void {
    ofTab.set(REVIEWING, null);
    app.link.send({ type: "stop", id: this.reviewId });
  }

  private takeReview(tell: Reviewed, line: number[]): void {
    this.reviewed = tell;
    for (const move of tell.moves) {
      const entry = this.tree.nodes[line[move.ply] ?? -1];
      if (!entry) continue;
      entry.reviewed = move;
      entry.estimate = { winRate: move.win_rate, mate: move.mate, depth: 0 };
    }
    const start = this.tree.nodes[0];
    if (tell.state === "done" && start)
      start.estimate = { winRate: tell.start, mate: null, depth: 0 };
  }

  private reviewEnded(tell: Reviewed): void {
    ofTab.set(REVIEWING, null);
    if (tell.state === "done") {
      app.say(t("reviewDone", percent(tell.accuracy_black), percent(tell.accuracy_white)));
      const turning = this.reviewLine[(tell.turning_point ?? 0) - 1];
      if (turning !== undefined) void this.tree.go(turning);
    }
    this.tree.finished = { tell, line: this.reviewLine };
    this.tree.keep();
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

function percent(value: number | null): string {
  return value === null ? "–" : value.toFixed(0);
}

export const study = new Study();
app.onTell((tell) => {
  if (tell.type !== "proof_node") return false;
  study.takeProof(tell);
  return true;
});
