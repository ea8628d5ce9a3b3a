# SPDX-License-Identifier: MIT
"""The eight symmetries of the square as index tables for boards and moves.

Symmetry `s` mirrors x if bit 0 is set, mirrors y if bit 1 is, and then swaps x and y if bit 2 is;
0 is the identity. The native core uses the same numbers. Training uses the tables on its device.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from tengen.data.packing import check_size

SYMMETRIES = 8


def inverse(symmetry: int) -> int:
    """The inverse symmetry; only the quarter turns 5 and 6 are not their own inverse."""
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

    Entry `[s, p]` is the point whose stone moves to `p`. Not writable.
    """
    return _constant(np.stack([move_table(size)[inverse(s)] for s in range(SYMMETRIES)]))


def _constant(table: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """A read-only table: all callers share it."""
    table.setflags(write=False)
    return table
