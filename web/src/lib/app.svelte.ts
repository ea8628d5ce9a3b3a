// SPDX-License-Identifier: MIT
// What the whole page shares: the connection, what the server offers, settings, short notices.
import type { Ask, Game, Hint, NewGame, Tell, Welcome } from "./messages";
import { Link, Refusal } from "./socket";
import { isLink } from "./share";
import { lasting } from "./storage";
import { faultWords } from "./told";
import { detectLanguage, setLanguage, t, type Language } from "./words.svelte";

export type Mode = "play" | "analyse" | "review" | "learn";
export const MODES: Mode[] = ["play", "analyse", "review", "learn"];
export type Theme = "auto" | "light" | "dark";

const SETTINGS = "tengen-settings";
const NOTICE_TIME = 5000; // ms
const LATE = 2500; // ms without a connection, before that is told

interface Settings {
  theme: Theme;
  language: Language;
  numbers: boolean;
  coordinates: boolean;
  heat: boolean;
  lines: number; // of an analysis
  last: NewGame | null; // the game that was asked for last
}

function stored(): Settings {
  const usual: Settings = {
    theme: "auto",
    language: detectLanguage(),
    numbers: false,
    coordinates: true,
    heat: true,
    lines: 3,
    last: null,
  };
  try {
    return { ...usual, ...JSON.parse(lasting.get(SETTINGS) ?? "{}") };
  } catch {
    return usual;
  }
}

export interface Notice {
  id: number;
  words: string;
  kind: "info" | "fault";
  act?: () => void; // what a click on it does
}

/** The mode that the address names: reloads, bookmarks and the way back keep to it. */
export function modeOfAddress(): Mode {
  if (isLink()) return "analyse";
  return MODES.find((mode) => location.hash === `#${mode}`) ?? "play";
}

class App {
  mode = $state<Mode>(modeOfAddress());
  connected = $state(false);
  everConnected = $state(false);
  isLate = $state(false); // the first connection takes longer than it should
  denied = $state(false);
  denials = $state(0);
  welcome = $state.raw<Welcome | null>(null);
  game = $state.raw<Game | null>(null);
  gameAt = $state(0); // when it came, by performance.now()
  hint = $state.raw<Hint | null>(null);
  settings = $state<Settings>(stored());
  notices = $state<Notice[]>([]);
  spoken = $state(""); // for screen readers
  private noticeId = 0;
  private isAwaited = false; // a game was asked for and has not come yet
  private early: string | null = null; // the point clicked meanwhile
  private readonly hearers: ((tell: Tell) => boolean)[] = [];
  private readonly wakers: (() => void)[] = [];

  readonly link = new Link({
    heard: (tell) => this.heard(tell),
    state: (connected, denied) => this.changed(connected, denied),
  });

  start(): void {
    setLanguage(this.settings.language);
    this.applyTheme();
    this.link.open();
    setTimeout(() => (this.isLate = true), LATE);
  }

  /** Send a message that has no answer of its own; say so where that is not possible. */
  tell(ask: Ask): boolean {
    const isSent = this.link.send(ask);
    if (!isSent) this.notify(t("noConnection"), "fault");
    return isSent;
  }

  /** Ask for a game; whether it could be asked for. */
  begin(asked: NewGame): boolean {
    this.isAwaited = this.tell(asked);
    this.early = null;
    return this.isAwaited;
  }

  /** A click on the board before the first game has come: it is played as soon as that has. */
  playEarly(point: string): void {
    if (this.isAwaited) this.early = point;
  }

  /** Have messages of other kinds handed to somebody; true: it was his. */
  onTell(hearer: (tell: Tell) => boolean): void {
    this.hearers.push(hearer);
  }

  /** Called when the connection is there, the first time and after each loss. */
  onConnect(waker: () => void): void {
    this.wakers.push(waker);
  }

  private changed(connected: boolean, denied: boolean): void {
    this.connected = connected;
    this.denied = denied;
    if (denied) this.denials += 1;
    if (connected) this.everConnected = true;
    else this.isAwaited = false;
  }

  private heard(tell: Tell): void {
    if (tell.type === "welcome") {
      this.welcome = tell;
      for (const waker of this.wakers) waker();
    } else if (tell.type === "game") this.takeGame(tell);
    else if (tell.type === "no_game") this.game = null;
    else if (tell.type === "hint") this.hint = tell;
    else if (tell.type === "progress" && this.welcome)
      this.welcome = { ...this.welcome, problems: tell.problems };
    else if (this.hearers.some((hearer) => hearer(tell))) return;
    else if (tell.type === "fault") {
      this.isAwaited = false;
      this.notify(faultWords(tell), "fault");
    }
  }

  private takeGame(game: Game): void {
    const before = this.game;
    this.game = game;
    this.gameAt = performance.now();
    if (!before || before.moves.length !== game.moves.length) this.hint = null;
    const last = game.moves.at(-1);
    if (before && last && before.moves.length < game.moves.length) {
      const mover = game.moves.length % 2 ? t("black") : t("white");
      const turn = game.asked.you === "both" ? t("toMove", t(game.view.turn)) : t("yourTurn");
      this.say(`${mover} ${last}. ${game.result || !game.yours ? "" : turn}`);
    }
    const move = this.isAwaited ? this.early : null;
    this.isAwaited = false;
    this.early = null;
    if (move && game.yours && game.stage !== "choose") this.tell({ type: "play", move });
  }

  notify(words: string, kind: Notice["kind"] = "info", act?: () => void): void {
    this.noticeId += 1;
    const id = this.noticeId;
    const others = this.notices.filter((notice) => notice.words !== words);
    this.notices = [...others.slice(-3), { id, words, kind, act }];
    setTimeout(() => this.dismiss(id), act ? 2 * NOTICE_TIME : NOTICE_TIME);
  }

  dismiss(id: number): void {
    this.notices = this.notices.filter((notice) => notice.id !== id);
  }

  /** Tell what went wrong with a question. */
  failed = (error: unknown): void => {
    const known = { connection: "noConnection", timeout: "timeout" } as const;
    const key = error instanceof Error && known[error.message as keyof typeof known];
    if (error instanceof Refusal) this.notify(faultWords(error.fault), "fault");
    else if (key) this.notify(t(key), "fault");
    else this.notify(String(error instanceof Error ? error.message : error), "fault");
  };

  say(words: string): void {
    this.spoken = words;
  }

  keepSettings(): void {
    lasting.set(SETTINGS, JSON.stringify(this.settings));
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
