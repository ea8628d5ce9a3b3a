# SPDX-License-Identifier: MIT
"""Parts of the manager's end of the Gomocup protocol: parsing, lines, MESSAGE lines; and swap2."""

from __future__ import annotations

import pytest

from tengen import Board, Colour, Move
from tengen.engine import Info, PlayResult, PovScore, Score, swap2
from tengen.engine.protocol.search_messages import parse_info
from tengen.engine.protocol.syntax import (
    MAX_LINE,
    GomocupCommand,
    LineSplitter,
    parse,
    parse_point,
    quoted,
)
from tengen.game.errors import BadNotation
from tengen.game.records import psq


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("START 15", GomocupCommand("START", "15")),
        ("  turn\t7,7  ", GomocupCommand("TURN", "7,7")),
        ("INFO folder C:\\a b", GomocupCommand("INFO", "folder C:\\a b")),
        ("DONE", GomocupCommand("DONE")),
        ("\ufeffSTART 15", GomocupCommand("START", "15")),
        ("\x00", GomocupCommand("\x00")),
        ("", None),
        ("   ", None),
    ],
)
def test_parse(line: str, command: GomocupCommand | None) -> None:
    assert parse(line) == command


def test_points_are_those_of_psq_files() -> None:
    """`0,0` is the point `1,1` of a file, so a game looks the same in both."""
    (record,) = psq.loads("Piskvorky 15x15, 0:0, 0\n1,1,0\n15,2,0\n")
    assert record.moves == [parse_point("0,0", 15), parse_point("14,1", 15)]
    assert [move.gomocup for move in record.moves] == ["0,0", "14,1"]
    with pytest.raises(BadNotation, match="15,0 is off the board: both numbers are 0 to 14"):
        parse_point("15,0", 15)


def test_quoted_text() -> None:
    assert quoted("a\nb\0ü") == "a?b??"
    assert len(quoted("x" * 500)) == 60


def test_lines_are_bounded() -> None:
    lines = LineSplitter()
    assert lines.feed(b"x" * 10_000_000) == []
    assert lines.feed(b"y" * 10_000_000 + b"\nSTART 15\n") == ["x" * MAX_LINE, "START 15"]
    assert lines.feed(b"a\r\n\r\n\n b \rc") == ["a", "b"]
    assert lines.end() == ["c"]
    assert lines.end() == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("depth 21-38 ev 6 n 5117K n/ms 1674 tm 3056 pv K5 L4",
         "21-38 +6 5117000 1674000 3.056 10,10 11,11"),
        ("DEPTH 12-20 | EVAL -M8 | NODES 1.5M | SPEED 900K | TIME 2s | PV h8 i9",
         "12-20 -M8 1500000 900000 2 7,7 8,6"),
        ("Depth: 5, Score: -12, Nodes: 400", "5-5 -12 400 0 0"),
        ("depth=9/14 eval=+33 time=120ms line=[7,8 9,9]", "9-14 +33 0 0 0.12 7,8 9,9"),
        ("Evaluation 5 done at depth 3", "3-3 +0 0 0 0"),
        ("ev 12.7", "0-0 +12 0 0 0"),
        ("depth 3 pv 7,7 7,7 8,8", "3-3 +0 0 0 0 7,7"),
        ("depth 3 pv 0,0 7,7", "3-3 +0 0 0 0"),
        ("depth 3 pv 99,99", "3-3 +0 0 0 0"),
    ],
)  # fmt: skip
def test_details_of_other_engines(text: str, expected: str) -> None:
    """Depths, score, nodes, nodes per second, seconds, line; for white, since 0,0 is black's."""
    board = Board()
    board.push("0,0")
    info = parse_info(text, board)
    assert info is not None
    assert info.score.turn is Colour.WHITE
    line = " ".join(move.gomocup for move in info.pv)
    score = info.score.relative
    result = f"{info.depth}-{info.seldepth} {score} {info.nodes} {info.nps} {info.time:g} {line}"
    assert result.strip() == expected


@pytest.mark.parametrize("text", ["", "hello", "nodes 500", "loading config.toml", "ev", "depth"])
def test_no_details(text: str) -> None:
    assert parse_info(text, Board()) is None


def test_openings_fit_on_every_board() -> None:
    for size in range(5, 23):
        result = {swap2.opening(size, number).stones for number in range(200)}
        assert len(result) >= 20
        for stones in result:
            assert len(set(stones)) == 3
            assert all(max(stone.x, stone.y) < size for stone in stones)


def test_a_choice_without_a_score_is_a_move() -> None:
    assert swap2.choose(PlayResult(Move(7, 7)), 15, 3).line == "7,7"


def test_two_stones_need_a_line_of_two() -> None:
    info = Info(PovScore(Score(0), Colour.WHITE), (Move(7, 7),))
    assert swap2.choose(PlayResult(Move(7, 7), None, info), 15, 3).line == "7,7"
    info = Info(PovScore(Score(0), Colour.WHITE), (Move(7, 7), Move.PASS))
    assert swap2.choose(PlayResult(Move(7, 7), None, info), 15, 3).line == "7,7"
