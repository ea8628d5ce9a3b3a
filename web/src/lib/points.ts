// SPDX-License-Identifier: MIT
// Names and coordinates of points.

/** The name of the point in column x and row y, both from 0 at the lower left. */
export function nameOf(x: number, y: number): string {
  return String.fromCharCode(97 + x) + (y + 1);
}

/** Column and row of a name such as `h8`. */
export function placeOf(name: string): { x: number; y: number } {
  return { x: name.charCodeAt(0) - 97, y: Number(name.slice(1)) - 1 };
}

/** The index of a point in `PositionView.stones`. */
export function indexOf(name: string, size: number): number {
  const { x, y } = placeOf(name);
  return y * size + x;
}

export function isPass(move: string): boolean {
  return move === "pass";
}
