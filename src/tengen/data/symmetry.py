# SPDX-License-Identifier: MIT
"""The eight symmetries of the square, as tables of indices for boards and for moves.

Symmetry `s` mirrors x if bit 0 is set, mirrors y if bit 1 is, and then swaps x and y if bit 2 is;
0 is the identity. The numbering is that of the native core. Relies on NumPy and packing; training
looks moves and boards up in the same tables, on its device.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.data.errors import BadData
from tengen.data.packing import Bytes, check_size, pack, unpack

__all__ = [
    "SYMMETRIES",
    "board_table",
    "inverse",
    "move_table",
    "transform_boards",
    "transform_moves",
    "transform_packed",
]

SYMMETRIES = 8


def inverse(symmetry: int) -> int:
    """The symmetry that undoes another: only the quarter turns 5 and 6 are not their own."""
    return {5: 6, 6: 5}.get(symmetry, symmetry)


@cache
def move_table(size: int) -> npt.NDArray[np.int64]:
    """`[8, size * size]`: entry `[s, p]` is where symmetry `s` takes point `p`. Not writable."""
    y, x = np.divmod(np.arange(check_size(size) ** 2), size)
    rows = []
    for s in range(SYMMETRIES):
        new_x = size - 1 - x if s & 1 else x
        new_y = size - 1 - y if s & 2 else y
        rows.append(new_x * size + new_y if s & 4 else new_y * size + new_x)
    return _constant(np.stack(rows).astype(np.int64))


@cache
def board_table(size: int) -> npt.NDArray[np.int64]:
    """`[8, size * size]`: `board[..., table[s]]` is the image of a flat board under symmetry `s`.

    Entry `[s, p]` is the point whose stone comes to `p`. Not writable.
    """
    return _constant(np.stack([move_table(size)[inverse(s)] for s in range(SYMMETRIES)]))


def transform_moves(moves: npt.ArrayLike, size: int, symmetry: int) -> npt.NDArray[Any]:
    """Where a symmetry takes moves (indices); of the same shape and type."""
    given = np.asarray(moves)
    found: npt.NDArray[Any] = move_table(size)[_checked(symmetry)].astype(given.dtype)[given]
    return found


def transform_boards(boards: npt.ArrayLike, size: int, symmetry: int) -> npt.NDArray[Any]:
    """The images of `boards[..., size, size]`."""
    given = np.asarray(boards)
    if given.shape[-2:] != (size, size):
        raise BadData(f"boards of shape {given.shape}: expected [..., {size}, {size}]")
    flat = given.reshape(*given.shape[:-2], size * size)
    found: npt.NDArray[Any] = np.take(flat, board_table(size)[_checked(symmetry)], axis=-1)
    return found.reshape(given.shape)


def transform_packed(packed: npt.ArrayLike, size: int, symmetry: int) -> Bytes:
    """The images of packed boards, packed."""
    return pack(transform_boards(unpack(packed, size), size, symmetry), size)


def _checked(symmetry: int) -> int:
    if not 0 <= symmetry < SYMMETRIES:
        raise BadData(f"no symmetry {symmetry}: they are 0 to {SYMMETRIES - 1}")
    return symmetry


def _constant(table: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Shared by all callers, so nobody may write to it."""
    table.setflags(write=False)
    return table
