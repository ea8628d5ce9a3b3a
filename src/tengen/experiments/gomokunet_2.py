# SPDX-License-Identifier: MIT
"""Table II of GomokuNet: its parts added one by one."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from tengen.experiments.experiment import Experiment, Findings, Setup, StepResults
from tengen.experiments.gomokunet_1 import NAMES, REFERENCE, RULE, SIZE, SKIP, nets
from tengen.experiments.papers import paper
from tengen.experiments.recipes import GOMOKUNET, SEEDS, seed_label
from tengen.experiments.step import Step
from tengen.experiments.steps.data import data_step
from tengen.experiments.trained import (
    TITLES,
    differences_table,
    measured_all,
    metrics_table,
    rankings,
    training_notes,
)
from tengen.experiments.verdicts import sign

_FULL = "UA RB PAM MFA"
_PARTS: dict[str, dict[str, bool]] = {
    "UA": {"residual": False, "pam": False, "aggregation": False},
    "UA RB": {"pam": False, "aggregation": False},
    "UA RB PAM": {"aggregation": False},
    _FULL: {},
}


def plan(setup: Setup) -> dict[str, Step]:
    data = data_step(setup, "renju", RULE, size=SIZE, skip=SKIP)
    net: dict[str, Any] = nets(setup)[REFERENCE]
    steps: dict[str, Step] = {}
    for label, parts in _PARTS.items():
        for seed in SEEDS[setup.scale] if label == _FULL else (1,):
            # The full net is the row of Table I: the same name makes it the same step.
            name = REFERENCE if label == _FULL else f"{REFERENCE} {label}"
            step = GOMOKUNET.train(setup, {**net, **parts}, data, name, seed=seed)
            steps[seed_label(label, seed)] = step
    return steps


def report(setup: Setup, results: StepResults) -> Findings:
    printed = {
        label: {column: float(row[column]) for column in NAMES}
        for label, row in paper("gomokunet").named("Table II").table().items()
    }
    found = measured_all(setup, results, _PARTS, NAMES.values(), _FULL)
    tables = (
        metrics_table("Table II, ours", results, found, dict.fromkeys(_PARTS, ())),
        differences_table(found, printed, _FULL, NAMES),
    )
    labels = list(_PARTS)
    verdicts = rankings(found, printed, NAMES)
    for before, after in pairwise(labels):
        part = after.split()[-1]
        for column, metric in (("top_1", NAMES["top_1"]), ("mse", NAMES["mse"])):
            better = 1.0 if column == "top_1" else -1.0
            one, two = found[metric].get(after), found[metric].get(before)
            gain = None
            if one is not None and two is not None:
                gain = one.minus(two).times(better)
            verdicts.append(sign(f"{part} improves the {TITLES[metric]}", gain))
    notes = training_notes(setup, GOMOKUNET, results)
    return Findings(tables, tuple(verdicts), (), notes)


EXPERIMENT = Experiment(
    "gomokunet-2",
    "what each part of GomokuNet adds",
    plan,
    report,
    cost={"tiny": "1 min, CPU", "small": "24 min, GPU", "paper": "800 min, GPU"},
    data=("renju",),
    differences=(
        "The games are another collection; one game in ten is for validation.",
        "The paper does not say what multi-scale feature aggregation adds to the UNet; here the"
        " heads read all levels of the decoder.",
    ),
)
