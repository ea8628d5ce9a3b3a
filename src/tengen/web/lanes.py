# SPDX-License-Identifier: MIT
"""Lanes: threads for one kind of request each, and who comes next. The session with the most CPU
credit comes first, or in lanes of long searches the one that has searched least; equal ones take
turns.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, Protocol

from tengen import _core
from tengen.web.limits import Account

_MAX_TURNS = 1000  # sessions whose last turn is known


class LaneKind(NamedTuple):
    """`nice`: lower priority of its threads, on Linux. `time`: seconds after which a request is
    ended. `is_charged`: its CPU time counts against the budget of the connection.
    """

    nice: int
    time: float | None
    is_charged: bool


LANES = {
    "view": LaneKind(0, 5.0, True),
    "quick": LaneKind(0, 15.0, True),
    "check": LaneKind(5, 15.0, True),  # attempts, and requests that were stopped before they began
    "convert": LaneKind(5, None, True),
    "move": LaneKind(5, None, False),
    "study": LaneKind(10, None, False),
    "review": LaneKind(10, None, False),
}


class Page(Protocol):
    """A connection, as the engines see it; for the event loop."""

    @property
    def session(self) -> str: ...
    @property
    def account(self) -> Account: ...
    @property
    def credit(self) -> float:
        """CPU time in seconds that it may still use; negative: debt."""
        ...

    @property
    def is_behind(self) -> bool:
        """Whether it reads too slowly: progress events can be left out."""
        ...

    def charge(self, seconds: float) -> None:
        """Takes CPU time from its budget."""
        ...

    def send(self, text: str) -> None: ...
    def ended(self, job: Job) -> None:
        """The last event of the job was sent."""
        ...


class Slot:
    """Place for an engine of a page, which is made when it is needed."""

    def __init__(self) -> None:
        self.engine: _core.PageEngine | None = None
        self.memory = 0  # MiB that the engine may use
        self.jobs: deque[Job] = deque()  # in the order of their requests; the first one may run
        self.used = 0.0  # when its last job ended, by `monotonic`

    @property
    def is_busy(self) -> bool:
        return bool(self.jobs) and self.jobs[0].started is not None


class Job:
    """A request that waits or runs. `convert`: computes its only event, without an engine, and the
    CPU time that this took.
    """

    def __init__(
        self,
        page: Page,
        type: str,
        id: int,
        text: str = "",
        convert: Callable[[], tuple[str, float]] | None = None,
    ) -> None:
        self.page, self.type, self.id, self.text, self.convert = page, type, id, text, convert
        self.slot: Slot | None = None  # None: a shared engine
        self.memory = 0  # MiB that its engine needs
        self.lane: str = ""
        self.started: float | None = None  # by `monotonic`
        self.engine: _core.PageEngine | None = None  # while it runs
        self.seconds = 0.0  # of CPU time
        self.result = ""  # event of a conversion
        self.is_stopped = False

    @property
    def can_start(self) -> bool:
        return self.slot is None or self.slot.jobs[0] is self

    def is_progress(self, event: str) -> bool:
        """Whether a later event of the job replaces this one. The core sorts members by name."""
        return self.type in ("analyse", "review") and '"state":"running"' in event[-120:]


class Lane:
    """Threads for one kind of request, and the requests that wait for them."""

    def __init__(self, name: str, threads: int) -> None:
        self.kind, self._threads = LANES[name], threads
        self.executor = ThreadPoolExecutor(
            threads, f"engine-{name}", initializer=_set_priority, initargs=(self.kind.nice,)
        )
        self.waiting: list[Job] = []
        self.running: set[Job] = set()
        self._turn = 0
        self._turns: dict[str, int] = {}  # of the sessions, their last one

    def count(self, session: str) -> int:
        """Jobs of a session."""
        return sum(job.page.session == session for job in (*self.waiting, *self.running))

    def next(self) -> Job | None:
        """Takes the job to start, if there is one."""
        ready = [job for job in self.waiting if job.can_start]
        if not ready or len(self.running) >= self._threads:
            return None
        job = max(ready, key=self._rank)
        self.waiting.remove(job)
        self.running.add(job)
        self._turn += 1
        if len(self._turns) > _MAX_TURNS:
            self._turns.clear()
        self._turns[job.page.session] = self._turn
        return job

    def _rank(self, job: Job) -> tuple[float, int]:
        page = job.page
        use = round(page.credit, 1) if self.kind.is_charged else -round(page.account.thinking)
        return use, -self._turns.get(page.session, 0)

    def is_wanted(self, page: Page) -> bool:
        """Whether other pages wait for a thread."""
        return any(job.can_start and job.page is not page for job in self.waiting)


def _set_priority(nice: int) -> None:
    """Lowers the priority of this thread. Only Linux has priorities of threads."""
    if sys.platform == "linux" and nice:
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), nice)
