// SPDX-License-Identifier: MIT
// State shared by the whole page: the mode, settings, notices, the choice of the engine.
import { engine, type EngineKind } from "./engine.svelte";
import { errorText } from "./format";
import type { GameSettings } from "./game_state";
import { games } from "./games";
import { RequestRejected, takeToken } from "./server_back_end";
import { isLink, newGameFromAddress } from "./share";
import { permanent } from "./storage";
import { detectLanguage, setLanguage, t, type Language } from "./text.svelte";
import { WorkerBackEnd } from "./worker_back_end";

export type Mode = "play" | "analyse" | "review" | "learn";
export const MODES: Mode[] = ["play", "analyse", "review", "learn"];
export type Theme = "auto" | "light" | "dark";

export const NEW_GAME: GameSettings = {
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
const FAULT_TIME = 30_000; // ms that a notice about storage is shown
const RETRY = 2000; // ms until the page asks again which engines there are
const LATE = 2500; // ms without a connection before the page says so

interface Settings {
  theme: Theme;
  language: Language;
  numbers: boolean;
  coordinates: boolean;
  heat: boolean;
  lines: number; // of an analysis
  engine: EngineKind | null; // null: the server's, if there is one
  last: GameSettings | null; // settings of the last new game
}

function loadSettings(): Settings {
  const defaults: Settings = {
    theme: "auto",
    language: detectLanguage(),
    numbers: false,
    coordinates: true,
    heat: true,
    lines: 3,
    engine: null,
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

/** The engines of this page, the default one first. Tries until the page's host answers. */
async function findEngines(): Promise<EngineKind[]> {
  for (;;) {
    try {
      const manifest = await WorkerBackEnd.offer();
      if (!manifest) return ["server"];
      return manifest.offline ? ["browser"] : ["server", "browser"];
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY));
    }
  }
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
  everConnected = $state(false);
  isLate = $state(false); // the first connection takes longer than it should
  engines = $state.raw<EngineKind[]>([]); // that this page offers
  settings = $state<Settings>(loadSettings());
  notices = $state<Notice[]>([]);
  announcement = $state(""); // for screen readers
  private noticeId = 0;
  private readonly openHandlers: (() => void)[] = [];

  start(): void {
    takeToken();
    setLanguage(this.settings.language);
    this.applyTheme();
    engine.onReady(() => (this.everConnected = true));
    engine.onServer(() => engine.server?.welcome && void games.merge(engine.server.welcome));
    games.onFault = (fault, reason) => {
      const key = fault === "server" ? "serverStoresNothing" : "browserStoresNothing";
      this.notify(t(key, reason), "error", undefined, FAULT_TIME);
    };
    games.onConflict = (replace) =>
      this.notify(t("studyConflict"), "error", replace, FAULT_TIME);
    games.onMerged = () => this.runOpenHandlers();
    setTimeout(() => (this.isLate = true), LATE);
    void this.open();
  }

  private async open(): Promise<void> {
    this.engines = await findEngines();
    if (this.engines.includes("server")) engine.connect();
    this.chooseEngine(this.settings.engine);
    await games.open(engine.server);
    this.runOpenHandlers();
  }

  private runOpenHandlers(): void {
    for (const handler of this.openHandlers) handler();
  }

  /** Uses an engine of this page, by default the first one. */
  chooseEngine(kind: EngineKind | null): void {
    engine.use(this.engines.find((known) => known === kind) ?? this.engines[0] ?? "server");
  }

  /** Adds a handler that runs once the stored games and the study are known, and again if the
   * server then has newer ones. */
  onOpen(handler: () => void): void {
    this.openHandlers.push(handler);
  }

  notify(
    text: string,
    kind: Notice["kind"] = "info",
    action?: () => void,
    time = action ? 2 * NOTICE_TIME : NOTICE_TIME,
  ): void {
    this.noticeId += 1;
    const id = this.noticeId;
    const others = this.notices.filter((notice) => notice.text !== text);
    this.notices = [...others.slice(-3), { id, text, kind, action }];
    setTimeout(() => this.dismiss(id), time);
  }

  dismiss(id: number): void {
    this.notices = this.notices.filter((notice) => notice.id !== id);
  }

  /** Shows the error of a request; a click on the notice repeats it with `retry`. */
  failed = (error: unknown, retry?: () => void): void => {
    const text = errorMessage(error);
    if (text) this.notify(retry ? `${text} ${t("tryAgain")}` : text, "error", retry);
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

/** The text of an error of a request; empty for one that the page has stopped. */
export function errorMessage(error: unknown): string {
  if (error instanceof RequestRejected) return errorText(error.event);
  const name = error instanceof Error ? error.message : String(error);
  if (name === "connection") return t("noConnection");
  if (name === "timeout") return t("timeout");
  return name === "stopped" ? "" : name;
}

export const app = new App();
