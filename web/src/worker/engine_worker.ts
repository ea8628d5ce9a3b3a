// SPDX-License-Identifier: MIT
// A worker of the engine, a classic one: it answers requests, or loads a net for others. Messages
// are handled one after another.
import type { EngineRequest, Rule } from "../lib/protocol";
import { EngineFiles } from "./engine_files";
import { lazyTablesFile, netFile, tablesOf } from "./manifest";
import type { NetEntry } from "./manifest";
import type {
  FromWorker,
  HandleMessage,
  InstallMessage,
  LoadMessage,
  OpenMessage,
  ToWorker,
} from "./messages";
import { CACHE, compile, DATA, instantiate, NETS } from "./page_module";
import type { PageModule } from "./page_module";

const MAX_REQUEST = 64 * 1024; // characters; ccall copies the text to the stack
const FETCHED = 0.1; // share of a net's progress that is fetching; the rest is baking
const SEARCHES = new Set(["move", "swap2", "analyse", "review"]); // need tables and nets

function post(message: FromWorker): void {
  self.postMessage(message);
}

/** Whether the blob at an address can be read. */
function isReadable(address: string): boolean {
  try {
    const request = new XMLHttpRequest();
    request.open("GET", address, false);
    request.send();
    return request.status === 200;
  } catch {
    return false;
  }
}

class EngineWorker {
  private readonly files: EngineFiles;
  private module: PageModule | null = null;
  private compiled: WebAssembly.Module | null;
  private readonly flag: Int32Array | null;
  private readonly tables = new Set<Rule>(); // in the folder of the engine
  private readonly codebook: { name: string; parts: Blob[] } = { name: "", parts: [] }; // baked
  private id = -1; // of the request in progress
  private stopAddress: string | null = null;
  private note: string | null = null;

  constructor(private readonly setup: OpenMessage) {
    this.files = new EngineFiles(setup.manifest, setup.base);
    this.compiled = setup.compiled;
    this.flag = setup.flag && new Int32Array(setup.flag);
  }

  async open(): Promise<void> {
    const { options } = this.setup;
    this.compiled ??= await compile(this.files, this.setup.threads);
    if (!options) return;
    const probe = this.flag ? null : URL.createObjectURL(new Blob(["probe"]));
    const canStop = !probe || isReadable(probe);
    if (probe) URL.revokeObjectURL(probe);
    this.module = await this.instance();
    this.writeRegistry([]);
    const threads = String(this.setup.threads);
    const problem = this.call("page_open", DATA, JSON.stringify({ ...options, threads }));
    if (problem) throw new Error(problem);
    post({ kind: "opened", compiled: this.compiled, canStop });
    if (!this.setup.compiled) await this.files.removeOutdated();
  }

  private async instance(): Promise<PageModule> {
    const { threads } = this.setup;
    this.compiled ??= await compile(this.files, threads);
    return instantiate(this.files, this.compiled, threads, {
      onEvent: (text) => this.onEvent(text),
      isStopped: () => this.isStopped(),
      onProgress: (fraction) =>
        post({ kind: "progress", fraction: FETCHED + (1 - FETCHED) * fraction }),
      onCodebook: (name, bytes) => {
        this.codebook.name = name;
        this.codebook.parts.push(new Blob([bytes]));
      },
    });
  }

  private call(name: string, ...texts: string[]): string {
    const types = texts.map(() => "string");
    return String(this.module!.ccall(name, "string", types, texts));
  }

  // --- requests ---

  async handle({ request, stopAddress, note }: HandleMessage): Promise<void> {
    const text = JSON.stringify(request);
    if (text.length > MAX_REQUEST) {
      this.fail(request, "invalid", "the request is too long");
    } else {
      try {
        if ("position" in request && SEARCHES.has(request.type)) {
          await this.fetchTables(request.position.rule);
        }
      } catch (error) {
        this.fail(request, "engine", `a file of the engine cannot be loaded (${error})`);
        return post({ kind: "done" });
      }
      this.id = request.id;
      this.stopAddress = stopAddress;
      this.note = note;
      this.module!.ccall("page_handle", null, ["string"], [text]);
    }
    post({ kind: "done" });
  }

  private fail({ id }: EngineRequest, code: string, text: string): void {
    post({ kind: "event", event: { type: "error", id, code, text } });
  }

  private onEvent(text: string): void {
    const event = JSON.parse(text) as (FromWorker & { kind: "event" })["event"];
    if (event.type === "analysis" && this.note && event.evaluation.startsWith("classical")) {
      event.evaluation = `classical (${this.note})`;
    }
    post({ kind: "event", event });
  }

  /** Called by the engine about every 50 ms. */
  private isStopped(): boolean {
    if (this.flag) return Atomics.load(this.flag, 0) === this.id;
    return this.stopAddress !== null && !isReadable(this.stopAddress);
  }

  // --- tables and nets ---

  private async fetchTables(rule: Rule): Promise<void> {
    const name = tablesOf(rule);
    if (this.tables.has(rule) || !this.files.has(name)) return;
    this.module!.FS.writeFile(`${DATA}/${name}`, await this.files.bytes(name));
    this.tables.add(rule);
  }

  /** Puts the nets of a rule into place, once. */
  async install({ entry, nets }: InstallMessage): Promise<void> {
    const { FS, WORKERFS } = this.module!;
    for (const { name, net, lazyTables } of nets) {
      FS.writeFile(`/data/${netFile(name)}`, new Uint8Array(await net.arrayBuffer()));
      if (!lazyTables) continue;
      const bytes = new Uint8Array(await lazyTables.arrayBuffer());
      FS.writeFile(`/data/${lazyTablesFile(name)}`, bytes);
    }
    const blobs = nets.map((net) => ({ name: net.codebookName, data: net.codebook }));
    FS.mount(WORKERFS, { blobs }, CACHE);
    this.writeRegistry([entry]);
  }

  /** Writes which nets there are; the engine reads it again after a change. */
  private writeRegistry(nets: NetEntry[]): void {
    this.module!.FS.writeFile(`${NETS}/registry.json`, JSON.stringify({ format: 1, nets }));
  }

  // --- loading a net for other workers ---

  async load({ net: name }: LoadMessage): Promise<void> {
    const net = await (await this.files.read(netFile(name))).blob();
    const tables = lazyTablesFile(name);
    const lazyTables = this.files.has(tables) ? await (await this.files.read(tables)).blob() : null;
    const { name: codebookName, blob: codebook } =
      (await this.files.codebook(name)) ?? (await this.bake(name, net));
    post({ kind: "loaded", net: { name, net, lazyTables, codebook, codebookName } });
  }

  private async bake(name: string, net: Blob): Promise<{ name: string; blob: Blob }> {
    this.module = await this.instance();
    const { FS } = this.module;
    FS.writeFile(`/data/${netFile(name)}`, new Uint8Array(await net.arrayBuffer()));
    const problem = this.call("page_bake", NETS, `${name}.net`);
    if (problem) throw new Error(problem);
    const blob = new Blob(this.codebook.parts);
    await this.files.keepCodebook(name, this.codebook.name, blob);
    return { name: this.codebook.name, blob };
  }
}

let worker: EngineWorker | null = null;
let last: Promise<void> = Promise.resolve();

async function act(message: ToWorker): Promise<void> {
  if (message.kind === "open") {
    worker = new EngineWorker(message);
    return worker.open();
  }
  if (!worker) throw new Error("the worker is not open");
  if (message.kind === "handle") return worker.handle(message);
  if (message.kind === "install") return worker.install(message);
  return worker.load(message);
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  last = last.then(async () => {
    try {
      await act(data);
    } catch (error) {
      const isFinal = error instanceof WebAssembly.CompileError;
      post({ kind: "failed", text: String(error), isFinal });
    }
  });
};
