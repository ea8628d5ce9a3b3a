# SPDX-License-Identifier: MIT
"""Pondering, with a fake core."""

from __future__ import annotations

import threading
import time

import pytest

from fake_core import FakeEvent, FakePlayer, fake_engines
from tengen import Board, Engine, Limit, Move
from tengen.engine import NotPondering


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> list[FakePlayer]:
    return fake_engines(monkeypatch)


def board(moves: str = "h8 i9") -> Board:
    result = Board()
    for move in moves.split():
        result.push(move)
    return result


def test_explicit_pondering(cores: list[FakePlayer]) -> None:
    with Engine() as engine:
        with pytest.raises(NotPondering, match="ponder"):
            engine.ponder_hit(Limit(depth=1))
        engine.ponder(board("h8 i9"))
        assert cores[0].is_searching
        assert not engine.is_busy
        assert cores[0].started[-1]["ponder"] is True
        played = engine.ponder_hit(Limit(depth=2))
        assert played.move == Move("a1")
        assert cores[0].started[-1]["depth"] == 2
        with pytest.raises(NotPondering):
            engine.ponder_hit(Limit(depth=1))


def test_a_time_limit_continues_the_search(cores: list[FakePlayer]) -> None:
    with Engine(memory=8) as engine:
        engine.ponder(board())
        played = engine.ponder_hit(Limit(time=0.5, clock=9.0, increment=2.0))
        assert played.info is not None
        assert cores[0].hits == [(0.5, 9.0, 2.0)]
        assert len(cores[0].started) == 1
        engine.play(board(), Limit(depth=1), ponder=True)
        engine.play(board("h8 i9 a1 b1"), Limit(time=0.5))
        assert len(cores[0].started) == 3, "a move and its ponder search, which continues"
        assert len(cores[0].hits) == 2
        assert not engine.is_busy


def test_another_board_or_a_stop_starts_a_new_search(cores: list[FakePlayer]) -> None:
    with Engine(memory=8) as engine:
        engine.ponder(board())
        engine.play(board("h8"), Limit(time=0.5))
        engine.ponder(board())
        engine.stop()
        engine.ponder_hit(Limit(time=0.5))
        engine.configure(level=3)
        engine.ponder(board())
        engine.ponder_hit(Limit(time=0.5))
        assert cores[0].hits == []
        assert len(cores[0].started) == 6


@pytest.mark.parametrize("search", ["alphabeta", "mcts"])
def test_the_native_search_keeps_its_depth_and_nodes(search: str) -> None:
    with Engine("classical", search=search, memory=16) as engine:
        engine.ponder(board())
        end = time.monotonic() + 20
        nodes = 0
        while nodes < 5000 and time.monotonic() < end:
            time.sleep(0.01)
            progress = engine._pondering.progress() if engine._pondering else None
            nodes = progress.nodes if progress else 0
            if search == "mcts" and time.monotonic() > end - 19.5:
                break  # tree search has no progress
        start = time.monotonic()
        played = engine.ponder_hit(Limit(time=0.05))
        assert time.monotonic() - start < 5
        assert played.info is not None
        assert played.info.nodes >= nodes
        assert played.info.time >= 0.05, "it counts from the start of pondering"


def test_anything_else_ends_pondering(cores: list[FakePlayer]) -> None:
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
    assert not cores[0].is_searching, "closing ended it"


def test_pondering_after_a_move(cores: list[FakePlayer]) -> None:
    with Engine() as engine:
        engine.play(board(), Limit(depth=1), ponder=True)
        started = cores[0].started[-1]
        assert started["ponder"] is True
        assert started["played"] == [112, 128, 0, 1]
        engine.play(board("h8 i9 a1 b1"), Limit(depth=1))
        assert not cores[0].is_searching
    with Engine(ponder=True) as engine:
        engine.play(board(), Limit(depth=1))
        assert cores[1].is_searching
        engine.play(board(), Limit(depth=1), ponder=False)
        assert not cores[1].is_searching
        cores[1].script = [FakeEvent(is_result=True, move=5)]
        engine.play(board(), Limit(depth=1))
        assert not cores[1].is_searching, "no reply is expected: nothing to think about"


@pytest.mark.parametrize("preset", ["alphabeta", "classical"])
@pytest.mark.parametrize("search", ["alphabeta", "mcts"])
def test_a_single_move_takes_no_time_after_the_hit(preset: str, search: str) -> None:
    """White must stop a four. The timer stops a search that uses all of its ten minutes."""
    position = board("h8 g8 i8 j9 j8 i10 k8")
    with Engine(preset, net="classical", search=search) as engine:
        engine.ponder(position)
        late = threading.Event()

        def stop() -> None:
            late.set()
            engine.stop()

        timer = threading.Timer(30, stop)
        timer.start()
        played = engine.ponder_hit(Limit(time=600))
        timer.cancel()
        assert not late.is_set()
        assert played.move == Move("l8")
