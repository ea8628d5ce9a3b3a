// SPDX-License-Identifier: MIT
// How a game ended, in words.
import type { Result } from "./messages";
import { t, type Key } from "./words.svelte";

const REASONS: Record<Result["reason"], Key> = {
  five: "byFive",
  full_board: "byFull",
  passes: "byPasses",
  move_limit: "byLimit",
  resign: "byResign",
  time: "byTime_",
};

export function winnerWords(result: Result, you: "black" | "white" | null): string {
  if (result.winner === null) return t("draw");
  if (you) return t(result.winner === you ? "youWin" : "youLose");
  return t(result.winner === "black" ? "blackWins" : "whiteWins");
}

export function reasonWords(result: Result): string {
  return t(REASONS[result.reason]);
}

/** Large numbers in few letters: 1.3M. */
export function short(value: number): string {
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)}M`;
  if (value >= 1e3) return `${(value / 1e3).toFixed(value >= 1e4 ? 0 : 1)}k`;
  return String(value);
}

/** Black's chances as the reader wants them: 63%, or a win in so many moves. */
export function chances(winRate: number, mate: number | null): string {
  if (mate !== null) return `${mate > 0 ? "" : "−"}M${Math.abs(mate)}`;
  return `${Math.round(100 * winRate)}`;
}
