// SPDX-License-Identifier: MIT
// Names and places of points: geometry of the picture, no rule of the game.

/** The name of the point in column x and row y, both from 0 at the lower left. */
export function nameOf(x: number, y: number): string {
  return String.fromCharCode(97 + x) + (y + 1);
}

/** Column and row of a name such as `h8`. */
export function placeOf(name: string): { x: number; y: number } {
  return { x: name.charCodeAt(0) - 97, y: Number(name.slice(1)) - 1 };
}

/** The place of a point in the text of stones that the server sends. */
export function indexOf(name: string, size: number): number {
  const { x, y } = placeOf(name);
  return y * size + x;
}

export function isPass(move: string): boolean {
  return move === "pass";
}
