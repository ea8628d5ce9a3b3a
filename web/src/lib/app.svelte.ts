// SPDX-License-Identifier: MIT
// State shared by the whole page: the connection, the server's offer, settings, notices.
import type { PageRequest, GameEvent, HintEvent, NewGameRequest, ServerEvent, WelcomeEvent } from "./messages";
import { Link, RequestRejected } from "./socket";
import { isLink, newGameFromAddress } from "./share";
import { permanent } from "./storage";
import { errorText } from "./format";
import { detectLanguage, setLanguage, t, type Language } from "./text.svelte";

export type Mode = "play" | "analyse" | "review" | "learn";
export const MODES: Mode[] = ["play", "analyse", "review", "learn"];
export type Theme = "auto" | "light" | "dark";

export const NEW_GAME: NewGameRequest = {
  type: "new_game",
  rule: "renju",
  size: 15,
  you: "black",
  opening: null,
  level: 3,
  seconds: null,
  clock: null,
};
const SETTINGS = "tengen-settings"; // storage key
const NOTICE_TIME = 5000; // ms
const LATE = 2500; // ms without a connection before the page says so

interface Settings {
  theme: Theme;
  language: Language;
  numbers: boolean;
  coordinates: boolean;
  heat: boolean;
  lines: number; // of an analysis
  last: NewGameRequest | null; // settings of the last new game
}

function loadSettings(): Settings {
  const defaults: Settings = {
    theme: "auto",
    language: detectLanguage(),
    numbers: false,
    coordinates: true,
    heat: true,
    lines: 3,
    last: null,
  };
  let settings = defaults;
  try {
    settings = { ...defaults, ...JSON.parse(permanent.get(SETTINGS) ?? "{}") };
  } catch {
    // damaged settings: start with the defaults
  }
  const wanted = newGameFromAddress();
  return wanted ? { ...settings, last: { ...NEW_GAME, ...settings.last, ...wanted } } : settings;
}

export interface Notice {
  id: number;
  text: string;
  kind: "info" | "error";
  action?: () => void; // of a click on it
}

/** The mode named by the address, so that reload, bookmarks and Back work. */
export function modeFromAddress(): Mode {
  if (isLink()) return "analyse";
  return MODES.find((mode) => location.hash === `#${mode}`) ?? "play";
}

class App {
  mode = $state<Mode>(modeFromAddress());
  connected = $state(false);
  everConnected = $state(false);
  isLate = $state(false); // the first connection takes longer than it should
  denied = $state(false);
  denials = $state(0);
  welcome = $state.raw<WelcomeEvent | null>(null);
  game = $state.raw<GameEvent | null>(null);
  gameReceived = $state(0); // by performance.now()
  hint = $state.raw<HintEvent | null>(null);
  settings = $state<Settings>(loadSettings());
  notices = $state<Notice[]>([]);
  announcement = $state(""); // for screen readers
  private noticeId = 0;
  private isStarting = false; // a new game was requested and has not arrived
  private early: string | null = null; // the point clicked meanwhile
  private readonly eventHandlers: ((event: ServerEvent) => boolean)[] = [];
  private readonly connectHandlers: (() => void)[] = [];

  readonly link = new Link({
    onEvent: (event) => this.handle(event),
    onState: (connected, denied) => this.stateChanged(connected, denied),
  });

  start(): void {
    setLanguage(this.settings.language);
    this.applyTheme();
    this.link.open();
    setTimeout(() => (this.isLate = true), LATE);
  }

  /** Sends a request without waiting for an event; shows a notice if that fails. */
  send(request: PageRequest): boolean {
    const isSent = this.link.send(request);
    if (!isSent) this.notify(t("noConnection"), "error");
    return isSent;
  }

  /** Requests a new game; returns whether the request was sent. */
  newGame(settings: NewGameRequest): boolean {
    this.isStarting = this.send(settings);
    this.early = null;
    return this.isStarting;
  }

  /** Remembers a click on the board before the first game arrives, and plays it then. */
  playEarly(point: string): void {
    if (this.isStarting) this.early = point;
  }

  /** Adds a handler for other events; it returns whether it has handled the event. */
  onEvent(handler: (event: ServerEvent) => boolean): void {
    this.eventHandlers.push(handler);
  }

  /** Adds a handler that runs after each connection. */
  onConnect(handler: () => void): void {
    this.connectHandlers.push(handler);
  }

  private stateChanged(connected: boolean, denied: boolean): void {
    this.connected = connected;
    this.denied = denied;
    if (denied) this.denials += 1;
    if (connected) this.everConnected = true;
    else this.isStarting = false;
  }

  private handle(event: ServerEvent): void {
    if (event.type === "welcome") {
      this.welcome = event;
      for (const handler of this.connectHandlers) handler();
    } else if (event.type === "game") this.updateGame(event);
    else if (event.type === "no_game") this.game = null;
    else if (event.type === "hint") this.hint = event;
    else if (event.type === "problem_progress" && this.welcome)
      this.welcome = { ...this.welcome, problems: event.problems };
    else if (this.eventHandlers.some((handler) => handler(event))) return;
    else if (event.type === "error") {
      this.isStarting = false;
      this.notify(errorText(event), "error");
    }
  }

  private updateGame(game: GameEvent): void {
    const before = this.game;
    this.game = game;
    this.gameReceived = performance.now();
    if (!before || before.moves.length !== game.moves.length) this.hint = null;
    const last = game.moves.at(-1);
    if (before && last && before.moves.length < game.moves.length) {
      const mover = game.moves.length % 2 ? t("black") : t("white");
      const turn = game.settings.you === "both" ? t("toMove", t(game.view.turn)) : t("yourTurn");
      this.announce(`${mover} ${last}. ${game.result || !game.your_turn ? "" : turn}`);
    }
    const move = this.isStarting ? this.early : null;
    this.isStarting = false;
    this.early = null;
    if (move && game.your_turn && game.stage !== "choose") this.send({ type: "play", move });
  }

  notify(text: string, kind: Notice["kind"] = "info", action?: () => void): void {
    this.noticeId += 1;
    const id = this.noticeId;
    const others = this.notices.filter((notice) => notice.text !== text);
    this.notices = [...others.slice(-3), { id, text, kind, action }];
    setTimeout(() => this.dismiss(id), action ? 2 * NOTICE_TIME : NOTICE_TIME);
  }

  dismiss(id: number): void {
    this.notices = this.notices.filter((notice) => notice.id !== id);
  }

  /** Shows the error of a request. */
  failed = (error: unknown): void => {
    const known = { connection: "noConnection", timeout: "timeout" } as const;
    const key = error instanceof Error && known[error.message as keyof typeof known];
    if (error instanceof RequestRejected) this.notify(errorText(error.event), "error");
    else if (key) this.notify(t(key), "error");
    else this.notify(String(error instanceof Error ? error.message : error), "error");
  };

  announce(text: string): void {
    this.announcement = text;
  }

  saveSettings(): void {
    permanent.set(SETTINGS, JSON.stringify(this.settings));
    setLanguage(this.settings.language);
    this.applyTheme();
  }

  private applyTheme(): void {
    const root = document.documentElement;
    if (this.settings.theme === "auto") root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", this.settings.theme);
    root.lang = this.settings.language;
  }
}

export const app = new App();
