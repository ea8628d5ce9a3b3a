# SPDX-License-Identifier: MIT
"""Moves and their notations.

A move is a point `(x, y)`, both from 0, `x` from the left column `a` and `y` from the bottom row
`1`; or the pass. One mapping holds everywhere: the text `h8`, the Gomocup pair `7,7` and the
index `y * size + x` name the same point of a 15x15 board.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from functools import cache
from typing import ClassVar, NamedTuple, SupportsIndex, TypeAlias

from tengen.game.errors import BadNotation
from tengen.game.rule import MAX_SIZE

_NAME = re.compile(r"([A-Za-z])([1-9][0-9]?)", re.ASCII)
_PAIR = re.compile(r"(\d{1,2})\s*,\s*(\d{1,2})", re.ASCII)


def _no_move(value: object) -> BadNotation:
    return BadNotation(f"no move {value!r}: use 'h9', '7,8', (7, 8), an index or 'pass'")


def _whole(part: object, value: object) -> int:
    """A whole number, NumPy's too; neither 7.0 nor True is one."""
    if isinstance(part, bool) or not isinstance(part, SupportsIndex):
        raise _no_move(value)
    return operator.index(part)


def _parse_text(text: str) -> tuple[int, int]:
    if name := _NAME.fullmatch(text.strip()):
        return ord(name[1].lower()) - ord("a"), int(name[2]) - 1
    if pair := _PAIR.fullmatch(text.strip()):
        return int(pair[1]), int(pair[2])
    raise _no_move(text)


def _parse_pair(pair: Sequence[object]) -> tuple[int, int]:
    if len(pair) != 2:
        raise _no_move(pair)
    return _whole(pair[0], pair), _whole(pair[1], pair)


class _Point(NamedTuple):
    x: int
    y: int


class Move(_Point):
    """A point of the board, or `Move.PASS`. Compares and hashes like the tuple `(x, y)`.

    `Move(7, 8)` and `Move("h9")` are the same: column 7 and row 8, counted from 0.
    """

    __slots__ = ()
    PASS: ClassVar[Move]

    def __new__(cls, x: MoveLike, y: int | None = None) -> Move:
        if y is None:
            return cls.parse(x)
        column, row = _whole(x, (x, y)), _whole(y, (x, y))
        if (column, row) != (-1, -1) and not (0 <= column < MAX_SIZE and 0 <= row < MAX_SIZE):
            raise BadNotation(f"no point ({x}, {y}): columns and rows are 0 to {MAX_SIZE - 1}")
        return _Point.__new__(cls, column, row)

    @property
    def is_pass(self) -> bool:
        return self == (-1, -1)

    @property
    def name(self) -> str:
        """The usual text: `h8`, or `pass`."""
        return "pass" if self.is_pass else f"{chr(ord('a') + self.x)}{self.y + 1}"

    @property
    def gomocup(self) -> str:
        """The Gomocup pair: `7,7`. The pass has none."""
        if self.is_pass:
            raise BadNotation("the Gomocup protocol has no pass")
        return f"{self.x},{self.y}"

    def to_index(self, size: int) -> int:
        """Row-major index on a board of `size`; -1 for the pass."""
        if self.is_pass:
            return -1
        if self.x >= size or self.y >= size:
            raise BadNotation(f"{self.name} is off the {size}x{size} board")
        return self.y * size + self.x

    @classmethod
    def from_index(cls, index: int, size: int) -> Move:
        if index == -1:
            return cls.PASS
        if not 0 <= index < size * size:
            raise BadNotation(
                f"no point has index {index}: a {size}x{size} board has {size * size}"
            )
        return _points(size)[index]

    @classmethod
    def parse(cls, value: MoveLike, size: int = MAX_SIZE) -> Move:
        """A Move from `h9`, `7,8`, `pass`, a pair `(7, 8)`, or an index; on a board of `size`."""
        if type(value) is Move and value.x < size and value.y < size:
            return value
        if isinstance(value, str):
            if value.strip().lower() == "pass":
                return cls.PASS
            x, y = _parse_text(value)
        elif isinstance(value, tuple | list):
            x, y = _parse_pair(value)
        else:
            index = _whole(value, value)
            if index < 0:  # a negative index is more likely a bug than a pass
                raise BadNotation(f"no point has index {index}; to pass, say 'pass'")
            return cls.from_index(index, size)
        if 0 <= x < size and 0 <= y < size:
            return cls(x, y)
        last = Move(size - 1, size - 1).name
        raise BadNotation(f"{value!r} is off the {size}x{size} board, which ends at {last}")

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<Move {self.name}>"


@cache
def _points(size: int) -> tuple[Move, ...]:
    """The points of a board by index; cached, as moves are made from indices everywhere."""
    return tuple(Move(x, y) for y in range(size) for x in range(size))


Move.PASS = Move(-1, -1)
PASS = Move.PASS

MoveLike: TypeAlias = "Move | str | SupportsIndex | tuple[int, int] | list[int]"
