// SPDX-License-Identifier: MIT
// The engine of the page as WebAssembly, under node: one request a line on stdin, its events on
// stdout, then an empty line. The member `stop_after` of a request ends it after so many seconds.
//
//     node engine_process.mjs build/wasm/page-engine.js src/tengen/engine/data '{"memory":"16"}'
import { createInterface } from "node:readline";
import { makeModule } from "./page_module.mjs";

const [program, data, options] = process.argv.slice(2);
let end = Infinity; // of the request, on the clock of performance.now()
const module = await makeModule(
  program,
  data,
  {
    onEvent: (text) => process.stdout.write(`${text}\n`),
    isStopped: () => performance.now() >= end,
  },
  { threads: Number(JSON.parse(options).threads ?? 1) },
);
const problem = module.ccall("page_open", "string", ["string", "string"], ["/data", options]);
if (problem) throw new Error(problem);
for await (const line of createInterface({ input: process.stdin })) {
  end = performance.now() + 1000 * (JSON.parse(line).stop_after ?? Infinity);
  module.ccall("page_handle", null, ["string"], [line]);
  process.stdout.write("\n");
}
process.exit();
