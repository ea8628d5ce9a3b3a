// SPDX-License-Identifier: MIT
// The first moves of an analysis as discs on the board, and the colour that stands for a win rate.
import { chances, ownMate, ownRate } from "./format";
import { PASS } from "./points";
import type { AnalysisLine, Colour } from "./protocol";

/** How a win rate of the side to move is coloured. */
type Tone = "good" | "even" | "bad";

export interface Candidate {
  point: string;
  label: string; // win rate in per cent, or a mate
  below: string; // depth
  tone: Tone;
  best: boolean;
}

const GOOD = 0.55; // win rates of the side to move
const BAD = 0.45;

export function toneOf(winRate: number): Tone {
  if (winRate >= GOOD) return "good";
  return winRate <= BAD ? "bad" : "even";
}

/** The candidates of the lines, from the point of view of the side to move. */
export function candidatesOf(lines: AnalysisLine[], turn: Colour): Candidate[] {
  return lines.flatMap((line) => {
    const point = line.moves[0];
    if (!point || point === PASS) return [];
    const rate = ownRate(line.win_rate, turn);
    return [
      {
        point,
        label: chances(rate, ownMate(line.mate, turn)),
        below: line.mate === null ? `d${line.depth}` : "",
        tone: toneOf(rate),
        best: line.rank === 1,
      },
    ];
  });
}
