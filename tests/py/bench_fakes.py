# SPDX-License-Identifier: MIT
"""Fakes for the tests of benchmarks/: engines, and a player on a pipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tengen import Board, Colour, Move
from tengen.cluster import ProgressRecord
from tengen.engine import Info, PlayResult, PovScore, Score


class Fake:
    """Plays up one column; `trick` runs before its third move."""

    def __init__(self, column: int, trick: Callable[[Board], Move] | None = None) -> None:
        self.column, self.trick = column, trick
        self.games = self.closed = self.moves = 0

    def new_game(self) -> None:
        self.games += 1
        self.moves = 0

    def close(self) -> None:
        self.closed += 1

    def play(self, board: Board, limit: object) -> PlayResult:
        self.moves += 1
        info = Info(PovScore(Score(20 * board.size), board.turn), depth=3, nodes=500, time=0.25)
        if self.trick is not None and self.moves == 3:
            return PlayResult(self.trick(board), None, info)
        free = [m for m in board.legal_moves() if m.x == self.column]
        board.push(free[0])  # on a separate board
        return PlayResult(free[0], None, info)


class Lines:
    """An analysis of two lines."""

    def __init__(self, board: Board, moves: list[Move]) -> None:
        self._infos = [
            Info(PovScore(Score(value), board.turn), (move,), multipv=place)
            for place, (move, value) in enumerate(zip(moves, (100, 100), strict=True), 1)
        ]
        self.played = PlayResult(moves[0])

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __iter__(self) -> Iterator[Info]:
        return iter(self._infos)


class Analyst(Fake):
    def play(self, board: Board, limit: object) -> PlayResult:
        self.column = 0 if board.turn is Colour.BLACK else 14
        return super().play(board.copy(), limit)

    def analyse(self, board: Board, limit: object, *, multipv: int) -> Lines:
        return Lines(board, [Move(board.ply, 1), Move(board.ply, 13)])


class NoProgressRecord:
    def write(self, *numbers: int) -> None:
        pass


def progress_record() -> ProgressRecord:
    return NoProgressRecord()


BRAIN = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word in ("START", "RESTART"):
        print("MESSAGE ready")
        print("OK", flush=True)
    elif word == "BEGIN":
        print("7,7", flush=True)
    elif word == "TURN":
        print({answer!r}, flush=True)
    elif word == "BOARD":
        lines = []
        while not lines or lines[-1] != "DONE":
            lines.append(sys.stdin.readline().strip())
        print("DEBUG", *lines)
        print("1,2" if lines == ["3,4,2", "5,6,1", "7,8,2", "DONE"] else "no", flush=True)
    elif word == "END":
        sys.exit()
    elif word != "INFO":
        sys.exit(3)
"""
