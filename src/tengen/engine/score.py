# SPDX-License-Identifier: MIT
"""Scores of positions: `Score`, and `PovScore`, which knows its side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import total_ordering

from tengen.game.rule import Colour

EVAL_PER_LOGIT = 200  # evaluation units per logit of the win rate: +200 is a win rate of 73%


@total_ordering
@dataclass(frozen=True, slots=True)
class Score:
    """The score of a position for one side; greater is better. A quick win is better than a slow
    one, and a slow loss better than a quick one.
    """

    value: int  # evaluation units, see EVAL_PER_LOGIT
    mate: int | None = None  # plies to the end: positive wins, negative loses
    proven: bool = False  # with value 0 and no mate: a proven draw

    def __post_init__(self) -> None:
        if self.mate == 0:
            raise ValueError("a mate in 0: use None where there is none")

    @property
    def win_rate(self) -> float:
        """The expected score of the game, 0 to 1; a draw is half a win."""
        if self.mate is not None:
            return 1.0 if self.mate > 0 else 0.0
        logit = max(-700.0, min(700.0, self.value / EVAL_PER_LOGIT))  # within the range of exp
        return 1.0 / (1.0 + math.exp(-logit))

    def is_mate(self) -> bool:
        return self.mate is not None

    def __neg__(self) -> Score:
        return Score(-self.value, None if self.mate is None else -self.mate, self.proven)

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Score):
            return NotImplemented
        return self._rank() < other._rank()

    def _rank(self) -> tuple[int, int, int, bool]:
        if self.mate is None:
            return 0, self.value, self.value, self.proven
        return (1 if self.mate > 0 else -1), -self.mate, self.value, self.proven

    def __str__(self) -> str:
        if self.mate is None:
            return f"{self.value:+d}"
        return f"{'+' if self.mate > 0 else '-'}M{abs(self.mate)}"


@dataclass(frozen=True, slots=True)
class PovScore:
    """A score with the side it is for."""

    relative: Score  # for the side that was to move
    turn: Colour  # that side

    def pov(self, colour: Colour | str) -> Score:
        """The score for that side."""
        return self.relative if Colour.parse(colour) is self.turn else -self.relative

    def black(self) -> Score:
        return self.pov(Colour.BLACK)

    def white(self) -> Score:
        return self.pov(Colour.WHITE)

    def is_mate(self) -> bool:
        return self.relative.is_mate()

    def __str__(self) -> str:
        return f"{self.relative} for {self.turn}"
