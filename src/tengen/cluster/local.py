# SPDX-License-Identifier: MIT
"""`LocalCluster`: worker processes on this machine. A worker that crashes or hangs is
replaced; its task fails, and the failure carries the progress record.

Workers are spawned, so none holds a pipe of another. They end by themselves when the parent is
gone, see `process_worker`.
"""

from __future__ import annotations

import multiprocessing
import time
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.sharedctypes import RawArray
from typing import Any, TypeVar

from tengen.cluster.base import Cluster, Failure, TaskOutcome, Work
from tengen.cluster.process_worker import RECORD_SIZE, SharedProgressRecord, end_orphans, serve

T = TypeVar("T")
R = TypeVar("R")
_TICK = 0.25  # seconds between two checks
_START_SECONDS = 60.0  # for the imports of a new process
_EXIT_SECONDS = 3.0  # for an orderly exit of a worker
_SPAWN = multiprocessing.get_context("spawn")


@dataclass(eq=False)
class _Slot:
    """A worker and its task."""

    name: str
    process: SpawnProcess
    connection: Connection[Any, Any]
    progress: SharedProgressRecord
    mark: str  # of the processes that it starts
    task: Any = None
    heartbeats: int = 0  # of the worker, when last checked
    last_heartbeat: float = field(default_factory=time.monotonic)  # its time


class LocalCluster(Cluster):
    """`processes` workers; one without a heartbeat for `timeout` seconds is killed. With `pin`,
    each worker is bound to its own cores.
    """

    def __init__(
        self,
        processes: int,
        timeout: float = 120,
        pin: Sequence[Sequence[int]] = (),
        *,
        patience: float | None = None,
    ):
        if patience is not None:
            warnings.warn("patience= is deprecated: use timeout=", DeprecationWarning, stacklevel=2)
            timeout = patience
        if processes < 1:
            raise ValueError(f"no cluster of {processes} processes: use 1 or more")
        self._processes = processes
        self._timeout = timeout
        self._pin = [list(cores) for cores in pin]
        self._slots: list[_Slot] = []
        self._dismissed: set[str] = set()

    @property
    def workers(self) -> int:
        return self._processes - len(self._dismissed)

    def dismiss(self, worker: str) -> None:
        if worker in {f"worker {n}" for n in range(self._processes)}:
            self._dismissed.add(worker)
        for slot in [slot for slot in self._slots if slot.name == worker]:
            self._drop(slot)

    def close(self) -> None:
        for slot in self._slots:  # all at once, then wait for each
            slot.connection.close()
        while self._slots:
            self._drop(self._slots[-1])

    def run(
        self,
        work: Work[T, R],
        tasks: Iterable[T | None],
        stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[TaskOutcome[T, R] | None]:
        waiting = iter(tasks)
        try:
            more = True
            while not stop():
                more = more and self._feed(work, waiting)
                busy = [slot for slot in self._slots if slot.task is not None]
                if not busy and not (more and self.workers):
                    return
                ready = wait([slot.connection for slot in busy], _TICK)
                for slot in busy:
                    # Not the results of a worker that was dismissed meanwhile.
                    if slot in self._slots and slot.connection in ready:
                        task, name = slot.task, slot.name
                        result = self._result(slot)
                        # Feed before yielding, so that no core waits for the caller.
                        more = more and self._feed(work, waiting)
                        yield TaskOutcome(task, result, name)
                for slot in self._hung():
                    if slot not in self._slots:
                        continue
                    task, progress, name = slot.task, slot.progress.read(), slot.name
                    self._drop(slot)
                    yield TaskOutcome(
                        task, Failure("hang", "no heartbeat for too long", progress), name
                    )
                yield None
        finally:
            self._give_up()

    def _give_up(self) -> None:
        """Drop the running tasks."""
        busy = [slot for slot in self._slots if slot.task is not None]
        for slot in busy:
            slot.connection.close()
        for slot in busy:
            self._drop(slot)

    def _feed(self, work: Work[T, R], waiting: Iterator[T | None]) -> bool:
        """Send a task to each idle worker, if there is one now. False when there are no more."""
        idle = [slot for slot in self._slots if slot.task is None]
        while idle or len(self._slots) < self.workers:
            try:
                task = next(waiting)
            except StopIteration:
                return False
            if task is None:
                return True
            while True:
                slot = idle.pop() if idle else self._start()
                slot.task, slot.last_heartbeat = task, time.monotonic()
                slot.progress.clear()  # of the previous task
                try:
                    slot.connection.send((work, task))
                    break
                except OSError:  # it died while it was idle
                    self._drop(slot)
        return True

    def _start(self) -> _Slot:
        ours, theirs = _SPAWN.Pipe()
        mark = uuid.uuid4().hex
        shared = RawArray("i", RECORD_SIZE)
        used = {slot.name for slot in self._slots} | self._dismissed
        number = next(n for n in range(self._processes) if f"worker {n}" not in used)
        cores = self._pin[number] if number < len(self._pin) else []
        process = _SPAWN.Process(
            target=serve, args=(theirs, shared, cores, mark), name=f"worker {number}", daemon=True
        )
        process.start()
        theirs.close()
        slot = _Slot(process.name, process, ours, SharedProgressRecord(shared), mark)
        self._slots.append(slot)
        return slot

    def _result(self, slot: _Slot) -> Any:
        try:
            result = slot.connection.recv()
        except (EOFError, OSError):
            slot.process.join(5)
            message = f"the process ended with code {slot.process.exitcode}"
            result = Failure("crash", message, slot.progress.read())
            self._drop(slot)
        except Exception as error:  # cannot be unpickled
            slot.task = None
            return Failure("error", f"{type(error).__name__}: {error}", slot.progress.read())
        else:
            slot.task = None
        return result

    def _hung(self) -> list[_Slot]:
        """The busy workers without a heartbeat for too long. A worker with an unread result does
        not hang: the caller may have been busy.
        """
        now = time.monotonic()
        found = []
        for slot in self._slots:
            if slot.progress.heartbeats != slot.heartbeats:
                slot.heartbeats, slot.last_heartbeat = slot.progress.heartbeats, now
                continue
            timeout = self._timeout if slot.heartbeats else max(self._timeout, _START_SECONDS)
            late = slot.task is not None and now - slot.last_heartbeat > timeout
            if late and not slot.connection.poll():
                found.append(slot)
        return found

    def _drop(self, slot: _Slot) -> None:
        """End a worker: close its pipe, then kill it if it does not exit."""
        self._slots.remove(slot)
        slot.connection.close()
        slot.process.join(_EXIT_SECONDS)
        if slot.process.exitcode is None:
            slot.process.kill()
            slot.process.join()
        end_orphans(slot.mark)
        slot.process.close()
