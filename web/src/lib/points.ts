// SPDX-License-Identifier: MIT
// Names and coordinates of points.

export const PASS = "pass"; // the move that is no point

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

/** Whether a name is that of a point on some board. */
export function isPointName(name: string): boolean {
  return /^[a-v](?:[1-9]|1\d|2[0-2])$/.test(name);
}

/** The stones of `PositionView.stones`. */
export function stonesOn(stones: string, size: number): { name: string; stone: "b" | "w" }[] {
  return [...stones].flatMap((stone, n) =>
    stone === "b" || stone === "w"
      ? [{ name: nameOf(n % size, Math.floor(n / size)), stone } as const]
      : [],
  );
}

/** The number of each move by its point. */
export function numbersOf(moves: string[]): Map<string, number> {
  return new Map(moves.flatMap((move, n) => (move === PASS ? [] : [[move, n + 1] as const])));
}
