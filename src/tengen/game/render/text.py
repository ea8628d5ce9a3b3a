# SPDX-License-Identifier: MIT
"""A position drawn with characters.

The plain drawing is that of tests/positions: a row is its number, one character per point with
blanks between, and its number again.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from tengen.game.move import Move
from tengen.game.render.layout import check_points, check_size, column_letter, star_points
from tengen.game.rule import Colour

MAX_NUMBERED = 99  # numbers of moves have at most two digits

# Black and white on wood, in the 256-colour palette.
_RESET = "\x1b[0m"
_WOOD = "\x1b[48;5;179m"
_GRID = "\x1b[22;38;5;94m"
_STONE = {Colour.BLACK: "\x1b[1;38;5;16m", Colour.WHITE: "\x1b[1;38;5;231m"}
_ALERT = "\x1b[1;38;5;124m"
_MARGIN = "\x1b[2m"


def board_text(
    size: int,
    stones: Mapping[Move, Colour],
    *,
    last: Move | None = None,
    marks: Mapping[Move, str] | None = None,
    coordinates: bool = True,
    unicode: bool = False,
    colour: bool = False,
) -> str:
    """The board as lines of text, row 1 at the bottom, without a newline at the end.

    Black is `X` and white `O` (with `unicode`: ● and ○ on a drawn grid). The `last` move is in
    brackets, which replace blanks. A mark is one character and hides its point. `colour` adds ANSI
    codes.
    """
    check_size(size)
    marks = marks or {}
    check_points("a stone", stones, size)
    check_points("a mark", marks, size)
    for move, mark in marks.items():
        if not _fills_one_column(mark):
            raise ValueError(f"the mark {mark!r} at {move.name} must be one visible character")
    if last is not None and not last.is_pass:
        check_points("the last move", [last], size)
    painter = _Painter(size, stones, marks, last, unicode=unicode, colour=colour)
    rows = [painter.row(y) for y in reversed(range(size))]
    lines = _with_margins(rows, size, colour) if coordinates else rows
    return "\n".join(line.rstrip() for line in lines)


def numbered_text(size: int, stones: Mapping[Move, Colour], line: Sequence[Move]) -> str:
    """The board with the moves of a line as numbers from 1, three columns per point.

    Odd numbers are stones of the side to move. A pass has a number, but no point.
    """
    shown = {point: "XO"[owner is Colour.WHITE] for point, owner in stones.items()}
    numbers = enumerate(line[:MAX_NUMBERED], start=1)
    shown |= {move: str(number) for number, move in numbers if not move.is_pass}
    header = "  " + "".join(f"{column_letter(x):>3}" for x in range(size))
    rows = []
    for y in reversed(range(size)):
        cells = "".join(f"{shown.get(Move(x, y), '.'):>3}" for x in range(size))
        rows.append(f"{y + 1:>2}{cells}  {y + 1}")
    return "\n".join([header, *rows, header])


class _Painter:
    """Turns rows into text; holds the arguments of `board_text`."""

    def __init__(
        self,
        size: int,
        stones: Mapping[Move, Colour],
        marks: Mapping[Move, str],
        last: Move | None,
        *,
        unicode: bool,
        colour: bool,
    ) -> None:
        self.size = size
        self.stones = stones
        self.marks = marks
        self.last = last
        self.unicode = unicode
        self.colour = colour
        self.stars = frozenset(star_points(size)) if unicode else frozenset()

    def row(self, y: int) -> str:
        """Row `y` with a blank (or a bracket) before, between and after its points."""
        cells = [self._gap(0, y)]
        for x in range(self.size):
            cells += [self._point(Move(x, y)), self._gap(x + 1, y)]
        if not self.colour:
            return "".join(text for _, text in cells)
        runs = groupby(cells, key=itemgetter(0))
        return _WOOD + "".join(ink + "".join(t for _, t in run) for ink, run in runs) + _RESET

    def _point(self, move: Move) -> tuple[str, str]:
        """The ink and the character of one point."""
        if mark := self.marks.get(move):
            return _ALERT, mark
        stone = self.stones.get(move)
        if stone is None:
            return _GRID, self._crossing(move) if self.unicode else "."
        black = stone == Colour.BLACK
        if self.unicode:
            return _STONE[stone], "●" if black else "○"
        return _STONE[stone], "X" if black else "O"

    def _gap(self, x: int, y: int) -> tuple[str, str]:
        """The ink and the character to the left of column `x`."""
        if self.last == (x, y):
            return _ALERT, "("
        if self.last == (x - 1, y):
            return _ALERT, ")"
        inside = self.unicode and 0 < x < self.size
        return _GRID, "─" if inside else " "

    def _crossing(self, move: Move) -> str:
        if move in self.stars:
            return "╋"
        row = {self.size - 1: "┌┬┐", 0: "└┴┘"}.get(move.y, "├┼┤")
        return row[0 if move.x == 0 else 2 if move.x == self.size - 1 else 1]


def _with_margins(rows: list[str], size: int, colour: bool) -> list[str]:
    """The rows with their numbers at both sides, and the column letters above and below."""
    width = len(str(size))
    dim, plain = (_MARGIN, _RESET) if colour else ("", "")
    letters = " ".join(column_letter(x) for x in range(size))
    header = f"{dim}{'':{width}}  {letters}{plain}"
    numbered = [
        f"{dim}{number:>{width}}{plain} {row} {dim}{number}{plain}"
        for number, row in zip(range(size, 0, -1), rows, strict=True)
    ]
    return [header, *numbered, header]


def _fills_one_column(text: str) -> bool:
    if len(text) != 1 or text.isspace() or not text.isprintable():
        return False
    return not unicodedata.combining(text) and unicodedata.east_asian_width(text) not in "WF"
