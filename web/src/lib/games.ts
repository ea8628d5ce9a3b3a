// SPDX-License-Identifier: MIT
// Games, the study and solved problems: in memory, in the database of the browser, and with a
// server in its database too. What cannot be stored stays in memory and is written again later.
import { Database } from "./database";
import type { StoredGame, WelcomeEvent } from "./protocol";
import { RequestRejected, type ServerBackEnd, type StorageRequestBody } from "./server_back_end";
import { permanent } from "./storage";

const MAX_GAMES = 200;
const MAX_SENT = 400_000; // bytes of a study that the server takes
const SEND_PAUSE = 50; // ms between two games that are sent again
const READ_WAIT = 2000; // ms that the page waits for the database of the browser
const SERVER_WAIT = 2500; // ms that it waits for the games of the server

const UNWRITTEN = "tengen-unwritten"; // storage key: what `leave` kept

interface Unwritten {
  games: StoredGame[];
  study: string | null;
}

/** Why something is not stored: only in memory, or not on the server. */
export type StorageFault = "browser" | "server";

class Games {
  /** Called once per fault, with its reason. */
  onFault: (fault: StorageFault, reason: string) => void = () => {};
  /** Called when a database answered after the page had begun. */
  onMerged: () => void = () => {};
  private readonly database = new Database();
  private server: ServerBackEnd | null = null;
  private readonly kept = new Map<string, StoredGame>();
  private readonly solvedNames = new Set<string>();
  private studyText: string | null = null;
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
    addEventListener("pageshow", (event) => event.persisted && permanent.set(UNWRITTEN, null));
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
      for (const row of games) if (!this.kept.has(row.game)) this.kept.set(row.game, row);
      for (const row of solved) this.solvedNames.add(row.problem);
      if (studies[0] && this.studyText === null) {
        this.studyText = studies[0].text;
        this.isStudySent = studies[0].isSent;
      }
    } catch (error) {
      this.fault("browser", error);
    }
  }

  /** Keeps what the database of the browser does not have yet. The page is closed, which may end
   * the writing: only `localStorage` is written at once. */
  leave(): void {
    const games = [...this.unwritten].flatMap((game) => this.kept.get(game) ?? []);
    const study = this.isStudyWritten ? null : this.studyText;
    if (!games.length && study === null) return;
    permanent.set(UNWRITTEN, JSON.stringify({ games, study } satisfies Unwritten));
  }

  private takeUnwritten(): void {
    const text = permanent.get(UNWRITTEN);
    if (text === null) return;
    permanent.set(UNWRITTEN, null);
    let unwritten: Unwritten;
    try {
      unwritten = JSON.parse(text) as Unwritten;
    } catch {
      return; // damaged
    }
    const { games, study } = unwritten;
    for (const game of games) this.kept.set(game.game, game);
    if (games.length) void this.write(games.map(({ game }) => game));
    if (study === null) return;
    this.studyText = study;
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
    return this.studyText;
  }

  /** Stores the study; never rejects. */
  async saveStudy(text: string): Promise<void> {
    this.studyText = text;
    this.isStudySent = this.isStudyWritten = false;
    const [isSent] = await Promise.all([this.sendStudy(), this.keepStudy()]);
    if (!isSent || this.studyText !== text) return;
    this.isStudySent = true;
    await this.keepStudy();
  }

  private async keepStudy(): Promise<void> {
    const { studyText: text, isStudySent: isSent } = this;
    if (text === null) return;
    const isWritten = await this.keep("study", [{ name: "study", text, isSent }]);
    if (isWritten && this.studyText === text) this.isStudyWritten = true;
  }

  private async sendStudy(): Promise<boolean> {
    const text = this.studyText ?? "";
    if (!this.server || new Blob([text]).size > MAX_SENT) return false;
    return this.send({ type: "save_study", text });
  }

  async solved(): Promise<Set<string>> {
    await this.ready;
    return new Set(this.solvedNames);
  }

  async saveSolved(problem: string): Promise<void> {
    this.solvedNames.add(problem);
    await Promise.all([
      this.keep("solved", [{ problem }]),
      this.send({ type: "save_solved", problem }),
    ]);
  }

  /** Writes into the browser's database; returns whether that succeeded. */
  private async keep(...row: Parameters<Database["write"]>): Promise<boolean> {
    try {
      await this.database.write(...row);
      return true;
    } catch (error) {
      this.fault("browser", error);
      return false;
    }
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
    this.studyText = text;
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
    if (this.studyText !== null && this.studyText !== welcome.study && !this.isStudySent)
      await this.saveStudy(this.studyText);
    for (const problem of this.solvedNames) {
      if (!welcome.solved.includes(problem)) await this.send({ type: "save_solved", problem });
    }
  }
}

export const games = new Games();
