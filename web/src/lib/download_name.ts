// SPDX-License-Identifier: MIT
// Names of downloaded files: the players and the year, or the rule, the date and the moves.
import type { SgfGame } from "./sgf_model";

const MAX_NAME = 40; // characters of a player's name

interface DownloadOptions {
  extension: string;
  moves: number;
  today: Date;
  isPicture?: boolean; // of one position of the game
  isReview?: boolean;
}

/** As `Nakamura-Smith-2025.sgf` or `tengen-renju-2026-11-19-27moves.sgf`. */
export function downloadName(game: SgfGame, options: DownloadOptions): string {
  const { extension, moves, today, isPicture = false, isReview = false } = options;
  const [black, white] = [game.names.black, game.names.white].map(clean);
  const count = `${moves}moves`;
  const parts: string[] = [];
  if (black || white) {
    parts.push(black || "black", white || "white");
    const year = /\d{4}/.exec(game.names.date ?? "")?.[0];
    if (year) parts.push(year);
    if (isPicture) parts.push(count);
  } else {
    parts.push("tengen", game.position.rule, localDay(today), count);
  }
  if (isReview) parts.push("review");
  return `${parts.join("-")}.${extension}`;
}

/** A name with letters, digits and underscores only, of any script. */
function clean(name: string): string {
  const kept = name.normalize("NFC").replace(/[^\p{Letter}\p{Mark}\p{Number}]+/gu, "_");
  return Array.from(kept.replace(/^_|_$/g, "")).slice(0, MAX_NAME).join("");
}

function localDay(day: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
