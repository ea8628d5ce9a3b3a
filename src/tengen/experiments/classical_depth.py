# SPDX-License-Identifier: MIT
"""Figure 8 of the classical paper: the fixed-depth player against itself at other depths, 20x20."""

from __future__ import annotations

from itertools import combinations

from tengen.experiments.experiment import Experiment, Findings, ReportTable, Setup, StepResults
from tengen.experiments.measured import EloTable, Measured, scores
from tengen.experiments.papers import paper
from tengen.experiments.step import Step
from tengen.experiments.steps.matches import EngineMatchStep
from tengen.experiments.verdicts import ranking, sign

_SIZE = 20
_DEPTHS = {"tiny": (1, 2, 3), "small": (2, 3, 4, 5), "paper": (2, 3, 4, 5)}
_PAIRS = {"tiny": 2, "small": 50, "paper": 3}  # openings for each two players


def _name(depth: int) -> str:
    return f"depth {depth}"


def plan(setup: Setup) -> dict[str, Step]:
    players = tuple(
        {"preset": "classical-paper", "name": _name(depth), "limit": {"depth": depth}}
        for depth in _DEPTHS[setup.scale]
    )
    match = EngineMatchStep(
        players,
        form="round-robin",
        rule="freestyle",
        size=_SIZE,
        pairs=_PAIRS[setup.scale],
        limit={"depth": 2},
        label="fixed depths, 20x20",
    )
    return {"match": match}


def report(setup: Setup, results: StepResults) -> Findings:
    found = results.get("match")
    ours = scores(found)
    names = [_name(depth) for depth in _DEPTHS[setup.scale]]
    printed = _printed()
    rows = tuple(
        (row, *("" if row == column else ours.get((row, column)) for column in names))
        for row in names
    )
    paper_rows = tuple(
        (row, *("" if row == column else printed.get((row, column)) for column in names))
        for row in names
    )
    elo = EloTable.of(found)
    pairs = [(f"depth {b}", f"depth {a}") for a, b in combinations(_DEPTHS[setup.scale], 2)]
    order = {name: float(_digit(name)) for name in elo.elo}
    verdicts = [
        ranking("a deeper search is stronger (Elo)", elo.elo, order, difference=elo.difference)
    ]
    verdicts += [
        sign(
            f"{deep} beats {shallow}",
            None if (m := ours.get((deep, shallow))) is None else Measured(m.value - 0.5, m.error),
        )
        for deep, shallow in pairs
    ]
    heads = ("score of the row against", *names)
    games = 2 * _PAIRS[setup.scale]
    return Findings(
        (
            ReportTable(f"Scores, {games} games each", heads, rows, "95% errors from pairs."),
            ReportTable("The paper's scores, 6 games each", heads, paper_rows),
        ),
        tuple(verdicts),
    )


def _printed() -> dict[tuple[str, str], float]:
    """The paper's scores of a row against a column. Its cells are those of the column's player."""
    scores = {}
    for row, cells in paper("classical").named("Figure 8").table().items():
        for column, cell in cells.items():
            parts = str(cell).split(" - ") if " - " in str(cell) else str(cell).split(":")
            if len(parts) == 2 and row.startswith("depth") and column.startswith("depth"):
                won, lost = (float(part) for part in parts)
                scores[_name(_digit(column)), _name(_digit(row))] = won / (won + lost)
    return scores


def _digit(name: str) -> int:
    return int("".join(filter(str.isdigit, name)))


EXPERIMENT = Experiment(
    "classical-depth",
    "fixed search depths against each other",
    plan,
    report,
    cost={"tiny": "1 min, CPU", "small": "0.2 min, 16 cores", "paper": "1 min, 2 cores"},
    differences=(
        "Balanced openings, played with both colours, instead of 6 games from the empty board.",
        "A result does not depend on the machine: the limit is the depth alone.",
    ),
)
