# SPDX-License-Identifier: MIT
"""Lines about the progress of a long measurement, and openings for it. Needs tengen's arena."""

from __future__ import annotations

import random
import sys
import time

from tengen import Board, Rule
from tengen.arena.drawn_openings import Opening, draw_openings

__all__ = ["Every", "draw_opening", "limited_board", "random_board", "say"]


class Every:
    """True at most once in so many seconds, and not at once."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._last = time.monotonic()

    def __call__(self) -> bool:
        due = time.monotonic() - self._last >= self._seconds
        if due:
            self._last = time.monotonic()
        return due


def say(words: str) -> None:
    """A line about the progress."""
    print(words, file=sys.stderr, flush=True)


def draw_opening(rng: random.Random, size: int, rule: Rule) -> Opening:
    return next(draw_openings(rng.getrandbits(31), size, rule))


def limited_board(opening: Opening, size: int, rule: Rule) -> Board:
    """A board with an opening, and a draw after four fifths of its points."""
    board = Board(size, rule, move_limit=size * size * 4 // 5)
    for move in opening:
        board.push(move)
    return board


def random_board(rng: random.Random, size: int, rule: Rule) -> Board:
    return limited_board(draw_opening(rng, size, rule), size, rule)
