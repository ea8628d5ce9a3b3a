# SPDX-License-Identifier: MIT
"""Statistics of a match: pair counts, Elo with its error, likelihood of superiority, percentiles.

Pure functions of counts and numbers. A pair is the same opening played twice with colours swapped;
its two games are not independent, its score is. So the spread is taken from the scores of pairs:
with n_i pairs of score i/2 points (i = 0..4) out of two, N pairs in all and x_i = i/4,

    mean = sum n_i x_i / N,    variance = sum n_i (x_i - mean)^2 / N,    error = sqrt(variance / N)
    elo(p) = -400 log10(1/p - 1);   the interval of 95% is elo(mean - 1.96 error) .. elo(mean + ...)
    LOS = Phi((mean - 1/2) / error)

Where every game was won (lost), elo is infinite; its finite bound is elo(p) with p^N = 2.5%, that
is, with N pairs won, p of a pair below which that would be a wonder.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

Z95 = 1.959963984540054
TAIL = 0.025


class Elo(NamedTuple):
    """Difference in Elo, the bounds of its 95% interval (all may be infinite), and the likelihood
    that the first is the better one.
    """

    elo: float
    low: float
    high: float
    los: float

    def __str__(self) -> str:
        if math.isinf(self.elo):
            return f"> {self.low:+.0f}" if self.elo > 0 else f"< {self.high:+.0f}"
        return f"{self.elo:+.1f} [{self.low:+.1f}, {self.high:+.1f}]"


def logistic_elo(share: float) -> float:
    """Elo of a share of the points; outside of 0..1 it is that of the nearest bound."""
    if share <= 0:
        return -math.inf
    if share >= 1:
        return math.inf
    return -400 * math.log10(1 / share - 1) + 0.0  # no minus before a zero


def pair_counts(pairs: Iterable[tuple[float, float]]) -> list[int]:
    """How many pairs gave 0, 1/2, 1, 3/2 and 2 points."""
    counts = [0] * 5
    for first, second in pairs:
        counts[round(2 * (first + second))] += 1
    return counts


def elo_of_pairs(counts: Sequence[int]) -> Elo:
    """Elo from the counts of `pair_counts`. Without a pair nothing is known."""
    number = sum(counts)
    if not number:
        return Elo(0.0, -math.inf, math.inf, 0.5)
    mean = sum(n * i / 4 for i, n in enumerate(counts)) / number
    if mean in (0.0, 1.0):
        bound = logistic_elo(TAIL ** (1 / number))
        won = Elo(math.inf, bound, math.inf, 1 - TAIL)
        return won if mean else Elo(-math.inf, -math.inf, -bound, TAIL)
    variance = sum(n * (i / 4 - mean) ** 2 for i, n in enumerate(counts)) / number
    error = math.sqrt(variance / number)
    low, high = logistic_elo(mean - Z95 * error), logistic_elo(mean + Z95 * error)
    return Elo(logistic_elo(mean), low, high, _superiority(mean, error))


def _superiority(mean: float, error: float) -> float:
    if not error:
        return 0.5 if mean == 0.5 else float(mean > 0.5)
    return 0.5 * (1 + math.erf((mean - 0.5) / error / math.sqrt(2)))


def percentile(values: Sequence[float], percent: float) -> float:
    """The least value that so many percent do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def spread(values: Sequence[float]) -> dict[str, float] | None:
    """Median, 99.9% and worst; None of nothing."""
    if not values:
        return None
    return {name: percentile(values, p) for name, p in (("median", 50), ("p999", 99.9))} | {
        "worst": max(values)
    }
