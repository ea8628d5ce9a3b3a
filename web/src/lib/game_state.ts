// SPDX-License-Identifier: MIT
// A game of a person against the engine, or of two people on one board: swap2, renju's openings,
// clocks, take-back. Immutable values without I/O: every action returns the next state. Stones,
// forbidden points and ends of games come as views from the engine.
import { OPENINGS, RULES, SIZES, type Opening } from "./facts";
import { nameOf, placeOf } from "./points";
import type { Colour, GamePosition, GameResult, PositionView, Rule } from "./protocol";
import { provisionalViews } from "./provisional";
import { otherColour } from "./sgf_model";

export type Side = Colour | "random" | "swap2" | "swap2_you" | "both";
export type Stage = "place" | "choose" | "play" | "over";
export type SwapChoice = Colour | "more";
export type EngineTask = "move" | "place" | "choose";

export interface ClockSettings {
  main: number; // s for all moves of a side
  increment: number; // s per move
}

/** Settings of a game: `you` is `swap2` if the engine places the first stones, `swap2_you` if the
 * person does, `both` for two people. The engine plays `level`, or `seconds` per move if set. */
export interface GameSettings {
  rule: Rule;
  size: number;
  you: Side;
  opening: string | null; // one of renju's 26, such as `4D`
  level: number;
  seconds: number | null;
  clock: ClockSettings | null;
}

/** A game as it is stored. Version 0.1.0 wrote the second name where there are two. */
export interface SavedGame {
  game: string;
  settings: GameSettings; // asked
  you: Colour | null;
  stage: Stage; // `put` for `place`
  person_acts: boolean;
  to_place: number; // to_put
  has_extra_stones: boolean; // more
  moves: string[];
  result: GameResult | null;
  clocks: [number, number] | null; // left; seconds of black and white
  fixed_moves: number; // fixed
  seed: number;
  engine_choice?: SwapChoice | null;
}

interface Fields {
  game: string;
  settings: GameSettings;
  you: Colour | null;
  stage: Stage;
  personActs: boolean; // in the stages `place` and `choose`: the person acts, not the engine
  toPlace: number;
  hasExtraStones: boolean; // the two extra stones of swap2 were placed
  fixedMoves: number; // opening moves that cannot be taken back
  moves: string[];
  views: PositionView[]; // of the start and after every move
  result: GameResult | null;
  clocks: Record<Colour, number> | null; // s left at `clockStarted`
  clockStarted: number; // ms, of the caller's clock
  isPaused: boolean; // no clock runs: the engine is not available
  engineChoice: SwapChoice | null; // of a swap2 opening
  seed: number;
}

const RANDOM_LIMIT = 2 ** 31;
const FULL_LEVEL = 10;

export function randomBelow(limit: number): number {
  return Math.floor(Math.random() * limit);
}

function newName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The level at which the engine plays; by time, it plays at full strength. */
export function levelOf({ level, seconds }: GameSettings): number {
  return seconds === null ? level : FULL_LEVEL;
}

export function openingOf(code: string | null): Opening | null {
  return OPENINGS.find((opening) => opening.code === code?.toUpperCase()) ?? null;
}

/** The opening's moves on a board of any size: the centre moves. */
function openingMoves(opening: Opening, size: number): string[] {
  const shift = Math.floor(size / 2) - 7;
  return opening.moves.map((name) => {
    const { x, y } = placeOf(name);
    return nameOf(x + shift, y + shift);
  });
}

export interface GameState extends Readonly<Fields> {}

export class GameState {
  private constructor(fields: Fields) {
    Object.assign(this, fields);
  }

  private with(change: Partial<Fields>): GameState {
    return new GameState({ ...this, ...change });
  }

  static start(settings: GameSettings, now: number): GameState {
    const { clock, you } = settings;
    const side = you === "random" ? (randomBelow(2) ? "black" : "white") : you;
    const isSwap = you === "swap2" || you === "swap2_you";
    const opening = isSwap ? null : openingOf(settings.opening);
    const moves = opening ? openingMoves(opening, settings.size) : [];
    const { rule, size } = settings;
    return new GameState({
      game: newName(),
      settings,
      you: side === "black" || side === "white" ? side : null,
      stage: isSwap ? "place" : "play",
      personActs: you !== "swap2",
      toPlace: isSwap ? 3 : 0,
      hasExtraStones: false,
      fixedMoves: moves.length,
      moves,
      views: provisionalViews({ rule, size, setup: null, moves }),
      result: null,
      clocks: clock ? { black: clock.main, white: clock.main } : null,
      clockStarted: now,
      isPaused: false,
      engineChoice: null,
      seed: randomBelow(RANDOM_LIMIT),
    });
  }

  /** Whether another state has the same moves and stage; the clocks may differ. */
  isSameAs(other: GameState | null): boolean {
    const hasMoves = this.game === other?.game && this.moves.join() === other.moves.join();
    return hasMoves && this.stage === other.stage;
  }

  // --- whose turn it is ---

  get view(): PositionView {
    return this.views[this.moves.length]!;
  }

  get turn(): Colour {
    return this.view.turn;
  }

  get position(): GamePosition {
    const { rule, size } = this.settings;
    return { rule, size, setup: null, moves: this.moves };
  }

  get isBetweenPeople(): boolean {
    return this.settings.you === "both";
  }

  /** Whether the person has to act. */
  get isYourTurn(): boolean {
    if (this.stage === "over" || this.isBetweenPeople) return this.stage !== "over";
    return this.stage === "play" ? this.turn === this.you : this.personActs;
  }

  /** Whether the person may put a stone on the board now. */
  get canPlay(): boolean {
    return this.isYourTurn && this.stage !== "choose";
  }

  /** What the engine has to do now. */
  get engineTask(): EngineTask | null {
    if (this.stage === "over" || this.isYourTurn) return null;
    return this.stage === "play" ? "move" : this.stage;
  }

  get choices(): SwapChoice[] {
    if (this.stage !== "choose" || !this.personActs) return [];
    return this.hasExtraStones ? ["black", "white"] : ["black", "white", "more"];
  }

  /** Whether the person has made a move after the fixed ones. A game that was lost on time stays
   * lost: the clock has no time left. */
  get canTakeBack(): boolean {
    if (this.result?.reason === "time") return false;
    if (this.isBetweenPeople) return this.moves.length > this.fixedMoves;
    const movers = this.views.slice(this.fixedMoves, this.moves.length).map((view) => view.turn);
    return this.you !== null && movers.includes(this.you);
  }

  // --- actions ---

  /** Replaces provisional views by the engine's. */
  checked(views: PositionView[]): GameState {
    return this.with({ views });
  }

  /** A legal move or stone of either side, at the time `now`. */
  played(move: string, view: PositionView, now: number): GameState {
    const mover = this.turn;
    const next = this.with({ moves: [...this.moves, move], views: [...this.views, view] })
      .bookTime(now, mover)
      .checkOutcome(now);
    if (next.stage !== "place") return next;
    const placed = next.with({ toPlace: next.toPlace - 1 });
    return placed.toPlace > 0 ? placed : placed.finishPlacing();
  }

  /** Three or five stones are on the board: the other side chooses. */
  private finishPlacing(): GameState {
    return this.with({ stage: "choose", personActs: !this.personActs });
  }

  /** The person's choice in a swap2 opening. */
  chosen(choice: SwapChoice, now: number): GameState {
    if (choice === "more") return this.with({ stage: "place", toPlace: 2, hasExtraStones: true });
    return this.startAs(choice, now);
  }

  /** The colours are decided; white moves next. */
  private startAs(you: Colour, now: number): GameState {
    return this.with({ you, stage: "play", fixedMoves: this.moves.length, clockStarted: now });
  }

  /** Stones of the opening, or the engine's choice after three or five of them. */
  engineChose(stones: string[], views: PositionView[], now: number): GameState {
    if (this.stage === "choose" && stones.length < 2) {
      const [stone] = stones;
      if (stone === undefined) return this.with({ engineChoice: "black" }).startAs("white", now);
      const game = this.with({ engineChoice: "white" }).startAs("black", now);
      return game.played(stone, views[0]!, now);
    }
    const hasMore = this.stage === "choose";
    const game = this.with({
      stage: "place",
      toPlace: stones.length,
      hasExtraStones: hasMore,
      engineChoice: hasMore ? "more" : null,
    });
    return stones.reduce((state, stone, n) => state.played(stone, views[n]!, now), game);
  }

  resigned(now: number): GameState {
    const winner = otherColour(this.you ?? this.turn);
    return this.ended({ winner, reason: "resign", lines: [] }, now);
  }

  /** Before the person's last move (two people: the last move); a finished game continues. */
  takenBack(now: number): GameState {
    let ply = this.moves.length - 1;
    while (!this.isBetweenPeople && this.views[ply]!.turn !== this.you) ply -= 1;
    return this.bookTime(now).with({
      result: null,
      stage: "play",
      moves: this.moves.slice(0, ply),
      views: this.views.slice(0, ply + 1),
      clockStarted: now,
    });
  }

  private checkOutcome(now: number): GameState {
    const { outcome } = this.view;
    return outcome ? this.ended(outcome, now) : this;
  }

  private ended(result: GameResult, now: number): GameState {
    return this.bookTime(now).with({ result, stage: "over" });
  }

  // --- clocks ---

  /** The side whose clock runs. The first move of a game is free. */
  get runningClock(): Colour | null {
    const isFree = this.moves.length === 0 && this.fixedMoves === 0;
    if (!this.clocks || this.stage !== "play" || isFree || this.isPaused) return null;
    return this.turn;
  }

  /** Seconds; null without clocks. */
  timeLeft(colour: Colour, now: number): number | null {
    if (!this.clocks) return null;
    const spent = colour === this.runningClock ? Math.max(0, now - this.clockStarted) / 1000 : 0;
    return Math.max(0, this.clocks[colour] - spent);
  }

  /** Subtracts the time since `clockStarted` and restarts it; `moved` gets the increment. */
  private bookTime(now: number, moved: Colour | null = null): GameState {
    const { clocks, settings, isPaused } = this;
    if (!clocks || this.stage !== "play") return this.with({ clockStarted: now });
    const mover = moved ?? this.turn;
    const isFree = this.fixedMoves === 0 && this.moves.length <= (moved ? 1 : 0);
    const spent = isFree || isPaused ? 0 : Math.max(0, now - this.clockStarted) / 1000;
    const increment = moved ? (settings.clock?.increment ?? 0) : 0;
    const left = Math.max(0, clocks[mover] - spent) + increment;
    return this.with({ clocks: { ...clocks, [mover]: left }, clockStarted: now });
  }

  /** Stops or restarts the clocks: time without an engine counts for nobody. */
  paused(isPaused: boolean, now: number): GameState {
    return isPaused === this.isPaused ? this : this.bookTime(now).with({ isPaused });
  }

  /** With these seconds left. */
  withClocks(clocks: Record<Colour, number>, now: number): GameState {
    return this.with({ clocks, clockStarted: now });
  }

  /** The end of the game, if the running clock has run out. */
  flagFallen(now: number): GameState | null {
    const colour = this.runningClock;
    if (colour === null || this.timeLeft(colour, now)! > 0) return null;
    return this.ended({ winner: otherColour(colour), reason: "time", lines: [] }, now);
  }

  // --- storage ---

  toJson(now: number): string {
    const { clocks } = this;
    const saved: SavedGame = {
      game: this.game,
      settings: this.settings,
      you: this.you,
      stage: this.stage,
      person_acts: this.personActs,
      to_place: this.toPlace,
      has_extra_stones: this.hasExtraStones,
      moves: this.moves,
      result: this.result,
      clocks: clocks && [this.timeLeft("black", now)!, this.timeLeft("white", now)!],
      fixed_moves: this.fixedMoves,
      seed: this.seed,
      engine_choice: this.engineChoice,
    };
    return JSON.stringify(saved);
  }

  /** A stored game with provisional views. */
  static from(saved: SavedGame, now: number): GameState {
    const { clocks, moves } = saved;
    const { rule, size } = saved.settings;
    return new GameState({
      game: saved.game,
      settings: saved.settings,
      you: saved.you,
      stage: saved.stage,
      personActs: saved.person_acts,
      toPlace: saved.to_place,
      hasExtraStones: saved.has_extra_stones,
      fixedMoves: saved.fixed_moves,
      moves,
      views: provisionalViews({ rule, size, setup: null, moves }),
      result: saved.result,
      clocks: clocks && { black: clocks[0], white: clocks[1] },
      clockStarted: now,
      isPaused: false,
      engineChoice: saved.engine_choice ?? null,
      seed: saved.seed,
    });
  }
}

const OLD_NAMES: Record<string, string> = {
  asked: "settings",
  to_put: "to_place",
  more: "has_extra_stones",
  left: "clocks",
  fixed: "fixed_moves",
};

/** Reads a stored game; null if it is none. The engine checks its moves. */
export function readSavedGame(text: string): SavedGame | null {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof read !== "object" || read === null) return null;
  const fields = Object.fromEntries(
    Object.entries(read).map(([name, value]) => [OLD_NAMES[name] ?? name, value]),
  );
  const saved = fields as unknown as Omit<SavedGame, "stage"> & { stage: Stage | "put" };
  const { settings, moves } = saved;
  const isGame =
    typeof saved.game === "string" &&
    RULES.includes(settings?.rule) &&
    SIZES.includes(settings.size) &&
    Array.isArray(moves) &&
    moves.every((move) => /^(pass|[a-v]\d\d?)$/.test(String(move))) &&
    typeof saved.fixed_moves === "number" &&
    ["place", "put", "choose", "play", "over"].includes(saved.stage);
  if (!isGame) return null;
  return { ...saved, stage: saved.stage === "put" ? "place" : saved.stage };
}
