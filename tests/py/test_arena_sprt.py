# SPDX-License-Identifier: MIT
"""The sequential test: published LLRs, a slow search for the same maximum, textbook cases."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.arena.elo import expected_share
from tengen.arena.sprt import Model, Sprt

FIVE_COUNTS = st.lists(st.integers(0, 500), min_size=5, max_size=5)
MODELS: tuple[Model, ...] = ("logistic", "normalised")

# LLR, bounds and counts of pairs: tests of Stockfish as fishtest printed them. Until 2021 its
# bounds were logistic, later normalised.
STOCKFISH: list[tuple[Model, float, float, float, tuple[int, ...]]] = [
    ("logistic", 2.95, -0.5, 1.5, (665, 4806, 9333, 4893, 747)),
    ("logistic", 2.98, 0.25, 1.75, (328, 4564, 15580, 4789, 371)),
    ("logistic", 2.94, -0.25, 1.25, (253, 4282, 17604, 4431, 286)),
    ("logistic", 2.97, 0.25, 1.25, (58, 3302, 33130, 3518, 84)),
    ("logistic", 2.96, -1.5, 0.5, (174, 2658, 10273, 2713, 178)),
    ("logistic", 3.01, -1.5, 0.5, (40, 1272, 12142, 1300, 30)),
    ("normalised", 2.95, 0, 2, (320, 12431, 27275, 12858, 316)),
    ("normalised", 2.96, 0.5, 2.5, (197, 45541, 117722, 46579, 228)),
    ("normalised", 2.94, 0.5, 2.5, (2, 5241, 18082, 5568, 3)),
    ("normalised", 2.96, -1.75, 0.25, (317, 12094, 28735, 12231, 319)),
    ("normalised", 2.94, -1.75, 0.25, (289, 26459, 62934, 26379, 331)),
]
# Values that fastchess is tested with. Two more there, of nothing but draws and nothing but wins,
# are not those of the maximum, as the search below shows, and so are left out.
FASTCHESS: list[tuple[Model, float, float, float, tuple[int, ...]]] = [
    ("normalised", 0.92, 0, 2, (36027, 68692, 36433)),
    ("normalised", 2.30, -1.75, 0.25, (10650, 20431, 10871)),
    ("logistic", -1.57, 0.5, 2.5, (21184, 40708, 21404)),
    ("logistic", -2.59, 0, 2, (57030, 106593, 57433)),
    ("normalised", 2.25, 0, 2, (365, 16618, 36229, 16974, 390)),
    ("normalised", 3.01, -1.75, 0.25, (127, 4883, 10712, 5150, 104)),
    ("logistic", -3.07, 0.5, 2.5, (223, 9863, 21279, 10037, 246)),
    ("logistic", -4.98, 0, 2, (871, 26175, 55983, 26678, 821)),
]


@pytest.mark.parametrize(("model", "llr", "elo0", "elo1", "counts"), STOCKFISH + FASTCHESS)
def test_published(
    model: Model, llr: float, elo0: float, elo1: float, counts: tuple[int, ...]
) -> None:
    assert Sprt(elo0, elo1, model=model).llr(counts) == pytest.approx(llr, abs=0.006)


def test_published_to_five_digits() -> None:
    # Raw statistics of a test of monty: 128 pairs.
    counts = (13, 37, 50, 25, 3)
    assert Sprt(0, 4, model="normalised").llr(counts) == pytest.approx(-0.54912, abs=1e-5)
    assert Sprt(0, 2.716).llr(counts) == pytest.approx(-0.53772, abs=1e-4)  # a rounded elo1


def test_bounds() -> None:
    assert Sprt(0, 5).upper == pytest.approx(2.94, abs=0.005)
    assert Sprt(0, 5).lower == -Sprt(0, 5).upper
    test = Sprt(0, 5, alpha=0.05, beta=0.1)
    assert (test.lower, test.upper) == pytest.approx((-2.25, 2.89), abs=0.005)


# --- against a slow search ---


def climbed(value: Callable[[list[float]], float], start: list[float]) -> float:
    """The greatest value near `start`: steps along each axis, ever smaller ones."""
    at, best, step = list(start), value(start), 0.3
    while step > 1e-8:
        moved = False
        for i in range(len(at)):
            for sign in (1, -1):
                trial = [x + sign * step * (j == i) for j, x in enumerate(at)]
                if (result := value(trial)) > best:
                    at, best, moved = trial, result, True
        if not moved:
            step /= 2
    return best


def slow_likelihood(counts: Sequence[float], model: Model, target: float) -> float:
    """The greatest log-likelihood with mean (or t) `target`.

    Free are the logarithms of all but the end that has to give: it is found by halving.
    """
    last = len(counts) - 1

    def distribution(free: list[float], end: float) -> list[float]:
        weights = [math.exp(f) for f in free] + [math.exp(end)]
        return [w / sum(weights) for w in weights]

    def measured(p: list[float]) -> float:
        mean = sum(q * i / last for i, q in enumerate(p))
        if model == "logistic":
            return mean - target
        return (
            mean
            - 0.5
            - target * math.sqrt(sum(q * (i / last - mean) ** 2 for i, q in enumerate(p)))
        )

    def value(free: list[float]) -> float:
        low, high = -30.0, 30.0  # more weight at the end is a greater mean
        for _ in range(70):
            middle = (low + high) / 2
            low, high = (
                (low, middle) if measured(distribution(free, middle)) > 0 else (middle, high)
            )
        p = distribution(free, low)
        if abs(measured(p)) > 1e-9 or min(p) <= 0:
            return -math.inf
        return sum(n * math.log(q) for n, q in zip(counts, p, strict=True))

    seen = [n or 1e-3 for n in counts]
    # The first stays at 0: only ratios count.
    return climbed(lambda free: value([0.0, *free]), [math.log(n / seen[0]) for n in seen[1:-1]])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("counts", [(3, 8, 20, 9, 5), (1, 30, 4, 2, 9), (20, 30, 25), (9, 2, 4)])
def test_the_maximum_is_the_one_that_a_slow_search_finds(
    model: Model, counts: tuple[int, ...]
) -> None:
    elo0, elo1 = -15.0, 45.0
    values = []
    for elo in (elo0, elo1):
        t = elo * math.log(10) / 800 * (math.sqrt(2) if len(counts) == 5 else 1)
        target = expected_share(elo) if model == "logistic" else t
        values.append(slow_likelihood(counts, model, target))
    result = Sprt(elo0, elo1, model=model).llr(counts)
    assert result == pytest.approx(values[1] - values[0], abs=2e-5)


# --- cases with a formula ---


@given(st.integers(1, 500), st.integers(1, 500), st.floats(-50, 0), st.floats(1, 60))
def test_games_without_draws_are_binomial(wins: int, losses: int, elo0: float, elo1: float) -> None:
    p0, p1 = expected_share(elo0), expected_share(elo1)
    expected = wins * math.log(p1 / p0) + losses * math.log((1 - p1) / (1 - p0))
    # The thousandth of a draw that stands for none may move it a little.
    assert Sprt(elo0, elo1).llr((losses, 0, wins)) == pytest.approx(expected, abs=2e-3)


@given(st.integers(1, 500), st.integers(1, 500))
def test_normalised_binomial(wins: int, losses: int) -> None:
    # (p - 1/2) / sqrt(p (1 - p)) = t means p = 1/2 + t / (2 sqrt(1 + t^2)).
    def share(elo: float) -> float:
        t = elo * math.log(10) / 800
        return 0.5 + t / (2 * math.sqrt(1 + t * t))

    p0, p1 = share(-10), share(30)
    expected = wins * math.log(p1 / p0) + losses * math.log((1 - p1) / (1 - p0))
    result = Sprt(-10, 30, model="normalised").llr((losses, 0, wins))
    assert result == pytest.approx(expected, abs=2e-3)


def test_nothing_but_wins() -> None:
    # All weight that is not needed elsewhere is at the top: N ln(s1 / s0), nearly.
    expected = 100 * math.log(expected_share(20) / expected_share(0))
    assert Sprt(0, 20).llr((0, 0, 0, 0, 100)) == pytest.approx(expected, abs=0.02)


# --- arbitrary counts ---


@pytest.mark.parametrize("model", MODELS)
@given(counts=FIVE_COUNTS)
@settings(max_examples=50)
def test_the_other_side_sees_the_opposite(model: Model, counts: list[int]) -> None:
    ours, theirs = Sprt(-5, 25, model=model), Sprt(-25, 5, model=model)
    assert ours.llr(counts) == pytest.approx(-theirs.llr(counts[::-1]), abs=1e-6)


@pytest.mark.parametrize("model", MODELS)
@given(counts=st.lists(st.integers(1, 500), min_size=5, max_size=5))
@settings(max_examples=50)
def test_twice_the_pairs_double_the_llr(model: Model, counts: list[int]) -> None:
    test = Sprt(0, 20, model=model)
    assert test.llr([2 * n for n in counts]) == pytest.approx(2 * test.llr(counts), abs=1e-6)


@pytest.mark.parametrize("model", MODELS)
@given(counts=FIVE_COUNTS, low=st.floats(-300, 250), width=st.floats(1, 50))
@settings(max_examples=100)
def test_always_a_number(model: Model, counts: list[int], low: float, width: float) -> None:
    test = Sprt(low, low + width, model=model)
    assert math.isfinite(test.llr(counts))
    assert test.decide(counts) in ("H0", "H1", None)
    assert 0 < test.expected_pairs(low, counts) < math.inf


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("n", [1, 3, 1000])
def test_constant_results(model: Model, n: int) -> None:
    test = Sprt(-10, 10, model=model)
    values = [test.llr([n * (i == place) for i in range(5)]) for place in range(5)]
    assert values == sorted(values)
    assert values[2] == pytest.approx(0, abs=1e-9)
    assert values[0] < 0 < values[4]


def test_without_a_result() -> None:
    assert Sprt(0, 5).llr((0,) * 5) == 0
    assert Sprt(0, 5).decide((0,) * 3) is None


def test_decisions() -> None:
    test = Sprt(0, 5)
    assert test.decide((100, 400, 1000, 800, 250)) == "H1"
    assert test.decide((250, 800, 1000, 400, 100)) == "H0"
    assert test.decide((10, 20, 40, 20, 10)) is None


def test_few_similar_pairs_decide_nothing() -> None:
    test = Sprt(-20, 40)
    few = (0, 0, 14, 5, 0)
    assert test.llr(few) > test.upper
    assert test.decide(few) is None
    assert test.decide([3 * n for n in few]) == "H1"


# --- how long it takes ---


def test_expected_pairs_by_hand() -> None:
    # Halfway between the bounds there is no drift: upper^2 / variance of a step, which is
    # (s1 - s0)^2 / variance of a pair.
    points = (0.1, 0.2, 0.4, 0.2, 0.1)  # variance 2 (0.1 / 4 + 0.2 / 16) = 0.075
    test = Sprt(-5, 5)
    step = expected_share(5) - expected_share(-5)
    assert test.expected_pairs(0, points) == pytest.approx(2.944439**2 * 0.075 / step**2, rel=1e-5)
    # At elo1: P(H1) = 95%, so the LLR is 0.9 * 2.944 at the end, and drifts by step^2 / 2 / 0.075.
    assert test.expected_pairs(5, points) == pytest.approx(
        0.9 * 2.944439 / (step**2 / 2 / 0.075), rel=1e-3
    )
    counts = [100 * p for p in points]
    assert test.expected_pairs(2, counts) == pytest.approx(test.expected_pairs(2, points))


@pytest.mark.parametrize("model", MODELS)
def test_expected_pairs_in_general(model: Model) -> None:
    points = (0.1, 0.2, 0.4, 0.2, 0.1)
    test = Sprt(0, 10, model=model)
    lengths = [test.expected_pairs(elo, points) for elo in (-30, 0, 5, 10, 40)]
    assert max(lengths) == lengths[2]
    assert lengths[0] < lengths[1]
    assert lengths[4] < lengths[3]
    around = [test.expected_pairs(5 + off, points) for off in (-1e-4, -1e-7, 0, 1e-7, 1e-4)]
    assert around == pytest.approx([around[2]] * 5, rel=1e-3)  # two formulas meet
    # Nearer to a bound less is left, beyond it nothing.
    assert test.expected_pairs(10, points, llr=2.5) < test.expected_pairs(10, points)
    assert test.expected_pairs(10, points, llr=test.upper) == 0
    assert 0 < test.expected_pairs(10, (0,) * 5) < math.inf
    assert test.expected_pairs(500, points) > 0


def test_simulated_tests_rarely_err() -> None:
    # Coarse, and with a seed; benchmarks/arena_statistics.py is the real thing.
    test = Sprt(-30, 30)
    rng = random.Random(3)
    share = expected_share(-30)
    bounds = list(accumulate((0.9 - share, 0.2, share - 0.1)))
    wrong = 0
    for _ in range(100):
        counts = [0, 0, 0]
        while (decision := test.decide(counts)) is None:
            for i in rng.choices(range(3), cum_weights=bounds, k=8):
                counts[i] += 1
        wrong += decision == "H1"
    assert wrong <= 12


# --- bad input ---


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"elo0": 5, "elo1": 5}, "less than elo1"),
        ({"elo0": 0, "elo1": math.inf}, "elo1: "),
        ({"elo0": math.nan, "elo1": 5}, "elo0: "),
        ({"elo0": 0, "elo1": 5, "alpha": 0}, "alpha: "),
        ({"elo0": 0, "elo1": 5, "beta": 0.5}, "beta: .* less than 0.5"),
        ({"elo0": 0, "elo1": 5, "model": "bayesian"}, "model: .*logistic, normalised"),
    ],
)
def test_bad_tests(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Sprt(**arguments)


@pytest.mark.parametrize("counts", [(), (1, 2), (1, 2, 3, 4), (1, 2, -3), (1, 2, math.nan)])
def test_bad_counts(counts: tuple[float, ...]) -> None:
    test = Sprt(0, 5)
    for call in (test.llr, test.decide, lambda c: test.expected_pairs(0, c)):
        with pytest.raises(ValueError, match=r"five .* or three"):
            call(counts)
