# SPDX-License-Identifier: MIT
"""Figures 1 and 2 of the Go paper: four nets of less than a million parameters during training."""

from __future__ import annotations

from typing import Any

from tengen.experiments.experiment import Experiment, Findings, ReportTable, Setup, StepResults
from tengen.experiments.go_params import mobile
from tengen.experiments.recipes import GO, SEEDS
from tengen.experiments.step import Step
from tengen.experiments.steps.data import data_step
from tengen.experiments.trained import (
    TOP1,
    WIN,
    curves_chart,
    measured_all,
    metrics_table,
    seed_label,
    training_notes,
)
from tengen.experiments.verdicts import ranking

_REFERENCE = "Polygames"
# The order that the text of the paper states, from worst to best.
_ORDER = {"AlphaZero": 1.0, "Polygames": 2.0, "Mobile": 3.0, "Mobile+SE": 4.0}


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
    steps: dict[str, Step] = {}
    for label, net in _nets(setup).items():
        for seed in SEEDS[setup.scale] if label == _REFERENCE else (1,):
            steps[seed_label(label, seed)] = GO.train(setup, net, data, label, seed=seed)
    return steps


def report(setup: Setup, results: StepResults) -> Findings:
    labels = list(_nets(setup))
    found = measured_all(setup, results, labels, (TOP1, WIN), _REFERENCE)
    table = metrics_table("After training", results, found, dict.fromkeys(labels, ()))
    verdicts = [
        ranking(
            f"{name}: Mobile+SE better than Mobile, Polygames, AlphaZero",
            found[metric],
            {label: sign * place for label, place in _ORDER.items()},
            higher=higher,
        )
        for name, metric, sign, higher in (
            ("accuracy", TOP1, 1.0, True),
            ("squared error", WIN, -1.0, False),
        )
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
    "mobile nets learn better than residual nets below a million parameters",
    plan,
    report,
    minutes={"tiny": "1 min, CPU", "small": "8 min, GPU", "paper": "4000 min, GPU"},
    data=("selfplay",),
    differences=(
        "Gomoku positions (freestyle 15x15, labels by search) instead of Go; 2 input planes"
        " instead of 21.",
        "The Polygames net has a 3x3 stem and two norms per block.",
        "The value has three outputs (win, loss, draw) instead of one; the loss is the binary"
        " cross-entropy of the win rate that follows from them.",
    ),
)
