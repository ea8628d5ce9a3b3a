// SPDX-License-Identifier: MIT
// Opens files as games, and saves games and pictures.
import { app } from "./app.svelte";
import { annotated } from "./annotated";
import { downloadName } from "./download_name";
import { engine } from "./engine.svelte";
import { encodeGif } from "./gif";
import { drawBoard } from "./picture";
import { numbersOf } from "./points";
import type { GamePosition, PositionView, ReviewEvent } from "./protocol";
import { MAX_FILE, decodeText } from "./record_formats";
import { lineThrough, type SgfGame } from "./sgf_model";
import { writeSgf } from "./sgf_writer";
import { study } from "./study.svelte";
import { t } from "./text.svelte";

const GIF_DELAY = 70; // hundredths of a second per move
const GIF_END = 300;
const GIF_SIZE = 480; // pixels
const PNG_SIZE = 1080;

/** How pictures are drawn. */
export type PictureStyle = { numbers: boolean; coordinates: boolean };

/** Whether files are dragged, and not text. */
export function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

/** Loads the first of some files as a game. */
export async function loadFile(files: FileList | null | undefined): Promise<void> {
  const file = files?.[0];
  if (!file) return;
  if (file.size > MAX_FILE) return tooLarge(file.size);
  let text: string;
  try {
    text = decodeText(new Uint8Array(await file.arrayBuffer()));
  } catch {
    app.notify(t("fileUnreadable", file.name), "error"); // it was moved, or is a folder
    return;
  }
  await loadText(text, file.name);
}

/** Loads a record; returns whether it was readable. */
export async function loadText(text: string, name: string): Promise<boolean> {
  if (text.length > MAX_FILE) {
    tooLarge(text.length);
    return false;
  }
  if (!(await study.load(text, name))) return false;
  if (app.mode === "play" || app.mode === "learn") app.mode = "review";
  return true;
}

function tooLarge(size: number): void {
  app.notify(t("tooLarge", Math.ceil(size / 1000), MAX_FILE / 1000), "error");
}

function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function saveText(text: string, name: string, type = "application/octet-stream"): void {
  saveBlob(new Blob([text], { type }), name);
}

/** Saves a game; with a review its verdicts, win rates and better lines too. */
export function saveSgf(game: SgfGame, review: ReviewEvent | null = null): void {
  const moves = lineThrough(game).length;
  const isReview = review !== null;
  const name = downloadName(game, { extension: "sgf", moves, today: new Date(), isReview });
  saveText(writeSgf(review ? annotated(game, review) : game), name);
}

// --- pictures ---

function draw(
  position: GamePosition,
  view: PositionView,
  { numbers, coordinates }: PictureStyle,
  width: number,
): string {
  const { size, moves } = position;
  const options = { size, numbers: numbers ? numbersOf(moves) : null, width, coordinates };
  return drawBoard(view, options);
}

async function toImage(svg: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    await image.decode();
  } finally {
    URL.revokeObjectURL(image.src);
  }
  return image;
}

function canvas(side: number): CanvasRenderingContext2D {
  const made = document.createElement("canvas");
  made.width = made.height = side;
  return made.getContext("2d", { willReadFrequently: true })!;
}

function pictureName(game: SgfGame, position: GamePosition, extension: string): string {
  const moves = position.moves.length;
  return downloadName(game, { extension, moves, today: new Date(), isPicture: true });
}

/** Saves a position of a game as SVG. */
export async function saveSvg(
  game: SgfGame,
  position: GamePosition,
  style: PictureStyle,
): Promise<void> {
  const svg = draw(position, await engine.view(position), style, GIF_SIZE);
  saveText(svg, pictureName(game, position, "svg"), "image/svg+xml");
}

/** Saves a position of a game as PNG. */
export async function savePng(
  game: SgfGame,
  position: GamePosition,
  style: PictureStyle,
): Promise<void> {
  const svg = draw(position, await engine.view(position), style, PNG_SIZE);
  const context = canvas(PNG_SIZE);
  context.drawImage(await toImage(svg), 0, 0, PNG_SIZE, PNG_SIZE);
  const blob = await new Promise<Blob | null>((done) => context.canvas.toBlob(done));
  if (!blob) throw new Error(t("pictureFailed"));
  saveBlob(blob, pictureName(game, position, "png"));
}

/** Saves a whole line of a game as an animated GIF, frame by frame so that the page stays
 * responsive. */
export async function saveGif(
  game: SgfGame,
  line: GamePosition,
  style: PictureStyle,
): Promise<void> {
  const views = await engine.views(line);
  const context = canvas(GIF_SIZE);
  const frame = async (n: number): Promise<Uint8ClampedArray> => {
    const position = { ...line, moves: line.moves.slice(0, n) };
    const picture = await toImage(draw(position, views[n]!, style, GIF_SIZE));
    context.drawImage(picture, 0, 0, GIF_SIZE, GIF_SIZE);
    return context.getImageData(0, 0, GIF_SIZE, GIF_SIZE).data;
  };
  const delays = views.map((_, n) => (n === views.length - 1 ? GIF_END : GIF_DELAY));
  const bytes = await encodeGif(frame, GIF_SIZE, delays);
  const name = downloadName(game, {
    extension: "gif",
    moves: line.moves.length,
    today: new Date(),
  });
  saveBlob(new Blob([bytes], { type: "image/gif" }), name);
}
