# SPDX-License-Identifier: MIT
"""Files that survive a kill at any moment: a journal of lines that only grows, the file that says
what it is of, and a lock on their folder. Relies on the errors alone; runs and tuning sessions keep
their state with it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from tengen.arena.errors import ArenaBusy, BadState

__all__ = ["Journal", "locked", "read_head"]

_LOCK = ".lock"
_SYNC = 1.0  # seconds between two writings to the disk itself


class Journal:
    """A file of lines. Each is written whole, at the end, or not at all: what a kill or a full disk
    left of a last line is cut off when the file is opened again.
    """

    def __init__(self, path: Path) -> None:
        """Open it, or make it. `cut` is what was cut off, in bytes."""
        self.path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        self._synced = monotonic()
        self.cut = self._cut_torn_line()

    def lines(self) -> Iterator[bytes]:
        """The lines, without their ends."""
        with self.path.open("rb") as file:
            for line in file:
                yield line.removesuffix(b"\n")

    def append(self, line: str) -> None:
        """Add a line: whatever happens to this process, it stays. What the whole machine's end may
        cost is a second's lines. Raises OSError, and then the file is as it was.
        """
        if "\n" in line:
            raise ValueError("a line of a journal has no line breaks")
        data = line.encode() + b"\n"
        before = os.fstat(self._file).st_size
        try:
            while data:  # of a disk that is nearly full the rest tells why
                data = data[os.write(self._file, data) :]
            if monotonic() - self._synced > _SYNC:
                os.fsync(self._file)
                self._synced = monotonic()
        except OSError as error:
            os.ftruncate(self._file, before)
            raise OSError(error.errno, error.strerror, os.fspath(self.path)) from None

    def close(self) -> None:
        if self._file >= 0:
            os.fsync(self._file)
            os.close(self._file)
            self._file = -1

    def _cut_torn_line(self) -> int:
        """Take away what follows the last line break."""
        size = os.fstat(self._file).st_size
        keep = size
        while keep:
            start = max(0, keep - 4096)
            block = os.pread(self._file, keep - start, start)
            if found := block.rfind(b"\n") + 1:
                keep = start + found
                break
            keep = start
        if keep < size:
            os.ftruncate(self._file, keep)
        return size - keep


def read_head(path: Path, number: int) -> dict[str, Any]:
    """The file that says what a run is: a JSON object with the number of its format. Raises
    BadState.
    """
    try:
        head = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise BadState(f"{path.parent} has no run: there is no {path.name}") from None
    except (ValueError, RecursionError) as error:
        raise BadState(f"{path}: {error}") from None
    if not isinstance(head, dict) or head.get("format") != number:
        raise BadState(f"{path}: not a run of this format ({number})")
    return head


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep a folder for this process. Raises ArenaBusy if another one has it. The lock goes with
    the process, however it ends.
    """
    file = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _lock(file, folder)
        yield
    finally:
        os.close(file)


def _lock(file: int, folder: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows: the file itself is locked
        import msvcrt

        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            raise ArenaBusy(f"{folder} is in use by another process") from None
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if isinstance(error, BlockingIOError):
            raise ArenaBusy(f"{folder} is in use by another process: wait for its end") from None
        raise BadState(f"{folder} cannot be locked: {error.strerror}") from None
