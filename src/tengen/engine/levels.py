# SPDX-License-Identifier: MIT
"""Ten levels of play, from beginner to full strength: one table, and the choice of a weaker move.

A level searches little and then chooses among the best lines it found, the nearly best ones with
nearly the same chance: it overlooks and misjudges as people do, and never plays at random. Pure
functions; relies on scores and limits. `Engine`, the protocol, the command line and the page rely
on it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tengen.engine.analysis import Search
from tengen.engine.errors import BadOption
from tengen.engine.info import Info, Played, SearchProgress
from tengen.engine.limit import Limit

__all__ = ["FULL", "LEVELS", "Level", "LevelSearch", "choose", "level_of_strength", "narrowed"]


@dataclass(frozen=True, slots=True)
class Level:
    """How well one level plays. None: no such limit."""

    number: int
    nodes: int | None  # positions visited for a move
    depth: int | None  # moves of both sides looked ahead
    time: float | None  # s; keeps a very slow machine from making people wait, see _SAFETY
    lines: int  # among how many of the best moves it chooses
    spread: float  # win rate that a line may lack and still have 1/e of the best one's chance

    @property
    def is_full(self) -> bool:
        return self.lines == 1


# A level is an effort in nodes, so that it plays the same on every machine. Nobody should wait much
# longer than this, in seconds, whatever the machine.
_SAFETY = 10.0
# Each level looks at two to three times as much as the one below and strays less. Matches between
# neighbours settle the numbers (benchmarks/levels.py): each should win 60% to 90%. Level 9 stays
# far below full strength: openings that favour a colour hide small differences at the top.
_TABLE = (
    Level(1, 300, 1, _SAFETY, 40, 1.00),
    Level(2, 500, 2, _SAFETY, 4, 0.02),
    Level(3, 1_200, 3, _SAFETY, 4, 0.015),
    Level(4, 2_500, 4, _SAFETY, 4, 0.012),
    Level(5, 5_000, 5, _SAFETY, 3, 0.012),
    Level(6, 12_000, 6, _SAFETY, 3, 0.01),
    Level(7, 30_000, 8, _SAFETY, 2, 0.01),
    Level(8, 80_000, None, _SAFETY, 2, 0.008),
    Level(9, 200_000, None, _SAFETY, 1, 0.0),
    Level(10, None, None, None, 1, 0.0),
)
LEVELS: dict[int, Level] = {level.number: level for level in _TABLE}
FULL = len(_TABLE)


def level_of_strength(strength: int) -> int:
    """The level of a strength from 0 to 100, as managers tell it. Raises BadOption."""
    if not 0 <= strength <= 100:
        raise BadOption(f"no strength of {strength}: use 0 to 100")
    return max(1, math.ceil(strength / 10))


def narrowed(level: Level, limit: Limit, *, is_tree: bool = False) -> Limit:
    """The limit of a search of that level, within the limit that is given. The depth of a level is
    for alpha-beta: tree search would be at its end with the first line of that length, and have
    nothing to choose from.
    """
    return Limit(
        time=_least(limit.time, level.time),
        nodes=_least_whole(limit.nodes, level.nodes),
        depth=limit.depth if is_tree else _least_whole(limit.depth, level.depth),
        clock=limit.clock,
        increment=limit.increment,
    )


def choose(level: Level, lines: Sequence[Info], random: Random) -> Info:
    """One of the lines of a search, the best first. A win that was seen is taken, and no loss that
    was seen is walked into while there is something else.
    """
    best = lines[0]
    if len(lines) == 1 or level.spread <= 0 or best.score.is_mate():
        return best
    sound = [line for line in lines[: level.lines] if not line.score.is_mate() and line.pv]
    top = best.score.relative.win_rate
    weights = [math.exp((line.score.relative.win_rate - top) / level.spread) for line in sound]
    return random.choices(sound, weights)[0] if sound else best


class LevelSearch(Search):
    """A search of several lines that ends with the move of a level. What it tells on the way is
    its best line, as any search does.
    """

    def __init__(self, search: Search, level: Level, random: Random) -> None:
        self._search = search
        self._level = level
        self._random = random
        self._lines: dict[int, Info] = {}
        self._played: Played | None = None

    @property
    def is_done(self) -> bool:
        return self._search.is_done

    @property
    def played(self) -> Played | None:
        if self._played is None and (ended := self._search.played) is not None:
            self._played = self._choice(ended)
        return self._played

    def take(self, timeout: float) -> Info | None:
        info = self._search.take(timeout)
        if info is None:
            return None
        if info.bound == "exact":
            if info.multipv == 1:  # a new depth: its other lines follow
                self._lines = {n: line for n, line in self._lines.items() if line.pv != info.pv}
            self._lines[info.multipv] = info
        return info if info.multipv == 1 else None

    def progress(self) -> SearchProgress | None:
        return self._search.progress()

    def stop(self) -> None:
        self._search.stop()

    def fault(self) -> Exception | None:
        return self._search.fault()

    def _choice(self, ended: Played) -> Played:
        first = ended.info
        if first is None:
            return ended
        others = [line for _, line in sorted(self._lines.items()) if line.pv[:1] != first.pv[:1]]
        line = choose(self._level, [first, *_distinct(others)], self._random)
        return Played(line.pv[0], line.pv[1] if len(line.pv) > 1 else None, line)


def _distinct(lines: Sequence[Info]) -> list[Info]:
    """Each first move once, with what was told of it first; the best first."""
    found: dict[object, Info] = {}
    for line in lines:
        if line.pv:
            found.setdefault(line.pv[0], line)
    return sorted(found.values(), key=lambda line: line.score.relative, reverse=True)


def _least(one: float | None, two: float | None) -> float | None:
    return min((value for value in (one, two) if value is not None), default=None)


def _least_whole(one: int | None, two: int | None) -> int | None:
    return min((value for value in (one, two) if value is not None), default=None)
