// SPDX-License-Identifier: MIT
// The bench of the engine of the page under node: signature, nodes, seconds and evaluation, as JSON.
// With a net, also the seconds that baking it took. Progress of baking goes to stderr.
//
//     node bench.mjs build/wasm/page-engine.js src/tengen/engine/data RULE OPTIONS DEPTH [NET]
import { makeModule } from "./page_module.mjs";

const [program, data, rule, options, depth, net] = process.argv.slice(2);
const module = await makeModule(
  program,
  data,
  { onProgress: (fraction) => process.stderr.write(`${fraction.toFixed(2)}\n`) },
  { nets: true, threads: Number(JSON.parse(options).threads ?? 1) },
);
const start = performance.now();
let baking = null;
if (net) {
  const texts = ["/data/nets", `${net}.net`];
  const problem = module.ccall("page_bake", "string", ["string", "string"], texts);
  if (problem) throw new Error(problem);
  baking = (performance.now() - start) / 1000;
}
const types = ["string", "string", "string", "number"];
const values = ["/data", rule, options, Number(depth)];
const found = module.ccall("page_bench", "string", types, values);
const heap = module.HEAP8?.length ?? null;
process.stdout.write(`${JSON.stringify({ ...JSON.parse(found), baking, heap })}\n`);
process.exit();
