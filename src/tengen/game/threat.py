# SPDX-License-Identifier: MIT
"""`Shape`: what a stone makes on one line; `Threat`: on all four. Mirrors cpp/pattern/shape.h."""

from __future__ import annotations

from enum import IntEnum


class _NamedInt(IntEnum):
    """Prints as its name in small letters."""

    def __str__(self) -> str:
        return self.name.lower()

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


class Shape(_NamedInt):
    """What a stone on an empty point would make on one line; docs/rules.md defines the terms."""

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


class Threat(_NamedInt):
    """What a stone on an empty point would make on all lines together.

    From `TWO` on ordered by urgency. `FORBIDDEN` is for black in renju; `Board.threats` resolves it
    exactly. The arrays of `tengen.game.batch` do not: there `DOUBLE_THREE` and `FOUR_DOUBLE_THREE`
    for black in renju only mean that two lines look like threes, and `batch.forbidden` decides.
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
