// SPDX-License-Identifier: MIT
// Makes the engine of the page under node, with the tables of a folder and its nets. `threads`:
// what the program with threads can run; they keep the process alive.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

export async function makeModule(program, data, callbacks = {}, options = {}) {
  const { nets = false, threads = 1 } = options;
  const makePageEngine = createRequire(import.meta.url)(resolve(program));
  const parts = [];
  const module = await makePageEngine({
    helpers: Math.max(1, threads - 1), // the program waits for the first one
    // Codebooks go into the cache folder, where a search finds them.
    onCodebook(name, bytes) {
      parts.push(Buffer.from(bytes));
      if (parts.length === 3) FS.writeFile(`/cache/${name}`, Buffer.concat(parts));
    },
    ...callbacks,
    preRun: [({ ENV }) => void (ENV.TENGEN_CACHE = "/cache")],
  });
  const { FS } = module;
  for (const folder of ["/data", "/data/nets", "/cache"]) FS.mkdir(folder);
  const copy = (name) => FS.writeFile(`/data/${name}`, readFileSync(`${data}/${name}`));
  for (const name of readdirSync(data)) if (name.endsWith(".tables")) copy(name);
  if (nets) for (const name of readdirSync(`${data}/nets`)) copy(`nets/${name}`);
  return module;
}
