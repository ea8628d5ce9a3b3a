// SPDX-License-Identifier: MIT
// The back end in the browser: the engine as WebAssembly in Web Workers. One worker answers views
// and attempts at once, one plays, one analyses; others load nets. The last two start when they are
// needed; where there is little memory, one does the work of both.
import { EngineLane } from "../worker/engine_lane";
import type { LaneHost, WorkerSetup } from "../worker/engine_lane";
import { fetchManifest } from "../worker/manifest";
import type { EngineManifest } from "../worker/manifest";
import { NetLoader } from "../worker/net_loader";
import { registerServiceWorker } from "../worker/offline";
import type {
  BackEnd,
  BackEndListener,
  BackEndState,
  EngineEvent,
  EngineRequest,
} from "./protocol";

const MAX_THREADS = 4; // of a search
const RETRY = 2000; // ms until the engine is fetched again
const SMALL_DEVICE = 4; // GiB of memory, below which one worker plays and analyses
const RULES = { memory: "4", preset: "classical" }; // MiB of tables: it does not search
const PLAY = { memory: "32" };
const STUDY = { memory: "64" };

let offered: EngineManifest | null = null;

function folder(): string {
  return new URL("engine/", document.baseURI).href;
}

/** Without `deviceMemory`, touch devices count as small. */
function isSmallDevice(): boolean {
  const { deviceMemory } = navigator as { deviceMemory?: number };
  if (deviceMemory === undefined) return matchMedia("(pointer: coarse)").matches;
  return deviceMemory < SMALL_DEVICE;
}

/** Threads of a search: half the cores, where workers can share memory. A first visit of the static
 * edition has one, because the program with threads would be fetched besides the other. */
function searchThreads({ offline }: EngineManifest): number {
  const cores = navigator.hardwareConcurrency;
  const isFirstVisit = offline && !navigator.serviceWorker?.controller;
  if (!crossOriginIsolated || cores <= 2 || isSmallDevice() || isFirstVisit) return 1;
  return Math.min(MAX_THREADS, Math.round(cores / 2));
}

export class WorkerBackEnd implements BackEnd, LaneHost {
  readonly kind = "browser";
  nets: NetLoader | null = null;
  private listener: BackEndListener | null = null;
  private connection: BackEndState["connection"] = "starting";
  private manifest: EngineManifest | null = null;
  private compiled: WebAssembly.Module | null = null;
  private compiledThreads: WebAssembly.Module | null = null;
  private threads = 1; // of a search
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly rules = new EngineLane(this, RULES, true);
  private readonly play = new EngineLane(this, PLAY);
  private readonly study = isSmallDevice() ? this.play : new EngineLane(this, STUDY);

  /** The engine that is served beside the page, if there is one. Throws if it cannot be asked for. */
  static async offer(): Promise<EngineManifest | null> {
    return (offered ??= await fetchManifest(folder()));
  }

  start(listener: BackEndListener): void {
    this.listener = listener;
    void this.open();
  }

  send(request: EngineRequest): void {
    this.laneOf(request).send(request);
  }

  stop(id: number): void {
    for (const lane of [this.rules, this.play, this.study]) if (lane.stop(id)) return;
  }

  close(): void {
    this.listener = null;
    clearTimeout(this.timer);
    for (const lane of [this.rules, this.play, this.study]) lane.close();
    this.nets?.close();
  }

  private laneOf({ type }: EngineRequest): EngineLane {
    if (type === "view" || type === "attempt") return this.rules;
    return type === "move" || type === "swap2" || type === "new_game" ? this.play : this.study;
  }

  private async open(): Promise<void> {
    let problem = "";
    try {
      this.manifest = await WorkerBackEnd.offer();
    } catch (error) {
      problem = String(error);
    }
    if (!this.listener) return;
    if (!this.manifest) return this.retry(problem);
    this.threads = searchThreads(this.manifest);
    this.nets = new NetLoader(
      this.manifest,
      isSmallDevice() ? 1 : Math.max(1, Math.floor(navigator.hardwareConcurrency / 2)),
      () => {
        const worker = this.makeWorker();
        worker.postMessage({ kind: "open", ...this.setup(this.rules), options: null, flag: null });
        return worker;
      },
      () => this.changed(),
    );
    this.rules.open();
  }

  /** Tries again; requests wait if the engine has never been ready. */
  private retry(problem: string): void {
    this.setConnection(this.compiled ? "lost" : "starting");
    this.report(problem);
    this.timer = setTimeout(() => void (this.manifest ? this.rules.open() : this.open()), RETRY);
  }

  private setConnection(connection: BackEndState["connection"]): void {
    this.connection = connection;
    this.reportState();
  }

  private report(problem: string): void {
    this.event({ type: "error", id: null, code: "engine", text: problem });
  }

  private reportState(): void {
    this.listener?.state({ connection: this.connection, loading: this.nets?.loading ?? null });
  }

  private changed(): void {
    this.reportState();
    this.play.changed();
    if (this.study !== this.play) this.study.changed();
  }

  // --- what the lanes need ---

  /** The first worker compiles the engine for all others. */
  setup(lane: EngineLane): WorkerSetup | null {
    const { manifest: files, compiled } = this;
    if (!files || (!compiled && lane !== this.rules)) return null;
    const threads = lane.canThread ? this.threads : 1;
    const program = threads > 1 ? this.compiledThreads : compiled;
    return { manifest: files, base: folder(), threads, compiled: program };
  }

  makeWorker(): Worker {
    return new Worker(new URL("../worker/engine_worker.ts", import.meta.url), { name: "engine" });
  }

  event(event: EngineEvent): void {
    this.listener?.event(event);
  }

  opened(lane: EngineLane, compiled: WebAssembly.Module): void {
    if (lane.canThread && this.threads > 1) this.compiledThreads = compiled;
    if (lane !== this.rules) return;
    const isFirst = !this.compiled;
    this.compiled = compiled;
    this.setConnection("ready");
    this.changed();
    if (isFirst && this.manifest?.offline) void registerServiceWorker();
  }

  failed(lane: EngineLane, text: string, isFinal: boolean): void {
    if (lane !== this.rules) return;
    if (isFinal) {
      this.setConnection("lost");
      this.report(`this browser cannot run the engine (${text})`);
    } else {
      this.retry(text);
    }
  }
}
