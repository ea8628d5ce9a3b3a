# SPDX-License-Identifier: MIT
"""Ratings of all players of a tournament from all its games at once, with 95% errors.

Pure functions of results; `ratings_fit` maximises the likelihood. docs/statistics.md has the
reasons.

The model is Bradley-Terry with Rao-Kupper draws, as in BayesElo. With L(x) = 1 / (1 + 10^(-x/400))
and the difference D of the ratings,

    P(first wins) = L(D + advantage - draw),    P(second wins) = L(-D - advantage - draw)

A weak prior (`ratings_fit`) keeps all parameters finite, whatever the results.

The standard errors come from the sandwich estimator for clustered data. Clusters (the two games of
one opening) are independent, the games of a cluster are not:

    covariance = A^-1 B A^-1,    A = -H,    B = sum of g g^T over the clusters

with the Hessian H of the log-likelihood and the gradient g of a cluster's. If games were
independent and the model exact, the expected value of B would be A.

B needs many clusters with both outcomes. If one player always wins, every g is small, and B
underestimates the variance. So the empirical B of each pairing is shrunk towards its model-based
value, which is A times a dispersion d:

    B' = w B + (1 - w) d A,    w = n / (n + 2)

where n is the information of the pairing's games, in balanced pairs. The dispersion is the ratio
B / A over all pairings, shrunk towards 1 in the same way; for one-sided pairings, where openings
add little variance, it is e d + (1 - e) with e = min(1, n / clusters).

Small-sample corrections, for G clusters and r free differences: B is multiplied by G / (G - r); the
prior counts in A and in B; the 95% interval has the quantile of Student's t distribution with G - r
degrees of freedom. With fewer than 3 r + 3 clusters, B is A.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from tengen.arena.elo import Z95, Elo, normal_cdf, student95
from tengen.arena.ratings_fit import (
    Fit,
    Matrix,
    columns,
    connected_components,
    draw_term,
    fit,
    logistic,
)

# Games between two players a < b: whether a moved first, and the half points (0, 1, 2) of the
# first mover.
# Sorted, so that equal results compare equal.
Cluster: TypeAlias = tuple[tuple[bool, int], ...]
# The distinct results of the clusters of two players a < b, with their counts.
Clusters: TypeAlias = Mapping[tuple[int, int], Mapping[Cluster, int]]

ELO_PER_LOGIT = 400 / math.log(10)
_BALANCED_PAIR = 0.5  # information about the difference, of two decisive games between equals
_PRIOR_PAIRS = 2.0  # weight of the model-based values in balanced pairs


class Covariance(NamedTuple):
    """Covariance of all parameters of a fit; `quantile` standard errors are a 95% error."""

    matrix: Matrix
    quantile: float


class _Pairing(NamedTuple):
    """Two players' games; matrices over (difference, advantage, draw value)."""

    information: Matrix
    observed: Matrix  # sum of the outer products of the clusters' gradients
    clusters: int


def covariance(fit: Fit, clusters: Clusters, free: int) -> Covariance:
    """`free`: the differences that the games determine, players less connected components."""
    pairings = {pair: _pairing(fit, pair, results) for pair, results in clusters.items()}
    number = sum(pairing.clusters for pairing in pairings.values())
    enough = number >= 3 * free + 3
    outer = _shrunk(pairings, number, free) if enough else {}
    a = [row[:] for row in fit.prior]
    b = [row[:] for row in fit.prior]
    for pair, pairing in pairings.items():
        _scatter_add(a, fit, pair, pairing.information)
        _scatter_add(b, fit, pair, outer.get(pair, pairing.information))
    half = columns(a, b)  # the rows of B A^-1, as B is symmetric
    matrix = columns(a, [[row[i] for row in half] for i in range(fit.size)])
    return Covariance(matrix, student95(number - free if enough else math.inf))


def _pairing(fit: Fit, pair: tuple[int, int], results: Mapping[Cluster, int]) -> _Pairing:
    information = [[0.0] * 3 for _ in range(3)]
    observed = [[0.0] * 3 for _ in range(3)]
    difference = fit.ratings[pair[0]] - fit.ratings[pair[1]]
    for cluster, number in results.items():
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
        _add_outer(observed, (gradient[0], gradient[1], gradient[2]), number)
    return _Pairing(information, observed, sum(results.values()))


def _add_outer(matrix: Matrix, vector: tuple[float, float, float], weight: float) -> None:
    for i, p in enumerate(vector):
        for j, q in enumerate(vector):
            matrix[i][j] += weight * p * q


def _shrunk(
    pairings: Mapping[tuple[int, int], _Pairing], number: int, free: int
) -> dict[tuple[int, int], Matrix]:
    """B of each pairing, shrunk towards its model-based value."""
    grow = [number / (number - free), number / (number - 1), number / (number - 1)]
    weight = sum(m.information[0][0] for m in pairings.values()) / _BALANCED_PAIR
    dispersion = []
    for i in range(3):
        observed = grow[i] * sum(m.observed[i][i] for m in pairings.values())
        ratio = observed / sum(m.information[i][i] for m in pairings.values())
        dispersion.append((weight * ratio + _PRIOR_PAIRS) / (weight + _PRIOR_PAIRS))
    parts = {}
    for pair, pairing in pairings.items():
        pairs = pairing.information[0][0] / _BALANCED_PAIR
        own = pairs / (pairs + _PRIOR_PAIRS)
        even = min(1.0, pairs / pairing.clusters)
        scale = [math.sqrt(even * d + 1 - even) for d in dispersion]
        parts[pair] = [
            [
                own * math.sqrt(grow[i] * grow[j]) * pairing.observed[i][j]
                + (1 - own) * scale[i] * scale[j] * pairing.information[i][j]
                for j in range(3)
            ]
            for i in range(3)
        ]
    return parts


def _scatter_add(total: Matrix, fit: Fit, pair: tuple[int, int], part: Matrix) -> None:
    """Add a matrix over (difference, advantage, draw value) to one over all parameters."""
    players = len(fit.ratings)
    entries = [(pair[0], 0, 1.0), (pair[1], 0, -1.0), (fit.size - 1, 2, 1.0)]
    if fit.has_advantage:
        entries.append((players, 1, 1.0))
    for i, row, p in entries:
        for j, column, q in entries:
            total[i][j] += p * q * part[row][column]


class GameScore(NamedTuple):
    """One game between two players, numbered from 0."""

    first: int  # the one that moved first
    second: int
    score: float  # of the first: 0, 0.5 or 1
    # Games of the same two players with the same number are one cluster, such as the two games of
    # one opening; -1: a cluster of one game.
    pair: int = -1


class Estimate(NamedTuple):
    """A value in Elo and its 95% error."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:+.1f} ± {self.error:.1f}"


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings of a tournament; lists are by player."""

    elo: tuple[float, ...]  # their mean is 0, or the anchor has 0
    error: tuple[float, ...]  # 95%, of `elo`; the anchor's is 0
    covariance: tuple[tuple[float, ...], ...]  # of `elo`, in Elo squared
    quantile: float  # standard errors in a 95% error: 1.96, or more with few clusters
    advantage: Estimate  # of the first move, in Elo
    draw: Estimate  # the draw value: between equals, draws are tanh(draw ln(10) / 800)
    games: tuple[int, ...]
    points: tuple[float, ...]
    # Connected components: players joined by games. A difference between two has no meaning, and a
    # huge error.
    groups: tuple[tuple[int, ...], ...]

    @property
    def connected(self) -> bool:
        """Whether all players are connected by games, so that every difference is known."""
        return len(self.groups) == 1

    @property
    def draw_rate(self) -> float:
        """The share of draws between equals without an advantage."""
        return math.tanh(self.draw.value / (2 * ELO_PER_LOGIT))

    def difference(self, a: int, b: int) -> Elo:
        """The difference of a to b."""
        c = self.covariance
        standard_error = math.sqrt(max(0.0, c[a][a] + c[b][b] - 2 * c[a][b]))
        elo, error = self.elo[a] - self.elo[b], self.quantile * standard_error
        # Over 97.5% exactly if the interval is above 0.
        los = normal_cdf(Z95 * elo / error) if error else 0.5
        return Elo(elo, elo - error, elo + error, los)

    def los(self, a: int, b: int) -> float:
        """The likelihood that a is better than b."""
        return self.difference(a, b).los


def rate(
    games: Iterable[GameScore], players: int, *, anchor: int | None = None, advantage: bool = True
) -> Ratings:
    """The ratings of `players` players. Without `advantage`, the first move has no value."""
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
    fitted = fit(table, players, advantage)
    components = connected_components(table, players)
    cov = covariance(fitted, clusters, players - len(components))
    return _ratings(fitted, cov, anchor, table, components)


def _half_points(game: GameScore, players: int) -> int:
    """Half points of the first player. Raises ValueError for an impossible game."""
    if game.first == game.second or not all(0 <= p < players for p in (game.first, game.second)):
        raise ValueError(
            f"a game of {game.first} and {game.second}: two players from 0 to {players - 1}"
        )
    if game.score not in (0, 0.5, 1):
        raise ValueError(f"score {game.score}: a game scores 0, 0.5 or 1")
    return round(2 * game.score)


def _ratings(
    fitted: Fit,
    cov: Covariance,
    anchor: int | None,
    table: dict[tuple[int, int], list[int]],
    components: tuple[tuple[int, ...], ...],
) -> Ratings:
    players = len(fitted.ratings)
    anchor_weights = [1 / players if anchor is None else float(i == anchor) for i in range(players)]
    shift = sum(w * r for w, r in zip(anchor_weights, fitted.ratings, strict=True))
    elo = tuple(ELO_PER_LOGIT * (r - shift) for r in fitted.ratings)
    centred = _centred(cov.matrix, anchor_weights)
    last = fitted.size - 1
    played, points = [0] * players, [0.0] * players
    for (first, second), (wins, draws, losses) in table.items():
        number = wins + draws + losses
        for player, won in ((first, wins), (second, losses)):
            played[player] += number
            points[player] += won + draws / 2

    def estimate(value: float, index: int | None) -> Estimate:
        standard_error = math.sqrt(cov.matrix[index][index]) if index is not None else 0.0
        return Estimate(ELO_PER_LOGIT * value, ELO_PER_LOGIT * cov.quantile * standard_error)

    return Ratings(
        elo=elo,
        error=tuple(cov.quantile * math.sqrt(max(0.0, centred[i][i])) for i in range(players)),
        covariance=tuple(tuple(row) for row in centred),
        quantile=cov.quantile,
        advantage=estimate(fitted.advantage, players if fitted.has_advantage else None),
        draw=estimate(fitted.draw, last),
        games=tuple(played),
        points=tuple(points),
        groups=components,
    )


def _centred(matrix: Matrix, anchor_weights: list[float]) -> Matrix:
    """Covariance, in Elo squared, of the ratings less their mean with these weights."""
    players = len(anchor_weights)
    across = [sum(w * matrix[i][j] for j, w in enumerate(anchor_weights)) for i in range(players)]
    mean = sum(w * c for w, c in zip(anchor_weights, across, strict=True))
    return [
        [ELO_PER_LOGIT**2 * (matrix[i][j] - across[i] - across[j] + mean) for j in range(players)]
        for i in range(players)
    ]
