# SPDX-License-Identifier: MIT
"""Elo of a match: published numbers of other projects, cases computed by hand, and invariances."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.arena.elo import (
    Elo,
    elo_of_games,
    elo_of_pairs,
    expected_share,
    logistic_elo,
    normal_cdf,
    normalised_elo,
    pair_counts,
    percentile,
    student95,
)

FIVE_COUNTS = st.lists(st.integers(0, 2000), min_size=5, max_size=5)

# Counts of pairs, Elo and error, normalised Elo and error, LOS, as fishtest printed them (pull
# requests of Stockfish and others, 2022 to 2025).
FISHTEST = [
    ((168, 7012, 15622, 7035, 163), (0.08, 1.4, 0.15, 2.8, 0.542)),
    ((39, 5335, 18992, 5622, 12), (1.35, 1.2, 3.13, 2.8, 0.986)),
    ((1, 137, 4659, 203, 0), (2.22, 1.3, 12.00, 6.8, 1.000)),
    ((66, 1042, 2452, 1370, 70), (11.68, 3.7, 21.55, 6.9, 1.000)),
]


@pytest.mark.parametrize(("counts", "published"), FISHTEST)
def test_elo_agrees_with_fishtest(counts: tuple[int, ...], published: tuple[float, ...]) -> None:
    elo, error, normalised, its_error, los = published
    plain, other = elo_of_pairs(counts), normalised_elo(counts)
    assert plain.elo == pytest.approx(elo, abs=0.006)
    assert plain.error == pytest.approx(error, abs=0.06)
    assert plain.los == pytest.approx(los, abs=0.0006)
    assert other.elo == pytest.approx(normalised, abs=0.006)
    assert other.error == pytest.approx(its_error, abs=0.06)


def test_a_match_of_lynx_as_fastchess_printed_it() -> None:
    plain = elo_of_pairs((235, 1384, 2521, 1341, 239))
    assert (plain.elo, plain.error) == pytest.approx((-1.06, 4.05), abs=0.006)
    assert plain.los == pytest.approx(0.3033, abs=0.0001)
    other = normalised_elo((235, 1384, 2521, 1341, 239))
    assert (other.elo, other.error) == pytest.approx((-1.67, 6.37), abs=0.006)


@pytest.mark.parametrize(
    ("counts", "elo", "error", "normalised"),
    [
        ((34, 54, 63, 64, 75), 55.58, 27.65, 57.94),
        ((332, 433, 498, 333, 334), -8.64, 10.33, -9.17),
        ((7895, 8757, 5685, 568, 9999), -21.04, 2.95, -19.01),
    ],
)
def test_the_tests_of_fastchess(
    counts: tuple[int, ...], elo: float, error: float, normalised: float
) -> None:
    plain = elo_of_pairs(counts)
    assert plain.elo == pytest.approx(elo, abs=0.006)
    assert plain.error == pytest.approx(error, rel=0.003)
    assert normalised_elo(counts).elo == pytest.approx(normalised, abs=0.006)


def test_games_without_pairs_as_in_fastchess() -> None:
    elo = elo_of_games(wins=136, draws=111, losses=96)
    assert elo.elo == pytest.approx(40.70, abs=0.01)
    assert elo.error == pytest.approx(30.43, rel=0.003)
    assert elo.los == pytest.approx(0.9960, abs=0.0004)
    assert elo_of_games(76, 123, 89).los == pytest.approx(0.1553, abs=0.0015)


def test_shares_and_elo() -> None:
    assert logistic_elo(0.5) == 0
    assert logistic_elo(10 / 11) == pytest.approx(400)
    assert logistic_elo(0.75) == pytest.approx(190.848501887865)  # 400 log10 3
    assert (logistic_elo(0), logistic_elo(1)) == (-math.inf, math.inf)
    assert (logistic_elo(-0.1), logistic_elo(1.1)) == (-math.inf, math.inf)
    assert expected_share(0) == 0.5
    assert expected_share(-400) == pytest.approx(1 / 11)
    assert (expected_share(-math.inf), expected_share(math.inf)) == pytest.approx((0, 1))


@given(st.floats(-3000, 3000))
def test_elo_of_the_expected_share(elo: float) -> None:
    assert logistic_elo(expected_share(elo)) == pytest.approx(elo, abs=1e-4)
    assert expected_share(elo) + expected_share(-elo) == pytest.approx(1)


def test_quantiles() -> None:
    assert normal_cdf(0) == 0.5
    assert normal_cdf(1.959963984540054) == pytest.approx(0.975)
    assert normal_cdf(-30) > 0  # no cancellation
    # From printed tables of Student's distribution.
    table = {3: 3.182, 5: 2.571, 10: 2.228, 30: 2.042, 120: 1.980}
    for freedom, quantile in table.items():
        assert student95(freedom) == pytest.approx(quantile, abs=0.004)
    assert student95(math.inf) == pytest.approx(1.959964)


def test_counts_of_pairs() -> None:
    pairs = [(0, 0), (0, 0.5), (1, 0), (0.5, 0.5), (1, 0.5), (1, 1), (1, 1)]
    assert pair_counts(pairs) == (1, 1, 2, 1, 2)
    assert pair_counts([]) == (0, 0, 0, 0, 0)
    with pytest.raises(ValueError, match="a game scores 0, 0\\.5 or 1"):
        pair_counts([(1, 0.25)])


def test_an_interval_by_hand() -> None:
    # m = 1/2, S = 4/3 * 2 * 1/4 = 2/3, N m (1 - m) = 1: k = (2/3 + 1/4) / (5/4) = 11/15, so
    # w = 3.841459 * 11/60 = 0.704267. Bounds 1/2 -+ sqrt(w/4 + w^2/4) / (1 + w)
    # = 1/2 -+ 0.5 sqrt(w / (1 + w)) = 1/2 -+ 0.321415; 400 log10(0.821415 / 0.178585) = 265.08.
    elo = elo_of_pairs((1, 0, 2, 0, 1))
    assert elo.elo == 0
    assert (elo.low, elo.high) == pytest.approx((-265.08, 265.08), abs=0.02)
    assert elo.los == 0.5


def test_all_won() -> None:
    # k = 1: low is the share N / (N + z^2).
    for number in (1, 5, 100):
        elo = elo_of_pairs((0, 0, 0, 0, number))
        assert elo.elo == elo.high == math.inf
        assert elo.low == pytest.approx(400 * math.log10(number / 3.8414588), abs=0.01)
        other = normalised_elo((0, 0, 0, 0, number))
        assert other.elo == other.high == math.inf
        assert (other.low > 0) == (elo.low > 0)
    assert elo_of_pairs((0, 0, 0, 0, 5)).los == pytest.approx(normal_cdf(math.sqrt(5)))


def test_no_games_and_only_draws() -> None:
    assert elo_of_pairs((0,) * 5) == (0, -math.inf, math.inf, 0.5)
    assert normalised_elo((0,) * 5) == (0, -math.inf, math.inf, 0.5)
    few, many = elo_of_pairs((0, 0, 3, 0, 0)), elo_of_pairs((0, 0, 300, 0, 0))
    assert few.elo == many.elo == 0
    assert 100 < few.error < 400
    assert 1 < many.error < 10
    assert normalised_elo((0, 0, 300, 0, 0)) == (0, -math.inf, math.inf, 0.5)


def test_one_loss_among_wins_leaves_a_normalised_bound() -> None:
    elo = normalised_elo((1, 0, 0, 0, 99))
    assert 300 < elo.low < elo.elo < elo.high


@pytest.mark.parametrize("counts", [(1, 2, 3), (1, 2, 3, 4, -1), (1,) * 6])
def test_bad_counts(counts: tuple[int, ...]) -> None:
    for function in (elo_of_pairs, normalised_elo):
        with pytest.raises(ValueError, match="5 numbers that are not negative"):
            function(counts)
    with pytest.raises(ValueError, match="3 numbers"):
        elo_of_games(1, -1, 2)


@given(FIVE_COUNTS)
def test_the_other_side_sees_the_opposite(counts: list[int]) -> None:
    for function in (elo_of_pairs, normalised_elo):
        ours, theirs = function(counts), function(counts[::-1])
        # At the bounds of 0 and 1 Elo is steep: to the precision of shares there.
        assert ours.elo == pytest.approx(-theirs.elo, rel=1e-6, abs=1e-6)
        assert ours.low == pytest.approx(-theirs.high, rel=1e-6, abs=1e-6)
        assert ours.los == pytest.approx(1 - theirs.los, abs=1e-9)


@given(FIVE_COUNTS)
def test_intervals_hold_the_estimate_and_agree_with_the_los(counts: list[int]) -> None:
    elo = elo_of_pairs(counts)
    assert elo.low <= elo.elo <= elo.high
    assert elo.low < elo.high
    if abs(elo.low) > 1e-6:
        assert (elo.low > 0) == (elo.los > 0.975)
    other = normalised_elo(counts)
    assert other.low <= other.elo <= other.high
    assert math.copysign(1, other.elo) == math.copysign(1, elo.elo) or abs(elo.elo) < 1e-9


@given(FIVE_COUNTS)
def test_more_pairs_narrow_the_interval(counts: list[int]) -> None:
    few, many = elo_of_pairs(counts), elo_of_pairs([10 * n for n in counts])
    assert many.elo == pytest.approx(few.elo, abs=1e-6)
    assert many.high - many.low <= few.high - few.low


def test_texts() -> None:
    assert str(Elo(12.34, 1.0, 23.0, 0.98)) == "+12.3 [+1.0, +23.0]"
    assert str(Elo(math.inf, 45.6, math.inf, 0.98)) == "> +46"
    assert str(Elo(-math.inf, -math.inf, -45.6, 0.02)) == "< -46"
    assert str(Elo(0.0, -math.inf, math.inf, 0.5)) == "unknown"


def test_percentiles() -> None:
    values = [5.0, 1.0, 4.0, 2.0, 3.0]
    assert [percentile(values, p) for p in (0, 20, 21, 50, 99.9, 100)] == [1, 1, 2, 3, 5, 5]
    with pytest.raises(ValueError, match="at least one value"):
        percentile([], 50)


def test_the_examples_of_the_page_run(capsys: pytest.CaptureFixture[str]) -> None:
    page = Path(__file__).parents[2] / "docs" / "statistics.md"
    examples = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 3
    for example in examples:
        exec(compile(example, "statistics.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "+137.0 [-88.3, +362.2]"
    assert lines[1].startswith("4.14")
    assert lines[2] == "H1"
    assert lines[3].startswith("1383.8")
