# SPDX-License-Identifier: MIT
"""Boards as text: exact output, reading it back, invalid arguments."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tengen
from positions import read_cases
from tengen import BadPosition, Colour, Move
from tengen.game.render.text import board_text

BLACK, WHITE = Colour.BLACK, Colour.WHITE
ANSI = re.compile("\x1b\\[[0-9;]*m")


def points(text: str) -> list[Move]:
    return [Move.parse(word) for word in text.split()]


def stones(black: str, white: str) -> dict[Move, Colour]:
    return dict.fromkeys(points(black), BLACK) | dict.fromkeys(points(white), WHITE)


sizes = st.integers(tengen.MIN_SIZE, tengen.MAX_SIZE)


@st.composite
def positions(draw: st.DrawFn) -> tuple[int, dict[Move, Colour]]:
    """A size and any stones that fit it."""
    size = draw(sizes)
    line = st.integers(0, size - 1)
    return size, draw(st.dictionaries(st.builds(Move, line, line), st.sampled_from(Colour)))


def test_plain_drawing() -> None:
    assert board_text(5, stones("c3 a1", "d4 e5")) == (
        "   a b c d e\n"
        "5  . . . . O  5\n"
        "4  . . . O .  4\n"
        "3  . . X . .  3\n"
        "2  . . . . .  2\n"
        "1  X . . . .  1\n"
        "   a b c d e"
    )


def test_two_digit_rows_are_aligned() -> None:
    lines = board_text(10, {}).split("\n")
    assert lines[0] == "    a b c d e f g h i j"
    assert lines[1] == "10  . . . . . . . . . .  10"
    assert lines[2] == " 9  . . . . . . . . . .  9"


@pytest.mark.parametrize(
    ("last", "row"),
    [("c3", "3  . .(X). .  3"), ("a3", "3 (.). X . .  3"), ("e3", "3  . . X .(.) 3")],
)
def test_the_last_move_is_in_brackets(last: str, row: str) -> None:
    lines = board_text(5, stones("c3", ""), last=Move.parse(last)).split("\n")
    assert lines[3] == row


def test_a_pass_as_last_move_marks_nothing() -> None:
    assert board_text(5, {}, last=Move.PASS) == board_text(5, {})


def test_marks_replace_stones() -> None:
    marks = {Move.parse("b3"): "#", Move.parse("c3"): "A"}
    lines = board_text(5, stones("c3", ""), marks=marks).split("\n")
    assert lines[3] == "3  . # A . .  3"


def test_without_coordinates() -> None:
    picture = board_text(5, stones("c3", ""), last=Move.parse("a1"), coordinates=False)
    assert picture.split("\n") == [
        " . . . . .",
        " . . . . .",
        " . . X . .",
        " . . . . .",
        "(.). . . .",
    ]


def test_unicode_drawing() -> None:
    assert board_text(5, stones("b2", "d4"), last=Move.parse("d4"), unicode=True) == (
        "   a b c d e\n"
        "5  ┌─┬─┬─┬─┐  5\n"
        "4  ├─┼─┼(○)┤  4\n"
        "3  ├─┼─╋─┼─┤  3\n"
        "2  ├─●─┼─┼─┤  2\n"
        "1  └─┴─┴─┴─┘  1\n"
        "   a b c d e"
    )


@given(positions(), st.booleans())
def test_colour_adds_only_codes(position: tuple[int, dict[Move, Colour]], unicode: bool) -> None:
    size, placed = position
    plain = board_text(size, placed, unicode=unicode)
    painted = board_text(size, placed, unicode=unicode, colour=True)
    assert "\x1b" not in plain
    assert ANSI.sub("", painted) == plain
    assert all(line.endswith("\x1b[0m") for line in painted.split("\n"))


@given(positions())
def test_printed_boards_read_back(
    tmp_path_factory: pytest.TempPathFactory, position: tuple[int, dict[Move, Colour]]
) -> None:
    size, placed = position
    rows = board_text(size, placed).split("\n")[:-1]  # a drawn case has no letters below
    head = ["case: drawn by board_text", "rule: freestyle", f"size: {size}"]
    path: Path = tmp_path_factory.mktemp("drawn") / "case.txt"
    path.write_text("\n".join([*head, *rows, "outcome: none", ""]), encoding="ascii")
    (case,) = read_cases(path)
    assert set(case.black) == {move for move, colour in placed.items() if colour == BLACK}
    assert set(case.white) == {move for move, colour in placed.items() if colour == WHITE}


@given(positions(), st.data(), st.booleans())
def test_columns_stay_aligned(
    position: tuple[int, dict[Move, Colour]], data: st.DataObject, unicode: bool
) -> None:
    size, placed = position
    line = st.integers(0, size - 1)
    last = data.draw(st.none() | st.builds(Move, line, line))
    rows = board_text(size, placed, last=last, unicode=unicode).split("\n")
    assert len(rows) == size + 2
    width = len(str(size)) + 1 + (2 * size + 1)
    for number, row in zip(range(size, 0, -1), rows[1:-1], strict=True):
        assert row[width:] == f" {number}"
        letters = row[len(str(size)) + 2 : width : 2]
        expected = [placed.get(Move(x, number - 1)) for x in range(size)]
        black, white = ("●", "○") if unicode else ("X", "O")
        drawn = {black: BLACK, white: WHITE}
        assert [drawn.get(letter) for letter in letters] == expected


@pytest.mark.parametrize("size", [-1, 0, 4, 23])
def test_impossible_sizes_are_rejected(size: int) -> None:
    with pytest.raises(BadPosition, match=str(size)):
        board_text(size, {})


def test_points_off_the_board_are_rejected() -> None:
    with pytest.raises(BadPosition, match="a stone at f6 is off the 5x5 board"):
        board_text(5, stones("f6", ""))
    with pytest.raises(BadPosition, match="a stone at"):
        board_text(5, {Move.PASS: BLACK})
    with pytest.raises(BadPosition, match="mark"):
        board_text(5, {}, marks={Move(0, 9): "#"})
    with pytest.raises(BadPosition, match="last move"):
        board_text(5, {}, last=Move(7, 7))


@pytest.mark.parametrize("mark", ["", "ab", " ", "\n", "\x1b", "\u0301", "黒", "\u200b"])
def test_marks_that_do_not_fill_a_column_are_rejected(mark: str) -> None:
    with pytest.raises(ValueError, match="one visible character"):
        board_text(5, {}, marks={Move(0, 0): mark})


def test_board_draws_itself() -> None:
    board = tengen.Board(5)
    board.push("c3")
    assert str(board) == board_text(5, {Move(2, 2): BLACK}, last=Move(2, 2))


@pytest.mark.parametrize(("unicode", "black", "white"), [(False, "X", "O"), (True, "●", "○")])
def test_colours_of_stones(unicode: bool, black: str, white: str) -> None:
    stones = {Move(1, 1): BLACK, Move(3, 3): WHITE}
    painted = board_text(5, stones, marks={Move(0, 4): "#"}, unicode=unicode, colour=True)
    assert f"\x1b[1;38;5;16m{black}" in painted  # black ink
    assert f"\x1b[1;38;5;231m{white}" in painted  # white ink
    assert "\x1b[1;38;5;124m#" in painted  # red
