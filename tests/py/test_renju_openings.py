# SPDX-License-Identifier: MIT
"""The 26 classical openings of renju: completeness, names, geometry."""

from __future__ import annotations

import pytest

from tengen import BadNotation, Board
from tengen.arena.make_openings import same_under_symmetry
from tengen.game.move import Move
from tengen.game.renju_openings import RENJU_OPENINGS

MIDDLE = 7


def all_of_the_central_square() -> set[object]:
    """Keys of every opening that the description allows: white next to the centre, black's second
    stone within two lines of it.
    """
    near = range(MIDDLE - 2, MIDDLE + 3)
    square = [Move(x, y) for x in near for y in near]
    centre = Move(MIDDLE, MIDDLE)
    beside = [move for move in square if max(abs(move.x - 7), abs(move.y - 7)) == 1]
    return {
        same_under_symmetry((centre, white, black), 15)
        for white in beside
        for black in square
        if black not in (centre, white)
    }


def test_the_list_is_complete() -> None:
    ours = {same_under_symmetry(opening.moves(), 15) for opening in RENJU_OPENINGS}
    assert len(RENJU_OPENINGS) == len(ours) == 26
    assert ours == all_of_the_central_square()


@pytest.mark.parametrize("kind", ["direct", "indirect"])
def test_thirteen_of_each_kind(kind: str) -> None:
    result = [opening for opening in RENJU_OPENINGS if opening.kind == kind]
    assert [opening.number for opening in result] == list(range(1, 14))
    for opening in result:
        dx, dy = opening.second
        assert abs(dx) + abs(dy) == {"direct": 1, "indirect": 2}[kind]


def test_names_are_distinct() -> None:
    for names in zip(*((o.name, o.kanji, o.code) for o in RENJU_OPENINGS), strict=True):
        assert len(set(names)) == 26
    assert all(len(o.kanji) == 2 and o.kanji[1] in "月星" for o in RENJU_OPENINGS)
    # The last part of the name is moon or star.
    endings = {"月": ("getsu",), "星": ("sei", "jo")}
    assert all(o.name.endswith(endings[o.kanji[1]]) for o in RENJU_OPENINGS)


def test_well_known_ones() -> None:
    moves = {o.name: " ".join(move.name for move in o.moves()) for o in RENJU_OPENINGS}
    assert moves["Kagetsu"] == "h8 h9 i9"
    assert moves["Hogetsu"] == "h8 i9 i7"
    assert moves["Suisei"] == "h8 i9 f6"
    assert RENJU_OPENINGS[0].code == "1D"
    assert RENJU_OPENINGS[-1].code == "13I"


@pytest.mark.parametrize("size", [5, 6, 15, 20, 22])
def test_on_every_board(size: int) -> None:
    for opening in RENJU_OPENINGS:
        board = Board(size, "renju")
        for move in opening.moves(size):
            board.push(move)
        assert board.peek() == opening.moves(size)[2]


def test_no_such_board() -> None:
    with pytest.raises(BadNotation, match="no board of size 4"):
        RENJU_OPENINGS[0].moves(4)
