// SPDX-License-Identifier: MIT
// Formats results, numbers, and texts of the server in the language of the page.
import type { AttemptEvent, ErrorEvent, GamePosition, GameResult, RecordNote } from "./messages";
import { isEnglish, t, type Key } from "./text.svelte";

const REASONS: Record<GameResult["reason"], Key> = {
  five: "byFive",
  full_board: "byFull",
  passes: "byPasses",
  move_limit: "byLimit",
  resign: "byResign",
  time: "onTime",
};

export function winnerText(result: GameResult, you: "black" | "white" | null): string {
  if (result.winner === null) return t("draw");
  if (you) return t(result.winner === you ? "youWin" : "youLose");
  return t(result.winner === "black" ? "blackWins" : "whiteWins");
}

export function reasonText(result: GameResult): string {
  return t(REASONS[result.reason]);
}

/** Abbreviates large numbers: 1.3M. */
export function short(value: number): string {
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)}M`;
  if (value >= 1e3) return `${(value / 1e3).toFixed(value >= 1e4 ? 0 : 1)}k`;
  return String(value);
}

/** A win rate in per cent, or a mate as `M5`. */
export function chances(winRate: number, mate: number | null): string {
  if (mate !== null) return `${mate > 0 ? "" : "−"}M${Math.abs(mate)}`;
  return `${Math.round(100 * winRate)}`;
}

// The server's texts are English; their codes select translations.
const ERRORS: Record<string, Key> = {
  turn: "errorTurn",
  nothing: "errorNothing",
  people: "errorPeople",
  busy: "errorBusy",
  no_game: "errorNoGame",
  game: "errorGame",
  over: "errorOver",
  blocked: "errorBlocked",
  proof: "errorProof",
  hint: "errorHint",
  length: "errorLength",
  problem: "errorProblem",
  record: "errorRecord",
};

/** The server's English text says more than the translations. */
export function errorText(event: ErrorEvent): string {
  const key = ERRORS[event.code];
  return isEnglish() || !key ? event.text : t(key, event.text);
}

const NOTES: Record<RecordNote["code"], Key> = {
  rule: "noteRule",
  games: "noteGames",
  max_nodes: "noteMaxNodes",
  move: "noteMove",
  setup: "noteSetup",
};

export function noteText(note: RecordNote, rule: NonNullable<GamePosition["rule"]>): string {
  if (isEnglish()) return note.text;
  return t(NOTES[note.code], note.code === "rule" ? t(rule) : note.number);
}

/** Why an attempt at a problem does not win. */
export function wrongReason(result: AttemptEvent): string {
  if (result.reason === "five") return t("wrongFive", result.point ?? "");
  if (result.reason === "defence") return t("wrongDefence", result.point ?? "");
  return result.reason === "no_threat" ? t("wrongNoThreat") : "";
}
