# SPDX-License-Identifier: MIT
"""Shared by the commands that search: options of the engine and its limits, and positions from the
command line (moves, records, JSON, board diagrams).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from tengen.cli.common import (
    add_options,
    add_record_options,
    add_rule,
    at_least,
    choices,
    one_line,
    pick_game,
    seconds,
)
from tengen.engine import DEFAULT_PRESET, OPTIONS, PRESETS, BadOption, Engine, Limit
from tengen.engine.options import AUTO, SEARCHES, Value, option
from tengen.game import records
from tengen.game.board import Board
from tengen.game.diagram import is_diagram, read_diagram
from tengen.game.errors import BadPosition, BadRecord, TengenError
from tengen.game.records.record import DEFAULT_SIZE
from tengen.game.records.text import MAX_BYTES, check_length, decode
from tengen.game.rule import Colour, Rule

_NOT_GIVEN = object()
_LOOKS_LIKE_A_FILE = re.compile(r".*[/\\].*|.*\.[A-Za-z]{2,8}", re.DOTALL)
_KEYS = ("black", "white")


# --- engine options ---


def add_limits(parser: argparse.ArgumentParser, time: float, what: str) -> None:
    """Add `--time`, `--nodes`, `--depth`. The default time counts only without other limits."""
    parser.set_defaults(default_time=time)
    parser.add_argument(
        "--time",
        type=seconds,
        default=_NOT_GIVEN,
        metavar="S",
        help=f"seconds for {what}; 0: no limit (default: {time:g}, or none with --nodes, --depth)",
    )
    nodes = ("--nodes N", "search at most N nodes", at_least(1))
    add_options(parser, nodes, ("--depth N", "search to depth N", at_least(1)))


def limit_of(args: argparse.Namespace) -> Limit:
    """The limit of the options of `add_limits`."""
    time = args.time
    if time is _NOT_GIVEN:
        time = None if args.nodes or args.depth else args.default_time
    return Limit(time, args.nodes, args.depth)


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Add `--preset`, `--net`, `--search`, `--threads`, `--memory`, `--option`."""
    search, threads, memory = (OPTIONS[name] for name in ("search", "threads", "memory"))
    kinds = f"{search.help} (default: {AUTO}; {SEARCHES[0]} with --preset)"
    add_options(
        parser,
        (f"--preset {choices(PRESETS)}", f"how the engine plays (default: {DEFAULT_PRESET})"),
        ("--net NAME|FILE", OPTIONS["net"].help),
        (f"--search {choices(search.choices)}", kinds),
        ("--threads N", threads.help, at_least(threads.low), threads.default),
        ("--memory MIB", memory.help, at_least(memory.low), memory.default),
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set another option of the engine, as null_move=off; may be repeated",
    )


def engine_options(args: argparse.Namespace) -> dict[str, Any]:
    """The values of the options of `add_engine`. Raises BadOption."""
    more: dict[str, Value] = {}
    for text in args.option:
        name, sign, value = text.partition("=")
        if not sign:
            raise BadOption(f"--option {text}: give NAME=VALUE, as null_move=off")
        more[option(name).name] = option(name).parse(value)
    values = {
        name: getattr(args, name) for name in ("threads", "memory", "net", "search", "preset")
    }
    return {name: value for name, value in values.items() if value is not None} | more


def make_engine(args: argparse.Namespace, **options: Value) -> Engine:
    """The engine of the options of `add_engine`, with options of the caller. Raises BadOption."""
    return Engine(**engine_options(args) | options)


# --- positions ---


def add_position_options(
    parser: argparse.ArgumentParser, rule: str
) -> argparse._MutuallyExclusiveGroup:
    """Add POSITION and the options of how to read it; `rule` is the help of `--rule`. Returns the
    group of `--move`.
    """
    parser.add_argument(
        "position",
        nargs="+",
        metavar="POSITION",
        help="moves, a JSON object, or a file: a record, JSON lines, a board diagram; - for stdin",
    )
    add_rule(parser, rule)
    add_record_options(parser)
    which = parser.add_mutually_exclusive_group()
    add_options(which, ("--move N", "the position after move N", int))
    add_options(
        parser,
        ("--side {black,white}", "the side to move"),
        ("--game N", "only game N of the file (default: all)", int),
    )
    return which


def positions_of(args: argparse.Namespace) -> list[PositionItem]:
    """The positions of the options of `add_position_options`; see `read_positions`."""
    return read_positions(
        args.position,
        PositionOptions(
            args.rule,
            args.size,
            args.side,
            args.source_format,
            args.game,
            args.move,
            getattr(args, "all", False),
        ),
    )


@dataclass(frozen=True, slots=True)
class PositionOptions:
    """Options for reading positions. None: as the file says."""

    rule: str | None = None
    size: int = DEFAULT_SIZE
    side: str | None = None
    format: str | None = None
    game: int | None = None
    move: int | None = None
    every: bool = False  # all positions of a game but the final one


@dataclass(frozen=True, slots=True)
class InputPosition:
    """A position of the input. `goal` is the text of its file, as `vct_3moves`, if it has one.

    `name` is unique only if the names in the file are.
    """

    name: str
    board: Board
    goal: str | None = None

    def require(self) -> InputPosition:
        """The position. Raises BadPosition if it could not be read."""
        return self


@dataclass(frozen=True, slots=True)
class UnreadablePosition:
    """A position that could not be read, and the reason."""

    name: str
    reason: str

    def require(self) -> InputPosition:
        raise BadPosition(self.reason)


PositionItem: TypeAlias = InputPosition | UnreadablePosition


def read_positions(arguments: Sequence[str], how: PositionOptions) -> list[PositionItem]:
    """The positions of a file, of standard input (`-`), or of the text itself; at least one.

    Raises OSError or a TengenError if nothing can be read. A fault of one position among others is
    an item of the list.
    """
    text = " ".join(arguments)
    if text == "-":
        return _parse(sys.stdin.buffer.read(MAX_BYTES + 1), "<stdin>", how)
    if len(arguments) == 1 and (_exists(text) or _names_a_file(text)):
        with Path(text).open("rb") as file:
            return _parse(file.read(MAX_BYTES + 1), text, how)
    if text.lstrip().startswith("{") or is_diagram(text):
        return _parse(text.encode(), "<position>", how)
    try:
        record = records.loads(text, "plain", "<position>", how.size)[0]
    except BadRecord as error:
        message = f"{one_line(text)[:60]!r} is no file, and no moves such as 'h8 i9 g7'"
        raise BadPosition(f"{message}: {error.fault}") from None
    return list(_game_positions(record, "position", "", how))


def _exists(text: str) -> bool:
    """Whether there is such a file, whatever the text."""
    try:
        return bool(text) and Path(text).exists()
    except (OSError, ValueError):  # too long for a name
        return False


def _names_a_file(text: str) -> bool:
    """Whether the text looks like the name of a file rather than moves."""
    return "{" not in text and "\n" not in text and bool(_LOOKS_LIKE_A_FILE.fullmatch(text))


def _parse(data: bytes, source: str, how: PositionOptions) -> list[PositionItem]:
    check_length(data, source)
    text = decode(data, source)
    if how.format is None and text.lstrip().startswith("{"):
        return list(_json_positions(text, source, how))
    if how.format is None and is_diagram(text):
        return [InputPosition(source, read_diagram(text, how.rule, how.side, source))]
    return list(_record_positions(records.loads(data, how.format, source, how.size), source, how))


def _record_positions(
    games: list[records.Record], source: str, how: PositionOptions
) -> Iterator[PositionItem]:
    """The last position of each game, or the one after the requested move."""
    if how.game is not None:
        pick_game(games, how.game, source)
    for number, game in enumerate(games, start=1):
        if how.game not in (None, number):
            continue
        name = f"game {number}" if len(games) > 1 else source
        try:
            yield from _game_positions(game, name, f"{name}, " if len(games) > 1 else "", how)
        except TengenError as error:
            yield UnreadablePosition(name, str(error))


def _game_positions(
    game: records.Record, name: str, prefix: str, how: PositionOptions
) -> Iterator[InputPosition]:
    """The requested position of a game, or each one but the final one."""
    if not how.every:
        yield InputPosition(name, _turned(game.board(how.move, how.rule), how.side))
        return
    any_open = False
    for ply in range(len(game.moves) + 1):
        board = game.board(ply, how.rule)
        if not board.is_over():
            any_open = True
            yield InputPosition(f"{prefix}move {ply}", _turned(board, how.side))
    if not any_open:
        raise BadRecord("no position of this game is open", game.source)


def _turned(board: Board, side: str | None) -> Board:
    """The board with that side to move."""
    if side is None or Colour.parse(side) is board.turn:
        return board
    return board.with_stones(board.stones(), side)


def _json_positions(text: str, source: str, how: PositionOptions) -> Iterator[PositionItem]:
    lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) > 1:
        with suppress(ValueError, RecursionError):  # one object on several lines?
            lines = [(1, json.dumps(json.loads(text)))]
    several = len(lines) > 1
    for number, line in lines:
        where = f"{source}:{number}" if several else source
        name = f"line {number}" if several else source
        try:
            value = json.loads(line)
            yield _json_position(value, name, how)
        except RecursionError:
            yield UnreadablePosition(name, f"{where}: lists nested too deeply")
        except json.JSONDecodeError as error:
            yield UnreadablePosition(name, f"{where}: no JSON: {error.msg} at column {error.colno}")
        except (ValueError, TengenError) as error:
            yield UnreadablePosition(name, f"{where}: {error}")


def _json_position(value: Any, name: str, how: PositionOptions) -> InputPosition:
    """A position from an object. Ignores unknown keys."""
    if not isinstance(value, dict):
        raise BadPosition("expected an object with 'black' and 'white'")
    if not any(key in value for key in _KEYS):
        raise BadPosition("no position: neither 'black' nor 'white' is there")
    black, white = (_stones(value.get(key, []), key) for key in _KEYS)
    size = value.get("size", how.size)
    if not isinstance(size, int) or isinstance(size, bool):
        raise BadPosition(f"'size' is a whole number, not {size!r:.40}")
    rule = how.rule or _text(value, "rule") or Rule.FREESTYLE
    sides = {key: _text(value, key) for key in ("side", "to_move")}
    colours = {Colour.parse(side) for side in sides.values() if side is not None}
    if len(colours) > 1:
        raise BadPosition("'side' and 'to_move' differ")
    to_move = Colour.parse(how.side) if how.side else next(iter(colours), None)
    board = Board.from_stones(black, white, to_move, size, rule)
    identity = value.get("id")
    if isinstance(identity, str | int) and not isinstance(identity, bool):
        name = one_line(str(identity))[:80]
    return InputPosition(name, board, _text(value, "goal"))


def _stones(value: Any, key: str) -> list[str]:
    listed = value.split() if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(point, str) for point in listed):
        raise BadPosition(f"'{key}' is a list of points such as \"h8\"")
    return listed


def _text(value: dict[str, Any], key: str) -> str | None:
    text = value.get(key)
    if text is not None and not isinstance(text, str):
        raise BadPosition(f"'{key}' is a text, not {text!r:.40}")
    return text
