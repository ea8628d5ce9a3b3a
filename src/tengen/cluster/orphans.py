# SPDX-License-Identifier: MIT
"""Ends what a worker has started and has not ended itself: it died too hard (a segmentation fault,
no memory left, SIGKILL), or it left its task between the start of a program and the note that the
program is to be ended.

Each worker has a mark of its own in its environment, and every process hands that on to those that
it starts. Works where the system shows the environment of processes (Linux); elsewhere it does
nothing. Imports nothing of ours.
"""

from __future__ import annotations

import os
import signal
import time
import uuid
from contextlib import suppress
from pathlib import Path

__all__ = ["end_orphans", "mark_this_process", "new_mark"]

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
