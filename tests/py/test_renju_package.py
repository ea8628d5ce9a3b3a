# SPDX-License-Identifier: MIT
"""Compares forbidden points with the PyPI package `renju`, an independent implementation.

It does not check for a five first, so points where black makes a five are left out. The default run
is a part of the 10,000 positions that `make test-all` compares.
"""

from __future__ import annotations

import random

import pytest
from renju.check_forbid import get_foul_type

from random_boards import SIZES, random_cells
from tengen import Board, Forbidden, Rule, Threat

KINDS = {0: None, 1: Forbidden.DOUBLE_THREE, 2: Forbidden.DOUBLE_FOUR, 3: Forbidden.OVERLINE}


def compare(positions: int, seed: str) -> dict[Forbidden | None, int]:
    """How often each verdict was met; fails on the first difference."""
    rng = random.Random(seed)
    met: dict[Forbidden | None, int] = dict.fromkeys(KINDS.values(), 0)
    for _ in range(positions):
        size = rng.choice(SIZES)
        cells = random_cells(rng, size)
        grid = [[cells[y * size + x] for y in range(size)] for x in range(size)]
        black = [i for i, stone in enumerate(cells) if stone == 1]
        white = [i for i, stone in enumerate(cells) if stone == 2]
        board = Board.from_stones(black, white, "black", size, Rule.RENJU)
        ours = board.forbidden_points()
        candidates = [*ours, *board.threats("black", minimum=Threat.OPEN_THREE)]
        for move in candidates:
            if board._core.threat(move.to_index(size), 1) == Threat.FIVE:
                continue
            theirs = KINDS[get_foul_type(grid, move.x, move.y)]
            assert theirs == ours.get(move), (size, cells, move)
            met[theirs] += 1
    return met


def test_a_slice() -> None:
    met = compare(100, "slice")
    assert all(count > 10 for count in met.values())


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_ten_thousand_positions(part: int) -> None:
    """In parts that run side by side; with `-s` the verdicts met are printed."""
    met = compare(1000, f"full {part}")
    print({str(kind): count for kind, count in met.items()})
    assert all(count > 100 for count in met.values())
