# SPDX-License-Identifier: MIT
"""How sure ratings are: the covariance of a fit, from clusters of games that belong together.

Pure functions of numbers, in logits; relies on `ratings_fit`, and on `elo` for a quantile.
`ratings` uses it.

Clusters (the two games of one opening) are independent, games are not. With A the information of
the fit (minus the second derivative of the log-likelihood), the covariance is A^-1 B A^-1, where B
is the sum of the outer products of the clusters' gradients: the sandwich estimator. If games were
independent and the model exact, B would be about A.

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
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from tengen.arena.elo import student95
from tengen.arena.ratings_fit import Fit, Matrix, columns, draw_slope, logistic

__all__ = ["Cluster", "Clusters", "Covariance", "covariance"]

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
            draw = draw_slope(fit.draw) if points == 1 else 0.0
            for i, slope in enumerate((side * (up - down), up - down, draw - up - down)):
                gradient[i] += slope
            _add_outer(information, (side, 1.0, -1.0), number * up * (1 - up))
            _add_outer(information, (-side, -1.0, -1.0), number * down * (1 - down))
            if points == 1:  # minus the derivative of `draw_slope`, s (s - 2)
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
    places = [(pair[0], 0, 1.0), (pair[1], 0, -1.0), (fit.size - 1, 2, 1.0)]
    if fit.has_advantage:
        places.append((players, 1, 1.0))
    for i, row, p in places:
        for j, column, q in places:
            total[i][j] += p * q * part[row][column]
