# SPDX-License-Identifier: MIT
"""The engine pool: lanes with a fixed number of engines and a fair, bounded queue.

Each engine of a lane runs on its own thread. Sessions take turns (round robin), so that nobody
waits for the tenth job of another. Quick moves, slow moves and analyses have separate lanes: a
level-1 move never waits for an analysis.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from tengen.engine import Analysis, Engine, PlayResult
from tengen.engine.errors import EngineBusy, EngineClosed
from tengen.solver import Cancel
from tengen.web.limits import RequestError, ServerLimits

_T = TypeVar("_T")


class JobHandle:
    """Controls a job; `stop` is thread-safe and also works before the job starts."""

    def __init__(self, lane: EngineLane) -> None:
        self._lane = lane
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self.cancel = Cancel()  # for solvers

    @property
    def is_stopped(self) -> bool:
        return self.cancel.is_set()

    @property
    def others_wait(self) -> bool:
        """Whether other jobs wait for an engine of this lane."""
        return self._lane.waiting > 0

    def stop(self) -> None:
        self.cancel.set()
        with self._lock:
            if self._engine is not None:
                self._engine.stop()

    def result(self, analysis: Analysis) -> PlayResult:
        """Waits for the end of an analysis that the job has started."""
        if self.is_stopped:
            analysis.stop()
        return analysis.wait()

    def attach(self, engine: Engine | None) -> None:
        """Sets the engine that runs the job; None: it has ended."""
        with self._lock:
            self._engine = engine


class _PendingJob(NamedTuple):
    work: Callable[[Engine, JobHandle], Any]
    handle: JobHandle
    result: asyncio.Future[Any]


class EngineLane:
    """Engines for one kind of job. Used from one event loop."""

    def __init__(self, name: str, limits: ServerLimits, make: Callable[[], Engine]) -> None:
        self._limits = limits
        self._make = make
        self._queues: OrderedDict[str, deque[_PendingJob]] = OrderedDict()
        self._active: Counter[str] = Counter()  # running jobs per session
        self._threads = ThreadPoolExecutor(limits.engines, thread_name_prefix=f"engine-{name}")
        self._idle: list[Engine] = []
        self._running: dict[asyncio.Task[None], JobHandle] = {}
        self.waiting = 0

    def submit(
        self, session: str, handle: JobHandle, work: Callable[[Engine, JobHandle], _T]
    ) -> asyncio.Future[_T]:
        """Queues a job of a session. Raises RequestError if too many jobs wait."""
        waiting = len(self._queues.get(session, ()))
        if waiting + self._active[session] >= self._limits.session_jobs:
            raise RequestError("busy", "too many requests at once: wait for the earlier ones")
        if self.waiting >= self._limits.queue:
            raise RequestError("busy", "the server is busy: try again in a moment")
        result: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(session, deque()).append(_PendingJob(work, handle, result))
        self.waiting += 1
        self._start_more()
        return result

    def _start_more(self) -> None:
        while self._queues and len(self._running) < self._limits.engines:
            session, queue = self._queues.popitem(last=False)
            job = queue.popleft()
            if queue:  # at the end of the line
                self._queues[session] = queue
            self.waiting -= 1
            if job.result.cancelled():
                continue
            self._active[session] += 1
            task = asyncio.create_task(self._run(session, job))
            self._running[task] = job.handle
            task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        del self._running[task]
        self._start_more()

    async def _run(self, session: str, job: _PendingJob) -> None:
        loop = asyncio.get_running_loop()
        try:
            result = await loop.run_in_executor(self._threads, self._run_on_engine, job)
            if not job.result.done():
                job.result.set_result(result)
        except Exception as error:
            if not job.result.done():
                job.result.set_exception(error)
        finally:
            self._active -= Counter((session,))

    def _run_on_engine(self, job: _PendingJob) -> Any:
        """Runs on a thread of the lane."""
        try:
            engine = self._idle.pop()
        except IndexError:
            engine = self._make()
        job.handle.attach(engine)
        try:
            return job.work(engine, job.handle)
        finally:
            job.handle.attach(None)
            if engine.is_busy:  # left in the middle of a search: its state is unknown
                engine.close()
            else:
                self._idle.append(engine)

    async def close(self) -> None:
        """Stops all jobs and closes the engines."""
        for queue in self._queues.values():
            for job in queue:
                job.result.cancel()
        self._queues.clear()
        self.waiting = 0
        for handle in list(self._running.values()):
            handle.stop()
        if self._running:
            await asyncio.wait(set(self._running), timeout=5)
        self._threads.shutdown(wait=False, cancel_futures=True)
        for engine in self._idle:
            with suppress(EngineBusy, EngineClosed):
                engine.close()


class EnginePool:
    """The lanes of a server. `options` configure the engines."""

    def __init__(self, limits: ServerLimits, **options: Any) -> None:
        def lane(name: str, memory: int) -> EngineLane:
            return EngineLane(name, limits, lambda: Engine(memory=memory, **options))

        self.quick = lane("quick", limits.quick_memory)
        self.slow = lane("slow", limits.memory)
        self.long = lane("long", limits.memory)

    async def close(self) -> None:
        for lane in (self.quick, self.slow, self.long):
            await lane.close()
