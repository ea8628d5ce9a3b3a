// SPDX-License-Identifier: MIT
// What a node of an SGF file says: move, stones, comment. Faults have their place in the file.
import {
  DEFAULT_SIZE,
  escapeText,
  listPoints,
  parsePoint,
  pointLetters,
  sizeFault,
  unescapeText,
  valuesText,
  type SgfData,
} from "./sgf_model";
import type { Colour } from "./protocol";
import { ScanFault, properties, type Property, type ScannedGame } from "./sgf_scan";

const GAMES: Record<string, string> = { "1": "go", "2": "othello", "3": "chess" };
const MAX_STONES = 1_000_000; // that a file sets up
export const SETUP = ["AB", "AW", "AE"];

export type Properties = Map<string, Property>;

export interface FileMove {
  point: string;
  colour: Colour;
}

/** The nodes of one scanned game. */
export class NodeReader {
  protected size = DEFAULT_SIZE;
  protected isHeaderOver = false; // after the first move or set-up
  private isSizeKnown = false;
  private stonesLeft = MAX_STONES;

  constructor(
    protected readonly text: string,
    protected readonly game: ScannedGame,
  ) {}

  protected fault(message: string, offset: number): ScanFault {
    return new ScanFault(message, offset, 0);
  }

  /** The properties of a node. Throws ScanFault for another game or another size of the board. */
  protected properties(n: number): Properties {
    const found = this.uncheckedProperties(n);
    this.checkGame(found.get("GM"));
    this.readSize(found.get("SZ"));
    return found;
  }

  protected uncheckedProperties(n: number): Properties {
    return properties(this.text, this.game.from[n]!, this.game.to[n]!);
  }

  private checkGame(property: Property | undefined): void {
    for (const value of property?.values ?? []) {
      const game = value.trim();
      if (game === "" || game === "4") continue;
      const name = Object.hasOwn(GAMES, game) ? `, ${GAMES[game]!}` : "";
      const other = `GM[${shown(value)}] is another game${name}`;
      throw this.fault(`${other}: gomoku and renju have GM[4], or no GM`, property!.offset);
    }
  }

  private readSize(property: Property | undefined): void {
    if (!property) return;
    const { offset } = property;
    const match = /^\s*(\d{1,3})\s*(?::\s*(\d{1,3})\s*)?$/.exec(property.values[0]!);
    if (!match) {
      const spelling = shown(property.values[0]!);
      throw this.fault(`SZ[${spelling}] is no board size: use SZ[15]`, offset);
    }
    const [width, height] = [Number(match[1]), Number(match[2] ?? match[1])];
    if (width !== height) throw this.fault(`the board is ${width}x${height}, not square`, offset);
    const wrong = sizeFault(width);
    if (wrong) throw this.fault(wrong, offset);
    if (width !== this.size && (this.isHeaderOver || this.isSizeKnown)) {
      const change = `SZ[${width}] on a board of ${this.size} lines`;
      throw this.fault(`${change}: the size cannot change in a game`, offset);
    }
    this.isSizeKnown = true;
    this.size = width;
  }

  /** The stones that a node adds and takes away. */
  protected setupOf(found: Properties): Record<"black" | "white" | "empty", string[]> {
    const black = this.points(found.get("AB"));
    const white = this.points(found.get("AW"));
    const both = white.find((point) => black.includes(point));
    if (both) {
      const message = `${both} is both in AB and in AW of this node`;
      throw this.fault(message, found.get("AW")!.offset);
    }
    return { black, white, empty: this.points(found.get("AE")) };
  }

  /** The points of a list, each once, rectangles like `aa:cc` written out. */
  private points(property: Property | undefined): string[] {
    const points = new Set<string>();
    for (const value of property?.values ?? []) {
      const found = listPoints(value, this.size);
      if (!found) throw this.pointFault(property!, value);
      this.stonesLeft -= found.length;
      if (this.stonesLeft < 0)
        throw this.fault(`more than ${MAX_STONES} stones are set up`, property!.offset);
      for (const point of found) points.add(point);
    }
    return [...points];
  }

  private pointFault({ key, offset }: Property, raw: string): ScanFault {
    const last = String.fromCharCode(96 + this.size);
    const board = `the ${this.size}x${this.size} board`;
    const known = `points are 'aa' (top left) to '${last}${last}', or a1 to ${last}${this.size}`;
    return this.fault(`${key}[${shown(raw)}] is no point of ${board}: ${known}`, offset);
  }

  protected move(found: Properties): FileMove | null {
    const [black, white] = [found.get("B"), found.get("W")];
    const property = black ?? white;
    if (!property) return null;
    if ((black && white) || property.values.length > 1) {
      const offset = Math.max(black?.offset ?? 0, white?.offset ?? 0);
      throw this.fault("two moves in one node: begin a new node with ';'", offset);
    }
    const point = parsePoint(property.values[0]!, this.size);
    if (point === null) throw this.pointFault(property, property.values[0]!);
    return { point, colour: black ? "black" : "white" };
  }

  /** The text of a node without its `;`. */
  protected content(n: number): string {
    return this.text.slice(this.game.from[n], this.game.to[n]).trim();
  }

  /** The properties as the tree keeps them; null: a plain move, or one with a plain comment. */
  protected data(found: Properties, move: string | null): SgfData | null {
    const [first, second] = found.values();
    const isPlain =
      first !== undefined &&
      (first.name === "B" || first.name === "W") &&
      this.isUsual(first, move) &&
      (!second || (second.name === "C" && this.isUsual(second, move)));
    if (isPlain && found.size <= 2) return null;
    const data: SgfData = {};
    for (const property of found.values())
      data[property.name] = this.isUsual(property, move) ? [] : property.values;
    return data;
  }

  /** Whether a move or a comment has the spelling of the writer. */
  private isUsual({ key, values }: Property, move: string | null): boolean {
    const [value] = values;
    if (key === "B" || key === "W") return move !== null && value === pointLetters(move, this.size);
    if (key !== "C" || values.length > 1 || !value) return false; // `C[]` stays as it is
    return escapeText(unescapeText(value)) === value;
  }
}

export function hasSetup(found: Properties): boolean {
  return SETUP.some((key) => found.has(key));
}

/** The side to move that the values of PL name. */
export function sideOf(values: readonly string[] | undefined): Colour | null {
  const value = values?.[0]?.trim().toLowerCase() ?? "";
  if (value === "b" || value === "black") return "black";
  return value === "w" || value === "white" ? "white" : null;
}

export function commentOf(found: Properties): string {
  return valuesText(found.get("C")?.values ?? []);
}

/** The comments of nodes that are kept as text. */
export function commentsOf(contents: readonly string[]): string[] {
  const comments = contents.map((text) => commentOf(properties(text, 0, text.length)));
  return comments.filter(Boolean);
}

/** A value for a message: on one line and short. */
function shown(raw: string): string {
  return JSON.stringify(raw.trim().slice(0, 20)).slice(1, -1);
}
