// SPDX-License-Identifier: MIT
// Opens games and saves records and pictures. The server draws pictures as SVG; this file
// converts them to PNG and GIF.
import { app } from "./app.svelte";
import { encodeGif } from "./gif";
import type { PictureRequest, GamePosition } from "./messages";
import { study } from "./study.svelte";
import { t } from "./text.svelte";

const MAX_SIZE = 400_000; // characters of a record that the server accepts
const GIF_DELAY = 70; // hundredths of a second per move
const GIF_END = 300;
const GIF_SIZE = 480;

/** Whether files are dragged, and not text. */
export function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

/** Loads the first of some files as a game. */
export async function loadFile(files: FileList | null | undefined): Promise<void> {
  const file = files?.[0];
  if (!file) return;
  if (file.size > MAX_SIZE) tooLarge(file.size);
  else await loadText(decoded(await file.arrayBuffer()), file.name);
}

/** Loads a record; returns whether it was readable. */
export async function loadText(text: string, name: string): Promise<boolean> {
  if (text.length > MAX_SIZE) {
    tooLarge(text.length);
    return false;
  }
  if (!(await study.load(text, name))) return false;
  if (app.mode === "play" || app.mode === "learn") app.mode = "review";
  return true;
}

function tooLarge(size: number): void {
  app.notify(t("tooLarge", Math.ceil(size / 1000), MAX_SIZE / 1000), "error");
}

/** Decodes a file: in the encoding that an SGF names (CA), else UTF-8. */
function decoded(bytes: ArrayBuffer): string {
  const plain = new TextDecoder().decode(bytes);
  const named = /CA\s*\[\s*([\w:.-]+)\s*\]/.exec(plain)?.[1];
  if (!named || /^utf-?8$/i.test(named)) return plain;
  try {
    return new TextDecoder(named).decode(bytes);
  } catch {
    return plain; // unknown encoding
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

async function render(
  position: GamePosition,
  options: Partial<Omit<PictureRequest, "type" | "id" | "position">>,
): Promise<string[]> {
  const event = await app.link.request({ type: "picture", position, ...options }, "pictures");
  return event.svgs;
}

async function toImage(svg: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  await image.decode();
  return image;
}

function canvas(side: number): CanvasRenderingContext2D {
  const made = document.createElement("canvas");
  made.width = made.height = side;
  return made.getContext("2d", { willReadFrequently: true })!;
}

export async function saveSvg(position: GamePosition, numbers: boolean): Promise<void> {
  const [svg] = await render(position, { numbers });
  saveBlob(new Blob([svg!], { type: "image/svg+xml" }), "board.svg");
}

export async function savePng(position: GamePosition, numbers: boolean): Promise<void> {
  const side = 1080;
  const [svg] = await render(position, { numbers, width: side });
  const context = canvas(side);
  context.drawImage(await toImage(svg!), 0, 0, side, side);
  const blob = await new Promise<Blob | null>((done) => context.canvas.toBlob(done));
  if (blob) saveBlob(blob, "board.png");
}

/** Saves the game as an animated GIF, frame by frame so that the page stays responsive. */
export async function saveGif(position: GamePosition, numbers: boolean): Promise<void> {
  const svgs = await render(position, { numbers, whole_line: true, width: GIF_SIZE });
  const context = canvas(GIF_SIZE);
  const draw = async (n: number): Promise<Uint8ClampedArray> => {
    const picture = await toImage(svgs[n]!);
    context.drawImage(picture, 0, 0, GIF_SIZE, GIF_SIZE);
    URL.revokeObjectURL(picture.src);
    return context.getImageData(0, 0, GIF_SIZE, GIF_SIZE).data;
  };
  const delays = svgs.map((_, n) => (n === svgs.length - 1 ? GIF_END : GIF_DELAY));
  const bytes = await encodeGif(draw, GIF_SIZE, delays);
  saveBlob(new Blob([bytes], { type: "image/gif" }), "game.gif");
}
