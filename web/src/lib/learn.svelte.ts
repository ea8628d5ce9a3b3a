// SPDX-License-Identifier: MIT
// Problems: positions with one winning first move, made by scripts/make_problems.py. The engine
// checks attempts and finds hints.
import { app } from "./app.svelte";
import { engine } from "./engine.svelte";
import { RULES } from "./facts";
import { wrongReason } from "./format";
import { games } from "./games";
import type { Colour, GamePosition, PositionView, Rule } from "./protocol";
import { t } from "./text.svelte";

export type Verdict = "none" | "right" | "wrong" | "solved";

/** A position in which exactly one move of the side to move wins by force. */
interface Problem {
  name: string;
  rule: Rule;
  size: number;
  goal: "vcf" | "vct";
  length: number; // moves of the attacker, the five included
  turn: Colour;
  black: string[];
  white: string[];
}

const REPLY_TIME = 350; // ms before the defender's reply is shown
const HINT_TIME = 5; // s

/** Easy ones first. */
function compare(a: Problem, b: Problem): number {
  const byRule = RULES.indexOf(a.rule) - RULES.indexOf(b.rule);
  return a.length - b.length || byRule || (a.name < b.name ? -1 : 1);
}

class Learn {
  problems = $state.raw<Problem[]>([]); // all of them
  solved = $state.raw<ReadonlySet<string>>(new Set()); // names
  problem = $state.raw<Problem | null>(null);
  wasSolved = $state(false); // before this attempt
  view = $state.raw<PositionView | null>(null);
  moves = $state.raw<string[]>([]);
  verdict = $state<Verdict>("none");
  reason = $state("");
  hint = $state<string | null>(null);
  rule = $state<Rule | null>(null); // of the filter; null: any
  length = $state<number | null>(null);
  busy = $state(false);
  private isLoading = false;

  get matching(): Problem[] {
    const { rule, length } = this;
    const isOfRule = (p: Problem) => !rule || p.rule === rule;
    return this.problems.filter((p) => isOfRule(p) && (!length || p.length === length));
  }

  /** The place of the problem among the matching ones, from 1. */
  get number(): number {
    return this.matching.findIndex((p) => p.name === this.problem?.name) + 1;
  }

  private get position(): GamePosition {
    const { rule, size, black, white, turn } = this.problem!;
    return { rule, size, setup: { black, white, turn }, moves: this.moves };
  }

  /** Reads the problems and poses the first unsolved one. */
  async start(): Promise<void> {
    if (this.isLoading || this.problems.length) return;
    this.isLoading = true;
    try {
      const answer = await fetch("./problems.json");
      const { problems } = (await answer.json()) as { problems: Problem[] };
      this.solved = await games.solved();
      this.problems = problems.sort(compare);
      await this.next();
    } catch {
      app.notify(t("problemsMissing"), "error", () => void this.start());
    } finally {
      this.isLoading = false;
    }
  }

  /** Poses the next unsolved problem after the current one, else the next one. */
  async next(): Promise<void> {
    const { matching } = this;
    const after = matching.slice(this.number).concat(matching.slice(0, this.number));
    const following = after.find((p) => !this.solved.has(p.name)) ?? after[0];
    if (following) await this.pose(following);
  }

  /** Poses the first unsolved problem of a filter. */
  async filter(rule: Rule | null, length: number | null): Promise<void> {
    this.rule = rule;
    this.length = length;
    this.problem = null;
    await this.next();
  }

  private async pose(problem: Problem): Promise<void> {
    this.problem = problem;
    this.wasSolved = this.solved.has(problem.name);
    await this.restart();
  }

  async restart(): Promise<void> {
    const { problem } = this;
    this.moves = [];
    this.verdict = "none";
    this.reason = "";
    this.hint = null;
    this.view = null;
    try {
      const view = await engine.view(this.position);
      if (this.problem === problem && !this.moves.length) this.view = view;
    } catch (error) {
      app.failed(error, () => void this.restart());
    }
  }

  /** Plays a move of the attacker; `isShown`: of the solution, which solves nothing. */
  async play(move: string, isShown = false): Promise<void> {
    const { problem } = this;
    if (!problem || !this.view || this.busy) return;
    if (this.verdict === "solved" || this.verdict === "wrong") return;
    this.busy = true;
    this.hint = null;
    const before = { moves: this.moves, view: this.view };
    try {
      const view = await engine.view({ ...this.position, moves: [...this.moves, move] });
      if (this.problem !== problem) return;
      this.moves = [...this.moves, move];
      this.view = view;
      await this.judge(problem, isShown);
    } catch (error) {
      if (this.problem === problem) Object.assign(this, before); // not played
      app.failed(error);
    } finally {
      this.busy = false;
    }
  }

  private async judge(problem: Problem, isShown: boolean): Promise<void> {
    const result = await engine.attempt(this.position, problem.goal);
    if (this.problem !== problem) return;
    if (result.reply) {
      const moves = [...this.moves, result.reply];
      const [view] = await Promise.all([
        engine.view({ ...this.position, moves }),
        new Promise((resolve) => setTimeout(resolve, REPLY_TIME)),
      ]);
      if (this.problem !== problem) return;
      this.moves = moves;
      this.view = view;
    }
    this.verdict = result.verdict;
    this.reason = result.verdict === "wrong" ? wrongReason(result) : "";
    const texts = { right: "correct", wrong: "wrong", solved: "solved" } as const;
    app.announce(t(texts[result.verdict]));
    if (result.verdict !== "solved" || isShown) return;
    this.solved = new Set([...this.solved, problem.name]);
    void games.saveSolved(problem.name);
  }

  async requestHint(): Promise<void> {
    const { problem, moves } = this;
    if (!problem || this.verdict === "solved") return;
    try {
      const options = { seconds: HINT_TIME };
      const found = await engine.solve(this.position, problem.goal, options).done;
      if (this.problem !== problem || this.moves !== moves) return;
      this.hint = found.state === "win" ? (found.line[0] ?? null) : null;
      if (!this.hint) app.notify(t("errorHint"), "error");
    } catch (error) {
      app.failed(error);
    }
  }

  /** Plays the solution, move by move. */
  async showSolution(): Promise<void> {
    if (this.verdict === "wrong") await this.restart();
    const { problem } = this;
    while (problem && this.problem === problem && this.verdict !== "solved") {
      await this.requestHint();
      if (!this.hint) return;
      await new Promise((resolve) => setTimeout(resolve, 2 * REPLY_TIME));
      if (this.problem !== problem || !this.hint) return;
      await this.play(this.hint, true);
      if (this.verdict === "none" || this.verdict === "wrong") return;
    }
  }
}

export const learn = new Learn();
