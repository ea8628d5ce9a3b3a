// SPDX-License-Identifier: MIT
// One worker of the engine and the requests that wait for it. It answers one at a time. A worker
// that crashes is replaced by one with less memory.
import type { EngineEvent, EngineRequest } from "../lib/protocol";
import { isLast } from "../lib/protocol";
import { endOf } from "./endings";
import type { NetEntry } from "./manifest";
import type { FromWorker, OpenMessage, ToWorker } from "./messages";
import type { NetLoader } from "./net_loader";

const ANALYSIS_TIME = 120; // seconds, if a request has none
const MIN_ANALYSIS = 1; // seconds that must be left to begin again with a net
const STOP_TIME = 3000; // ms after which a worker that does not stop is ended
const NO_STOP = -1; // in the flag: no request is to end
const FULL_LEVEL = 10;
const SEARCHES = new Set<EngineRequest["type"]>(["move", "swap2", "analyse", "review"]);
const LESS_MEMORY = { memory: "8", preset: "classical" }; // MiB of tables; no nets

/** What a worker is opened with; options and flag are those of its lane. */
export type WorkerSetup = Omit<OpenMessage, "kind" | "options" | "flag">;

/** What a lane needs of the back end. */
export interface LaneHost {
  readonly nets: NetLoader | null;
  /** Null until a worker of the lane can be opened. */
  setup(lane: EngineLane): WorkerSetup | null;
  makeWorker(): Worker;
  event(event: EngineEvent): void;
  opened(lane: EngineLane, compiled: WebAssembly.Module): void;
  /** The worker could not be opened, or has crashed; its requests got errors. `isFinal`: it would
   * fail again. */
  failed(lane: EngineLane, text: string, isFinal: boolean): void;
}

interface Job {
  request: EngineRequest;
  isStopped: boolean;
  /** It begins again with a net that was loaded meanwhile. */
  isRestarting: boolean;
  deadline: number; // of an analysis, on the clock of performance.now()
  known: EngineEvent | null; // the last event
  stopAddress: string | null; // HandleMessage.stopAddress, until it is revoked
  note: string | null; // why it began without a net
}

/** Requests of a game go before those of a study: they end its analysis, solution or review. */
function isPlay(request: EngineRequest): boolean {
  return request.type === "move" || request.type === "swap2" || request.type === "new_game";
}

/** A move at a level takes no time: loading nets would only delay it, and comes after it. */
function isShort(request: EngineRequest): boolean {
  const isMove = request.type === "move" || request.type === "swap2";
  return isMove && (request.level ?? FULL_LEVEL) < FULL_LEVEL;
}

export class EngineLane {
  private worker: Worker | null = null;
  private canStop = true;
  private threads = 1; // of the worker
  private hasThreadProblem = false; // several threads could not be started
  private readonly flag: Int32Array | null; // where memory can be shared
  private current: Job | null = null;
  private queue: Job[] = [];
  private isOpened = false; // the worker answers requests
  private crashes = 0; // of opened workers: those that could not be opened may lack a file
  private stopTimer: ReturnType<typeof setTimeout> | undefined;
  private installed: NetEntry | null = null; // whose nets the worker has

  constructor(
    private readonly host: LaneHost,
    private readonly options: Record<string, string>,
    /** Whether a request that waits is reported. */
    private readonly isQuick = false,
  ) {
    this.flag = crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(4)) : null;
  }

  send(request: EngineRequest): void {
    const [deadline, known, stopAddress, note] = [0, null, null, null];
    const [isStopped, isRestarting] = [false, false];
    const job = { request, isStopped, isRestarting, deadline, known, stopAddress, note };
    const before = isPlay(request) ? this.queue.findIndex((other) => !isPlay(other.request)) : -1;
    this.queue.splice(before < 0 ? this.queue.length : before, 0, job);
    const { current } = this;
    if (current && isPlay(request) && endOf(current.request, null)) this.signal(current);
    if (current && !this.isQuick) this.host.event({ type: "queued", id: request.id });
    this.next();
  }

  /** Whether the request is one of this lane. */
  stop(id: number): boolean {
    const isIt = ({ request }: Job) => request.id === id;
    const waiting = this.queue.find(isIt);
    const job = waiting ?? (this.current && isIt(this.current) ? this.current : null);
    if (!job) return false;
    if (waiting) {
      const end = endOf(waiting.request, null);
      waiting.isStopped = true; // the engine plays at once
      if (end) {
        this.queue = this.queue.filter((other) => other !== waiting);
        this.host.event(end);
      }
    } else {
      this.signal(job);
    }
    return true;
  }

  /** Nets were loaded, or the engine was compiled. */
  changed(): void {
    const job = this.current;
    const entry = job && this.entryOf(job.request);
    const left = job ? (job.deadline - performance.now()) / 1000 : 0;
    const canRestart = job?.request.type === "analyse" && job.note !== null && !job.isStopped;
    if (canRestart && entry && this.host.nets?.nets(entry) && left > MIN_ANALYSIS) {
      this.signal(job);
      job.isStopped = false;
      job.isRestarting = true;
    }
    this.next();
  }

  /** Opens the worker, if it is not. */
  open(): void {
    const setup = this.host.setup(this);
    if (this.worker || !setup) return;
    const worker = this.host.makeWorker();
    this.worker = worker;
    this.threads = setup.threads;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.receive(data);
    worker.onerror = (event) => {
      event.preventDefault();
      if (this.worker !== worker) return; // it was ended; each of its threads may report an error
      this.crash(event.message || "the worker has ended", false);
    };
    const options = this.crashes > 0 ? { ...this.options, ...LESS_MEMORY } : this.options;
    const flag = (this.flag?.buffer ?? null) as SharedArrayBuffer | null;
    this.post({ kind: "open", ...setup, options, flag });
  }

  /** Whether its worker may have several threads. */
  get canThread(): boolean {
    return !this.isQuick && !this.hasThreadProblem && this.crashes === 0;
  }

  close(): void {
    this.end();
    this.queue = [];
  }

  // --- one request after another ---

  /** The nets that a request searches with. */
  private entryOf(request: EngineRequest): NetEntry | null {
    const hasNets = SEARCHES.has(request.type) && this.crashes === 0;
    if (!hasNets || !("position" in request)) return null;
    return this.host.nets?.entry(request.position.rule, request.position.size) ?? null;
  }

  private next(): void {
    const job = this.queue[0];
    if (this.current || !job || !this.host.setup(this)) return;
    const { nets } = this.host;
    const entry = this.entryOf(job.request);
    if (entry && !isShort(job.request)) nets?.load(entry);
    // A review takes long: it waits for its nets.
    if (entry && job.request.type === "review" && nets?.isLoading(entry)) return;
    this.queue.shift();
    this.begin(job, entry);
  }

  private begin(job: Job, entry: NetEntry | null): void {
    const { nets } = this.host;
    const loaded = entry && nets?.nets(entry);
    // A worker has the nets of one rule: its memory never shrinks.
    if (loaded && this.installed && this.installed !== entry) this.end();
    this.open();
    this.current = job;
    job.note = entry && !loaded ? (nets?.note(entry) ?? null) : null;
    if (loaded && this.installed !== entry) {
      this.installed = entry;
      this.post({ kind: "install", entry, nets: loaded });
    }
    if (job.request.type === "analyse" && !job.deadline) {
      job.deadline = performance.now() + (job.request.seconds ?? ANALYSIS_TIME) * 1000;
    }
    if (!this.flag) job.stopAddress = URL.createObjectURL(new Blob(["go"]));
    if (this.flag) Atomics.store(this.flag, 0, NO_STOP);
    const { request, stopAddress, note } = job;
    this.post({ kind: "handle", request, stopAddress, note });
    if (job.isStopped) this.signal(job);
  }

  /** Ends the current request of the engine. */
  private signal(job: Job): void {
    job.isStopped = true;
    if (job !== this.current) return;
    job.isRestarting = false;
    if (this.flag) Atomics.store(this.flag, 0, job.request.id);
    this.revoke(job);
    clearTimeout(this.stopTimer);
    const isEndless = endOf(job.request, job.known) !== null;
    if (isEndless) {
      this.stopTimer = setTimeout(() => this.endStopped(job), this.canStop ? STOP_TIME : 0);
    }
  }

  private revoke(job: Job): void {
    if (job.stopAddress) URL.revokeObjectURL(job.stopAddress);
    job.stopAddress = null;
  }

  /** Ends the worker, because it does not see that the request was stopped. */
  private endStopped(job: Job): void {
    if (this.current !== job) return;
    const end = endOf(job.request, job.known);
    this.end();
    if (job.isRestarting) this.restart(job);
    else if (end) this.host.event(end);
    this.next();
  }

  /** Puts an analysis back, with the time that is left. */
  private restart(job: Job): void {
    const seconds = Math.max(MIN_ANALYSIS, (job.deadline - performance.now()) / 1000);
    const request = { ...job.request, seconds } as EngineRequest;
    this.queue.unshift({ ...job, request, isRestarting: false, isStopped: false });
  }

  // --- messages of the worker ---

  private post(message: ToWorker): void {
    this.worker?.postMessage(message);
  }

  private receive(message: FromWorker): void {
    if (message.kind === "opened") {
      this.isOpened = true;
      this.canStop = message.canStop;
      this.host.opened(this, message.compiled);
    } else if (message.kind === "event") {
      this.onEvent(message.event);
    } else if (message.kind === "done") {
      this.onDone();
    } else if (message.kind === "failed") {
      this.crash(message.text, message.isFinal);
    }
  }

  private onEvent(event: EngineEvent): void {
    const job = this.current;
    if (!job || (job.isRestarting && isLast(event) && event.type !== "error")) return;
    if (isLast(event)) job.isRestarting = false;
    job.known = event;
    this.host.event(event);
  }

  private onDone(): void {
    const job = this.current;
    this.current = null;
    clearTimeout(this.stopTimer);
    if (!job) return;
    this.revoke(job);
    const entry = this.entryOf(job.request);
    if (entry) this.host.nets?.load(entry);
    if (job.isRestarting) this.restart(job);
    if (job.known?.type === "error" && job.known.code === "memory") {
      this.crashes += 1; // the next one has less
      this.end();
    }
    this.next();
  }

  /** Ends the worker. */
  private end(): void {
    this.worker?.terminate();
    this.worker = null;
    this.isOpened = false;
    this.installed = null;
    clearTimeout(this.stopTimer);
    if (this.current) this.revoke(this.current);
    this.current = null;
  }

  /** Opens the program without threads instead of that with threads. */
  private openWithoutThreads(): void {
    const job = this.current;
    this.hasThreadProblem = true;
    this.end();
    if (job) this.queue.unshift({ ...job, isRestarting: false });
    this.next();
  }

  private crash(text: string, isFinal: boolean): void {
    if (this.threads > 1 && !this.isOpened) return this.openWithoutThreads();
    const failed = this.current ? [this.current, ...this.queue] : this.queue;
    if (this.isOpened) this.crashes += 1;
    this.end();
    this.queue = [];
    for (const { request } of failed) {
      const problem = `the engine has stopped (${text})`;
      this.host.event({ type: "error", id: request.id, code: "engine", text: problem });
    }
    this.host.failed(this, text, isFinal);
  }
}
