# SPDX-License-Identifier: MIT
"""The interface of clusters, and the values of its methods."""

from __future__ import annotations

import os
import warnings
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar

MAX_ATTEMPTS = 3  # for a task whose worker dies

T = TypeVar("T")
R = TypeVar("R")


class ProgressRecord(Protocol):
    """Integers by which a task records how far it is; they survive the death of the worker. Each
    write is a heartbeat.
    """

    def write(self, *numbers: int) -> None: ...


Work = Callable[[T, ProgressRecord], R]


@dataclass(frozen=True, slots=True)
class Failure:
    """A task without a result. `kind` is "crash" (the worker died), "hang" (no heartbeat for too
    long) or "error" (the work raised).
    """

    kind: str
    message: str
    progress: tuple[int, ...] = ()  # the progress record as last written

    @property
    def notes(self) -> tuple[int, ...]:
        """Old name of `progress`."""
        warnings.warn("Failure.notes is deprecated: use progress", DeprecationWarning, stacklevel=2)
        return self.progress


@dataclass(frozen=True, slots=True)
class TaskOutcome(Generic[T, R]):
    """A finished task with its result, or its failure."""

    task: T
    result: R | Failure
    worker: str = ""  # its name, which stays when the worker is replaced


class Cluster(ABC):
    """A pool of workers, mostly processes of this machine. A task and its result are pickled; the
    work is a function of a module, called as `work(task, progress)` in a process that does one
    task at a time and keeps its state (such as engines) between them.
    """

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many tasks are done at once."""

    @abstractmethod
    def run(
        self,
        work: Work[T, R],
        tasks: Iterable[T | None],
        stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[TaskOutcome[T, R] | None]:
        """Each task with its result, as they finish, and None periodically (idle tick).

        A task is taken from `tasks` when a worker is free for it, not before; if `tasks` yields
        None, there is none now and it is polled again. Ends soon after `stop()` returns true,
        or when the caller stops reading; running tasks are dropped.
        """

    def run_with_retries(
        self,
        work: Work[T, R],
        tasks: Iterable[T],
        stop: Callable[[], bool] = lambda: False,
        *,
        should_retry: Callable[[Failure], bool] = lambda failure: failure.kind != "error",
    ) -> Iterator[TaskOutcome[T, R] | None]:
        """As `run`, but a task whose failure satisfies `should_retry` is repeated before new
        tasks, up to `MAX_ATTEMPTS` in all; the last failure is returned. None ends `tasks`.
        """
        fresh = iter(tasks)
        waiting: deque[T] = deque()
        failures: list[T] = []

        def queue() -> Iterator[T]:
            while True:
                if waiting:
                    yield waiting.popleft()
                elif (task := next(fresh, None)) is not None:
                    yield task
                else:
                    return

        while True:
            for done in self.run(work, queue(), stop):
                if done and isinstance(done.result, Failure) and should_retry(done.result):
                    failures.append(done.task)
                    if failures.count(done.task) < MAX_ATTEMPTS:
                        waiting.append(done.task)
                        done = None
                yield done
            # Tasks may fail after the last one was started.
            if not waiting or stop() or not self.workers:
                return

    @abstractmethod
    def dismiss(self, worker: str) -> None:
        """End this worker and drop its task without a result. It is not replaced. Call it from the
        loop that reads the results of `run`.
        """

    @abstractmethod
    def close(self) -> None:
        """End the workers and all processes that they have started."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
