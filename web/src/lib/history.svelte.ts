// SPDX-License-Identifier: MIT
// Steps back through the moves of the current game, without the server: black and white alternate.
import { app } from "./app.svelte";
import type { PositionView } from "./messages";
import { indexOf, isPass } from "./points";

class GameHistory {
  private at = $state<number | null>(null); // number of moves shown; null: all

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

  /** The shown position. */
  view(size: number): PositionView {
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

export const gameHistory = new GameHistory();
