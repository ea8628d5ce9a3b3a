// SPDX-License-Identifier: MIT
// Files for the user: saving texts and pictures. Pictures are drawn by the server as SVG and turned
// into pixels here.
import { app } from "./app.svelte";
import { encodeGif } from "./gif";
import type { Picture, Position } from "./messages";

const GIF_DELAY = 70; // hundredths of a second for a move
const GIF_END = 300;
const GIF_SIZE = 480;

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
  const frames: Uint8ClampedArray[] = [];
  for (const svg of svgs) {
    const picture = await image(svg);
    context.drawImage(picture, 0, 0, GIF_SIZE, GIF_SIZE);
    URL.revokeObjectURL(picture.src);
    frames.push(context.getImageData(0, 0, GIF_SIZE, GIF_SIZE).data);
  }
  const delays = frames.map((_, n) => (n === frames.length - 1 ? GIF_END : GIF_DELAY));
  const bytes = await encodeGif(frames, GIF_SIZE, delays);
  saveBlob(new Blob([bytes], { type: "image/gif" }), "game.gif");
}
