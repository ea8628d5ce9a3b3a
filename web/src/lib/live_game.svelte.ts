// SPDX-License-Identifier: MIT
// The game that is played: runs the engine and the clocks, stores every change, keeps the tabs of
// the browser consistent. A failure of the engine leaves the game as it is.
import { app, errorMessage } from "./app.svelte";
import { engine, type Job } from "./engine.svelte";
import {
  GameState,
  levelOf,
  randomBelow,
  readSavedGame,
  type EngineTask,
  type GameSettings,
  type Side,
  type SwapChoice,
} from "./game_state";
import { games } from "./games";
import type { AnalysisEvent, AnalysisLine, MoveEvent, Swap2Event } from "./protocol";
import { RequestRejected } from "./server_back_end";
import { permanent } from "./storage";
import { Tabs, type GameMessage } from "./tabs";
import { t } from "./text.svelte";
import type { Key } from "./translations";

const FULL_TIME = 4; // s per move at full strength, without other settings
const HINT_TIME = 1; // s
const SWAP2_TIME = 1; // s
const SWAP2_NUMBERS = 65_536; // numbers of openings that the engine accepts
const MAX_MOVE_TIME = 60; // s
const GRACE = 50; // ms between a clock's end and the check of it
const CLOCK_INTERVAL = 5000; // ms between two copies of a running clock
const QUERY_TIME = 200; // ms that another tab may take to answer
const CLOCK = "tengen-clock"; // storage key

const REMATCH: Partial<Record<Side, Side>> = {
  black: "white",
  white: "black",
  swap2: "swap2_you",
  swap2_you: "swap2",
};
export const CHOICE_TEXTS: Record<SwapChoice, Key> = {
  black: "tengenTakesBlack",
  white: "tengenPlaysWhite",
  more: "tengenPlacesTwo",
};

const now = () => performance.now();

class LiveGame {
  game = $state.raw<GameState | null>(null);
  hint = $state.raw<AnalysisLine | null>(null);
  pending = $state<string | null>(null); // a click that the engine checks
  problem = $state(""); // why the engine does not play; `retry` tries again
  private isChecked = false; // the views are the engine's
  private isChecking = false;
  private isTouched = false; // the game was changed here
  private isOwner = false; // of the tabs, this one lets the engine play
  private acted = 0; // ms, Unix time of the last change of the game in any tab
  private early: string | null = null; // the point clicked before the views arrived
  private job: Job<MoveEvent | Swap2Event> | null = null;
  private hintJob: Job<AnalysisEvent> | null = null;
  private flagTimer: ReturnType<typeof setTimeout> | undefined;
  private claimTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly tabs = new Tabs((message) => {
    if (message.type === "game") this.adopt(message);
    else if (message.type === "query" && this.isOwner) this.publish();
    else if (message.type === "move_now" && this.isOwner) this.job?.stop();
    else if (message.type === "leave") this.claimLater(QUERY_TIME * Math.random());
  });

  constructor() {
    app.onOpen(() => void this.restore());
    engine.onReady(() => this.retry());
    engine.onLost(() => this.resume());
    setInterval(() => this.storeClock(), CLOCK_INTERVAL);
    addEventListener("pagehide", () => this.leave());
    addEventListener("pageshow", (event) => event.persisted && this.query());
    document.addEventListener("freeze", () => this.leave());
    document.addEventListener("resume", () => this.query());
  }

  // --- actions of the person ---

  newGame(settings: GameSettings): void {
    this.stopWork();
    const game = GameState.start(settings, now());
    this.isChecked = game.moves.length === 0; // an empty board has nothing to check
    this.early = null;
    if (!game.isBetweenPeople) engine.newGame().catch(() => {}); // `think` reports errors
    this.act(game);
  }

  /** Starts the same game with the sides exchanged. */
  rematch(): void {
    const { settings } = this.game!;
    this.newGame({ ...settings, you: REMATCH[settings.you] ?? settings.you });
  }

  /** A move or a stone of the opening, if the engine accepts it. */
  async play(point: string): Promise<void> {
    const { game } = this;
    if (!game?.canPlay || this.pending) return;
    if (!this.isChecked) {
      this.early = point;
      return;
    }
    const at = now();
    const ended = game.flagFallen(at);
    if (ended) return this.act(ended);
    this.pending = point;
    try {
      const moves = [...game.moves, point];
      const view = await engine.view({ ...game.position, moves });
      if (this.game && game.isSameAs(this.game)) this.act(this.game.played(point, view, at));
    } catch (error) {
      app.failed(error);
    } finally {
      this.pending = null;
    }
  }

  choose(choice: SwapChoice): void {
    const { game } = this;
    if (game?.choices.includes(choice)) this.act(game.chosen(choice, now()));
  }

  takeBack(): void {
    const { game } = this;
    if (!game?.canTakeBack || !this.isChecked) return;
    this.stopWork();
    this.act(game.takenBack(now()));
  }

  resign(): void {
    const { game } = this;
    if (!game || game.stage === "over") return;
    this.stopWork();
    this.act(game.resigned(now()));
  }

  moveNow(): void {
    if (this.job) this.job.stop();
    else if (!this.isOwner) {
      this.tabs.post({ type: "move_now" });
      this.claimLater(5 * QUERY_TIME); // if the owner has crashed
    }
  }

  async requestHint(): Promise<void> {
    const { game } = this;
    if (!game || game.isBetweenPeople || this.hintJob) return;
    if (game.stage !== "play" || !game.isYourTurn) {
      app.notify(t("errorTurn"), "error");
      return;
    }
    const job = engine.analyse(game.position, { lines: 1, seconds: HINT_TIME }, () => {});
    this.hintJob = job;
    try {
      const event = await job.done;
      if (this.hintJob === job) this.hint = event.lines[0] ?? null;
    } catch (error) {
      if (this.hintJob === job) app.failed(error);
    } finally {
      if (this.hintJob === job) this.hintJob = null;
    }
  }

  /** Lets the engine try again after a failure. */
  retry = (): void => {
    this.problem = "";
    this.resume();
  };

  // --- changes ---

  /** The next state after an action in this tab, which owns the game from now on. */
  private act(game: GameState): void {
    this.isOwner = true;
    this.isTouched = true;
    this.acted = Math.max(Date.now(), this.acted + 1);
    this.problem = "";
    this.show(game);
    void games.save(game.game, game.toJson(now()));
    this.publish();
    this.resume();
  }

  private show(game: GameState): void {
    const before = this.game?.game === game.game ? this.game.moves.length : null;
    this.game = game;
    if (before !== game.moves.length) this.hint = null;
    this.hintJob?.stop();
    this.hintJob = null;
    const last = game.moves.at(-1);
    if (before === null || !last || before >= game.moves.length) return;
    const mover = t(game.views[game.moves.length - 1]!.turn);
    const turn = game.isBetweenPeople ? t("toMove", t(game.turn)) : t("yourTurn");
    app.announce(`${mover} ${last}. ${game.result || !game.isYourTurn ? "" : turn}`);
  }

  private stopWork(): void {
    const { job } = this;
    this.job = null;
    job?.stop();
    clearTimeout(this.flagTimer);
  }

  /** Requests the views of a game that was stored or begins with an opening. */
  private async check(): Promise<void> {
    const { game } = this;
    if (!game || this.isChecked || this.isChecking) return;
    this.isChecking = true;
    const isCurrent = () => this.game?.game === game.game && !this.isChecked;
    try {
      const views = await engine.views(game.position);
      if (isCurrent()) {
        this.isChecked = true;
        this.game = this.game!.checked(views);
      }
    } catch (error) {
      if (isCurrent()) {
        if (error instanceof RequestRejected) this.game = null; // its moves are illegal
        else if (engine.isReady) this.fail(error); // else: again when it is ready
      }
    } finally {
      this.isChecking = false;
    }
    if (this.game && !this.isChecked && !engine.isReady) return;
    const { early } = this;
    this.early = null;
    this.resume();
    if (early) void this.play(early);
  }

  /** Starts the clock and the engine, if it is their turn. */
  private resume(): void {
    if (this.game && !this.isChecked && !this.problem) void this.check();
    if (!this.game) return;
    const task = this.game.engineTask;
    const canThink = engine.isReady && !this.problem;
    this.game = this.game.paused(!engine.isReady || (task !== null && !canThink), now());
    if (!this.isChecked || !this.isOwner) return;
    this.setFlagTimer();
    if (task && canThink && !this.job) void this.think(this.game, task);
  }

  private setFlagTimer(): void {
    clearTimeout(this.flagTimer);
    const colour = this.game?.runningClock;
    if (!this.game || !colour) return;
    const left = 1000 * this.game.timeLeft(colour, now())!;
    this.flagTimer = setTimeout(() => this.checkFlag(), left + GRACE);
  }

  private checkFlag(): void {
    const ended = this.game?.flagFallen(now());
    if (!ended) return this.setFlagTimer();
    this.stopWork();
    this.act(ended);
  }

  // --- the engine ---

  private async think(game: GameState, task: EngineTask): Promise<void> {
    const job = task === "move" ? this.startMove(game) : this.startSwap2(game, task);
    this.job = job;
    try {
      const event = await job.done;
      const at = now();
      const stones = event.type === "move" ? [event.move] : event.stones;
      const position = { ...game.position, moves: [...game.moves, ...stones] };
      const known = game.moves.length + 1;
      const views = stones.length ? (await engine.views(position)).slice(known) : [];
      if (this.job !== job || !this.game) return; // taken back, or another game
      this.job = null;
      const ended = this.game.flagFallen(at);
      if (ended) return this.act(ended);
      if (event.type === "move") return this.act(this.game.played(event.move, views[0]!, at));
      this.act(this.game.engineChose(stones, views, at));
      if (task === "choose" && this.game.engineChoice)
        app.notify(t(CHOICE_TEXTS[this.game.engineChoice]));
    } catch (error) {
      if (this.job !== job) return;
      this.job = null;
      if (engine.isReady) this.fail(error); // else: resumed when it is ready
      this.resume();
    }
  }

  private startMove(game: GameState): Job<MoveEvent> {
    const { seconds, clock } = game.settings;
    const level = levelOf(game.settings);
    if (!game.clocks || !clock) {
      const time = Math.min(seconds ?? FULL_TIME, MAX_MOVE_TIME);
      return engine.move(game.position, { level, seconds: time, seed: game.seed });
    }
    const left = Math.max(0, game.timeLeft(game.turn, now())! - GRACE / 1000);
    return engine.move(game.position, {
      level,
      seconds: seconds ?? MAX_MOVE_TIME,
      clock: { left, increment: clock.increment },
      seed: game.seed,
    });
  }

  private startSwap2(game: GameState, task: EngineTask): Job<Swap2Event> {
    const number = task === "place" ? randomBelow(SWAP2_NUMBERS) : 0;
    const level = levelOf(game.settings);
    const options = { number, level, seconds: SWAP2_TIME, seed: game.seed };
    return engine.swap2(game.position, options);
  }

  private fail(error: unknown): void {
    this.problem = errorMessage(error);
    app.failed(error, this.retry);
  }

  // --- storage and tabs ---

  /** Shows the newest stored game. */
  private async restore(): Promise<void> {
    this.query();
    const [newest] = await games.list();
    const saved = newest && readSavedGame(newest.state);
    if (!saved || this.isTouched) return;
    const game = GameState.from(saved, now());
    if (game.isSameAs(this.game)) return;
    this.isChecked = false;
    this.acted = Math.min(1000 * newest.changed, Date.now()); // the server's clock may be fast
    this.game = this.withStoredClocks(game);
    this.resume();
    this.claimLater(QUERY_TIME);
  }

  /** Asks the other tabs for the game; without an answer, this one owns it. */
  private query(): void {
    this.tabs.post({ type: "query" });
    this.claimLater(QUERY_TIME);
  }

  private claimLater(delay: number): void {
    clearTimeout(this.claimTimer);
    this.claimTimer = setTimeout(() => {
      if (!this.game || this.isOwner) return;
      this.isOwner = true;
      this.publish();
      this.resume();
    }, delay);
  }

  /** The page is closed or frozen: another tab may take the game. */
  private leave(): void {
    this.storeClock();
    if (this.isOwner) this.tabs.post({ type: "leave" });
    this.isOwner = false;
    this.stopWork();
  }

  private publish(): void {
    const { game, acted } = this;
    if (!game) return;
    const views = this.isChecked ? game.views : null;
    this.tabs.post({ type: "game", state: game.toJson(now()), views, acted });
  }

  /** Shows the game of the tab that owns it, unless this tab knows a newer state. */
  private adopt({ state: text, views, acted = this.acted, from }: GameMessage): void {
    const saved = readSavedGame(text);
    if (!saved) return;
    const game = GameState.from(saved, now());
    const isSame = game.isSameAs(this.game);
    if (acted < this.acted && !isSame) {
      if (this.isOwner) this.publish();
      return;
    }
    clearTimeout(this.claimTimer);
    // Two tabs claimed the game at the same time: the one with the smaller name keeps it.
    if (isSame && this.isOwner && this.tabs.id < from) return this.publish();
    this.isOwner = false;
    this.isTouched = true;
    this.acted = Math.max(acted, this.acted);
    this.problem = "";
    this.stopWork();
    games.remember(game.game, text);
    this.isChecked = views !== null;
    this.show(views ? game.checked(views) : game);
    this.resume();
  }

  /** Copies a running clock, so that a reload does not set it back. */
  private storeClock(): void {
    const { game } = this;
    if (!this.isOwner || !game?.runningClock) return;
    const left = [game.timeLeft("black", now()), game.timeLeft("white", now())];
    permanent.set(CLOCK, JSON.stringify([game.game, game.moves.length, ...left]));
  }

  private withStoredClocks(game: GameState): GameState {
    try {
      const [name, ply, black, white] = JSON.parse(permanent.get(CLOCK) ?? "[]") as unknown[];
      const isOfGame = name === game.game && ply === game.moves.length && game.clocks !== null;
      if (!isOfGame || typeof black !== "number" || typeof white !== "number") return game;
      return game.withClocks({ black, white }, now());
    } catch {
      return game;
    }
  }
}

export const live = new LiveGame();
