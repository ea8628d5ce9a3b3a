# SPDX-License-Identifier: MIT
"""What a stone would make: `Shape` on one line, `Threat` on all four together. Mirrors
cpp/pattern/shape.h.
"""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Shape", "Threat"]


class Shape(IntEnum):
    """What a stone on an empty point would make on one line; see docs/rules.md for the words."""

    NONE = 0
    ONE = 1
    OPEN_ONE = 2
    TWO = 3
    OPEN_TWO = 4
    THREE = 5
    OPEN_THREE = 6
    FOUR = 7
    DOUBLE_FOUR = 8
    OPEN_FOUR = 9
    OVERLINE = 10
    FIVE = 11

    def __str__(self) -> str:
        return self.name.lower()

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


class Threat(IntEnum):
    """What a stone on an empty point would make on all lines together.

    From `TWO` on ordered by urgency. `FORBIDDEN` is for black in renju, and `Board.threats` tells
    the truth about it. The arrays of `tengen.game.batch` do not follow double-threes up: there
    `DOUBLE_THREE` and `FOUR_DOUBLE_THREE` for black in renju only say that two lines look like
    threes, and `batch.forbidden` decides.
    """

    NONE = 0
    FORBIDDEN = 1
    TWO = 2
    OPEN_TWO = 3
    THREE = 4
    OPEN_THREE = 5
    DOUBLE_THREE = 6
    FOUR = 7
    FOUR_THREE = 8
    FOUR_DOUBLE_THREE = 9
    DOUBLE_FOUR = 10
    OPEN_FOUR = 11
    FIVE = 12

    def __str__(self) -> str:
        return self.name.lower()

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)
