// SPDX-License-Identifier: MIT
// Problems: the one that is posed, the moves of the try, what the server says of it.
import { app } from "./app.svelte";
import type { ProblemPosed, View } from "./messages";
import { whyWrong } from "./told";
import { t } from "./words.svelte";

type Rule = NonNullable<ProblemPosed["position"]["rule"]>;
export type Verdict = "none" | "right" | "wrong" | "solved";

const REPLY_TIME = 350; // ms before the defender's answer is shown

class Learn {
  posed = $state.raw<ProblemPosed | null>(null);
  view = $state.raw<View | null>(null);
  moves = $state<string[]>([]);
  verdict = $state<Verdict>("none");
  words = $state("");
  hint = $state<string | null>(null);
  rule = $state<Rule | null>(null);
  length = $state<number | null>(null);
  busy = $state(false);

  /** Pose a problem: a certain one, or the next of those that fit. */
  async pose(problem: string | null = null): Promise<void> {
    const { rule, length } = this;
    try {
      const posed = await app.link.ask({ type: "problem", problem, rule, length }, "problem_posed");
      this.posed = posed;
      this.again();
    } catch (error) {
      app.failed(error);
    }
  }

  again(): void {
    this.view = this.posed?.view ?? null;
    this.moves = [];
    this.verdict = "none";
    this.words = "";
    this.hint = null;
  }

  async play(move: string, shown = false): Promise<void> {
    if (!this.posed || this.busy || this.verdict === "solved" || this.verdict === "wrong") return;
    this.busy = true;
    this.hint = null;
    const moves = [...this.moves, move];
    try {
      const problem = this.posed.problem;
      const said = await app.link.ask({ type: "attempt", problem, moves, shown }, "attempted");
      this.moves = moves;
      await this.show(said.view, said.moves, moves.length);
      this.verdict = said.verdict;
      this.words = said.verdict === "wrong" ? whyWrong(said) : "";
      const told = { right: "correct", wrong: "wrong", solved: "solved" } as const;
      app.say(t(told[said.verdict]));
    } catch (error) {
      app.failed(error);
    } finally {
      this.busy = false;
    }
  }

  /** First the own stone, then after a moment the answer. */
  private async show(view: View, moves: string[], own: number): Promise<void> {
    if (moves.length > own && this.posed) {
      const position = { ...this.posed.position, moves: moves.slice(0, own) };
      const first = await app.link.ask({ type: "look", position, every: false }, "views");
      this.view = first.views[0]!;
      await new Promise((rest) => setTimeout(rest, REPLY_TIME));
    }
    this.moves = moves;
    this.view = view;
  }

  async askHint(): Promise<void> {
    if (!this.posed) return;
    try {
      const { problem } = this.posed;
      const { moves } = this;
      const said = await app.link.ask({ type: "problem_hint", problem, moves }, "problem_hinted");
      this.hint = said.move;
    } catch (error) {
      app.failed(error);
    }
  }

  /** Play the solution, move by move. */
  async solution(): Promise<void> {
    if (this.verdict === "wrong") this.again();
    while (this.posed && this.verdict !== "solved") {
      await this.askHint();
      if (!this.hint) return;
      await new Promise((rest) => setTimeout(rest, 2 * REPLY_TIME));
      await this.play(this.hint, true);
      if ((this.verdict as Verdict) === "wrong") return;
    }
  }
}

export const learn = new Learn();
