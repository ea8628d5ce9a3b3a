# SPDX-License-Identifier: MIT
"""The state of a server: its engines, store and sessions. A session has a game, a study and solved
problems, which survive pages and servers; several pages may share one session.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict

from tengen.web.engine_pool import EnginePool
from tengen.web.events import Event
from tengen.web.game_controller import GameController
from tengen.web.limits import ServerLimits
from tengen.web.problems import Problems
from tengen.web.store import Store

_DROPPABLE = ("analysis", "review")  # events that the next one replaces


class Outbox:
    """The events queued for one page. `send` must be called on the event loop."""

    def __init__(self, capacity: int) -> None:
        self.queue: asyncio.Queue[Event] = asyncio.Queue(capacity)
        self.overrun = asyncio.Event()  # the page does not read: give it up

    def send(self, event: Event) -> None:
        try:
            self.queue.put_nowait(event)
        except asyncio.QueueFull:
            if event.type not in _DROPPABLE:
                self.overrun.set()

    @property
    def is_behind(self) -> bool:
        """Whether the page reads too slowly: progress events can be left out."""
        return self.queue.qsize() > self.queue.maxsize // 8


class PageSession:
    """A session and its open pages."""

    def __init__(self, name: str, state: ServerState) -> None:
        self.name = name
        self.state = state
        self.pages: set[Outbox] = set()
        self.controller = GameController(name, state.pool, state.store, state.limits, self.send)

    def send(self, event: Event) -> None:
        """Sends an event to all pages of the session."""
        for page in list(self.pages):
            page.send(event)


class ServerState:
    """Everything that a server owns."""

    def __init__(
        self, limits: ServerLimits, pool: EnginePool, store: Store, token: str | None = None
    ) -> None:
        self.limits, self.pool, self.store, self.token = limits, pool, store, token
        self.problems = Problems.bundled()
        self.connections = 0  # open now
        self._sessions: OrderedDict[str, PageSession] = OrderedDict()

    def accepts(self, token: str | None) -> bool:
        expected = self.token
        return not expected or secrets.compare_digest((token or "").encode(), expected.encode())

    def session(self, name: str | None) -> PageSession:
        """The session with that name if it exists, else a new one with a new name."""
        if name is None or not (name in self._sessions or self.store.knows(name)):
            name = secrets.token_urlsafe(24)
        session = self._sessions.get(name)
        if session is None:
            self._drop_idle()
            session = self._sessions[name] = PageSession(name, self)
        self._sessions.move_to_end(name)
        return session

    def _drop_idle(self) -> None:
        """Makes room for a session: removes the oldest ones without pages; the store has them."""
        excess = len(self._sessions) + 1 - self.limits.sessions_in_memory
        for name, session in list(self._sessions.items()):
            if excess <= 0:
                return
            if not session.pages and session.controller.is_idle:
                session.controller.close()
                del self._sessions[name]
                excess -= 1

    async def close(self) -> None:
        for session in self._sessions.values():
            session.controller.close()
        await self.pool.close()
        self.store.close()
