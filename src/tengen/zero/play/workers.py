# SPDX-License-Identifier: MIT
"""Who plays: worker processes of a cluster, a thread of this process, or this process in turns with
training. All return validated results to the loop.

A worker process keeps its generator, with the games in progress, between two tasks. A worker that
dies is replaced and its task is dropped: its games were not counted. A worker whose results are
invalid twice in a row gets no more tasks. Self-play fails when no worker is left, or when workers
keep dying.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing import current_process
from pathlib import Path
from typing import Any, Protocol, TypeVar

from tengen.cluster import Cluster, Failure, ProgressRecord, TaskOutcome
from tengen.cluster.base import Work
from tengen.nets.weights import read_weights
from tengen.zero.errors import BadResult, SelfPlayFailed
from tengen.zero.play.generator import (
    GameGenerator,
    SelfPlayGames,
    StopPlaying,
    find_game_generator_factory,
)

T = TypeVar("T")
R = TypeVar("R")

_MAX_INVALID_RESULTS = 2  # invalid results in a row before a worker is dismissed
_MAX_CRASHES = 5  # crashes without a valid result in between before self-play fails
_POLL = 0.05  # seconds between two checks whether play may continue
_CLOSE_TIMEOUT = 30.0  # seconds for the thread to end its workers


@dataclass(frozen=True, slots=True)
class SelfPlayTask:
    """Play until finished games have `positions` positions."""

    name: str  # unique within the run
    positions: int
    seed: int  # used if a generator is created for this task
    generation: int
    nets: tuple[str, ...]  # paths of the generation's weights: one, or black's and white's
    settings: Mapping[str, Any]  # of self-play
    game_generator_factory: str  # "module:function"
    device: str


@dataclass(frozen=True, slots=True)
class TaskResult:
    task: str  # the task's name
    games: SelfPlayGames


@dataclass(frozen=True, slots=True)
class SelfPlayOutcome:
    """A finished task: its games, or an error."""

    task: SelfPlayTask
    worker: str
    games: SelfPlayGames | None = None
    error: str = ""
    dismissed: bool = False  # the worker gets no more tasks


NextTask = Callable[[], SelfPlayTask]
Validator = Callable[[object, SelfPlayTask], SelfPlayGames]  # raises BadResult


# --- in the worker ---


class TaskPlayer:
    """Owns a generator. The first task creates it; a new generation replaces its nets."""

    def __init__(self) -> None:
        self._generator: GameGenerator | None = None
        self._made_for: tuple[str, str, Any] | None = None
        self._nets: tuple[str, ...] = ()

    def play(self, task: SelfPlayTask, heartbeat: Callable[[], None] = lambda: None) -> TaskResult:
        made_for = (task.game_generator_factory, task.device, dict(task.settings))
        if self._generator is None or made_for != self._made_for:
            self.close()
            make_generator = find_game_generator_factory(task.game_generator_factory)
            self._generator = make_generator({**task.settings, "seed": task.seed}, task.device)
            self._made_for = made_for
        if task.nets != self._nets:
            self._generator.set_nets(*(read_weights(Path(path)).make() for path in task.nets))
            self._nets = task.nets
        return TaskResult(task.name, self._generator.play(task.positions, heartbeat))

    def close(self) -> None:
        if self._generator is not None:
            self._generator.close()
        self._generator, self._made_for, self._nets = None, None, ()


_player = TaskPlayer()  # of a worker process, which runs one task at a time


def play_task(task: SelfPlayTask, progress: ProgressRecord) -> TaskResult:
    """The work function of a cluster."""
    progress.write(task.generation)
    import torch

    if task.device == "cpu" and current_process().name != "MainProcess":
        torch.set_num_threads(1)  # training uses the other cores
    return _player.play(task, lambda: progress.write(task.generation))


# --- in the loop ---


class SelfPlayWorkers(Protocol):
    """The players of a run."""

    def results(self, seconds: float) -> list[SelfPlayOutcome]:
        """Finished tasks; waits up to `seconds` if there are none. Raises SelfPlayFailed."""

    def close(self) -> None: ...


class _ResultTracker:
    """Validates results and counts failures of each worker."""

    def __init__(self, validate: Validator) -> None:
        self._validate = validate
        self._invalid_in_a_row: dict[str, int] = {}
        self._crashes = 0

    def outcome(
        self, task: SelfPlayTask, result: TaskResult | Failure, worker: str
    ) -> SelfPlayOutcome:
        """Raises SelfPlayFailed after too many crashes."""
        if isinstance(result, Failure) and result.kind != "error":
            self._crashes += 1
            error = f"{result.kind}: {result.message}"
            if self._crashes >= _MAX_CRASHES:
                raise SelfPlayFailed(f"{self._crashes} workers died in a row ({error})")
            return SelfPlayOutcome(task, worker, error=error)
        try:
            if isinstance(result, Failure):
                raise BadResult(f"it failed: {result.message}")
            games = self._validate(result, task)
        except BadResult as error:
            self._invalid_in_a_row[worker] = self._invalid_in_a_row.get(worker, 0) + 1
            dismissed = self._invalid_in_a_row[worker] >= _MAX_INVALID_RESULTS
            return SelfPlayOutcome(task, worker, error=str(error), dismissed=dismissed)
        self._invalid_in_a_row[worker] = self._crashes = 0
        return SelfPlayOutcome(task, worker, games)


class _StopRecord:
    """The progress record of a player in this process: nothing reads it, but writing to it ends the
    task once `stop()` returns true.
    """

    def __init__(self, stop: Callable[[], bool]) -> None:
        self._stop = stop

    def write(self, *numbers: int) -> None:
        """Raises StopPlaying."""
        if self._stop():
            raise StopPlaying


class InlineWorker:
    """Plays a task in this thread whenever results are waited for. A task that `stop` ends returns
    the games finished so far.
    """

    NAME = "this process"

    def __init__(self, next_task: NextTask, validate: Validator, stop: Callable[[], bool]) -> None:
        self._next_task = next_task
        self._tracker = _ResultTracker(validate)
        self._player = TaskPlayer()
        self._progress = _StopRecord(stop)

    def results(self, seconds: float) -> list[SelfPlayOutcome]:
        if seconds <= 0:
            return []
        task = self._next_task()
        try:
            result = self._player.play(task, self._progress.write)
        except StopPlaying:
            return []
        outcome = self._tracker.outcome(task, result, self.NAME)
        if outcome.dismissed:
            raise SelfPlayFailed(f"self-play returns no valid games: {outcome.error}")
        return [outcome]

    def close(self) -> None:
        self._player.close()


class ThreadCluster(Cluster):
    """A cluster whose one worker is the thread that reads its results."""

    NAME = "a thread of this process"

    def __init__(self) -> None:
        self._is_open = True

    @property
    def workers(self) -> int:
        return int(self._is_open)

    def run(
        self, work: Work[T, R], tasks: Iterable[T | None], stop: Callable[[], bool] = lambda: False
    ) -> Iterator[TaskOutcome[T, R] | None]:
        for task in tasks:
            if stop() or not self._is_open:
                return
            if task is None:
                time.sleep(_POLL)
                yield None
                continue
            result: R | Failure
            try:
                result = work(task, _StopRecord(stop))
            except StopPlaying:
                return
            except Exception as error:  # as a worker process reports it
                result = Failure("error", f"{type(error).__name__}: {error}")
            yield TaskOutcome(task, result, self.NAME)

    def dismiss(self, worker: str) -> None:
        self._is_open = False

    def close(self) -> None:
        _player.close()


class ClusterWorkers:
    """The workers of a cluster, driven by a thread, which also calls `may_start_task` and
    `next_task`. `close` closes the cluster.
    """

    def __init__(
        self,
        cluster: Cluster,
        next_task: NextTask,
        may_start_task: Callable[[], bool],
        validate: Validator,
    ) -> None:
        self._cluster = cluster
        self._next_task = next_task
        self._may_start_task = may_start_task
        self._tracker = _ResultTracker(validate)
        self._queue: queue.SimpleQueue[SelfPlayOutcome | Exception] = queue.SimpleQueue()
        self._failure: Exception | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tengen-workers", daemon=True)
        self._thread.start()

    def results(self, seconds: float) -> list[SelfPlayOutcome]:
        if self._failure is not None:
            raise self._failure
        outcomes: list[SelfPlayOutcome] = []
        try:
            while self._failure is None:
                wait = seconds if not outcomes and seconds > 0 else 0.0
                item = self._queue.get(timeout=wait) if wait else self._queue.get_nowait()
                if isinstance(item, Exception):
                    self._failure = item  # raised by the next call: earlier results count
                else:
                    outcomes.append(item)
        except queue.Empty:
            pass
        return outcomes

    def close(self) -> None:
        self._stop.set()
        self._thread.join(_CLOSE_TIMEOUT)
        self._cluster.close()

    def _run(self) -> None:
        try:
            for done in self._cluster.run(play_task, self._tasks(), self._stop.is_set):
                if done is not None:
                    self._handle_outcome(done)
            if not self._stop.is_set():
                raise SelfPlayFailed("no worker is left")
        except Exception as error:  # raised again in the loop's thread
            self._queue.put(error)

    def _handle_outcome(self, done: TaskOutcome[SelfPlayTask, TaskResult]) -> None:
        outcome = self._tracker.outcome(done.task, done.result, done.worker)
        self._queue.put(outcome)
        if outcome.dismissed:
            self._cluster.dismiss(done.worker)
            if not self._cluster.workers:
                problem = f"results of the last worker, {done.worker}, are invalid"
                raise SelfPlayFailed(f"{problem}: {outcome.error}")

    def _tasks(self) -> Iterator[SelfPlayTask | None]:
        """Creates a task when a worker is free, so that it has the newest generation. None while
        self-play waits for training.
        """
        while not self._stop.is_set():
            yield self._next_task() if self._may_start_task() else None
