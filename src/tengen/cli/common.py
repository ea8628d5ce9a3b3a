# SPDX-License-Identifier: MIT
"""Shared by the commands: argument types, options for records and rules, safe text, the streams.

Relies on the record formats for the names of formats; every command and `main` rely on it.
"""

from __future__ import annotations

import argparse
import io
import math
import os
import sys
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tengen.game import records
from tengen.game.move import Move
from tengen.game.records.record import DEFAULT_SIZE
from tengen.game.rule import Rule
from tengen.util.text import count, one_line, printable

__all__ = [
    "add_record_options",
    "add_rule",
    "at_least",
    "count",
    "discard_stdout",
    "duration",
    "error_text",
    "move_list",
    "one_line",
    "open_missing_streams",
    "path_argument",
    "printable",
    "seconds",
    "tolerate_output_errors",
    "wrap",
]

WIDTH = 76  # columns of running text
_STDERR = 2


# --- options ---


def add_record_options(parser: argparse.ArgumentParser) -> None:
    """`--from` and `--size`, for files that do not name them; read as `source_format`, `size`."""
    parser.add_argument(
        "--from",
        dest="source_format",
        choices=list(records.FORMATS),
        help="format of the file (default: by its extension and content)",
    )
    parser.add_argument(
        "--size",
        type=int,
        default=DEFAULT_SIZE,
        metavar="N",
        help=f"board size of a file that does not state it (default: {DEFAULT_SIZE})",
    )


def add_rule(parser: argparse.ArgumentParser, help: str) -> None:
    """`--rule`, by its name in any case."""
    parser.add_argument("--rule", type=str.lower, choices=[str(rule) for rule in Rule], help=help)


def path_argument(text: str) -> Path:
    """Argument type: a file or folder. An empty text, as from an unset shell variable, would mean
    the current folder and is rejected.
    """
    if not text.strip():
        raise argparse.ArgumentTypeError("an empty name: name a file or folder, `.` for this one")
    return Path(text)


def at_least(minimum: int) -> Callable[[str], int]:
    """Argument type: a whole number of `minimum` or more."""

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = minimum - 1
        if number < minimum:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number of {minimum} or more")
        return number

    return parse


def seconds(text: str) -> float | None:
    """Argument type: a time limit in seconds; 0 means no limit."""
    number = _number(text)
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds, 0 or more")
    return number or None


def duration(unit: str) -> Callable[[str], float]:
    """Argument type: how long a command may run, in `seconds` or `minutes`; greater than 0."""

    def parse(text: str) -> float:
        number = _number(text)
        if not 0 < number < math.inf:
            hint = "leave the option out for no limit"
            raise argparse.ArgumentTypeError(f"{text!r} is no number of {unit} above 0: {hint}")
        return number

    return parse


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


# --- text ---


def error_text(error: Exception) -> str:
    """The message of an error on one line; for an OSError the file and the reason."""
    if isinstance(error, OSError) and error.strerror:
        where = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        return one_line(where + error.strerror)
    return one_line(str(error))


def wrap(text: str, indent: str = "") -> list[str]:
    """Lines of at most `WIDTH` columns; the first one starts with `indent`."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=" " * len(indent),
        break_on_hyphens=False,
    )


def move_list(moves: Iterable[Move]) -> list[str]:
    """The numbered moves on lines of at most `WIDTH` columns."""
    return wrap(" ".join(f"{number}.{move}" for number, move in enumerate(moves, 1)))


# --- streams ---


def open_missing_streams() -> None:
    """Replace standard streams that the process was started without (`>&-`) by the null device."""
    null = Path(os.devnull)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, null.open(mode, encoding="utf-8"))


class _ForgivingStderr(io.FileIO):
    """Drops output once nobody reads it any more."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes


def tolerate_output_errors() -> None:
    """Print a replacement for characters the terminal lacks, and let a long job continue when
    the reader of its messages is gone (`2>&1 | head`).
    """
    own = sys.__stderr__  # a stream that a caller has installed is left alone
    if own is not None and sys.stderr is own and own.fileno() == _STDERR:
        own.flush()
        raw = io.BufferedWriter(_ForgivingStderr(_STDERR, "w", closefd=False))
        sys.stderr = io.TextIOWrapper(raw, encoding=own.encoding, line_buffering=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def discard_stdout() -> None:
    """Drop buffered output that stdout cannot take, so that the flush at exit does not fail."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
