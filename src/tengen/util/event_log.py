# SPDX-License-Identifier: MIT
"""An append-only file of JSON lines that survives a kill and a full disk. Relies on the standard
library alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import monotonic
from typing import Any, Self

_BLOCK = 4096


class EventLog:
    """Appends lines, each completely or not at all.

        with EventLog(folder / "games.jsonl") as event_log:
            event_log.append({"game": 1, "result": "black"})

    A partial last line, left by a kill or a full disk, is removed when the file is opened.
    """

    def __init__(self, path: Path, sync_seconds: float = 1.0) -> None:
        """Open or create the file. Lines survive the end of the process at once, a power failure
        after at most `sync_seconds` (0: at once too).
        """
        self.path = path
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        self._file = os.open(path, flags, 0o666)
        self._sync_seconds = sync_seconds
        self._synced = monotonic()
        self.torn_bytes = self._remove_torn_line()  # removed from the end of the file

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, row: Mapping[str, Any] | str) -> None:
        """Add a row, or a line that is JSON already. Raises OSError; the file is then unchanged."""
        line = row if isinstance(row, str) else json.dumps(row)
        if "\n" in line:
            raise ValueError("an event log line must not contain a line break")
        data = line.encode() + b"\n"
        if self._file < 0:
            raise ValueError("the event log is closed")
        size = os.fstat(self._file).st_size
        try:
            while data:  # a nearly full disk takes a part first, and fails at the rest
                data = data[os.write(self._file, data) :]
            if monotonic() - self._synced >= self._sync_seconds:
                os.fsync(self._file)
                self._synced = monotonic()
        except OSError as error:
            os.ftruncate(self._file, size)
            raise OSError(error.errno, error.strerror, os.fspath(self.path)) from None

    def close(self) -> None:
        if self._file >= 0:
            file, self._file = self._file, -1
            try:
                os.fsync(file)
            finally:
                os.close(file)

    def _remove_torn_line(self) -> int:
        """Truncate after the last line break; returns the number of bytes removed."""
        size = end = os.fstat(self._file).st_size
        while end:
            start = max(0, end - _BLOCK)
            os.lseek(self._file, start, os.SEEK_SET)
            if last := os.read(self._file, end - start).rfind(b"\n") + 1:
                end = start + last
                break
            end = start
        if end < size:
            os.ftruncate(self._file, end)
        return size - end


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """(line number from 1, line without its end) of the complete lines; none if there is no file.
    A process may be appending meanwhile.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        for number, line in enumerate(file, 1):
            if line.endswith(b"\n"):
                yield number, line[:-1]


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of an event log for reports: lines that are no JSON object are skipped."""
    for _, line in read_lines(path):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield row
