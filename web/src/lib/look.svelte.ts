// SPDX-License-Identifier: MIT
// Looking back at earlier moves of the game that is played. Nothing of it reaches the server: the
// stones of a position are those of its moves, black's and white's in turn.
import { app } from "./app.svelte";
import type { View } from "./messages";
import { indexOf, isPass } from "./points";

class Look {
  private at = $state<number | null>(null); // moves that are shown; null: all there are

  get end(): number {
    return app.game?.moves.length ?? 0;
  }
  get ply(): number {
    return Math.min(this.at ?? this.end, this.end);
  }
  /** Whether an earlier position is shown. */
  get isBack(): boolean {
    return this.ply < this.end;
  }

  private go(ply: number): void {
    this.at = ply >= this.end ? null : Math.max(0, ply);
  }
  first(): void {
    this.go(0);
  }
  back(): void {
    this.go(this.ply - 1);
  }
  forward(): void {
    this.go(this.ply + 1);
  }
  last(): void {
    this.at = null;
  }

  /** The earlier position. */
  view(size: number): View {
    const moves = app.game?.moves.slice(0, this.ply) ?? [];
    const cells: string[] = Array(size * size).fill(".");
    moves.forEach((move, n) => {
      if (!isPass(move)) cells[indexOf(move, size)] = n % 2 === 0 ? "b" : "w";
    });
    return {
      ply: moves.length,
      stones: cells.join(""),
      turn: moves.length % 2 === 0 ? "black" : "white",
      last: moves.at(-1) ?? null,
      forbidden: [],
      outcome: null,
    };
  }
}

export const look = new Look();
