# SPDX-License-Identifier: MIT
"""What experiments with trained nets share: metrics with errors, differences to a reference row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from tengen.experiments.experiment import Chart, Curve, ReportTable, Setup, StepResults
from tengen.experiments.measured import EloTable, Measured, seed_error
from tengen.experiments.recipes import SEEDS, TrainRecipe, seed_label
from tengen.experiments.verdicts import Verdict, ranking

# Columns of the papers with the metrics of `tengen train` and whether higher is better.
TOP1, TOP5, TOP10 = "policy_top1", "policy_top5", "policy_top10"
SCALAR, WIN = "scalar", "win_mse"
HIGHER = {TOP1: True, TOP5: True, TOP10: True, SCALAR: False, WIN: False}
TITLES = {
    TOP1: "top-1",
    TOP5: "top-5",
    TOP10: "top-10",
    SCALAR: "squared error, results ±1",
    WIN: "squared error, win rate",
}
_KINDS = ("average", "raw")  # weights of a validation, the better first
_UNSEEN = "_unseen"
_PERCENT = 0.01


def metric(results: StepResults, label: str, name: str, *, unseen: bool = False) -> float | None:
    """The last validation of a training, on all positions or on those that are not in the training
    data; None if it is not done.
    """
    for kind in _KINDS:
        found = results.value(label, "validation", kind + (_UNSEEN if unseen else ""), name)
        if found is not None:
            return float(found)
    return None


def measured_all(
    setup: Setup,
    results: StepResults,
    labels: Iterable[str],
    names: Iterable[str],
    reference: str,
) -> dict[str, dict[str, Measured]]:
    """By metric and label, the trainings that are done, see `measured`."""
    wanted = list(labels)
    return {name: measured(setup, results, wanted, name, reference) for name in names}


def measured(
    setup: Setup, results: StepResults, labels: Iterable[str], name: str, reference: str
) -> dict[str, Measured]:
    """A metric of each row that is done. The error is that of the seeds of the reference row and of
    the validation games together.
    """
    rows = [metric(results, seed_label(reference, seed), name) for seed in SEEDS[setup.scale]]
    seeds = [value for value in rows if value is not None]
    by_seed, freedom = seed_error(seeds), max(1, len(seeds) - 1)
    found = {}
    for label in labels:
        value = metric(results, label, name)
        if value is not None:
            draws = results.value(label, "draws", name) or ()
            found[label] = Measured.of_draws(value, draws, by_seed, freedom)
    return found


def measured_speeds(results: StepResults, label: str) -> dict[str, Measured]:
    """Batches per second by net: the median of the rounds. Nets took turns in each round, so that
    what a round does to all of them cancels in a difference.
    """
    rounds = results.value(label, "batches_per_second") or {}
    return {name: Measured.of_draws(median(speeds), speeds, 0.0) for name, speeds in rounds.items()}


def metrics_table(
    title: str,
    results: StepResults,
    found: Mapping[str, Mapping[str, Measured]],
    rows: Mapping[str, Sequence[object]],
    heads: Sequence[str] = (),
) -> ReportTable:
    """Rows by label, their first cells given, with the metrics of each on all validation positions,
    and the first metric on the positions that are not in the training data.
    """
    first = next(iter(found))
    body = [
        (
            label,
            *cells,
            *(values.get(label) for values in found.values()),
            metric(results, label, first, unseen=True),
        )
        for label, cells in rows.items()
    ]
    titles = [TITLES[name] for name in found]
    return ReportTable(
        title,
        ("net", *heads, *titles, f"{titles[0]}, unseen"),
        tuple(body),
        "Errors are 95%: seeds of the reference row and validation games. Unseen: validation"
        " positions that are not in the training data up to symmetry.",
    )


def differences_table(
    ours: Mapping[str, Mapping[str, Measured]],
    printed: Mapping[str, Mapping[str, float]],
    reference: str,
    names: Mapping[str, str],
    *,
    titles: Mapping[str, str] = TITLES,
    elo: EloTable | None = None,
) -> ReportTable:
    """Differences of each row to a reference row, ours and the paper's, for metrics whose absolute
    values cannot be compared. `names`: our metric by the paper's column; `elo`: for its column
    `elo`. Accuracies of papers are in percent; other metrics are on the paper's scale.
    """
    rows = []
    for label in printed:
        cells: list[object] = [label]
        for column, name in names.items():
            here, there = ours[name].get(label), ours[name].get(reference)
            cells.append(None if here is None or there is None else here.minus(there))
            scale = _PERCENT if HIGHER[name] else 1.0
            cells.append(scale * (printed[label][column] - printed[reference][column]))
        if elo is not None:
            same = Measured(0.0) if label in elo.elo and label == reference else None
            cells.append(same or elo.difference(label, reference))
            cells.append(printed[label]["elo"] - printed[reference]["elo"])
        rows.append(tuple(cells))
    shown = [*(titles[name] for name in names.values()), *(["Elo"] if elo is not None else [])]
    heads = [f"{title}, {who}" for title in shown for who in ("ours", "paper")]
    return ReportTable(f"Differences to {reference}", ("net", *heads), tuple(rows))


def rankings(
    ours: Mapping[str, Mapping[str, Measured]],
    printed: Mapping[str, Mapping[str, float]],
    names: Mapping[str, str],
) -> list[Verdict]:
    """Whether each metric ranks the rows as the paper's column does."""
    return [
        ranking(
            f"ranking by {TITLES[name]}",
            ours[name],
            {label: row[column] for label, row in printed.items()},
            higher=HIGHER[name],
        )
        for column, name in names.items()
    ]


def curves_chart(title: str, results: StepResults, labels: Iterable[str], name: str) -> Chart:
    """A metric of validations during training, by samples."""
    curves = []
    for label in labels:
        rows = results.value(label, "curve") or []
        batch = (results.value(label, "samples") or 0) / max(1, results.value(label, "steps") or 1)
        points = tuple(
            (row["step"] * batch, row[name])
            for row in rows
            if row.get("weights") in _KINDS and name in row
        )
        curves.append(Curve(label, points))
    return Chart(title, "samples", TITLES[name], tuple(curves))


def training_notes(setup: Setup, recipe: TrainRecipe, results: StepResults) -> tuple[str, ...]:
    """The samples as a share of the paper's, and the cells that are empty."""
    left = [label for label in results.plan if results.get(label) is None]
    missing = (f"not run: {', '.join(left)}",) if left else ()
    return recipe.note(setup), *missing
