# SPDX-License-Identifier: MIT
"""What runs in a worker process of `LocalCluster`: one task after another, until the other end of
its pipe is closed. Imports nothing of ours.

A thread reads the pipe, so that the worker learns in the middle of a task that nobody waits for it
any more: its parent was killed, or has given it up. Then it ends in order, as Python does, so that
whatever it has started (engines in processes of their own) is ended as well; and if that takes too
long, at once.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import threading
import traceback
from multiprocessing.connection import Connection
from queue import SimpleQueue
from types import FrameType
from typing import Any

from tengen.cluster.base import Failure
from tengen.cluster.orphans import mark_this_process

__all__ = ["NOTES", "SharedNotes", "serve"]

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
        words = f"{type(error).__name__}: {error}\n{trace}"
        return pickle.dumps(Failure("error", words, notes.read()))


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
