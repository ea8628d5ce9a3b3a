# SPDX-License-Identifier: MIT
"""Openings drawn at random near the centre, and what makes two openings the same.

Pure functions of their seed. Whether an opening is balanced is for a judge to say: `make_openings`.
Relies on the board; `openings` and `make_openings` rely on it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from tengen.arena.errors import BadArena
from tengen.game.board import Board
from tengen.game.errors import TengenError
from tengen.game.move import Move
from tengen.game.rule import Colour, Rule
from tengen.game.threat import Threat

__all__ = ["REACH", "STONES", "Key", "Opening", "board_after", "draw_openings"]
__all__ += ["same_under_symmetry"]

Opening: TypeAlias = tuple[Move, ...]
Key: TypeAlias = tuple[tuple[int, int, int], ...]

STONES = (3, 7)  # the least and the most of a drawn opening
REACH = 3  # lines from the centre
_TRIES = 20_000  # in a row without anything new: then all there is was drawn


def same_under_symmetry(moves: Sequence[Move], size: int) -> Key:
    """A key that openings share if one is the other turned or mirrored, in whatever order their
    stones were played.
    """
    last = size - 1
    stones = [(move.x, move.y, number % 2) for number, move in enumerate(moves)]
    images = []
    for _ in range(4):
        stones = [(last - y, x, colour) for x, y, colour in stones]
        images.append(tuple(sorted(stones)))
        images.append(tuple(sorted((last - x, y, colour) for x, y, colour in stones)))
    return min(images)


def board_after(opening: Iterable[Move], size: int, rule: Rule) -> Board:
    """The board with the opening on it. Raises IllegalMove."""
    board = Board(size, rule)
    for move in opening:
        board.push(move)
    return board


def draw_openings(
    seed: int, size: int, rule: Rule, stones: tuple[int, int] = STONES, reach: int = REACH
) -> Iterator[Opening]:
    """Openings from a seed: all different under symmetry, legal, and nobody can make an open four
    or five. Ends when nothing new can be found. Raises BadArena.
    """
    middle = size // 2
    near = min(reach, middle, size - 1 - middle)
    around = range(middle - near, middle + near + 1)
    points = [Move(x, y) for x in around for y in around]
    least, most = stones
    if not 1 <= least <= most <= len(points):
        words = f"use 1 to {len(points)}, the points within {near} lines of the centre"
        raise BadArena(f"no opening of {least} to {most} stones: {words}")
    rng = random.Random(f"openings {seed} {size} {rule}")
    seen: set[Key] = set()
    tries = 0
    while tries < _TRIES:
        tries += 1
        opening = tuple(rng.sample(points, rng.randint(least, most)))
        key = same_under_symmetry(opening, size)
        if key not in seen and _is_open(opening, size, rule):
            tries = 0
            seen.add(key)
            yield opening


def _is_open(opening: Opening, size: int, rule: Rule) -> bool:
    """Whether a game can begin there: the rule allows it, and nobody is about to win."""
    try:
        board = board_after(opening, size, rule)
    except TengenError:
        return False
    quiet = not any(board.threats(colour, Threat.OPEN_FOUR) for colour in Colour)
    return quiet and not board.is_over()
