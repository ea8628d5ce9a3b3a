# SPDX-License-Identifier: MIT
"""The worker process of `LocalCluster`: does one task after another until the other end of its pipe
is closed.

A thread reads the pipe, so that the worker notices during a task that its parent was killed or has
dropped it. Then it exits normally, which also ends the engine processes it has started; if that
takes too long, it exits at once.

A worker that dies by a segmentation fault or SIGKILL cannot end the programs it has started. They
inherit a mark from its environment; `end_orphans` kills the processes with a mark, where the system
shows their environment (Linux).
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import threading
import time
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from types import FrameType
from typing import Any

from tengen.cluster.base import Failure

_NAME = "TENGEN_WORKER"
_PROCESSES = Path("/proc")
_KILL_SECONDS = 5.0  # until killed processes are gone


def end_orphans(mark: str) -> None:
    """Kill the processes with a mark, and return when they are gone. The calling process does not
    have it.
    """
    end = time.monotonic() + _KILL_SECONDS
    while marked := _marked(mark):
        for process in marked:  # repeated: one may have started another
            with suppress(OSError):  # it has ended, or belongs to somebody else
                os.kill(process, signal.SIGKILL)
        if time.monotonic() > end:  # stuck in a system call
            return
        time.sleep(0.005)


def _marked(mark: str) -> list[int]:
    """The processes with a mark. The environment of one that has ended is empty."""
    wanted = f"{_NAME}={mark}".encode()
    found = []
    with suppress(OSError):
        for folder in _PROCESSES.iterdir():
            if folder.name.isdigit():
                with suppress(OSError):
                    if wanted in (folder / "environ").read_bytes().split(b"\0"):
                        found.append(int(folder.name))
    return found


RECORD_SIZE = 1024  # integers of shared memory per worker
_EXIT_SECONDS = 2.0  # for an orderly exit


class SharedProgressRecord:
    """A `ProgressRecord` in shared memory, which survives the worker."""

    def __init__(self, shared: Any) -> None:
        self._shared = shared  # [0] number of writes, [1] length, then the numbers

    def write(self, *numbers: int) -> None:
        kept = numbers[: RECORD_SIZE - 2]
        self._shared[2 : 2 + len(kept)] = kept
        self._shared[1] = len(kept)
        self._shared[0] = (self._shared[0] + 1) & 0x7FFFFFFF

    def read(self) -> tuple[int, ...]:
        return tuple(self._shared[2 : 2 + self._shared[1]])

    def clear(self) -> None:
        """Clear the numbers without counting a write. Only while nobody writes."""
        self._shared[1] = 0

    @property
    def heartbeats(self) -> int:
        """Number of writes."""
        return int(self._shared[0])


def serve(connection: Connection[Any, Any], shared: Any, cores: list[int], mark: str) -> None:
    """The main function of a worker."""
    os.environ[_NAME] = mark  # inherited by the processes that this one starts
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    signal.signal(signal.SIGTERM, _leave)
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)
    waiting: SimpleQueue[bytes | None] = SimpleQueue()
    threading.Thread(target=_read, args=(connection, waiting), daemon=True).start()
    progress = SharedProgressRecord(shared)
    while (received := waiting.get()) is not None:
        result = _do(received, progress)
        try:
            connection.send_bytes(result)
        except OSError:  # nobody waits for it
            return


def _do(received: bytes, progress: SharedProgressRecord) -> bytes:
    """Do a task; returns the pickled result. A result that cannot be pickled is an error."""
    try:
        work, task = pickle.loads(received)
        progress.write()
        return pickle.dumps(work(task, progress))
    except Exception as error:
        trace = traceback.format_exc(limit=-3)
        message = f"{type(error).__name__}: {error}\n{trace}"
        return pickle.dumps(Failure("error", message, progress.read()))


def _leave(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the exit is not interrupted
    raise SystemExit(0)


def _read(connection: Connection[Any, Any], waiting: SimpleQueue[bytes | None]) -> None:
    """Receive tasks from the pipe. At its end, exit."""
    try:
        while True:
            waiting.put(connection.recv_bytes())
    except (EOFError, OSError):
        pass
    os.kill(os.getpid(), signal.SIGTERM)  # interrupts a busy worker
    waiting.put(None)  # ends an idle one
    threading.Event().wait(_EXIT_SECONDS)
    atexit._run_exitfuncs()  # stuck in its task: run the exit handlers here
    os._exit(1)
