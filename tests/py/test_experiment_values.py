# SPDX-License-Identifier: MIT
"""Numbers of experiments: the papers' tables, verdicts, fits, cells of reports."""

from __future__ import annotations

import math
import random

import pytest

from tengen.experiments.classical_depth import _printed as classical_scores
from tengen.experiments.experiment import NAMES, cell_text, find_experiment
from tengen.experiments.go_depth_width import formula
from tengen.experiments.go_gpuct import _ahead, _growth, _paper_best, fit
from tengen.experiments.measured import (
    EloTable,
    Measured,
    fit_curve,
    pareto_front,
    seed_error,
    student,
)
from tengen.experiments.papers import PAPERS, Paper, PaperItem, all_items, paper
from tengen.experiments.verdicts import dominated, every, exact, ranking, sign, within
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
    assert "1 of 2 rows" in exact("", {"a": 1}, printed).detail
    corrected = exact("", {"a": 1, "b": 2}, printed, corrected=["b"])
    assert corrected.detail == "1 as printed, 1 misprint corrected"
    assert exact("", {}, printed).outcome == "not run"


def test_within() -> None:
    assert within("", {"a": 1.02}, {"a": 1.0}, 0.03).outcome == "yes"
    assert within("", {"a": 1.02, "b": 5}, {"a": 1.0, "b": 4.0}, 0.03).outcome == "no"
    assert within("", {}, {"a": 1.0}, 0.03).outcome == "not run"
    part = within("", {"a": 1.02}, {"a": 1.0, "b": 2.0}, 0.03)
    assert (part.outcome, part.detail[:11]) == ("undecided", "1 of 2 rows")
    assert within("", {"a": 2.0}, {"a": 1.0, "b": 2.0}, 0.03).outcome == "no"


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
    assert judged(8, 30, 20, 10) == "undecided"  # neighbours; the ends are decided
    assert judged(50, 30, 20, 10) == "undecided"
    assert judged(50, 10, 20, 30) == "undecided"
    assert judged(0.1, 10, 20, 30, higher=False) == "no"  # of losses, a is the worst in the paper
    assert ranking("", {}, printed).outcome == "not run"
    assert ranking("", {"a": Measured(1)}, printed).outcome == "not run"
    assert ranking("", {"a": Measured(1), "b": Measured(0)}, {"a": 1, "b": 1}).outcome == "not run"


def test_a_ranking_of_some_rows_confirms_nothing() -> None:
    printed = {"a": 3.0, "b": 2.0, "c": 1.0}
    part = ranking("", {"a": Measured(2.0, 0.1), "c": Measured(1.0, 0.1)}, printed)
    assert part.outcome == "undecided"
    assert part.detail == "2 of 3 rows; of 1 pair: 1 yes, 0 no, 0 undecided"
    wrong = ranking("", {"a": Measured(1.0, 0.1), "c": Measured(2.0, 0.1)}, printed)
    assert wrong.outcome == "no"


def test_every() -> None:
    sure, unsure, wrong = Measured(3.0, 1.0), Measured(0.5, 1.0), Measured(-3.0, 1.0)
    assert every("", {"a": sure, "b": sure}).outcome == "yes"
    assert every("", {"a": sure, "b": unsure}).outcome == "undecided"
    assert every("", {"a": wrong, "b": unsure}).outcome == "no"
    assert "contradicted: a" in every("", {"a": wrong, "b": unsure}).detail
    assert every("", {}).outcome == "not run"
    edge = Measured(1.1, 1.0)
    assert every("", {"a": edge}).outcome == "yes"
    assert every("", {"a": edge, "b": edge}).outcome == "undecided"


@pytest.mark.parametrize(
    ("level", "freedom", "quantile"),
    [  # of tables of Student's distribution, two-sided
        (0.05, 1, 12.706),
        (0.05, 2, 4.303),
        (0.002, 2, 22.327),
        (0.05, 3, 3.182),
        (0.01, 4, 4.604),
        (0.05, 10, 2.228),
        (0.01, 30, 2.750),
        (0.05, math.inf, 1.960),
    ],
)
def test_quantiles_of_student(level: float, freedom: float, quantile: float) -> None:
    assert math.isclose(student(level, freedom), quantile, rel_tol=3e-4)


@pytest.mark.parametrize(("rows", "cases"), [(7, 1500), (15, 500)])
def test_rankings_of_equal_rows_are_decided_in_5_percent_of_all_cases(
    rows: int, cases: int
) -> None:
    """Each row is trained once, the first one with three seeds; the errors of all are its. Widened
    by quantiles of the normal distribution, 6.5% of the rankings of 7 rows and 11% of those of 15
    were decided.
    """
    rng = random.Random(1)
    decided = 0
    for _ in range(cases):
        seeds = [rng.gauss(0.0, 1.0) for _ in range(3)]
        values = [seeds[0], *(rng.gauss(0.0, 1.0) for _ in range(rows - 1))]
        error = seed_error(seeds)
        ours = {str(n): Measured.of_draws(x, [], error, 2) for n, x in enumerate(values)}
        printed = {name: float(number) for number, name in enumerate(ours)}
        decided += ranking("", ours, printed).outcome != "undecided"
    assert decided / cases <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / cases)


def test_only_the_error_of_seeds_is_student_s() -> None:
    draws = [n / 100 for n in range(-100, 101)]
    games = Measured.of_draws(0.0, draws, 0.0, 2)
    seeds = Measured.of_draws(0.0, [], 1.0, 2)
    both = Measured.of_draws(0.0, draws, 1.0, 2)
    assert math.isclose(games.widened(21) / games.error, 1.55, rel_tol=0.01)
    assert math.isclose(seeds.widened(21) / seeds.error, 4.755, rel_tol=0.01)
    assert math.isclose(both.widened(21), math.hypot(games.widened(21), seeds.widened(21)))
    assert both.widened(1) == both.error
    assert seeds.minus(both).freedom == 2


def test_errors_of_a_ranking_allow_for_the_number_of_pairs() -> None:
    for count, outcome in ((2, "yes"), (12, "undecided")):
        names = [str(n) for n in range(count)]
        printed = {name: float(-n) for n, name in enumerate(names)}
        ours = {name: Measured(0.0, 0.0) for name in names}
        # The ends differ by 1.2 of the 95% error of their difference, all others not at all.
        ours |= {names[0]: Measured(1.2, 1.0), names[-1]: Measured(0.0, 0.0)}
        verdict = ranking("", ours, printed)
        assert verdict.outcome == outcome


def test_what_the_games_do_to_both_cancels_in_a_difference() -> None:
    rng = random.Random(1)
    games = [rng.gauss(0.0, 1.0) for _ in range(400)]
    one = Measured.of_draws(5.0, [5.0 + x for x in games], 0.03)
    other = Measured.of_draws(4.0, [4.0 + x for x in games], 0.04)
    assert 1.5 < one.error < 2.5
    gap = one.minus(other)
    assert math.isclose(gap.value, 1.0)
    assert math.isclose(gap.error, 0.05)
    assert math.isclose(gap.times(-2.0).value, -2.0)
    assert math.isclose(gap.times(-2.0).error, 0.1)
    independent = one.minus(Measured(4.0, 2.0))
    assert math.isclose(independent.error, math.hypot(one.error, 2.0))
    assert one.minus(one) == Measured(0.0)


def test_differences_of_a_tournament_have_their_own_errors() -> None:
    result = {
        "players": ["a", "b", "c"],
        "elo": [50.0, 0.0, -50.0],
        "error": [40.0, 40.0, 40.0],
        "differences": [["a", "b", 50.0, 30.0], ["a", "c", 100.0, 30.0], ["b", "c", 50.0, 30.0]],
    }
    table = EloTable.of(result)
    assert table.elo["a"] == Measured(50.0, 40.0)
    assert table.difference("c", "a") == Measured(-100.0, 30.0)
    assert table.difference("a", "nobody") is None
    printed = {"a": 3.0, "b": 2.0, "c": 1.0}
    assert ranking("", table.elo, printed, difference=table.difference).outcome == "yes"
    # By the errors of the ratings alone no neighbours would be decided.
    wrong = ranking("", table.elo, {"b": 2.0, "a": 1.0}, difference=table.difference)
    assert wrong.outcome == "no"
    assert ranking("", table.elo, {"b": 2.0, "a": 1.0}).outcome == "undecided"
    assert EloTable.of(None).elo == {}


@pytest.mark.parametrize(
    ("speed", "quality", "error", "outcome"),
    [(2.0, 2.0, 0.1, "yes"), (2.0, 0.5, 0.1, "no"), (2.0, 1.1, 0.5, "undecided")],
)
def test_dominated(speed: float, quality: float, error: float, outcome: str) -> None:
    speeds = {"x": Measured(1.0, 0.01), "y": Measured(speed, 0.01), "slow": Measured(0.5, 0.01)}
    found = {"x": Measured(1.0, error), "y": Measured(quality, error), "slow": Measured(9.0, 0.0)}
    assert dominated("x", ["y", "slow"], speeds, found) == outcome
    losses = {name: one.times(-1.0) for name, one in found.items()}
    assert dominated("x", ["y", "slow"], speeds, losses, higher=False) == outcome


@pytest.mark.parametrize(("error", "outcome"), [(0.001, "yes"), (0.3, "undecided")])
def test_growth_of_the_best_constant(error: float, outcome: str) -> None:
    """The best constant doubles while the playouts grow 64 times; known well, or hardly at all."""
    best = {16: 0.7, 128: 1.0, 1024: 1.4}
    scores = {
        budget: {c: Measured(0.6 if c == one else 0.55, error) for c in best.values()}
        for budget, one in best.items()
    }
    assert sign("", _growth(fit(best)[0], scores)).outcome == outcome


def test_growth_is_not_surer_than_its_biased_fits() -> None:
    """Fits to drawn scores are near 0.9, that of the scores themselves is 1."""
    best = {16: 0.25, 128: 0.7, 1024: 2.0}
    scores = {
        budget: {c: Measured(0.6 if c == one else 0.55, 0.05) for c in best.values()}
        for budget, one in best.items()
    }
    assert sign("", _growth(fit(best)[0], scores)).outcome == "undecided"


def test_means_of_some_rows_decide_nothing() -> None:
    sure = Measured(0.9, 0.01)
    assert _ahead("", [sure, sure]).outcome == "yes"
    assert _ahead("", [sure, None]).outcome == "undecided"
    assert "1 of 2 rows" in _ahead("", [sure, None]).detail
    assert _ahead("", [None]).outcome == "not run"


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
    assert fit(best, places=3) == (0.737, 0.057)  # the paper searched a grid of 0.001
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
        (Measured(0.5, 0.012), "0.500 ± 0.012"),
        (Measured(-0.03, 0.00251), "-0.0300 ± 0.0025"),
        (Measured(1234.5, 88.2), "1,234 ± 88"),
        (Measured(0.5, math.inf), "0.5 ± ?"),
        (Measured(0.0), "0 ± 0"),
        (Measured(0.4513), "0.4513 ± 0"),
        (Measured(23_642_469.0), "23,642,469 ± 0"),
        (Measured(12_345.0, math.inf), "12,345 ± ?"),
    ],
)
def test_cells(value: object, text: str) -> None:
    assert cell_text(value) == text
