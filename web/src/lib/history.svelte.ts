// SPDX-License-Identifier: MIT
// Steps back through the moves of the current game.
import { live } from "./live_game.svelte";
import type { PositionView } from "./protocol";

class GameHistory {
  private at = $state<number | null>(null); // number of moves shown; null: all

  get end(): number {
    return live.game?.moves.length ?? 0;
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
  get view(): PositionView | null {
    return live.game?.views[this.ply] ?? null;
  }
}

export const gameHistory = new GameHistory();
