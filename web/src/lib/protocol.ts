// SPDX-License-Identifier: MIT
// The requests that the page sends to a back end and the events that answer them (docs/formats/page.md).
// Two back ends: `WorkerBackEnd`, the engine as WebAssembly in Web Workers, and `ServerBackEnd`, the
// native engine behind a WebSocket. Both pass the JSON of these types to the same engine (cpp/page).

export type Rule = "freestyle" | "standard" | "renju" | "caro" | "caro6";
export type Colour = "black" | "white";

/** Stones on the board before the first move. */
export interface SetupStones {
  black: string[];
  white: string[];
  turn: Colour | null;
}

/** A position as a start and the moves that lead to it. */
export interface GamePosition {
  rule: Rule;
  size: number;
  setup: SetupStones | null;
  moves: string[];
}

/** How a game ended; no winner is a draw. `lines` are the winning rows. The engine gives the first
 * four reasons, the page the others. */
export interface GameResult {
  winner: Colour | null;
  reason: "five" | "full_board" | "passes" | "move_limit" | "resign" | "time";
  lines: string[][];
}

export interface ForbiddenPoint {
  point: string;
  reason: "overline" | "double_four" | "double_three";
}

/** What the board shows of a position. */
export interface PositionView {
  ply: number;
  stones: string; // `.`, `b`, `w` per point, row by row from a1
  turn: Colour;
  last: string | null;
  forbidden: ForbiddenPoint[];
  outcome: GameResult | null;
}

/** A principal variation. Values are black's: a win rate of 0 to 1, a mate in plies. */
export interface AnalysisLine {
  rank: number;
  moves: string[];
  win_rate: number;
  mate: number | null;
  depth: number;
}

export interface PolicyPoint {
  point: string;
  probability: number;
}

/** The verdict on a move. Stored within studies. */
export interface MoveReview {
  ply: number;
  move: string;
  colour: Colour;
  verdict: "best" | "good" | "inaccuracy" | "mistake" | "blunder" | "missed_win" | "forced";
  loss: number;
  better: string[];
  win_rate: number;
  mate: number | null;
}

// --- requests of an engine ---

/** The view of a position; with `whole_line`, also of every position before it. */
export interface ViewRequest {
  type: "view";
  id: number;
  position: GamePosition;
  whole_line?: boolean;
}

/** Forget the tables of the last game. */
export interface NewGameRequest {
  type: "new_game";
  id: number;
}

/** The engine's move. */
export interface MoveRequest {
  type: "move";
  id: number;
  position: GamePosition;
  level?: number;
  seconds?: number;
  clock?: { left: number; increment: number };
  seed?: number; // of the choices of weak levels
}

/** The engine's stones or its choice in a swap2 opening. */
export interface Swap2Request {
  type: "swap2";
  id: number;
  position: GamePosition;
  number?: number;
  seconds?: number;
  level?: number;
  seed?: number;
}

/** Analyse a position until `stop` or the time limit. */
export interface AnalyseRequest {
  type: "analyse";
  id: number;
  position: GamePosition;
  lines?: number;
  only?: string[];
  exclude?: string[];
  seconds?: number;
}

/** Search a forced win of a side, by default the side to move. */
export interface SolveRequest {
  type: "solve";
  id: number;
  position: GamePosition;
  goal: "vcf" | "vct";
  side?: Colour | null;
  seconds?: number;
}

/** The node of a proof after these moves; `id` is that of the solved request. */
export interface ProofStepRequest {
  type: "proof_step";
  id: number;
  moves: string[];
}

/** Rate the moves of a game. */
export interface ReviewRequest {
  type: "review";
  id: number;
  position: GamePosition;
  effort?: number;
}

/** Check the last move of `position` as an attempt to win by force; the attacker is the side that
 * played it. */
export interface AttemptRequest {
  type: "attempt";
  id: number;
  position: GamePosition;
  goal: "vcf" | "vct";
}

export type EngineRequest =
  | ViewRequest
  | NewGameRequest
  | MoveRequest
  | Swap2Request
  | AnalyseRequest
  | SolveRequest
  | ProofStepRequest
  | ReviewRequest
  | AttemptRequest;

/** A request before it has an id. */
export type WithoutId<T> = T extends { id: number } ? Omit<T, "id"> : never;

// --- events of an engine ---

export interface ViewsEvent {
  type: "views";
  id: number;
  views: PositionView[]; // the last one is that of the position
}

export interface ReadyEvent {
  type: "ready";
  id: number;
}

export interface MoveEvent {
  type: "move";
  id: number;
  move: string;
  line: AnalysisLine | null;
}

export interface Swap2Event {
  type: "swap2";
  id: number;
  stones: string[]; // none: the engine takes black
}

export interface AnalysisEvent {
  type: "analysis";
  id: number;
  state: "running" | "done";
  depth: number;
  seldepth: number;
  nodes: number;
  nps: number;
  lines: AnalysisLine[];
  policy: PolicyPoint[]; // of the root before any search, most likely first
  evaluation: string; // the net, or `classical`
}

export interface SolutionEvent {
  type: "solution";
  id: number;
  state: "running" | "win" | "no_win" | "unknown";
  attacker: Colour;
  line: string[];
  depth: number; // moves of the attacker in the line
}

export interface ProofNodeEvent {
  type: "proof_node";
  id: number;
  moves: string[];
  attack: string | null;
  replies: string[];
  threat: string | null;
  over: boolean;
}

export interface ReviewEvent {
  type: "review";
  id: number;
  state: "running" | "done" | "stopped";
  done: number;
  total: number;
  start: number;
  moves: MoveReview[];
  accuracy_black: number | null;
  accuracy_white: number | null;
  turning_point: number | null;
}

/** The verdict on an attempt. `right` has the defender's reply that resists longest. */
export interface AttemptEvent {
  type: "attempt_result";
  id: number;
  verdict: "right" | "wrong" | "solved";
  reason: "" | "five" | "no_threat" | "defence"; // why it is wrong
  point: string | null; // of the defender's five or defence
  reply: string | null;
}

/** The request waits until an engine is free; other events follow. */
export interface QueuedEvent {
  type: "queued";
  id: number;
}

/** A request failed. `code` selects the translation, `text` is English. */
export interface ErrorEvent {
  type: "error";
  id: number | null;
  code: string;
  text: string;
}

export type EngineEvent =
  | ViewsEvent
  | ReadyEvent
  | MoveEvent
  | Swap2Event
  | AnalysisEvent
  | SolutionEvent
  | ProofNodeEvent
  | ReviewEvent
  | AttemptEvent
  | QueuedEvent
  | ErrorEvent;

/** Whether an event is the last one of its request. */
export function isLast(event: EngineEvent): boolean {
  if (event.type === "queued") return false;
  return !("state" in event) || event.state !== "running";
}

// --- storage and records: only the server has these ---

/** A stored game: `state` is JSON of the page, which the server does not read. */
export interface StoredGame {
  game: string;
  state: string;
  changed: number; // Unix time in seconds
}

/** The first message of a connection. */
export interface HelloRequest {
  type: "hello";
  session: string | null;
  token: string | null;
}

/** Answers `hello`. */
export interface WelcomeEvent {
  type: "welcome";
  session: string; // a secret; later connections send it to see the same games
  version: string;
  study: string | null;
  solved: string[]; // names of problems
  storage: string; // why nothing is stored permanently; empty: it is
}

export type StorageRequest =
  | { type: "list_games"; id: number }
  | { type: "save_game"; id: number; game: string; state: string }
  | { type: "save_study"; id: number; text: string }
  | { type: "save_solved"; id: number; problem: string }
  | { type: "convert_record"; id: number; text: string; name: string };

export type StorageEvent =
  | { type: "games"; id: number; games: StoredGame[] } // newest first
  | { type: "saved"; id: number } // failures: an error with the code `storage`
  | { type: "converted"; id: number; games: string[] }; // each game as SGF

// --- the interface of both back ends ---

export interface BackEndState {
  connection: "starting" | "ready" | "lost" | "denied";
  /** What is loaded of the engine's nets, 0 to 1; null: nothing is loading. */
  loading: number | null;
}

export interface BackEndListener {
  event(event: EngineEvent): void;
  state(state: BackEndState): void;
}

/** Answers engine requests. Ids are unique for the lifetime of a page. A back end may answer several
 * requests at once; every request ends with its last event or an error, unless the connection is
 * lost. */
export interface BackEnd {
  readonly kind: "browser" | "server";
  start(listener: BackEndListener): void;
  send(request: EngineRequest): void;
  /** Ends a request early: an analysis is then `done`, a review `stopped`, a solution `unknown`. */
  stop(id: number): void;
  close(): void;
}
