// SPDX-License-Identifier: MIT
// The engine of the page as WebAssembly, under node: one request a line on stdin, its events on
// stdout, then an empty line.
//
//     node engine_process.mjs build/wasm/page-engine.js src/tengen/engine/data '{"memory":"16"}'
import { readFileSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [program, data, options] = process.argv.slice(2);
const makePageEngine = createRequire(import.meta.url)(resolve(program));
const module = await makePageEngine({ onEvent: (text) => process.stdout.write(`${text}\n`) });
module.FS.mkdir("/data");
for (const name of readdirSync(data).filter((name) => name.endsWith(".tables"))) {
  module.FS.writeFile(`/data/${name}`, readFileSync(`${data}/${name}`));
}
const problem = module.ccall("page_open", "string", ["string", "string"], ["/data", options]);
if (problem) throw new Error(problem);
for await (const line of createInterface({ input: process.stdin })) {
  module.ccall("page_handle", null, ["string"], [line]);
  process.stdout.write("\n");
}
