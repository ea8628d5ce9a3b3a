# SPDX-License-Identifier: MIT
"""Ten levels of play, from beginner to full strength: one table, and the choice of a weaker move.

A level limits the search and then draws among the best lines, with probabilities that fall with
their win rates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from tengen.engine.analysis import Search
from tengen.engine.errors import BadOption
from tengen.engine.info import Info, PlayResult, SearchProgress
from tengen.engine.limit import Limit

_Number = TypeVar("_Number", int, float)


@dataclass(frozen=True, slots=True)
class Level:
    """The numbers of one level. None: no such limit."""

    number: int
    nodes: int | None  # per move
    depth: int | None  # plies
    time: float | None  # seconds per move, see _MAX_SECONDS
    lines: int  # number of best moves to choose from
    spread: float  # loss of win rate at which a line has 1/e of the best one's probability

    @property
    def plays_best_move(self) -> bool:
        return self.lines == 1


# A level is a number of nodes, so that it plays the same on every machine; the time limits very
# slow ones.
_MAX_SECONDS = 10.0
# Each level searches two to three times as many nodes as the one below and errs less. The numbers
# come from matches between neighbours (benchmarks/levels.py): each should score 60% to 90%. Level 9
# is far below full strength: openings that favour a colour hide small differences at the top.
_TABLE = (
    Level(1, 300, 1, _MAX_SECONDS, 40, 1.00),
    Level(2, 500, 2, _MAX_SECONDS, 4, 0.02),
    Level(3, 1_200, 3, _MAX_SECONDS, 4, 0.015),
    Level(4, 2_500, 4, _MAX_SECONDS, 4, 0.012),
    Level(5, 5_000, 5, _MAX_SECONDS, 3, 0.012),
    Level(6, 12_000, 6, _MAX_SECONDS, 3, 0.01),
    Level(7, 30_000, 8, _MAX_SECONDS, 2, 0.01),
    Level(8, 80_000, None, _MAX_SECONDS, 2, 0.008),
    Level(9, 200_000, None, _MAX_SECONDS, 1, 0.0),
    Level(10, None, None, None, 1, 0.0),
)
LEVELS: dict[int, Level] = {level.number: level for level in _TABLE}
FULL = len(_TABLE)


def level_of_strength(strength: int) -> int:
    """The level of `INFO strength`, 0 to 100. Raises BadOption."""
    if not 0 <= strength <= 100:
        raise BadOption(f"no strength of {strength}: use 0 to 100")
    return max(1, math.ceil(strength / 10))


def limit_of_level(level: Level, limit: Limit, *, is_mcts: bool = False) -> Limit:
    """The limit of a level's search, within `limit`. The depth of a level is for alpha-beta alone:
    MCTS would end with its first line of that length.
    """
    return Limit(
        time=_min(limit.time, level.time),
        nodes=_min(limit.nodes, level.nodes),
        depth=limit.depth if is_mcts else _min(limit.depth, level.depth),
        clock=limit.clock,
        increment=limit.increment,
    )


def choose(level: Level, lines: Sequence[Info], random: Random) -> Info:
    """One of the lines of a search, which are sorted. Plays a proven win, and avoids a proven loss
    if there is another line.
    """
    best = lines[0]
    if len(lines) == 1 or level.spread <= 0 or best.score.is_mate():
        return best
    sound = [line for line in lines[: level.lines] if not line.score.is_mate() and line.pv]
    top = best.score.relative.win_rate
    weights = [math.exp((line.score.relative.win_rate - top) / level.spread) for line in sound]
    return random.choices(sound, weights)[0] if sound else best


class LevelSearch(Search):
    """A search of several lines whose result is the move of a level. Its infos are those of the
    best line.
    """

    def __init__(self, search: Search, level: Level, random: Random) -> None:
        self._search = search
        self._level = level
        self._random = random
        self._lines: dict[int, Info] = {}
        self._played: PlayResult | None = None

    @property
    def is_done(self) -> bool:
        return self._search.is_done

    @property
    def played(self) -> PlayResult | None:
        if self._played is None and (ended := self._search.played) is not None:
            self._played = self._choice(ended)
        return self._played

    def next_info(self, timeout: float) -> Info | None:
        info = self._search.next_info(timeout)
        if info is None:
            return None
        if info.bound == "exact":
            if info.multipv == 1:  # a new depth
                self._lines = {n: line for n, line in self._lines.items() if line.pv != info.pv}
            self._lines[info.multipv] = info
        return info if info.multipv == 1 else None

    def progress(self) -> SearchProgress | None:
        return self._search.progress()

    def stop(self) -> None:
        self._search.stop()

    def error(self) -> Exception | None:
        return self._search.error()

    def _choice(self, ended: PlayResult) -> PlayResult:
        first = ended.info
        if first is None:
            return ended
        others = [line for _, line in sorted(self._lines.items()) if line.pv[:1] != first.pv[:1]]
        line = choose(self._level, [first, *_distinct(others)], self._random)
        return PlayResult(line.pv[0], line.pv[1] if len(line.pv) > 1 else None, line)


def _distinct(lines: Sequence[Info]) -> list[Info]:
    """The first line of each first move, the best first."""
    by_move: dict[object, Info] = {}
    for line in lines:
        if line.pv:
            by_move.setdefault(line.pv[0], line)
    return sorted(by_move.values(), key=lambda line: line.score.relative, reverse=True)


def _min(one: _Number | None, two: _Number | None) -> _Number | None:
    return min((value for value in (one, two) if value is not None), default=None)
