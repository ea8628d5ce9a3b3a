// SPDX-License-Identifier: MIT
// Games, the study and solved problems: in memory, in the database of the browser, and with a
// server in its database too. What cannot be stored stays in memory and is written again later.
import { Database } from "./database";
import type { StoredGame, WelcomeEvent } from "./protocol";
import { RequestRejected, type ServerBackEnd, type StorageRequestBody } from "./server_back_end";
import { permanent } from "./storage";

const MAX_GAMES = 200;
const MAX_STUDY = 400_000; // bytes of a study that the server takes
const MAX_MESSAGE = 520_000; // bytes of a message that it takes: a longer one ends the connection
const SEND_PAUSE = 50; // ms between two games that are sent again
const READ_WAIT = 2000; // ms that the page waits for the database of the browser
const SERVER_WAIT = 2500; // ms that it waits for the games of the server

// Storage keys: what `leave` kept.
const UNWRITTEN_GAMES = "tengen-unwritten";
const UNWRITTEN_STUDY = "tengen-unwritten-study";

interface UnwrittenStudy {
  text: string;
  stamp: string;
  known: string[]; // stamps that it may replace
}

function newStamp(): string {
  return Math.random().toString(36).slice(2);
}

/** The value of a storage key; null if there is none or it is damaged. */
function parsed<T>(key: string): T | null {
  try {
    return JSON.parse(permanent.get(key) ?? "null") as T | null;
  } catch {
    return null;
  }
}

function unwrittenGames(): StoredGame[] {
  return parsed<{ games: StoredGame[] }>(UNWRITTEN_GAMES)?.games ?? [];
}

function keepUnwrittenGames(games: StoredGame[]): void {
  permanent.set(UNWRITTEN_GAMES, games.length ? JSON.stringify({ games }) : null);
}

/** Why something is not stored: only in memory, or not on the server. */
export type StorageFault = "browser" | "server";

class Games {
  /** Called once per fault, with its reason. */
  onFault: (fault: StorageFault, reason: string) => void = () => {};
  /** Called when a study was not stored since another tab has stored another one; `replace` stores
   * it nevertheless. */
  onConflict: (replace: () => void) => void = () => {};
  /** Called when a database answered after the page had begun. */
  onMerged: () => void = () => {};
  private readonly database = new Database();
  private server: ServerBackEnd | null = null;
  private readonly kept = new Map<string, StoredGame>();
  private readonly solvedNames = new Set<string>();
  private studyText: string | null = null;
  private studyStamp = newStamp(); // of `studyText`; another text has another one
  private readonly stamps = new Set<string>(); // of the studies that this tab read or wrote
  private isStudyRefused = false; // another tab's is stored, and the person decides
  private isStudySent = true;
  private isStudyWritten = true; // into the browser's database
  private isMerged = false; // the server's data were read
  private readonly own = new Set<string>(); // games that this page has changed
  private readonly unwritten = new Set<string>(); // games to write into the browser's database
  private readonly faults = new Set<StorageFault>();
  private resolveMerged: () => void = () => {};
  private reading: Promise<void> = Promise.resolve();
  private ready: Promise<void> = Promise.resolve();

  /** Reads everything; with a server, waits a moment for its data. */
  open(server: ServerBackEnd | null): Promise<void> {
    this.server = server;
    this.takeUnwritten();
    // A page that is shown again still has what it had not written.
    addEventListener("pageshow", (event) => event.persisted && this.forgetUnwritten());
    let isLate = false;
    const late = new Promise<void>((resolve) => {
      setTimeout(() => {
        isLate = true;
        resolve();
      }, READ_WAIT);
    });
    const read = this.read();
    void read.then(() => isLate && this.onMerged());
    this.reading = Promise.race([read, late]);
    const merged = new Promise<void>((resolve) => {
      this.resolveMerged = resolve;
      if (server) setTimeout(resolve, SERVER_WAIT);
      else resolve();
    });
    this.ready = Promise.all([this.reading, merged]).then(() => {});
    return this.ready;
  }

  private async read(): Promise<void> {
    try {
      const [games, studies, solved] = await Promise.all([
        this.database.all("games"),
        this.database.all("study"),
        this.database.all("solved"),
      ]);
      for (const row of games) {
        if ((this.kept.get(row.game)?.changed ?? -Infinity) >= row.changed) continue;
        this.kept.set(row.game, row);
        this.unwritten.delete(row.game);
      }
      if (this.unwritten.size) void this.write([]);
      for (const row of solved) this.solvedNames.add(row.problem);
      if (studies[0] && this.studyText === null) {
        this.studyText = studies[0].text;
        this.studyStamp = studies[0].stamp ?? "";
        this.isStudySent = studies[0].isSent;
      }
    } catch (error) {
      this.fault("browser", error);
    }
  }

  /** Keeps what the database of the browser does not have yet. The page is closed, which may end
   * the writing: only `localStorage` is written at once. */
  leave(): void {
    const games = new Map(unwrittenGames().map((entry) => [entry.game, entry])); // of other tabs
    for (const game of this.unwritten) {
      const entry = this.kept.get(game);
      if (entry && entry.changed >= (games.get(game)?.changed ?? 0)) games.set(game, entry);
    }
    keepUnwrittenGames([...games.values()]);
    const { studyText: text, studyStamp: stamp } = this;
    if (text === null || this.isStudyWritten || this.isStudyRefused) return;
    const study: UnwrittenStudy = { text, stamp, known: [...this.stamps] };
    permanent.set(UNWRITTEN_STUDY, JSON.stringify(study));
  }

  /** Removes what `leave` of this tab kept. */
  private forgetUnwritten(): void {
    const isOther = ({ game, changed }: StoredGame) => this.kept.get(game)?.changed !== changed;
    keepUnwrittenGames(unwrittenGames().filter(isOther));
    if (parsed<UnwrittenStudy>(UNWRITTEN_STUDY)?.stamp === this.studyStamp)
      permanent.set(UNWRITTEN_STUDY, null);
  }

  /** `read` writes the games, unless it finds newer ones. */
  private takeUnwritten(): void {
    for (const entry of unwrittenGames()) {
      this.kept.set(entry.game, entry);
      this.unwritten.add(entry.game);
    }
    const study = parsed<UnwrittenStudy>(UNWRITTEN_STUDY);
    permanent.set(UNWRITTEN_GAMES, null);
    permanent.set(UNWRITTEN_STUDY, null);
    if (!study) return;
    this.studyText = study.text;
    this.studyStamp = study.stamp;
    for (const stamp of study.known) this.stamps.add(stamp);
    this.isStudySent = this.isStudyWritten = false;
    void this.keepStudy();
  }

  /** The browser's database is not missed while the server stores everything. */
  private fault(fault: StorageFault, error: unknown): void {
    const isHarmless = fault === "browser" && this.server !== null && !this.faults.has("server");
    if (this.faults.has(fault) || isHarmless) return;
    this.faults.add(fault);
    this.onFault(fault, error instanceof Error ? error.message : String(error));
  }

  // --- games ---

  /** The games, most recently changed first. */
  async list(): Promise<StoredGame[]> {
    await this.ready;
    return [...this.kept.values()].sort((a, b) => b.changed - a.changed);
  }

  /** Stores a game; never rejects. */
  async save(game: string, state: string): Promise<void> {
    const now = Date.now() / 1000;
    this.kept.set(game, { game, state, changed: now });
    this.own.add(game);
    await Promise.all([this.write([game]), this.send({ type: "save_game", game, state })]);
  }

  /** Takes over a game that another tab has stored. */
  remember(game: string, state: string): void {
    this.kept.set(game, { game, state, changed: Date.now() / 1000 });
  }

  /** Writes games, those that failed before, and deletes the oldest ones beyond the limit. */
  private async write(games: string[]): Promise<void> {
    for (const game of games) this.unwritten.add(game);
    const newest = [...this.kept.values()].sort((a, b) => b.changed - a.changed);
    const deleted = newest.slice(MAX_GAMES).map((entry) => entry.game);
    for (const game of deleted) this.kept.delete(game);
    const names = [...this.unwritten];
    const rows = names.flatMap((game) => this.kept.get(game) ?? []);
    try {
      await this.database.write("games", rows, deleted);
      for (const row of rows) if (this.kept.get(row.game) === row) this.unwritten.delete(row.game);
      for (const game of deleted) this.unwritten.delete(game);
    } catch (error) {
      this.fault("browser", error);
    }
  }

  // --- study and problems ---

  async study(): Promise<string | null> {
    await this.ready;
    this.stamps.add(this.studyStamp);
    return this.studyText;
  }

  /** Stores the study, unless another tab has stored another one since this tab read or wrote it;
   * never rejects. */
  async saveStudy(text: string): Promise<void> {
    if (text !== this.studyText) this.studyStamp = newStamp();
    this.stamps.add(this.studyStamp);
    this.studyText = text;
    this.isStudySent = this.isStudyWritten = this.isStudyRefused = false;
    if (!(await this.keepStudy()) || this.studyText !== text) return;
    if (!(await this.sendStudy(text)) || this.studyText !== text) return;
    this.isStudySent = true;
    await this.keepStudy();
  }

  /** Writes the study into the browser's database; returns false if another tab's is there. */
  private async keepStudy(): Promise<boolean> {
    const { studyText: text, studyStamp: stamp, isStudySent: isSent } = this;
    if (text === null) return true;
    let other: string | null;
    try {
      other = await this.database.writeStudy({ name: "study", text, isSent, stamp }, this.stamps);
    } catch (error) {
      this.fault("browser", error);
      return true;
    }
    if (other !== null) {
      const found = other;
      this.isStudyRefused = true;
      this.onConflict(() => {
        this.stamps.add(found);
        void this.saveStudy(text);
      });
      return false;
    }
    for (const older of this.stamps) {
      if (older === stamp) break;
      this.stamps.delete(older);
    }
    if (this.studyText === text) this.isStudyWritten = true;
    return true;
  }

  /** A study that is too large for the server stays in the browser. */
  private async sendStudy(text: string): Promise<boolean> {
    const body = { type: "save_study", text } as const;
    const isTooLarge =
      new Blob([text]).size > MAX_STUDY || new Blob([JSON.stringify(body)]).size > MAX_MESSAGE;
    return !isTooLarge && this.send(body);
  }

  async solved(): Promise<Set<string>> {
    await this.ready;
    return new Set(this.solvedNames);
  }

  async saveSolved(problem: string): Promise<void> {
    this.solvedNames.add(problem);
    const written = this.database.write("solved", [{ problem }]);
    await Promise.all([
      written.catch((error: unknown) => this.fault("browser", error)),
      this.send({ type: "save_solved", problem }),
    ]);
  }

  // --- the server ---

  /** Sends to the server; returns whether it has stored the data. A lost connection is no fault:
   * `merge` sends the rest after the next one. */
  private async send(body: StorageRequestBody): Promise<boolean> {
    if (!this.server) return false;
    try {
      await this.server.store(body);
      return true;
    } catch (error) {
      if (error instanceof RequestRejected) this.fault("server", error);
      return false;
    }
  }

  /** Brings both databases to the same state; the newer copy of each game wins. */
  async merge(welcome: WelcomeEvent): Promise<void> {
    const { server } = this;
    if (!server) return;
    await this.reading;
    if (welcome.storage) this.fault("server", welcome.storage);
    const isFirst = !this.isMerged;
    try {
      const listed = await server.store({ type: "list_games" });
      if (listed.type !== "games") return;
      const taken = this.takeGames(listed.games);
      const isStudyTaken = isFirst && this.takeStudy(welcome.study);
      for (const name of welcome.solved) this.solvedNames.add(name);
      this.isMerged = true;
      this.resolveMerged();
      if (isFirst && (taken.length || isStudyTaken)) this.onMerged();
      if (taken.length) void this.write(taken);
      await this.sendRest(listed.games, welcome);
    } catch (error) {
      if (error instanceof RequestRejected) this.fault("server", error);
      this.resolveMerged();
    }
  }

  /** Takes the newer games of the server; returns their names. */
  private takeGames(games: StoredGame[]): string[] {
    const changed = games.filter(({ game, state, changed }) => {
      const kept = this.kept.get(game);
      return !kept || (changed > kept.changed && state !== kept.state && !this.own.has(game));
    });
    for (const game of changed) this.kept.set(game.game, game);
    return changed.map((game) => game.game);
  }

  private takeStudy(text: string | null): boolean {
    if (text === null || text === this.studyText) return false;
    if (this.studyText !== null && !this.isStudySent) return false; // the page's is newer
    this.stamps.add(this.studyStamp); // this one may be replaced
    this.studyText = text;
    this.studyStamp = newStamp();
    this.stamps.add(this.studyStamp);
    this.isStudySent = true;
    void this.keepStudy();
    return true;
  }

  /** Sends what only the browser has. */
  private async sendRest(games: StoredGame[], welcome: WelcomeEvent): Promise<void> {
    const states = new Map(games.map((game) => [game.game, game.state]));
    for (const { game, state } of (await this.list()).reverse()) {
      if (states.get(game) === state) continue;
      await this.send({ type: "save_game", game, state });
      await new Promise((resolve) => setTimeout(resolve, SEND_PAUSE));
    }
    const { studyText: study } = this;
    const isUnsent = !this.isStudySent && !this.isStudyRefused;
    if (study !== null && study !== welcome.study && isUnsent) await this.saveStudy(study);
    for (const problem of this.solvedNames) {
      if (!welcome.solved.includes(problem)) await this.send({ type: "save_solved", problem });
    }
  }
}

export const games = new Games();
