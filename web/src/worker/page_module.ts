// SPDX-License-Identifier: MIT
// The WebAssembly module of the engine (cpp/app/page_wasm.cpp) in a classic worker.
import { GLUE, PROGRAM } from "./manifest";
import type { EngineFiles } from "./engine_files";

export const DATA = "/data";
export const NETS = "/data/nets";
export const CACHE = "/cache";

export interface PageModule {
  ENV: Record<string, string>;
  FS: {
    mkdir(path: string): void;
    writeFile(path: string, data: Uint8Array | string): void;
    mount(type: object, options: { blobs: { name: string; data: Blob }[] }, path: string): void;
  };
  /** Files that are blobs, which the engine reads piece by piece. */
  WORKERFS: object;
  ccall(name: string, result: string | null, types: string[], values: unknown[]): unknown;
}

/** What the engine calls. */
interface Callbacks {
  onEvent(text: string): void;
  isStopped(): boolean;
  onProgress(fraction: number): void;
  /** `bytes` are a part of a file, and valid during the call. */
  onCodebook(name: string, bytes: Uint8Array<ArrayBuffer>): void;
}

interface Settings extends Callbacks {
  preRun: ((module: PageModule) => void)[];
  print(text: string): void;
  printErr(text: string): void;
  instantiateWasm(
    imports: WebAssembly.Imports,
    receive: (instance: WebAssembly.Instance) => void,
  ): object;
}

interface ClassicWorker {
  importScripts(address: string): void;
  makePageEngine(settings: Settings): Promise<PageModule>;
}

export async function compile(files: EngineFiles): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await (await files.read(PROGRAM)).arrayBuffer());
}

/** Makes the module, with empty folders for tables, nets and codebooks. */
export async function instantiate(
  files: EngineFiles,
  compiled: WebAssembly.Module,
  callbacks: Callbacks,
): Promise<PageModule> {
  const scope = self as unknown as ClassicWorker;
  scope.importScripts(await files.script(GLUE));
  const module = await new Promise<PageModule>((resolve, reject) => {
    const made = scope.makePageEngine({
      ...callbacks,
      preRun: [({ ENV }) => void (ENV["TENGEN_CACHE"] = CACHE)],
      print: () => {},
      printErr: () => {},
      instantiateWasm(imports, receive) {
        WebAssembly.instantiate(compiled, imports).then(receive, reject);
        return {};
      },
    });
    made.then(resolve, reject);
  });
  for (const folder of [DATA, NETS, CACHE]) module.FS.mkdir(folder);
  return module;
}
