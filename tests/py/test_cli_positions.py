# SPDX-License-Identifier: MIT
"""Position arguments of commands: moves, files, JSON, board diagrams; and numbered diagrams."""

from __future__ import annotations

import io
import json
import random
import sys
from pathlib import Path

import pytest

from random_boards import random_cells
from solver_cases import open_three
from tengen import BadPosition, BadRecord, Board, Colour, Move, TengenError
from tengen.cli.engine_common import (
    InputPosition,
    PositionOptions,
    UnreadablePosition,
    read_positions,
)
from tengen.game.diagram import is_diagram, read_diagram
from tengen.game.render.text import board_text, numbered_text


def read(*given: str, **how: object) -> list[InputPosition | UnreadablePosition]:
    return read_positions(given, PositionOptions(**how))  # type: ignore[arg-type]


def board_of(*given: str, **how: object) -> Board:
    (result,) = read(*given, **how)
    assert isinstance(result, InputPosition), result
    return result.board


# --- drawn boards -----------------------------------------------------------------------------


def same_stones(one: Board, two: Board) -> bool:
    return (one.size, one.stones(), one.turn) == (two.size, two.stones(), two.turn)


@pytest.mark.parametrize("size", [5, 9, 10, 15, 22])
def test_printed_boards_can_be_read(size: int) -> None:
    rng = random.Random(size)
    for _ in range(20):
        cells = random_cells(rng, size)
        black, white = ([i for i, cell in enumerate(cells) if cell == c] for c in Colour)
        board = Board.from_stones(black, white, rng.choice(list(Colour)), size)
        assert is_diagram(str(board))
        assert same_stones(read_diagram(str(board), side=str(board.turn)), board)
        drawn = board_text(board.size, board.stones(), unicode=True)
        assert read_diagram(drawn).stones() == board.stones()


def test_the_last_move_decides_the_side_to_move() -> None:
    board = Board.from_stones("h8 h9 h10", "a1", "white")
    board.push("a3")
    assert read_diagram(str(board)).turn is Colour.BLACK
    assert read_diagram(str(board), side="white").turn is Colour.WHITE
    assert read_diagram(str(Board())).turn is Colour.BLACK
    one = Board.from_stones("h8")
    assert read_diagram(str(one)).turn is Colour.WHITE


def test_partial_diagrams() -> None:
    text = "rule: renju\nto move: white\n   a b c d e\n 4 . X # o .\n\n 2 . . x . .  2\n"
    board = read_diagram(text)
    assert (board.size, board.rule, board.turn) == (5, "renju", Colour.WHITE)
    assert board.stones() == {
        Move("c2"): Colour.BLACK,
        Move("b4"): Colour.BLACK,
        Move("d4"): Colour.WHITE,
    }
    assert read_diagram(text, "caro", "black").rule == "caro"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5 . . . . .", "board:1: '5 . . . . .': the column letters 'a b c d e' come first"),
        ("", "board: no line of column letters"),
        ("  a b c d e\n5 . . . .", "board:2: row 5 has 4 points, not 5"),
        ("  a b c d e\n5 . . . . . X", "board:2: row 5 has 6 points, not 5"),
        ("  a b c d e\n6 . . . . .", "board:2: row 6: rows go down from 5 to 1"),
        ("  a b c d e\n4 . . . . .\n4 . . . . .", "board:3: row 4: rows go down"),
        ("  a b c d e\n4 . . . . .  3", "board:2: the row begins as 4 and ends as 3"),
        ("  a b c d e\n4 . . Z . .", "board:2: row 4: 'Z' is no stone"),
        ("  a b c d e\nhello", "board:2: 'hello': no row"),
        ("  a b c d e g", "board:1: column letters out of order"),
        ("  a b c d e\n  a b c d e f", "board:2: the column letters below"),
        ("rule: chess\n  a b c d e", "board: no rule 'chess'"),
        ("to move: red\n  a b c d e", "board: no colour 'red'"),
    ],
)
def test_invalid_diagrams(text: str, message: str) -> None:
    with pytest.raises(BadPosition) as caught:
        read_diagram(text, source="board")
    assert str(caught.value).startswith(message)


def test_numbered_diagrams() -> None:
    line = [Move("h7"), Move.PASS, *(Move(x, 0) for x in range(1, 11))]
    rows = numbered_text(open_three().size, open_three().stones(), line).splitlines()
    assert rows[0] == rows[-1] == "    a  b  c  d  e  f  g  h  i  j  k  l  m  n  o"
    assert rows[15] == " 1  O  3  4  5  6  7  8  9 10 11 12  .  .  .  .  1"
    assert rows[9].split()[8] == "1"
    assert len({len(row) for row in rows[1:7]}) == 1


# --- moves, files, JSON -----------------------------------------------------------------------


def test_move_lists() -> None:
    wanted = Board()
    for move in ("h8", "i9", "g7"):
        wanted.push(move)
    for given in (
        ["h8 i9 g7"],
        ["h8i9g7"],
        ["h8", "I9", "g7"],
        ["7,7 8,8 6,6"],
        ["1. h8 i9 2. g7"],
    ):
        assert board_of(*given) == wanted
    assert board_of("h8 i9 g7", move=1).ply == 1
    assert board_of("h8 i9 g7", side="black").turn is Colour.BLACK
    assert board_of("h8", rule="renju", size=19).rule == "renju"


def test_record_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("two.sgf").write_text("(;SZ[9];B[ee];W[dd])(;RU[renju];B[hh])")
    one, two = read("two.sgf")
    assert isinstance(one, InputPosition)
    assert isinstance(two, InputPosition)
    assert (one.name, one.board.size, one.board.ply) == ("game 1", 9, 2)
    assert (two.name, two.board.rule) == ("game 2", "renju")
    assert board_of("two.sgf", game=1, move=1).ply == 1
    with pytest.raises(BadRecord, match="no game 3: the file has 2"):
        read("two.sgf", game=3)
    # A move number that only one of them has.
    one, two = read("two.sgf", move=2)
    assert isinstance(one, InputPosition)
    assert isinstance(two, UnreadablePosition)
    assert "no move 2" in two.reason
    Path("twice.txt").write_text("h8 h8")
    (fault,) = read("twice.txt")
    assert isinstance(fault, UnreadablePosition)
    assert "move 2: h8 is occupied" in fault.reason


def test_json_positions(tmp_path: Path) -> None:
    value = {
        "id": "p1", "rule": "Renju", "size": 15, "side": "white", "goal": "vct_3moves",
        "black": ["H8", "i9"], "white": ["G7"], "solution": ["A1"],
    }  # fmt: skip
    (result,) = read(json.dumps(value))
    assert isinstance(result, InputPosition)
    assert (result.name, result.goal) == ("p1", "vct_3moves")
    assert result.board == Board.from_stones("h8 i9", "g7", "white", 15, "renju")
    assert board_of(json.dumps(value), rule="caro", side="black") == Board.from_stones(
        "h8 i9", "g7", "black", 15, "caro"
    )
    file = tmp_path / "pretty"
    file.write_text(json.dumps(value, indent=2))
    assert board_of(str(file)) == result.board
    short = board_of('{"black": "h8 i9", "to_move": "B"}', size=19)
    assert short == Board.from_stones("h8 i9", "", "black", 19)
    assert board_of('{"white": []}').turn is Colour.BLACK


def test_json_lines_continue_after_a_fault(tmp_path: Path) -> None:
    lines = [
        '{"black": ["h8"]}',
        "",
        '{"black": [',
        '{"black": ["z9"]}',
        '{"black": [1]}',
        '{"black": {"a": 1}}',
        '{"size": 15}',
        "[1]",
        "7",
        '{"black": [], "side": "white", "to_move": "black"}',
        '{"black": [], "side": "red"}',
        '{"black": [], "rule": 3}',
        '{"black": [], "size": 3}',
        '{"black": [], "size": "15"}',
        '{"black": ["a1"], "white": ["a1"]}',
        '{"black": ["pass"]}',
        '{"black": [], "goal": ["vcf"]}',
        "[" * 100_000,
        '{"size": ' + "9" * 5000 + ', "black": []}',
        '{"id": true, "black": ["h8"]}\r',
    ]
    file = tmp_path / "many.jsonl"
    file.write_text("\n".join(lines))
    result = read(str(file))
    assert [isinstance(item, InputPosition) for item in result] == [True, *[False] * 17, True]
    assert [item.name for item in result][1:3] == ["line 3", "line 4"]
    faults = [item.reason for item in result if isinstance(item, UnreadablePosition)]
    assert all(message.startswith(f"{file}:") for message in faults)
    for message, part in zip(
        faults,
        ["no JSON", "'z9'", "list of points", "list of points", "neither 'black'", "an object",
         "an object", "differ", "no colour", "'rule' is a text", "size 3",
         "'size' is a whole number, not '15'",
         "given twice", "a pass is no stone", "'goal' is a text", "nested too deeply", ""],
        strict=True,
    ):  # fmt: skip
        assert part in message


def test_a_diagram_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    file.write_text(str(open_three()))
    assert same_stones(board_of(str(file), side="black"), open_three())
    assert same_stones(board_of(str(open_three()), side="black"), open_three())


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(b'{"black": ["h8"]}\n{"black": ["h9"]}\n')

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert [item.name for item in read("-")] == ["line 1", "line 2"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("no/such/file", "No such file"),
        ("none.sgf", "No such file"),
        ("hello", "'hello' is no file, and no moves such as 'h8 i9 g7'"),
        ("", "is no file, and no moves"),
        ("h8 h8", "move 2: h8 is occupied"),
        ("h8 z30", "is no file, and no moves"),
        (".", "Is a directory"),
    ],
)
def test_nothing_to_read(given: str, message: str) -> None:
    with pytest.raises((TengenError, OSError), match=message):
        read(given)
