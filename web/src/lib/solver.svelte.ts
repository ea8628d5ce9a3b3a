// SPDX-License-Identifier: MIT
// The search of a forced win from a node of the study, and the steps through its proof.
import { app } from "./app.svelte";
import { engine, type Job } from "./engine.svelte";
import type { Colour, ProofNodeEvent, SolutionEvent } from "./protocol";
import type { Tree } from "./tree.svelte";

const SOLVE_TIME = 15; // s

export class Solver {
  solution = $state.raw<SolutionEvent | null>(null);
  proof = $state.raw<ProofNodeEvent | null>(null);
  private job: Job<SolutionEvent> | null = null;
  private root = 0; // the node of the solver's position

  constructor(private readonly tree: Tree) {}

  solve(goal: "vcf" | "vct", side: Colour): void {
    this.close();
    this.root = this.tree.at;
    const options = { side, seconds: SOLVE_TIME };
    const job = engine.solve(this.tree.position(), goal, options, (event) => {
      if (this.job === job) this.solution = event;
    });
    this.job = job;
    job.done.then(
      (event) => {
        if (this.job === job && event.state === "win") void this.step([]);
      },
      (error: unknown) => {
        if (this.job !== job) return;
        this.close();
        app.failed(error);
      },
    );
  }

  /** Shows the node of the proof after some moves from its root. */
  private async step(moves: string[]): Promise<void> {
    const { job } = this;
    if (!job) return;
    try {
      const node = await engine.proofStep(job.id, moves);
      if (this.job === job) this.proof = node;
    } catch (error) {
      if (this.job === job) app.failed(error);
    }
  }

  /** Plays moves of the proof in the tree, from the solver's position. */
  async show(moves: string[]): Promise<void> {
    await this.tree.go(this.root);
    await this.tree.playLine(moves);
    await this.step(moves);
  }

  /** Closes the proof of a node that was deleted. */
  nodesDeleted(): void {
    if (!this.tree.isAttached(this.root)) this.close();
  }

  close(): void {
    const { job } = this;
    this.job = null;
    job?.stop();
    this.solution = null;
    this.proof = null;
  }
}
