# SPDX-License-Identifier: MIT
"""What every command needs to talk: text made safe for a terminal, errors in words, the streams.

Needs only the standard library; the commands and `main` rely on it.
"""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path
from typing import Any

__all__ = [
    "count",
    "fill_streams",
    "in_words",
    "let_go",
    "one_line",
    "printable",
    "tolerate_output",
]

_STDERR = 2
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def printable(text: str) -> str:
    """Text of a file, made harmless for a terminal: all but tabs and line breaks is replaced."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str) -> str:
    """As `printable`, and without line breaks: a message is one line."""
    return printable(" ".join(text.splitlines()))


def in_words(error: Exception) -> str:
    """What an error says, on one line; of the system's errors without their number."""
    if isinstance(error, OSError) and error.strerror:
        where = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        return one_line(where + error.strerror)
    return one_line(str(error))


def count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def fill_streams() -> None:
    """Give a process that was started without some standard stream (`>&-`) an empty one."""
    nothing = Path(os.devnull)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, nothing.open(mode, encoding="utf-8"))


class _Remarks(io.FileIO):
    """Takes what nobody reads any more, and forgets it."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes


def tolerate_output() -> None:
    """Let the terminal show what it can: a letter it does not have is no reason to fail. Remarks
    that nobody reads any more (`2>&1 | head`) are none either: a long job goes on without them.
    """
    own = sys.__stderr__  # nothing is done to a stream that somebody else has put in its place
    if own is not None and sys.stderr is own and own.fileno() == _STDERR:
        own.flush()
        raw = io.BufferedWriter(_Remarks(_STDERR, "w", closefd=False))
        sys.stderr = io.TextIOWrapper(raw, encoding=own.encoding, line_buffering=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def let_go() -> None:
    """Drop what stdout can no longer take, so that the flush when Python exits does not fail."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
