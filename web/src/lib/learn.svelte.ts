// SPDX-License-Identifier: MIT
// Problems: the current one, the moves of the attempt, the verdict of the server.
import { app } from "./app.svelte";
import type { ProblemEvent, PositionView } from "./messages";
import { wrongReason } from "./format";
import { t } from "./text.svelte";

type Rule = NonNullable<ProblemEvent["position"]["rule"]>;
export type Verdict = "none" | "right" | "wrong" | "solved";

const REPLY_TIME = 350; // ms before the defender's reply is shown

class Learn {
  problem = $state.raw<ProblemEvent | null>(null);
  view = $state.raw<PositionView | null>(null);
  moves = $state<string[]>([]);
  verdict = $state<Verdict>("none");
  reason = $state("");
  hint = $state<string | null>(null);
  rule = $state<Rule | null>(null);
  length = $state<number | null>(null);
  busy = $state(false);

  /** Loads a problem: the named one, or the next that matches. */
  async load(problem: string | null = null): Promise<void> {
    const { rule, length } = this;
    try {
      this.problem = await app.link.request({ type: "problem", problem, rule, length }, "problem");
      this.restart();
    } catch (error) {
      app.failed(error);
    }
  }

  restart(): void {
    this.view = this.problem?.view ?? null;
    this.moves = [];
    this.verdict = "none";
    this.reason = "";
    this.hint = null;
  }

  async play(move: string, shown = false): Promise<void> {
    if (!this.problem || this.busy || this.verdict === "solved" || this.verdict === "wrong") return;
    this.busy = true;
    this.hint = null;
    const moves = [...this.moves, move];
    try {
      const { problem } = this.problem;
      const result = await app.link.request({ type: "attempt", problem, moves, shown }, "attempt_result");
      this.moves = moves;
      await this.show(result.view, result.moves, moves.length);
      this.verdict = result.verdict;
      this.reason = result.verdict === "wrong" ? wrongReason(result) : "";
      const texts = { right: "correct", wrong: "wrong", solved: "solved" } as const;
      app.announce(t(texts[result.verdict]));
    } catch (error) {
      app.failed(error);
    } finally {
      this.busy = false;
    }
  }

  /** Shows the own stone, and the reply after a moment. */
  private async show(view: PositionView, moves: string[], own: number): Promise<void> {
    if (moves.length > own && this.problem) {
      const position = { ...this.problem.position, moves: moves.slice(0, own) };
      const event = await app.link.request({ type: "view", position }, "views");
      this.view = event.views[0]!;
      await new Promise((resolve) => setTimeout(resolve, REPLY_TIME));
    }
    this.moves = moves;
    this.view = view;
  }

  async requestHint(): Promise<void> {
    if (!this.problem) return;
    try {
      const { problem } = this.problem;
      const { moves } = this;
      const event = await app.link.request({ type: "problem_hint", problem, moves }, "problem_hint");
      this.hint = event.move;
    } catch (error) {
      app.failed(error);
    }
  }

  /** Plays the solution, move by move. */
  async showSolution(): Promise<void> {
    if (this.verdict === "wrong") this.restart();
    while (this.problem && this.verdict !== "solved") {
      await this.requestHint();
      if (!this.hint) return;
      await new Promise((resolve) => setTimeout(resolve, 2 * REPLY_TIME));
      await this.play(this.hint, true);
      if ((this.verdict as Verdict) === "wrong") return;
    }
  }
}

export const learn = new Learn();
