# SPDX-License-Identifier: MIT
"""SPSA: gains, played values, replay, convergence."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import pytest

from tengen.tune.parameters import BadTuning, Parameter
from tengen.tune.spsa import Spsa, SpsaState
from tune_fakes import PARAMETERS, NoProgressRecord, hill_of, made_plan, replay

NARROW = (Parameter("ONE", 3, 1, 6, 1), Parameter("HALF", 2.5, 0, 4, 0.5))


def test_gains_follow_the_usual_formulas() -> None:
    """Written as tuning frameworks do: a and c first, then a_k and c_k."""
    spsa = Spsa(PARAMETERS, 20_000, r_end=0.003)
    big_a = 0.1 * 20_000
    for entry in PARAMETERS:
        c = entry.step * 20_000**0.101
        a = 0.003 * entry.step**2 * (big_a + 20_000) ** 0.602
        for k in (1, 7, 5000, 20_000):
            a_k, c_k = a / (big_a + k) ** 0.602, c / k**0.101
            assert spsa.reach(k) * entry.step == pytest.approx(c_k)
            assert spsa.rate(k) * entry.step == pytest.approx(a_k / c_k)
    assert spsa.reach(20_000) == 1
    assert spsa.rate(20_000) == pytest.approx(0.003)


def test_an_update() -> None:
    spsa = Spsa(PARAMETERS, 100)
    spsa_state = SpsaState(spsa)
    spsa_state.apply(40, 2)
    signs = spsa.signs(40)
    wanted = [
        p.start + 2 * spsa.rate(40) * p.step * s for p, s in zip(PARAMETERS, signs, strict=True)
    ]
    assert spsa_state.theta == pytest.approx(wanted)
    spsa_state.apply(40, -2)
    assert spsa_state.theta == pytest.approx(spsa.start)
    assert spsa_state.noise == pytest.approx(
        [math.sqrt(8) * spsa.rate(40) * p.step for p in PARAMETERS]
    )
    spsa_state.apply(41, 0)
    assert spsa_state.theta == pytest.approx(spsa.start)


def test_signs_depend_only_on_seed_and_iteration() -> None:
    many = tuple(Parameter(f"P{n}", 5, 0, 10, 1) for n in range(40))
    spsa = Spsa(many, 1000)
    assert spsa.signs(7) == Spsa(many, 50, r_end=1).signs(7)
    assert spsa.signs(7) != spsa.signs(8)
    assert spsa.signs(7) != Spsa(many, 1000, seed=2).signs(7)
    total = sum(sum(spsa.signs(k)) for k in range(1, 501))
    assert abs(total) < 4 * math.sqrt(40 * 500)
    assert set(spsa.signs(1)) == {-1, 1}


@pytest.mark.parametrize("rounding", ["stochastic", "nearest"])
def test_played_values_are_integers_in_range(rounding: Any) -> None:
    spsa = Spsa((*PARAMETERS, *NARROW), 300, rounding=rounding)
    rng = random.Random(5)
    for k in range(1, 301):
        theta = [
            p.low + (p.high - p.low) * rng.choice([0, 1, rng.random()]) for p in spsa.parameters
        ]
        plus, minus = spsa.sides(theta, k)
        assert spsa.sides(theta, k) == (plus, minus)
        for p, high, low, value in zip(spsa.parameters, plus, minus, theta, strict=True):
            assert isinstance(high, int)
            assert p.low <= min(high, low) <= max(high, low) <= p.high
            inside = (
                p.low + spsa.reach(k) * p.step + 1 < value < p.high - spsa.reach(k) * p.step - 1
            )
            assert high != low or not inside


def test_stochastic_rounding_is_unbiased() -> None:
    one = (Parameter("X", 10.3, 0, 20, 1),)
    spsa = Spsa(one, 4000, gamma=0.0)
    sides = [spsa.sides([10.3], k) for k in range(1, 4001)]
    signs = [spsa.signs(k)[0] for k in range(1, 4001)]
    up = [plus[0] - 10.3 for (plus, _), sign in zip(sides, signs, strict=True) if sign > 0]
    assert sum(up) / len(up) == pytest.approx(1, abs=0.05)
    assert all(abs(plus[0] - minus[0]) == 2 for plus, minus in sides)
    assert {plus[0] for plus, _ in sides} == {9, 10, 11, 12}
    near = Spsa(one, 4000, gamma=0.0, rounding="nearest")
    assert {near.sides([10.3], k)[0][0] for k in range(1, 50)} == {9, 11}


def test_replay_is_exact_and_in_the_order_given() -> None:
    spsa = Spsa((*PARAMETERS, *NARROW), 500, r_end=0.3)
    rng = random.Random(3)
    results = [(k, rng.randint(-2, 2)) for k in rng.sample(range(1, 501), 500)]
    one, two = replay(spsa, results), replay(spsa, results)
    assert one.theta == two.theta
    part = replay(spsa, results[:200])
    for iteration, difference in results[200:]:
        part.apply(iteration, difference)
    assert part.theta == one.theta
    # The ends of the ranges make the order matter, so the event log keeps it.
    assert replay(spsa, sorted(results)).theta != one.theta


def test_values_stay_in_their_ranges() -> None:
    spsa = Spsa(NARROW, 50, r_end=5.0)
    spsa_state = SpsaState(spsa)
    for k in range(1, 51):
        spsa_state.apply(k, 2 if k % 3 else -2)
        for entry, value, whole in zip(NARROW, spsa_state.theta, spsa_state.values, strict=True):
            assert entry.low <= value <= entry.high
            assert entry.low <= whole <= entry.high


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_it_maximises_a_noisy_function(seed: int) -> None:
    """Four numbers, three and more steps off; the last one's best is beyond its range."""
    four = (
        Parameter("A", 100, 0, 400, 10),
        Parameter("B", 5, 1, 20, 1),
        Parameter("C", -300, -1000, 2000, 100),
        Parameter("D", 50, 0, 60, 5),
    )
    plan = made_plan(1500, parameters=four, r_end=0.01, seed=seed)
    hill = hill_of(plan, 140, 9, 0, 80, seed=seed)
    spsa_state = SpsaState(plan.spsa)
    for k in range(1, 1501):
        trial = plan.trial(k, *plan.spsa.sides(spsa_state.theta, k))
        spsa_state.apply(k, hill(trial, NoProgressRecord()).difference)
    off = [
        (v - t) / p.step for v, t, p in zip(spsa_state.theta, (140, 9, 0, 60), four, strict=True)
    ]
    assert max(abs(distance) for distance in off) < 1.0
    assert spsa_state.values[3] >= 59


def test_numbers_that_start_at_their_ends_can_leave_them() -> None:
    ends = (Parameter("LOW", 0, 0, 100, 5), Parameter("HIGH", 100, 0, 100, 5))
    plan = made_plan(1000, parameters=ends, r_end=0.02)
    hill = hill_of(plan, 25, 75)
    spsa_state = SpsaState(plan.spsa)
    for k in range(1, 1001):
        trial = plan.trial(k, *plan.spsa.sides(spsa_state.theta, k))
        spsa_state.apply(k, hill(trial, NoProgressRecord()).difference)
    assert spsa_state.theta == pytest.approx([25, 75], abs=8)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parameters": ()}, "nothing to tune"),
        ({"parameters": PARAMETERS * 2}, "twice"),
        ({"iterations": 0}, "iterations"),
        ({"iterations": 2.5}, "iterations"),
        ({"r_end": 0}, "r_end"),
        ({"r_end": "much"}, "r_end"),
        ({"alpha": math.nan}, "alpha"),
        ({"gamma": -1}, "gamma"),
        ({"stability": math.inf}, "stability"),
        ({"seed": -1}, "seed"),
        ({"rounding": "down"}, "rounding"),
    ],
)
def test_invalid_settings(change: dict[str, Any], message: str) -> None:
    with pytest.raises(BadTuning, match=message):
        replace(Spsa(PARAMETERS, 10), **change)


def test_settings_as_plain_values() -> None:
    spsa = Spsa(PARAMETERS, 10, seed=4, rounding="nearest")
    assert Spsa.from_dict(spsa.to_dict()) == spsa
    with pytest.raises(BadTuning, match="beta: unknown"):
        Spsa.from_dict(spsa.to_dict() | {"beta": 1})
    with pytest.raises(BadTuning, match=r"parameters: .*missing"):
        Spsa.from_dict({"iterations": 3})
    with pytest.raises(BadTuning, match=r"parameters\[0\].colour: unknown"):
        Spsa.from_dict(spsa.to_dict() | {"parameters": [{"name": "X", "colour": "red"}]})
