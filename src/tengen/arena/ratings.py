# SPDX-License-Identifier: MIT
"""Ratings of all players of a tournament from all its games at once, with errors.

Pure functions of results; relies on `ratings_fit` for the maximum of the likelihood, on
`ratings_errors` for the errors, and on `elo` for the difference of two. The arena and its reports
use it. docs/statistics.md has the reasons.

The model is that of Bradley and Terry, with draws as Rao and Kupper added them and BayesElo made
them known: with L(x) = 1 / (1 + 10^(-x/400)) and the difference D of the ratings,

    P(first wins) = L(D + advantage - draw),    P(second wins) = L(-D - advantage - draw)

A weak prior (`ratings_fit`) keeps everything finite, whatever the results.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from tengen.arena.elo import Z95, Elo, normal_cdf
from tengen.arena.ratings_errors import Cluster, Covariance, covariance
from tengen.arena.ratings_fit import Fit, Matrix, fit, groups_of

__all__ = ["Estimate", "GameScore", "Ratings", "rate"]

_ELO = 400 / math.log(10)  # of one logit


class GameScore(NamedTuple):
    """One game between two players, who are numbered from 0."""

    first: int  # the one that moved first
    second: int
    score: float  # of the first: 0, 0.5 or 1
    # Games of the same two players with the same number belong together, as the two of one opening
    # do, and are not taken for independent; -1: the game stands alone.
    pair: int = -1


class Estimate(NamedTuple):
    """A number of Elo and its 95% error."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:+.1f} ± {self.error:.1f}"


@dataclass(frozen=True, slots=True)
class Ratings:
    """What a tournament says; lists are by player."""

    elo: tuple[float, ...]  # their mean is 0, or the anchor is
    error: tuple[float, ...]  # 95%, of `elo` as it is given: the anchor's is 0
    covariance: tuple[tuple[float, ...], ...]  # of `elo`, Elo squared; deviations, not 95%
    quantile: float  # deviations in a 95% error: 1.96, or more with few clusters
    advantage: Estimate  # of the first move, in Elo
    draw: Estimate  # the draw value: between equals, draws are tanh(draw ln(10) / 800)
    games: tuple[int, ...]
    points: tuple[float, ...]
    opposition: tuple[float, ...]  # mean Elo of the opponents, by games; 0 without a game
    # Players joined by games. Between two groups a difference means nothing, and its error is huge.
    groups: tuple[tuple[int, ...], ...]

    @property
    def connected(self) -> bool:
        """Whether every difference can be told."""
        return len(self.groups) == 1

    @property
    def draw_rate(self) -> float:
        """The part of games between equals, without an advantage, that is drawn."""
        return math.tanh(self.draw.value / (2 * _ELO))

    def difference(self, a: int, b: int) -> Elo:
        """By how much a is better than b."""
        c = self.covariance
        deviation = math.sqrt(max(0.0, c[a][a] + c[b][b] - 2 * c[a][b]))
        elo, error = self.elo[a] - self.elo[b], self.quantile * deviation
        # Over 97.5% exactly if the interval is above 0.
        los = normal_cdf(Z95 * elo / error) if error else 0.5
        return Elo(elo, elo - error, elo + error, los)

    def los(self, a: int, b: int) -> float:
        """The likelihood that a is better than b."""
        return self.difference(a, b).los


def rate(
    games: Iterable[GameScore], players: int, *, anchor: int | None = None, advantage: bool = True
) -> Ratings:
    """The ratings of `players` players. Without `advantage`, moving first is worth nothing."""
    if players < 1:
        raise ValueError(f"{players} players: at least one is needed")
    if anchor is not None and not 0 <= anchor < players:
        raise ValueError(f"anchor {anchor}: a player from 0 to {players - 1}")
    table: dict[tuple[int, int], list[int]] = {}
    members: dict[tuple[int, int, int], list[tuple[bool, int]]] = {}
    for number, game in enumerate(games):
        halves = _half_points(game, players)
        table.setdefault((game.first, game.second), [0, 0, 0])[2 - halves] += 1
        a, b = sorted((game.first, game.second))
        key = (a, b, game.pair if game.pair >= 0 else -1 - number)
        members.setdefault(key, []).append((game.first == a, halves))
    clusters: dict[tuple[int, int], Counter[Cluster]] = {}
    for (a, b, _), results in members.items():
        clusters.setdefault((a, b), Counter())[tuple(sorted(results))] += 1
    found = fit(table, players, advantage)
    groups = groups_of(table, players)
    spread = covariance(found, clusters, players - len(groups))
    return _ratings(found, spread, anchor, table, groups)


def _half_points(game: GameScore, players: int) -> int:
    """Of the first player, after the game was checked."""
    if game.first == game.second or not all(0 <= p < players for p in (game.first, game.second)):
        raise ValueError(
            f"a game of {game.first} and {game.second}: two players from 0 to {players - 1}"
        )
    if game.score not in (0, 0.5, 1):
        raise ValueError(f"score {game.score}: a game scores 0, 0.5 or 1")
    return round(2 * game.score)


def _ratings(
    found: Fit,
    spread: Covariance,
    anchor: int | None,
    table: dict[tuple[int, int], list[int]],
    groups: tuple[tuple[int, ...], ...],
) -> Ratings:
    players = len(found.ratings)
    zero = [1 / players if anchor is None else float(i == anchor) for i in range(players)]
    shift = sum(w * r for w, r in zip(zero, found.ratings, strict=True))
    elo = tuple(_ELO * (r - shift) for r in found.ratings)
    centred = _centred(spread.matrix, zero)
    last = found.size - 1
    played, points, faced = [0] * players, [0.0] * players, [0.0] * players
    for (first, second), (wins, draws, losses) in table.items():
        number = wins + draws + losses
        for me, other, won in ((first, second, wins), (second, first, losses)):
            played[me] += number
            points[me] += won + draws / 2
            faced[me] += number * elo[other]

    def estimate(value: float, index: int | None) -> Estimate:
        deviation = math.sqrt(spread.matrix[index][index]) if index is not None else 0.0
        return Estimate(_ELO * value, _ELO * spread.quantile * deviation)

    return Ratings(
        elo=elo,
        error=tuple(spread.quantile * math.sqrt(max(0.0, centred[i][i])) for i in range(players)),
        covariance=tuple(tuple(row) for row in centred),
        quantile=spread.quantile,
        advantage=estimate(found.advantage, players if found.has_advantage else None),
        draw=estimate(found.draw, last),
        games=tuple(played),
        points=tuple(points),
        opposition=tuple(f / n if n else 0.0 for f, n in zip(faced, played, strict=True)),
        groups=groups,
    )


def _centred(matrix: Matrix, zero: list[float]) -> Matrix:
    """The covariance, in Elo squared, of the ratings less their mean with the weights `zero`."""
    players = len(zero)
    across = [sum(w * matrix[i][j] for j, w in enumerate(zero)) for i in range(players)]
    mean = sum(w * c for w, c in zip(zero, across, strict=True))
    return [
        [_ELO**2 * (matrix[i][j] - across[i] - across[j] + mean) for j in range(players)]
        for i in range(players)
    ]
