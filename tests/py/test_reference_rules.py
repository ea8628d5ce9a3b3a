# SPDX-License-Identifier: MIT
"""Tests of the plain Python rules on drawn positions, one group for each section of docs/rules.md.

A drawing shows the top row first; X is black, O is white (in single rows: the colour asked about
and its opponent), `?` is the asked empty point. The board is as wide as the drawing; empty rows at
the bottom are left out. Random boards then check what must hold everywhere: the eight symmetries,
undo, and, where the package `renju` is installed, agreement with its port of the Gomocup judge.
"""

import random

import pytest

from tengen.reference import (
    BLACK,
    EMPTY,
    PASS,
    RULES,
    WHITE,
    ForbiddenMoveError,
    IllegalMoveError,
    Outcome,
    ReferenceBoard,
    Verdict,
    symmetries,
)

CELL = {".": EMPTY, "?": EMPTY, "X": BLACK, "O": WHITE}
ALL = "freestyle standard renju-black renju-white caro caro6"


def drawn(drawing: str, rule: str = "renju", to_move: int = BLACK) -> tuple[ReferenceBoard, int]:
    """The drawn board and its asked point (-1 if none is marked)."""
    rows = [line.replace(" ", "") for line in drawing.strip().splitlines()]
    size = len(rows[0])
    rows += ["." * size] * (size - len(rows))
    text = "".join(rows[::-1])
    board = ReferenceBoard.from_cells([CELL[mark] for mark in text], size, rule, to_move)
    return board, text.find("?")


def row_board(row: str, side: str) -> tuple[ReferenceBoard, int, int]:
    """A board with one drawn row in the middle, its asked point, and the colour X stands for."""
    rule, _, colour_name = side.partition("-")
    colour = WHITE if colour_name == "white" else BLACK
    marks = row.translate(str.maketrans("XO", "OX")) if colour == WHITE else row
    size = len(row)
    start = size // 2 * size
    cells = [EMPTY] * (size * size)
    cells[start : start + size] = [CELL[mark] for mark in marks]
    return ReferenceBoard.from_cells(cells, size, rule), start + row.index("?"), colour


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
        ("..XX?XXX...", "freestyle", Verdict(True, True)),
        ("..XX?XXX...", "caro", Verdict(False, True)),
        ("..XX?XXX...", "renju-black", Verdict(False, True, forbidden="overline")),
        ("...XX?X....", "standard", Verdict(False, False, 1, True)),
        ("..X.XX?....", "freestyle", Verdict(False, False, 1)),  # a four is no three besides
        ("..X.?XX.X..", "freestyle", Verdict(False, False, 2)),
        ("..X.?XX.X..", "renju-black", Verdict(False, False, 2, forbidden="double_four")),
        ("OX.?XX.XO..", "caro", Verdict(False, False, 1)),
        ("OX.X?..XO..", "renju-white", Verdict(False, False, 0, False, 1)),
        ("OX.X?..XO..", "renju-black", Verdict(False, False)),
    ],
)
def test_verdict_on_one_line(row: str, side: str, expected: Verdict) -> None:
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

DOUBLE_THREE = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . X . . . .
    . . . . X . . . .
    . . X X ? . . . ."""

DOUBLE_FOUR = """
    . . . . . . . . .
    . . . . O . . . .
    . . . . X . . . .
    . . . . X . . . .
    . . . . X . . . .
    O X X X ? . . . ."""

FIVE_AND_OVERLINE = """
    . . . . . . . . .
    . . . . X . . . .
    . . . . X . . . .
    . . . . X . . . .
    X X X X ? . . . .
    . . . . X . . . .
    . . . . X . . . ."""

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
        (DOUBLE_THREE, Verdict(False, False, 0, False, 2, "double_three")),
        (DOUBLE_FOUR, Verdict(False, False, 2, False, 0, "double_four")),
        (FIVE_AND_OVERLINE, Verdict(True, True)),
        (
            FIVE_AND_OVERLINE.replace("X X X X ?", "O X X X ?"),
            Verdict(False, True, 1, False, 0, "overline"),
        ),
        (DOUBLE_FOUR.replace("O X", "X ."), Verdict(False, False, 2, False, 0, "double_four")),
        (TWO_MORE_THREES, Verdict(False, False, 0, False, 1, None, 1)),
        (NESTED[0], Verdict(False, False, 0, False, 2, "double_three", 1)),
        (NESTED[1], Verdict(False, False, 0, False, 1, None, 2)),
        (NESTED[2], Verdict(False, False, 0, False, 2, "double_three", 3)),
    ],
)
def test_renju_verdict(drawing: str, expected: Verdict) -> None:
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


def test_forbidden_asks_neither_turn_nor_end() -> None:
    board, point = drawn(DOUBLE_THREE, to_move=WHITE)
    assert board.forbidden_points() == {point: "double_three"}
    assert point in board.legal_moves()
    board.cells[:5] = [WHITE] * 5
    assert board.outcome() == Outcome(WHITE, "five", ((0, 1, 2, 3, 4),))
    assert board.forbidden_points() == {point: "double_three"}
    for rule in ("freestyle", "standard", "caro", "caro6"):
        board, point = drawn(DOUBLE_THREE, rule)
        assert board.forbidden_points() == {}
        assert board.verdict(point, BLACK) == Verdict(False, False, 0, False, 2)


# --- Games --------------------------------------------------------------------------------------

FULL_BUT_ONE = """
    X X X ? X X
    X X O O X X
    O O X X O O
    X X O O X X
    O O X X O O
    X X O O X X"""


def test_play_undo_and_errors() -> None:
    board, point = drawn(DOUBLE_THREE)
    assert point not in board.legal_moves()
    with pytest.raises(ForbiddenMoveError) as caught:
        board.play(point)
    assert caught.value.reason == "double_three"
    for wrong in (-2, 81, board.cells.index(BLACK)):
        with pytest.raises(IllegalMoveError):
            board.play(wrong)
    before = list(board.cells)
    board.play(PASS)
    board.play(point)  # white may
    assert (board.moves, board.to_move, board.cells[point]) == ([PASS, point], BLACK, WHITE)
    board.undo()
    board.undo()
    assert (board.moves, board.to_move, board.cells) == ([], BLACK, before)
    with pytest.raises(ValueError, match="take back"):
        board.undo()


def test_five_ends_the_game_with_all_its_lines() -> None:
    board, point = drawn(FIVE_AND_OVERLINE, "freestyle")
    board.play(point)
    row, column = tuple(range(36, 41)), tuple(range(22, 68, 9))
    assert board.outcome() == Outcome(BLACK, "five", (column, row))
    assert board.legal_moves() == []
    with pytest.raises(IllegalMoveError):
        board.play(0)
    with pytest.raises(IllegalMoveError):
        board.play(PASS)
    board.undo()
    assert board.outcome() is None
    board, point = drawn(FIVE_AND_OVERLINE, "renju")
    board.play(point)
    assert board.outcome() == Outcome(BLACK, "five", (row,))


@pytest.mark.parametrize("rule", ["caro", "caro6"])
def test_caro_closed_five_does_not_win(rule: str) -> None:
    board, point, _ = row_board(".OXX?XXO...", rule)
    board.play(point)
    assert board.outcome() is None
    board, point, _ = row_board("..XX?XXO...", rule)
    board.play(point)
    assert board.outcome() == Outcome(BLACK, "five", (tuple(range(point - 2, point + 3)),))


@pytest.mark.parametrize("rule", RULES)
def test_two_passes_draw(rule: str) -> None:
    board = ReferenceBoard(5, rule)
    for move in (PASS, 12, PASS):
        board.play(move)
    assert board.outcome() is None
    board.play(PASS)
    assert board.outcome() == Outcome(EMPTY, "passes")
    board.undo()
    board.play(0)
    assert board.outcome() is None


def test_move_limit_counts_passes_and_yields_to_a_five() -> None:
    board = ReferenceBoard(15, "freestyle")
    board.move_limit = 3
    for move in (0, PASS, 1):
        assert board.outcome() is None
        board.play(move)
    assert board.outcome() == Outcome(EMPTY, "move_limit")
    assert board.legal_moves() == []
    board, point, _ = row_board("..XX?XX....", "freestyle")
    board.move_limit = 1
    board.play(point)
    assert board.outcome() == Outcome(BLACK, "five", (tuple(range(point - 2, point + 3)),))


def test_full_board() -> None:
    board, point = drawn(FULL_BUT_ONE, to_move=WHITE)
    board.move_limit = 1
    board.play(point)
    assert board.outcome() == Outcome(EMPTY, "full_board")
    board, point = drawn(FULL_BUT_ONE, "caro6")
    board.play(point)
    assert board.outcome() == Outcome(BLACK, "five", (tuple(range(30, 36)),))
    board, point = drawn(FULL_BUT_ONE, "standard")
    board.play(point)  # six is no win
    assert board.outcome() == Outcome(EMPTY, "full_board")


def test_only_the_pass_is_left() -> None:
    board, point = drawn(FULL_BUT_ONE)
    assert board.forbidden_points() == {point: "overline"}
    assert (board.legal_moves(), board.outcome()) == ([], None)
    board.play(PASS)
    assert board.legal_moves() == [point]


@pytest.mark.parametrize("to_move", [BLACK, WHITE])
def test_outcome_of_a_position_set_up(to_move: int) -> None:
    cells = [EMPTY] * 81
    cells[:5] = [BLACK] * 5
    black = Outcome(BLACK, "five", ((0, 1, 2, 3, 4),))
    white = Outcome(WHITE, "five", ((18, 19, 20, 21, 22, 23),))
    assert ReferenceBoard.from_cells(cells, 9, "renju", to_move).outcome() == black
    cells[18:24] = [WHITE] * 6
    both = ReferenceBoard.from_cells(cells, 9, "renju", to_move)
    assert both.outcome() == (white if to_move == BLACK else black)
    with pytest.raises(IllegalMoveError):
        both.play(80)
    assert ReferenceBoard.from_cells(cells, 9, "standard", to_move).outcome() == black
    cells[5] = WHITE
    assert ReferenceBoard.from_cells(cells, 9, "caro", to_move).outcome() == black
    shifted = [EMPTY, *cells[:80]]
    shifted[0] = WHITE
    assert ReferenceBoard.from_cells(shifted, 9, "caro", to_move).outcome() is None
    assert ReferenceBoard.from_cells([EMPTY] * 81, 9, "caro", to_move).outcome() is None


# --- Bad input ----------------------------------------------------------------------------------


def test_bad_input_is_refused() -> None:
    for size, rule in ((4, "renju"), (23, "renju"), (15, "gomoku")):
        with pytest.raises(ValueError, match=r"size|rule"):
            ReferenceBoard(size, rule)
    for cells, to_move in (([0] * 24, 1), ([0] * 24 + [3], 1), ([0] * 25, 0)):
        with pytest.raises(ValueError, match=r"cell|colour"):
            ReferenceBoard.from_cells(cells, 5, "renju", to_move)
    board = ReferenceBoard.from_cells([BLACK] + [EMPTY] * 24, 5, "renju")
    for point in (0, -1, 25):
        with pytest.raises(ValueError, match="point"):
            board.forbidden(point)
        with pytest.raises(ValueError, match="point"):
            board.verdict(point, WHITE)
    with pytest.raises(ValueError, match="colour"):
        board.verdict(1, EMPTY)
    with pytest.raises(ValueError, match="direction"):
        board.line_class(1, BLACK, 4)
    with pytest.raises(ValueError, match="cells"):
        symmetries([EMPTY] * 24, 5)


# --- Random boards ------------------------------------------------------------------------------


def random_cells(rng: random.Random, size: int, black: float, white: float) -> list[int]:
    """A board on which black and white hold about these shares of the points."""
    weights = [1 - black - white, black, white]
    return rng.choices([EMPTY, BLACK, WHITE], weights, k=size * size)


def test_symmetries_are_the_eight_of_the_square() -> None:
    images = symmetries(range(9), 3)
    assert images[0] == list(range(9))
    # A symmetry is fixed by where the corners 0 and 2 (one side of the square) go.
    sides = {(0, 2), (2, 0), (0, 6), (6, 0), (2, 8), (8, 2), (6, 8), (8, 6)}
    assert {(image[0], image[2]) for image in images} == sides
    assert len(images) == len(sides)
    for image in images:
        assert sorted(image[1::2]) == [1, 3, 5, 7]
        assert image[1] == (image[0] + image[2]) // 2  # neighbours stay neighbours


@pytest.mark.parametrize("rule", RULES)
def test_verdicts_commute_with_the_symmetries(rule: str) -> None:
    rng = random.Random(f"symmetry {rule}")
    size = 9
    sources = symmetries(range(size * size), size)
    for _ in range(12):
        cells = random_cells(rng, size, rng.uniform(0.1, 0.4), rng.uniform(0, 0.3))
        board = ReferenceBoard.from_cells(cells, size, rule)
        images = [ReferenceBoard.from_cells(image, size, rule) for image in symmetries(cells, size)]
        for colour in (BLACK, WHITE):
            for source, image in zip(sources, images, strict=True):
                for point in range(size * size):
                    if image.cells[point] == EMPTY:
                        expected = board.verdict(source[point], colour)
                        assert image.verdict(point, colour) == expected


@pytest.mark.parametrize("rule", RULES)
def test_verdict_agrees_with_its_lines(rule: str) -> None:
    rng = random.Random(f"lines {rule}")
    for _ in range(8):
        board = ReferenceBoard.from_cells(random_cells(rng, 11, 0.25, 0.2), 11, rule)
        for point in (point for point, cell in enumerate(board.cells) if cell == EMPTY):
            classes = [board.line_class(point, BLACK, direction) for direction in range(4)]
            verdict = board.verdict(point, BLACK)
            assert verdict.five == ("five" in classes)
            if not verdict.five:
                fours = classes.count("four") + classes.count("open_four")
                assert verdict.fours == fours + 2 * classes.count("double_four")
                assert verdict.open_four == ("open_four" in classes)
                assert verdict.threes <= classes.count("open_three")
                assert rule == "renju" or verdict.threes == classes.count("open_three")


@pytest.mark.parametrize("rule", RULES)
def test_random_games_can_be_taken_back(rule: str) -> None:
    rng = random.Random(f"games {rule}")
    for _ in range(3):
        board = ReferenceBoard(7, rule)
        states = []
        while moves := board.legal_moves():
            states.append((list(board.cells), board.to_move, moves))
            board.play(rng.choice(moves))
        set_up = ReferenceBoard.from_cells(board.cells, 7, rule, board.to_move)
        assert set_up.outcome() == board.outcome()
        for state in reversed(states):
            board.undo()
            assert (board.cells, board.to_move, board.legal_moves()) == state


def test_agrees_with_the_gomocup_judge() -> None:
    """The package `renju` ports that judge, which follows the same text of the rule book."""
    check_forbid = pytest.importorskip("renju.check_forbid")
    reasons = [None, "double_three", "double_four", "overline"]
    rng = random.Random("judge")
    for _ in range(60):
        size = rng.choice([6, 9, 11, 15])
        cells = random_cells(rng, size, rng.uniform(0.1, 0.4), rng.uniform(0, 0.3))
        board = ReferenceBoard.from_cells(cells, size, "renju")
        grid = [cells[start : start + size] for start in range(0, size * size, size)]
        for point in (point for point, cell in enumerate(cells) if cell == EMPTY):
            foul = check_forbid.get_foul_type(grid, *divmod(point, size))
            assert board.forbidden(point) == reasons[foul], (size, cells, point)
