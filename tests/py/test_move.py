# SPDX-License-Identifier: MIT
"""Moves, notations, rules and colours: parsing, formatting, errors."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen import BadNotation, Colour, Move, Rule, Shape, Threat
from tengen.game.move import PASS, MoveLike


@pytest.mark.parametrize(
    "given_move",
    [
        "h9",
        "H9",
        " h9 ",
        "7,8",
        "7, 8",
        (7, 8),
        [7, 8],
        127,
        Move(7, 8),
        np.int64(127),
        np.uint8(127),
    ],
)
def test_all_notations_name_the_same_point(given_move: MoveLike) -> None:
    assert Move.parse(given_move, 15) == Move(7, 8) == Move("h9")


def test_numpy_numbers_become_plain_ones() -> None:
    move = Move.parse((np.int32(7), np.uint8(8)), 15)  # type: ignore[arg-type]
    assert [type(part) for part in move] == [int, int]


@given(st.integers(5, 22), st.data())
def test_notations_round_trip(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size * size - 1))
    move = Move.from_index(index, size)
    assert move.to_index(size) == index
    for text in (move.name, str(move), move.gomocup, move.name.upper()):
        assert Move.parse(text, size) == move
    assert Move.parse((move.x, move.y), size) == move
    assert pickle.loads(pickle.dumps(move)) == move


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "h",
        "8",
        "h0",
        "h08",
        "h16",
        "p1",
        "hh",
        "8h",
        "h8i9",
        "-1,3",
        "15,0",
        "1;2",
        "h٨",
        "7,7,7",
    ],
)
def test_bad_texts_are_rejected(bad: str) -> None:
    with pytest.raises(BadNotation) as caught:
        Move.parse(bad, 15)
    assert repr(bad) in str(caught.value)


@pytest.mark.parametrize(
    "bad",
    [
        225,
        -1,
        -2,
        (15, 0),
        (0, -1),
        (-1, -1),
        (1, 2, 3),
        (7.0, 7),
        (True, 1),
        None,
        1.5,
        True,
        ["h8"],
    ],
)
def test_bad_values_are_rejected(bad: object) -> None:
    with pytest.raises(BadNotation):
        Move.parse(bad, 15)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [(22, 0), (0, 22), (-1, 0), (70, 70), (1.5, 2)])
def test_no_move_off_every_board(bad: tuple[int, int]) -> None:
    with pytest.raises(BadNotation):
        Move(*bad)


@given(st.text(max_size=6))
def test_no_text_crashes_the_parser(text: str) -> None:
    try:
        move = Move.parse(text, 15)
    except BadNotation:
        return
    assert move == PASS or 0 <= move.to_index(15) < 225


def test_the_pass() -> None:
    for text in ("pass", "PASS", " Pass "):
        assert Move.parse(text) is PASS
    assert Move.from_index(-1, 15) is PASS
    with pytest.raises(BadNotation, match="say 'pass'"):
        Move.parse(-1, 15)
    assert PASS.is_pass
    assert PASS.to_index(15) == -1
    assert str(PASS) == "pass"
    with pytest.raises(BadNotation, match="no pass"):
        _ = PASS.gomocup


def test_an_index_is_on_the_board() -> None:
    with pytest.raises(BadNotation, match="off the 15x15 board"):
        Move(20, 3).to_index(15)


def test_names_take_a_width() -> None:
    assert f"{Colour.BLACK:>8}|{Threat.FIVE:<6}|{Shape.OPEN_ONE}" == "   black|five  |open_one"


def test_rules_by_name_and_number() -> None:
    assert Rule.parse("Renju") is Rule.RENJU
    assert Rule.parse(Rule.CARO) is Rule.CARO
    for rule in Rule:
        assert Rule.from_gomocup(rule.gomocup) is rule
    assert [r.gomocup for r in Rule] == [0, 1, 4, 9, 8]
    for bad in ("go", "", None, 4):
        with pytest.raises(BadNotation, match="known are"):
            Rule.parse(bad)  # type: ignore[arg-type]
    with pytest.raises(BadNotation, match="Gomocup number 2"):
        Rule.from_gomocup(2)


def test_colours() -> None:
    assert Colour.parse("White") is Colour.WHITE
    assert Colour.parse("b") is Colour.BLACK
    assert Colour.parse(2) is Colour.WHITE
    assert Colour.BLACK.other is Colour.WHITE
    assert str(Colour.WHITE) == "white"
    for bad in ("red", 0, 3, ""):
        with pytest.raises(BadNotation, match="no colour"):
            Colour.parse(bad)
