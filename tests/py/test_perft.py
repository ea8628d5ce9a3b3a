# SPDX-License-Identifier: MIT
"""The counts of tests/perft, by the board and by the reference within a small budget. The C++ tests
check all of them, with the patterns at the leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tengen import Board, Move, reference

FOLDER = Path(__file__).parents[1] / "perft"


@dataclass(frozen=True)
class Line:
    rule: str
    size: int
    moves: tuple[str, ...]
    counts: tuple[tuple[int, int], ...]

    def within(self, budget: int) -> list[tuple[int, int]]:
        return [(depth, count) for depth, count in self.counts if count <= budget]


def read_lines() -> list[Line]:
    lines = []
    for path in sorted(FOLDER.glob("*.perft")):
        for text in path.read_text(encoding="utf-8").splitlines():
            if text.startswith("#"):
                continue
            head, *counts = text.split(";")
            rule, size, moves = head.split()
            pairs = tuple((int(d), int(n)) for d, n in (c.split() for c in counts))
            names = () if moves == "-" else tuple(moves.split(","))
            lines.append(Line(rule, int(size), names, pairs))
    return lines


LINES = read_lines()


def walk_board(board: Board, depth: int) -> int:
    if depth == 0 or board.is_over():
        return 1
    total = 0
    for move in board.legal_moves():
        board.push(move)
        total += walk_board(board, depth - 1)
        board.pop()
    return total


def walk_reference(board: reference.ReferenceBoard, depth: int) -> int:
    if depth == 0 or board.outcome() is not None:
        return 1
    total = 0
    for index in board.legal_moves():
        board.play(index)
        total += walk_reference(board, depth - 1)
        board.undo()
    return total


@pytest.mark.parametrize(
    "line", LINES, ids=[f"{ln.rule}-{ln.size}-{len(ln.moves)}" for ln in LINES]
)
def test_counts(line: Line) -> None:
    board = Board(line.size, line.rule)
    slow = reference.ReferenceBoard(line.size, line.rule)
    for name in line.moves:
        board.push(name)
        slow.play(Move.parse(name).to_index(line.size))
    for depth, count in line.within(5000):
        assert walk_board(board, depth) == count
    for depth, count in line.within(500):
        assert walk_reference(slow, depth) == count
