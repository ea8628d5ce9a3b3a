# SPDX-License-Identifier: MIT
"""Moves and their notations.

A move is a point `(x, y)`, both from 0, `x` from the left column `a` and `y` from the bottom row
`1`; or the pass. One mapping holds everywhere: the text `h8`, the Gomocup pair `7,7` and the
index `y * size + x` name the same point of a 15x15 board.
"""

from __future__ import annotations

import re
from typing import ClassVar, NamedTuple, TypeAlias

from tengen.game.errors import BadNotation
from tengen.game.rule import MAX_SIZE

__all__ = ["PASS", "Move", "MoveLike"]

_NAME = re.compile(r"([A-Za-z])([1-9][0-9]?)", re.ASCII)
_PAIR = re.compile(r"(\d{1,2})\s*,\s*(\d{1,2})", re.ASCII)


class _Point(NamedTuple):
    x: int
    y: int


class Move(_Point):
    """A point of the board, or `Move.PASS`. Compares and hashes like the tuple `(x, y)`."""

    __slots__ = ()
    PASS: ClassVar[Move]

    @property
    def is_pass(self) -> bool:
        return self.x < 0

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
        return -1 if self.is_pass else self.y * size + self.x

    @classmethod
    def from_index(cls, index: int, size: int) -> Move:
        if index == -1:
            return cls.PASS
        if not 0 <= index < size * size:
            raise BadNotation(
                f"no point has index {index}: a {size}x{size} board has {size * size}"
            )
        return cls(index % size, index // size)

    @classmethod
    def parse(cls, value: MoveLike, size: int = MAX_SIZE) -> Move:
        """A Move from `h8`, `7,7`, `pass`, an index, or a pair of numbers; it must lie on a board
        of `size`.
        """
        if isinstance(value, Move):
            move = value
        elif isinstance(value, str):
            move = cls._parse_text(value.strip(), value)
        elif isinstance(value, int) and not isinstance(value, bool):
            return cls.from_index(value, size)
        elif isinstance(value, tuple) and len(value) == 2:
            move = cls(int(value[0]), int(value[1]))
        else:
            raise BadNotation(f"no move {value!r}: use 'h8', '7,7', (7, 7), an index or 'pass'")
        if move == cls.PASS or (0 <= move.x < size and 0 <= move.y < size):
            return move
        last = Move(size - 1, size - 1).name
        raise BadNotation(f"{value!r} is off the {size}x{size} board, which ends at {last}")

    @classmethod
    def _parse_text(cls, text: str, given: str) -> Move:
        if text.lower() == "pass":
            return cls.PASS
        if name := _NAME.fullmatch(text):
            return cls(ord(name[1].lower()) - ord("a"), int(name[2]) - 1)
        if pair := _PAIR.fullmatch(text):
            return cls(int(pair[1]), int(pair[2]))
        raise BadNotation(f"no move {given!r}: use 'h8', '7,7', (7, 7), an index or 'pass'")

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<Move {self.name}>"


Move.PASS = Move(-1, -1)
PASS = Move.PASS

MoveLike: TypeAlias = "Move | str | int | tuple[int, int]"
