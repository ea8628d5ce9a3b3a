# SPDX-License-Identifier: MIT
"""A pool of worker processes that outlives what runs in it: a worker that crashes or hangs costs
its task, is told with what it had noted, and is replaced.

Workers are started fresh ("spawn"), so none holds a pipe of another, and all end with their
parent. Relies on the standard library alone; `match`, `pipes` and `selfplay` run on it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.sharedctypes import RawArray
from types import FrameType
from typing import Any, Generic, Self, TypeVar

T = TypeVar("T")
R = TypeVar("R")
NOTES = 1024  # whole numbers that a worker can leave behind
TICK = 0.25  # seconds
STARTING = 60.0  # seconds that a new process may take for its imports
_SPAWN = multiprocessing.get_context("spawn")


class Notes:
    """A few whole numbers in memory that survives the worker. Each writing is also a sign of
    life.
    """

    def __init__(self, shared: Any) -> None:
        self._shared = shared  # [0] counts the writings, [1] is the length, the numbers follow

    def write(self, *numbers: int) -> None:
        kept = numbers[: NOTES - 2]
        self._shared[2 : 2 + len(kept)] = kept
        self._shared[1] = len(kept)
        self._shared[0] = (self._shared[0] + 1) & 0x7FFFFFFF

    def read(self) -> tuple[int, ...]:
        return tuple(self._shared[2 : 2 + self._shared[1]])

    @property
    def beats(self) -> int:
        return int(self._shared[0])


@dataclass(frozen=True)
class Failure:
    """A task without a result. `kind` is "crash" (the process died), "hang" (no sign of life for
    too long) or "error" (the work raised).
    """

    kind: str
    words: str
    notes: tuple[int, ...] = ()


def _serve(connection: Connection[Any, Any], shared: Any) -> None:
    """What a worker does: one task after another, until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    notes = Notes(shared)
    with suppress(EOFError, OSError):
        while True:
            work, task = connection.recv()
            notes.write()
            try:
                result = work(task, notes)
            except Exception as error:
                trace = traceback.format_exc(limit=-3)
                result = Failure("error", f"{type(error).__name__}: {error}\n{trace}", notes.read())
            connection.send(result)


@dataclass
class _Slot(Generic[T]):
    process: SpawnProcess
    connection: Connection[Any, Any]
    notes: Notes
    task: T | None = None
    beats: int = 0
    seen: float = field(default_factory=time.monotonic)  # when the last sign of life came
    hangs: bool = False


class Pool:
    """`processes` workers; one that gives no sign of life for `patience` seconds is killed."""

    def __init__(self, processes: int, patience: float = 120) -> None:
        self.processes = processes
        self._patience = patience
        self._slots: list[_Slot[Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while self._slots:
            self._drop(self._slots[-1])

    def run(
        self,
        work: Callable[[T, Notes], R],
        tasks: Iterable[T],
        stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[T, R | Failure] | None]:
        """Each task with its result, as they come, and None now and then to let time pass. Ends
        soon after `stop()` holds; what was then under way is given up.
        """
        waiting = iter(tasks)
        try:
            more = True
            while not stop():
                more = more and self._feed(work, waiting)
                busy = [slot for slot in self._slots if slot.task is not None]
                if not busy:
                    return
                ready = wait([slot.connection for slot in busy], TICK)
                for slot in busy:
                    if slot.connection in ready:
                        task: Any = slot.task
                        yield task, self._result(slot)
                self._check_life()
                yield None
        finally:
            for slot in [slot for slot in self._slots if slot.task is not None]:
                self._drop(slot)

    def _feed(self, work: Callable[[T, Notes], R], waiting: Iterator[T]) -> bool:
        """Give every idle worker a task. False when there are no more."""
        idle = [slot for slot in self._slots if slot.task is None]
        while idle or len(self._slots) < self.processes:
            task = next(waiting, None)
            if task is None:
                return False
            while True:
                slot = idle.pop() if idle else self._start()
                slot.task, slot.seen = task, time.monotonic()
                try:
                    slot.connection.send((work, task))
                    break
                except OSError:  # it died while it was idle
                    self._drop(slot)
        return True

    def _start(self) -> _Slot[Any]:
        ours, theirs = _SPAWN.Pipe()
        shared = RawArray("i", NOTES)
        process = _SPAWN.Process(target=_serve, args=(theirs, shared), daemon=True)
        process.start()
        theirs.close()
        slot: _Slot[Any] = _Slot(process, ours, Notes(shared))
        self._slots.append(slot)
        return slot

    def _result(self, slot: _Slot[Any]) -> Any:
        try:
            result = slot.connection.recv()
        except (EOFError, OSError):
            slot.process.join(5)
            kind = "hang" if slot.hangs else "crash"
            code = slot.process.exitcode
            words = "no sign of life" if slot.hangs else f"the process ended with code {code}"
            result = Failure(kind, words, slot.notes.read())
            self._drop(slot)
        else:
            slot.task = None
        return result

    def _check_life(self) -> None:
        now = time.monotonic()
        for slot in self._slots:
            if slot.notes.beats != slot.beats:
                slot.beats, slot.seen = slot.notes.beats, now
            elif slot.task is not None and now - slot.seen > self._patience_with(slot):
                slot.hangs = True
                slot.process.kill()  # the end of its pipe is what `run` sees next

    def _patience_with(self, slot: _Slot[Any]) -> float:
        return self._patience if slot.beats else max(self._patience, STARTING)

    def _drop(self, slot: _Slot[Any]) -> None:
        self._slots.remove(slot)
        slot.connection.close()
        if slot.task is not None:
            slot.process.kill()
        slot.process.join(5)
        if slot.process.exitcode is None:
            slot.process.kill()
            slot.process.join()
        slot.process.close()


class Stop:
    """Says when to end: after SIGINT or SIGTERM, or when the time is over."""

    def __init__(self, seconds: float | None = None) -> None:
        self.asked = False
        self._outer: Stop | None = None
        self._deadline = time.monotonic() + seconds if seconds else float("inf")

    def listen(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)
        return self

    def within(self, seconds: float | None) -> Stop:
        """One that ends with this one, and after so many seconds in any case."""
        inner = Stop(seconds)
        inner._outer = self
        return inner

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True

    def __call__(self) -> bool:
        over = self.asked or time.monotonic() > self._deadline
        return over or (self._outer is not None and self._outer())


class Every:
    """True at most once in so many seconds, and not at once."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._last = time.monotonic()

    def __call__(self) -> bool:
        due = time.monotonic() - self._last >= self._seconds
        if due:
            self._last = time.monotonic()
        return due


def say(words: str) -> None:
    """A line about the progress."""
    print(words, file=sys.stderr, flush=True)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
