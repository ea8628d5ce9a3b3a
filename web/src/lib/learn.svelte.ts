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
  private busyWith = $state.raw<Problem | null>(null); // its move is checked or solution shown
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

  get busy(): boolean {
    return this.busyWith !== null && this.busyWith === this.problem;
  }

  private get isOver(): boolean {
    return this.verdict === "solved" || this.verdict === "wrong";
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

  /** Plays a move of the attacker. */
  async play(move: string): Promise<void> {
    await this.whileBusy((problem) => this.attempt(problem, move, false));
  }

  /** Runs an action on the current problem, unless one runs. Another problem does not wait for it. */
  private async whileBusy(action: (problem: Problem) => Promise<unknown>): Promise<void> {
    const { problem } = this;
    if (!problem || this.busy) return;
    this.busyWith = problem;
    try {
      await action(problem);
    } finally {
      if (this.busyWith === problem) this.busyWith = null;
    }
  }

  /** Plays a move and its verdict; returns whether it was played. `isShown`: of the solution, which
   * solves nothing. */
  private async attempt(problem: Problem, move: string, isShown: boolean): Promise<boolean> {
    if (!this.view || this.isOver) return false;
    this.hint = null;
    const before = { moves: this.moves, view: this.view };
    try {
      const view = await engine.view({ ...this.position, moves: [...this.moves, move] });
      if (this.problem !== problem) return false;
      this.moves = [...this.moves, move];
      this.view = view;
      await this.judge(problem, isShown);
      return true;
    } catch (error) {
      if (this.problem === problem) Object.assign(this, before); // not played
      app.failed(error);
      return false;
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
  showSolution(): Promise<void> {
    return this.whileBusy(async (problem) => {
      if (this.verdict === "wrong") await this.restart();
      while (this.problem === problem && !this.isOver) {
        await this.requestHint();
        if (!this.hint) return;
        await new Promise((resolve) => setTimeout(resolve, 2 * REPLY_TIME));
        if (this.problem !== problem || !this.hint) return;
        if (!(await this.attempt(problem, this.hint, true))) return;
      }
    });
  }
}

export const learn = new Learn();
