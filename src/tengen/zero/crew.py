# SPDX-License-Identifier: MIT
"""Who plays: worker processes of a cluster beside the learner, or this process in turns with it.
Both give the loop judged results. Relies on the worker's task, the judge and `tengen.cluster`; the
loop relies on it.

A worker that dies is replaced, and its task is forgotten: its games were not counted. One that
gives garbage is named; the second time in a row it is dismissed. When nobody is left, or one death
follows the other, self-play has failed.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from tengen.cluster import Cluster, Done, Failure
from tengen.cluster.base import Work
from tengen.zero.errors import BadResult, SelfPlayFailed
from tengen.zero.generator import Enough, Games
from tengen.zero.worker import Played, Task, TaskPlayer, play_task, stop_playing

__all__ = ["Crew", "InsideCrew", "Outcome", "ThisProcess", "WorkerCrew"]

T = TypeVar("T")
R = TypeVar("R")

_STRIKES = 2  # bad results in a row, then a worker is dismissed
_DEATHS = 5  # workers that die without a good result between them
_TICK = 0.05  # seconds between two looks whether play may go on
_ENDING = 30.0  # seconds for the thread to end its workers


@dataclass(frozen=True, slots=True)
class Outcome:
    """A task that came to its end: with games, or with words why not."""

    task: Task
    worker: str
    games: Games | None = None
    words: str = ""
    dismissed: bool = False  # the worker gets no more tasks


Judge = Callable[[object, Task], Games]  # raises BadResult


class Crew(Protocol):
    """Players of a run."""

    def results(self, seconds: float) -> list[Outcome]:
        """What has come in; if nothing has, wait so long for something. Raises SelfPlayFailed."""

    def close(self) -> None: ...


class _Record:
    """What workers have done lately."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._strikes: dict[str, int] = {}
        self._deaths = 0

    def outcome(self, task: Task, result: Played | Failure, worker: str) -> Outcome:
        """Judge a result. Raises SelfPlayFailed after too many deaths."""
        if isinstance(result, Failure) and result.kind != "error":
            self._deaths += 1
            words = f"{result.kind}: {result.words}"
            if self._deaths >= _DEATHS:
                raise SelfPlayFailed(f"{self._deaths} workers died one after the other ({words})")
            return Outcome(task, worker, words=words)
        try:
            if isinstance(result, Failure):
                raise BadResult(f"it failed: {result.words}")
            games = self._judge(result, task)
        except BadResult as error:
            self._strikes[worker] = self._strikes.get(worker, 0) + 1
            gone = self._strikes[worker] >= _STRIKES
            return Outcome(task, worker, words=str(error), dismissed=gone)
        self._strikes[worker] = self._deaths = 0
        return Outcome(task, worker, games)


class InsideCrew:
    """This process: it plays a task when it is asked to wait. One that `stop` ends gives the games
    that have ended by then.
    """

    NAME = "this process"

    def __init__(
        self, next_task: Callable[[], Task], judge: Judge, stop: Callable[[], bool]
    ) -> None:
        self._next_task = next_task
        self._record = _Record(judge)
        self._player = TaskPlayer()
        self._notes = _Notes(stop)

    def results(self, seconds: float) -> list[Outcome]:
        if seconds <= 0:
            return []
        task = self._next_task()
        try:
            played = self._player.play(task, self._notes.write)
        except Enough:
            return []
        found = self._record.outcome(task, played, self.NAME)
        if found.dismissed:
            raise SelfPlayFailed(f"self-play gives no games: {found.words}")
        return [found]

    def close(self) -> None:
        self._player.close()


class ThisProcess(Cluster):
    """A cluster of one worker that is no process of its own: the thread that reads its results."""

    NAME = "a thread of this process"

    def __init__(self) -> None:
        self._there = True

    @property
    def workers(self) -> int:
        return int(self._there)

    def run(
        self, work: Work[T, R], tasks: Iterable[T | None], stop: Callable[[], bool] = lambda: False
    ) -> Iterator[Done[T, R] | None]:
        for task in tasks:
            if stop() or not self._there:
                return
            if task is None:
                time.sleep(_TICK)
                yield None
                continue
            result: R | Failure
            try:
                result = work(task, _Notes(stop))
            except Enough:
                return
            except Exception as error:  # as a process would tell it
                result = Failure("error", f"{type(error).__name__}: {error}")
            yield Done(task, result, self.NAME)

    def dismiss(self, worker: str) -> None:
        self._there = False

    def close(self) -> None:
        stop_playing()


class _Notes:
    """What a player in this process writes to: nobody reads it, but it can be told to stop."""

    def __init__(self, stop: Callable[[], bool]) -> None:
        self._stop = stop

    def write(self, *numbers: int) -> None:
        """Raises Enough."""
        if self._stop():
            raise Enough


class WorkerCrew:
    """The workers of a cluster, watched by a thread. `may_play` says whether the next task may
    begin; both it and `next_task` are called in that thread. The cluster is closed at the end.
    """

    def __init__(
        self,
        cluster: Cluster,
        next_task: Callable[[], Task],
        may_play: Callable[[], bool],
        judge: Judge,
    ) -> None:
        self._cluster = cluster
        self._next_task = next_task
        self._may_play = may_play
        self._record = _Record(judge)
        self._came: queue.SimpleQueue[Outcome | Exception] = queue.SimpleQueue()
        self._failed: Exception | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="tengen-crew", daemon=True)
        self._thread.start()

    def results(self, seconds: float) -> list[Outcome]:
        if self._failed is not None:
            raise self._failed
        found: list[Outcome] = []
        try:
            while self._failed is None:
                wait = seconds if not found and seconds > 0 else 0.0
                one = self._came.get(timeout=wait) if wait else self._came.get_nowait()
                if isinstance(one, Exception):
                    self._failed = one  # told next time: what came before it counts
                else:
                    found.append(one)
        except queue.Empty:
            pass
        return found

    def close(self) -> None:
        self._stop.set()
        self._thread.join(_ENDING)
        self._cluster.close()

    def _watch(self) -> None:
        try:
            for done in self._cluster.run(play_task, self._tasks(), self._stop.is_set):
                if done is not None:
                    self._take(done)
            if not self._stop.is_set():
                raise SelfPlayFailed("no worker is left that plays")
        except Exception as error:  # told to the loop, which is in another thread
            self._came.put(error)

    def _take(self, done: Done[Task, Played]) -> None:
        found = self._record.outcome(done.task, done.result, done.worker)
        self._came.put(found)
        if found.dismissed:
            self._cluster.dismiss(done.worker)
            if not self._cluster.workers:
                words = f"no worker is left: the last one, {done.worker}, gave garbage"
                raise SelfPlayFailed(f"{words} ({found.words})")

    def _tasks(self) -> Iterator[Task | None]:
        """Each made when a worker is free for it, and so with the newest generation; None while
        self-play has to wait for learning.
        """
        while not self._stop.is_set():
            yield self._next_task() if self._may_play() else None
