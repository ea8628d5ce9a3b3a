# SPDX-License-Identifier: MIT
"""What runs in a worker process of `LocalCluster`: one task after another, until the other end of
its pipe is closed. Imports nothing of ours.

A thread reads the pipe, so that the worker learns in the middle of a task that nobody waits for it
any more: its parent was killed, or has given it up. Then it ends in order, as Python does, so that
whatever it has started (engines in processes of their own) is ended as well; and if that takes too
long, at once.

A worker may die too hard (a segmentation fault, no memory left, SIGKILL) to end the programs it has
started. Each worker has a mark in its environment, which those programs inherit; `end_orphans`
kills the processes with a mark, where the system shows their environment (Linux).
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import threading
import time
import traceback
import uuid
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from types import FrameType
from typing import Any

from tengen.cluster.base import Failure

__all__ = ["NOTES", "SharedNotes", "end_orphans", "mark_this_process", "new_mark", "serve"]

_NAME = "TENGEN_WORKER"
_PROCESSES = Path("/proc")
_DYING = 5.0  # seconds that those who were killed may take to be gone


def new_mark() -> str:
    return uuid.uuid4().hex


def mark_this_process(mark: str) -> None:
    """Mark the processes that this one will start."""
    os.environ[_NAME] = mark


def end_orphans(mark: str) -> None:
    """Kill the processes with a mark, and return when they are gone. This one, which gave it to a
    worker, does not have it.
    """
    end = time.monotonic() + _DYING
    while marked := _marked(mark):
        for process in marked:  # again each time: one may have started another meanwhile
            with suppress(OSError):  # it has ended, or belongs to somebody else
                os.kill(process, signal.SIGKILL)
        if time.monotonic() > end:  # in the hands of the system, stuck in a device
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


NOTES = 1024  # whole numbers that a worker can leave behind
_LAST_SECONDS = 2.0  # to end what it has started


class SharedNotes:
    """Notes in memory that survives the worker."""

    def __init__(self, shared: Any) -> None:
        self._shared = shared  # [0] counts the writings, [1] is the length, the numbers follow

    def write(self, *numbers: int) -> None:
        kept = numbers[: NOTES - 2]
        self._shared[2 : 2 + len(kept)] = kept
        self._shared[1] = len(kept)
        self._shared[0] = (self._shared[0] + 1) & 0x7FFFFFFF

    def read(self) -> tuple[int, ...]:
        return tuple(self._shared[2 : 2 + self._shared[1]])

    def clear(self) -> None:
        """Forget the numbers, without a sign of life. Only while nobody writes."""
        self._shared[1] = 0

    @property
    def beats(self) -> int:
        return int(self._shared[0])


def serve(connection: Connection[Any, Any], shared: Any, cores: list[int], mark: str) -> None:
    """The life of a worker."""
    mark_this_process(mark)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    signal.signal(signal.SIGTERM, _leave)
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)
    waiting: SimpleQueue[bytes | None] = SimpleQueue()
    threading.Thread(target=_read, args=(connection, waiting), daemon=True).start()
    notes = SharedNotes(shared)
    while (received := waiting.get()) is not None:
        result = _do(received, notes)
        try:
            connection.send_bytes(result)
        except OSError:  # nobody waits for it
            return


def _do(received: bytes, notes: SharedNotes) -> bytes:
    """Do a task; its result, pickled. That it cannot be pickled is an error of the work, too."""
    try:
        work, task = pickle.loads(received)
        notes.write()
        return pickle.dumps(work(task, notes))
    except Exception as error:
        trace = traceback.format_exc(limit=-3)
        message = f"{type(error).__name__}: {error}\n{trace}"
        return pickle.dumps(Failure("error", message, notes.read()))


def _leave(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # what is done at the end is not interrupted
    raise SystemExit(0)


def _read(connection: Connection[Any, Any], waiting: SimpleQueue[bytes | None]) -> None:
    """Take tasks from the pipe. At its end, end the process."""
    try:
        while True:
            waiting.put(connection.recv_bytes())
    except (EOFError, OSError):
        pass
    os.kill(os.getpid(), signal.SIGTERM)  # a busy worker leaves its task
    waiting.put(None)  # for an idle one, should it miss that
    threading.Event().wait(_LAST_SECONDS)
    atexit._run_exitfuncs()  # stuck in its task: what others have asked to be done is done here
    os._exit(1)
