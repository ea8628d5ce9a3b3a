// SPDX-License-Identifier: MIT
// What the server says in English words, in the language of the page: by the code that comes with
// it. What has no code of its own keeps the server's words.
import type { Attempted, Fault, Position, RecordNote } from "./messages";
import { isEnglish, t, type Key } from "./words.svelte";

const FAULTS: Record<string, Key> = {
  turn: "faultTurn",
  nothing: "faultNothing",
  people: "faultPeople",
  busy: "faultBusy",
  no_game: "faultNoGame",
  game: "faultGame",
  over: "faultOver",
  blocked: "faultBlocked",
  proof: "faultProof",
  hint: "faultHint",
  length: "faultLength",
  problem: "faultProblem",
  record: "faultRecord",
};

/** English has the server's own words, which say more. */
export function faultWords(fault: Fault): string {
  const key = FAULTS[fault.code];
  return isEnglish() || !key ? fault.words : t(key, fault.words);
}

const NOTES: Record<RecordNote["code"], Key> = {
  rule: "noteRule",
  games: "noteGames",
  most: "noteMost",
  move: "noteMove",
  setup: "noteSetup",
};

export function noteWords(note: RecordNote, rule: NonNullable<Position["rule"]>): string {
  if (isEnglish()) return note.words;
  return t(NOTES[note.code], note.code === "rule" ? t(rule) : note.number);
}

/** Why a try at a problem does not win. */
export function whyWrong(said: Attempted): string {
  if (said.why === "five") return t("wrongFive", said.point ?? "");
  if (said.why === "answer") return t("wrongAnswer", said.point ?? "");
  return said.why === "nothing" ? t("wrongNothing") : "";
}
