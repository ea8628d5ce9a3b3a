// SPDX-License-Identifier: MIT
// Formats results, numbers, and texts of a back end in the language of the page.
import type { AttemptEvent, Colour, ErrorEvent, GameResult, MoveReview, Rule } from "./protocol";
import type { RecordNote } from "./sgf_model";
import { fill, isEnglish, t } from "./text.svelte";
import { COUNTED, type Key } from "./translations";

/** The verdicts on bad moves. */
export const ERRORS = ["inaccuracy", "mistake", "blunder", "missed_win"] as const;

const REASONS: Record<GameResult["reason"], Key> = {
  five: "byFive",
  full_board: "byFull",
  passes: "byPasses",
  move_limit: "byLimit",
  resign: "byResign",
  time: "onTime",
};

export function winnerText(result: GameResult, you: Colour | null): string {
  if (result.winner === null) return t("draw");
  if (you) return t(result.winner === you ? "youWin" : "youLose");
  return t(result.winner === "black" ? "blackWins" : "whiteWins");
}

export function reasonText(result: GameResult): string {
  return t(REASONS[result.reason]);
}

/** Abbreviates large numbers: 1.3M. */
export function short(value: number): string {
  if (value >= 999_500) return `${(value / 1e6).toFixed(1)}M`;
  if (value >= 1e3) return `${(value / 1e3).toFixed(value >= 1e4 ? 0 : 1)}k`;
  return String(value);
}

/** The text of a key for a number of things: English has a singular. */
export function counted(
  key: keyof typeof COUNTED,
  count: number,
  ...values: (string | number)[]
): string {
  const [one, many] = COUNTED[key];
  return isEnglish() ? fill(count === 1 ? one : many, ...values) : t(key, ...values);
}

/** Whether a verdict is one of `ERRORS`. */
export function isError(verdict: MoveReview["verdict"]): boolean {
  return ERRORS.some((error) => error === verdict);
}

/** An accuracy, which is in per cent. */
export function percent(accuracy: number | null): string {
  return accuracy === null ? "–" : accuracy.toFixed(0);
}

/** Black's win rate for a side. */
export function ownRate(winRate: number, side: Colour): number {
  return side === "black" ? winRate : 1 - winRate;
}

/** Black's mate for a side. */
export function ownMate(mate: number | null, side: Colour): number | null {
  return mate === null || side === "black" ? mate : -mate;
}

/** The winner's moves until a mate in plies. Proofs and problems count them too. */
function movesToMate(mate: number): number {
  return Math.ceil(Math.abs(mate) / 2);
}

/** A win rate in per cent, or a mate as `M5`. */
export function chances(winRate: number, mate: number | null): string {
  if (mate !== null) return `${mate > 0 ? "" : "−"}M${movesToMate(mate)}`;
  return `${Math.round(100 * winRate)}`;
}

/** Black's win rate or mate as a sentence. */
export function chancesText(winRate: number, mate: number | null): string {
  if (mate === null) return t("winRateOf", Math.round(100 * winRate));
  const moves = movesToMate(mate);
  return counted("mateIn", moves, t(mate > 0 ? "black" : "white"), moves);
}

// The texts of errors are English; their codes select translations.
const ERROR_TEXTS: Record<string, Key> = {
  busy: "errorBusy",
  over: "errorOver",
  blocked: "errorBlocked",
  proof: "errorProof",
  length: "errorLength",
  record: "errorRecord",
  memory: "errorMemory",
  engine: "errorEngine",
  size: "errorSize",
};

/** The English text of an error says more than the translations. */
export function errorText(event: ErrorEvent): string {
  const key = ERROR_TEXTS[event.code];
  return isEnglish() || !key ? event.text : t(key, event.text);
}

const NOTES: Record<RecordNote["code"], Key> = {
  rule: "noteRule",
  max_nodes: "noteMaxNodes",
  max_games: "noteMaxGames",
  move: "noteMove",
  setup: "noteSetup",
  hidden: "noteHidden",
  skipped: "noteSkipped",
};

export function noteText(note: RecordNote, rule: Rule): string {
  if (isEnglish()) return note.text;
  const value = note.code === "rule" ? t(rule) : note.number;
  return t(NOTES[note.code], value, note.reason ?? "");
}

/** Why an attempt at a problem does not win. */
export function wrongReason(result: AttemptEvent): string {
  if (result.reason === "five") return t("wrongFive", result.point ?? "");
  if (result.reason === "defence") return t("wrongDefence", result.point ?? "");
  return result.reason === "no_threat" ? t("wrongNoThreat") : "";
}
