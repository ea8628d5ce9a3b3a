# SPDX-License-Identifier: MIT
"""Table 1 of the double dual ResNet paper: residual blocks, and one net per colour against one for
both.
"""

from __future__ import annotations

import math
from typing import Any

from tengen.experiments.experiment import Experiment, Findings, ReportTable, Setup, StepResults
from tengen.experiments.papers import paper
from tengen.experiments.recipes import RENJU, SEEDS
from tengen.experiments.step import Step
from tengen.experiments.steps.data import data_step
from tengen.experiments.steps.matches import NetTournamentStep
from tengen.experiments.steps.nets import TrainStep
from tengen.experiments.trained import SCALAR, TOP1, metric, seed_label, training_notes
from tengen.experiments.verdicts import Measured, Verdict, ranking, seed_error, sign

RULE, SIZE, SKIP = "renju", 15, 6
COLOURS = ("black", "white")
_SEPARATE, _BOTH = "Separate color", "Both colors"
_REFERENCE = f"{_BOTH} 4rblocks"
_FILTERS = {"tiny": 8, "small": 128, "paper": 256}
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
            for net in nets:
                name = f"{label} {net.colour}" if len(nets) > 1 else seed_label(label, seed)
                steps[name] = net
    steps["tournament"] = NetTournamentStep(
        tuple(labels),
        tuple(trainings(setup, label) for label in labels),
        RULE,
        SIZE,
        playouts=0,
        games=_GAMES[setup.scale],
    )
    return steps


def _metric(results: StepResults, label: str, name: str) -> float | None:
    """Of a row; the mean of both colours for separate nets."""
    if label.startswith(_BOTH):
        return metric(results, label, name)
    values = [metric(results, f"{label} {colour}", name) for colour in COLOURS]
    known = [value for value in values if value is not None]
    return sum(known) / 2 if len(known) == 2 else None


def _measured(setup: Setup, results: StepResults, name: str, scale: float) -> dict[str, Measured]:
    seeds = [
        value * scale
        for seed in SEEDS[setup.scale]
        if (value := metric(results, seed_label(_REFERENCE, seed), name)) is not None
    ]
    games = results.value(_REFERENCE, "game_errors", name) or 0.0
    error = math.hypot(seed_error(seeds), games * scale)
    return {
        label: Measured(value * scale, error)
        for label in row_labels()
        if (value := _metric(results, label, name)) is not None
    }


def report(setup: Setup, results: StepResults) -> Findings:
    printed = paper("renju").named("Table 1").table()
    accuracy = _measured(setup, results, TOP1, 1.0)
    # The paper divides the squared error of results of -1 and 1 by 4.
    error = _measured(setup, results, SCALAR, 0.25)
    elo = _elo(results)
    rows = tuple(
        (
            label,
            accuracy.get(label),
            error.get(label),
            elo.get(label),
            float(row["accuracy"]) / 100,
            row["mse"],
            row["elo"],
        )
        for label, row in printed.items()
    )
    heads: tuple[str, ...] = ("net", "accuracy", "squared error / 4", "Elo")
    heads += ("accuracy, paper", "squared error / 4, paper", "Elo, paper")
    columns = {name: {k: float(row[name]) for k, row in printed.items()} for name in
               ("accuracy", "mse", "elo")}  # fmt: skip
    verdicts = [
        ranking("ranking by accuracy", accuracy, columns["accuracy"]),
        ranking("ranking by squared error", error, columns["mse"], higher=False),
        ranking("ranking by Elo of the policies", elo, columns["elo"]),
        *_separate("accuracy", accuracy, 1.0),
        *_separate("squared error", error, -1.0),
        *_separate("Elo", elo, 1.0),
    ]
    notes = training_notes(setup, RENJU, results)
    games = _GAMES[setup.scale]
    table = ReportTable(
        "Table 1", heads, rows, f"Elo: policies alone, {games} games of each two nets."
    )
    return Findings((table,), tuple(verdicts), (), notes)


def _elo(results: StepResults) -> dict[str, Measured]:
    found = results.get("tournament")
    if found is None:
        return {}
    rows = zip(found["players"], found["elo"], found["error"], strict=True)
    return {player: Measured(elo, error) for player, elo, error in rows}


def _separate(name: str, found: dict[str, Measured], better: float) -> list[Verdict]:
    """One net per colour against one for both, at equal depth."""
    verdicts = []
    for label in row_labels():
        other = label.replace(_SEPARATE, _BOTH)
        if not label.startswith(_SEPARATE):
            continue
        gain = None
        if label in found and other in found:
            one, two = found[label], found[other]
            gain = Measured(better * (one.value - two.value), math.hypot(one.error, two.error))
        verdicts.append(
            sign(f"one net per colour is better, {_blocks(label)} blocks: {name}", gain)
        )
    return verdicts


EXPERIMENT = Experiment(
    "renju-nets",
    "residual nets of 0 to 8 blocks, one per colour or one for both",
    plan,
    report,
    minutes={"tiny": "2 min, CPU", "small": "12 min, GPU", "paper": "1000 min, GPU"},
    data=("renju",),
    differences=(
        "The games are another collection; one game in ten is for validation.",
        "The paper does not give the number of filters; 128 at scale small.",
        "A net of one colour gets half of the samples, as many per colour as a net for both. The"
        " errors of all rows are those of the reference row.",
        "The value has three outputs; the loss is the squared error of win minus loss. The training"
        " settings are ours: the paper refers to AlphaGo Zero.",
        "The players also make an open four, besides a five and the defence against one.",
    ),
)
