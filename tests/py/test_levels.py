# SPDX-License-Identifier: MIT
"""Levels of play: the table, and engines that play at them. tests/cpp/test_levels.cpp has the
choice among lines.
"""

from __future__ import annotations

from typing import Any

import pytest

import tengen
from tengen.engine import LEVELS, BadOption, Limit


def test_a_level_repeats_its_moves_by_seed() -> None:
    board = tengen.Board(15, "renju")
    for move in ("h8", "i9", "j7", "g7"):
        board.push(move)

    def moves(level: int, seeds: range) -> list[str]:
        result = []
        # What the net of the day thinks of the position should not matter here.
        with tengen.Engine(memory=8, level=level, net="classical") as engine:
            for seed in seeds:
                engine.configure(seed=seed)
                engine.new_game()
                result.append(engine.play(board, Limit()).move.name)
        return result

    first = moves(2, range(12))
    assert len(set(first)) > 1
    assert moves(2, range(12)) == first
    assert len(set(moves(9, range(3)))) == 1


@pytest.mark.parametrize("preset", ["alphabeta", "classical"])
def test_levels_of_mcts_have_several_lines(preset: str) -> None:
    board = tengen.Board(15, "freestyle")
    for move in ("h8", "i9", "j7", "g7"):
        board.push(move)
    options: dict[str, Any] = {"search": "mcts", "level": 1, "net": "classical", "memory": 8}
    result, first = set(), ""
    for seed in range(8):
        with tengen.Engine(preset, seed=seed, **options) as engine:
            first = next(iter(engine.policy(board))).name
            result.add(engine.play(board, Limit()).move.name)
    assert len(result) > 1
    assert result != {first}


@pytest.mark.parametrize("level", [1, 2, 4])
def test_levels_of_mcts_use_all_playouts(level: int) -> None:
    board = tengen.Board(15, "freestyle")
    board.push("h8")
    with tengen.Engine(search="mcts", level=level, net="classical", memory=8) as engine:
        played = engine.play(board, Limit())
    assert played.info is not None
    assert played.info.nodes == LEVELS[level].nodes


def test_the_player_of_the_paper_has_the_depth_of_its_level() -> None:
    with tengen.Engine("classical-paper", search="mcts", level=1, memory=8) as engine:
        played = engine.play(tengen.Board(), Limit())
    assert played.info is None or played.info.depth <= 1


def test_a_level_never_overlooks_a_five() -> None:
    board = tengen.Board.from_stones("h8 h9 h10 h11", "a1 a3 a5 a7", "black")
    for level in LEVELS:
        with tengen.Engine(memory=8, level=level) as engine:
            assert engine.play(board, Limit(time=1)).move.name in ("h7", "h12")


def test_an_analysis_is_not_weakened() -> None:
    board = tengen.Board(15, "freestyle")
    with tengen.Engine(memory=8, level=1) as engine:
        last = list(engine.analyse(board, Limit(depth=6)))[-1]
        assert last.depth == 6


def test_levels_out_of_range() -> None:
    for level in (0, 11, "5"):
        with pytest.raises(BadOption):
            tengen.Engine(level=level)
