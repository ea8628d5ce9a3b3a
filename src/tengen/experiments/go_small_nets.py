# SPDX-License-Identifier: MIT
"""Figures 1 and 2 of the Go paper: four nets of less than a million parameters during training."""

from __future__ import annotations

from typing import Any

from tengen.experiments.experiment import Experiment, Findings, ReportTable, Setup, StepResults
from tengen.experiments.go_nets import mobile
from tengen.experiments.recipes import GO
from tengen.experiments.step import Step
from tengen.experiments.steps.data import data_step
from tengen.experiments.trained import (
    TITLES,
    TOP1,
    WIN,
    curves_chart,
    measured_all,
    metrics_table,
    training_notes,
)
from tengen.experiments.verdicts import every

_REFERENCE = "Polygames"
_BEST = "Mobile+SE"  # as the text of the paper states


def _nets(setup: Setup) -> dict[str, dict[str, Any]]:
    if setup.scale == "tiny":
        return {
            "AlphaZero": {"kind": "resnet", "blocks": 1, "filters": 8, "heads": "alphazero"},
            "Polygames": {"kind": "resnet", "blocks": 1, "filters": 8, "heads": "polygames"},
            "Mobile": mobile(1, 16, se=False),
            "Mobile+SE": mobile(1, 16),
        }
    return {
        "AlphaZero": {"kind": "resnet", "blocks": 10, "filters": 44, "heads": "alphazero"},
        "Polygames": {"kind": "resnet", "blocks": 13, "filters": 64, "heads": "polygames"},
        "Mobile": mobile(17, 64, se=False),
        "Mobile+SE": mobile(17, 64),
    }


def plan(setup: Setup) -> dict[str, Step]:
    data = data_step(setup, "selfplay", "freestyle")
    return {**GO.train_all(setup, _nets(setup), data, _REFERENCE)}


def report(setup: Setup, results: StepResults) -> Findings:
    labels = list(_nets(setup))
    found = measured_all(setup, results, labels, (TOP1, WIN), _REFERENCE)
    table = metrics_table("After training", results, found, dict.fromkeys(labels, ()))
    others = [label for label in labels if label != _BEST]
    verdicts = [
        every(
            f"{_BEST} has the better {TITLES[name]} than {', '.join(others)}",
            {
                f"{_BEST} > {other}": values[_BEST].minus(values[other]).times(sign)
                for other in others
                if _BEST in values and other in values
            },
            len(others),
        )
        for name, sign in ((TOP1, 1.0), (WIN, -1.0))
        for values in [found[name]]
    ]
    charts = (
        curves_chart("Figure 1: accuracy of the policy", results, labels, TOP1),
        curves_chart("Figure 2: squared error of the value", results, labels, WIN),
    )
    tables: tuple[ReportTable, ...] = (table,)
    notes = training_notes(setup, GO, results)
    return Findings(tables, tuple(verdicts), charts, notes)


EXPERIMENT = Experiment(
    "go-small-nets",
    "mobile and residual nets below a million parameters",
    plan,
    report,
    cost={"tiny": "1 min, CPU", "small": "11 min, GPU", "paper": "4000 min, GPU"},
    data=("selfplay",),
    differences=(
        "Gomoku positions (freestyle 15x15, labels by search) instead of Go; 2 input planes"
        " instead of 21.",
        "The Polygames net has a 3x3 stem and two norms per block.",
        "The value has three outputs (win, loss, draw) instead of one; the loss is the binary"
        " cross-entropy of the win rate that follows from them.",
    ),
)
