# SPDX-License-Identifier: MIT
"""The search that `auto` chooses: MCTS reports visits, alpha-beta does not."""

from __future__ import annotations

from typing import Any

import pytest

from tengen import Board, Engine, Limit, Rule
from tengen.arena.player import Player
from tengen.engine.evaluator import choose_evaluator, choose_search
from tengen.engine.info import PlayResult
from tengen.engine.options import defaults

QUICK = Limit(time=0.1)


def board(rule: str = "freestyle", size: int = 15) -> Board:
    result = Board(size, rule)
    for move in ("h8", "h9", "i9", "g7", "j7"):
        result.push(move)
    return result


def is_mcts(played: PlayResult) -> bool:
    assert played.info is not None
    return played.info.visits > 0


@pytest.mark.parametrize(
    ("limit", "options", "tree"),
    [
        (QUICK, {}, True),
        (Limit(clock=5.0), {}, True),
        (Limit(clock=5.0, increment=2.0), {}, False),
        (Limit(time=1.0), {}, True),
        (Limit(time=2.0), {}, False),
        (Limit(time=10.0, clock=5.0), {}, True),
        (Limit(), {}, False),
        (Limit(time=0.1, nodes=1000), {}, False),
        (Limit(time=0.1, depth=4), {}, False),
        (QUICK, {"threads": 2}, False),
        (QUICK, {"search": "alphabeta"}, False),
        (Limit(depth=4), {"search": "mcts"}, True),
        (QUICK, {"preset": "classical"}, False),
        (QUICK, {"net": "classical"}, False),
    ],
)
def test_limits_and_options_decide(limit: Limit, options: dict[str, Any], tree: bool) -> None:
    given = defaults() | options
    choice = choose_evaluator(given, Rule.FREESTYLE, 15)
    assert choose_search(given, choice, limit) == ("mcts" if tree else "alphabeta")


@pytest.mark.parametrize("rule", Rule)
def test_rules_with_a_bundled_net(rule: Rule) -> None:
    given = defaults()
    result = choose_search(given, choose_evaluator(given, rule, 15), QUICK)
    assert (result == "mcts") == (rule is not Rule.CARO6)


def test_one_engine_for_moves_and_analyses() -> None:
    with Engine(memory=16) as engine:
        engine.prepare(board(), seconds=None)
        assert is_mcts(engine.play(board(), QUICK))
        with engine.analyse(board(), QUICK) as analysis:
            assert not any(info.visits for info in analysis)
        assert not is_mcts(engine.play(board(), Limit(nodes=2000)))
        assert is_mcts(engine.play(board(), QUICK))
        engine.configure(search="alphabeta")
        assert not is_mcts(engine.play(board(), QUICK))
        engine.configure(search="mcts")
        assert is_mcts(engine.play(board(), Limit(nodes=200)))
        engine.configure(search="auto", level=3)
        assert not is_mcts(engine.play(board(), QUICK))


def test_without_a_net() -> None:
    with Engine(memory=16) as engine:
        assert not is_mcts(engine.play(board(size=16), QUICK))


def test_pondering_continues_with_the_search_of_the_move() -> None:
    with Engine(memory=16) as engine:
        engine.prepare(board(), seconds=None)
        engine.play(board(), QUICK)
        engine.ponder(board())
        assert is_mcts(engine.ponder_hit(QUICK))


def test_a_named_preset_selects_its_search() -> None:
    with Engine("alphabeta", memory=16) as engine:
        engine.prepare(board(), seconds=None)
        assert not is_mcts(engine.play(board(), QUICK))
    assert "search" not in Player.parse("alphabeta").options  # so the same in the arena
    with Engine(**{"memory": 16} | dict(Player.parse("alphabeta").options)) as engine:
        assert engine.options["search"] == "alphabeta"
    with Engine("alphabeta", search="auto", memory=16) as engine:
        engine.prepare(board(), seconds=None)
        assert is_mcts(engine.play(board(), QUICK))
