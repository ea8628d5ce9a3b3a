# SPDX-License-Identifier: MIT
"""Table 1 of the double dual ResNet paper: residual blocks, and one net per colour against one for
both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tengen.experiments.experiment import Experiment, Findings, ReportTable, Setup, StepResults
from tengen.experiments.measured import EloTable, Measured
from tengen.experiments.papers import paper
from tengen.experiments.recipes import RENJU, SEEDS, seed_label
from tengen.experiments.step import Step
from tengen.experiments.steps.data import data_step
from tengen.experiments.steps.matches import NetTournamentStep
from tengen.experiments.steps.nets import MergedStep, TrainStep
from tengen.experiments.trained import (
    SCALAR,
    TOP1,
    differences_table,
    measured,
    training_notes,
)
from tengen.experiments.verdicts import Verdict, ranking, sign

RULE, SIZE, SKIP = "renju", 15, 6
COLOURS = ("black", "white")
_SEPARATE, _BOTH = "Separate color", "Both colors"
_REFERENCE = f"{_BOTH} 4rblocks"
_TITLES = {TOP1: "accuracy", SCALAR: "squared error / 4"}
_FILTERS = {"tiny": 8, "small": 64, "paper": 256}
_GAMES = {"tiny": 2, "small": 64, "paper": 64}  # of each two nets


def row_labels() -> list[str]:
    return list(paper("renju").named("Table 1").table())


def _blocks(label: str) -> int:
    return int("".join(filter(str.isdigit, label)))


def _net(setup: Setup, blocks: int) -> dict[str, Any]:
    blocks = min(blocks, 2) if setup.scale == "tiny" else blocks
    return {
        "kind": "resnet", "blocks": blocks, "filters": _FILTERS[setup.scale], "heads": "alphazero"
    }  # fmt: skip


def trainings(setup: Setup, label: str, seed: int = 1) -> tuple[TrainStep, ...]:
    """The nets of a row: one, or black's and white's. Nets of one colour see half of the positions,
    and as many samples for each colour as a net for both.
    """
    data = data_step(setup, "renju", RULE, size=SIZE, skip=SKIP)
    net = _net(setup, _blocks(label))
    if label.startswith(_BOTH):
        return (RENJU.train(setup, net, data, label, seed=seed),)
    return tuple(
        RENJU.train(setup, net, data, label, seed=seed, colour=colour, share=0.5)
        for colour in COLOURS
    )


def plan(setup: Setup) -> dict[str, Step]:
    steps: dict[str, Step] = {}
    labels = row_labels()
    for label in labels:
        for seed in SEEDS[setup.scale] if label == _REFERENCE else (1,):
            nets = trainings(setup, label, seed)
            if len(nets) == 2:
                steps |= {f"{label} {net.colour}": net for net in nets}
                steps[label] = MergedStep(nets)
            else:
                steps[seed_label(label, seed)] = nets[0]
    steps["tournament"] = NetTournamentStep(
        tuple(labels),
        tuple(trainings(setup, label) for label in labels),
        RULE,
        SIZE,
        playouts=0,
        games=_GAMES[setup.scale],
    )
    return steps


def report(setup: Setup, results: StepResults) -> Findings:
    item = paper("renju").named("Table 1")
    columns = {name: item.column(name) for name in ("accuracy", "mse", "elo")}
    printed = {label: {k: column[label] for k, column in columns.items()} for label in row_labels()}
    accuracy = measured(setup, results, row_labels(), TOP1, _REFERENCE)
    # The paper divides the squared error of results of -1 and 1 by 4.
    squared = measured(setup, results, row_labels(), SCALAR, _REFERENCE)
    error = {label: one.times(0.25) for label, one in squared.items()}
    elo = EloTable.of(results.get("tournament"))
    rows = tuple(
        (label, accuracy.get(label), error.get(label), elo.elo.get(label)) for label in printed
    )
    verdicts = [
        ranking("ranking by accuracy", accuracy, columns["accuracy"]),
        ranking("ranking by squared error", error, columns["mse"], higher=False),
        ranking(
            "ranking by Elo of the policies", elo.elo, columns["elo"], difference=elo.difference
        ),
        *_separate("accuracy", partial(_gain, accuracy, 1.0)),
        *_separate("squared error", partial(_gain, error, -1.0)),
        *_separate("Elo", elo.difference),
    ]
    notes = training_notes(setup, RENJU, results)
    games = _GAMES[setup.scale]
    tables = (
        ReportTable(
            "Table 1, ours",
            ("net", *_TITLES.values(), "Elo"),
            rows,
            f"Elo: policies alone, {games} games of each two nets.",
        ),
        differences_table(
            {TOP1: accuracy, SCALAR: error},
            printed,
            _REFERENCE,
            {"accuracy": TOP1, "mse": SCALAR},
            titles=_TITLES,
            elo=elo,
        ),
    )
    return Findings(tables, tuple(verdicts), (), notes)


def _gain(found: Mapping[str, Measured], better: float, one: str, other: str) -> Measured | None:
    if one not in found or other not in found:
        return None
    return found[one].minus(found[other]).times(better)


def _separate(name: str, gain: Callable[[str, str], Measured | None]) -> list[Verdict]:
    """One net per colour against one for both, at equal depth."""
    return [
        sign(
            f"one net per colour is better, {_blocks(label)} blocks: {name}",
            gain(label, label.replace(_SEPARATE, _BOTH)),
        )
        for label in row_labels()
        if label.startswith(_SEPARATE)
    ]


EXPERIMENT = Experiment(
    "renju-nets",
    "residual nets of 0 to 8 blocks, one per colour or one for both",
    plan,
    report,
    cost={"tiny": "2 min, CPU", "small": "14 min, GPU", "paper": "1000 min, GPU"},
    data=("renju",),
    differences=(
        "The games are another collection; one game in ten is for validation.",
        "The paper does not give the number of filters; 64 at scale small.",
        "A net of one colour gets half of the samples, as many per colour as a net for both. The"
        " errors of all rows are those of the reference row.",
        "The value has three outputs; the loss is the squared error of win minus loss. The training"
        " settings are ours: the paper refers to AlphaGo Zero.",
        "The players also make an open four, besides a five and the defence against one.",
    ),
)
