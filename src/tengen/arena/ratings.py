# SPDX-License-Identifier: MIT
"""Ratings of all players of a tournament from all its games at once, with errors.

Pure functions of results; `ratings_fit` maximises the likelihood. docs/statistics.md has the
reasons.

The model is that of Bradley and Terry, with draws as Rao and Kupper added them and BayesElo made
them known: with L(x) = 1 / (1 + 10^(-x/400)) and the difference D of the ratings,

    P(first wins) = L(D + advantage - draw),    P(second wins) = L(-D - advantage - draw)

A weak prior (`ratings_fit`) keeps everything finite, whatever the results.

Errors. Clusters (the two games of one opening) are independent, games are not. With A the
information of the fit (minus the second derivative of the log-likelihood), the covariance is
A^-1 B A^-1, where B is the sum of the outer products of the clusters' gradients: the sandwich
estimator. If games were independent and the model exact, B would be about A.

B needs clusters to be many, and results of both kinds. Where one side always won, each gradient is
small, and B says "certain" by chance. So for any two players the part of B that is theirs is mixed:
if their games hold the information of w balanced pairs, the weight of what was seen is w / (w + 2);
the rest is A times a dispersion, the ratio B / A over all players (itself mixed with 1 in that
way). The more one-sided the two, the nearer to 1 that dispersion is taken: what openings do to even
games, they do not do to games that the stronger always wins.

Three small corrections: B grows by G / (G - r) for G clusters and r free differences, because the
fit has bent itself towards the results; the prior counts in A and in B; and the quantile is that of
Student's distribution with G - r degrees of freedom. With fewer than 3 r + 3 clusters B is A.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from tengen.arena.elo import Z95, Elo, normal_cdf, student95
from tengen.arena.ratings_fit import Fit, Matrix, columns, draw_term, fit, groups_of, logistic

# Games between the same two, a < b: whether a moved first, and the half points (0, 1, 2) of the one
# that did. In order, so that equal ones compare equal.
Cluster: TypeAlias = tuple[tuple[bool, int], ...]
# How many clusters of each kind two players, a < b, have.
Clusters: TypeAlias = Mapping[tuple[int, int], Mapping[Cluster, int]]

_BALANCED_PAIR = 0.5  # information about the difference, of two decisive games between equals
_MIXED = 2.0  # balanced pairs that what was seen is mixed with


class Covariance(NamedTuple):
    """Of all parameters of a fit, and by what a deviation is multiplied for a 95% error."""

    matrix: Matrix
    quantile: float


class _Meeting(NamedTuple):
    """What two players' games say about (their difference, the advantage, the draw value)."""

    information: Matrix
    seen: Matrix  # outer products of the clusters' gradients
    clusters: int


def covariance(fit: Fit, clusters: Clusters, free: int) -> Covariance:
    """`free`: how many differences the games determine, players less groups."""
    meetings = {pair: _meeting(fit, pair, kinds) for pair, kinds in clusters.items()}
    number = sum(meeting.clusters for meeting in meetings.values())
    enough = number >= 3 * free + 3
    outer = _mixed(meetings, number, free) if enough else {}
    a = [row[:] for row in fit.prior]
    b = [row[:] for row in fit.prior]
    for pair, meeting in meetings.items():
        _spread_out(a, fit, pair, meeting.information)
        _spread_out(b, fit, pair, outer.get(pair, meeting.information))
    half = columns(a, b)  # the rows of B A^-1, as B is symmetric
    matrix = columns(a, [[row[i] for row in half] for i in range(fit.size)])
    return Covariance(matrix, student95(number - free if enough else math.inf))


def _meeting(fit: Fit, pair: tuple[int, int], kinds: Mapping[Cluster, int]) -> _Meeting:
    information = [[0.0] * 3 for _ in range(3)]
    seen = [[0.0] * 3 for _ in range(3)]
    difference = fit.ratings[pair[0]] - fit.ratings[pair[1]]
    for cluster, number in kinds.items():
        gradient = [0.0] * 3
        for a_first, points in cluster:
            side = 1.0 if a_first else -1.0
            x = side * difference + fit.advantage
            up = logistic(fit.draw - x) if points >= 1 else 0.0
            down = logistic(fit.draw + x) if points <= 1 else 0.0
            draw = draw_term(fit.draw)[1] if points == 1 else 0.0
            for i, slope in enumerate((side * (up - down), up - down, draw - up - down)):
                gradient[i] += slope
            _add_outer(information, (side, 1.0, -1.0), number * up * (1 - up))
            _add_outer(information, (-side, -1.0, -1.0), number * down * (1 - down))
            if points == 1:  # minus the derivative of that slope, s (s - 2)
                information[2][2] += number * draw * (draw - 2)
        _add_outer(seen, (gradient[0], gradient[1], gradient[2]), number)
    return _Meeting(information, seen, sum(kinds.values()))


def _add_outer(matrix: Matrix, vector: tuple[float, float, float], weight: float) -> None:
    for i, p in enumerate(vector):
        for j, q in enumerate(vector):
            matrix[i][j] += weight * p * q


def _mixed(
    meetings: Mapping[tuple[int, int], _Meeting], number: int, free: int
) -> dict[tuple[int, int], Matrix]:
    """The parts of B."""
    grow = [number / (number - free), number / (number - 1), number / (number - 1)]
    weight = sum(m.information[0][0] for m in meetings.values()) / _BALANCED_PAIR
    dispersion = []
    for i in range(3):
        seen = grow[i] * sum(m.seen[i][i] for m in meetings.values())
        ratio = seen / sum(m.information[i][i] for m in meetings.values())
        dispersion.append((weight * ratio + _MIXED) / (weight + _MIXED))
    parts = {}
    for pair, meeting in meetings.items():
        pairs = meeting.information[0][0] / _BALANCED_PAIR
        own = pairs / (pairs + _MIXED)
        even = min(1.0, pairs / meeting.clusters)
        scale = [math.sqrt(even * d + 1 - even) for d in dispersion]
        parts[pair] = [
            [
                own * math.sqrt(grow[i] * grow[j]) * meeting.seen[i][j]
                + (1 - own) * scale[i] * scale[j] * meeting.information[i][j]
                for j in range(3)
            ]
            for i in range(3)
        ]
    return parts


def _spread_out(total: Matrix, fit: Fit, pair: tuple[int, int], part: Matrix) -> None:
    """Adds a part about (difference, advantage, draw value) to a matrix of all parameters."""
    players = len(fit.ratings)
    entries = [(pair[0], 0, 1.0), (pair[1], 0, -1.0), (fit.size - 1, 2, 1.0)]
    if fit.has_advantage:
        entries.append((players, 1, 1.0))
    for i, row, p in entries:
        for j, column, q in entries:
            total[i][j] += p * q * part[row][column]


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
    # Players joined by games. Between two groups a difference means nothing, and its error is huge.
    groups: tuple[tuple[int, ...], ...]

    @property
    def connected(self) -> bool:
        """Whether all players are connected by games, so that every difference is known."""
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
    played, points = [0] * players, [0.0] * players
    for (first, second), (wins, draws, losses) in table.items():
        number = wins + draws + losses
        for player, won in ((first, wins), (second, losses)):
            played[player] += number
            points[player] += won + draws / 2

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
