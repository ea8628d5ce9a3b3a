# SPDX-License-Identifier: MIT
"""Drawn boards: reading what `print(board)` shows, and drawing a position with numbered moves.

Pure functions between text and boards; the commands that take positions rely on them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tengen.game.board import Board
from tengen.game.errors import BadPosition, TengenError
from tengen.game.move import Move
from tengen.game.render.layout import column_letter
from tengen.game.rule import Colour

__all__ = ["MAX_NUMBERED", "looks_drawn", "numbered_board", "read_drawing"]

# Numbers of moves have two digits at most.
MAX_NUMBERED = 99

_HEADER = re.compile(r"[ \t]*a b c d e(?: [f-v])*[ \t]*", re.ASCII)
_HEADER_LINE = re.compile(rf"^{_HEADER.pattern}\r?$", re.ASCII | re.MULTILINE)
_ROW = re.compile(r"[ \t]*(\d{1,2})[ \t]([^\d]+?)(?:[ \t](\d{1,2}))?[ \t]*", re.ASCII)
_KEY = re.compile(r"[ \t]*(rule|to move)[ \t]*:[ \t]*(\w+)[ \t]*", re.ASCII | re.IGNORECASE)
_STONES = {"X": Colour.BLACK, "x": Colour.BLACK, "●": Colour.BLACK}
_STONES |= {"O": Colour.WHITE, "o": Colour.WHITE, "○": Colour.WHITE}
_EMPTY = frozenset(".+#?·╋┼├┤┬┴┌┐└┘")
_BETWEEN = frozenset(" ()─")


def looks_drawn(text: str) -> bool:
    """Whether a text has a line of column letters, as a drawn board has."""
    return _HEADER_LINE.search(text) is not None


def read_drawing(
    text: str, rule: str | None = None, side: str | None = None, source: str = "<text>"
) -> Board:
    """The position of a drawn board, as `str(board)` and `tengen play` draw it.

    Rows may be left out; they are empty then. `rule` and `side` (to move) go before lines such as
    `rule: renju` and `to move: white` in the text. If neither tells the side, a stone in brackets
    does, being the last move, and else the numbers of stones. Raises BadPosition with the line.
    """
    drawing = _Drawing(source)
    for number, line in enumerate(text.splitlines(), start=1):
        drawing.take(number, line)
    if not drawing.size:
        raise BadPosition(f"{source}: no line of column letters, as 'a b c d e'")
    stones = drawing.stones
    last = stones.get(drawing.last) if drawing.last else None
    to_move = side or drawing.told.get("to move") or (last.other if last else None)
    try:
        return Board.from_stones(
            [point for point, owner in stones.items() if owner is Colour.BLACK],
            [point for point, owner in stones.items() if owner is Colour.WHITE],
            to_move,
            drawing.size,
            rule or drawing.told.get("rule", "freestyle"),
        )
    except TengenError as error:
        raise BadPosition(f"{source}: {error}") from None


class _Drawing:
    """Takes the lines of a drawn board, from the top."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.size = 0
        self.stones: dict[Move, Colour] = {}
        self.last: Move | None = None
        self.told: dict[str, str] = {}
        self._row_above = 0

    def take(self, number: int, line: str) -> None:
        if not line.strip():
            return
        if header := _HEADER.fullmatch(line):
            self._take_header(number, header[0].split())
        elif key := _KEY.fullmatch(line):
            self.told[key[1].lower()] = key[2]
        elif self.size and (row := _ROW.fullmatch(line)):
            self._take_row(number, int(row[1]), row[2], row[3])
        else:
            what = "the column letters 'a b c d e' come first" if not self.size else "no row"
            raise self._fault(number, f"{line.strip()[:40]!r}: {what}")

    def _take_header(self, number: int, letters: list[str]) -> None:
        if letters != [column_letter(x) for x in range(len(letters))]:
            raise self._fault(number, "column letters out of order")
        if self.size not in (0, len(letters)):
            raise self._fault(number, "the column letters below are not those above")
        if not self.size:
            self._row_above = len(letters) + 1
        self.size = len(letters)

    def _take_row(self, number: int, row: int, body: str, again: str | None) -> None:
        if not 0 < row < self._row_above:
            raise self._fault(number, f"row {row}: rows go down from {self.size} to 1")
        if again is not None and int(again) != row:
            raise self._fault(number, f"the row begins as {row} and ends as {again}")
        self._row_above = row
        x = 0
        for place, letter in enumerate(body):
            if letter in _BETWEEN:
                continue
            if letter not in _STONES and letter not in _EMPTY:
                raise self._fault(number, f"row {row}: {letter!r} is no stone and no empty point")
            if letter in _STONES and x < self.size:
                self.stones[Move(x, row - 1)] = _STONES[letter]
                if body[max(place - 1, 0)] == "(":
                    self.last = Move(x, row - 1)
            x += 1
        if x != self.size:
            raise self._fault(number, f"row {row} has {x} points, not {self.size}")

    def _fault(self, number: int, words: str) -> BadPosition:
        return BadPosition(f"{self.source}:{number}: {words}")


def numbered_board(board: Board, line: Sequence[Move]) -> str:
    """The board with the moves of a line as numbers from 1, three columns a point.

    Odd numbers are stones of the side to move. Passes have their number, but no place.
    """
    signs = {Colour.BLACK: "X", Colour.WHITE: "O"}
    shown = {point: signs[owner] for point, owner in board.stones().items()}
    numbers = enumerate(line[:MAX_NUMBERED], start=1)
    shown |= {move: str(number) for number, move in numbers if not move.is_pass}
    header = " " * 2 + "".join(f"{column_letter(x):>3}" for x in range(board.size))
    rows = [
        f"{y + 1:>2}"
        + "".join(f"{shown.get(Move(x, y), '.'):>3}" for x in range(board.size))
        + f"  {y + 1}"
        for y in reversed(range(board.size))
    ]
    return "\n".join([header, *rows, header])
