// SPDX-License-Identifier: MIT
// Encodes animated GIFs (GIF89a): one palette for all frames by median cut, each frame only where
// it differs from the previous one.

const COLOURS = 256;

interface Box {
  from: number;
  to: number; // colours[from..to)
}

/** The palette: at most 256 colours, from the colours of some frames by median cut. */
function palette(frames: Uint8ClampedArray[]): number[] {
  const count = new Map<number, number>();
  for (const frame of frames) {
    for (let i = 0; i < frame.length; i += 4) {
      const colour = ((frame[i]! >> 2) << 12) | ((frame[i + 1]! >> 2) << 6) | (frame[i + 2]! >> 2);
      count.set(colour, (count.get(colour) ?? 0) + 1);
    }
  }
  const colours = [...count.keys()];
  const channel = (colour: number, which: number) => (colour >> (6 * which)) & 63;
  const boxes: Box[] = [{ from: 0, to: colours.length }];
  while (boxes.length < COLOURS) {
    let widest = -1;
    let axis = 0;
    let span = 0;
    boxes.forEach((box, n) => {
      for (let which = 0; which < 3; which += 1) {
        let low = 63;
        let high = 0;
        for (let i = box.from; i < box.to; i += 1) {
          const value = channel(colours[i]!, which);
          low = Math.min(low, value);
          high = Math.max(high, value);
        }
        const weight = (high - low) * Math.log2(1 + box.to - box.from);
        if (box.to - box.from > 1 && weight > span) [widest, axis, span] = [n, which, weight];
      }
    });
    if (widest < 0) break;
    const box = boxes[widest]!;
    const sorted = colours.slice(box.from, box.to);
    sorted.sort((one, two) => channel(one, axis) - channel(two, axis));
    sorted.forEach((colour, i) => (colours[box.from + i] = colour));
    const middle = (box.from + box.to) >> 1;
    boxes.push({ from: middle, to: box.to });
    box.to = middle;
  }
  return boxes.map((box) => mean(colours, count, box));
}

function mean(colours: number[], count: Map<number, number>, box: Box): number {
  const sum = [0, 0, 0];
  let total = 0;
  for (let i = box.from; i < box.to; i += 1) {
    const colour = colours[i]!;
    const weight = count.get(colour) ?? 1;
    total += weight;
    for (let which = 0; which < 3; which += 1) {
      sum[which]! += weight * (((colour >> (6 * which)) & 63) * 4 + 2);
    }
  }
  const parts = sum.map((value) => Math.round(value / Math.max(1, total)));
  return (parts[2]! << 16) | (parts[1]! << 8) | parts[0]!;
}

/** The frame as palette indices; `known` caches colours. */
function indexed(
  frame: Uint8ClampedArray,
  colours: number[],
  known: Map<number, number>,
): Uint8Array {
  const indices = new Uint8Array(frame.length / 4);
  for (let i = 0, p = 0; i < frame.length; i += 4, p += 1) {
    const colour = (frame[i]! << 16) | (frame[i + 1]! << 8) | frame[i + 2]!;
    let place = known.get(colour);
    if (place === undefined) {
      place = nearest(colour, colours);
      known.set(colour, place);
    }
    indices[p] = place;
  }
  return indices;
}

function nearest(colour: number, colours: number[]): number {
  let best = 0;
  let least = Infinity;
  colours.forEach((other, n) => {
    const red = ((colour >> 16) & 255) - ((other >> 16) & 255);
    const green = ((colour >> 8) & 255) - ((other >> 8) & 255);
    const blue = (colour & 255) - (other & 255);
    const far = 3 * red * red + 4 * green * green + 2 * blue * blue;
    if (far < least) [best, least] = [n, far];
  });
  return best;
}

/** The rectangle in which two frames differ: x, y, width, height. */
function changed(one: Uint8Array, two: Uint8Array, side: number): [number, number, number, number] {
  let [left, top, right, bottom] = [side, side, -1, -1];
  for (let p = 0; p < two.length; p += 1) {
    if (one[p] === two[p]) continue;
    const x = p % side;
    const y = (p - x) / side;
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return right < 0 ? [0, 0, 1, 1] : [left, top, right - left + 1, bottom - top + 1];
}

/** LZW with codes of 9 to 12 bits, in blocks of 255 bytes, as GIF has it. */
function lzw(pixels: Uint8Array, out: number[]): void {
  const clear = 256;
  const end = 257;
  let codes = new Map<number, number>();
  let next = end + 1;
  let width = 9;
  let bits = 0;
  let held = 0;
  const block: number[] = [];
  const flush = () => {
    if (block.length) out.push(block.length, ...block);
    block.length = 0;
  };
  const emit = (code: number) => {
    held |= code << bits;
    bits += width;
    while (bits >= 8) {
      block.push(held & 255);
      if (block.length === 255) flush();
      held >>>= 8;
      bits -= 8;
    }
  };
  out.push(8);
  emit(clear);
  let prefix = pixels[0]!;
  for (let i = 1; i < pixels.length; i += 1) {
    const key = (prefix << 8) | pixels[i]!;
    const code = codes.get(key);
    if (code !== undefined) {
      prefix = code;
      continue;
    }
    emit(prefix);
    if (next < 4096) {
      codes.set(key, next);
      if (next === 1 << width && width < 12) width += 1;
      next += 1;
    } else {
      emit(clear);
      codes = new Map();
      next = end + 1;
      width = 9;
    }
    prefix = pixels[i]!;
  }
  emit(prefix);
  emit(end);
  if (bits > 0) block.push(held & 255);
  flush();
  out.push(0);
}

function word(value: number): [number, number] {
  return [value & 255, value >> 8];
}

/** The frames, square and `side` wide, as one GIF that repeats; each is drawn when its turn comes,
 * so that a long game needs no more memory than a short one. Delays are in 1/100 s. */
export async function encodeGif(
  draw: (n: number) => Promise<Uint8ClampedArray>,
  side: number,
  delays: number[],
): Promise<Uint8Array<ArrayBuffer>> {
  const last = delays.length - 1;
  const sampled = new Set([0, 1 / 3, 2 / 3, 1].map((part) => Math.round(part * last)));
  const samples: Uint8ClampedArray[] = [];
  for (const n of sampled) samples.push(await draw(n));
  const colours = palette(samples);
  const known = new Map<number, number>();
  const out: number[] = [...new TextEncoder().encode("GIF89a")];
  out.push(...word(side), ...word(side), 0xf7, 0, 0);
  for (let n = 0; n < COLOURS; n += 1) {
    const colour = colours[n] ?? 0;
    out.push((colour >> 16) & 255, (colour >> 8) & 255, colour & 255);
  }
  out.push(0x21, 0xff, 11, ...new TextEncoder().encode("NETSCAPE2.0"), 3, 1, 0, 0, 0);
  let before: Uint8Array | null = null;
  for (const [n, delay] of delays.entries()) {
    const now = indexed(await draw(n), colours, known);
    const [x, y, wide, high] = before ? changed(before, now, side) : [0, 0, side, side];
    const part = new Uint8Array(wide * high);
    for (let row = 0; row < high; row += 1) {
      const from = (y + row) * side + x;
      part.set(now.subarray(from, from + wide), row * wide);
    }
    out.push(0x21, 0xf9, 4, 4, ...word(delay), 0, 0);
    out.push(0x2c, ...word(x), ...word(y), ...word(wide), ...word(high), 0);
    lzw(part, out);
    before = now;
    await new Promise((rest) => setTimeout(rest)); // lets the page handle events
  }
  out.push(0x3b);
  return new Uint8Array(out);
}
