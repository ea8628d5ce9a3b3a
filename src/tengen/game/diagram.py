# SPDX-License-Identifier: MIT
"""Reads board diagrams: boards as text, as `print(board)` and `tengen play` show them."""

from __future__ import annotations

import re

from tengen.game.board import Board
from tengen.game.errors import BadPosition, TengenError
from tengen.game.move import Move
from tengen.game.render.layout import column_letter
from tengen.game.rule import Colour

_HEADER = re.compile(r"[ \t]*a b c d e(?: [f-v])*[ \t]*", re.ASCII)
_HEADER_LINE = re.compile(rf"^{_HEADER.pattern}\r?$", re.ASCII | re.MULTILINE)
_ROW = re.compile(r"[ \t]*(\d{1,2})[ \t]([^\d]+?)(?:[ \t](\d{1,2}))?[ \t]*", re.ASCII)
_KEY = re.compile(r"[ \t]*(rule|to move)[ \t]*:[ \t]*(\w+)[ \t]*", re.ASCII | re.IGNORECASE)
_STONES = {"X": Colour.BLACK, "x": Colour.BLACK, "●": Colour.BLACK}
_STONES |= {"O": Colour.WHITE, "o": Colour.WHITE, "○": Colour.WHITE}
_EMPTY = frozenset(".+#?·╋┼├┤┬┴┌┐└┘")
_BETWEEN = frozenset(" ()─")


def is_diagram(text: str) -> bool:
    """Whether a text has the line of column letters of a board diagram."""
    return _HEADER_LINE.search(text) is not None


def read_diagram(
    text: str, rule: str | None = None, side: str | None = None, source: str = "<text>"
) -> Board:
    """The position of a board diagram, as `str(board)` and `tengen play` print it.

    Missing rows are empty. `rule` and `side` (to move) take precedence over lines such as `rule:
    renju` and `to move: white` in the text. Without either, the side follows from a stone in
    brackets, the last move, else from the number of stones. Raises BadPosition with the line.
    """
    diagram = _DiagramReader(source)
    for number, line in enumerate(text.splitlines(), start=1):
        diagram.read_line(number, line)
    if not diagram.size:
        raise BadPosition(f"{source}: no line of column letters, as 'a b c d e'")
    stones, keys = diagram.stones, diagram.keys
    last = stones.get(diagram.last) if diagram.last else None
    black, white = ([p for p, owner in stones.items() if owner is c] for c in Colour)
    to_move = side or keys.get("to move") or (last.other if last else None)
    rule = rule or keys.get("rule", "freestyle")
    try:
        return Board.from_stones(black, white, to_move, diagram.size, rule)
    except TengenError as error:
        raise BadPosition(f"{source}: {error}") from None


class _DiagramReader:
    """Reads the lines of a board diagram, from the top."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.size = 0
        self.stones: dict[Move, Colour] = {}
        self.last: Move | None = None
        self.keys: dict[str, str] = {}
        self._row_above = 0

    def read_line(self, number: int, line: str) -> None:
        if not line.strip():
            return
        if header := _HEADER.fullmatch(line):
            self._read_header(number, header[0].split())
        elif key := _KEY.fullmatch(line):
            self.keys[key[1].lower()] = key[2]
        elif self.size and (row := _ROW.fullmatch(line)):
            self._read_row(number, int(row[1]), row[2], row[3])
        else:
            what = "the column letters 'a b c d e' come first" if not self.size else "no row"
            raise self._fault(number, f"{line.strip()[:40]!r}: {what}")

    def _read_header(self, number: int, letters: list[str]) -> None:
        if letters != [column_letter(x) for x in range(len(letters))]:
            raise self._fault(number, "column letters out of order")
        if self.size not in (0, len(letters)):
            raise self._fault(number, "the column letters below are not those above")
        if not self.size:
            self._row_above = len(letters) + 1
        self.size = len(letters)

    def _read_row(self, number: int, row: int, body: str, again: str | None) -> None:
        if not 0 < row < self._row_above:
            raise self._fault(number, f"row {row}: rows go down from {self.size} to 1")
        if again is not None and int(again) != row:
            raise self._fault(number, f"the row begins as {row} and ends as {again}")
        self._row_above = row
        x = 0
        for column, letter in enumerate(body):
            if letter in _BETWEEN:
                continue
            if letter not in _STONES and letter not in _EMPTY:
                raise self._fault(number, f"row {row}: {letter!r} is no stone and no empty point")
            if letter in _STONES and x < self.size:
                self.stones[Move(x, row - 1)] = _STONES[letter]
                if body[max(column - 1, 0)] == "(":
                    self.last = Move(x, row - 1)
            x += 1
        if x != self.size:
            raise self._fault(number, f"row {row} has {x} points, not {self.size}")

    def _fault(self, number: int, fault: str) -> BadPosition:
        return BadPosition(f"{self.source}:{number}: {fault}")
