# SPDX-License-Identifier: MIT
"""Persistent storage: sessions, games, studies and solved problems in one SQLite file.

Without a data folder, or if the file is not usable, the data stay in memory, and `note` says why.
All methods are fast and are called from one thread.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tengen.web.limits import ServerLimits

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


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A row of the table of games."""

    game: str
    state: str
    changed: float  # Unix time


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
    """The database. `path` None: in memory."""

    def __init__(self, path: Path | None, limits: ServerLimits) -> None:
        self.note = ""
        self._limits = limits
        self._db = self._open(path)
        self._db.executescript(_TABLES)
        self._db.execute(f"PRAGMA user_version = {_VERSION}")

    def _open(self, path: Path | None) -> sqlite3.Connection:
        if path is not None:
            try:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                db = _connect(str(path))
                version = db.execute("PRAGMA user_version").fetchone()[0]
                if version > _VERSION:
                    raise sqlite3.DatabaseError(f"a newer version ({version}) wrote it")
                db.execute("PRAGMA journal_mode = WAL")
                db.execute("PRAGMA synchronous = NORMAL")
                db.execute("BEGIN IMMEDIATE")
                db.execute("COMMIT")
                return db
            except (OSError, sqlite3.Error) as error:
                self.note = f"games are not saved: {path}: {error}"
        return _connect(":memory:")

    def close(self) -> None:
        self._db.close()

    # --- sessions ---

    def knows(self, session: str) -> bool:
        key = _key(session)
        cursor = self._db.execute("UPDATE sessions SET seen = ? WHERE key = ?", (time.time(), key))
        return cursor.rowcount > 0

    def add_session(self, session: str) -> None:
        """Adds a session; beyond the limit, the least recently seen ones are deleted."""
        self._db.execute(
            "INSERT OR REPLACE INTO sessions (key, seen) VALUES (?, ?)",
            (_key(session), time.time()),
        )
        count = self._db.execute("SELECT COUNT(*) FROM sessions").fetchone()[0]
        excess = max(0, count - self._limits.sessions)
        old = self._db.execute("SELECT key FROM sessions ORDER BY seen LIMIT ?", (excess,))
        for (key,) in old.fetchall():
            for table, column in (("games", "session"), ("solved", "session"), ("sessions", "key")):
                self._db.execute(f"DELETE FROM {table} WHERE {column} = ?", (key,))

    def study(self, session: str) -> str | None:
        rows = self._db.execute("SELECT study FROM sessions WHERE key = ?", (_key(session),))
        row = rows.fetchone()
        return None if row is None else row[0]

    def _ensure_session(self, session: str) -> None:
        """Adds a session when it first stores something."""
        if not self.knows(session):
            self.add_session(session)

    def save_study(self, session: str, text: str) -> None:
        self._ensure_session(session)
        self._db.execute("UPDATE sessions SET study = ? WHERE key = ?", (text, _key(session)))

    # --- games ---

    def save_game(self, session: str, game: str, state: str) -> None:
        self._ensure_session(session)
        key = _key(session)
        self._db.execute(
            "INSERT OR REPLACE INTO games VALUES (?, ?, ?, ?)", (key, game, state, time.time())
        )
        self._db.execute(
            "DELETE FROM games WHERE session = ? AND game NOT IN"
            " (SELECT game FROM games WHERE session = ? ORDER BY changed DESC LIMIT ?)",
            (key, key, self._limits.games),
        )

    def games(self, session: str) -> list[StoredGame]:
        """The games of a session, most recently changed first."""
        rows = self._db.execute(
            "SELECT game, state, changed FROM games WHERE session = ? ORDER BY changed DESC",
            (_key(session),),
        )
        return [StoredGame(*row) for row in rows]

    def game(self, session: str, game: str) -> StoredGame | None:
        return next((row for row in self.games(session) if row.game == game), None)

    # --- problems ---

    def solved(self, session: str) -> set[str]:
        rows = self._db.execute(
            "SELECT problem FROM solved WHERE session = ? AND done", (_key(session),)
        )
        return {row[0] for row in rows}

    def record_attempt(
        self, session: str, problem: str, *, hints: int = 0, wrong: int = 0, done: bool = False
    ) -> None:
        """Adds the hints and wrong moves of an attempt; `done`: the problem is solved."""
        self._ensure_session(session)
        self._db.execute(
            "INSERT INTO solved VALUES (?, ?, ?, ?, ?) ON CONFLICT (session, problem) DO UPDATE SET"
            " hints = hints + excluded.hints, wrong = wrong + excluded.wrong,"
            " done = done OR excluded.done",
            (_key(session), problem, hints, wrong, int(done)),
        )


def _connect(name: str) -> sqlite3.Connection:
    return sqlite3.connect(name, isolation_level=None, timeout=5, check_same_thread=False)


def _key(session: str) -> str:
    """Session names are secrets: the file has only their hashes."""
    return hashlib.sha256(session.encode()).hexdigest()
