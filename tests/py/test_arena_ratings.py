# SPDX-License-Identifier: MIT
"""Ratings of a tournament: closed forms, a slow search for the same maximum, invariances, and
degenerate tournaments.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.arena.elo import elo_of_games, elo_of_pairs, expected_share, pair_counts
from tengen.arena.ratings import Cluster, Estimate, GameScore, Ratings, covariance, rate
from tengen.arena.ratings_fit import (
    PRIOR_ADVANTAGE,
    PRIOR_DRAW,
    PRIOR_FIELD,
    PRIOR_OPPONENTS,
    connected_components,
    fit,
    log_logistic,
)

LOGIT = 400 / math.log(10)


def tournament(
    strengths: Sequence[float],
    pairs: int,
    *,
    advantage: float = 40,
    draw: float = 60,
    seed: int = 1,
) -> list[GameScore]:
    """Each pairing plays this many pairs."""
    rng = random.Random(seed)
    games = []
    for a in range(len(strengths)):
        for b in range(a):
            for pair in range(pairs):
                for first, second in ((a, b), (b, a)):
                    x = strengths[first] - strengths[second] + advantage
                    weights = expected_share(-x - draw), 0.0, expected_share(x - draw)
                    weights = weights[0], 1 - sum(weights), weights[2]
                    score = rng.choices((0, 0.5, 1), weights)[0]
                    games.append(GameScore(first, second, score, pair))
    return games


def both_ways(results: Sequence[tuple[float, float]]) -> list[GameScore]:
    """Pairs of two players, from the scores of player 0: moving first, and second."""
    games = []
    for pair, (first, second) in enumerate(results):
        games += [GameScore(0, 1, first, pair), GameScore(1, 0, 1 - second, pair)]
    return games


# --- the estimate ---


def test_two_players_without_draws_or_advantage_have_the_elo_of_their_share() -> None:
    # Player 0 wins 3 of 4 games, with either colour.
    games = [GameScore(0, 1, float(i % 4 > 0)) for i in range(8000)]
    games += [GameScore(1, 0, float(i % 4 == 0)) for i in range(8000)]
    result, plain = rate(games, 2).difference(0, 1), elo_of_games(12_000, 0, 4000)
    assert result.elo == pytest.approx(190.85, abs=0.1)  # 400 log10 3
    assert result.error == pytest.approx(plain.error, rel=0.01)


def test_exact_frequencies_restore_the_parameters() -> None:
    strengths, advantage, draw = [-150.0, 10.0, 140.0], 35.0, 80.0
    table = {}
    for a, b in permutations(range(3), 2):
        x = strengths[a] - strengths[b] + advantage
        win, loss = expected_share(x - draw), expected_share(-x - draw)
        table[a, b] = [1e7 * win, 1e7 * (1 - win - loss), 1e7 * loss]
    result = fit(table, 3, advantage=True)
    mean = sum(result.ratings) / 3  # nearly 0; only differences mean something
    assert [LOGIT * (r - mean) for r in result.ratings] == pytest.approx(strengths, abs=0.01)
    assert LOGIT * result.advantage == pytest.approx(advantage, abs=0.01)
    assert LOGIT * result.draw == pytest.approx(draw, abs=0.01)


def slow_value(games: Sequence[GameScore], players: int, theta: Sequence[float]) -> float:
    """The log-likelihood with the prior, game by game, as the formulas have it."""
    *ratings, advantage, draw = theta
    if draw <= 0:
        return -math.inf
    value = 0.0
    played = [sum(p in (g.first, g.second) for g in games) for p in range(players)]
    for game in games:
        x = ratings[game.first] - ratings[game.second] + advantage
        win, loss = 1 / (1 + math.exp(draw - x)), 1 / (1 + math.exp(draw + x))
        value += math.log({1: win, 0: loss, 0.5: 1 - win - loss}[game.score])
        gap = ratings[game.first] - ratings[game.second]
        weight = PRIOR_OPPONENTS * (1 / played[game.first] + 1 / played[game.second]) / 2
        value += weight * (log_logistic(gap) + log_logistic(-gap))
    for rating in ratings:
        value += PRIOR_FIELD / 2 * (log_logistic(rating) + log_logistic(-rating))
    value += PRIOR_ADVANTAGE / 2 * (log_logistic(advantage) + log_logistic(-advantage))
    equal = math.tanh(draw / 2)
    return value + PRIOR_DRAW / 2 * (math.log(equal) + math.log(1 - equal))


def test_the_maximum_cannot_be_improved() -> None:
    games = tournament([-200, 0, 250], 4, seed=8)
    table: dict[tuple[int, int], list[float]] = {}
    for game in games:
        counts = table.setdefault((game.first, game.second), [0, 0, 0])
        counts[2 - round(2 * game.score)] += 1
    result = fit(table, 3, advantage=True)
    theta = [*result.ratings, result.advantage, result.draw]
    best = slow_value(games, 3, theta)
    for i in range(len(theta)):
        for step in (-1e-3, 1e-3):
            moved = [t + step * (j == i) for j, t in enumerate(theta)]
            assert slow_value(games, 3, moved) < best
        sides = [[t + step * (j == i) for j, t in enumerate(theta)] for step in (-1e-5, 1e-5)]
        low, high = (slow_value(games, 3, side) for side in sides)
        assert (high - low) / 2e-5 == pytest.approx(0, abs=1e-4)


def test_ten_players_and_five_thousand_games() -> None:
    strengths = [60.0 * i - 270 for i in range(10)]
    ratings = rate(tournament(strengths, 56), 10)
    assert ratings.connected
    off = [
        abs(e - s) / error
        for e, s, error in zip(ratings.elo, strengths, ratings.error, strict=True)
    ]
    assert max(off) < 2  # four deviations
    assert sum(ratings.elo) == pytest.approx(0, abs=1e-6)
    assert abs(ratings.advantage.value - 40) < 2 * ratings.advantage.error
    assert abs(ratings.draw.value - 60) < 2 * ratings.draw.error
    assert ratings.games == (9 * 2 * 56,) * 10
    assert sum(ratings.points) == 5040
    # In a round robin the mean of the others is minus a ninth of one's own.
    assert ratings.draw_rate == pytest.approx(math.tanh(ratings.draw.value * math.log(10) / 800))


# --- errors ---


def test_paired_errors_agree_with_pair_counts() -> None:
    # Openings that are mostly won once by each: the games alone look noisy, the pairs do not.
    results = [(1.0, 0.0)] * 180 + [(0.0, 1.0)] * 20 + [(1.0, 1.0)] * 25 + [(0.0, 0.0)] * 15
    paired = rate(both_ways(results), 2, advantage=False).difference(0, 1)
    alone = rate([g._replace(pair=-1) for g in both_ways(results)], 2, advantage=False)
    counts = pair_counts(results)
    assert paired.elo == pytest.approx(elo_of_pairs(counts).elo, rel=0.05)
    assert paired.error == pytest.approx(elo_of_pairs(counts).error, rel=0.05)
    assert alone.difference(0, 1).error > 1.6 * paired.error


def test_games_that_repeat_each_other_count_once() -> None:
    games = tournament([0, 50], 200, seed=4)
    twice = rate([g for g in games for _ in range(2)], 2).difference(0, 1)
    once = rate(games, 2).difference(0, 1)
    assert twice.error == pytest.approx(once.error, rel=0.03)
    alone = rate([g._replace(pair=-1) for g in games for _ in range(2)], 2).difference(0, 1)
    assert alone.error < 0.8 * once.error


def test_the_same_number_of_other_players_is_another_pair() -> None:
    games = tournament([0, 50, 90], 30)  # numbers 0 to 29 for each two
    apart = [g._replace(pair=g.pair + 100 * g.first * g.second) for g in games]
    assert rate(games, 3) == rate(apart, 3)


def test_independent_games_have_the_errors_of_the_information() -> None:
    games = [g._replace(pair=-1) for g in tournament([0, 30, 60, 90], 300, seed=6)]
    table: dict[tuple[int, int], list[int]] = {}
    for game in games:
        counts = table.setdefault((game.first, game.second), [0, 0, 0])
        counts[2 - round(2 * game.score)] += 1
    result = fit(table, 4, advantage=True)
    few: dict[
        tuple[int, int], dict[Cluster, int]
    ] = {  # one cluster a game; with so many free differences the plain information is taken
        (a, b): {((first, half),): count for first, half, count in cells(table, a, b)}
        for a, b in table
        if a < b
    }
    plain = covariance(result, few, free=10_000).matrix
    ratings = rate(games, 4)
    for a, b in ((0, 1), (1, 3)):
        variance = plain[a][a] + plain[b][b] - 2 * plain[a][b]
        expected = 1.96 * LOGIT * math.sqrt(variance)
        assert ratings.difference(a, b).error == pytest.approx(expected, rel=0.05)


def cells(table: dict[tuple[int, int], list[int]], a: int, b: int) -> list[tuple[bool, int, int]]:
    return [
        (first, half, table[key][2 - half])
        for first, key in ((True, (a, b)), (False, (b, a)))
        for half in range(3)
        if table[key][2 - half]
    ]


def test_four_times_the_games_halve_the_error() -> None:
    few, many = (rate(tournament([0, 40, 80], n, seed=2), 3) for n in (100, 400))
    assert few.error[0] / many.error[0] == pytest.approx(2, rel=0.1)


def test_los_agrees_with_the_interval() -> None:
    ratings = rate(tournament([0, 20, 40, 60, 80], 20, seed=3), 5)
    seen = set()
    for a, b in permutations(range(5), 2):
        elo = ratings.difference(a, b)
        assert (elo.low > 0) == (ratings.los(a, b) > 0.975)
        assert ratings.los(a, b) + ratings.los(b, a) == pytest.approx(1)
        assert elo.elo == pytest.approx(-ratings.difference(b, a).elo)
        c = ratings.covariance
        variance = c[a][a] + c[b][b] - 2 * c[a][b]
        assert elo.error == pytest.approx(ratings.quantile * math.sqrt(variance))
        seen.add(elo.low > 0)
    assert seen == {True, False}
    assert ratings.los(2, 2) == 0.5


# --- invariances ---


def test_the_anchor_moves_all_by_the_same() -> None:
    games = tournament([0, 30, 90], 30)
    free, fixed = rate(games, 3), rate(games, 3, anchor=2)
    assert fixed.elo[2] == fixed.error[2] == 0
    assert [e - free.elo[0] for e in free.elo] == pytest.approx(
        [e - fixed.elo[0] for e in fixed.elo]
    )
    for a, b in permutations(range(3), 2):
        assert fixed.difference(a, b) == pytest.approx(free.difference(a, b))
    assert fixed.error[0] == pytest.approx(free.difference(0, 2).error)


@given(st.permutations(range(4)), st.integers(1, 6), st.integers(0, 1000))
@settings(max_examples=25)
def test_names_do_not_matter(order: list[int], pairs: int, seed: int) -> None:
    games = tournament([0, 50, 150, 400], pairs, seed=seed)
    plain = rate(games, 4)
    renamed = [g._replace(first=order[g.first], second=order[g.second]) for g in games]
    other = rate(random.Random(seed).sample(renamed, len(renamed)), 4)
    assert [other.elo[order[i]] for i in range(4)] == pytest.approx(list(plain.elo), abs=1e-5)
    assert [other.error[order[i]] for i in range(4)] == pytest.approx(list(plain.error), rel=1e-5)
    assert other.advantage == pytest.approx(plain.advantage, abs=1e-5)


@given(st.integers(1, 20), st.integers(0, 1000))
@settings(max_examples=25)
def test_swapped_colours_and_results(pairs: int, seed: int) -> None:
    games = tournament([0, 60, 120], pairs, seed=seed)
    plain = rate(games, 3)
    swapped = rate([GameScore(g.second, g.first, 1 - g.score, g.pair) for g in games], 3)
    assert swapped.elo == pytest.approx(plain.elo, abs=1e-5)
    assert swapped.error == pytest.approx(plain.error, rel=1e-5)
    assert swapped.advantage.value == pytest.approx(-plain.advantage.value, abs=1e-5)
    lost = rate([g._replace(score=1 - g.score) for g in games], 3)
    assert lost.elo == pytest.approx([-e for e in plain.elo], abs=1e-5)


def test_without_advantage() -> None:
    games = tournament([0, 60], 50, advantage=100)
    ratings = rate(games, 2, advantage=False)
    assert ratings.advantage == Estimate(0, 0)
    assert ratings.difference(0, 1).elo == pytest.approx(
        rate(games, 2).difference(0, 1).elo, rel=0.3
    )


# --- arbitrary results ---


def check_sane(ratings: Ratings, players: int) -> None:
    numbers = [*ratings.elo, *ratings.error, *ratings.advantage, *ratings.draw]
    assert all(math.isfinite(x) for x in numbers)
    assert all(e >= 0 for e in ratings.error)
    assert all(abs(e) < 4000 for e in ratings.elo)
    assert ratings.draw.value > 0
    assert sorted(p for group in ratings.groups for p in group) == list(range(players))


GAMES = st.lists(
    st.tuples(
        st.integers(0, 4),
        st.integers(1, 4),
        st.sampled_from([0, 0.5, 1]),
        st.integers(-1, 5),
    ).map(lambda t: GameScore(t[0], (t[0] + t[1]) % 5, t[2], t[3])),
    max_size=60,
)


@given(GAMES, st.booleans(), st.none() | st.integers(0, 4))
@settings(max_examples=60)
def test_any_games_have_finite_ratings(
    games: list[GameScore], advantage: bool, anchor: int | None
) -> None:
    ratings = rate(games, 5, advantage=advantage, anchor=anchor)
    check_sane(ratings, 5)
    for a, b in permutations(range(5), 2):
        assert 0 <= ratings.los(a, b) <= 1


@pytest.mark.parametrize("number", [1, 5, 50, 5000])
def test_all_won(number: int) -> None:
    ratings = rate(both_ways([(1.0, 1.0)] * number), 2)
    check_sane(ratings, 2)
    elo = ratings.difference(0, 1)
    assert 100 * math.log10(number) < elo.elo < 2500
    assert elo.error > 200
    assert (elo.low > 0) == (number >= 5)


@pytest.mark.parametrize("result", [(0.5, 0.5), (1.0, 0.0), (0.0, 1.0)])
def test_pairs_that_are_all_even(result: tuple[float, float]) -> None:
    ratings = rate(both_ways([result] * 50), 2)
    check_sane(ratings, 2)
    assert ratings.elo == pytest.approx((0, 0), abs=1e-6)
    assert ratings.los(0, 1) == pytest.approx(0.5)
    assert math.copysign(1, ratings.advantage.value) == (1 if result[0] >= 0.5 else -1)


def test_no_draws_and_one() -> None:
    even = [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.0, 0.0)] * 50
    none = rate(both_ways(even), 2)
    one = rate(both_ways([*even, (0.5, 0.0), (1.0, 0.0)]), 2)
    assert 0 < none.draw_rate < one.draw_rate < 0.01


def test_no_games() -> None:
    ratings = rate([], 3)
    check_sane(ratings, 3)
    assert ratings.elo == (0, 0, 0)
    assert min(ratings.error) > 2000
    assert ratings.groups == ((0,), (1,), (2,))
    assert rate([], 1).connected


def test_disconnected_groups() -> None:
    games = tournament([0, 100], 40)
    games += [
        GameScore(g.first + 2, g.second + 2, g.score, g.pair) for g in tournament([0, 50], 40)
    ]
    ratings = rate(games, 5)
    assert ratings.groups == ((0, 1), (2, 3), (4,))
    assert connected_components([(4, 2), (2, 0), (1, 3)], 6) == ((0, 2, 4), (1, 3), (5,))
    assert not ratings.connected
    assert ratings.difference(0, 1).error < 120
    assert ratings.difference(2, 3).error < 120
    assert ratings.difference(1, 3).error > 2000
    # What another group does is next to nothing to these two: the draw value is common to all.
    alone = rate(tournament([0, 100], 40), 2, advantage=False)
    beside = rate(games, 5, advantage=False)
    assert beside.difference(1, 0).elo == pytest.approx(alone.difference(1, 0).elo, abs=10)


def test_a_ladder_is_not_compressed() -> None:
    # Neighbours 300 Elo apart, eight rungs: the prior must not add up over them.
    table: dict[tuple[int, int], list[float]] = {}
    for i in range(7):
        win = expected_share(300)
        table[i + 1, i] = [50 * win, 0.0, 50 * (1 - win)]
        table[i, i + 1] = [50 * (1 - win), 0.0, 50 * win]
    result = fit(table, 8, advantage=True)
    assert LOGIT * (result.ratings[7] - result.ratings[0]) == pytest.approx(2100, rel=0.03)


# --- bad input ---


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (GameScore(0, 0, 1), "two players from 0 to 1"),
        (GameScore(0, 2, 1), "two players from 0 to 1"),
        (GameScore(-1, 1, 1), "two players from 0 to 1"),
        (GameScore(0, 1, 0.7), "scores 0, 0\\.5 or 1"),
        (GameScore(0, 1, math.nan), "scores 0, 0\\.5 or 1"),
    ],
)
def test_bad_games(game: GameScore, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rate([game], 2)


def test_bad_players_and_texts() -> None:
    with pytest.raises(ValueError, match="at least one"):
        rate([], 0)
    with pytest.raises(ValueError, match="a player from 0 to 1"):
        rate([], 2, anchor=2)
    assert str(Estimate(12.34, 5.67)) == "+12.3 ± 5.7"
