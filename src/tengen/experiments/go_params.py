# SPDX-License-Identifier: MIT
"""Tables III and IV of the Go paper: parameters of residual nets and mobile nets."""

from __future__ import annotations

from typing import Any

from tengen.experiments.experiment import Experiment, Findings, ReportTable, Setup, StepResults
from tengen.experiments.go_nets import RESIDUAL, blocks_filters, mobile, residual, width_depth
from tengen.experiments.papers import paper
from tengen.experiments.step import Step
from tengen.experiments.steps.nets import CountStep
from tengen.experiments.verdicts import exact

_PLANES = 21  # of Go in the paper


def _net(label: str) -> dict[str, Any]:
    if label in RESIDUAL:
        net = residual(*blocks_filters(label), _PLANES)
    else:
        width, depth = width_depth(label)
        net = mobile(depth, width, _PLANES)
    return {**net, "output": "win"}


def _printed() -> dict[str, float]:
    item = paper("mobilenet")
    return item.named("Table III").column("parameters") | item.named("Table IV").matrix()


def plan(setup: Setup) -> dict[str, Step]:
    return {label: CountStep(_net(label)) for label in _printed()}


def report(setup: Setup, results: StepResults) -> Findings:
    printed = _printed()
    ours = {label: results.value(label, "keras") for label in printed}
    done = {label: value for label, value in ours.items() if value is not None}
    rows = tuple((label, ours[label], int(value)) for label, value in printed.items())
    misprints = {
        f"{fault.row} x {fault.column}": fault
        for fault in paper("mobilenet").named("Table IV").misprint
    }
    note = "; ".join(
        f"{label}: the paper prints {fault.printed:,}. {fault.reason}"
        for label, fault in misprints.items()
    )
    return Findings(
        (
            ReportTable(
                "Parameters (width x depth)",
                ("net", "ours", "paper"),
                rows,
                f"Counted as Keras does: four values for each channel of a norm. {note}",
            ),
        ),
        (
            exact(
                "parameters of the residual nets (Table III)", *_part(done, printed, " x ", False)
            ),
            exact(
                "parameters of the mobile nets (Table IV)",
                *_part(done, printed, " x ", True),
                corrected=misprints,
            ),
        ),
    )


def _part(
    ours: dict[str, float], printed: dict[str, float], mark: str, marked: bool
) -> tuple[dict[str, float], dict[str, float]]:
    labels = [label for label in printed if (mark in label) == marked]
    return {x: ours[x] for x in labels if x in ours}, {x: printed[x] for x in labels}


EXPERIMENT = Experiment(
    "go-params",
    "parameters of the residual and mobile nets for Go",
    plan,
    report,
    cost=dict.fromkeys(("tiny", "small", "paper"), "0.1 min, CPU"),
)
