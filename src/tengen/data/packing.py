# SPDX-License-Identifier: MIT
"""Boards packed at two bits per point, as shards store them.

Points go row by row from y = 0, four to a byte, the first in the low bits: 0 empty, 1 own stone
(of the side to move), 2 the opponent's. Bits after the last point are 0.
"""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.data.errors import BadData
from tengen.game.rule import MAX_SIZE, MIN_SIZE

Bytes: TypeAlias = "npt.NDArray[np.uint8]"

_POINTS = 4  # per byte


def check_size(size: int) -> int:
    """The size, if it is a valid board size. Raises BadData."""
    whole = isinstance(size, int | np.integer) and not isinstance(size, bool)
    if not (whole and MIN_SIZE <= size <= MAX_SIZE):
        raise BadData(f"no board of size {size!r}: sizes are {MIN_SIZE} to {MAX_SIZE}")
    return int(size)


def bytes_of(size: int) -> int:
    """Bytes of a packed board."""
    return -(-size * size // _POINTS)


def own_view(stones: npt.ArrayLike, to_move: npt.ArrayLike) -> Bytes:
    """Stones (1 black, 2 white) as the side to move sees them (1 own, 2 opponent).

    `stones[B, ...]` and `to_move[B]`, or one board and one side.
    """
    cells = np.asarray(stones, dtype=np.uint8)
    sides = np.asarray(to_move)
    white = (sides == 2).reshape(sides.shape + (1,) * (cells.ndim - sides.ndim))
    return np.where(white, other_side(cells), cells)


def other_side(packed: Bytes) -> Bytes:
    """Boards, packed or not, as the opponent sees them: swaps the two bits of each point."""
    one = np.uint8(1)
    return ((packed & np.uint8(0x55)) << one) | ((packed & np.uint8(0xAA)) >> one)


def pack(boards: npt.ArrayLike, size: int) -> Bytes:
    """`boards[..., size, size]` or `[..., size * size]` of 0, 1 and 2, as `[..., bytes_of(size)]`.

    Raises BadData for other shapes and stones.
    """
    cells = np.asarray(boards)
    area = check_size(size) ** 2
    if cells.shape[-2:] == (size, size):
        cells = cells.reshape(*cells.shape[:-2], area)
    elif cells.shape[-1:] != (area,):
        raise BadData(f"boards of shape {cells.shape}: expected [..., {size}, {size}]")
    if cells.dtype.kind not in "biu" or (cells.size and (cells.min() < 0 or cells.max() > 2)):
        raise BadData("boards must hold 0 empty, 1 own, 2 opponent only")
    padded = np.zeros((*cells.shape[:-1], bytes_of(size) * _POINTS), dtype=np.uint8)
    padded[..., :area] = cells
    packed = padded[..., 0::4].copy()
    for n in range(1, _POINTS):
        packed |= padded[..., n::_POINTS] << (2 * n)
    return packed


def unpack(packed: npt.ArrayLike, size: int) -> Bytes:
    """`packed[..., bytes_of(size)]` as boards `[..., size, size]`. Raises BadData for another
    shape; stones are not checked (`rows.check` does).
    """
    data = np.asarray(packed)
    width = bytes_of(check_size(size))
    if data.shape[-1:] != (width,) or data.dtype != np.uint8:
        actual = f"packed boards of shape {data.shape} and type {data.dtype}"
        raise BadData(f"{actual}: expected [..., {width}] of uint8 for size {size}")
    cells = _four_points()[data].view(np.uint8).reshape(*data.shape[:-1], width * _POINTS)
    boards = cells[..., : size * size]
    return np.ascontiguousarray(boards).reshape(*data.shape[:-1], size, size)


@cache
def _four_points() -> npt.NDArray[np.uint32]:
    """The four points of each byte, as one word whose bytes in memory are the points in order."""
    every = np.arange(256, dtype=np.uint8)
    points = np.stack([(every >> (2 * n)) & 3 for n in range(_POINTS)], axis=-1)
    return np.ascontiguousarray(points).view(np.uint32).reshape(256)
