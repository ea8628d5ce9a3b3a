# SPDX-License-Identifier: MIT
"""Reports of experiments: what they say about results that are written here."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tengen.experiments.experiment import DataSource, Findings, Setup, StepResults, find_experiment
from tengen.experiments.go_tournaments import _residual_below, _win_rates
from tengen.experiments.measured import EloTable, Measured
from tengen.experiments.report import (
    Report,
    html,
    make_report,
    markdown,
    to_dict,
    write_summary,
)
from tengen.experiments.step import Step
from tengen.experiments.steps.nets import SpeedStep
from tengen.experiments.store import StepStore
from tengen.experiments.verdicts import Verdict

GIVEN = {"renju": DataSource("abc"), "selfplay": DataSource("def")}


def write(store: StepStore, step: Step, result: Mapping[str, Any], device: str = "") -> None:
    store.folder(step).mkdir(parents=True, exist_ok=True)
    store.write(step, result, 1.0, device)


def findings(store: StepStore, name: str, setup: Setup) -> Findings:
    experiment = find_experiment(name)
    return experiment.report(setup, StepResults(store, experiment.plan(setup)))


def verdict(found: Findings, start: str) -> Verdict:
    return next(one for one in found.verdicts if one.claim.startswith(start))


def tournament(elo: Mapping[str, float], error: float) -> dict[str, Any]:
    names = list(elo)
    pairs = [(a, b) for n, a in enumerate(names) for b in names[n + 1 :]]
    return {
        "players": names,
        "elo": list(elo.values()),
        "error": [error] * len(names),
        "differences": [[a, b, elo[a] - elo[b], error] for a, b in pairs],
        "meetings": [[a, b, 8, 0.5, 0.2] for a, b in pairs],
    }


def trained(accuracy: float) -> dict[str, Any]:
    values = {"policy_top1": accuracy, "scalar": 1.0 - accuracy, "win_mse": 0.5 - accuracy}
    return {"validation": {"raw": values}, "draws": {}}


# --- what a report is about ---


@pytest.mark.parametrize(
    ("scale", "data", "machinery"),
    [("tiny", GIVEN, True), ("small", {}, True), ("small", GIVEN, False)],
)
def test_runs_of_the_machinery_are_marked(
    scale: Any, data: Mapping[str, DataSource], machinery: bool, tmp_path: Path
) -> None:
    report = make_report(StepStore(tmp_path), "renju-nets", Setup(scale, data))
    write_summary([report], tmp_path)
    summary = (tmp_path / "README.md").read_text("utf-8")
    for text in (markdown(report), html(report)):
        assert ("Verdicts (machinery only)" in text) == machinery
        assert ("no evidence about a paper" in text) == machinery
    assert to_dict(report)["machinery_only"] == machinery
    assert ("(machinery only) | ranking by accuracy" in summary) == machinery
    assert f"- scale: {scale}" in summary
    assert "- data: " in summary


@pytest.mark.parametrize("name", ["go-params", "go-speed"])
def test_exact_verdicts_need_neither_scale_nor_data(name: str, tmp_path: Path) -> None:
    report = make_report(StepStore(tmp_path), name, Setup("tiny"))
    assert report.is_machinery_only == (name == "go-speed")


def test_runs_without_trained_nets_need_no_data(tmp_path: Path) -> None:
    assert not make_report(StepStore(tmp_path), "go-speed", Setup("small")).is_machinery_only


def test_failed_steps_are_shown(tmp_path: Path) -> None:
    store, setup = StepStore(tmp_path), Setup("small", GIVEN)
    step = find_experiment("renju-nets").plan(setup)["Both colors 4rblocks"]
    store.folder(step).mkdir(parents=True)
    store.write_failure(step, "it lacks\na device")
    report = make_report(store, "renju-nets", setup)
    fact = f"failed: {step.title}: it lacks a device"
    assert f"- {fact}\n" in markdown(report)
    assert f"<li>{fact}</li>" in html(report)
    assert to_dict(report)["failed"] == [fact]
    write_summary([report], tmp_path)
    assert f"renju-nets: {fact}" in (tmp_path / "README.md").read_text("utf-8")
    write(store, step, trained(0.5))
    assert make_report(store, "renju-nets", setup).failed == ()


# --- renju ---


def renju_nets(path: Path, labels: Iterable[str]) -> Report:
    setup, store = Setup("small", GIVEN), StepStore(path)
    plan = find_experiment("renju-nets").plan(setup)
    for number, label in enumerate(labels):
        write(store, plan[label], trained(0.4 + 0.01 * number))
    write(store, plan["tournament"], tournament({"Both colors 2rblocks": 50.0}, 9.0))
    return make_report(store, "renju-nets", setup)


def test_absolute_numbers_on_other_data_are_not_compared(tmp_path: Path) -> None:
    labels = [*(f"Both colors {n}rblocks" for n in (4, 8))]
    labels += [f"Both colors 4rblocks, seed {seed}" for seed in (2, 3)]
    report = renju_nets(tmp_path, labels)
    ours, differences = to_dict(report)["tables"]
    assert not any("paper" in head for head in ours["columns"])
    heads, rows = differences["columns"], {row[0]: row for row in differences["rows"]}
    row = dict(zip(heads, rows["Both colors 8rblocks"], strict=True))
    assert row["accuracy, paper"] == pytest.approx(0.0071)
    assert row["accuracy, ours"]["value"] == pytest.approx(0.01)
    assert row["squared error / 4, paper"] == pytest.approx(0.2153 - 0.2082)
    assert row["squared error / 4, ours"]["value"] == pytest.approx(-0.01 / 4)
    assert row["Elo, paper"] == 1809 - 1573
    assert row["Elo, ours"] is None
    text = markdown(report)
    assert not any(number in text for number in ("0.5617", "0.2082", "1,573"))


def test_a_stand_in_is_not_the_program_of_the_paper(tmp_path: Path) -> None:
    setup, store = Setup("small", GIVEN), StepStore(tmp_path)
    plan = find_experiment("renju-search").plan(setup)
    elo = {"MCTS": 300.0, "Policy": 0.0, "classical-paper": -900.0, "PVS": -400.0}
    write(store, plan["Table 2"], tournament(elo, 10.0))
    found = findings(store, "renju-search", setup)
    # The stand-in is the last one; PELA was ahead of PVS.
    assert verdict(found, "Table 2").outcome == "yes"
    row = next(row for row in found.tables[0].rows if row[0] == "classical-paper")
    assert row[-2:] == (Measured(-900.0, 10.0), "")


# --- speeds ---


def speed_findings(path: Path, values: Mapping[str, float], spread: float = 0.001) -> Findings:
    """Of go-speed, where each net has these batches per second, by turns less and more."""
    setup, store = Setup("small"), StepStore(path)
    factors = [1 - spread, 1.0, 1 + spread]
    for step in find_experiment("go-speed").plan(setup).values():
        assert isinstance(step, SpeedStep)
        rounds = {name: [values[name] * x for x in factors] for name in step.nets if name in values}
        write(store, step, {"batches_per_second": rounds}, "A")
    return findings(store, "go-speed", setup)


def by_size(names: Iterable[str]) -> dict[str, float]:
    sizes = {name: map(int, name.split(" x ")) for name in names if " x " in name}
    return {name: 1e6 / math.prod(size) for name, size in sizes.items()}


def all_nets() -> list[str]:
    step = find_experiment("go-speed").plan(Setup("small"))["gpu"]
    assert isinstance(step, SpeedStep)
    return list(step.nets)


def test_some_speeds_confirm_nothing(tmp_path: Path) -> None:
    found = speed_findings(tmp_path, by_size(("64 x 16", "64 x 32", "96 x 16")))
    falls = verdict(found, "Table V: device: speed falls")
    assert (falls.outcome, falls.detail[:12]) == ("undecided", "3 of 42 rows")


def test_a_deeper_net_that_is_faster_is_a_contradiction(tmp_path: Path) -> None:
    found = speed_findings(tmp_path, by_size(all_nets()) | {"64 x 32": 1e6})
    falls = [one for one in found.verdicts if "speed falls" in one.claim]
    assert [one.outcome for one in falls] == ["no"]
    assert "Table V:" in falls[0].claim  # Table VI of the paper contradicts itself
    assert "64 x 16 > 64 x 32" in falls[0].detail


def test_what_slows_a_round_down_slows_all_nets(tmp_path: Path) -> None:
    """Each net loses or gains a third in a round, but so do all."""
    found = speed_findings(tmp_path, by_size(all_nets()), 0.33)
    assert verdict(found, "Table V: device: speed falls").outcome == "yes"
    measured = found.tables[0].rows[0][1]
    assert isinstance(measured, Measured)
    assert measured.error == pytest.approx(0.33 * measured.value)


# --- the rest ---


@pytest.mark.parametrize(("error", "outcome"), [(20.0, "yes"), (45.0, "undecided")])
def test_the_best_of_many_nets_is_not_one_chosen_before(error: float, outcome: str) -> None:
    elo = {f"se.{n}": 0.0 for n in range(23)} | {"se.0": 50.0, "residual.20.256": 0.0}
    table = EloTable.of(tournament(elo, error))
    printed = dict.fromkeys(elo, 0.0)
    assert _residual_below("", table, printed).outcome == outcome
    more = {**printed, "residual.40.256": 0.0}
    found = _residual_below("", table, more)
    assert (found.outcome, found.detail[:13]) == ("undecided", "24 of 25 rows")


def test_a_residual_net_above_all_mobile_nets() -> None:
    table = EloTable.of(tournament({"se.1": 0.0, "se.2": 10.0, "residual": 90.0}, 20.0))
    printed = {"se.1": 1.0, "se.2": 2.0, "residual": 0.0}
    assert _residual_below("", table, printed).outcome == "no"
    assert _residual_below("", table, {**printed, "se.3": 3.0}).outcome == "undecided"


def test_errors_of_win_rates_come_from_pairs() -> None:
    meetings = [["a", "b", 8, 0.75, 0.3], ["a", "c", 8, 0.25, 0.4], ["b", "c", 8, 0.5, 0.1]]
    rates = _win_rates({"players": ["a", "b", "c"], "meetings": meetings})
    assert rates["a"].value == 0.5
    assert rates["a"].error == pytest.approx(0.25)


def test_one_run_says_nothing_about_learning(tmp_path: Path) -> None:
    found = findings(StepStore(tmp_path), "gomokunet-zero", Setup())
    assert not any("faster" in one.claim for one in found.verdicts)


def test_counts_name_the_misprint(tmp_path: Path) -> None:
    setup, store = Setup(), StepStore(tmp_path)
    numbers = {str(row[0]): row[2] for row in findings(store, "go-params", setup).tables[0].rows}
    for label, step in find_experiment("go-params").plan(setup).items():
        write(store, step, {"keras": numbers[label]})
    found = findings(store, "go-params", setup)
    assert [one.outcome for one in found.verdicts] == ["yes", "yes"]
    assert verdict(found, "parameters of the mobile").detail == (
        "23 as printed, 1 misprint corrected"
    )


def test_a_fitted_parameter_is_no_check(tmp_path: Path) -> None:
    found = findings(StepStore(tmp_path), "go-depth-width", Setup("small", GIVEN))
    assert not any(one.kind == "exact" for one in found.verdicts)
    assert any("p2" in note and "1.39" in note for note in found.notes)


def gpuct_findings(path: Path, tau: float) -> Findings:
    """All gauntlets of generalised PUCT won by it, with a fit of this tau."""
    setup, store = Setup(), StepStore(path)
    for label, step in find_experiment("go-gpuct").plan(setup).items():
        if label == "fit":
            write(store, step, {"best": {"16": 1.0}, "tau": tau, "c": 1.0})
        elif label.startswith("gpuct"):
            others = [f"PUCT {c:g}" for c in (0.7, 1.0, 1.4)]
            meetings = [["GPUCT", other, 100, 0.6, 0.02] for other in others]
            write(store, step, {"players": ["GPUCT", *others], "meetings": meetings})
    return findings(store, "go-gpuct", setup)


@pytest.mark.parametrize(("tau", "outcome"), [(0.7, "yes"), (0.5, "undecided")])
def test_a_fit_that_is_puct_says_nothing_about_generalised_puct(
    tau: float, outcome: str, tmp_path: Path
) -> None:
    found = gpuct_findings(tmp_path, tau)
    claims = [one for one in found.verdicts if "generalised PUCT beats" in one.claim]
    assert len(claims) == 6
    assert {one.outcome for one in claims} == {outcome}


def test_the_paper_s_fit_is_exact_on_its_grid(tmp_path: Path) -> None:
    found = findings(StepStore(tmp_path), "go-gpuct", Setup())
    exact = next(one for one in found.verdicts if one.kind == "exact")
    assert (exact.outcome, exact.detail) == ("yes", "2 of 2 equal")


def test_reports_are_plain_json(tmp_path: Path) -> None:
    report = renju_nets(tmp_path, ["Both colors 4rblocks"])  # one seed: errors are not known
    assert "Infinity" not in json.dumps(to_dict(report))
