// SPDX-License-Identifier: MIT
// Files of the user: reading games, saving texts and pictures. Pictures are drawn by the server as
// SVG and turned into pixels here.
import { app } from "./app.svelte";
import { encodeGif } from "./gif";
import type { Picture, Position } from "./messages";
import { study } from "./study.svelte";
import { t } from "./words.svelte";

const MOST = 400_000; // letters of a record that the server takes
const GIF_DELAY = 70; // hundredths of a second for a move
const GIF_END = 300;
const GIF_SIZE = 480;

/** Whether files are being dragged, and not a piece of text. */
export function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

/** Load the first of some files as a game, and show it. */
export async function takeFile(files: FileList | null | undefined): Promise<void> {
  const file = files?.[0];
  if (!file) return;
  if (file.size > MOST) tooLarge(file.size);
  else await loadText(decoded(await file.arrayBuffer()), file.name);
}

/** Load a record that somebody pasted or opened; whether it could be read. */
export async function loadText(text: string, name: string): Promise<boolean> {
  if (text.length > MOST) {
    tooLarge(text.length);
    return false;
  }
  if (!(await study.load(text, name))) return false;
  if (app.mode === "play" || app.mode === "learn") app.mode = "review";
  return true;
}

function tooLarge(size: number): void {
  app.notify(t("tooLarge", Math.ceil(size / 1000), MOST / 1000), "fault");
}

/** The text of a file: in the encoding that an SGF names (CA), else UTF-8. */
function decoded(bytes: ArrayBuffer): string {
  const plain = new TextDecoder().decode(bytes);
  const named = /CA\s*\[\s*([\w:.-]+)\s*\]/.exec(plain)?.[1];
  if (!named || /^utf-?8$/i.test(named)) return plain;
  try {
    return new TextDecoder(named).decode(bytes);
  } catch {
    return plain; // an encoding that no browser knows
  }
}

export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function saveText(text: string, name: string): void {
  saveBlob(new Blob([text], { type: "application/octet-stream" }), name);
}

async function drawn(
  position: Position,
  options: Partial<Omit<Picture, "type" | "id" | "position">>,
): Promise<string[]> {
  const answer = await app.link.ask({ type: "picture", position, ...options }, "pictures");
  return answer.svgs;
}

async function image(svg: string): Promise<HTMLImageElement> {
  const found = new Image();
  found.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  await found.decode();
  return found;
}

function canvas(side: number): CanvasRenderingContext2D {
  const made = document.createElement("canvas");
  made.width = made.height = side;
  return made.getContext("2d", { willReadFrequently: true })!;
}

export async function saveSvg(position: Position, numbers: boolean): Promise<void> {
  const [svg] = await drawn(position, { numbers });
  saveBlob(new Blob([svg!], { type: "image/svg+xml" }), "board.svg");
}

export async function savePng(position: Position, numbers: boolean): Promise<void> {
  const side = 1080;
  const [svg] = await drawn(position, { numbers, width: side });
  const context = canvas(side);
  context.drawImage(await image(svg!), 0, 0, side, side);
  const blob = await new Promise<Blob | null>((done) => context.canvas.toBlob(done));
  if (blob) saveBlob(blob, "board.png");
}

/** The game as an animated GIF, frame by frame so that the page stays alive. */
export async function saveGif(position: Position, numbers: boolean): Promise<void> {
  const svgs = await drawn(position, { numbers, every: true, width: GIF_SIZE, theme: "wood" });
  const context = canvas(GIF_SIZE);
  const draw = async (n: number): Promise<Uint8ClampedArray> => {
    const picture = await image(svgs[n]!);
    context.drawImage(picture, 0, 0, GIF_SIZE, GIF_SIZE);
    URL.revokeObjectURL(picture.src);
    return context.getImageData(0, 0, GIF_SIZE, GIF_SIZE).data;
  };
  const delays = svgs.map((_, n) => (n === svgs.length - 1 ? GIF_END : GIF_DELAY));
  const bytes = await encodeGif(draw, GIF_SIZE, delays);
  saveBlob(new Blob([bytes], { type: "image/gif" }), "game.gif");
}
