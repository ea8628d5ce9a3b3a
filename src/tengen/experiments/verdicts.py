# SPDX-License-Identifier: MIT
"""Verdicts on the claims of a paper. *Exact*: a count or a formula gives the printed number.
*Order*: a ranking or a sign holds beyond the 95% error of our measurement: yes, no, undecided.
Pure functions of numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from tengen.experiments.measured import Measured
from tengen.util.text import plural

Outcome = Literal["yes", "no", "undecided", "not run"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a claim holds."""

    claim: str
    outcome: Outcome
    detail: str = ""
    kind: Literal["exact", "order"] = "order"


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


def every(claim: str, differences: Mapping[str, Measured], wanted: int = 0) -> Verdict:
    """Whether all differences are above 0. Yes: all are decided, and there are `wanted`; no: one is
    below. Errors are widened so that all hold together with 95%.
    """
    if not differences:
        return Verdict(claim, "not run")
    outcomes = {name: outcome_of(gap, len(differences)) for name, gap in differences.items()}
    found = set(outcomes.values())
    outcome: Outcome = "no" if "no" in found else "yes" if found == {"yes"} else "undecided"
    return limited(Verdict(claim, outcome, _counted(outcomes)), len(outcomes), wanted)


def ranking(
    claim: str,
    ours: Mapping[str, Measured],
    paper: Mapping[str, float],
    *,
    higher: bool = True,
    difference: Callable[[str, str], Measured | None] | None = None,
) -> Verdict:
    """Whether our values have the order of the paper's: `every` two rows that both have and that
    are not equal in the paper. Yes needs all rows of the paper. `difference`: of two rows, where
    the errors of differences are known (default: `Measured.minus`).
    """
    order = sorted((x for x in paper if x in ours), key=lambda x: paper[x], reverse=higher)
    pairs = [(a, b) for a, b in combinations(order, 2) if paper[a] != paper[b]]
    if not pairs:
        return Verdict(claim, "not run")

    gaps = {}
    for best, other in pairs:
        gap = difference(best, other) if difference else ours[best].minus(ours[other])
        unknown = Measured(0.0, math.inf)
        gaps[f"{best} > {other}"] = (gap or unknown).times(1.0 if higher else -1.0)
    return limited(every(claim, gaps), len(order), len(paper))


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
