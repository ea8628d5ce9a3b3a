# SPDX-License-Identifier: MIT
"""Verdicts on the claims of a paper. *Exact*: a count or a formula gives the printed number.
*Order*: a ranking or a sign holds beyond the 95% error of our measurement: yes, no, undecided.
Pure functions of numbers.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from statistics import NormalDist
from typing import Any, Literal, Self

from tengen.arena.elo import Z95, student95

# Exact quantiles of Student's distribution, where the expansion of `student95` is not good.
_STUDENT95 = {1: 12.706, 2: 4.303}
Outcome = Literal["yes", "no", "undecided", "not run"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a claim holds."""

    claim: str
    outcome: Outcome
    detail: str = ""
    kind: Literal["exact", "order"] = "order"


@dataclass(frozen=True, slots=True)
class Measured:
    """A number with half of its 95% interval. Of a score the half is the wider one: its interval is
    not symmetric, and a verdict must not be surer than the interval.
    """

    value: float
    error: float = 0.0
    # The value with validation games drawn again; nets of one table have the same draws, so that
    # what the games do to all of them cancels in a difference. `own_error`: `error` without it.
    draws: tuple[float, ...] = field(default=(), repr=False)
    own_error: float = 0.0

    @classmethod
    def of_draws(cls, value: float, draws: Sequence[float], own_error: float) -> Self:
        error = math.hypot(own_error, half_interval(draws)) if draws else own_error
        return cls(value, error, tuple(draws), own_error)

    def minus(self, other: Measured) -> Measured:
        """The difference of two values; that of a value and itself is certain."""
        if self is other:
            return Measured(0.0)
        value = self.value - other.value
        if self.draws and len(self.draws) == len(other.draws):
            draws = [a - b for a, b in zip(self.draws, other.draws, strict=True)]
            return Measured.of_draws(value, draws, math.hypot(self.own_error, other.own_error))
        return Measured(value, math.hypot(self.error, other.error))

    def times(self, factor: float) -> Measured:
        size = abs(factor)
        draws = tuple(factor * value for value in self.draws)
        return Measured(factor * self.value, size * self.error, draws, size * self.own_error)

    def text(self, sign: str = "") -> str:
        """Both numbers to the second digit of the error; `sign`: "+" prints that of all values."""
        if not math.isfinite(self.error):
            return f"{self.value:{sign}.4g} ± ?"
        digits = max(0, 1 - math.floor(math.log10(self.error))) if self.error > 0 else 0
        return f"{self.value:{sign},.{digits}f} ± {self.error:,.{digits}f}"


def half_interval(draws: Sequence[float]) -> float:
    """Half of the middle 95% of some draws."""
    ordered = sorted(draws)
    cut = round(0.025 * (len(ordered) - 1))
    return (ordered[-1 - cut] - ordered[cut]) / 2


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


def exact(claim: str, ours: Mapping[str, float], paper: Mapping[str, float]) -> Verdict:
    """Whether all numbers that the paper prints are ours. Without ours: not run."""
    wrong = [name for name, value in paper.items() if name in ours and ours[name] != value]
    checked = sum(name in ours for name in paper)
    if not checked:
        return Verdict(claim, "not run", kind="exact")
    detail = f"{checked - len(wrong)} of {checked} equal"
    if wrong:
        detail += f"; different: {', '.join(wrong)}"
    outcome: Outcome = "no" if wrong else "yes" if checked == len(paper) else "undecided"
    return Verdict(claim, outcome, detail, "exact")


def within(
    claim: str, ours: Mapping[str, float], paper: Mapping[str, float], tolerance: float
) -> Verdict:
    """Whether all numbers are within a share of the paper's, which are rounded."""
    ratios = {name: ours[name] / value for name, value in paper.items() if name in ours}
    wrong = [name for name, ratio in ratios.items() if abs(ratio - 1.0) > tolerance]
    detail = ", ".join(f"{name} {ratio:.3f}" for name, ratio in ratios.items())
    outcome: Outcome = "no" if wrong else "yes" if ratios else "not run"
    return Verdict(claim, outcome, f"ours over the paper's: {detail}" if ratios else "", "exact")


def sign(claim: str, difference: Measured | None) -> Verdict:
    """Whether a difference is above 0."""
    if difference is None:
        return Verdict(claim, "not run")
    return Verdict(claim, _outcome(difference), difference.text("+"))


def _outcome(difference: Measured, comparisons: int = 1) -> Outcome:
    error = difference.error * _widened(comparisons)
    if not math.isfinite(error) or abs(difference.value) <= error:
        return "undecided"
    return "yes" if difference.value > 0 else "no"


def ranking(
    claim: str,
    ours: Mapping[str, Measured],
    paper: Mapping[str, float],
    *,
    higher: bool = True,
    difference: Callable[[str, str], Measured | None] | None = None,
) -> Verdict:
    """Whether our values have the order of the paper's, for each two rows that both have. Yes: all
    pairs that are decided agree, and the best and the worst are decided; no: a decided pair
    contradicts; else undecided. Rows that are equal in the paper do not count. Errors are widened
    so that all pairs hold together with 95%. `difference`: of two rows, where the errors of
    differences are known (default: `Measured.minus`).
    """
    names = [name for name in paper if name in ours]
    pairs = [(a, b) for a, b in combinations(names, 2) if paper[a] != paper[b]]
    if not pairs:
        return Verdict(claim, "not run")

    def ahead(best: str, other: str) -> Outcome:
        gap = difference(best, other) if difference else ours[best].minus(ours[other])
        if gap is None:
            return "undecided"
        return _outcome(gap.times(1.0 if higher else -1.0), len(pairs))

    order = sorted(names, key=lambda name: paper[name], reverse=higher)
    outcomes: dict[Outcome, list[str]] = {"yes": [], "no": [], "undecided": []}
    for best, other in combinations(order, 2):
        if paper[best] != paper[other]:
            outcomes[ahead(best, other)].append(f"{best} > {other}")
    counts = ", ".join(f"{len(found)} {name}" for name, found in outcomes.items())
    detail = f"of {len(pairs)} pairs: {counts}"
    if outcomes["no"]:
        shown = outcomes["no"][:4]
        more = ", …" if len(outcomes["no"]) > len(shown) else ""
        detail += f"; contradicted: {', '.join(shown)}{more}"
    ends = ahead(order[0], order[-1])
    outcome: Outcome = "no" if outcomes["no"] else "yes" if ends == "yes" else "undecided"
    return Verdict(claim, outcome, detail)


@cache
def _widened(comparisons: int) -> float:
    """The factor on 95% errors with which so many comparisons hold together (Bonferroni)."""
    return max(1.0, NormalDist().inv_cdf(1 - 0.025 / comparisons) / Z95)


def dominated(
    name: str,
    others: Sequence[str],
    speed: Mapping[str, Measured],
    quality: Mapping[str, Measured],
    *,
    higher: bool = True,
) -> Outcome:
    """Whether one of `others` is both faster and better than a row. No: each of them is slower or
    worse. Both beyond the errors, widened for the number of comparisons.
    """
    clear = []
    for other in others:
        faster = _outcome(speed[other].minus(speed[name]), 2 * len(others))
        gap = quality[other].minus(quality[name]).times(1.0 if higher else -1.0)
        better = _outcome(gap, 2 * len(others))
        if faster == better == "yes":
            return "yes"
        clear.append("no" in (faster, better))
    return "no" if all(clear) else "undecided"


def seed_error(values: Sequence[float]) -> float:
    """Half of the 95% interval of one training, from several that differ in their seed only."""
    if len(values) < 2:
        return math.inf
    mean = math.fsum(values) / len(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    freedom = len(values) - 1
    return _STUDENT95.get(freedom, student95(freedom)) * math.sqrt(variance)


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
