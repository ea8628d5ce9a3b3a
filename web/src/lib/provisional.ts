// SPDX-License-Identifier: MIT
// What the board shows of a game until the engine has sent its views: black and white alternate.
import { indexOf, PASS } from "./points";
import type { GamePosition, PositionView } from "./protocol";
import { firstTurn, otherColour } from "./sgf_model";

/** The views of a whole line, the start first: no forbidden points, no end of the game. */
export function provisionalViews({ size, setup, moves }: GamePosition): PositionView[] {
  const cells: string[] = Array(size * size).fill(".");
  for (const point of setup?.black ?? []) cells[indexOf(point, size)] = "b";
  for (const point of setup?.white ?? []) cells[indexOf(point, size)] = "w";
  let turn = firstTurn(setup);
  let last: string | null = null;
  const view = (ply: number): PositionView => {
    return { ply, stones: cells.join(""), turn, last, forbidden: [], outcome: null };
  };
  const views = [view(0)];
  moves.forEach((move, n) => {
    if (move !== PASS) {
      cells[indexOf(move, size)] = turn === "black" ? "b" : "w";
      last = move;
    }
    turn = otherColour(turn);
    views.push(view(n + 1));
  });
  return views;
}
