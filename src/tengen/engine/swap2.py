# SPDX-License-Identifier: MIT
"""The swap2 opening: three stones, then the choice of a colour.

The first player puts three stones. The second takes black (SWAP), or plays a fourth stone as white,
or puts two more stones and leaves the choice to the first, who then takes black (SWAP) or plays a
sixth stone as white.
"""

from __future__ import annotations

from dataclasses import dataclass

from tengen.engine.info import PlayResult
from tengen.engine.score import Score
from tengen.game.move import Move
from tengen.game.rule import Colour

# Up to this score, in evaluation units, a position is even and the choice is left to the opponent.
# Otherwise the better colour is taken.
EVEN = 10

# Black, white, black, counted from a corner of the board. All fit on five lines. They were taken
# from five hundred drawn at random: the engine's scores are within 20 points of even on 15 and on
# 20 lines (standard rule, 50,000 and 800,000 nodes).
_OPENINGS: tuple[tuple[tuple[int, int], ...], ...] = (
    ((0, 0), (1, 3), (4, 2)),
    ((2, 2), (2, 3), (3, 2)),
    ((2, 2), (0, 4), (0, 3)),
    ((0, 4), (2, 1), (2, 3)),
    ((2, 3), (3, 4), (4, 1)),
    ((1, 3), (0, 3), (1, 0)),
    ((2, 3), (3, 4), (3, 3)),
)


@dataclass(frozen=True, slots=True)
class Swap2Choice:
    """The answer: stones to put, or none to take black."""

    stones: tuple[Move, ...]

    @property
    def line(self) -> str:
        return " ".join(move.gomocup for move in self.stones) or "SWAP"


def opening(size: int, number: int) -> Swap2Choice:
    """Three stones. `number` selects one of the openings and of their eight symmetries."""
    stones = _OPENINGS[number // 8 % len(_OPENINGS)]
    return Swap2Choice(tuple(_mirrored(x, y, size, number % 8) for x, y in stones))


def _mirrored(x: int, y: int, size: int, which: int) -> Move:
    if which & 1:
        x = size - 1 - x
    if which & 2:
        y = size - 1 - y
    return Move(y, x) if which & 4 else Move(x, y)


def choose(played: PlayResult, stones: int) -> Swap2Choice:
    """The answer to three or five stones, from a search of the position with white to move."""
    if played.info is None:
        return Swap2Choice((played.move,))
    score = played.info.score.pov(Colour.WHITE)
    line = played.info.pv[:2]
    if stones == 3 and _is_even(score) and len(line) == 2 and Move.PASS not in line:
        return Swap2Choice(line)
    return Swap2Choice(()) if score < Score(0) else Swap2Choice((played.move,))


def _is_even(score: Score) -> bool:
    return not score.is_mate() and abs(score.value) <= EVEN
