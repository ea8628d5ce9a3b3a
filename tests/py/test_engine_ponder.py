# SPDX-License-Identifier: MIT
"""Thinking while the opponent does, over a fake core."""

from __future__ import annotations

import pytest

from fake_core import FakeCore, FakeEvent, fake_engines
from tengen import Board, Engine, Limit, Move
from tengen.engine import NotPondering


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> list[FakeCore]:
    return fake_engines(monkeypatch)


def board(moves: str = "h8 i9") -> Board:
    found = Board()
    for move in moves.split():
        found.push(move)
    return found


def test_pondering_by_hand(cores: list[FakeCore]) -> None:
    with Engine() as engine:
        with pytest.raises(NotPondering, match="`ponder` comes first"):
            engine.ponder_hit(Limit(depth=1))
        engine.ponder(board("h8 i9"))
        assert cores[0].is_running()
        assert not engine.is_busy
        assert cores[0].started[-1]["ponder"] is True
        played = engine.ponder_hit(Limit(depth=2))
        assert played.move == Move("a1")
        assert cores[0].started[-1]["depth"] == 2
        with pytest.raises(NotPondering):
            engine.ponder_hit(Limit(depth=1))


def test_anything_else_ends_pondering(cores: list[FakeCore]) -> None:
    with Engine() as engine:
        for other in (
            lambda: engine.play(board(), Limit(depth=1)),
            lambda: engine.analyse(board(), Limit(depth=1)).wait(),
            engine.new_game,
            lambda: engine.configure(seed=1),
            lambda: engine.ponder(board("h8")),
        ):
            engine.ponder(board())
            other()
        engine.stop()
        engine.ponder_hit(Limit(depth=1))
        engine.ponder(board())
    assert not cores[0].is_running(), "closing ended it"


def test_pondering_after_a_move(cores: list[FakeCore]) -> None:
    with Engine() as engine:
        engine.play(board(), Limit(depth=1), ponder=True)
        started = cores[0].started[-1]
        assert started["ponder"] is True
        assert started["played"] == [112, 128, 0, 1]
        engine.play(board("h8 i9 a1 b1"), Limit(depth=1))
        assert not cores[0].is_running()
    with Engine(ponder=True) as engine:
        engine.play(board(), Limit(depth=1))
        assert cores[1].is_running()
        engine.play(board(), Limit(depth=1), ponder=False)
        assert not cores[1].is_running()
        cores[1].script = [FakeEvent(kind=1, move=5)]
        engine.play(board(), Limit(depth=1))
        assert not cores[1].is_running(), "no reply is expected: nothing to think about"
