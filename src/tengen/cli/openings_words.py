# SPDX-License-Identifier: MIT
"""What `tengen openings` prints: the list, the table of a check, drawn boards. Pure functions from
openings to lines of text; relies on the game alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tengen.cli.common import count
from tengen.game.move import Move
from tengen.game.render.text import board_text
from tengen.game.renju_openings import RENJU_OPENINGS
from tengen.game.rule import Colour, Rule

__all__ = ["Checked", "Drawn", "board_lines", "check_lines", "list_lines"]


class Checked(NamedTuple):
    """An opening of a file, and what was found of it."""

    opening: Sequence[Move]
    fault: str  # why no game can begin with it, or nothing
    rate: float | None  # black's win rate by the judge; None: not judged
    balance: float  # how far it may be from one half

    @property
    def verdict(self) -> str:
        if self.fault:
            return self.fault
        if self.rate is None:
            return "good"
        if abs(self.rate - 0.5) < self.balance:
            return "balanced"
        return "better for black" if self.rate > 0.5 else "better for white"

    @property
    def is_bad(self) -> bool:
        return self.verdict not in ("good", "balanced")

    def as_json(self) -> dict[str, Any]:
        moves = " ".join(move.name for move in self.opening)
        rate = None if self.rate is None else round(self.rate, 4)
        return {"moves": moves, "verdict": self.verdict, "black_wins": rate}


class Drawn(NamedTuple):
    """An opening to be drawn."""

    title: str
    opening: Sequence[Move]
    size: int
    fault: str = ""


def check_lines(checked: Sequence[Checked]) -> Iterator[str]:
    """A row for each opening, and the counts."""
    yield "   no  stones  black wins  verdict, moves"
    for number, one in enumerate(checked, 1):
        rate = "-" if one.rate is None else f"{one.rate:.1%}"
        moves = " ".join(move.name for move in one.opening)
        yield f"{number:>5}  {len(one.opening):>6}  {rate:>10}  {one.verdict}: {moves}".rstrip(": ")
    counts = Counter(one.verdict for one in checked).most_common()
    told = ", ".join(f"{number} {verdict}" for verdict, number in counts)
    yield ""
    yield f"{count(len(checked), 'opening')}: {told}"


def list_lines(shipped: Mapping[str, tuple[Rule, int, int]]) -> Iterator[str]:
    """The files of the package by name, and the classical openings."""
    yield "Balanced openings that come with the package (even/: both colours win them):"
    for name, (rule, size, number) in shipped.items():
        yield f"  {name:<17} {number:>5}  {rule}, {size}x{size}"
    if not shipped:
        yield "  none"
    yield ""
    yield "The 26 classical openings of renju (renju26), with white's and black's second move:"
    for one in RENJU_OPENINGS:
        moves = " ".join(move.name for move in one.moves())
        yield f"  {one.code:>3}  {one.name:<10} {one.kanji}  {moves}"


def board_lines(drawn: Drawn) -> Iterator[str]:
    """The board, under a line that tells the moves."""
    moves = " ".join(move.name for move in drawn.opening)
    turn = Colour.WHITE if len(drawn.opening) % 2 else Colour.BLACK
    yield f"{drawn.title}: {moves} ({drawn.fault or f'{turn} to move'})"
    if drawn.opening:
        sides = (Colour.BLACK, Colour.WHITE)
        stones = {move: sides[n % 2] for n, move in enumerate(drawn.opening)}
        yield board_text(drawn.size, stones, last=drawn.opening[-1])
