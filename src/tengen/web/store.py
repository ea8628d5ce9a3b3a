# SPDX-License-Identifier: MIT
"""What outlives a reload and a restart: sessions, games, studies and solved problems, in SQLite.

One file in the user's data folder; where there is none, or it cannot be written, all is kept in
memory, and `note` says so. All methods are quick and are called from one thread. Relies on the
standard library.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path

from tengen.web.bounds import Bounds

__all__ = ["Kept", "Store"]

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
class Kept:
    """A game as it was kept."""

    game: str
    state: str
    changed: float  # s since 1970


class Store:
    """The file. `path` None keeps all in memory."""

    def __init__(self, path: Path | None, bounds: Bounds) -> None:
        self.note = ""
        self._bounds = bounds
        self._base = self._opened(path)
        self._base.executescript(_TABLES)
        self._base.execute(f"PRAGMA user_version = {_VERSION}")

    def _opened(self, path: Path | None) -> sqlite3.Connection:
        if path is not None:
            try:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                base = _connect(str(path))
                found = base.execute("PRAGMA user_version").fetchone()[0]
                if found > _VERSION:
                    raise sqlite3.DatabaseError(f"it was written by a newer version ({found})")
                base.execute("PRAGMA journal_mode = WAL")
                base.execute("PRAGMA synchronous = NORMAL")
                base.execute("BEGIN IMMEDIATE")
                base.execute("COMMIT")
                return base
            except (OSError, sqlite3.Error) as error:
                self.note = f"games are not kept: {path}: {error}"
        return _connect(":memory:")

    def close(self) -> None:
        self._base.close()

    # --- sessions ---

    def knows(self, session: str) -> bool:
        key = _key(session)
        found = self._base.execute("SELECT 1 FROM sessions WHERE key = ?", (key,)).fetchone()
        if found:
            self._base.execute("UPDATE sessions SET seen = ? WHERE key = ?", (time.time(), key))
        return found is not None

    def add_session(self, session: str) -> None:
        """Take a new session in; the one that was not seen for the longest time may have to go."""
        self._base.execute(
            "INSERT OR REPLACE INTO sessions (key, seen) VALUES (?, ?)",
            (_key(session), time.time()),
        )
        count = self._base.execute("SELECT COUNT(*) FROM sessions").fetchone()[0]
        if count > self._bounds.sessions:
            self._forget(count - self._bounds.sessions)

    def _forget(self, number: int) -> None:
        old = self._base.execute(
            "SELECT key FROM sessions ORDER BY seen LIMIT ?", (number,)
        ).fetchall()
        for (key,) in old:
            for table, column in (("games", "session"), ("solved", "session"), ("sessions", "key")):
                self._base.execute(f"DELETE FROM {table} WHERE {column} = ?", (key,))

    def study(self, session: str) -> str | None:
        found = self._base.execute(
            "SELECT study FROM sessions WHERE key = ?", (_key(session),)
        ).fetchone()
        return None if found is None else found[0]

    def _have(self, session: str) -> None:
        """See that a session is there: those who keep nothing take no room."""
        if not self.knows(session):
            self.add_session(session)

    def keep_study(self, session: str, text: str) -> None:
        self._have(session)
        self._base.execute("UPDATE sessions SET study = ? WHERE key = ?", (text, _key(session)))

    # --- games ---

    def keep_game(self, session: str, game: str, state: str) -> None:
        self._have(session)
        key = _key(session)
        self._base.execute(
            "INSERT OR REPLACE INTO games VALUES (?, ?, ?, ?)", (key, game, state, time.time())
        )
        self._base.execute(
            "DELETE FROM games WHERE session = ? AND game NOT IN"
            " (SELECT game FROM games WHERE session = ? ORDER BY changed DESC LIMIT ?)",
            (key, key, self._bounds.games),
        )

    def games(self, session: str) -> list[Kept]:
        """The games of a session, the last changed first."""
        rows = self._base.execute(
            "SELECT game, state, changed FROM games WHERE session = ? ORDER BY changed DESC",
            (_key(session),),
        )
        return [Kept(*row) for row in rows]

    def game(self, session: str, game: str) -> Kept | None:
        row = self._base.execute(
            "SELECT game, state, changed FROM games WHERE session = ? AND game = ?",
            (_key(session), game),
        ).fetchone()
        return None if row is None else Kept(*row)

    # --- problems ---

    def solved(self, session: str) -> set[str]:
        rows = self._base.execute(
            "SELECT problem FROM solved WHERE session = ? AND done", (_key(session),)
        )
        return {row[0] for row in rows}

    def tried(
        self, session: str, problem: str, *, hints: int = 0, wrong: int = 0, done: bool = False
    ) -> None:
        """Note what happened at a problem."""
        self._have(session)
        self._base.execute(
            "INSERT INTO solved VALUES (?, ?, ?, ?, ?) ON CONFLICT (session, problem) DO UPDATE SET"
            " hints = hints + excluded.hints, wrong = wrong + excluded.wrong,"
            " done = done OR excluded.done",
            (_key(session), problem, hints, wrong, int(done)),
        )


def _connect(name: str) -> sqlite3.Connection:
    return sqlite3.connect(name, isolation_level=None, timeout=5, check_same_thread=False)


def _key(session: str) -> str:
    """Sessions are secrets: whoever reads the file cannot take one over."""
    return hashlib.sha256(session.encode()).hexdigest()
