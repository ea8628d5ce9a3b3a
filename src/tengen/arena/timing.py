# SPDX-License-Identifier: MIT
"""What the players' moves took: the spread of their times, how far they went beyond the limit, how
deep and how fast they searched. Pure functions of finished games.

Relies on games and limits; `standings` and the report rely on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tengen.arena.elo import percentile
from tengen.arena.game import MatchGame, MoveReport

__all__ = ["Timing", "move_seconds", "timings", "told_by_player"]


@dataclass(frozen=True, slots=True)
class Timing:
    """A player's moves after the opening. Times are in seconds, by the arena's clock."""

    moves: int
    median: float  # 0, as all of these, where no move was made
    p99: float  # 99% of the moves took no longer
    p999: float
    worst: float
    limit: float | None  # for a move; None: there is none, or only a clock
    late: int  # moves beyond the limit, within the tolerance or not
    overshoot: float  # of the latest one, in seconds beyond the limit
    depth: float | None  # the mean of the moves that told one
    speed: float | None  # nodes per second in the moves that told nodes


def told_by_player(game: MatchGame) -> Iterator[tuple[int, tuple[MoveReport, ...]]]:
    """(player, what he told) of both players of a game. Black makes the moves 0, 2, 4..."""
    start = game.opening_moves % 2  # whether the first move after the opening is white's
    yield game.black, game.told[start::2]
    yield game.white, game.told[1 - start :: 2]


def move_seconds(games: Iterable[MatchGame], players: int) -> list[list[float]]:
    """The seconds of every move, by player."""
    found: list[list[float]] = [[] for _ in range(players)]
    for game in games:
        for player, told in told_by_player(game):
            found[player].extend(t.seconds for t in told)
    return found


def timings(games: Iterable[MatchGame], limits: Sequence[float | None]) -> list[Timing]:
    """The figures of each player; `limits` are their seconds for a move."""
    told: list[list[MoveReport]] = [[] for _ in limits]
    for game in games:
        for player, part in told_by_player(game):
            told[player].extend(part)
    return [_timing(moves, limit) for moves, limit in zip(told, limits, strict=True)]


def _timing(told: Sequence[MoveReport], limit: float | None) -> Timing:
    seconds = sorted(t.seconds for t in told)
    depths = [t.depth for t in told if t.depth]
    searched = [t for t in told if t.nodes]
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
