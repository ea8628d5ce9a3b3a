// SPDX-License-Identifier: MIT
// Typed requests to the engine of the page, whichever back end answers them. Every request ends:
// with its last event, with RequestRejected, or with Error `connection` or `timeout`.
import { errorText } from "./format";
import { isLast } from "./protocol";
import type {
  AnalyseRequest,
  AnalysisEvent,
  AttemptEvent,
  BackEnd,
  BackEndState,
  EngineEvent,
  EngineRequest,
  GamePosition,
  MoveEvent,
  MoveRequest,
  PositionView,
  ProofNodeEvent,
  ReviewEvent,
  ReviewRequest,
  SolutionEvent,
  SolveRequest,
  Swap2Event,
  Swap2Request,
  WithoutId,
} from "./protocol";
import { RequestRejected, ServerBackEnd } from "./server_back_end";
import { WorkerBackEnd } from "./worker_back_end";

export type EngineKind = BackEnd["kind"];

/** A request that takes time. */
export interface Job<T> {
  readonly id: number;
  readonly done: Promise<T>;
  /** Ends it early; `done` then has what is known. */
  stop(): void;
}

type RequestBody = WithoutId<EngineRequest>;
type Options<T> = Omit<T, "type" | "id" | "position">;
type Event<T extends EngineEvent["type"]> = Extract<EngineEvent, { type: T }>;

interface Pending {
  request: EngineRequest;
  type: EngineEvent["type"]; // of its events
  isSent: boolean;
  silence: number; // ms without an event after which it fails
  timer: ReturnType<typeof setTimeout> | undefined;
  handle: (event: EngineEvent) => void;
  resolve: (event: EngineEvent) => void;
  reject: (error: Error) => void;
}

const ANSWER_TIME = 20_000; // ms that a view, an attempt or a proof step may take
const SEARCH_TIME = 90_000; // ms of a move or a solver, above the limits of the engine
const STREAM_TIME = 180_000; // ms between two events of an analysis or a review
const STARTING: BackEndState = { connection: "starting", loading: null };

class Engine {
  state = $state.raw<BackEndState>(STARTING);
  kind = $state<EngineKind | null>(null); // null: not chosen yet
  isQueued = $state(false); // a request waits for a free engine
  fault = $state(""); // why the engine could not start; empty: it could, or has not tried
  /** The server of this page, if there is one: it stores games whichever engine plays. */
  server: ServerBackEnd | null = null;
  private backEnd: BackEnd | null = null;
  private serverState: BackEndState = STARTING;
  private lastId = 0;
  private lastStep: Promise<unknown> = Promise.resolve();
  private readonly pending = new Map<number, Pending>();
  private readonly queued = new Set<number>(); // ids of requests that wait for a free engine
  private readonly readyHandlers: (() => void)[] = [];
  private readonly lostHandlers: (() => void)[] = [];
  private readonly serverHandlers: (() => void)[] = [];

  get isReady(): boolean {
    return this.state.connection === "ready";
  }

  /** Adds a handler that runs whenever the engine becomes ready. */
  onReady(handler: () => void): void {
    this.readyHandlers.push(handler);
  }

  /** Adds a handler that runs whenever the engine is no longer ready. */
  onLost(handler: () => void): void {
    this.lostHandlers.push(handler);
  }

  /** Adds a handler that runs whenever the server is connected. */
  onServer(handler: () => void): void {
    this.serverHandlers.push(handler);
  }

  /** Connects to the server of this page. */
  connect(): void {
    const server = new ServerBackEnd();
    this.server = server;
    server.start({
      event: (event) => this.receive(event),
      state: (state) => {
        this.serverState = state;
        if (this.kind === "server") this.stateChanged(state);
        if (state.connection === "ready") for (const handler of this.serverHandlers) handler();
      },
    });
  }

  /** Chooses the back end; another than before: pending requests fail with Error `connection`. */
  use(kind: EngineKind): void {
    if (this.kind !== null) this.rejectAll();
    if (this.backEnd?.kind === "browser") this.backEnd.close();
    this.kind = kind;
    this.fault = "";
    if (kind === "server") {
      if (!this.server) this.connect();
      this.backEnd = this.server;
      this.stateChanged(this.serverState);
      return;
    }
    const worker = new WorkerBackEnd();
    this.backEnd = worker;
    this.stateChanged(STARTING);
    worker.start({
      event: (event) => this.backEnd === worker && this.receive(event),
      state: (state) => this.backEnd === worker && this.stateChanged(state),
    });
  }

  // --- requests ---

  async view(position: GamePosition): Promise<PositionView> {
    const { views } = await this.request("views", { type: "view", position }, ANSWER_TIME).done;
    return views.at(-1)!;
  }

  /** The views of a whole line, the start first. */
  async views(position: GamePosition): Promise<PositionView[]> {
    const body = { type: "view", position, whole_line: true } as const;
    return (await this.request("views", body, ANSWER_TIME).done).views;
  }

  async newGame(): Promise<void> {
    await this.request("ready", { type: "new_game" }, SEARCH_TIME).done;
  }

  move(position: GamePosition, options: Options<MoveRequest>): Job<MoveEvent> {
    return this.request("move", { type: "move", position, ...options }, SEARCH_TIME);
  }

  swap2(position: GamePosition, options: Options<Swap2Request>): Job<Swap2Event> {
    return this.request("swap2", { type: "swap2", position, ...options }, SEARCH_TIME);
  }

  analyse(
    position: GamePosition,
    options: Options<AnalyseRequest>,
    onEvent: (event: AnalysisEvent) => void,
  ): Job<AnalysisEvent> {
    const body = { type: "analyse", position, ...options } as const;
    return this.request("analysis", body, STREAM_TIME, onEvent);
  }

  solve(
    position: GamePosition,
    goal: SolveRequest["goal"],
    options: Omit<Options<SolveRequest>, "goal"> = {},
    onEvent?: (event: SolutionEvent) => void,
  ): Job<SolutionEvent> {
    const body = { type: "solve", position, goal, ...options } as const;
    return this.request("solution", body, SEARCH_TIME, onEvent);
  }

  /** A node of the proof that the solver with this id found. One step at a time: they share it. */
  proofStep(id: number, moves: string[]): Promise<ProofNodeEvent> {
    const step = () =>
      this.add("proof_node", { type: "proof_step", id, moves }, ANSWER_TIME).done;
    const result = this.lastStep.then(step, step);
    this.lastStep = result.catch(() => {});
    return result;
  }

  review(
    position: GamePosition,
    options: Options<ReviewRequest>,
    onEvent: (event: ReviewEvent) => void,
  ): Job<ReviewEvent> {
    const body = { type: "review", position, ...options } as const;
    return this.request("review", body, STREAM_TIME, onEvent);
  }

  attempt(position: GamePosition, goal: SolveRequest["goal"]): Promise<AttemptEvent> {
    const body = { type: "attempt", position, goal } as const;
    return this.request("attempt_result", body, ANSWER_TIME).done;
  }

  // --- the table of pending requests ---

  private request<T extends EngineEvent["type"]>(
    type: T,
    body: RequestBody,
    silence: number,
    onEvent?: (event: Event<T>) => void,
  ): Job<Event<T>> {
    this.lastId += 1;
    return this.add(type, { ...body, id: this.lastId } as EngineRequest, silence, onEvent);
  }

  private add<T extends EngineEvent["type"]>(
    type: T,
    request: EngineRequest,
    silence: number,
    onEvent?: (event: Event<T>) => void,
  ): Job<Event<T>> {
    const { id } = request;
    const done = new Promise<Event<T>>((resolve, reject) => {
      this.pending.set(id, {
        request,
        type,
        isSent: false,
        silence,
        timer: undefined,
        handle: (event) => onEvent?.(event as Event<T>),
        resolve: (event) => resolve(event as Event<T>),
        reject,
      });
    });
    const { connection } = this.state;
    if (connection === "ready") this.sendPending();
    else if (connection !== "starting") this.reject(id, new Error("connection"));
    return { id, done, stop: () => this.stop(id) };
  }

  /** Sends what waited for the engine to start. */
  private sendPending(): void {
    for (const [id, entry] of this.pending) {
      if (entry.isSent) continue;
      entry.isSent = true;
      this.restartTimer(id, entry);
      this.backEnd?.send(entry.request);
    }
  }

  private restartTimer(id: number, entry: Pending): void {
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => {
      this.backEnd?.stop(id);
      this.reject(id, new Error("timeout"));
    }, entry.silence);
  }

  private stop(id: number): void {
    const entry = this.pending.get(id);
    if (entry?.isSent) this.backEnd?.stop(id);
    else if (entry) this.reject(id, new Error("stopped"));
  }

  private receive(event: EngineEvent): void {
    if (event.type === "error" && event.id === null) this.fault = errorText(event);
    const entry = event.id === null ? undefined : this.pending.get(event.id);
    if (!entry || event.id === null) return; // of a request that has ended
    this.restartTimer(event.id, entry);
    this.setQueued(event.id, event.type === "queued");
    if (event.type === "queued") return;
    if (event.type === "error") this.reject(event.id, new RequestRejected(event));
    else if (event.type === entry.type) {
      if (isLast(event)) this.remove(event.id);
      entry.handle(event);
      if (isLast(event)) entry.resolve(event);
    }
  }

  private remove(id: number): void {
    clearTimeout(this.pending.get(id)?.timer);
    this.pending.delete(id);
    this.setQueued(id, false);
  }

  private setQueued(id: number, isQueued: boolean): void {
    if (isQueued) this.queued.add(id);
    else this.queued.delete(id);
    this.isQueued = this.queued.size > 0;
  }

  private reject(id: number, error: Error): void {
    const entry = this.pending.get(id);
    this.remove(id);
    entry?.reject(error);
  }

  private rejectAll(): void {
    for (const id of [...this.pending.keys()]) this.reject(id, new Error("connection"));
  }

  private stateChanged(state: BackEndState): void {
    const wasReady = this.isReady;
    this.state = state;
    if (state.connection === "ready") {
      this.fault = "";
      this.sendPending();
      if (!wasReady) for (const handler of this.readyHandlers) handler();
    } else if (state.connection !== "starting") this.rejectAll();
    if (wasReady && !this.isReady) for (const handler of this.lostHandlers) handler();
  }
}

export const engine = new Engine();
