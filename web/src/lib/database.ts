// SPDX-License-Identifier: MIT
// The database of the browser (IndexedDB `tengen`): games, the study, solved problems.

export interface DatabaseRow {
  games: { game: string; state: string; changed: number };
  study: { name: "study"; text: string; isSent: boolean; stamp?: string }; // 0.1.0: no stamp
  solved: { problem: string };
}
export type Table = keyof DatabaseRow;

const NAME = "tengen";
const VERSION = 1;
const OPEN_WAIT = 10_000; // ms that opening may take
const KEYS: Record<Table, string> = { games: "game", study: "name", solved: "problem" };

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the database failed"));
  });
}

/** Resolves when the data of a transaction are stored. */
function completed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = () => reject(transaction.error ?? new Error("the database failed"));
    transaction.oncomplete = () => resolve();
    transaction.onerror = failed;
    transaction.onabort = failed;
  });
}

/** All methods reject if the browser has no database, or it is full, damaged or blocked. */
export class Database {
  private opened: Promise<IDBDatabase> | null = null;

  private open(): Promise<IDBDatabase> {
    this.opened ??= this.connect();
    this.opened.catch(() => (this.opened = null)); // the next call tries again
    return this.opened;
  }

  private async connect(): Promise<IDBDatabase> {
    const request = indexedDB.open(NAME, VERSION);
    request.onupgradeneeded = () => {
      for (const [table, keyPath] of Object.entries(KEYS)) {
        if (!request.result.objectStoreNames.contains(table))
          request.result.createObjectStore(table, { keyPath });
      }
    };
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      let isLate = false;
      const giveUp = () => {
        isLate = true;
        reject(new Error("another tab blocks the database"));
      };
      const timer = setTimeout(giveUp, OPEN_WAIT);
      request.onblocked = giveUp;
      request.onerror = () => reject(request.error ?? new Error("the database failed"));
      request.onsuccess = () => {
        clearTimeout(timer);
        if (isLate) request.result.close();
        else resolve(request.result);
      };
    });
    const forget = () => (this.opened = null);
    database.onclose = forget; // the browser has closed it
    database.onversionchange = () => {
      database.close();
      forget();
    };
    return database;
  }

  async all<T extends Table>(table: T): Promise<DatabaseRow[T][]> {
    const database = await this.open();
    return settled(database.transaction(table).objectStore(table).getAll());
  }

  /** Writes rows and deletes keys in one transaction. Resolves when the data are stored. */
  async write<T extends Table>(
    table: T,
    rows: DatabaseRow[T][],
    deleted: string[] = [],
  ): Promise<void> {
    const database = await this.open();
    const transaction = database.transaction(table, "readwrite");
    const done = completed(transaction);
    const store = transaction.objectStore(table);
    for (const row of rows) store.put(row);
    for (const key of deleted) store.delete(key);
    return done;
  }

  /** Writes the study, unless the stored one is another and has a stamp that is not in `known`:
   * returns that stamp, or null if the study was written. */
  async writeStudy(
    row: DatabaseRow["study"],
    known: ReadonlySet<string>,
  ): Promise<string | null> {
    const database = await this.open();
    const transaction = database.transaction("study", "readwrite");
    const done = completed(transaction);
    const store = transaction.objectStore("study");
    const stored: IDBRequest<DatabaseRow["study"] | undefined> = store.get(row.name);
    let other: string | null = null;
    stored.onsuccess = () => {
      const { text = row.text, stamp = "" } = stored.result ?? {};
      if (text === row.text || known.has(stamp)) store.put(row);
      else other = stamp;
    };
    await done;
    return other;
  }
}
