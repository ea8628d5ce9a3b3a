# SPDX-License-Identifier: MIT
"""The search that `auto` chooses: MCTS reports visits, alpha-beta does not."""

from __future__ import annotations

import pytest

from tengen import Board, Engine, Limit, Rule
from tengen.arena.player import Player
from tengen.engine.info import PlayResult

QUICK = Limit(time=0.1)


def board(rule: str = "freestyle", size: int = 15) -> Board:
    result = Board(size, rule)
    for move in ("h8", "h9", "i9", "g7", "j7"):
        result.push(move)
    return result


def is_mcts(played: PlayResult) -> bool:
    assert played.info is not None
    return played.info.visits > 0


@pytest.mark.parametrize("rule", Rule)
def test_rules_with_a_bundled_net(rule: Rule) -> None:
    with Engine(memory=8) as engine:
        evaluation = engine.evaluation(Board(15, rule))
    assert evaluation.name.startswith("mixnet") == (rule is not Rule.CARO6)


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
