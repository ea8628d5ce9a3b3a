# SPDX-License-Identifier: MIT
"""Persistent storage: sessions, games, studies and solved problems in one SQLite file.

The database may fail at any time: disk full, locked, damaged, removed. Then changes are kept in
memory and written when it works again; each of them raises StorageError, so that the page knows. A
file that is damaged, newer, or not Tengen's is never written to.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import secrets
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tengen.web.limits import RequestError, ServerLimits
from tengen.web.messages import GamesEvent, StoredGame

_T = TypeVar("_T")
_Change = Callable[[sqlite3.Connection], None]

_VERSION = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS sessions (key TEXT PRIMARY KEY, seen REAL NOT NULL, study TEXT);
CREATE TABLE IF NOT EXISTS games (
    session TEXT NOT NULL, game TEXT NOT NULL, state TEXT NOT NULL, changed REAL NOT NULL,
    PRIMARY KEY (session, game));
CREATE INDEX IF NOT EXISTS games_by_time ON games (session, changed);
CREATE TABLE IF NOT EXISTS solved (
    session TEXT NOT NULL, problem TEXT NOT NULL, hints INTEGER NOT NULL, wrong INTEGER NOT NULL,
    done INTEGER NOT NULL, PRIMARY KEY (session, problem));
"""
_COLUMNS = {
    "sessions": ["key", "seen", "study"],
    "games": ["session", "game", "state", "changed"],
    "solved": ["session", "problem", "hints", "wrong", "done"],
}
_DELETE_GAMES = """
DELETE FROM games WHERE session = ?1 AND game IN (
    SELECT game FROM (
        SELECT game, ROW_NUMBER() OVER newest AS number, SUM(LENGTH(state)) OVER newest AS size
        FROM games WHERE session = ?1 WINDOW newest AS (ORDER BY changed DESC, rowid DESC))
    WHERE number > ?2 OR (number > 1 AND size > ?3))
"""
_SAVE_GAME = "INSERT OR REPLACE INTO games VALUES (?, ?, ?, ?)"
_SAVE_SESSION = (
    "INSERT INTO sessions VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET"
    " seen = excluded.seen, study = COALESCE(excluded.study, study)"
)
_SAVE_SOLVED = (
    "INSERT INTO solved VALUES (?, ?, 0, 0, 1)"
    " ON CONFLICT (session, problem) DO UPDATE SET done = 1"
)
_BUSY_TIME = 0.2  # s that a change waits for another process
_CHECKED_SIZE = 64 << 20  # bytes; larger files are not checked for damage when they are opened
_MIN_NAME = 24  # characters of a session's name that is accepted while the file cannot be read
_DAY = 86_400.0  # s


class StorageError(RequestError):
    """What was to be stored is in memory only, or not stored at all."""

    def __init__(self, message: str) -> None:
        super().__init__("storage", message)


class _BadDatabase(Exception):
    """A file that must not be written to."""


@dataclass(frozen=True, slots=True)
class StoredSession:
    """What the store has of a session, beside its games."""

    name: str
    study: str | None
    solved: list[str]


def data_folder() -> Path | None:
    """$TENGEN_DATA, else the user's data folder. None, if there is no such folder or TENGEN_DATA is
    `off`: then nothing survives the server.
    """
    folder = os.environ.get("TENGEN_DATA", "")
    if folder:
        return None if folder.lower() == "off" else Path(folder)
    folder = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_DATA_HOME", "")
    if folder and Path(folder).is_absolute():
        return Path(folder) / "tengen"
    try:
        return Path.home() / ".local" / "share" / "tengen"
    except RuntimeError:  # the system knows no home of this user
        return None


class Store:
    """The database, for one thread at a time. `path` None: in memory."""

    def __init__(
        self,
        path: Path | None,
        limits: ServerLimits,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.note = ""  # why nothing is stored permanently
        self._path, self._limits, self._clock = path, limits, clock
        self._file: sqlite3.Connection | None = None
        self._removed: sqlite3.Connection | None = None  # a file that somebody deleted
        self._identity: tuple[int, int] | None = None  # of the file: device and inode
        self._retry_at = clock()
        self._memory = _connect(":memory:")  # what the file lacks
        _create(self._memory, limits.unsaved_size)
        if path is None:
            self.note = "there is no data folder: games are lost when the server ends"
        else:
            self.retry()

    def close(self) -> None:
        self.retry(force=True)
        self._close_file()
        self._memory.close()

    def retry(self, *, force: bool = False) -> None:
        """Writes what is in memory, if the time has come to try again."""
        if force:
            self._retry_at = self._clock()
        if self._path is not None and (self.note or self._file is None):
            with contextlib.suppress(StorageError):
                self._change(lambda db: None)

    # --- sessions ---

    def hello(self, name: str | None, *, is_known: bool = False) -> StoredSession:
        """The session with that name if it exists or `is_known`, else a new one."""
        if name is not None:
            key = _key(name)
            is_readable, found = self._rows("SELECT 1 FROM sessions WHERE key = ?", key)
            may_exist = not is_readable and len(name) >= _MIN_NAME
            if found:
                now = time.time()
                with contextlib.suppress(StorageError):
                    self._change(
                        lambda db: _run(db, "UPDATE sessions SET seen = ? WHERE key = ?", now, key)
                    )
            if found or may_exist or is_known:
                return StoredSession(name, self._study(key), self._solved(key))
        return StoredSession(secrets.token_urlsafe(24), None, [])

    def _study(self, key: str) -> str | None:
        query = "SELECT study FROM sessions WHERE key = ? AND study IS NOT NULL"
        _, rows = self._rows(query, key)
        return str(rows[-1][0]) if rows else None

    def _solved(self, key: str) -> list[str]:
        _, rows = self._rows("SELECT problem FROM solved WHERE session = ? AND done", key)
        return sorted({row[0] for row in rows})

    def save_study(self, session: str, text: str) -> None:
        limit, key = self._limits.study_size, _key(session)
        if len(text.encode()) > limit:
            raise RequestError("size", f"the study is larger than {limit} bytes: save it as a file")
        self._change(lambda db: self._ensure_session(db, key, text))

    def save_solved(self, session: str, problem: str) -> None:
        key, limit = _key(session), self._limits.solved

        def change(db: sqlite3.Connection) -> None:
            self._ensure_session(db, key)
            _run(db, _SAVE_SOLVED, key, problem)
            if _count(db, "solved WHERE session = ?", key) > limit:
                raise StorageError(f"more than {limit} solved problems")

        self._change(change)

    def _ensure_session(self, db: sqlite3.Connection, key: str, study: str | None = None) -> None:
        """Adds a session when it first stores something. Makes room by deleting old ones."""
        limit = self._limits.sessions
        if not _count(db, "sessions WHERE key = ?", key) and _count(db, "sessions") >= limit:
            oldest = time.time() - self._limits.session_days * _DAY
            query = "SELECT key FROM sessions WHERE seen < ? ORDER BY seen LIMIT 100"
            old = db.execute(query, (oldest,)).fetchall()
            if not old:
                raise StorageError(f"the database has {limit} sessions, as many as it may")
            for table, column in (("games", "session"), ("solved", "session"), ("sessions", "key")):
                db.executemany(f"DELETE FROM {table} WHERE {column} = ?", old)
        _run(db, _SAVE_SESSION, key, time.time(), study)

    # --- games ---

    def save_game(self, session: str, game: str, state: str) -> None:
        limits, key, now = self._limits, _key(session), time.time()
        if len(state.encode()) > limits.game_size:
            raise RequestError("size", f"the game is larger than {limits.game_size} bytes")

        def change(db: sqlite3.Connection) -> None:
            self._ensure_session(db, key)
            _run(db, _SAVE_GAME, key, game, state, now)
            _run(db, _DELETE_GAMES, key, limits.games, limits.games_size)

        self._change(change)

    def games(self, session: str) -> list[StoredGame]:
        """The games of a session, most recently changed first."""
        query = "SELECT game, state, changed FROM games WHERE session = ? ORDER BY changed, rowid"
        _, rows = self._rows(query, _key(session))
        newest = {row[0]: row for row in rows}  # those in memory replace those of the file
        games = [StoredGame(game=row[0], state=row[1], changed=row[2]) for row in newest.values()]
        return sorted(games, key=lambda game: game.changed)[::-1][: self._limits.games]

    def games_event(self, session: str, id: int) -> str:
        """Answers `list_games`, as JSON."""
        return GamesEvent(id=id, games=self.games(session)).model_dump_json()

    # --- faults ---

    def _change(self, change: _Change) -> None:
        """Applies a change to the file, and to memory if that fails: then raises StorageError. One
        that `change` raises rejects it altogether.
        """
        if self._path is None:
            self._keep(change)
            return
        try:
            db = self._open_file()
            with _transaction(db):
                self._flush(db)
                change(db)
        except (OSError, sqlite3.Error, _BadDatabase) as error:
            self._failed(error)
            self._keep(change)
            raise StorageError(self.note) from None
        self.note = ""
        if self._memory.total_changes:
            self._memory.close()
            self._memory = _connect(":memory:")
            _create(self._memory, self._limits.unsaved_size)

    def _keep(self, change: _Change) -> None:
        """Applies a change to memory."""
        try:
            with _transaction(self._memory):
                change(self._memory)
        except sqlite3.Error:
            raise StorageError("the memory of the server for games is full") from None

    def _flush(self, db: sqlite3.Connection) -> None:
        """Writes what is in memory."""
        for key, seen, study in self._memory.execute("SELECT * FROM sessions").fetchall():
            _run(db, _SAVE_SESSION, key, seen, study)
        db.executemany(_SAVE_GAME, self._memory.execute("SELECT * FROM games").fetchall())
        solved = self._memory.execute("SELECT session, problem FROM solved").fetchall()
        db.executemany(_SAVE_SOLVED, solved)

    def _rows(self, query: str, *values: object) -> tuple[bool, list[Any]]:
        """Rows of the file, then those of memory; and whether the file could be read."""
        rows, is_readable = [], self._path is None
        if self._path is not None:
            try:
                rows = self._open_file(to_read=True).execute(query, values).fetchall()
                is_readable = True
            except (OSError, sqlite3.Error, _BadDatabase) as error:
                self._failed(error)
                self._close_file()
        return is_readable, rows + self._memory.execute(query, values).fetchall()

    def _failed(self, error: Exception) -> None:
        if isinstance(error, _Later):
            return
        reason = getattr(error, "strerror", None) or str(error)
        self.note = f"games are not saved: {self._path}: {reason}"
        self._retry_at = self._clock() + self._limits.retry_time
        code = getattr(error, "sqlite_errorcode", None)
        kept = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY)
        if code is None or code & 0xFF not in kept:
            self._close_file()

    def _close_file(self) -> None:
        if self._file is not None:
            with contextlib.suppress(sqlite3.Error):
                self._file.close()
        self._file = None

    def _open_file(self, *, to_read: bool = False) -> sqlite3.Connection:
        """The file, opened if it is not. Raises OSError, sqlite3.Error, _BadDatabase; _Later soon
        after a fault.
        """
        assert self._path is not None
        if self._file is not None:
            found = _identity(self._path)
            if found is None:  # SQLite would go on writing to the file that is gone
                self._removed, self._file = self._file, None
            elif found != self._identity:
                self._close_file()
        if self.note and self._clock() < self._retry_at and not (to_read and self._file):
            raise _Later
        if self._file is None:
            file = _open(self._path, self._limits)
            if self._removed is not None:  # the only copy, until it is written again
                try:
                    self._removed.backup(file)
                except BaseException:
                    file.close()
                    raise
                self._removed.close()
                self._removed = None
            self._file, self._identity = file, _identity(self._path)
        return self._file


class _Later(_BadDatabase):
    """The file is not tried yet: a fault is recent."""


def _open(path: Path, limits: ServerLimits) -> sqlite3.Connection:
    """Opens a database, and creates it if there is none. Raises OSError, sqlite3.Error,
    _BadDatabase.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    db = _connect(str(path))
    try:
        _check(db, path)
        with contextlib.suppress(sqlite3.OperationalError):  # a file that can only be read
            db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        if not _tables(db):
            _create(db, limits.database_size)
        _limit_size(db, limits.database_size)
    except BaseException:
        db.close()
        raise
    return db


def _check(db: sqlite3.Connection, path: Path) -> None:
    """Raises _BadDatabase for a file that is not an intact database of this version."""
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > _VERSION:
        raise _BadDatabase(f"a newer version ({version}) wrote it")
    tables = _tables(db)
    if any(_COLUMNS.get(name) != columns for name, columns in tables.items()) or (
        tables and tables.keys() != _COLUMNS.keys()
    ):
        raise _BadDatabase("it is the database of another program")
    if path.stat().st_size <= _CHECKED_SIZE:
        result = db.execute("PRAGMA quick_check(1)").fetchone()[0]
        if result != "ok":
            raise _BadDatabase(f"it is damaged: {result}".splitlines()[0])


def _tables(db: sqlite3.Connection) -> dict[str, list[str]]:
    """The tables of a database and their columns."""
    query = (
        "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c"
        " WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY c.cid"
    )
    tables: dict[str, list[str]] = {}
    for table, column in db.execute(query):
        tables.setdefault(table, []).append(column)
    return tables


def _create(db: sqlite3.Connection, size: int) -> None:
    _limit_size(db, size)
    db.executescript(f"BEGIN; {_TABLES} PRAGMA user_version = {_VERSION}; COMMIT;")


def _limit_size(db: sqlite3.Connection, size: int) -> None:
    page = db.execute("PRAGMA page_size").fetchone()[0]
    db.execute(f"PRAGMA max_page_count = {size // page}")


@contextlib.contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):  # some faults end the transaction
            db.execute("ROLLBACK")
        raise


def _connect(name: str) -> sqlite3.Connection:
    return sqlite3.connect(name, isolation_level=None, timeout=_BUSY_TIME, check_same_thread=False)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _run(db: sqlite3.Connection, statement: str, *values: object) -> None:
    db.execute(statement, values)


def _count(db: sqlite3.Connection, rows: str, *values: object) -> int:
    return int(db.execute(f"SELECT COUNT(*) FROM {rows}", values).fetchone()[0])


def _key(session: str) -> str:
    """Session names are secrets: the file has only their hashes."""
    return hashlib.sha256(session.encode()).hexdigest()


class StoreThread:
    """Runs the methods of a store on one thread."""

    def __init__(self, path: Path | None, limits: ServerLimits) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._path, self._limits = path, limits
        self._store: Store | None = None

    async def call(self, method: Callable[[Store], _T]) -> tuple[_T, float]:
        """The result of a method, and the CPU time in seconds that it took."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._timed, method)

    def _timed(self, method: Callable[[Store], _T]) -> tuple[_T, float]:
        start = time.thread_time()
        if self._store is None:
            self._store = Store(self._path, self._limits)
        result = method(self._store)
        return result, time.thread_time() - start

    async def close(self) -> None:
        if self._store is not None:
            await self.call(Store.close)
        self._executor.shutdown(wait=False)
