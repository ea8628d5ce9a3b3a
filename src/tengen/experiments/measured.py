# SPDX-License-Identifier: MIT
"""Numbers with errors: metrics, ratings and scores of matches; Student's quantiles, Pareto fronts
and fitted curves. Pure functions of numbers.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from statistics import NormalDist
from typing import Any, Self

MISSED = 0.05  # the share of intervals that miss the truth


@dataclass(frozen=True, slots=True)
class Measured:
    """A number with a symmetric 95% error. Intervals of scores are not symmetric: the wider half is
    the error.
    """

    value: float
    error: float = 0.0
    # The value with validation games drawn again; nets of one table have the same draws, so that
    # what the games do to all of them cancels in a difference. `own_error`: `error` without it.
    draws: tuple[float, ...] = field(default=(), repr=False)
    own_error: float = 0.0
    # Degrees of freedom of the error, with draws of `own_error`: it comes from so few numbers that
    # its quantiles are Student's. Values of one table have the error of the same seeds.
    freedom: float = math.inf

    @classmethod
    def of_draws(
        cls, value: float, draws: Sequence[float], own_error: float, freedom: float = math.inf
    ) -> Self:
        error = math.hypot(own_error, half_interval(draws)) if draws else own_error
        return cls(value, error, tuple(draws), own_error, freedom)

    def minus(self, other: Measured) -> Measured:
        """The difference of two values; that of a value and itself is certain."""
        if self is other:
            return Measured(0.0)
        value, freedom = self.value - other.value, min(self.freedom, other.freedom)
        if self.draws and len(self.draws) == len(other.draws):
            draws = [a - b for a, b in zip(self.draws, other.draws, strict=True)]
            own = math.hypot(self.own_error, other.own_error)
            return Measured.of_draws(value, draws, own, freedom)
        return Measured(value, math.hypot(self.error, other.error), freedom=freedom)

    def times(self, factor: float) -> Measured:
        size = abs(factor)
        draws = tuple(factor * value for value in self.draws)
        own = size * self.own_error
        return Measured(factor * self.value, size * self.error, draws, own, self.freedom)

    def widened(self, comparisons: int) -> float:
        """The error with which so many comparisons hold together with 95% (Bonferroni)."""
        level = MISSED / comparisons
        own = student(level, self.freedom) / student(MISSED, self.freedom)
        if not self.draws:
            return self.error * own
        drawn = half_interval(self.draws) * student(level) / student(MISSED)
        return math.hypot(self.own_error * own, drawn)

    def text(self, sign: str = "") -> str:
        """Both numbers to the second digit of the error, without one four digits of the value;
        `sign`: "+" prints that of all values.
        """
        if self.error == 0 or not math.isfinite(self.error):
            value = f"{self.value:{sign}.4g}"
            if abs(self.value) >= 1000:
                value = f"{self.value:{sign},.0f}"
            return f"{value} ± {'0' if self.error == 0 else '?'}"
        digits = max(0, 1 - math.floor(math.log10(self.error)))
        return f"{self.value:{sign},.{digits}f} ± {self.error:,.{digits}f}"


def middle95(draws: Sequence[float]) -> tuple[float, float]:
    """The ends of the middle 95% of some draws."""
    ordered = sorted(draws)
    cut = round(MISSED / 2 * (len(ordered) - 1))
    return ordered[cut], ordered[-1 - cut]


def half_interval(draws: Sequence[float]) -> float:
    """Half of the middle 95% of some draws."""
    low, high = middle95(draws)
    return (high - low) / 2


@dataclass(frozen=True, slots=True)
class EloTable:
    """The ratings of a tournament's players. They are not independent, so that the error of a
    difference does not follow from those of the ratings.
    """

    elo: Mapping[str, Measured]
    differences: Mapping[tuple[str, str], Measured]

    @classmethod
    def of(cls, result: Mapping[str, Any] | None) -> Self:
        """Of the result of a match step; empty without one."""
        if result is None:
            return cls({}, {})
        rows = zip(result["players"], result["elo"], result["error"], strict=True)
        found = {(a, b): Measured(elo, error) for a, b, elo, error in result["differences"]}
        found |= {(b, a): one.times(-1.0) for (a, b), one in found.items()}
        return cls({name: Measured(elo, error) for name, elo, error in rows}, found)

    def difference(self, one: str, other: str) -> Measured | None:
        """By how much one is better; None if one of them did not play."""
        return self.differences.get((one, other))


def scores(result: Mapping[str, Any] | None) -> dict[tuple[str, str], Measured]:
    """The share of the points of the first player of a pair against the second, for all pairs that
    met in a match step, both ways round. The errors come from pairs of games.
    """
    meetings = result["meetings"] if result else ()
    found = {(a, b): Measured(share, error) for a, b, _, share, error in meetings}
    return found | {(b, a): Measured(1.0 - one.value, one.error) for (a, b), one in found.items()}


def mean(values: Iterable[Measured]) -> Measured | None:
    """Of independent values; None without any."""
    found = list(values)
    if not found:
        return None
    error = math.hypot(*(one.error for one in found)) / len(found)
    return Measured(math.fsum(one.value for one in found) / len(found), error)


@cache
def student(level: float, freedom: float = math.inf) -> float:
    """The two-sided quantile of Student's t: |t| exceeds it with probability `level`. Infinite
    freedom: of the normal distribution.
    """
    if math.isinf(freedom):
        return NormalDist().inv_cdf(1 - level / 2)
    low, high = 0.0, 1.0
    while _inside(high, int(freedom)) < 1 - level:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _inside(middle, int(freedom)) < 1 - level else (low, middle)
    return high


def _inside(deviations: float, freedom: int) -> float:
    """The share of Student's distribution within so many deviations: its finite sum for whole
    degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4).
    """
    angle = math.atan(deviations / math.sqrt(freedom))
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0
    for n in range(2 + odd, freedom + 1, 2):
        total += term
        term *= (n - 1) / n * math.cos(angle) ** 2
    total *= math.sin(angle)
    return 2 / math.pi * (angle + total) if odd else total


def seed_error(values: Sequence[float]) -> float:
    """Half of the 95% interval of one training, from several that differ in their seed only."""
    if len(values) < 2:
        return math.inf
    mean = math.fsum(values) / len(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return student(MISSED, len(values) - 1) * math.sqrt(variance)


def pareto_front(points: Mapping[str, tuple[float, float]], *, higher: bool = True) -> list[str]:
    """The names that no other dominates: none is at least as fast and at least as good, and better
    in one of both. Points are (speed, quality); `higher`: high quality is better.
    """
    side = 1.0 if higher else -1.0

    def dominated(name: str) -> bool:
        speed, quality = points[name]
        return any(
            s >= speed and side * q >= side * quality and (s, q) != (speed, quality)
            for other, (s, q) in points.items()
            if other != name
        )

    return [name for name in points if not dominated(name)]


def fit_curve(
    loss: Callable[[Sequence[float]], float],
    start: Sequence[float],
    *,
    seed: int = 1,
    rounds: int = 4000,
) -> tuple[list[float], float]:
    """Parameters that minimise a loss, by random steps whose size adapts; all stay positive.
    Returns them and the loss.
    """
    rng = random.Random(seed)
    best, least = list(start), loss(start)
    size = 0.3
    for _ in range(rounds):
        trial = [value * math.exp(rng.gauss(0, size)) for value in best]
        if (found := loss(trial)) < least:
            best, least, size = trial, found, min(1.0, size * 1.3)
        else:
            size = max(1e-5, size * 0.985)
    return best, least
