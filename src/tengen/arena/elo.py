# SPDX-License-Identifier: MIT
"""Elo of a match between two: from counts of pairs or of games, with intervals; percentiles.

Pure functions of numbers; relies on nothing. The arena, its reports and the benchmarks use it;
docs/statistics.md says what the numbers mean.

A pair is one opening played twice, with colours swapped. Its two games are not independent, pairs
are, so everything is computed from the scores of pairs. With n_i pairs that gave the share x_i of
their points (x = 0, 1/4, 1/2, 3/4, 1) and N pairs in all:

    m    = sum n_i x_i / N,       S = N / (N - 1) * sum n_i (x_i - m)^2
    k    = (S + 1/4) / (N m (1 - m) + 1/4)            the spread, as a part of the greatest there is
    elo  = elo(m),  elo(p) = -400 log10(1/p - 1)      the difference
    low, high: elo(p) at the two p with  (m - p)^2 = z^2 k p (1 - p) / N     (z = 1.96: 95%)
    LOS  = Phi((m - 1/2) / sqrt(k / (4 N)))           so it is over 97.5% exactly if low > 0

That is Wilson's interval for N / k trials instead of N. It never leaves 0..1, holds for a few pairs
and near 100%, where the usual m +- z s / sqrt(N) fails, and agrees with that one for many pairs.
The 1/4 above and below is one imagined pair of the greatest spread: without it, pairs that happened
to be all alike would count as certain. Games without pairs: the same with x = 0, 1/2, 1.

Normalised Elo measures the difference in units of the spread of a single game,
(800 / ln 10) (m - 1/2) / (s sqrt 2) with s^2 = sum n_i (x_i - m)^2 / N of pairs. Its error is that
of the delta method: with t = (m - 1/2) / s, skewness g and excess kurtosis h of the pairs,
variance(t) = (1 - t g + t^2 (h + 2) / 4) / N, with Student's quantile for N pairs. A bound that
says less than the interval of the plain Elo does, with the greatest spread that such a mean allows,
gives way to that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

# How many pairs gave 0, 1/2, 1, 3/2 and 2 points.
PairCounts: TypeAlias = tuple[int, int, int, int, int]

# 95% of a normal distribution lie within this many standard deviations.
Z95 = 1.959963984540054
# Normalised Elo of one standard deviation of a game. Chosen, by those who introduced it, so that
# small differences without draws have the same normalised as ordinary Elo.
NORMALISED_SCALE = 800 / math.log(10)
# N m (1 - m) and S of the one imagined pair of the greatest spread.
_IMAGINED = 0.25


class Elo(NamedTuple):
    """A difference in Elo, the bounds of its 95% interval (all three may be infinite), and the
    likelihood that the first is the better one.
    """

    elo: float
    low: float
    high: float
    los: float

    @property
    def error(self) -> float:
        """Half the width of the interval; infinite where a bound is."""
        return (self.high - self.low) / 2

    def __str__(self) -> str:
        if math.isinf(self.low) and math.isinf(self.high):
            return "unknown"
        if math.isinf(self.high):
            return f"> {self.low:+.0f}"
        if math.isinf(self.low):
            return f"< {self.high:+.0f}"
        return f"{self.elo:+.1f} [{self.low:+.1f}, {self.high:+.1f}]"


def logistic_elo(share: float) -> float:
    """Elo of a share of the points; outside of 0..1 it is that of the nearest bound."""
    if share <= 0:
        return -math.inf
    if share >= 1:
        return math.inf
    return 400 * (math.log10(share) - math.log10(1 - share))


def expected_share(elo: float) -> float:
    """The share of the points, 0 to 1, that goes with a difference in Elo."""
    power = 10 ** (-min(abs(elo), 100_000.0) / 400)
    return 1 / (1 + power) if elo >= 0 else power / (1 + power)


def normal_cdf(deviations: float) -> float:
    """The share of a normal distribution below `deviations` standard deviations."""
    return math.erfc(-deviations / math.sqrt(2)) / 2


def student95(freedom: float) -> float:
    """The 95% quantile, in deviations, of Student's distribution with these degrees of freedom.

    The expansion in 1 / freedom: off by 0.003 at three, not good below.
    """
    z = Z95
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / freedom ** (i + 1) for i, term in enumerate(terms))


def pair_counts(pairs: Iterable[tuple[float, float]]) -> PairCounts:
    """Counts of pairs by their points, from the scores (0, 1/2 or 1) of their two games."""
    counts = [0] * 5
    for first, second in pairs:
        if first not in (0, 0.5, 1) or second not in (0, 0.5, 1):
            raise ValueError(f"a pair of {first} and {second}: a game scores 0, 0.5 or 1")
        counts[round(2 * (first + second))] += 1
    return counts[0], counts[1], counts[2], counts[3], counts[4]


def elo_of_pairs(counts: Sequence[int]) -> Elo:
    """Elo from the counts of `pair_counts`. Without a pair nothing is known."""
    return _elo(_checked(counts, 5))


def elo_of_games(wins: int, draws: int, losses: int) -> Elo:
    """Elo from independent games. For pairs the interval is wrong, usually too wide: each side wins
    one game of an unbalanced opening.
    """
    return _elo(_checked((losses, draws, wins), 3))


def normalised_elo(counts: Sequence[int]) -> Elo:
    """Normalised Elo, per game, from the counts of `pair_counts`; `los` is that of `elo_of_pairs`.
    If all pairs gave the same points, the spread is unknown, and one bound at most is there.
    """
    plain = _elo(_checked(counts, 5))
    number = sum(counts)
    scale = NORMALISED_SCALE / math.sqrt(2)  # of t, which is per pair
    least = scale * _least_t(expected_share(plain.low)) if plain.low > 0 else -math.inf
    most = scale * _least_t(expected_share(plain.high)) if plain.high < 0 else math.inf
    if max(counts) == number:
        return Elo(math.copysign(math.inf, plain.elo) if plain.elo else 0.0, least, most, plain.los)
    mean, variance = moments(counts)
    deviation = math.sqrt(variance)
    standard = [(i / 4 - mean) / deviation for i in range(5)]
    skewness = sum(n * x**3 for n, x in zip(counts, standard, strict=True)) / number
    kurtosis = sum(n * x**4 for n, x in zip(counts, standard, strict=True)) / number - 3
    t = (mean - 0.5) / deviation
    error = student95(number - 1) * math.sqrt(
        (1 - t * skewness + t * t * (kurtosis + 2) / 4) / number
    )
    low, high = max(least, scale * (t - error)), min(most, scale * (t + error))
    return Elo(scale * t, low, high, plain.los)


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that `percent` of the values do not exceed."""
    if not values:
        raise ValueError("a percentile of nothing: at least one value is needed")
    ordered = sorted(values)
    # 99.9% of 1000 is 999.0000000000001 in floating point.
    return ordered[max(0, math.ceil(round(len(ordered) * percent / 100, 6)) - 1)]


def _checked(counts: Sequence[int], length: int) -> Sequence[int]:
    if len(counts) != length or min(counts) < 0:
        raise ValueError(f"counts {list(counts)}: {length} numbers that are not negative")
    return counts


def moments(counts: Sequence[float]) -> tuple[float, float]:
    """Mean and variance of the share of points, from counts of results with 0 to all points."""
    number, steps = sum(counts), len(counts) - 1
    mean = sum(n * i for i, n in enumerate(counts)) / (number * steps)
    return mean, sum(n * (i / steps - mean) ** 2 for i, n in enumerate(counts)) / number


def _elo(counts: Sequence[int]) -> Elo:
    number = sum(counts)
    if not number:
        return Elo(0.0, -math.inf, math.inf, 0.5)
    mean, variance = moments(counts)
    squares = number * variance * (number / (number - 1) if number > 1 else 1)
    part = (squares + _IMAGINED) / (number * mean * (1 - mean) + _IMAGINED)
    trials = number / part
    # Wilson: (mean - p)^2 = w p (1 - p) is quadratic in p, with w = z^2 / trials.
    w = Z95 * Z95 / trials
    centre = (mean + w / 2) / (1 + w)
    reach = math.sqrt(w * mean * (1 - mean) + w * w / 4) / (1 + w)
    low = -math.inf if mean == 0 else logistic_elo(centre - reach)
    high = math.inf if mean == 1 else logistic_elo(centre + reach)
    return Elo(logistic_elo(mean), low, high, normal_cdf(2 * (mean - 0.5) * math.sqrt(trials)))


def _least_t(share: float) -> float:
    """The (mean - 1/2) / deviation nearest to 0 of all distributions with that mean: the one where
    every pair is won or lost as a whole.
    """
    return (share - 0.5) / math.sqrt(share * (1 - share))
