# SPDX-License-Identifier: MIT
"""Move times of each player: percentiles, overshoot of the limit, depth and speed of the search.
Pure functions of finished games.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tengen.arena.elo import percentile
from tengen.arena.game import MatchGame, MoveReport

__all__ = ["Timing", "reports_by_player", "timings"]


@dataclass(frozen=True, slots=True)
class Timing:
    """A player's moves after the opening. Times are in seconds, by the arena's clock."""

    moves: int
    median: float  # 0 without moves, as all times here
    p99: float  # 99% of the moves took no longer
    p999: float
    worst: float
    limit: float | None  # per move; None: there is none, or only a clock
    late: int  # moves beyond the limit, within the tolerance or not
    overshoot: float  # of the latest one, in seconds beyond the limit
    depth: float | None  # mean of the moves that report one
    speed: float | None  # nodes per second in the moves that report nodes


def reports_by_player(games: Iterable[MatchGame], players: int) -> list[list[MoveReport]]:
    """The reports of all moves after the openings, by player."""
    reports: list[list[MoveReport]] = [[] for _ in range(players)]
    for game in games:
        start = game.opening_moves % 2  # 1: white makes the first move after the opening
        reports[game.black] += game.reports[start::2]
        reports[game.white] += game.reports[1 - start :: 2]
    return reports


def timings(games: Iterable[MatchGame], limits: Sequence[float | None]) -> list[Timing]:
    """The figures of each player; `limits` are their seconds per move."""
    reports = reports_by_player(games, len(limits))
    return [_timing(moves, limit) for moves, limit in zip(reports, limits, strict=True)]


def _timing(reports: Sequence[MoveReport], limit: float | None) -> Timing:
    seconds = sorted(t.seconds for t in reports)
    depths = [t.depth for t in reports if t.depth]
    searched = [t for t in reports if t.nodes]
    nodes, busy = sum(t.nodes for t in searched), sum(t.seconds for t in searched)
    median, p99, p999, worst = (
        percentile(seconds, percent) if seconds else 0.0 for percent in (50, 99, 99.9, 100)
    )
    return Timing(
        moves=len(seconds),
        median=median,
        p99=p99,
        p999=p999,
        worst=worst,
        limit=limit,
        late=0 if limit is None else sum(s > limit for s in seconds),
        overshoot=0.0 if limit is None else max(0.0, worst - limit),
        depth=sum(depths) / len(depths) if depths else None,
        speed=nodes / busy if busy > 0 else None,
    )
