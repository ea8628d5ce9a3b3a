# SPDX-License-Identifier: MIT
"""Sessions: who a page belongs to. A session has a game, a study and solved problems, which outlive
pages and servers; several pages may be open in one.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from typing import TYPE_CHECKING

from tengen.web import tells
from tengen.web.bounds import Bounds
from tengen.web.play_table import PlayTable
from tengen.web.pool import Pool
from tengen.web.problems import Problems
from tengen.web.store import Store

if TYPE_CHECKING:
    from tengen.web.connection import Connection

__all__ = ["House", "Session"]

_LONGEST = 64  # letters of a session's name


class Session:
    """A session and its open pages."""

    def __init__(self, name: str, house: House) -> None:
        self.name = name
        self.house = house
        self.pages: set[Connection] = set()
        self.table = PlayTable(name, house.pool, house.store, house.bounds, self.tell)

    def tell(self, message: tells.Tell) -> None:
        """To all its pages."""
        for page in list(self.pages):
            page.tell(message)


class House:
    """All that a server has: bounds, engines, the store, the sessions."""

    def __init__(self, bounds: Bounds, pool: Pool, store: Store, token: str | None = None) -> None:
        self.bounds, self.pool, self.store, self.token = bounds, pool, store, token
        self.problems = Problems.shipped()
        self.pages = 0  # open connections
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def accepts(self, token: str | None) -> bool:
        """Whether whoever says this may come in."""
        if self.token is None:
            return True
        return token is not None and secrets.compare_digest(token.encode(), self.token.encode())

    def session(self, name: str | None) -> Session:
        """The session of that name, if there is one; else a new one with a name of its own."""
        known = name is not None and len(name) <= _LONGEST
        if name is None or not known or not (name in self._sessions or self.store.knows(name)):
            name = secrets.token_urlsafe(24)
        session = self._sessions.get(name)
        if session is None:
            session = self._sessions[name] = Session(name, self)
            self._drop_idle()
        self._sessions.move_to_end(name)
        return session

    def _drop_idle(self) -> None:
        """Sessions without pages are in the store; only so many are in memory too."""
        over = len(self._sessions) - self.bounds.sessions_in_memory
        for name, session in list(self._sessions.items()):
            if over <= 0:
                return
            if not session.pages and session.table.is_idle:
                session.table.close()
                del self._sessions[name]
                over -= 1

    async def close(self) -> None:
        for session in self._sessions.values():
            session.table.close()
        await self.pool.close()
        self.store.close()
