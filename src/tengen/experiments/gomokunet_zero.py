# SPDX-License-Identifier: MIT
"""The future work of GomokuNet: zero learning with it, beside a residual net at equal time."""

from __future__ import annotations

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
from tengen.experiments.measured import Measured
from tengen.experiments.step import Step
from tengen.experiments.steps.zero import ZeroMatchStep, ZeroStep
from tengen.experiments.verdicts import sign

_RULE, _SIZE = "freestyle", 15
# Nets with about the same multiply-adds.
_NETS: dict[str, dict[str, Any]] = {
    "GomokuNet": {"kind": "gomokunet", "filters": 53},
    "ResNet": {"kind": "resnet", "blocks": 6, "filters": 96},
}
_TINY: dict[str, dict[str, Any]] = {
    "GomokuNet": {"kind": "gomokunet", "filters": 4},
    "ResNet": {"kind": "resnet", "blocks": 1, "filters": 8},
}
_MINUTES = {"tiny": 0.3, "small": 5.0, "paper": 600.0}
_GAMES = {"tiny": 4, "small": 256, "paper": 512}
_PLAYOUTS = {"tiny": 4, "small": 32, "paper": 64}


def _config(setup: Setup) -> dict[str, Any]:
    if setup.scale == "tiny":
        return {
            "play": {"workers": 0, "rows": 200},
            "replay": {"start": 100},
            "learn": {"batch": 16, "ratio": 0.5, "warmup": 2},
            "gate": {"games": 2, "playouts": 2, "minutes": 0.1},
            "selfplay": {"games": 16, "playouts": 4, "small_playouts": 2},
            "run": {"tensorboard": False, "checkpoint": 5.0},
        }
    return {
        "learn": {"batch": 1024, "ratio": 4.0},
        "gate": {"games": 96, "playouts": 16, "minutes": 0.5},
        "selfplay": {"playouts": 32, "small_playouts": 8},
    }


def plan(setup: Setup) -> dict[str, Step]:
    nets = _TINY if setup.scale == "tiny" else _NETS
    steps: dict[str, Step] = {}
    runs = {}
    for name, net in nets.items():
        runs[name] = ZeroStep(
            net, _RULE, _SIZE, _config(setup), minutes=_MINUTES[setup.scale], label=name
        )
        steps[name] = runs[name]
    steps["match"] = ZeroMatchStep(
        tuple(runs),
        tuple(runs.values()),
        playouts=_PLAYOUTS[setup.scale],
        games=_GAMES[setup.scale],
    )
    return steps


def report(setup: Setup, results: StepResults) -> Findings:
    rows, curves = [], []
    for name in _NETS:
        found = results.get(name) or {}
        rows.append(
            (name, *(found.get(k) for k in ("minutes", "games", "positions", "steps", "elo")))
        )
        points = tuple((row["seconds"] / 60, row["elo"]) for row in found.get("ladder", ()))
        curves.append(Curve(name, points))
    match = results.get("match")
    ahead, share = None, None
    if match is not None:
        _, _, _, value, error = match["meetings"][0]
        share = Measured(value, error)
        ahead = Measured(value - 0.5, error)
    tables = (
        ReportTable(
            "Zero learning",
            ("net", "minutes", "games", "positions", "steps", "Elo over the first generation"),
            tuple(rows),
        ),
        ReportTable(
            f"The last generations at {_PLAYOUTS[setup.scale]} playouts",
            ("match", "score"),
            (("GomokuNet against ResNet", share),),
        ),
    )
    claim = "the last generation of this run of GomokuNet wins against that of the residual net"
    verdict = sign(claim, ahead)
    chart = Chart("Elo during learning", "minutes", "Elo", tuple(curves))
    return Findings(tables, (verdict,), (chart,))


EXPERIMENT = Experiment(
    "gomokunet-zero",
    "zero learning with GomokuNet, which its authors leave to future work",
    plan,
    report,
    cost={"tiny": "2 min, CPU", "small": "12 min, GPU", "paper": "1300 min, GPU"},
    differences=(
        "The paper has no numbers. It expects that GomokuNet learns faster; one run of each net"
        " cannot show that, and the verdict is about these two runs alone.",
        "Nets with about the same multiply-adds, equal minutes of learning, equal playouts.",
    ),
)
