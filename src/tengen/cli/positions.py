# SPDX-License-Identifier: MIT
"""Positions as people give them to a command: moves in a row, a record file, JSON (one object, or
one a line), or a drawn board.

Relies on the record readers and on `drawing`; `solve` and `analyze` rely on it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.cli.common import one_line
from tengen.cli.drawing import looks_drawn, read_drawing
from tengen.game import records
from tengen.game.board import Board
from tengen.game.errors import BadPosition, BadRecord, TengenError
from tengen.game.records.record import DEFAULT_SIZE
from tengen.game.records.text import MAX_BYTES, check_length, decode
from tengen.game.rule import Colour, Rule

__all__ = ["Fault", "Position", "Reading", "read_positions"]

_LOOKS_LIKE_A_FILE = re.compile(r".*[/\\].*|.*\.[A-Za-z]{2,8}", re.DOTALL)
_KEYS = ("black", "white")


@dataclass(frozen=True, slots=True)
class Reading:
    """What the command line says about positions. None: what they say themselves."""

    rule: str | None = None
    size: int = DEFAULT_SIZE
    side: str | None = None
    format: str | None = None
    game: int | None = None
    move: int | None = None
    every: bool = False  # of a game, all positions from which it went on


@dataclass(frozen=True, slots=True)
class Position:
    """A position to work on. `goal` is the text of its file, as `vct_3moves`; often there is none.

    `name` is unique in its file only if the file's own names are.
    """

    name: str
    board: Board
    goal: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A position that could not be read, and why."""

    name: str
    words: str


def read_positions(given: Sequence[str], how: Reading) -> list[Position | Fault]:
    """The positions of a file, of standard input (`-`), or of the text itself.

    Raises OSError or a TengenError where nothing can be read at all; a fault of one position among
    others is an item of the list. The list is never empty.
    """
    text = " ".join(given)
    if text == "-":
        return _from_data(sys.stdin.buffer.read(MAX_BYTES + 1), "<stdin>", how)
    if len(given) == 1 and (_is_there(text) or _names_a_file(text)):
        with Path(text).open("rb") as file:
            return _from_data(file.read(MAX_BYTES + 1), text, how)
    if text.lstrip().startswith("{") or looks_drawn(text):
        return _from_data(text.encode(), "<position>", how)
    try:
        record = records.loads(text, "plain", "<position>", how.size)[0]
    except BadRecord as error:
        words = f"{one_line(text)[:60]!r} is no file, and no moves such as 'h8 i9 g7'"
        raise BadPosition(f"{words}: {error.fault}") from None
    return list(_of_game(record, "position", "", how))


def _is_there(text: str) -> bool:
    """Whether there is such a file; no text is too odd to be asked about."""
    try:
        return bool(text) and Path(text).exists()
    except (OSError, ValueError):  # too long for a name
        return False


def _names_a_file(text: str) -> bool:
    """A name that is no file: to be told so, and not taken for moves."""
    return "{" not in text and "\n" not in text and bool(_LOOKS_LIKE_A_FILE.fullmatch(text))


def _from_data(data: bytes, source: str, how: Reading) -> list[Position | Fault]:
    check_length(data, source)
    text = decode(data, source)
    if how.format is None and text.lstrip().startswith("{"):
        return list(_from_json(text, source, how))
    if how.format is None and looks_drawn(text):
        return [Position(source, read_drawing(text, how.rule, how.side, source))]
    return list(_from_records(records.loads(data, how.format, source, how.size), source, how))


def _from_records(
    games: list[records.Record], source: str, how: Reading
) -> Iterator[Position | Fault]:
    """The last position of each game, or the one after the move that was asked for."""
    if how.game is not None and not 1 <= how.game <= len(games):
        raise BadRecord(f"no game {how.game}: the file has {len(games)}", source)
    for number, game in enumerate(games, start=1):
        if how.game not in (None, number):
            continue
        name = f"game {number}" if len(games) > 1 else source
        try:
            yield from _of_game(game, name, f"{name}, " if len(games) > 1 else "", how)
        except TengenError as error:
            yield Fault(name, str(error))


def _of_game(game: records.Record, name: str, prefix: str, how: Reading) -> Iterator[Position]:
    """The position of a game that is asked for, or each one that is not its end."""
    if not how.every:
        yield Position(name, _turned(game.board(how.move, how.rule), how.side))
        return
    found = False
    for ply in range(len(game.moves) + 1):
        board = game.board(ply, how.rule)
        if not board.is_over():
            found = True
            yield Position(f"{prefix}move {ply}", _turned(board, how.side))
    if not found:
        raise BadRecord("no position of this game is open", game.source)


def _turned(board: Board, side: str | None) -> Board:
    """The board with that side to move. Whose turn it was before does not matter to a solver."""
    if side is None or Colour.parse(side) is board.turn:
        return board
    return board.with_stones(board.stones(), side)


def _from_json(text: str, source: str, how: Reading) -> Iterator[Position | Fault]:
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
            yield _of_json(value, name, how)
        except RecursionError:
            yield Fault(name, f"{where}: lists within lists without end")
        except json.JSONDecodeError as error:
            yield Fault(name, f"{where}: no JSON: {error.msg} at column {error.colno}")
        except (ValueError, TengenError) as error:
            yield Fault(name, f"{where}: {error}")


def _of_json(value: Any, name: str, how: Reading) -> Position:
    """A position from an object; keys that it does not know are passed over."""
    if not isinstance(value, dict):
        raise BadPosition("no position: an object with 'black' and 'white' is expected")
    if not any(key in value for key in _KEYS):
        raise BadPosition("no position: neither 'black' nor 'white' is there")
    black, white = (_stones(value.get(key, []), key) for key in _KEYS)
    size = value.get("size", how.size)
    if not isinstance(size, int) or isinstance(size, bool):
        raise BadPosition(f"'size' is a whole number, not {size!r:.40}")
    rule = how.rule or _text(value, "rule") or Rule.FREESTYLE
    sides = {key: _text(value, key) for key in ("side", "to_move")}
    told = {Colour.parse(side) for side in sides.values() if side is not None}
    if len(told) > 1:
        raise BadPosition("'side' and 'to_move' differ")
    to_move = Colour.parse(how.side) if how.side else next(iter(told), None)
    board = Board.from_stones(black, white, to_move, size, rule)
    identity = value.get("id")
    if isinstance(identity, str | int) and not isinstance(identity, bool):
        name = one_line(str(identity))[:80]
    return Position(name, board, _text(value, "goal"))


def _stones(value: Any, key: str) -> list[str]:
    listed = value.split() if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(point, str) for point in listed):
        raise BadPosition(f"'{key}' is a list of points such as \"h8\"")
    return listed


def _text(value: dict[str, Any], key: str) -> str | None:
    found = value.get(key)
    if found is not None and not isinstance(found, str):
        raise BadPosition(f"'{key}' is a text, not {found!r:.40}")
    return found
