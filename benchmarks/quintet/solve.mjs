// SPDX-License-Identifier: MIT
// Solves problems with quintet: JSON lines in on stdin, one JSON line out for each, in order.
//
//   node solve.mjs --time 5 < problems.jsonl
//
// In:  {"id", "rule": "renju", "size": 15, "side", "goal", "black": ["H8", ...], "white": [...]}
// Out: {"id", "solved", "ms", "cpu_ms", "line": ["H8", ...] or null, "timed_out",
//       "error": text or null}
//
// `ms` is the wall time of the solving call alone, `cpu_ms` its processor time: the stones are
// encoded before it, the solution is decoded after it, and the module is compiled, optimized and
// warm. quintet has no clock, so each call runs in a worker thread that is ended at the limit; its
// successor is warm before the next call. The reasons for the settings are in README.md.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

const MODULE = new URL("node_modules/@renju-note/quintet/quintet_bg.wasm", import.meta.url);
const SIZE = 15;
// In moves of the attacker. The most that its byte holds: less loses long wins and gains no time.
const DEPTH_LIMIT = 255;
const WARM_UP_CALLS = 200;
// White wins by fours; so does black, once he is given the stones of white.
const WARM_UP = [
  "H8 F6 I7 G6 F8 F9 E7 H4 J6 J4 J5 J8 I4 K6 L6 I2 L5 M7 I8 K8 D5 F4 H3 E2 J11 G11 E10 F13 B11 D12",
  "H7 G7 G9 H6 E8 F7 D6 G5 I5 K5 J3 J7 K4 L7 M6 N7 K7 G4 G8 L8 E4 F3 G2 I10 F11 D9 E12 C10 C12",
].map((stones) => encode(stones.split(" ")));

async function main() {
  const limit = timeLimit(process.argv.slice(2)) * 1000;
  const problems = [];
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (line.trim() !== "") problems.push(read(line));
  }
  // All functions are compiled by the optimizing compiler, and before the first call.
  for (const flag of ["--no-liftoff", "--no-wasm-lazy-compilation"]) setFlagsFromString(flag);
  let solver = await Solver.start();
  for (const { id, position } of problems) {
    const answer = await solver.solve(position, limit);
    const line = answer.line ? decode(answer.line) : null;
    const { ms, cpu, timedOut = false, error = null } = answer;
    const told = { id, solved: line !== null, ms, cpu_ms: cpu, line, timed_out: timedOut, error };
    console.log(JSON.stringify(told));
    if (timedOut || error !== null) {
      await solver.end();
      solver = await Solver.start();
    }
  }
  await solver.end();
}

function timeLimit(args) {
  const seconds = args.length === 2 && args[0] === "--time" ? Number(args[1]) : NaN;
  if (!(seconds > 0 && seconds <= 1e6)) throw new Error("usage: node solve.mjs --time SECONDS");
  return seconds;
}

function read(line) {
  const { id, rule, size, side, black, white } = JSON.parse(line);
  if (rule !== "renju" || size !== SIZE) {
    throw new Error(`${id}: quintet knows renju on 15 lines only, not ${rule} on ${size}`);
  }
  if (side !== "black" && side !== "white") throw new Error(`${id}: no side ${side}`);
  return { id, position: { black: encode(black), white: encode(white), side } };
}

// A point is its column times 15 plus its row, both counted from 0 at A1.
function encode(points) {
  return Uint8Array.from(points, (point) => {
    const x = point.charCodeAt(0) - 65;
    const y = Number(point.slice(1)) - 1;
    if (!(x >= 0 && x < SIZE && y >= 0 && y < SIZE)) throw new Error(`no point ${point}`);
    return x * SIZE + y;
  });
}

function decode(codes) {
  return Array.from(
    codes,
    (code) => String.fromCharCode(65 + Math.floor(code / SIZE)) + ((code % SIZE) + 1),
  );
}

// A worker thread with a warm module. One call at a time.
class Solver {
  #worker = new Worker(fileURLToPath(import.meta.url));

  static async start() {
    const solver = new Solver();
    const { error } = await solver.#answer();
    if (error !== undefined) throw new Error(error);
    return solver;
  }

  // {line, ms, cpu}, or one with `timedOut` or `error` instead of a line; after those only `end`
  // is left.
  async solve(position, limit) {
    const passed = stopwatch();
    const answer = this.#answer(limit);
    this.#worker.postMessage(position);
    const said = await answer;
    return { ...passed(), ...said };
  }

  // What the worker says next, or that it fails, or that it says nothing for so long.
  #answer(limit) {
    return new Promise((resolve) => {
      const finish = (answer) => {
        clearTimeout(timer);
        this.#worker.off("message", finish).off("error", fail);
        resolve(answer);
      };
      const fail = (error) => finish({ error: String(error) });
      const late = () => finish({ timedOut: true });
      const timer = limit === undefined ? undefined : setTimeout(late, limit);
      this.#worker.on("message", finish).on("error", fail);
    });
  }

  async end() {
    await this.#worker.terminate();
  }
}

// Wall time, and processor time of the process, of which only one thread works.
function stopwatch() {
  const before = process.cpuUsage();
  const start = performance.now();
  return () => {
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(before);
    return { ms, cpu: (user + system) / 1000 };
  };
}

function serve() {
  const solveVcf = load();
  for (let call = 0; call < WARM_UP_CALLS; ++call) {
    const [one, other] = WARM_UP;
    if (call % 2) solveVcf(one, other, false);
    else solveVcf(other, one, true);
  }
  parentPort.on("message", ({ black, white, side }) => {
    const passed = stopwatch();
    const line = solveVcf(black, white, side === "black");
    parentPort.postMessage({ ...passed(), line });
  });
  parentPort.postMessage({});
}

// The package's `solve_vcf`, as its own JavaScript calls it; that part of it is for bundlers, and
// node cannot import it.
function load() {
  const module = new WebAssembly.Module(readFileSync(MODULE));
  const wasm = new WebAssembly.Instance(module).exports;
  const stack = wasm.__wbindgen_export_0;
  const pass = (codes) => {
    const place = wasm.__wbindgen_malloc(codes.length);
    new Uint8Array(wasm.memory.buffer).set(codes, place);
    return place;
  };
  return (black, white, blackMoves) => {
    const result = stack.value - 16;
    stack.value = result;
    const places = [pass(black), pass(white)]; // freed by the call
    wasm.solve_vcf(
      result, places[0], black.length, places[1], white.length, blackMoves, DEPTH_LIMIT,
    );
    const [place, length] = new Int32Array(wasm.memory.buffer, result, 2);
    stack.value += 16;
    if (place === 0) return null;
    const line = new Uint8Array(wasm.memory.buffer, place, length).slice();
    wasm.__wbindgen_free(place, length);
    return line;
  };
}

if (isMainThread) {
  try {
    await main();
  } catch (error) {
    console.error(`solve.mjs: ${error.message}`);
    process.exitCode = 1;
  }
} else {
  serve();
}
