# SPDX-License-Identifier: MIT
"""Standings: points, pairs, openings, endings, faults, times and the sequential test."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena_samples import definition, fault, game, match
from tengen.arena.control import TimeControl
from tengen.arena.elo import elo_of_pairs
from tengen.arena.game import MoveReport
from tengen.arena.sprt import Sprt
from tengen.arena.standings import pair_scores, reports_by_player, standings, timings


def test_without_games() -> None:
    table = standings(definition(sprt=Sprt(0, 10)), [])
    assert [player.games for player in table.players] == [0, 0]
    assert table.players[0].share == 0.5
    assert [(e.a, e.b, e.games, e.pairs) for e in table.encounters] == [(0, 1, 0, [0] * 5)]
    assert table.endings == {}
    assert table.openings == {}
    assert table.first_mover.games == 0
    assert table.timings[0].moves == 0
    assert table.timings[0].depth is None
    assert table.sprt is not None
    assert (table.sprt.llr, table.sprt.pairs, table.sprt.decision) == (0, 0, None)


def test_points_count_for_both_colours() -> None:
    # Player 0 wins as black, loses as white, draws as black, wins as white; then half a pair.
    table = standings(definition(), match(["b", "b", "d", "w", "b"]))
    one, two = table.players
    assert (one.games, one.wins, one.draws, one.losses, one.points) == (5, 3, 1, 1, 3.5)
    assert (one.as_black.games, one.as_black.points) == (3, 2.5)
    assert (two.games, two.wins, two.draws, two.losses, two.points) == (5, 1, 1, 3, 1.5)
    assert (two.as_black.games, two.as_black.points) == (2, 1.0)


def test_only_whole_pairs_count_for_elo() -> None:
    games = match(["b", "b", "d", "w", "b"])
    met = standings(definition(), games).encounters[0]
    assert (met.wins, met.draws, met.losses) == (3, 1, 1)
    assert met.pairs == [0, 0, 1, 1, 0]
    assert met.elo == elo_of_pairs([0, 0, 1, 1, 0])
    assert list(pair_scores(games)) == [(0, 1, 2), (0, 1, 3)]


def test_pairs_are_joined_in_any_order() -> None:
    games = match(["b", "w", "w", "b", "b", "b"])
    mixed = [games[n] for n in (3, 0, 5, 2, 4, 1)]
    for order in (games, mixed):
        assert standings(definition(), order).encounters[0].pairs == [1, 0, 1, 0, 1]


def test_encounters_of_a_tournament() -> None:
    games = [game(0, 0, 1), game(1, 1, 0, "w"), game(2, 2, 0), game(3, 0, 2, "d")]
    table = standings(definition("a", "b", "c"), games)
    assert [(e.a, e.b, e.games) for e in table.encounters] == [(0, 1, 2), (0, 2, 2), (1, 2, 0)]
    assert table.encounters[1].pairs == [0, 1, 0, 0, 0]
    turned = table.between(2, 0)
    assert turned is not None
    assert (turned.a, turned.b, turned.wins, turned.draws, turned.losses) == (2, 0, 1, 1, 0)
    assert turned.pairs == [0, 0, 0, 1, 0]
    assert turned.elo.elo == pytest.approx(-table.encounters[1].elo.elo)
    assert table.ratings.elo[0] > table.ratings.elo[1]


def test_a_gauntlet_is_about_its_first_player() -> None:
    plan = definition("a", "b", "c", kind="gauntlet")
    table = standings(plan, [game(0, 0, 1), game(1, 1, 0, "b"), game(2, 0, 2), game(3, 2, 0, "w")])
    assert [(e.a, e.b) for e in table.encounters] == [(0, 1), (0, 2)]
    assert table.between(1, 2) is None
    assert table.ratings.elo[0] == 0


def test_endings_and_faults() -> None:
    games = [
        fault(0, 0, 1, "crash", "code 11"),
        fault(1, 1, 0, "time", "too late"),
        fault(2, 0, 1, "crash", "code 6"),
        *match(["b", "b", "d", "b"])[2:],
    ]
    table = standings(definition(), games)
    assert table.endings == {"five": 1, "dead_draw": 1, "crash": 2, "time": 1}
    assert next(iter(table.endings)) == "five"
    assert table.players[0].faults == {"crash": 2}
    assert table.players[1].faults == {"time": 1}


def test_first_mover_and_openings() -> None:
    games = match(["b", "b", "b", "w", "d", "w"])
    games = [replace(g, opening=[0, 0, 3, 3, -1, -1][g.number]) for g in games]
    table = standings(definition(), games)
    assert (table.first_mover.games, table.first_mover.points) == (6, 3.5)
    points = {n: (tally.games, tally.points) for n, tally in table.openings.items()}
    assert points == {0: (2, 2.0), 3: (2, 1.0)}
    assert table.openings[3].share == 0.5


def test_times_belong_to_the_player_who_moved() -> None:
    reported = tuple(MoveReport(seconds) for seconds in (1.0, 2.0, 3.0))
    black_first = game(0, 0, 1, reports=reported, opening_moves=2)
    white_first = game(1, 0, 1, reports=reported, opening_moves=3)
    first, second = [reported[0], reported[2]], [reported[1]]
    assert reports_by_player([black_first], 2) == [first, second]
    assert reports_by_player([white_first], 2) == [second, first]


def test_figures_of_the_times() -> None:
    reported = [MoveReport(n / 1000, None, None, n % 2 * 8, 10) for n in range(1, 1001)]
    games = [
        game(n, 0, 1, reports=(reported[n], MoveReport(0.5)), opening_moves=0) for n in range(1000)
    ]
    one, two = timings(games, [0.9, None])
    assert (one.moves, one.median, one.p99, one.p999, one.worst) == (1000, 0.5, 0.99, 0.999, 1.0)
    assert one.late == 100
    assert one.overshoot == pytest.approx(0.1)
    assert one.depth == 8  # of the moves that reported one
    assert one.speed == pytest.approx(10_000 / 500.5)
    assert (two.limit, two.late, two.overshoot, two.depth, two.speed) == (None, 0, 0, None, None)


def test_limits_are_those_of_each_player() -> None:
    plan = definition(limit=TimeControl(nodes=5))
    plan = replace(plan, players=(replace(plan.players[0], limit=TimeControl(time=2)),) * 2)
    assert [t.limit for t in standings(plan, []).timings] == [2, 2]
    assert [t.limit for t in standings(definition(limit=TimeControl(nodes=5)), []).timings] == [
        None,
        None,
    ]


def test_sequential_test_is_that_of_the_runner() -> None:
    plan = definition(sprt=Sprt(0, 200), pairs=100)
    won = standings(plan, match(["b", "w"] * 40)).sprt
    assert won is not None
    assert won.decision == "H1"
    assert won.llr >= won.upper
    assert won.pairs < 40  # it does not look at what came after its decision
    open_ = standings(plan, match(["b", "w", "b"])).sprt
    assert open_ is not None
    assert (open_.decision, open_.pairs) == (None, 1)
    lost = standings(plan, match(["w", "b"] * 40)).sprt
    assert lost is not None
    assert lost.decision == "H0"


def test_pairs_count_in_the_order_of_the_schedule() -> None:
    plan = definition(sprt=Sprt(0, 200))
    state = standings(plan, match(["b", "w", "b", "w"])[2:]).sprt
    assert state is not None
    assert (state.pairs, state.llr) == (0, 0)


def test_twenty_thousand_games() -> None:
    some = match(["b", "w", "d", "b"])
    games = [replace(some[n % 4], number=n, pair=n // 2) for n in range(20_000)]
    table = standings(definition(pairs=10_000), games)
    assert sum(table.encounters[0].pairs) == 10_000
    assert table.endings
    assert table.openings
    assert table.timings[0].moves > 20_000
