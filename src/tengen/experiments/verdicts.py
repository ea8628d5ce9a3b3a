# SPDX-License-Identifier: MIT
"""Verdicts on the claims of a paper. *Exact*: a count or a formula gives the printed number.
*Order*: a ranking or a sign holds beyond the 95% error of our measurement: yes, no, undecided.
Pure functions of numbers.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations
from statistics import NormalDist
from typing import Any, Literal, Self

from tengen.util.text import plural

_MISSED = 0.05  # the share of intervals that miss the truth
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
        level = _MISSED / comparisons
        own = student(level, self.freedom) / student(_MISSED, self.freedom)
        if not self.draws:
            return self.error * own
        drawn = half_interval(self.draws) * student(level) / student(_MISSED)
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
    cut = round(_MISSED / 2 * (len(ordered) - 1))
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


def exact(
    claim: str,
    ours: Mapping[str, float],
    paper: Mapping[str, float],
    corrected: Collection[str] = (),
) -> Verdict:
    """Whether all numbers that the paper prints are ours. Without ours: not run. `corrected`: names
    of those that are not as printed, because the print contradicts itself.
    """
    names = [name for name in paper if name in ours]
    wrong = [name for name in names if ours[name] != paper[name]]
    if not names:
        return Verdict(claim, "not run", kind="exact")
    equal = len(names) - len(wrong)
    detail = f"{equal} of {len(names)} equal"
    if fixed := sum(name in corrected for name in names if name not in wrong):
        detail = f"{equal - fixed} as printed, {plural(fixed, 'misprint')} corrected"
    if wrong:
        detail += f"; different: {', '.join(wrong)}"
    verdict = Verdict(claim, "no" if wrong else "yes", detail, "exact")
    return limited(verdict, len(names), len(paper))


def within(
    claim: str, ours: Mapping[str, float], paper: Mapping[str, float], tolerance: float
) -> Verdict:
    """Whether all numbers are within a share of the paper's, which are rounded."""
    ratios = {name: ours[name] / value for name, value in paper.items() if name in ours}
    if not ratios:
        return Verdict(claim, "not run", kind="exact")
    wrong = any(abs(ratio - 1.0) > tolerance for ratio in ratios.values())
    shown = ", ".join(f"{name} {ratio:.3f}" for name, ratio in ratios.items())
    verdict = Verdict(claim, "no" if wrong else "yes", f"ours over the paper's: {shown}", "exact")
    return limited(verdict, len(ratios), len(paper))


def limited(verdict: Verdict, rows: int, wanted: int) -> Verdict:
    """A verdict of some of the rows of a claim, which can refute but not confirm it."""
    if rows >= wanted:
        return verdict
    detail = "; ".join(filter(None, (f"{rows} of {wanted} rows", verdict.detail)))
    outcome = "undecided" if verdict.outcome == "yes" else verdict.outcome
    return replace(verdict, outcome=outcome, detail=detail)


def sign(claim: str, difference: Measured | None) -> Verdict:
    """Whether a difference is above 0."""
    if difference is None:
        return Verdict(claim, "not run")
    return Verdict(claim, outcome_of(difference), difference.text("+"))


def outcome_of(difference: Measured, comparisons: int = 1) -> Outcome:
    """Whether a difference is above 0, as one of so many comparisons that hold together."""
    error = difference.widened(comparisons)
    if not math.isfinite(error) or abs(difference.value) <= error:
        return "undecided"
    return "yes" if difference.value > 0 else "no"


def every(claim: str, differences: Mapping[str, Measured]) -> Verdict:
    """Whether all differences are above 0. Yes: all are decided; no: one is below. Errors are
    widened for their number.
    """
    if not differences:
        return Verdict(claim, "not run")
    outcomes = {name: outcome_of(gap, len(differences)) for name, gap in differences.items()}
    found = set(outcomes.values())
    outcome: Outcome = "no" if "no" in found else "yes" if found == {"yes"} else "undecided"
    return Verdict(claim, outcome, _counted(outcomes))


def ranking(
    claim: str,
    ours: Mapping[str, Measured],
    paper: Mapping[str, float],
    *,
    higher: bool = True,
    difference: Callable[[str, str], Measured | None] | None = None,
) -> Verdict:
    """Whether our values have the order of the paper's, for each two rows that both have. Yes: all
    rows are there, all pairs that are decided agree, and the best and the worst are decided; no: a
    decided pair contradicts; else undecided. Rows that are equal in the paper do not count. Errors
    are widened so that all pairs hold together with 95%. `difference`: of two rows, where the
    errors of differences are known (default: `Measured.minus`).
    """
    order = sorted((x for x in paper if x in ours), key=lambda x: paper[x], reverse=higher)
    pairs = [(a, b) for a, b in combinations(order, 2) if paper[a] != paper[b]]
    if not pairs:
        return Verdict(claim, "not run")

    def ahead(best: str, other: str) -> Outcome:
        gap = difference(best, other) if difference else ours[best].minus(ours[other])
        if gap is None:
            return "undecided"
        return outcome_of(gap.times(1.0 if higher else -1.0), len(pairs))

    outcomes = {f"{best} > {other}": ahead(best, other) for best, other in pairs}
    ends = ahead(order[0], order[-1])
    wrong = "no" in outcomes.values()
    outcome: Outcome = "no" if wrong else "yes" if ends == "yes" else "undecided"
    return limited(Verdict(claim, outcome, _counted(outcomes)), len(order), len(paper))


def _counted(outcomes: Mapping[str, Outcome]) -> str:
    """How many pairs have each outcome, and which contradict."""
    names: tuple[Outcome, ...] = ("yes", "no", "undecided")
    counts = ", ".join(f"{list(outcomes.values()).count(name)} {name}" for name in names)
    detail = f"of {plural(len(outcomes), 'pair')}: {counts}"
    if wrong := [pair for pair, outcome in outcomes.items() if outcome == "no"]:
        shown = wrong[:4]
        more = ", …" if len(wrong) > len(shown) else ""
        detail += f"; contradicted: {', '.join(shown)}{more}"
    return detail


@cache
def student(level: float, freedom: float = math.inf) -> float:
    """How many deviations a number of Student's distribution exceeds, up or down, with probability
    `level`; without degrees of freedom one of the normal distribution.
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
        faster = outcome_of(speed[other].minus(speed[name]), 2 * len(others))
        gap = quality[other].minus(quality[name]).times(1.0 if higher else -1.0)
        better = outcome_of(gap, 2 * len(others))
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
    return student(_MISSED, len(values) - 1) * math.sqrt(variance)


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
