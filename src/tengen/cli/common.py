# SPDX-License-Identifier: MIT
"""Shared by the commands: options and their types, subcommands, messages, signals, streams."""

from __future__ import annotations

import argparse
import errno
import io
import math
import os
import signal
import sys
import textwrap
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import Any, Self, TypeAlias

from tengen._core import Cancel
from tengen.game import records
from tengen.game.errors import BadRecord
from tengen.game.move import Move
from tengen.game.records.record import DEFAULT_SIZE
from tengen.game.rule import Rule
from tengen.util.text import one_line, plural, printable

__all__ = [
    "INTERRUPTED",
    "OptionRow",
    "StopSignal",
    "Subcommands",
    "add_options",
    "add_record_options",
    "add_rule",
    "at_least",
    "check_new",
    "choices",
    "discard_stdout",
    "duration",
    "error_text",
    "log",
    "move_list",
    "one_line",
    "open_missing_streams",
    "path_argument",
    "pick_game",
    "plural",
    "printable",
    "run_subcommand",
    "seconds",
    "tolerate_output_errors",
    "wrap",
]

INTERRUPTED = 130  # exit code after Ctrl-C or SIGTERM
WIDTH = 76  # columns of running text
_STDERR = 2


# --- options ---

# Option and placeholder, help, type, default: `("--time S", "seconds per move", seconds, 1.0)`.
OptionRow: TypeAlias = (
    tuple[str, str]
    | tuple[str, str, Callable[[str], Any]]
    | tuple[str, str, Callable[[str], Any], Any]
)


def add_options(parser: argparse._ActionsContainer, *rows: OptionRow) -> dict[str, argparse.Action]:
    """Add one option per row; returns their actions by option. Without a placeholder it is a flag;
    a placeholder `{black,white}` lists the values allowed. The default type is str. The help ends
    with the default, if any.
    """
    actions: dict[str, argparse.Action] = {}
    for usage, help, *more in rows:
        name, _, metavar = usage.partition(" ")
        if not metavar:
            actions[name] = parser.add_argument(name, action="store_true", help=help)
            continue
        values: dict[str, Any] = {"metavar": metavar, "type": more[0] if more else str}
        if metavar.startswith("{"):
            values = {"choices": metavar[1:-1].split(","), "type": str.lower}
        if len(more) > 1:
            values["default"] = more[1]
            shown = f"{more[1]:g}" if isinstance(more[1], float) else more[1]
            help = f"{help} (default: {shown})"
        actions[name] = parser.add_argument(name, help=help, **values)
    return actions


def choices(values: Iterable[object]) -> str:
    """The placeholder of an option with these values: `{black,white}`."""
    return "{" + ",".join(map(str, values)) + "}"


def add_record_options(parser: argparse.ArgumentParser) -> None:
    """`--from` and `--size`, for files that do not name them; read as `source_format`, `size`."""
    parser.add_argument(
        "--from",
        dest="source_format",
        choices=list(records.FORMATS),
        help="format of the file (default: by its extension and content)",
    )
    size = "board size of a file that does not state it"
    add_options(parser, ("--size N", size, int, DEFAULT_SIZE))


def add_rule(parser: argparse.ArgumentParser, help: str) -> None:
    """`--rule`, by its name in any case."""
    add_options(parser, (f"--rule {choices(Rule)}", help))


class IntermixedParser(argparse.ArgumentParser):
    """Accepts options between optional arguments too: `RUN --rule renju OUT`."""

    _inside = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self._inside or self._subparsers is not None:  # argparse does not support these
            return super().parse_known_args(args, namespace)
        self._inside = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._inside = False


class Subcommands:
    """The subcommands of a command. Without one, the command prints its help and exits with 2."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        def print_help(args: argparse.Namespace) -> int:
            parser.print_help()
            return 2

        parser.set_defaults(handler=print_help)
        self.parsers = parser.add_subparsers(
            metavar="ACTION", title="actions", parser_class=IntermixedParser
        )

    def add(
        self, name: str, handler: Callable[[argparse.Namespace], int], help: str, epilog: str = ""
    ) -> argparse.ArgumentParser:
        raw = argparse.RawDescriptionHelpFormatter
        parser = self.parsers.add_parser(name, help=help, epilog=epilog, formatter_class=raw)
        parser.set_defaults(handler=handler)
        return parser


def run_subcommand(args: argparse.Namespace) -> int:
    return int(args.handler(args))


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


# --- files ---


def check_new(path: str | os.PathLike[str], overwrite: bool) -> None:
    """Raise FileExistsError if there is such a file, unless it may be replaced; IsADirectoryError
    for a folder.
    """
    if Path(path).is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if Path(path).is_file() and not overwrite:
        problem = "the file exists: --overwrite replaces it"
        raise FileExistsError(errno.EEXIST, problem, os.fspath(path))


def pick_game(
    games: Sequence[records.Record], number: int, source: str | os.PathLike[str]
) -> records.Record:
    """Game `number` of a file, from 1. Raises BadRecord."""
    if not 1 <= number <= len(games):
        raise BadRecord(f"no game {number}: the file has {len(games)}", os.fspath(source))
    return games[number - 1]


# --- text ---


def log(program: str, message: str) -> None:
    """Print a message on stderr; stdout is for results."""
    print(f"{program}: {one_line(message)}", file=sys.stderr, flush=True)


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


# --- signals ---


class StopSignal:
    """True, when called, once the command should end: after a signal, or after `seconds`.

    While entered, the first Ctrl-C or SIGTERM sets `cancel` and calls `on_request`; the second
    Ctrl-C raises KeyboardInterrupt. Does nothing outside the main thread, where Python delivers no
    signals, and for signals that the shell ignores.
    """

    def __init__(
        self, seconds: float | None = None, on_request: Callable[[], None] | None = None
    ) -> None:
        self.cancel = Cancel()
        self._deadline = None if seconds is None else monotonic() + seconds
        self._on_request = on_request
        self._before: dict[int, Any] = {}

    @property
    def requested(self) -> bool:
        """Whether a signal came."""
        return self.cancel.is_set()

    def __call__(self) -> bool:
        return self.requested or (self._deadline is not None and monotonic() > self._deadline)

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.cancel.set()
        if self._on_request is not None:
            self._on_request()


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
