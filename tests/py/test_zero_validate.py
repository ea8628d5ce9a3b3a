# SPDX-License-Identifier: MIT
"""Validation of self-play results: invalid ones are rejected with a reason; valid ones pass with
any further columns that the run's rows have.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tengen.data.rows import present
from tengen.game.rule import Rule
from tengen.zero.errors import BadResult
from tengen.zero.play.generator import SelfPlayGames
from tengen.zero.play.validate import validate_games
from tengen.zero.play.workers import SelfPlayTask, TaskResult
from zero_fakes import GARBAGE, MOVES, RandomGames

SIZE = 7
TASK = SelfPlayTask("t.1", 100, 1, 0, ("net.pt",), {}, "", "cpu")


def games(rule: str = "freestyle", seed: int = 3) -> SelfPlayGames:
    return RandomGames({"rule": rule, "size": SIZE, "seed": seed}).play(100)


def validated(
    found: Any,
    rule: str = "freestyle",
    moves: int = MOVES,
    columns: Set[str] = frozenset(),
) -> SelfPlayGames:
    return validate_games(found, TASK, Rule.parse(rule), SIZE, moves, columns=columns)


@pytest.mark.parametrize("rule", [str(rule) for rule in Rule])
def test_games_pass(rule: str) -> None:
    given = games(rule)
    result = validated(TaskResult(TASK.name, given), rule)
    assert result.count == given.count
    for name, column in present(given.rows).items():
        assert np.array_equal(getattr(result.rows, name), column)
    validated(TaskResult(TASK.name, given), rule, moves=0)
    validated(TaskResult(TASK.name, given), rule, columns=present(given.rows).keys())


@pytest.mark.parametrize("kind", list(GARBAGE))
def test_garbage_is_rejected(kind: str) -> None:
    given = games()
    with pytest.raises(BadResult) as error:
        validated(TaskResult(TASK.name, GARBAGE[kind](given)), columns=present(given.rows).keys())
    assert 10 < len(str(error.value)) < 300


@pytest.mark.parametrize("result", [None, 7, "games", {"rows": 1}, object])
def test_anything_is_rejected(result: object) -> None:
    with pytest.raises(BadResult, match="expected games"):
        validated(result)


def test_a_solver_ends_a_game_early() -> None:
    """Then its last position is a row without a move; a game may have no row at all, too."""
    given = games()
    fewer = replace(given, moves=given.moves - given.count, black=given.black + 5)
    assert validated(TaskResult(TASK.name, fewer)).count == given.count + 5


def test_another_task() -> None:
    with pytest.raises(BadResult, match=r"t\.2.*t\.1"):
        validated(TaskResult("t.2", games()))


def test_far_too_many_rows() -> None:
    rows = games().rows
    many = replace(games(), rows=rows._replace(board=np.zeros((3_000_000, 13), np.uint8)))
    with pytest.raises(BadResult, match=r"3,000,000 positions.*100"):
        validated(TaskResult(TASK.name, many))


def test_a_game_that_is_over() -> None:
    """White has five: nothing is to be learned from such a position."""
    given = RandomGames({"rule": "freestyle", "size": SIZE, "seed": 1})
    board = np.zeros((SIZE, SIZE), np.uint8)
    board[0, :5], board[1, :5] = 2, 1  # of the side to move and the other: five each, black to move
    stones = [np.where(board == 2, 2, np.where(board == 1, 1, 0)).reshape(-1)]
    rows = given._rows(stones, [SIZE * SIZE - 1], 0, 0)
    rows = rows._replace(ply=np.array([10], np.uint16), to_move=np.array([1], np.uint8))
    with pytest.raises(BadResult, match="row 0 is over"):
        validated(TaskResult(TASK.name, SelfPlayGames(rows, 0, 0, 1, 1, 1)))


def test_a_forbidden_move() -> None:
    """In renju black may not make six; in freestyle that wins."""
    given = RandomGames({"rule": "renju", "size": SIZE, "seed": 1})
    board = np.zeros((SIZE, SIZE), np.uint8)
    board[3, [0, 1, 2, 4, 5]] = 1
    board[[0, 0, 0, 6, 6], [0, 2, 4, 1, 3]] = 2
    rows = given._rows([board.reshape(-1)], [3 * SIZE + 3], 0, 0)
    rows = rows._replace(ply=np.array([10], np.uint16), to_move=np.array([1], np.uint8))
    result = TaskResult(TASK.name, SelfPlayGames(rows, 0, 0, 1, 1, 1))
    validated(result)
    with pytest.raises(BadResult, match=r"row 0.*renju"):
        validated(result, "renju")
