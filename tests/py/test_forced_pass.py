# SPDX-License-Identifier: MIT
"""Renju boards on which every free point is forbidden to black: the engine and the manager's end
of the protocol pass; tests/cpp/test_protocol.cpp has the engine's end.
"""

from __future__ import annotations

import pytest

from tengen import Board, Engine, Limit, Move
from tengen.engine import PRESETS
from tengen.engine.protocol.client import ClientSession, EngineMove, SendLines

SIZE = 7
ONLY = Move("d1")  # the free point: seven in a row


def stones() -> tuple[list[Move], list[Move]]:
    """Black, white: as many of each, no five, the overline in the first row."""
    colours = {(x, y): (x // 2 + y) % 2 for y in range(SIZE) for x in range(SIZE)}
    colours |= {(x, 0): 0 for x in range(SIZE)}
    colours |= dict.fromkeys([(0, 6), (4, 6), (1, 4)], 1)
    del colours[ONLY.x, ONLY.y]
    black, white = ([Move(*p) for p, c in colours.items() if c == side] for side in (0, 1))
    assert len(black) == len(white) == 24
    return black, white


@pytest.fixture
def board() -> Board:
    result = Board.from_stones(*stones(), size=SIZE, rule="renju")
    assert str(result.turn) == "black"
    assert result.forbidden(ONLY) is not None
    assert result.outcome() is None
    return result


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("search", ["alphabeta", "mcts"])
def test_the_engine_passes(board: Board, preset: str, search: str) -> None:
    with Engine(preset, search=search, memory=4) as engine:
        assert engine.play(board, Limit(time=0.2)).move is Move.PASS
        assert engine.policy(board) == {Move.PASS: 1.0}
        with engine.analyse(board, Limit(time=0.2)) as analysis:
            assert analysis.wait().move is Move.PASS


def test_the_client_takes_a_pass(board: Board) -> None:
    client = ClientSession()
    client.request(board, Limit(time=1.0))
    assert isinstance(client.receive("OK"), SendLines)
    assert client.receive("-1,-1") == EngineMove(Move.PASS)


def test_a_pass_is_sent() -> None:
    client = ClientSession()
    board = Board(15, "renju")
    board.push("h8")
    client.request(board, Limit(time=1.0))
    client.receive("OK")
    assert client.receive("-1,-1") == EngineMove(Move.PASS)
    for move in (Move.PASS, Move("a1")):
        board.push(move)
    assert client.request(board, Limit(time=1.0))[-1] == f"TURN {Move('a1').gomocup}"
    assert isinstance(client.receive("0,3"), EngineMove)
    board.push("a4")
    board.push(Move.PASS)
    assert client.request(board, Limit(time=1.0))[-1] == "TURN -1,-1"
