# SPDX-License-Identifier: MIT
"""Numbers of experiments: the papers' tables, verdicts, fits, cells of reports."""

from __future__ import annotations

import math
import random

import pytest

from tengen.experiments.classical_depth import _printed as classical_scores
from tengen.experiments.experiment import NAMES, cell_text, find_experiment
from tengen.experiments.go_depth_width import formula
from tengen.experiments.go_gpuct import _paper_best, fit
from tengen.experiments.papers import PAPERS, Paper, PaperItem, all_items, paper
from tengen.experiments.verdicts import (
    Measured,
    exact,
    fit_curve,
    pareto_front,
    ranking,
    seed_error,
    sign,
    within,
)
from tengen.util.errors import BadConfig

ITEMS = {f"{one.id} {item.name}": (one, item) for one, item in all_items()}


@pytest.mark.parametrize("name", ITEMS)
def test_every_item_has_an_experiment_or_a_reason(name: str) -> None:
    item = ITEMS[name][1]
    assert bool(item.experiment) != bool(item.reason)
    for one in filter(None, (item.experiment, *item.also)):
        assert find_experiment(one).name == one


def test_every_experiment_reproduces_something() -> None:
    reproduced = {name for _, item in all_items() for name in (item.experiment, *item.also)}
    assert reproduced - {""} == set(NAMES)


@pytest.mark.parametrize("name", PAPERS)
def test_names_of_items_are_unique(name: str) -> None:
    names = [item.name for item in paper(name).item]
    assert len(set(names)) == len(names)
    assert paper(name).named(names[0]).name == names[0]
    with pytest.raises(BadConfig, match="did you mean"):
        paper(name).named(names[-1] + "x")


def test_numbers_of_the_papers() -> None:
    mobile = paper("mobilenet")
    assert mobile.named("Table III").column("parameters")["residual.20.256"] == 23_642_469
    assert len(mobile.named("Table IV").matrix()) == 24
    assert mobile.named("Table IV").matrix()["160 x 64"] == 20_963_461  # misprint corrected
    assert len(mobile.named("Table VII").matrix()) == 23
    assert paper("gomokunet").named("Table I").column("top_1")["KataNet"] == 51.33
    assert paper("gomokunet").named("Table II").column("mse")["UA RB PAM"] == 0.748
    assert paper("renju").named("Table 1").column("elo")["Both colors 8rblocks"] == 1809
    scores = classical_scores()
    assert scores["depth 5", "depth 4"] == 1.0
    assert scores["depth 2", "depth 3"] == 1 / 6
    assert all(math.isclose(share + scores[b, a], 1.0) for (a, b), share in scores.items())


def test_broken_items_are_errors() -> None:
    with pytest.raises(BadConfig, match="row"):
        PaperItem("T", experiment="x", columns=("a", "b"), rows=((1,),))
    with pytest.raises(BadConfig, match="reason"):
        PaperItem("T")
    with pytest.raises(BadConfig, match="unknown key"):
        Paper.from_dict({"id": "x", "title": "", "authors": "", "items": []})


# --- verdicts ---


def test_exact() -> None:
    printed = {"a": 1.0, "b": 2.0}
    assert exact("", {"a": 1, "b": 2}, printed).outcome == "yes"
    assert exact("", {"a": 1, "b": 3}, printed).outcome == "no"
    assert "b" in exact("", {"a": 1, "b": 3}, printed).detail
    assert exact("", {"a": 1}, printed).outcome == "undecided"
    assert exact("", {}, printed).outcome == "not run"


def test_within() -> None:
    assert within("", {"a": 1.02}, {"a": 1.0}, 0.03).outcome == "yes"
    assert within("", {"a": 1.02, "b": 5}, {"a": 1.0, "b": 4.0}, 0.03).outcome == "no"
    assert within("", {}, {"a": 1.0}, 0.03).outcome == "not run"


@pytest.mark.parametrize(
    ("value", "error", "outcome"),
    [(1, 0.5, "yes"), (-1, 0.5, "no"), (1, 1, "undecided"), (1, math.inf, "undecided")],
)
def test_sign(value: float, error: float, outcome: str) -> None:
    assert sign("", Measured(value, error)).outcome == outcome
    assert sign("", None).outcome == "not run"


def test_ranking() -> None:
    printed = {"a": 3.0, "b": 2.0, "c": 1.0}

    def judged(error: float, *values: float, higher: bool = True) -> str:
        ours = {name: Measured(value, error) for name, value in zip("abc", values, strict=True)}
        return ranking("", ours, printed, higher=higher).outcome

    assert judged(0.1, 30, 20, 10) == "yes"
    assert judged(0.1, 30, 10, 20) == "no"
    assert judged(8, 30, 20, 10) == "yes"  # neighbours are undecided, the ends are decided
    assert judged(50, 30, 20, 10) == "undecided"
    assert judged(50, 10, 20, 30) == "undecided"
    assert judged(0.1, 10, 20, 30, higher=False) == "no"  # of losses, a is the worst in the paper
    assert ranking("", {}, printed).outcome == "not run"
    assert ranking("", {"a": Measured(1)}, printed).outcome == "not run"
    assert ranking("", {"a": Measured(1), "b": Measured(0)}, {"a": 1, "b": 1}).outcome == "not run"


def test_error_of_seeds() -> None:
    assert math.isinf(seed_error([0.5]))
    # Student's 97.5% quantile with two degrees of freedom is 4.303.
    assert math.isclose(seed_error([1.0, 2.0, 3.0]), 4.303, rel_tol=1e-3)
    rng = random.Random(1)
    many = [rng.gauss(0, 1) for _ in range(2000)]
    assert math.isclose(seed_error(many), 1.96, rel_tol=0.05)


def test_pareto_front() -> None:
    points = {"fast": (9.0, 1.0), "good": (1.0, 9.0), "both": (5.0, 5.0), "bad": (4.0, 4.0)}
    assert pareto_front(points) == ["fast", "good", "both"]
    assert pareto_front({"a": (1.0, 0.2), "b": (2.0, 0.1)}, higher=False) == ["b"]
    assert pareto_front({"a": (1.0, 1.0), "b": (1.0, 1.0)}) == ["a", "b"]


def test_fit_curve_finds_the_parameters_of_the_formula() -> None:
    wanted = [60.0, 50.0, 30.0, 800.0, 400.0]
    points = {(d, w): formula(wanted, d, w) for d in (4, 8, 16, 32) for w in (16, 32, 64)}

    def loss(p: list[float]) -> float:
        return sum((formula(p, d, w) - value) ** 2 for (d, w), value in points.items())

    found, least = fit_curve(loss, [50.0, 20.0, 20.0, 500.0, 300.0])  # type: ignore[arg-type]
    assert least < 0.01
    assert math.isclose(found[0], 60.0, rel_tol=0.02)


def test_fit_of_gpuct() -> None:
    best = _paper_best()
    assert best == {16: 0.05, 32: 0.15, 64: 0.15, 128: 0.20, 256: 0.20, 512: 0.25}
    tau, c = fit(best)
    assert math.isclose(tau, 0.737, rel_tol=0.02)  # the paper searched a grid of 0.001
    assert math.isclose(c, 0.057, rel_tol=0.06)
    tau, c = fit({d: 2.0 * d**0.2 for d in (16, 64, 256)})
    assert math.isclose(tau, 0.7)
    assert math.isclose(c, 2.0)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ("x", "x"),
        (1_234_567, "1,234,567"),
        (0.123456, "0.1235"),
        (12_345.6, "12,346"),
        (Measured(0.5, 0.01), "0.5000 ± 0.0100"),
        (Measured(12.345, 1.0), "12.35 ± 1.00"),
    ],
)
def test_cells(value: object, text: str) -> None:
    assert cell_text(value) in (text, text.replace("12.35", "12.34"))
