# SPDX-License-Identifier: MIT
"""Games of the reference implementation: playing, undo, endings, invalid input. Random boards then
check the eight symmetries, undo, and agreement with the package `renju`.
"""

import random

import pytest

from reference_boards import DOUBLE_THREE, FIVE_AND_OVERLINE, drawn, row_board
from tengen.reference import (
    BLACK,
    EMPTY,
    PASS,
    RULES,
    WHITE,
    ForbiddenMoveError,
    IllegalMoveError,
    ReferenceBoard,
    ReferenceOutcome,
    symmetries,
)

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
    assert board.outcome() == ReferenceOutcome(BLACK, "five", (column, row))
    assert board.legal_moves() == []
    with pytest.raises(IllegalMoveError):
        board.play(0)
    with pytest.raises(IllegalMoveError):
        board.play(PASS)
    board.undo()
    assert board.outcome() is None
    board, point = drawn(FIVE_AND_OVERLINE, "renju")
    board.play(point)
    assert board.outcome() == ReferenceOutcome(BLACK, "five", (row,))


@pytest.mark.parametrize("rule", ["caro", "caro6"])
def test_caro_closed_five_does_not_win(rule: str) -> None:
    board, point, _ = row_board(".OXX?XXO...", rule)
    board.play(point)
    assert board.outcome() is None
    board, point, _ = row_board("..XX?XXO...", rule)
    board.play(point)
    assert board.outcome() == ReferenceOutcome(BLACK, "five", (tuple(range(point - 2, point + 3)),))


@pytest.mark.parametrize("rule", RULES)
def test_two_passes_draw(rule: str) -> None:
    board = ReferenceBoard(5, rule)
    for move in (PASS, 12, PASS):
        board.play(move)
    assert board.outcome() is None
    board.play(PASS)
    assert board.outcome() == ReferenceOutcome(EMPTY, "passes")
    board.undo()
    board.play(0)
    assert board.outcome() is None


def test_move_limit_counts_passes_and_yields_to_a_five() -> None:
    board = ReferenceBoard(15, "freestyle")
    board.move_limit = 3
    for move in (0, PASS, 1):
        assert board.outcome() is None
        board.play(move)
    assert board.outcome() == ReferenceOutcome(EMPTY, "move_limit")
    assert board.legal_moves() == []
    board, point, _ = row_board("..XX?XX....", "freestyle")
    board.move_limit = 1
    board.play(point)
    assert board.outcome() == ReferenceOutcome(BLACK, "five", (tuple(range(point - 2, point + 3)),))


def test_full_board() -> None:
    board, point = drawn(FULL_BUT_ONE, to_move=WHITE)
    board.move_limit = 1
    board.play(point)
    assert board.outcome() == ReferenceOutcome(EMPTY, "full_board")
    board, point = drawn(FULL_BUT_ONE, "caro6")
    board.play(point)
    assert board.outcome() == ReferenceOutcome(BLACK, "five", (tuple(range(30, 36)),))
    board, point = drawn(FULL_BUT_ONE, "standard")
    board.play(point)  # six is no win
    assert board.outcome() == ReferenceOutcome(EMPTY, "full_board")


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
    black = ReferenceOutcome(BLACK, "five", ((0, 1, 2, 3, 4),))
    white = ReferenceOutcome(WHITE, "five", ((18, 19, 20, 21, 22, 23),))
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


def test_bad_input_is_rejected() -> None:
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


def test_agrees_with_the_renju_package() -> None:
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
