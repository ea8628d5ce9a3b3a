# SPDX-License-Identifier: MIT
"""Figure 9 of the classical paper: time per move of the whole player with each update method."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from tengen.experiments.experiment import (
    Chart,
    Curve,
    Experiment,
    Findings,
    ReportTable,
    Setup,
    StepResults,
)
from tengen.experiments.measured import Measured, seed_error
from tengen.experiments.step import Step
from tengen.experiments.steps.engine import UpdateSpeedStep
from tengen.experiments.verdicts import Verdict, sign

_SIZES = (15, 20)
_DEPTH = {"tiny": 2, "small": 4, "paper": 6}
_ROUNDS = {"tiny": 2, "small": 7, "paper": 7}
_MOVES = {"tiny": 6, "small": 40, "paper": 40}


def plan(setup: Setup) -> dict[str, Step]:
    scale = setup.scale
    return {
        f"{size}x{size}": UpdateSpeedStep(size, _DEPTH[scale], _ROUNDS[scale], _MOVES[scale])
        for size in _SIZES
    }


def report(setup: Setup, results: StepResults) -> Findings:
    found = {label: result for label in results.plan if (result := results.get(label))}
    names = list(next(iter(found.values()))["mean"]) if found else []
    rows = []
    for label in results.plan:
        mean = found[label]["mean"] if label in found else {}
        rows.append((label, *(_cell(mean, name, names) for name in names)))
    charts = tuple(
        Chart(
            f"Time per move, {label}",
            "move",
            "ms",
            tuple(Curve(name, tuple(enumerate(result["by_move"][name], 1))) for name in names),
        )
        for label, result in found.items()
    )
    table = ReportTable(
        f"Milliseconds per move, depth {_DEPTH[setup.scale]} (speed-up over the whole board)",
        ("board", *names),
        tuple(rows),
        "Processor time; each number is the mean over the moves of a game of the medians over"
        f" {_ROUNDS[setup.scale]} interleaved rounds.",
    )
    return Findings((table,), tuple(_verdicts(results, found, names)), charts)


def _cell(mean: Mapping[str, float], name: str, names: list[str]) -> str | None:
    if name not in mean:
        return None
    return f"{mean[name]:.2f} ({mean[names[0]] / mean[name]:.1f})"


def _verdicts(results: StepResults, found: Mapping[str, Any], names: list[str]) -> list[Verdict]:
    claims = []
    for label in results.plan:
        for slow, fast in pairwise(names):
            logs = None
            if label in found:
                rounds = found[label]["rounds"]
                ratios = [math.log(a / b) for a, b in zip(rounds[slow], rounds[fast], strict=True)]
                mean = math.fsum(ratios) / len(ratios)
                logs = Measured(mean, seed_error(ratios) / math.sqrt(len(ratios)))
            claims.append(sign(f"{fast} updates are faster than {slow}, {label} (log ratio)", logs))
    return claims


EXPERIMENT = Experiment(
    "classical-updates",
    "time per move of each update method",
    plan,
    report,
    cost={"tiny": "1 min, CPU", "small": "0.1 min, 1 core", "paper": "60 min, 1 core"},
    differences=(
        "The outside baseline of the figure, fiverow, is not available.",
        "The search orders its moves by its own incremental patterns; their cost is part of"
        " every column.",
    ),
)
