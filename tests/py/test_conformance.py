# SPDX-License-Identifier: MIT
"""Compares on the same positions: the C++ rules and patterns (through the binding), the Python
reference, and the batch functions. The default run is a part; `make test-all` runs the full counts.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from random_boards import SIZES, random_cells
from tengen import Board, Move, Rule, Shape, _core, reference
from tengen.game import batch
from tengen.game.board import _REASONS, _RULES


def core_board(cells: list[int], size: int, rule: Rule) -> _core.Board:
    board = _core.Board(size, _RULES.index(rule))
    black = [i for i, stone in enumerate(cells) if stone == 1]
    white = [i for i, stone in enumerate(cells) if stone == 2]
    board.set_up(black, white, 1)
    return board


def compare_position(rng: random.Random, rule: Rule, every_line: bool) -> None:
    size = rng.choice(SIZES)
    cells = random_cells(rng, size)
    core = core_board(cells, size, rule)
    slow = reference.ReferenceBoard.from_cells(cells, size, rule.value)
    for index in (i for i, stone in enumerate(cells) if not stone):
        for colour in (1, 2):
            five, overline, open_four, fours, forbidden, depth = core.classify(index, colour)
            truth = slow.verdict(index, colour)
            place = (rule, size, cells, index, colour)
            assert five == truth.five, place
            if five:
                continue
            assert (overline, open_four, fours) == (truth.overline, truth.open_four, truth.fours), (
                place
            )
            assert (_REASONS[forbidden], depth) == (truth.forbidden, truth.depth), place
            if colour == 1:
                assert core.forbidden(index) == forbidden, place
            if every_line:
                for d in range(4):
                    shape = Shape(core.shape(index, colour, d))
                    assert str(shape) == slow.line_class(index, colour, d), (*place, d)
    winner = slow.outcome()
    assert core.outcome()[1] == (winner.winner if winner else 0)


@pytest.mark.integration
@pytest.mark.parametrize("rule", list(Rule))
def test_core_agrees_with_the_reference(rule: Rule) -> None:
    rng = random.Random(f"{rule} slice")
    for n in range(60):
        compare_position(rng, rule, every_line=n % 6 == 0)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("rule", list(Rule))
def test_core_agrees_with_the_reference_in_full(rule: Rule, part: int) -> None:
    """10,000 positions a rule, in parts that run side by side."""
    rng = random.Random(f"{rule} full {part}")
    for n in range(1000):
        compare_position(rng, rule, every_line=n % 10 == 0)


@pytest.mark.parametrize("rule", list(Rule))
def test_random_games_agree_with_the_reference(rule: Rule) -> None:
    """The conformance suite on both boards at once: play, legality, outcome, undo."""
    rng = random.Random(f"{rule} games")
    for size in (5, 7, 15):
        board, slow = Board(size, rule), reference.ReferenceBoard(size, rule.value)
        while not board.is_over():
            assert slow.outcome() is None
            legal = [move.to_index(size) for move in board.legal_moves()]
            assert legal == slow.legal_moves()
            index = rng.choice(legal) if legal and rng.random() < 0.97 else -1
            board.push("pass" if index < 0 else index)
            slow.play(index)
            assert list(board.to_array().ravel()) == slow.cells
            assert board.turn == slow.to_move
        end, slow_end = board.outcome(), slow.outcome()
        assert end is not None
        assert slow_end is not None
        assert (end.winner or 0, end.reason) == (slow_end.winner, slow_end.reason)
        lines = tuple(tuple(sorted(m.to_index(size) for m in line)) for line in end.lines)
        assert sorted(lines) == sorted(slow_end.lines)
        while slow.moves:
            slow.undo()
            board.pop()
        assert not any(slow.cells)


@pytest.mark.parametrize("rule", list(Rule))
def test_batches_agree_with_boards(rule: Rule) -> None:
    rng = random.Random(f"{rule} batch")
    for size in (5, 9, 15, 22):
        positions = [random_cells(rng, size) for _ in range(8)]
        boards = np.array(positions, dtype=np.uint8).reshape(-1, size, size)
        sides = np.array([rng.choice((1, 2)) for _ in positions])
        threats, shapes = batch.threats(boards, rule), batch.shapes(boards, rule)
        forbidden, legal = batch.forbidden(boards, rule), batch.legal(boards, rule, sides)
        winners = batch.outcome(boards, rule, sides)
        for n, cells in enumerate(positions):
            black = [i for i, stone in enumerate(cells) if stone == 1]
            white = [i for i, stone in enumerate(cells) if stone == 2]
            side = "black" if sides[n] == 1 else "white"
            board = Board.from_stones(black, white, side, size, rule)
            bad = board.forbidden_points()
            for i, stone in enumerate(cells):
                y, x = divmod(i, size)
                move = Move(x, y)
                reason = _REASONS[forbidden[n, y, x]]
                assert reason == bad.get(move)
                assert legal[n, y, x] == (not stone and not (side == "black" and reason))
                if stone:
                    continue
                for colour, c in (("black", 0), ("white", 1)):
                    assert tuple(shapes[n, c, :, y, x]) == board.shapes(move, colour)
                    assert threats[n, c, y, x] == board._core.threat(i, c + 1)
            outcome = board.outcome()
            if outcome is None or outcome.winner is None:
                assert winners[n] == (3 if all(cells) else 0)
            else:
                assert winners[n] == outcome.winner
