# SPDX-License-Identifier: MIT
"""The Python rules on board diagrams, one group for each section of docs/rules.md.

A diagram shows the top row first; X is black, O is white (in single rows: the tested colour and its
opponent), `?` is the tested empty point. The board is as wide as the diagram; empty rows at the
bottom are left out. test_reference_games has games and random boards.
"""

import pytest

from reference_boards import DOUBLE_THREE, FIVE_AND_OVERLINE, drawn, row_board
from tengen.reference import (
    BLACK,
    WHITE,
    PointReport,
    ReferenceBoard,
    ReferenceOutcome,
)

ALL = "freestyle standard renju-black renju-white caro caro6"


# --- Lines ------------------------------------------------------------------------------------

LINES = [
    ("..XX?XX....", {ALL: "five"}),
    ("..XX?XXX...", {"freestyle renju-white caro6": "five", "standard renju-black": "overline"}),
    ("..XX?XXX...", {"caro": "overline"}),
    (".OXX?XXO...", {"freestyle standard renju-black renju-white": "five", "caro caro6": "none"}),
    ("OXX?XX", {ALL: "five"}),  # the edge does not close
    ("XX?XX", {ALL: "five"}),
    (".OXX?XXXO..", {"caro6": "five", "caro": "overline"}),
    ("XXX?XXX....", {"freestyle renju-white caro6": "five", "standard caro": "overline"}),
    ("...XX?X....", {ALL: "open_four"}),
    (".XX?X.", {ALL: "open_four"}),
    ("..XX?X.O...", {"freestyle standard renju-black": "open_four", "caro caro6": "four"}),
    ("O.XX?X.....", {"renju-white": "open_four", "caro caro6": "four"}),
    ("..XX?X.X...", {"freestyle renju-white caro6": "open_four"}),
    ("..XX?X.X...", {"standard renju-black caro": "four"}),  # one end makes six
    ("...XX?XO...", {ALL: "four"}),
    (".OXX?X.O...", {"freestyle standard renju-black": "four", "caro caro6": "none"}),
    ("..X.?XX.X..", {ALL: "double_four"}),
    (".XX.?X.XX..", {ALL: "double_four"}),
    ("XXX.?.XXX..", {ALL: "double_four"}),
    ("OX.?XX.X...", {"freestyle standard renju-black": "double_four", "caro caro6": "four"}),
    ("OX.?XX.XO..", {"freestyle standard renju-black": "double_four", "caro caro6": "four"}),
    ("...XX?.....", {ALL: "open_three"}),
    ("...X.X?....", {ALL: "open_three"}),
    ("..O.XX?.O..", {"freestyle standard renju-black": "three", "caro": "none", "caro6": "none"}),
    (".O.XX?..O..", {"freestyle standard renju-black": "open_three", "caro caro6": "three"}),
    ("O..XX?..O..", {"freestyle standard renju-black": "open_three", "caro caro6": "three"}),
    ("X..XX?..X..", {"freestyle renju-white": "open_three", "renju-black standard": "three"}),
    ("OX.X?..XO..", {"freestyle standard renju-white": "open_three"}),  # X.XXX.X is in reach
    ("OX.X?..XO..", {"renju-black caro caro6": "three"}),
    ("..OXX?.....", {ALL: "three"}),
    ("....X?.....", {ALL: "open_two"}),
    ("..OX?......", {ALL: "two"}),
    (".....?.....", {ALL: "open_one"}),
    ("..O?.......", {ALL: "one"}),
    ("O....?O....", {"freestyle standard renju-black": "one", "caro caro6": "none"}),
    ("....?O.....", {ALL: "one"}),
    ("..O.?..O...", {ALL: "none"}),
]


@pytest.mark.parametrize(("row", "expected"), LINES)
def test_line_class(row: str, expected: dict[str, str]) -> None:
    for sides, line_class in expected.items():
        for side in sides.split():
            for text in (row, row[::-1]):
                board, point, colour = row_board(text, side)
                assert board.line_class(point, colour, 0) == line_class, (text, side)


@pytest.mark.parametrize(
    ("row", "side", "expected"),
    [
        ("..XX?XXX...", "freestyle", PointReport(True, True)),
        ("..XX?XXX...", "caro", PointReport(False, True)),
        ("..XX?XXX...", "renju-black", PointReport(False, True, forbidden="overline")),
        ("...XX?X....", "standard", PointReport(False, False, 1, True)),
        ("..X.XX?....", "freestyle", PointReport(False, False, 1)),  # a four is no three besides
        ("..X.?XX.X..", "freestyle", PointReport(False, False, 2)),
        ("..X.?XX.X..", "renju-black", PointReport(False, False, 2, forbidden="double_four")),
        ("OX.?XX.XO..", "caro", PointReport(False, False, 1)),
        ("OX.X?..XO..", "renju-white", PointReport(False, False, 0, False, 1)),
        ("OX.X?..XO..", "renju-black", PointReport(False, False)),
    ],
)
def test_verdict_on_one_line(row: str, side: str, expected: PointReport) -> None:
    board, point, colour = row_board(row, side)
    assert board.verdict(point, colour) == expected


@pytest.mark.parametrize("direction", range(4))
def test_directions(direction: int) -> None:
    x_step, y_step = ((1, 0), (0, 1), (1, 1), (1, -1))[direction]
    board = ReferenceBoard(11, "standard")
    for steps in (1, 2):
        board.cells[(5 + steps * y_step) * 11 + 5 + steps * x_step] = BLACK
    classes = [board.line_class(60, BLACK, each) for each in range(4)]
    assert classes == ["open_three" if each == direction else "open_one" for each in range(4)]


# --- Renju: what black may not do ---------------------------------------------------------------


DOUBLE_FOUR = """
    . . . . . . . . .
    . . . . O . . . .
    . . . . X . . . .
    . . . . X . . . .
    . . . . X . . . .
    O X X X ? . . . ."""


# The row's three can grow only at h6, for c6 is white; what stands above and below h6 decides
# whether black may play there.
NO_OPEN_FOUR = """
    . . . . . . . . . . .
    . . . . . . . {4} . . .
    . . . . . . . {3} . . .
    . . . . . . X {2} . . .
    . . . . . . X {1} . . .
    . . O . X X ? . . . .
    . . . . . . . {0} . . ."""

TWO_MORE_THREES = """
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . X . . X . .
    . . . . . X . X . . .
    . O . X X ? . . . . .
    . . . . . . X . . . .
    . . . . . . X . . . ."""

# Referees that judge continuations one, two or three levels deep, and take every apparent three
# beyond for a real one, would get the first, second and third of these wrong.
NESTED = [
    """
    . . . . . . . . . . .
    . . . X . X . . . . .
    . . . . . . X X . . .
    . . . X . ? . . . . .
    . . . . . X X . . . .""",
    """
    . . . . . . . . . . .
    . . . . . . . X X . .
    . . . . X X . . . . .
    . . . . . X X . . . .
    . . . . X . X ? . . .""",
    """
    . . . . . . . . . . .
    . . . . . . . . . . .
    . X X . . . . . . . .
    . ? . . . . X . . . .
    . . X X . . . . . . .
    . X . X . . . . . . .
    . . . X . . . . . . .
    . . . . X . . . . . .""",
]


@pytest.mark.parametrize(
    ("drawing", "expected"),
    [
        (DOUBLE_THREE, PointReport(False, False, 0, False, 2, "double_three")),
        (DOUBLE_FOUR, PointReport(False, False, 2, False, 0, "double_four")),
        (FIVE_AND_OVERLINE, PointReport(True, True)),
        (
            FIVE_AND_OVERLINE.replace("X X X X ?", "O X X X ?"),
            PointReport(False, True, 1, False, 0, "overline"),
        ),
        (
            DOUBLE_FOUR.replace("O X", "X ."),
            PointReport(False, False, 2, False, 0, "double_four"),
        ),
        (TWO_MORE_THREES, PointReport(False, False, 0, False, 1, None, 1)),
        (NESTED[0], PointReport(False, False, 0, False, 2, "double_three", 1)),
        (NESTED[1], PointReport(False, False, 0, False, 1, None, 2)),
        (NESTED[2], PointReport(False, False, 0, False, 2, "double_three", 3)),
    ],
)
def test_renju_verdict(drawing: str, expected: PointReport) -> None:
    board, point = drawn(drawing)
    cells = list(board.cells)
    assert board.verdict(point, BLACK) == expected
    assert board.forbidden(point) == expected.forbidden
    assert board.forbidden_points().get(point) == expected.forbidden
    assert board.verdict(point, WHITE).forbidden is None
    assert board.cells == cells


@pytest.mark.parametrize(
    ("column", "five", "reason", "threes"),
    [
        (".....", False, None, 2),
        ("XXXXX", False, "overline", 1),
        ("OXXX.", False, "double_four", 1),
        ("XXXX.", True, None, 1),
    ],
)
def test_three_needs_a_legal_open_four(
    column: str, five: bool, reason: str | None, threes: int
) -> None:
    board, point = drawn(NO_OPEN_FOUR.format(*column))
    verdict = board.verdict(point, BLACK)
    assert (verdict.threes, verdict.depth) == (threes, 0)
    assert verdict.forbidden == ("double_three" if threes > 1 else None)
    board.cells[point] = BLACK
    continuation = board.verdict(point + 1, BLACK)
    assert (continuation.five, continuation.forbidden) == (five, reason)


def test_forbidden_ignores_turn_and_end() -> None:
    board, point = drawn(DOUBLE_THREE, to_move=WHITE)
    assert board.forbidden_points() == {point: "double_three"}
    assert point in board.legal_moves()
    board.cells[:5] = [WHITE] * 5
    assert board.outcome() == ReferenceOutcome(WHITE, "five", ((0, 1, 2, 3, 4),))
    assert board.forbidden_points() == {point: "double_three"}
    for rule in ("freestyle", "standard", "caro", "caro6"):
        board, point = drawn(DOUBLE_THREE, rule)
        assert board.forbidden_points() == {}
        assert board.verdict(point, BLACK) == PointReport(False, False, 0, False, 2)
