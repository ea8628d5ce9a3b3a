# SPDX-License-Identifier: MIT
"""The most likely ratings of a table of games.

Pure functions of numbers. Everything here is in logits: 400 / ln 10 Elo each.
The parameters are the ratings r_i of the players, then, unless it is left out, the advantage a of
the first move, then the draw value d > 0. With x = r_first - r_second + a and L(x) = 1 / (1 + e^-x)

    P(first wins) = L(x - d),    P(second wins) = L(-x - d)
    P(draw) = (e^2d - 1) L(x - d) L(-x - d)

so a win adds ln L(x - d) to the log-likelihood, a loss ln L(-x - d), a draw both and ln(e^2d - 1).
All of that is concave, also with the prior (see PRIOR_...), so Newton's method finds the maximum.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

# Wins of the first, draws, wins of the second. Need not be whole numbers.
Counts: TypeAlias = Sequence[float]
Table: TypeAlias = Mapping[tuple[int, int], Counts]  # by (first, second)
Matrix: TypeAlias = list[list[float]]

# The prior, in virtual games that are half won and half lost. Each player has played
# PRIOR_OPPONENTS of them against its opponents (in proportion to its real games), and PRIOR_FIELD
# against one whose rating is 0; the advantage is that of PRIOR_ADVANTAGE more. Of PRIOR_DRAW games
# between equals, half were drawn.
PRIOR_OPPONENTS = 0.5
PRIOR_FIELD = 0.01
PRIOR_ADVANTAGE = 0.5
PRIOR_DRAW = 1.0

_ROUNDS = 200


@dataclass(frozen=True, slots=True)
class Fit:
    """The maximum, and the information that the prior adds there."""

    ratings: list[float]
    advantage: float
    draw: float
    has_advantage: bool
    prior: Matrix

    @property
    def size(self) -> int:
        """Number of parameters."""
        return len(self.prior)


def logistic(x: float) -> float:
    """1 / (1 + e^-x)."""
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    return math.exp(x) / (1 + math.exp(x))


def log_logistic(x: float) -> float:
    return -math.log1p(math.exp(-x)) if x >= 0 else x - math.log1p(math.exp(x))


def connected_components(
    pairs: Iterable[tuple[int, int]], players: int
) -> tuple[tuple[int, ...], ...]:
    """The connected components of the players that are joined by games, each in order."""
    root = list(range(players))

    def find(player: int) -> int:
        while root[player] != player:
            root[player] = root[root[player]]
            player = root[player]
        return player

    for a, b in pairs:
        root[max(find(a), find(b))] = min(find(a), find(b))
    groups: dict[int, list[int]] = {}
    for player in range(players):
        groups.setdefault(find(player), []).append(player)
    return tuple(tuple(group) for group in groups.values())


class _Sum:
    """Value, gradient and information of the log-likelihood, added up term by term."""

    def __init__(self, size: int) -> None:
        self.value = 0.0
        self.gradient = [0.0] * size
        self.information = [[0.0] * size for _ in range(size)]

    def add_logistic(self, weight: float, x: float, direction: Sequence[tuple[int, float]]) -> None:
        """weight * ln L(x), where x changes along `direction`: (parameter, factor)."""
        if not weight:
            return
        self.value += weight * log_logistic(x)
        slope = logistic(-x)
        bend = slope * (1 - slope)
        for i, p in direction:
            self.gradient[i] += weight * slope * p
            for j, q in direction:
                self.information[i][j] += weight * bend * p * q

    def add_plain(self, index: int, value: float, slope: float, bend: float) -> None:
        """A term of one parameter; `bend` is minus the second derivative."""
        self.value += value
        self.gradient[index] += slope
        self.information[index][index] += bend


def fit(table: Table, players: int, advantage: bool) -> Fit:
    """The most likely parameters. Always finite; the same for the same table."""
    size = players + 1 + advantage
    games = sum(sum(counts) for counts in table.values())
    draws = sum(counts[1] for counts in table.values())
    theta = [0.0] * (size - 1)
    theta.append(2 * math.atanh((draws + PRIOR_DRAW / 2) / (games + PRIOR_DRAW)))
    weights = _prior_weights(table, players)
    now = _total(table, weights, theta, players)
    for _ in range(_ROUNDS):
        step = solve(now.information, now.gradient)
        scale = 1.0
        while True:  # shorter steps until it is an improvement; d has to stay positive
            new = [t + scale * s for t, s in zip(theta, step, strict=True)]
            if new[-1] > theta[-1] / 4:
                then = _total(table, weights, new, players)
                if then.value >= now.value or scale < 1e-6:
                    break
            scale /= 2
        theta, now = new, then
        if max(abs(s) for s in step) < 1e-9:
            break
    prior = _Sum(size)
    _add_prior(prior, weights, theta, players)
    return Fit(
        theta[:players],
        theta[players] if advantage else 0.0,
        theta[-1],
        advantage,
        prior.information,
    )


def _prior_weights(table: Table, players: int) -> dict[tuple[int, int], float]:
    """Virtual games of the prior, by pairing."""
    met: dict[tuple[int, int], float] = {}
    played = [0.0] * players
    for (first, second), counts in table.items():
        number = sum(counts)
        key = min(first, second), max(first, second)
        met[key] = met.get(key, 0.0) + number
        played[first] += number
        played[second] += number
    return {
        (a, b): PRIOR_OPPONENTS * (number / played[a] + number / played[b])
        for (a, b), number in met.items()
        if number
    }


def _total(
    table: Table, weights: Mapping[tuple[int, int], float], theta: list[float], players: int
) -> _Sum:
    total = _Sum(len(theta))
    for pairing, counts in table.items():
        _add_games(total, theta, players, pairing, counts)
    _add_prior(total, weights, theta, players)
    return total


def _add_games(
    total: _Sum, theta: Sequence[float], players: int, pairing: tuple[int, int], counts: Counts
) -> None:
    first, second = pairing
    wins, draws, losses = counts
    d, last = theta[-1], len(theta) - 1
    x = theta[first] - theta[second]
    up = [(first, 1.0), (second, -1.0), (last, -1.0)]
    down = [(first, -1.0), (second, 1.0), (last, -1.0)]
    if last > players:
        x += theta[players]
        up.append((players, 1.0))
        down.append((players, -1.0))
    total.add_logistic(wins + draws, x - d, up)
    total.add_logistic(losses + draws, -x - d, down)
    if draws:
        value, slope, bend = draw_term(d)
        total.add_plain(last, draws * value, draws * slope, draws * bend)


def draw_term(d: float) -> tuple[float, float, float]:
    """ln(e^2d - 1), its derivative, and minus the second one."""
    rest = -math.expm1(-2 * d)  # 1 - e^-2d
    return 2 * d + math.log(rest), 2 / rest, 4 * (1 - rest) / rest**2


def _add_prior(
    total: _Sum, weights: Mapping[tuple[int, int], float], theta: list[float], players: int
) -> None:
    for (a, b), weight in weights.items():
        _add_even(total, weight, theta[a] - theta[b], [(a, 1.0), (b, -1.0)])
    for player in range(players):
        _add_even(total, PRIOR_FIELD, theta[player], [(player, 1.0)])
    d, last = theta[-1], len(theta) - 1
    if last > players:
        _add_even(total, PRIOR_ADVANTAGE, theta[players], [(players, 1.0)])
    # Between equals: P(draw) = tanh(d / 2) and otherwise 2 L(-d), of which the 2 does not matter.
    half = PRIOR_DRAW / 2
    total.add_logistic(half, -d, [(last, -1.0)])
    sinh, cosh = math.sinh(d / 2), math.cosh(d / 2)
    bend = (1 / sinh**2 + 1 / cosh**2) / 4
    total.add_plain(last, half * math.log(sinh / cosh), half / math.sinh(d), half * bend)


def _add_even(total: _Sum, weight: float, x: float, direction: Sequence[tuple[int, float]]) -> None:
    total.add_logistic(weight / 2, x, direction)
    total.add_logistic(weight / 2, -x, [(i, -p) for i, p in direction])


def solve(matrix: Matrix, right: Sequence[float]) -> list[float]:
    """x with matrix x = right; the matrix is symmetric and positive."""
    return columns(matrix, [list(right)])[0]


def columns(matrix: Matrix, rights: Sequence[Sequence[float]]) -> list[list[float]]:
    """The solutions for several right sides, by Cholesky's factors."""
    size = len(matrix)
    lower = [[0.0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            rest = matrix[i][j] - sum(lower[i][k] * lower[j][k] for k in range(j))
            lower[i][j] = math.sqrt(max(rest, 1e-300)) if i == j else rest / lower[j][j]
    solutions = []
    for right in rights:
        x = list(right)
        for i in range(size):
            x[i] = (x[i] - sum(lower[i][k] * x[k] for k in range(i))) / lower[i][i]
        for i in reversed(range(size)):
            rest = sum(lower[k][i] * x[k] for k in range(i + 1, size))
            x[i] = (x[i] - rest) / lower[i][i]
        solutions.append(x)
    return solutions
