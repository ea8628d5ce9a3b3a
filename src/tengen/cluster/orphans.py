# SPDX-License-Identifier: MIT
"""Ends what a worker has started and could not end itself, because it died too hard: a segmentation
fault, no memory left, SIGKILL.

Each worker has a mark of its own in its environment, and every process hands that on to those that
it starts. Works where the system shows the environment of processes (Linux); elsewhere it does
nothing. Imports nothing of ours.
"""

from __future__ import annotations

import os
import signal
import uuid
from contextlib import suppress
from pathlib import Path

__all__ = ["end_orphans", "mark_this_process", "new_mark"]

_NAME = "TENGEN_WORKER"
_PROCESSES = Path("/proc")


def new_mark() -> str:
    return uuid.uuid4().hex


def mark_this_process(mark: str) -> None:
    """Mark the processes that this one will start."""
    os.environ[_NAME] = mark


def end_orphans(mark: str) -> None:
    """Kill the processes with a mark. This one, which gave it to a worker, does not have it."""
    wanted = f"{_NAME}={mark}".encode()
    try:
        folders = [path for path in _PROCESSES.iterdir() if path.name.isdigit()]
    except OSError:
        return
    for folder in folders:
        with suppress(OSError):  # it has ended, or belongs to somebody else
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(int(folder.name), signal.SIGKILL)
