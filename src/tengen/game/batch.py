# SPDX-License-Identifier: MIT
"""Rules and patterns of many positions at once, as NumPy arrays. For training and data tools.

Positions are `boards[B, size, size]`, indexed `[n, y, x]`: 0 empty, 1 black, 2 white. All work
runs in the native core without the GIL, on `threads` threads (0: one per core).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.game.errors import BadPosition
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Colour, Rule

Array: TypeAlias = "npt.NDArray[np.uint8]"
Sides: TypeAlias = "Colour | str | npt.ArrayLike"


def threats(boards: npt.ArrayLike, rule: Rule | str, *, threads: int = 0) -> Array:
    """Threat class of every point: `[B, 2, size, size]`, first black's, then white's; see `Threat`.

    Occupied points hold `Threat.NONE`.
    """
    return _core.batch_threats(_positions(boards), _number(rule), threads)


def shapes(boards: npt.ArrayLike, rule: Rule | str, *, threads: int = 0) -> Array:
    """Shape of every point on every line: `[B, 2, 4, size, size]`, directions as in
    `Board.shapes`; see `Shape`.
    """
    return _core.batch_shapes(_positions(boards), _number(rule), threads)


def forbidden(boards: npt.ArrayLike, rule: Rule | str = Rule.RENJU, *, threads: int = 0) -> Array:
    """Why black may not play each point: `[B, size, size]`.

    0 allowed, 1 overline, 2 double-four, 3 double-three. Occupied points hold 0.
    """
    return _core.batch_forbidden(_positions(boards), _number(rule), threads)


def legal(
    boards: npt.ArrayLike, rule: Rule | str, to_move: Sides, *, threads: int = 0
) -> npt.NDArray[np.bool_]:
    """Points the side to move may play: `[B, size, size]`, whether or not the game is over."""
    positions = _positions(boards)
    sides = _sides(to_move, len(positions))
    return _core.batch_legal(positions, _number(rule), sides, threads).view(np.bool_)


def outcome(boards: npt.ArrayLike, rule: Rule | str, to_move: Sides, *, threads: int = 0) -> Array:
    """Who has won: `[B]`. 0 nobody yet, 1 black, 2 white, 3 a full board without a winner.

    If both colours have a five, the side that is not to move has won.
    """
    positions = _positions(boards)
    sides = _sides(to_move, len(positions))
    return _core.batch_outcome(positions, _number(rule), sides, threads)


def _number(rule: Rule | str) -> int:
    return list(Rule).index(Rule.parse(rule))


def _positions(boards: npt.ArrayLike) -> Array:
    array = np.asarray(boards)
    if array.ndim != 3 or array.shape[1] != array.shape[2]:
        raise BadPosition(f"boards have shape {array.shape}: expected [B, size, size]")
    if not MIN_SIZE <= array.shape[1] <= MAX_SIZE:
        raise BadPosition(f"no board of size {array.shape[1]}: sizes are {MIN_SIZE} to {MAX_SIZE}")
    if array.dtype.kind not in "biu":
        raise BadPosition(f"boards hold {array.dtype}: expected whole numbers 0, 1 and 2")
    if array.size and (array.min() < 0 or array.max() > 2):
        n, y, x = (int(i[0]) for i in np.nonzero((array < 0) | (array > 2)))
        raise BadPosition(f"boards[{n}, {y}, {x}] is {array[n, y, x]}: a stone is 0, 1 or 2")
    return np.ascontiguousarray(array, dtype=np.uint8)


def _sides(to_move: Sides, count: int) -> Array:
    if isinstance(to_move, str | Colour):
        return np.full(count, int(Colour.parse(to_move)), dtype=np.uint8)
    sides = np.asarray(to_move)
    if sides.shape not in ((), (count,)):
        raise BadPosition(f"to_move has shape {sides.shape}: expected one side, or {count}")
    if sides.size and (sides.dtype.kind not in "iu" or not np.isin(sides, (1, 2)).all()):
        raise BadPosition("to_move holds something else than 1 (black) and 2 (white)")
    return np.ascontiguousarray(np.broadcast_to(sides, (count,)), dtype=np.uint8)
