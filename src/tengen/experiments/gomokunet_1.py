# SPDX-License-Identifier: MIT
"""Table I of GomokuNet: six nets on human renju games."""

from __future__ import annotations

from typing import Any

from tengen.experiments.experiment import Experiment, Findings, ReportTable, Setup, StepResults
from tengen.experiments.papers import paper
from tengen.experiments.recipes import GOMOKUNET
from tengen.experiments.step import Step
from tengen.experiments.steps.data import data_step
from tengen.experiments.steps.nets import CountStep
from tengen.experiments.trained import (
    SCALAR,
    TOP1,
    TOP5,
    TOP10,
    curves_chart,
    differences_table,
    measured_all,
    metrics_table,
    rankings,
    training_notes,
)
from tengen.experiments.verdicts import within

REFERENCE = "GomokuNet"
RULE, SIZE, SKIP = "renju", 15, 6  # the first six moves of a game are left out
NAMES = {"top_1": TOP1, "top_5": TOP5, "top_10": TOP10, "mse": SCALAR}
_FLOPS = 0.03  # the paper prints two digits
# The nets of the paper, about 20 blocks and 256 channels.
_NETS: dict[str, Any] = {
    "ConvNet": {"kind": "convnet", "layers": 20, "filters": 256},
    "AlphaNet": {"kind": "resnet", "blocks": 20, "filters": 256, "heads": "alphazero"},
    "PolyNet": {"kind": "resnet", "blocks": 20, "filters": 256, "heads": "polygames"},
    "MobileNet": {"kind": "mobilenet", "blocks": 20, "filters": 256, "expansion": 2},
    "KataNet": {"kind": "katanet", "blocks": 20, "filters": 256},
    "GomokuNet": {"kind": "gomokunet", "filters": 184},
}
_SMALL = {name: {**net, "filters": net["filters"] // 2} for name, net in _NETS.items()}
_TINY: dict[str, Any] = {
    "ConvNet": {"kind": "convnet", "layers": 2, "filters": 8},
    "AlphaNet": {"kind": "resnet", "blocks": 1, "filters": 8, "heads": "alphazero"},
    "PolyNet": {"kind": "resnet", "blocks": 1, "filters": 8, "heads": "polygames"},
    "MobileNet": {"kind": "mobilenet", "blocks": 1, "filters": 8, "expansion": 2},
    "KataNet": {"kind": "katanet", "blocks": 2, "filters": 8},
    "GomokuNet": {"kind": "gomokunet", "filters": 4},
}


def nets(setup: Setup) -> dict[str, Any]:
    return {"tiny": _TINY, "small": _SMALL, "paper": _NETS}[setup.scale]


def plan(setup: Setup) -> dict[str, Step]:
    data = data_step(setup, "renju", RULE, size=SIZE, skip=SKIP)
    steps: dict[str, Step] = {f"count {name}": CountStep(net, SIZE) for name, net in _NETS.items()}
    return steps | GOMOKUNET.train_all(setup, nets(setup), data, REFERENCE)


def report(setup: Setup, results: StepResults) -> Findings:
    printed = {
        name: {column: float(row[column]) for column in ("gflops", *NAMES)}
        for name, row in paper("gomokunet").named("Table I").table().items()
    }
    found = measured_all(setup, results, _NETS, NAMES.values(), REFERENCE)
    counts = {
        name: value / 1e9
        for name in _NETS
        if (value := results.value(f"count {name}", "multiply_adds")) is not None
    }
    rows = {
        name: (counts.get(name), results.value(f"count {name}", "parameters")) for name in _NETS
    }
    tables = [
        metrics_table("Table I, ours", results, found, rows, ("multiply-adds, 10⁹", "parameters")),
        differences_table(found, printed, REFERENCE, NAMES),
        _printed_table(printed),
    ]
    flops = {name: row["gflops"] for name, row in printed.items()}
    verdicts = [
        within(f"multiply-adds within {_FLOPS:.0%}", counts, flops, _FLOPS),
        *rankings(found, printed, NAMES),
    ]
    notes = training_notes(setup, GOMOKUNET, results)
    chart = curves_chart("Top-1 accuracy during training", results, _NETS, TOP1)
    return Findings(tuple(tables), tuple(verdicts), (chart,), notes)


def _printed_table(printed: dict[str, dict[str, float]]) -> ReportTable:
    columns = ("gflops", *NAMES)
    rows = tuple((name, *(row[column] for column in columns)) for name, row in printed.items())
    return ReportTable("Table I as printed", ("net", *columns), rows)


EXPERIMENT = Experiment(
    "gomokunet-1",
    "GomokuNet against five other nets on human renju games",
    plan,
    report,
    cost={"tiny": "2 min, CPU", "small": "34 min, GPU", "paper": "2000 min, GPU"},
    data=("renju",),
    differences=(
        "The games are another collection; one game in ten is for validation.",
        "The value has three outputs (win, loss, draw); the loss is the squared error of win minus"
        " loss. The paper does not describe its value head.",
        "The paper gives neither the batch nor the weights of the losses.",
        "At scale small the trained nets have half of the filters; parameters and multiply-adds are"
        " those of the paper's size.",
    ),
)
