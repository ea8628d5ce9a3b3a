# SPDX-License-Identifier: MIT
"""Quick games that test whether both colours can win from an opening."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench_fakes import NoProgressRecord
from tengen.arena import make_openings
from tengen.arena.make_openings import (
    EvaluationTask,
    Recipe,
    board_after,
    evaluate_opening,
    is_open_to_both,
    trial_game,
)
from tengen.engine import Engine
from tengen.game.board import Board
from tengen.game.move import Move
from tengen.game.rule import Colour, Rule

BLACK, WHITE = Colour


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine(preset="classical", memory=8) as made:
        yield made


def board(moves: str) -> Board:
    return board_after([Move(name) for name in moves.split()], 15, Rule.FREESTYLE)


def test_a_game_has_its_winner(engine: Engine) -> None:
    threes = "h8 a1 i8 a3 j8 a5"  # black has an open three
    assert trial_game(engine, board(threes), 300) == BLACK
    assert trial_game(engine, board(threes + " k8"), 300) == BLACK  # white to move, and lost
    assert trial_game(engine, board("a15 h8 a13 i8 a11 j8 a9"), 300) == WHITE


def test_a_finished_game_has_its_winner(engine: Engine) -> None:
    assert trial_game(engine, board("h8 a1 i8 a2 j8 a3 k8 a4 l8"), 100) == BLACK


def test_a_game_without_a_win_ends_drawn(engine: Engine) -> None:
    assert trial_game(engine, Board(5), 50) is None


def test_the_board_of_the_opening_is_not_changed(engine: Engine) -> None:
    opening = board("h8 i9")
    trial_game(engine, opening, 100)
    assert opening == board("h8 i9")


@pytest.mark.parametrize(
    ("results", "played", "expected"),
    [
        ("BWBW", 4, True),  # two for each: the other two are not played
        ("BBBBWW", 6, True),
        ("BBBBB", 5, False),  # white cannot have two any more
        ("WWWWW", 5, False),
        ("BBBBWB", 6, False),
        ("BBBB=", 5, False),  # white has a half, and one game is left
        ("====", 4, True),
    ],
)
def test_both_colours_need_a_third(
    results: str, played: int, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes: list[int] = []

    def game(engine: object, opening: object, nodes_: int) -> Colour | None:
        nodes.append(nodes_)
        return {"B": BLACK, "W": WHITE, "=": None}[results[len(nodes) - 1]]

    monkeypatch.setattr(make_openings, "trial_game", game)
    messages: list[None] = []
    made = is_open_to_both(None, board("h8"), 6, 1000, lambda: messages.append(None))  # type: ignore[arg-type]
    assert made is expected
    assert len(nodes) == len(messages) == played
    assert len(set(nodes)) == played  # no two games with the same nodes
    assert nodes[0] == 1000


def test_openings_that_one_colour_always_wins_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    opening = tuple(Move(name) for name in ["h8", "i9", "j11"])
    task = EvaluationTask(Recipe(nodes=500, balance=0.5, games=3, game_nodes=50), opening, 0)
    monkeypatch.setattr(make_openings, "trial_game", lambda *_: BLACK)
    assert evaluate_opening(task, NoProgressRecord()) is None
    results = iter((BLACK, WHITE))
    monkeypatch.setattr(make_openings, "trial_game", lambda *_: next(results))
    assert evaluate_opening(task, NoProgressRecord()) is not None
