# SPDX-License-Identifier: MIT
"""Tables I and II of the paper on generalised PUCT: the best constant of PUCT for each number of
playouts, the power and the constant that fit these, and generalised PUCT with them against PUCT.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar

from tengen.arena.elo import Z95
from tengen.experiments.experiment import (
    Chart,
    Curve,
    Experiment,
    Findings,
    ReportTable,
    Setup,
    StepResults,
)
from tengen.experiments.measured import Measured, mean, middle95, scores
from tengen.experiments.papers import paper
from tengen.experiments.step import ResultValue, Step, Workspace
from tengen.experiments.steps.matches import EngineMatchStep
from tengen.experiments.verdicts import Verdict, exact, limited, sign

_ALL = (16, 32, 64, 128, 256, 512, 1024, 2048)
_BUDGETS = {"tiny": (16, 32), "small": _ALL, "paper": _ALL}
_GAMES = {"tiny": 4, "small": 100, "paper": 400}  # of each cell
_NET = {"tiny": "classical", "small": "mixnet-m-freestyle", "paper": "mixnet-m-freestyle"}
# Results of this engine lie between -1 and 1, the paper's between 0 and 1: a constant here is
# twice the paper's.
_SCALE = 2.0
_BASE = 0.5
_TAU_OF_PUCT = 0.5
_CONSTANTS = {"tiny": (0.35, 0.7), "small": (0.25, 0.35, 0.7, 1.0, 1.4, 2.0)}
_AGAINST = {"tiny": (0.5,), "small": (0.7, 1.0, 1.4)}
_TAUS = tuple(step / 1000 for step in range(1001))
_COARSE_TAUS = _TAUS[::10]
_DRAWS = 400
# Extras of this engine that stay on, and settings under which it searches as the paper does.
_OPTIONS: Mapping[str, Any] = {
    "search": "mcts",
    "c_log": 0.0,
    "utility_stdev_scale": 0.0,
    "temperature": 1.0,
    "tree_reuse": False,
    "fpu": 0.1,
    "vcf_quiescence": True,
    "lcb": 1.5,
    "memory": 32,
}


def _player(setup: Setup, name: str, c: Any, tau: Any = _TAU_OF_PUCT) -> dict[str, Any]:
    options = {**_OPTIONS, "net": _NET[setup.scale], "c": c, "tau": tau}
    return {"name": name, "preset": "alphabeta", "options": options}


def _gauntlet(setup: Setup, budget: int, players: list[dict[str, Any]], label: str) -> Step:
    return EngineMatchStep(
        tuple(players),
        form="gauntlet",
        rule="freestyle",
        size=15,
        pairs=_GAMES[setup.scale] // 2,
        limit={"nodes": budget},
        label=f"{label}, {budget} playouts",
    )


def _sizes(table: Mapping[str, Any], setup: Setup) -> Any:
    return table[setup.scale if setup.scale in table else "small"]


@dataclass(frozen=True, eq=False)
class FitStep(Step):
    """The best constant of each budget, and (tau, c) that minimise the sum of |c d^tau - c_d d^0.5|
    over the budgets d, as in the paper.
    """

    KIND: ClassVar = "fit"

    gauntlets: Mapping[str, Step]  # by budget

    @property
    def title(self) -> str:
        return "fit of tau and c"

    def run(self, work: Workspace) -> dict[str, Any]:
        best = {}
        for budget, step in self.gauntlets.items():
            meetings = work.result(step)["meetings"]
            best[int(budget)] = _best({float(m[1].split()[-1]): 1.0 - m[3] for m in meetings})
        tau, c = fit(best)
        return {"best": {str(budget): c for budget, c in best.items()}, "tau": tau, "c": c}


def _best(scores: Mapping[float, float]) -> float:
    """The constant with the best score, the smaller on a tie. The base scores 0.5."""
    every = {_BASE: 0.5, **scores}
    return max(every, key=lambda c: (every[c], -c))


def fit(
    best: Mapping[int, float], taus: Sequence[float] = _TAUS, places: int | None = None
) -> tuple[float, float]:
    """(tau, c). For a given tau the sum is convex and piecewise linear in c, so the minimum is at a
    c that fits one budget; among numbers with so many decimal places, at a neighbour of such a c.
    """
    wanted = {d: c * math.sqrt(d) for d, c in best.items()}

    def loss(tau: float, c: float) -> float:
        return math.fsum(abs(c * d**tau - want) for d, want in wanted.items())

    def near(c: float) -> tuple[float, ...]:
        if places is None:
            return (c,)
        unit = 10**places
        return math.floor(c * unit) / unit, math.ceil(c * unit) / unit

    pairs = ((tau, c) for tau in taus for d, want in wanted.items() for c in near(want / d**tau))
    return min(pairs, key=lambda pair: loss(*pair))


def plan(setup: Setup) -> dict[str, Step]:
    budgets = _BUDGETS[setup.scale]
    constants = _sizes(_CONSTANTS, setup)
    players = [_player(setup, f"PUCT {c:g}", c) for c in (_BASE, *constants)]
    first = {
        f"constants {budget}": _gauntlet(setup, budget, players, "constants") for budget in budgets
    }
    # The paper fits the budgets of its first table, 16 to 512.
    fitted = {str(b): first[f"constants {b}"] for b in budgets if b <= 512}
    found = FitStep(fitted)
    generalised = _player(setup, "GPUCT", ResultValue(found, "c"), ResultValue(found, "tau"))
    others = [_player(setup, f"PUCT {c:g}", c) for c in _sizes(_AGAINST, setup)]
    second = {
        f"gpuct {budget}": _gauntlet(setup, budget, [generalised, *others], "GPUCT against PUCT")
        for budget in budgets
    }
    return {**first, "fit": found, **second}


def _of_constants(results: StepResults, budget: int) -> dict[float, Measured]:
    """The scores of the constants against the base, see `plan`."""
    found = scores(results.get(f"constants {budget}"))
    base = f"PUCT {_BASE:g}"
    return {_constant(first): one for (first, other), one in found.items() if other == base}


def _of_gpuct(results: StepResults, budget: int) -> dict[float, Measured]:
    """The scores of generalised PUCT by the constant of its opponent."""
    found = scores(results.get(f"gpuct {budget}"))
    return {_constant(other): one for (first, other), one in found.items() if first == "GPUCT"}


def _constant(player: str) -> float:
    return float(player.rsplit(maxsplit=1)[-1])


def report(setup: Setup, results: StepResults) -> Findings:
    budgets = _BUDGETS[setup.scale]
    constants, against = _sizes(_CONSTANTS, setup), _sizes(_AGAINST, setup)
    first = {budget: _of_constants(results, budget) for budget in budgets}
    second = {budget: _of_gpuct(results, budget) for budget in budgets}
    found, printed = results.get("fit") or {}, paper("mobilenet").named("Table II").numbers
    tables = (
        _table(f"Table I: PUCT against PUCT with c = {_BASE:g}", first, constants),
        _table("Table II: generalised PUCT against PUCT", second, against),
        ReportTable(
            "Fit",
            ("", "tau", "c"),
            (
                ("ours", found.get("tau"), found.get("c")),
                ("paper", printed["tau"], printed["c"] * _SCALE),
            ),
            "The paper's constant is on the scale of this engine: twice the printed one.",
        ),
    )
    return Findings(tables, tuple(_verdicts(found, first, second)), _charts(found))


def _table(
    title: str, found: Mapping[int, Mapping[float, Measured]], columns: tuple[float, ...]
) -> ReportTable:
    rows: list[tuple[Any, ...]] = [
        (budget, *(row.get(c) for c in columns)) for budget, row in found.items()
    ]
    rows.append(("all", *(mean(row[c] for row in found.values() if c in row) for c in columns)))
    return ReportTable(title, ("playouts", *(f"c = {c:g}" for c in columns)), tuple(rows))


def _verdicts(
    found: Mapping[str, Any],
    first: Mapping[int, Mapping[float, Measured]],
    second: Mapping[int, Mapping[float, Measured]],
) -> Iterator[Verdict]:
    again = fit(_paper_best(), places=3)
    yield exact(
        "the paper's formula gives tau and c from its best constants, on its grid of 0.001",
        {"tau": again[0], "c": again[1]},
        paper("mobilenet").named("Table II").numbers,
    )
    fitted = {budget: row for budget, row in first.items() if budget <= 512}
    known = {budget: row for budget, row in fitted.items() if row}
    growth = _growth(found["tau"], known) if found and len(known) > 2 else None
    claim = "the best constant grows with the number of playouts (tau above 0.5)"
    yield limited(sign(claim, growth), len(known), len(fitted))
    is_puct = found.get("tau") == _TAU_OF_PUCT
    for c in dict.fromkeys(c for row in second.values() for c in row):
        for claim, least in (("over all budgets", 0), ("at 1,024 playouts and more", 1024)):
            means = [row.get(c) for budget, row in second.items() if budget >= least]
            verdict = _ahead(f"generalised PUCT beats c = {c:g} {claim}", means)
            if is_puct and verdict.outcome != "not run":
                detail = f"the fit is PUCT with c = {found['c']:g}; {verdict.detail}"
                verdict = Verdict(verdict.claim, "undecided", detail)
            yield verdict


def _ahead(claim: str, found: Sequence[Measured | None]) -> Verdict:
    """Whether the mean score is above a half; undecided while some are missing."""
    known = [one for one in found if one is not None]
    total = mean(known)
    if total is None:
        return Verdict(claim, "not run")
    verdict = sign(claim, Measured(total.value - 0.5, total.error))
    if len(known) < len(found):
        detail = f"{len(known)} of {len(found)} rows; {verdict.detail}"
        return Verdict(claim, "undecided", detail)
    return verdict


def _growth(tau: float, first: Mapping[int, Mapping[float, Measured]]) -> Measured:
    """By how much tau is above 0.5. Its error reaches to the farther end of the middle 95% of fits
    to scores drawn within their errors. Such fits are biased towards 0.5, as the best of unsure
    constants is any of them: an error around tau itself would be too sure of it.
    """
    random = Random(1)
    taus = []
    for _ in range(_DRAWS):
        best = {
            budget: _best({c: random.gauss(one.value, one.error / Z95) for c, one in row.items()})
            for budget, row in first.items()
        }
        taus.append(fit(best, _COARSE_TAUS)[0])
    low, high = middle95(taus)
    return Measured(tau - _TAU_OF_PUCT, max(tau - low, high - tau))


def _paper_best() -> dict[int, float]:
    """The best constant of each budget in Table I; the base, 0.1, has half of the points."""
    best = {}
    for label, row in paper("mobilenet").named("Table I").table().items():
        if label.isdecimal():
            cells = {0.1: 50.0} | {float(c): float(score) for c, score in row.items()}
            best[int(label)] = max(cells, key=lambda c: cells[c])
    return best


def _charts(found: Mapping[str, Any]) -> tuple[Chart, ...]:
    best = {int(budget): c for budget, c in found.get("best", {}).items()}
    if not best:
        return ()
    tau, c = found["tau"], found["c"]
    ours = tuple((math.log2(b), one) for b, one in best.items())
    fitted = tuple((math.log2(b), c * b ** (tau - 0.5)) for b in best)
    theirs = [(math.log2(budget), _SCALE * c) for budget, c in _paper_best().items()]
    return (
        Chart(
            "Best constant",
            "log2 of the playouts",
            "c",
            (
                Curve("ours", ours, joined=False),
                Curve("ours, fitted", fitted),
                Curve("paper (on this scale)", tuple(theirs), joined=False),
            ),
        ),
    )


EXPERIMENT = Experiment(
    "go-gpuct",
    "constants of PUCT by the number of playouts; generalised PUCT",
    plan,
    report,
    cost={"tiny": "1 min, CPU", "small": "30 min, 2 to 16 cores", "paper": "120 min, 2 cores"},
    differences=(
        "Gomoku (freestyle 15x15) with the bundled Mixnet instead of Go.",
        "Constants are twice the paper's: results lie between -1 and 1, not 0 and 1. The base is"
        f" {_BASE:g} instead of 0.2, and the other constants are not exactly twice the paper's.",
        "First-play urgency (fpu 0.1), VCF at the leaves and lower confidence bounds (1.5) stay"
        " on; the paper has none of them.",
        "Balanced openings, each played with both colours.",
    ),
)
