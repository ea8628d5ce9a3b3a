// SPDX-License-Identifier: MIT
// The WebAssembly module of the engine (cpp/app/page_wasm.cpp) in a classic worker.
import { programFiles } from "./manifest";
import type { EngineFiles } from "./engine_files";

export const DATA = "/data";
export const NETS = "/data/nets";
export const CACHE = "/cache";

const START_TIME = 10_000; // ms until the threads must have started

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
  helpers: number; // threads beside this one
  mainScriptUrlOrBlob: string; // which they run
  locateFile(): string; // the script that starts it
  instantiateWasm(
    imports: WebAssembly.Imports,
    receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): object;
}

interface ClassicWorker {
  importScripts(address: string): void;
  makePageEngine(settings: Settings): Promise<PageModule>;
}

export async function compile(files: EngineFiles, threads: number): Promise<WebAssembly.Module> {
  const { code } = programFiles(threads > 1);
  return WebAssembly.compile(await (await files.read(code)).arrayBuffer());
}

/** Makes the module, with empty folders for tables, nets and codebooks. Throws if its threads,
 * which are workers of this worker, do not start. */
export async function instantiate(
  files: EngineFiles,
  compiled: WebAssembly.Module,
  threads: number,
  callbacks: Callbacks,
): Promise<PageModule> {
  const scope = self as unknown as ClassicWorker;
  const { glue, thread } = programFiles(threads > 1);
  const script = await files.script(glue);
  const threadScript = threads > 1 ? await files.script(thread) : "";
  scope.importScripts(script);
  const module = await new Promise<PageModule>((resolve, reject) => {
    if (threads > 1) setTimeout(reject, START_TIME, new Error("the threads do not start"));
    const made = scope.makePageEngine({
      ...callbacks,
      helpers: threads - 1,
      mainScriptUrlOrBlob: script,
      locateFile: () => threadScript,
      preRun: [({ ENV }) => void (ENV["TENGEN_CACHE"] = CACHE)],
      print: () => {},
      printErr: () => {},
      instantiateWasm(imports, receive) {
        WebAssembly.instantiate(compiled, imports).then(
          (instance) => receive(instance, compiled),
          reject,
        );
        return {};
      },
    });
    made.then(resolve, reject);
  });
  for (const folder of [DATA, NETS, CACHE]) module.FS.mkdir(folder);
  return module;
}
