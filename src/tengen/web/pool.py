# SPDX-License-Identifier: MIT
"""The engine pool: lanes with a bound, and a fair queue in each.

A lane has some engines, each on a thread of its own. Jobs wait by session, and sessions take
turns, so that nobody waits for the tenth job of another. Quick moves, slow moves and analyses have
lanes of their own: a level-1 move never waits for an analysis. Relies on the engine; the sessions
rely on it.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from tengen.engine import Engine
from tengen.engine.errors import EngineBusy, EngineClosed
from tengen.solver import Cancel
from tengen.web.bounds import Bounds
from tengen.web.errors import Refused

__all__ = ["Lane", "Pool", "Ticket"]

_T = TypeVar("_T")


class Ticket:
    """A job's hold on its engine; `stop` may be called from any thread, before the job begins
    too."""

    def __init__(self, lane: Lane) -> None:
        self._lane = lane
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self.cancel = Cancel()  # for solvers

    @property
    def is_stopped(self) -> bool:
        return self.cancel.is_set()

    @property
    def others_wait(self) -> bool:
        """Whether somebody waits for an engine of this lane."""
        return self._lane.waiting > 0

    def stop(self) -> None:
        self.cancel.set()
        with self._lock:
            if self._engine is not None:
                self._engine.stop()

    def begin(self, engine: Engine) -> None:
        with self._lock:
            self._engine = engine

    def end(self) -> None:
        with self._lock:
            self._engine = None


@dataclass(slots=True)
class _Job(Generic[_T]):
    work: Callable[[Engine, Ticket], _T]
    ticket: Ticket
    result: asyncio.Future[_T] = field(repr=False)


class Lane:
    """Engines for one kind of job. Used from one event loop."""

    def __init__(self, name: str, bounds: Bounds, make: Callable[[], Engine]) -> None:
        self.name = name
        self._bounds = bounds
        self._make = make
        self._queues: OrderedDict[str, deque[_Job[Any]]] = OrderedDict()
        self._at_work: dict[str, int] = {}  # jobs of a session that run now
        self._threads = ThreadPoolExecutor(bounds.engines, thread_name_prefix=f"engine-{name}")
        self._idle: list[Engine] = []
        self._running: set[asyncio.Task[None]] = set()
        self._tickets: set[Ticket] = set()
        self.waiting = 0

    def ticket(self) -> Ticket:
        return Ticket(self)

    def submit(
        self, who: str, ticket: Ticket, work: Callable[[Engine, Ticket], _T]
    ) -> asyncio.Future[_T]:
        """Have a job done when it is the session's turn. Raises Refused if too many wait."""
        own = self._queues.get(who)
        if (len(own) if own else 0) + self._at_work.get(who, 0) >= self._bounds.waiting:
            raise Refused("busy", "you have asked for more at once than is allowed: wait a little")
        if self.waiting >= self._bounds.queue:
            raise Refused("busy", "the server has too much to do: try again in a moment")
        result: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(who, deque()).append(_Job(work, ticket, result))
        self.waiting += 1
        self._start_more()
        return result

    def _start_more(self) -> None:
        while self._queues and len(self._running) < self._bounds.engines:
            who, queue = self._queues.popitem(last=False)
            job = queue.popleft()
            if queue:  # behind all others
                self._queues[who] = queue
            self.waiting -= 1
            if job.result.cancelled():
                continue
            self._at_work[who] = self._at_work.get(who, 0) + 1
            task = asyncio.create_task(self._do(who, job))
            self._running.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._start_more()

    async def _do(self, who: str, job: _Job[Any]) -> None:
        loop = asyncio.get_running_loop()
        self._tickets.add(job.ticket)
        try:
            found = await loop.run_in_executor(self._threads, self._work, job)
            if not job.result.done():
                job.result.set_result(found)
        except Exception as error:
            if not job.result.done():
                job.result.set_exception(error)
        finally:
            self._tickets.discard(job.ticket)
            self._at_work[who] -= 1
            if not self._at_work[who]:
                del self._at_work[who]

    def _work(self, job: _Job[_T]) -> _T:
        """Runs on a thread of the lane."""
        try:
            engine = self._idle.pop()
        except IndexError:
            engine = self._make()
        job.ticket.begin(engine)
        try:
            return job.work(engine, job.ticket)
        finally:
            job.ticket.end()
            if engine.is_busy:  # left in the middle of a search: not to be trusted again
                engine.close()
            else:
                self._idle.append(engine)

    async def close(self) -> None:
        """End all jobs and give the engines back."""
        for queue in self._queues.values():
            for job in queue:
                job.result.cancel()
        self._queues.clear()
        self.waiting = 0
        for ticket in list(self._tickets):
            ticket.stop()
        if self._running:
            await asyncio.wait(set(self._running), timeout=5)
        self._threads.shutdown(wait=False, cancel_futures=True)
        for engine in self._idle:
            with suppress(EngineBusy, EngineClosed):
                engine.close()


class Pool:
    """The lanes of a server."""

    def __init__(self, bounds: Bounds, **options: Any) -> None:
        def make() -> Engine:
            return Engine(memory=bounds.memory, **options)

        def make_quick() -> Engine:
            return Engine(memory=bounds.quick_memory, **options)

        self.quick = Lane("quick", bounds, make_quick)
        self.slow = Lane("slow", bounds, make)
        self.long = Lane("long", bounds, make)

    async def close(self) -> None:
        for lane in (self.quick, self.slow, self.long):
            await lane.close()
