# SPDX-License-Identifier: MIT
"""The record model: round trips of random games through SGF, equality, depth, boards. The random
games are those of tests/fuzz/mutate.py.
"""

from __future__ import annotations

import copy
import pickle
import random

import pytest

from fuzz.mutate import random_record
from tengen.game import BadRecord, Colour, Move, Rule, records
from tengen.game.records import Record, sgf

B, W = Colour.BLACK, Colour.WHITE


def one(text: str) -> Record:
    (record,) = sgf.loads(text)
    return record


# --- round trips --------------------------------------------------------------------------------


@pytest.mark.integration
def test_round_trip_of_random_games() -> None:
    rng = random.Random(20260101)
    games = [random_record(rng) for _ in range(1000)]
    assert sum(len(node.children) > 1 for game in games for node in game.nodes()) > 1000
    for game in games:
        assert one(sgf.dumps([game])) == game
    assert sgf.loads(sgf.dumps(games).encode()) == games
    assert records.loads(records.dumps(games, "sgf")) == games


def test_equality_sees_every_field() -> None:
    record = one("(;SZ[15];B[hh]C[c](;W[hg])(;W[gg]))")
    changes = {
        "comment": "d",
        "move": Move(0, 0),
        "colour": W,
        "black": (Move(1, 1),),
        "white": (Move(1, 1),),
        "empty": (Move(1, 1),),
        "time_ms": 5,
        "properties": {"X": ["y"]},
        "children": [],
    }
    for name, value in changes.items():
        other = copy.deepcopy(record)
        assert other == record
        setattr(other.root.children[0], name, value)
        assert other != record, name
    for name in ("size", "rule", "black", "white", "result", "date", "event"):
        other = copy.deepcopy(record)
        setattr(other, name, "x")
        assert other != record, name
    assert record.root != "a root"
    swapped = copy.deepcopy(record)
    swapped.root.children[0].children.reverse()
    assert swapped != record


@pytest.mark.integration
@pytest.mark.parametrize(
    "text", ["(;" + ";B[];W[]" * 50_000 + ")", "(;B[aa]" * 100_000 + ")" * 100_000]
)
def test_a_hundred_thousand_deep(text: str) -> None:
    record = one(text)
    assert len(record.moves) == 100_000
    assert sum(1 for _ in record.nodes()) >= 100_000
    assert one(sgf.dumps([record])) == record
    assert pickle.loads(pickle.dumps(record)) == record
    assert copy.deepcopy(record) == record
    assert len(repr(record)) < 1000
    other = copy.deepcopy(record)
    other.main_line()[-1].comment = "here"
    assert other != record


# --- boards -------------------------------------------------------------------------------------


def test_board() -> None:
    record = one("(;RU[renju];B[hh];W[hg];B[ii](;W[gg])(;W[ff];B[ee]))")
    board = record.board()
    assert (board.rule, board.size, board.ply) == (Rule.RENJU, 15, 4)
    assert board.stones() == {
        Move.parse(p): c for p, c in [("h8", B), ("h9", W), ("i7", B), ("g9", W)]
    }
    assert record.board(2).moves == record.moves[:2]
    assert record.board(0).ply == 0
    assert record.board(rule="caro").rule == Rule.CARO
    assert record.board(line=record.line({4: 2})).moves[-1] == Move.parse("e11")
    with pytest.raises(BadRecord, match="no move 5: the line has 4"):
        record.board(5)
    with pytest.raises(BadRecord, match="no move -1"):
        record.board(-1)


def test_board_with_set_up() -> None:
    record = one("(;SZ[9]AB[ee][ef]AW[dd]PL[W];W[aa];B[bb];AE[aa]AB[ii]PL[B];B[cc])")
    assert record.board(0).turn == W
    board = record.board()
    assert board.stone_at("a9") is None
    assert [str(point) for point, owner in board.stones().items() if owner == B] == [
        "i1",
        "e4",
        "e5",
        "c7",
        "b8",
    ]


def test_board_out_of_turn() -> None:
    board = one("(;B[hh];B[ii];W[aa])").board()
    assert board.stone_at("h8") == board.stone_at("i7") == B
    assert board.stone_at("a15") == W


def test_board_names_the_bad_move() -> None:
    with pytest.raises(BadRecord, match="move 3: h8 is occupied"):
        one("(;;B[hh];W[hg];B[hh])").board()
    with pytest.raises(BadRecord, match=r"move 9: .* forbidden .*double-three"):
        one("(;RU[renju];B[g8];W[a1];B[i8];W[a3];B[h7];W[a5];B[h9];W[a7];B[h8];W[b2])").board()
    assert (
        one("(;RU[renju];B[g8];W[a1];B[i8];W[a3];B[h7];W[a5];B[h9];W[a7];B[h8])").board(8).ply == 8
    )
    with pytest.raises(BadRecord, match=r"move 3: .* game is over"):
        one("(;;B[];W[];B[hh])").board()
