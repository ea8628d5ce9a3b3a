# SPDX-License-Identifier: MIT
"""Benchmarks of the engine as steps."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from time import process_time
from typing import Any, ClassVar

from tengen.arena.make_openings import board_after, draw_openings
from tengen.engine import Engine, Limit
from tengen.engine.options import SCORE_UPDATES
from tengen.experiments.errors import StepFailed, StepStopped
from tengen.experiments.step import Step, Workspace
from tengen.game.board import Board
from tengen.game.rule import Rule


@dataclass(frozen=True, eq=False)
class UpdateSpeedStep(Step):
    """Milliseconds per move of the whole fixed-depth player with each method of updating the point
    scores, in one game; processor time, median of `rounds`. All methods must choose the same moves.
    """

    KIND: ClassVar = "update-speed"

    size: int
    depth: int
    rounds: int
    moves: int = 40  # of the game, after its opening

    @property
    def title(self) -> str:
        return f"score updates {self.size}x{self.size}, depth {self.depth}"

    def run(self, work: Workspace) -> dict[str, Any]:
        opening = next(draw_openings(1, self.size, Rule.FREESTYLE))
        start = board_after(opening, self.size, Rule.FREESTYLE)
        played = _play(start, self.depth, self.moves, SCORE_UPDATES[-1])[0]
        curves: dict[str, list[list[float]]] = {name: [] for name in SCORE_UPDATES}
        for number in range(self.rounds):
            for name in SCORE_UPDATES:  # interleaved: the speed of a machine changes
                if work.stop():
                    raise StepStopped(self.title)
                work.report(f"round {number + 1} of {self.rounds}, {name}")
                moves, times = _play(start, self.depth, self.moves, name)
                if moves != played:
                    raise StepFailed(f"{name} updates choose other moves: a fault of the engine")
                curves[name].append(times)
        by_move = {name: [median(t) for t in zip(*c, strict=True)] for name, c in curves.items()}
        return {
            "by_move": {
                name: [round(1000 * t, 4) for t in times] for name, times in by_move.items()
            },
            "mean": {name: 1000 * sum(t) / len(t) for name, t in by_move.items()},
            "rounds": {name: [1000 * sum(t) / len(t) for t in c] for name, c in curves.items()},
        }


def _play(start: Board, depth: int, moves: int, update: str) -> tuple[list[str], list[float]]:
    """A game of the player against itself: the moves, and the seconds of each."""
    board, times = start.copy(), list[float]()
    with Engine("classical-paper", score_update=update, memory=8) as engine:
        while len(times) < moves and not board.is_over():
            before = process_time()
            move = engine.play(board, Limit(depth=depth)).move
            times.append(process_time() - before)
            board.push(move)
    return [str(move) for move in board.moves], times
