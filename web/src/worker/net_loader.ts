// SPDX-License-Identifier: MIT
// Loads the nets of the rules in use, each in a worker that ends when it has the net: baking takes
// seconds and twice the memory of the net.
import type { Rule } from "../lib/protocol";
import { netEntry, netNames } from "./manifest";
import type { EngineManifest, NetEntry } from "./manifest";
import type { FromWorker, LoadedNet } from "./messages";

const RETRY = 30_000; // ms after a failure

interface Load {
  isPending: boolean; // it waits or runs
  worker: Worker | null; // while it runs
  fraction: number;
  net: LoadedNet | null;
  failed: number | null; // when, on the clock of performance.now()
}

export class NetLoader {
  private readonly loads = new Map<string, Load>();

  constructor(
    private readonly manifest: EngineManifest,
    private readonly most: number, // workers at a time
    /** Makes a worker that is open and takes LoadMessage. */
    private readonly makeWorker: () => Worker,
    private readonly changed: () => void,
  ) {}

  entry(rule: Rule, size: number): NetEntry | null {
    return netEntry(this.manifest, rule, size);
  }

  /** Starts to load nets, unless they are there or failed a moment ago. */
  load(entry: NetEntry): void {
    for (const name of netNames(entry)) {
      const load = this.loads.get(name);
      const isOld = load?.failed != null && performance.now() - load.failed > RETRY;
      if (load && !isOld) continue;
      this.loads.set(name, { isPending: true, worker: null, fraction: 0, net: null, failed: null });
      queueMicrotask(() => this.start()); // reports, which must not happen within a call
    }
  }

  /** The nets, once all of them are there. */
  nets(entry: NetEntry): LoadedNet[] | null {
    const nets = netNames(entry).map((name) => this.loads.get(name)?.net);
    return nets.every((net) => net != null) ? nets : null;
  }

  isLoading(entry: NetEntry): boolean {
    return netNames(entry).some((name) => this.loads.get(name)?.isPending);
  }

  /** Why they do not play, in English. */
  note(entry: NetEntry): string | null {
    if (this.nets(entry)) return null;
    const names = netNames(entry).join(" and ");
    const hasFailed = netNames(entry).some((name) => this.loads.get(name)?.failed != null);
    return hasFailed ? `${names} cannot be loaded` : `${names} is still loading`;
  }

  /** What is loaded of those that are being loaded; null: nothing is loading. */
  get loading(): number | null {
    const pending = [...this.loads.values()].filter((load) => load.isPending);
    if (pending.length === 0) return null;
    return pending.reduce((sum, load) => sum + load.fraction, 0) / pending.length;
  }

  close(): void {
    for (const load of this.loads.values()) load.worker?.terminate();
    this.loads.clear();
  }

  /** Starts what waits, as far as it may run now. */
  private start(): void {
    for (const [name, load] of this.loads) {
      const running = [...this.loads.values()].filter((other) => other.worker).length;
      if (running >= this.most) break;
      if (load.isPending && !load.worker) this.run(name, load);
    }
    this.changed();
  }

  private run(name: string, load: Load): void {
    const worker = this.makeWorker();
    load.worker = worker;
    const end = (net: LoadedNet | null) => {
      worker.terminate();
      load.isPending = false;
      load.worker = null;
      load.net = net;
      load.failed = net ? null : performance.now();
      this.start();
    };
    worker.onerror = (event) => {
      event.preventDefault();
      end(null);
    };
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === "loaded") return end(data.net);
      if (data.kind === "failed") return end(null);
      if (data.kind !== "progress") return;
      load.fraction = data.fraction;
      this.changed();
    };
    worker.postMessage({ kind: "load", net: name });
  }
}
