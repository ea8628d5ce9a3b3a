# SPDX-License-Identifier: MIT
"""Verdicts on the claims of a paper. *Exact*: a count or a formula gives the printed number.
*Order*: a ranking or a sign holds beyond the 95% error of our measurement: yes, no, undecided.
Pure functions of numbers.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from tengen.arena.elo import student95

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
    return Verdict(claim, _outcome(difference), f"{difference.value:+.4g} ± {difference.error:.2g}")


def _outcome(difference: Measured) -> Outcome:
    if not math.isfinite(difference.error) or abs(difference.value) <= difference.error:
        return "undecided"
    return "yes" if difference.value > 0 else "no"


def ranking(
    claim: str,
    ours: Mapping[str, Measured],
    paper: Mapping[str, float],
    *,
    higher: bool = True,
) -> Verdict:
    """Whether our values have the order of the paper's, for each two rows that both have. Yes: all
    pairs that are decided agree, and the best and the worst are decided; no: a decided pair
    contradicts; else undecided. Rows that are equal in the paper do not count.
    """
    names = [name for name in paper if name in ours]
    pairs = [(a, b) for a, b in combinations(names, 2) if paper[a] != paper[b]]
    if not pairs:
        return Verdict(claim, "not run")
    outcomes: dict[Outcome, list[str]] = {"yes": [], "no": [], "undecided": []}
    for a, b in pairs:
        best, other = (a, b) if (paper[a] > paper[b]) == higher else (b, a)
        outcomes[_outcome(_ahead(ours[best], ours[other], higher))].append(f"{best} > {other}")
    counts = ", ".join(f"{len(found)} {name}" for name, found in outcomes.items())
    detail = f"of {len(pairs)} pairs: {counts}"
    if outcomes["no"]:
        shown = outcomes["no"][:4]
        more = ", …" if len(outcomes["no"]) > len(shown) else ""
        detail += f"; contradicted: {', '.join(shown)}{more}"
    order = sorted(names, key=lambda name: paper[name], reverse=higher)
    ends = _outcome(_ahead(ours[order[0]], ours[order[-1]], higher))
    outcome: Outcome = "no" if outcomes["no"] else "yes" if ends == "yes" else "undecided"
    return Verdict(claim, outcome, detail)


def _ahead(best: Measured, other: Measured, higher: bool) -> Measured:
    difference = best.value - other.value if higher else other.value - best.value
    return Measured(difference, math.hypot(best.error, other.error))


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
