# SPDX-License-Identifier: MIT
"""Gomocup opening files: mapping, errors with positions, and files as records."""

from __future__ import annotations

import random

import pytest

from tengen.game import BadRecord, Move, records
from tengen.game.records import openings, read_openings, sgf, write_openings

FILE = "0,0, 1,-1, 2,0\n\n-7,7, 7,-7 # corners\n"


def test_mapping() -> None:
    first, second = read_openings(FILE, 15)
    assert [str(move) for move in first] == ["h8", "i7", "j8"]
    assert [move.gomocup for move in first] == ["7,7", "8,6", "9,7"]
    assert [str(move) for move in second] == ["a15", "o1"]
    assert read_openings("0,0", 20) == [(Move(10, 10),)]
    assert read_openings("0,0", 5) == [(Move(2, 2),)]


def test_lenient_forms() -> None:
    expected = read_openings("0,0, 1,-1, -2,3", 15)
    for text in (
        "0,0,1,-1,-2,3",
        " 0 , 0 , +1 , -1 , -2 , 3 , \r\n",
        "# x\n0,0, 1,-1, -2,3#y",
        "\ufeff0,0,1,-1,-2,3",
    ):
        assert read_openings(text, 15) == expected
    assert read_openings(b"0,0,1,-1,-2,3", 15) == expected
    assert read_openings("\n \n#\n", 15) == []


def test_round_trip() -> None:
    rng = random.Random(20260105)
    for size in (5, 15, 20, 22):
        points = [Move(x, y) for x in range(size) for y in range(size)]
        lines = [tuple(rng.sample(points, rng.randrange(1, 12))) for _ in range(250)]
        assert read_openings(write_openings(lines, size), size) == lines
    assert write_openings(read_openings(FILE, 15), 15) == "0,0, 1,-1, 2,0\n-7,7, 7,-7\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("0,0, 1", 1, 6, "in pairs"),
        ("0,0\n1,0, x,1", 2, 6, "not 'x'"),
        ("0,0\n\n 8,0", 3, 2, "8,0 is off the 15x15 board"),
        ("0,0, 0,-8", 1, 6, "0,-8 is off"),
        ("0,0, 1,1, 0,0", 1, 11, "played twice"),
        ("0,0 1,1", 1, 5, "expected a comma"),
        ("0,,1", 1, 3, "expected a number"),
        ("0,99999999", 1, 3, "expected a number"),
        ("h8 i9", 1, 1, "expected a number"),
    ],
)
def test_positions_of_errors(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(BadRecord) as caught:
        read_openings(text, 15, "open.txt")
    error = caught.value
    assert (error.source, error.line, error.column) == ("open.txt", line, column), str(error)
    assert message in error.fault


def test_what_cannot_be_written() -> None:
    with pytest.raises(BadRecord, match="opening 2 has no move"):
        write_openings([[Move(0, 0)], []], 15)
    with pytest.raises(BadRecord, match="has a pass"):
        write_openings([[Move.PASS]], 15)
    with pytest.raises(BadRecord, match="board size 30"):
        read_openings("0,0", 30)


def test_as_records() -> None:
    games = records.loads(FILE, "openings", size=15)
    assert [len(game.moves) for game in games] == [3, 2]
    assert records.dumps(games, "openings") == "0,0, 1,-1, 2,0\n-7,7, 7,-7\n"
    assert sgf.loads(sgf.dumps(games)) == games
    with pytest.raises(BadRecord, match="no opening"):
        openings.loads("# none")
    with pytest.raises(BadRecord, match="cannot hold 1 comment"):
        records.dumps(sgf.loads("(;C[x];B[hh])"), "openings")
