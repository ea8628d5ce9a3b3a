# SPDX-License-Identifier: MIT
"""The engines of the server: native `PageEngine`s on threads, in lanes with a fixed number of
threads each, so that a quick request never waits for an analysis.

A page has its own engines, for its game, its analyses, its solvers and its reviews: tables and
proofs stay between its requests. Views and attempts run on small shared engines. The event loop
only passes texts on; native calls release the GIL.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from tengen import _core
from tengen.engine.nets import DATA
from tengen.engine.onnx_net import load_external
from tengen.engine.options import SEARCHES, check_options, defaults, option_texts
from tengen.web.lanes import LANES, Job, Lane, Page, Slot
from tengen.web.limits import RequestError, ServerLimits
from tengen.web.messages import EngineRequest, QueuedEvent, error_text

_TICK = 0.1  # s between two progress events of an analysis
_QUEUED_DELAY = 0.2  # s that a request waits before its page gets a `queued` event
_MAX_QUICK_LEVEL = 6  # levels up to this take hundredths of a second per move
_SOLVER_MEMORY = 32  # MiB, of the core
_MIN_MEMORY = 4  # MiB, of the tables of an engine
_CLOSE_TIME = 5.0  # s to wait for searches when the server ends
# Request type to lane and engine; None: a shared one.
_ROUTES: Mapping[str, tuple[str, str | None]] = {
    "view": ("view", None),
    "attempt": ("check", None),
    "new_game": ("quick", "game"),
    "move": ("move", "game"),
    "swap2": ("move", "game"),
    "analyse": ("study", "analysis"),
    "solve": ("study", "solver"),
    "proof_step": ("quick", "solver"),
    "review": ("review", "review"),
}
# Requests that the core can end early, with an event that says so.
_STOPPABLE = frozenset(("move", "swap2", "analyse", "solve", "review"))


class Engines:
    """All engines of a server, on one event loop. `options` are those of `tengen.Engine`."""

    def __init__(self, limits: ServerLimits, **options: object) -> None:
        self._limits = limits
        self._options = engine_options(**options)
        self._lanes = {
            name: Lane(name, 1 if name == "convert" else limits.engines) for name in LANES
        }
        self._slots: dict[Page, dict[str, Slot]] = {}
        self._shared = threading.local()  # an engine per thread
        self._helper = ThreadPoolExecutor(1, "engine-helper")
        self._ticker: asyncio.Task[None] | None = None
        self._loop = asyncio.get_running_loop()

    @property
    def memory(self) -> int:
        """MiB that the engines of all pages may use."""
        return sum(slot.memory for slot in self._all_slots() if slot.engine is not None)

    # --- requests ---

    def request(self, page: Page, request: EngineRequest) -> Job:
        """Starts or queues an engine request. Raises RequestError if too many wait."""
        lane, kind = _ROUTES[request.type]
        is_quick = request.level is not None and 1 <= request.level <= _MAX_QUICK_LEVEL
        if lane == "move" and is_quick:
            lane = "quick"
        job = Job(page, request.type, request.id, request.text)
        if kind is None:
            self._submit(job, lane)
            return job
        slot = self._slots.setdefault(page, {}).setdefault(kind, Slot())
        is_small = kind == "game" and (is_quick or request.type == "new_game")
        job.memory = self._limits.quick_memory if is_small else self._limits.memory
        if kind == "solver":
            job.memory = _MIN_MEMORY + _SOLVER_MEMORY
        job.slot = slot
        self._submit(job, lane)
        if request.type in ("analyse", "new_game"):  # the page needs no earlier answer
            for other in list(slot.jobs):
                if other is not job:
                    self.stop(other)
        return job

    def convert(self, page: Page, id: int, convert: Callable[[], tuple[str, float]]) -> None:
        """Runs a conversion. Raises RequestError."""
        self._submit(Job(page, "convert_record", id, convert=convert), "convert")

    def stop(self, job: Job) -> None:
        """Ends a job soon, with what is known. One that waits is answered at once, by a shared
        engine.
        """
        if job.type not in _STOPPABLE or job.is_stopped:
            return
        job.is_stopped = True
        if job.engine is not None:
            job.engine.stop()
        if job.started is None:
            self._forget(job)
            job.slot = None
            self._submit(job, "check")

    def leave(self, page: Page) -> None:
        """Ends all jobs of a page that is gone, and frees its engines."""
        slots = self._slots.pop(page, {})
        for lane in self._lanes.values():
            for job in (*lane.waiting, *lane.running):
                if job.page is page and job.started is None:
                    self._forget(job)
                elif job.page is page:
                    self.stop(job)
        for slot in slots.values():
            if not slot.is_busy:
                self._drop(slot)
        self._start_waiting()

    async def close(self) -> None:
        """Ends all jobs and frees the engines."""
        running: set[Job] = set()
        for lane in self._lanes.values():
            lane.waiting.clear()
            running |= lane.running
        for job in running:
            self.stop(job)
        if self._ticker is not None:
            await asyncio.wait({self._ticker}, timeout=_CLOSE_TIME)
            self._ticker.cancel()
        for lane in self._lanes.values():
            lane.executor.shutdown(wait=False, cancel_futures=True)
        self._helper.shutdown(wait=False)
        self._slots.clear()

    # --- lanes ---

    def _submit(self, job: Job, name: str) -> None:
        lane = self._lanes[name]
        if (
            name != "view"  # the connection bounds them
            and not job.is_stopped
            and lane.count(job.page.session) >= self._limits.session_jobs
        ):
            raise RequestError("busy", "too many requests at once: wait for the earlier ones")
        job.lane = name
        lane.waiting.append(job)
        if job.slot is not None:
            job.slot.jobs.append(job)
        self._start_waiting()
        if job.started is None and name != "view":
            self._loop.call_later(_QUEUED_DELAY, self._report_waiting, job)

    def _report_waiting(self, job: Job) -> None:
        if job in self._lanes[job.lane].waiting:
            job.page.send(QueuedEvent(id=job.id).model_dump_json())

    def _forget(self, job: Job) -> None:
        """Removes a job that waits."""
        self._lanes[job.lane].waiting.remove(job)
        if job.slot is not None:
            job.slot.jobs.remove(job)

    def _start_waiting(self) -> None:
        for lane in self._lanes.values():
            while (job := lane.next()) is not None:
                self._start(job, lane)

    def _start(self, job: Job, lane: Lane) -> None:
        slot = job.slot
        if slot is not None:
            if job.memory > slot.memory:
                self._drop(slot)
                slot.memory = job.memory
            if slot.engine is None:
                self._make_room(slot)
        job.started = time.monotonic()
        future = self._loop.run_in_executor(lane.executor, self._run, job)
        future.add_done_callback(lambda done: self._finished(job, lane, done))
        if self._ticker is None or self._ticker.done():
            self._ticker = self._loop.create_task(self._tick())

    def _finished(self, job: Job, lane: Lane, done: asyncio.Future[None]) -> None:
        slot, page = job.slot, job.page
        lane.running.discard(job)
        if slot is not None:
            slot.jobs.popleft()
            slot.used = time.monotonic()
        error = None if done.cancelled() else done.exception()
        if error is not None:
            page.send(error_text("engine", str(error) or type(error).__name__, job.id))
        if slot is not None and (error is not None or page not in self._slots):
            self._drop(slot)
        if lane.kind.is_charged:
            page.charge(job.seconds)
        else:
            page.account.add_thinking(time.monotonic() - (job.started or 0))
        if job.result:
            page.send(job.result)
        page.ended(job)
        self._start_waiting()

    # --- engines ---

    def _all_slots(self) -> list[Slot]:
        return [slot for slots in self._slots.values() for slot in slots.values()]

    def _drop(self, slot: Slot) -> None:
        """Frees an idle engine, on another thread: that may take milliseconds."""
        engine, slot.engine = [slot.engine], None
        if engine[0] is not None:
            with contextlib.suppress(RuntimeError):  # the server ends
                self._helper.submit(engine.clear)

    def _make_room(self, wanted: Slot) -> None:
        """Frees engines that were not used for the longest time, until one more fits."""
        idle = [slot for slot in self._all_slots() if slot.engine is not None and not slot.is_busy]
        excess = self.memory + wanted.memory - self._limits.engine_memory
        for slot in sorted(idle, key=lambda slot: slot.used):
            if excess <= 0:
                return
            excess -= slot.memory
            self._drop(slot)

    def _make(self, memory: int) -> _core.PageEngine:
        return _core.PageEngine(self._options | {"memory": str(memory)}, DATA, load_external)

    def _run(self, job: Job) -> None:
        """Runs on a thread of a lane."""
        start = time.thread_time()
        try:
            if job.convert is not None:
                job.result, job.seconds = job.convert()
                return
            job.engine = self._engine_for(job)
            job.engine.handle(job.text, lambda event: self._emit(job, event))
        finally:
            job.engine = None
            job.seconds += time.thread_time() - start

    def _engine_for(self, job: Job) -> _core.PageEngine:
        if job.slot is None:
            engine: _core.PageEngine | None = getattr(self._shared, "engine", None)
            if engine is None:
                engine = self._shared.engine = self._make(_MIN_MEMORY)
            return engine
        if job.slot.engine is None:
            job.slot.engine = self._make(
                _MIN_MEMORY if job.type in ("solve", "proof_step") else job.slot.memory
            )
        return job.slot.engine

    def _emit(self, job: Job, event: str) -> None:
        """Sends an event, from any thread. Raises RuntimeError if the server has ended."""
        self._loop.call_soon_threadsafe(self._deliver, job, event)

    def _deliver(self, job: Job, event: str) -> None:
        if not (job.page.is_behind and job.is_progress(event)):
            job.page.send(event)

    # --- progress ---

    async def _tick(self) -> None:
        """Reports analyses and ends what takes too long, while anything runs."""
        while any(lane.running for lane in self._lanes.values()):
            await asyncio.sleep(_TICK)
            for lane in self._lanes.values():
                for job in list(lane.running):
                    self._watch(job, lane)

    def _watch(self, job: Job, lane: Lane) -> None:
        seconds, limits = time.monotonic() - (job.started or 0), self._limits
        turn = {"move": limits.slice_time, "study": limits.slice_time, "review": limits.review_time}
        if lane.kind.time is not None and seconds > lane.kind.time:
            job.is_stopped = True
        if seconds > turn.get(job.lane, seconds) and lane.is_wanted(job.page):
            job.is_stopped = True
        engine = job.engine
        if engine is None:
            return
        if job.is_stopped:
            engine.stop()  # again, as the engine ignores it before it has begun
        elif job.type == "analyse" and not job.page.is_behind:
            with contextlib.suppress(RuntimeError):
                self._helper.submit(self._report, job, engine)

    def _report(self, job: Job, engine: _core.PageEngine) -> None:
        with contextlib.suppress(RuntimeError):
            engine.report(lambda event: self._emit(job, event))


def engine_options(**options: object) -> dict[str, str]:
    """The options of an engine as the core takes them; a preset selects alpha-beta, as in
    `tengen.Engine`. Raises BadOption.
    """
    if options.get("preset") is not None:
        options = {"search": SEARCHES[0]} | options
    else:
        options.pop("preset", None)
    return option_texts(defaults() | check_options(options))
