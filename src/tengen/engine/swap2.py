# SPDX-License-Identifier: MIT
"""The swap2 opening: three stones, then the choice of a colour.

The first player puts three stones. The second takes black (SWAP), or plays a fourth stone as white,
or puts two more stones and leaves the choice to the first, who then takes black (SWAP) or plays a
sixth stone as white.
"""

from __future__ import annotations

from dataclasses import dataclass

from tengen import _core
from tengen.engine.info import PlayResult
from tengen.game.move import Move
from tengen.game.rule import Colour

_WON = 30_000  # evaluation units, for any mate


@dataclass(frozen=True, slots=True)
class Swap2Choice:
    """The answer: stones to put, or none to take black."""

    stones: tuple[Move, ...]

    @property
    def line(self) -> str:
        return " ".join(move.gomocup for move in self.stones) or "SWAP"


def opening(size: int, number: int) -> Swap2Choice:
    """Three stones. `number` selects one of the openings and of their eight symmetries."""
    return _choice(_core.swap2_opening(size, number % 2**32), size)


def choose(played: PlayResult, size: int, stones: int) -> Swap2Choice:
    """The answer to three or five stones, from a search of the position with white to move."""
    value: int = 0
    line: list[int] = []
    if played.info is not None:
        line = [move.to_index(size) for move in played.info.pv[:2]]
        score = played.info.score.pov(Colour.WHITE)
        value = score.value if score.mate is None else _WON if score.mate > 0 else -_WON
    move = played.move.to_index(size)
    return _choice(_core.swap2_choice(size, stones, move, line, value), size)


def _choice(points: list[int], size: int) -> Swap2Choice:
    return Swap2Choice(tuple(Move.from_index(point, size) for point in points))
