# SPDX-License-Identifier: MIT
"""Ten levels of play, from beginner to full strength. A level limits the search of a move, and
draws among its best lines; the native core has the numbers and does both.
"""

from __future__ import annotations

from dataclasses import dataclass

from tengen import _core


@dataclass(frozen=True, slots=True)
class Level:
    """The numbers of one level. None: no such limit."""

    number: int
    nodes: int | None  # per move
    depth: int | None  # plies
    time: float | None  # seconds per move, for slow machines
    lines: int  # number of best moves to choose from
    spread: float  # loss of win rate at which a line has 1/e of the best one's probability

    @property
    def plays_best_move(self) -> bool:
        return self.lines == 1


LEVELS: dict[int, Level] = {
    number: Level(number, nodes or None, depth or None, time or None, lines, spread)
    for number, nodes, depth, time, lines, spread in _core.levels()
}
FULL = max(LEVELS)
