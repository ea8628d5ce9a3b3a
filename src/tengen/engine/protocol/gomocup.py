# SPDX-License-Identifier: MIT
"""The words of the Gomocup protocol: commands, points, and what may stand in a reply.

Pure functions; relies on moves and errors. Both ends of the protocol rely on it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tengen.game.errors import BadNotation
from tengen.game.move import Move

__all__ = ["Command", "parse", "parse_number", "parse_point", "parse_stone", "tellable"]

_POINT = re.compile(r"(\d{1,9})\s*,\s*(\d{1,9})", re.ASCII)
_STONE = re.compile(r"(\d{1,9}\s*,\s*\d{1,9})\s*,\s*(\d{1,9})", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d{1,30}", re.ASCII)
_CONTROL = re.compile(r"[^ -~]")
_BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
_LONGEST_QUOTE = 60


@dataclass(frozen=True, slots=True)
class Command:
    """One line of a manager. `verb` is its first word in capitals, `rest` what follows."""

    verb: str
    rest: str = ""
    word: str = field(default="", compare=False)  # the first word as it was given

    @property
    def text(self) -> str:
        """The line."""
        return f"{self.word or self.verb} {self.rest}".rstrip()


def parse(line: str) -> Command | None:
    """The command of a line; None if it is empty. Every line is a command, if an unknown one."""
    verb, *rest = line.lstrip(_BYTE_ORDER_MARK).split(maxsplit=1) or [""]
    return Command(verb.upper(), rest[0].strip() if rest else "", verb) if verb else None


def parse_number(text: str) -> int | None:
    """A whole number; None if the text is anything else."""
    return int(text) if _NUMBER.fullmatch(text) else None


def parse_point(text: str, size: int) -> Move:
    """The point of `x,y` on a board of `size`. Raises BadNotation.

    Both count from 0; `0,0` is the first cell of the first row, as in Piskvork's records.
    """
    found = _POINT.fullmatch(text.strip())
    if found is None:
        raise BadNotation(f"no point '{tellable(text)}': expected x,y")
    x, y = int(found[1]), int(found[2])
    if x >= size or y >= size:
        raise BadNotation(f"{x},{y} is off the board: both numbers are 0 to {size - 1}")
    return Move(x, y)


def parse_stone(text: str, size: int) -> tuple[Move, int]:
    """The point and the owner of `x,y,who`: 1 own, 2 the opponent's. Raises BadNotation."""
    found = _STONE.fullmatch(text)
    if found is None:
        raise BadNotation(f"no stone '{tellable(text)}': expected x,y,who")
    return parse_point(found[1], size), int(found[2])


def tellable(text: str) -> str:
    """A text as it may stand in a reply: short, and without anything but plain characters."""
    plain = _CONTROL.sub("?", text)
    return plain if len(plain) <= _LONGEST_QUOTE else plain[: _LONGEST_QUOTE - 3] + "..."
