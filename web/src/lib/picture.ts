// SPDX-License-Identifier: MIT
// A position as a self-contained SVG file: no scripts, style sheets or fonts. The same picture as
// `Board.svg` of the Python package.
import { STARS } from "./facts";
import { indexOf, nameOf, PASS, placeOf, stonesOn } from "./points";
import type { ForbiddenPoint, PositionView } from "./protocol";

interface PictureOptions {
  size: number; // lines of the board
  numbers: Map<string, number> | null; // of moves, by point
  width: number; // pixels
  coordinates: boolean;
}

// Lengths in user units.
const CELL = 40;
const STONE = 0.47 * CELL;
const MARGIN = 0.8 * CELL;
const MARGIN_WITH_COORDINATES = 1.18 * CELL;
const FONT = "Helvetica Neue, Helvetica, Arial, DejaVu Sans, sans-serif";
const ID = "tengen-wood-";

type Stops = readonly (readonly [offset: number, colour: string])[];

const EDGE = "#a97c3c";
const GRAIN = "#9a6a2a";
const LINE = "#5a3d18";
const COORDINATE = "#6b4a1f";
const WOOD: Stops = [
  [0, "#ecc98a"],
  [1, "#dcb06a"],
];
const SLATE: Stops = [
  [0, "#6f7276"],
  [0.35, "#3a3c40"],
  [0.75, "#191a1c"],
  [1, "#0b0b0c"],
];
const SHELL: Stops = [
  [0, "#ffffff"],
  [0.55, "#f7f5f0"],
  [0.85, "#dedad2"],
  [1, "#c3beb4"],
];
const SHADOW = 0.42;
const ON_BLACK = "#ffffff";
const ON_WHITE = "#14110d";
const ACCENT = "#e5342b";
const FORBIDDEN = "#cf1f1f";
const WIN = "#1f9d55";

/** The text of the SVG file. */
export function drawBoard(view: PositionView, options: PictureOptions): string {
  return new Drawing(view, options).document();
}

class Drawing {
  private readonly size: number;
  private readonly margin: number;
  private readonly side: number;
  private readonly out: string[] = [];
  private readonly placed: ReturnType<typeof stonesOn>;

  constructor(
    private readonly view: PositionView,
    private readonly options: PictureOptions,
  ) {
    this.size = options.size;
    this.margin = options.coordinates ? MARGIN_WITH_COORDINATES : MARGIN;
    this.side = (this.size - 1) * CELL + 2 * this.margin;
    this.placed = stonesOn(view.stones, this.size);
  }

  document(): string {
    const { width } = this.options;
    const numbers = this.numbers();
    const runs = this.view.outcome?.lines ?? [];
    const last = this.view.last === PASS ? null : this.view.last;
    const forbidden = inOrder(this.view.forbidden, this.size);
    this.board();
    this.runs("bands", runs, 1.12, 0.6);
    this.stones();
    const bare = runs.filter((run) => !run.some((point) => numbers.has(point)));
    this.runs("lines", bare, 0.13, 0.9);
    this.labels(numbers);
    if (last) this.ring(last, numbers.has(last) || runs.some((run) => run.includes(last)));
    this.crosses(forbidden);
    const side = num(this.side);
    const head =
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${width}"` +
      ` viewBox="0 0 ${side} ${side}" role="img" font-family="${FONT}" text-anchor="middle">`;
    const title = `A ${this.size}x${this.size} board`;
    const about = `<title>${title}</title>\n<desc>${this.description(last, forbidden)}</desc>`;
    return `${[head, about, definitions(), ...this.out, "</svg>"].join("\n")}\n`;
  }

  /** The numbers to draw: those of moves whose stones are on the board. */
  private numbers(): Map<string, number> {
    const { numbers } = this.options;
    const isShown = (name: string) =>
      name !== PASS && (this.view.stones[indexOf(name, this.size)] ?? ".") !== ".";
    return new Map([...(numbers ?? [])].filter(([name]) => isShown(name)));
  }

  // --- the empty board ---

  private board(): void {
    const { side, margin, size } = this;
    const inside = num(side - 2);
    this.out.push(
      `<rect class="board" x="1" y="1" width="${inside}" height="${inside}" rx="7"` +
        ` fill="url(#${ID}board)" stroke="${EDGE}" stroke-width="2"/>`,
    );
    this.grain();
    const [first, final] = [margin, side - margin];
    let path = "";
    for (let n = 1; n < size - 1; n += 1) {
      const at = num(first + n * CELL);
      path += `M${num(first)} ${at}H${num(final)}M${at} ${num(first)}V${num(final)}`;
    }
    const length = num(final - first);
    this.out.push(
      `<g class="grid" fill="none" stroke="${LINE}" stroke-linecap="square">` +
        `<path d="${path}" stroke-width="1.1"/>` +
        `<rect x="${num(first)}" y="${num(first)}" width="${length}"` +
        ` height="${length}" stroke-width="1.9"/></g>`,
    );
    const stars = (STARS[size] ?? []).map((name) => `<circle ${this.at(name)} r="3.7"/>`);
    this.group("stars", `fill="${LINE}"`, stars);
    if (this.options.coordinates) this.coordinates();
  }

  /** Faint veins across the wood. */
  private grain(): void {
    const { side } = this;
    const veins: string[] = [];
    for (let n = 0; n < Math.floor(side / 16); n += 1) {
      const y = (n + 0.5 + 0.45 * Math.sin(2.7 * n)) * 16;
      const [bend, drift] = [9 * Math.sin(1.3 * n), 5 * Math.cos(0.7 * n)];
      veins.push(
        `<path d="M2 ${num(y)}C${num(side * 0.3)} ${num(y + bend)} ${num(side * 0.65)}` +
          ` ${num(y - bend)} ${num(side - 2)} ${num(y + drift)}"` +
          ` stroke-width="${num(0.8 + 1.6 * Math.abs(Math.sin(3.1 * n)))}"/>`,
      );
    }
    this.group("grain", `fill="none" stroke="${GRAIN}" stroke-opacity="0.07"`, veins);
  }

  private coordinates(): void {
    const near = 0.5 * (this.margin - 0.46 * CELL);
    const texts: string[] = [];
    for (let n = 0; n < this.size; n += 1) {
      const column = nameOf(n, 0).charAt(0);
      for (const at of [near, this.side - near]) {
        texts.push(label(this.margin + n * CELL, at, column));
        texts.push(label(at, this.side - this.margin - n * CELL, String(n + 1)));
      }
    }
    this.group("coordinates", `fill="${COORDINATE}" font-size="${num(0.36 * CELL)}"`, texts);
  }

  // --- what is on it ---

  /** Shadows first, so that none falls on a neighbouring stone. */
  private stones(): void {
    const drop = 0.05 * CELL;
    const shadows = this.placed.map(
      ({ name }) =>
        `<circle cx="${num(this.x(name) + drop)}" cy="${num(this.y(name) + 1.6 * drop)}"` +
        ` r="${num(1.16 * STONE)}"/>`,
    );
    this.group("shadows", `fill="url(#${ID}shadow)"`, shadows);
    for (const [colour, rim] of [["black", "#000000"], ["white", "#8f8778"]] as const) {
      const circles = this.placed
        .filter(({ stone }) => stone === colour.charAt(0))
        .map(({ name }) => `<circle ${this.at(name)} r="${num(STONE)}"/>`);
      this.group(colour, `fill="url(#${ID}${colour})" stroke="${rim}" stroke-width="0.9"`, circles);
    }
  }

  /** Strokes through the points of rows, `width` cells wide. */
  private runs(name: string, runs: string[][], width: number, opacity: number): void {
    const strokes = runs
      .filter((run) => run.length)
      .map((run) => run.map((point) => `${num(this.x(point))} ${num(this.y(point))}`).join("L"));
    const paint =
      `fill="none" stroke="${WIN}" stroke-width="${num(width * CELL)}"` +
      ` stroke-opacity="${num(opacity)}" stroke-linecap="round" stroke-linejoin="round"`;
    this.group(name, paint, strokes.map((stroke) => `<path d="M${stroke}h0"/>`));
  }

  private labels(numbers: Map<string, number>): void {
    for (const [stone, ink] of [["w", ON_WHITE], ["b", ON_BLACK]] as const) {
      const texts = this.placed
        .filter(({ name, stone: other }) => other === stone && numbers.has(name))
        .map(({ name }) => {
          const text = String(numbers.get(name));
          const size = num(Math.min(0.46, 1.12 / text.length) * CELL);
          return label(this.x(name), this.y(name), text, ` font-size="${size}"`);
        });
      this.group("labels", `fill="${ink}" font-weight="600"`, texts);
    }
  }

  /** The sign of the last move: round the stone where something covers it, else on it. */
  private ring(last: string, isCovered: boolean): void {
    const radius = num(isCovered ? STONE : 0.22 * CELL);
    this.out.push(
      `<circle class="last" ${this.at(last)} r="${radius}" fill="none"` +
        ` stroke="${ACCENT}" stroke-width="2.8"/>`,
    );
  }

  private crosses(forbidden: ForbiddenPoint[]): void {
    const arm = 0.2 * CELL;
    const both = num(2 * arm);
    const crosses = forbidden.map(({ point, reason }) => {
      const start = `M${num(this.x(point) - arm)} ${num(this.y(point) - arm)}`;
      return (
        `<g><title>${point}: forbidden, ${reason.replace("_", "-")}</title>` +
        `<circle ${this.at(point)} r="${num(STONE)}" fill="#fff" fill-opacity="0" stroke="none"/>` +
        `<path d="${start}l${both} ${both}m0 -${both}l-${both} ${both}"/></g>`
      );
    });
    const paint = `stroke="${FORBIDDEN}" stroke-width="3.6" stroke-linecap="round"`;
    this.group("forbidden", `fill="none" ${paint}`, crosses);
  }

  /** The position as text, for screen readers. */
  private description(last: string | null, forbidden: ForbiddenPoint[]): string {
    const names = (stone: string) =>
      this.placed.filter((one) => one.stone === stone).map(({ name }) => name).join(" ") || "none";
    const parts = [`Black: ${names("b")}.`, `White: ${names("w")}.`];
    if (last) parts.push(`Last move: ${last}.`);
    const points = forbidden.map(({ point, reason }) => `${point} ${reason.replace("_", "-")}`);
    if (points.length) parts.push(`Forbidden: ${points.join(", ")}.`);
    return parts.join(" ");
  }

  /** Elements under one set of attributes; nothing where there are none. */
  private group(name: string, paint: string, elements: string[]): void {
    if (!elements.length) return;
    this.out.push([`<g class="${name}" ${paint}>`, ...elements, "</g>"].join("\n"));
  }

  private x(name: string): number {
    return this.margin + placeOf(name).x * CELL;
  }

  private y(name: string): number {
    return this.side - this.margin - placeOf(name).y * CELL;
  }

  private at(name: string): string {
    return `cx="${num(this.x(name))}" cy="${num(this.y(name))}"`;
  }
}

function definitions(): string {
  const shade = ([[0, 1], [0.72, 1], [0.86, 0.45], [1, 0]] as const)
    .map(([at, part]) => {
      return `<stop offset="${num(at)}" stop-color="#000" stop-opacity="${num(SHADOW * part)}"/>`;
    })
    .join("");
  const lit = 'cx="0.5" cy="0.5" r="0.55" fx="0.34" fy="0.3"';
  return (
    "<defs>" +
    `<linearGradient id="${ID}board" y2="1">${stops(WOOD)}</linearGradient>` +
    `<radialGradient id="${ID}black" ${lit}>${stops(SLATE)}</radialGradient>` +
    `<radialGradient id="${ID}white" ${lit}>${stops(SHELL)}</radialGradient>` +
    `<radialGradient id="${ID}shadow">${shade}</radialGradient>` +
    "</defs>"
  );
}

function stops(list: Stops): string {
  return list.map(([at, colour]) => `<stop offset="${num(at)}" stop-color="${colour}"/>`).join("");
}

/** Centred text. The shift of 0.35em replaces `dominant-baseline`, which some viewers lack. */
function label(x: number, y: number, text: string, attributes = ""): string {
  return `<text x="${num(x)}" y="${num(y)}" dy=".35em"${attributes}>${text}</text>`;
}

/** A number in its shortest form, to hundredths. */
function num(value: number): string {
  return value.toFixed(2).replace(/\.?0+$/, "");
}

/** Row by row from a1. */
function inOrder(points: ForbiddenPoint[], size: number): ForbiddenPoint[] {
  return [...points].sort((one, two) => indexOf(one.point, size) - indexOf(two.point, size));
}
