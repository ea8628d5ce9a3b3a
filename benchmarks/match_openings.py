# SPDX-License-Identifier: MIT
"""Openings for matches: drawn at random near the centre from a seed, or read from a file.

No two drawn openings are the same under turning and mirroring the board, and in none of them has
anyone an open four to make. Whether an opening is balanced is for a judge to say: `match_games`.
Relies on tengen's board and records.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from tengen import Board, Colour, Move, Rule, TengenError, Threat
from tengen.game import records

REACH = 3  # lines from the centre
STONES = (3, 6)

Opening = tuple[Move, ...]


def same_under_symmetry(moves: Sequence[Move], size: int) -> tuple[tuple[int, int, int], ...]:
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


def board_after(opening: Sequence[Move], size: int, rule: Rule, limit: bool = True) -> Board:
    """The board on which a game begins; a draw after four fifths of the points if `limit`. Raises
    IllegalMove.
    """
    board = Board(size, rule, move_limit=size * size * 4 // 5 if limit else None)
    for move in opening:
        board.push(move)
    return board


def draw_opening(rng: random.Random, size: int, rule: Rule) -> Opening:
    """A random opening that can be played on: nobody has an open four to make."""
    centre, reach = size // 2, min(REACH, size // 2 - 1)
    around = range(centre - reach, centre + reach + 1)
    points = [Move(x, y) for x in around for y in around]
    while True:
        opening = tuple(rng.sample(points, rng.randint(*STONES)))
        try:
            board = board_after(opening, size, rule)
        except TengenError:
            continue
        if not any(board.threats(colour, Threat.OPEN_FOUR) for colour in Colour):
            return opening


def draw_openings(seed: int, size: int, rule: Rule, tries: int = 1_000_000) -> Iterator[Opening]:
    """Openings from a seed, all different under symmetry; ends after so many tries."""
    rng = random.Random(f"openings {seed} {size} {rule}")
    seen = set()
    for _ in range(tries):
        opening = draw_opening(rng, size, rule)
        key = same_under_symmetry(opening, size)
        if key not in seen:
            seen.add(key)
            yield opening


def file_openings(path: Path, seed: int, size: int, rule: Rule) -> list[Opening]:
    """The openings of a Gomocup file that the rule allows, shuffled. A rule-breaking opening, or
    one that ends the game, is left out.
    """
    found = []
    for opening in records.read_openings(path.read_bytes(), size, str(path)):
        try:
            board = board_after(opening, size, rule)
        except TengenError:
            continue
        if not board.is_over():
            found.append(opening)
    random.Random(seed).shuffle(found)
    return found
