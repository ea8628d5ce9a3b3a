# SPDX-License-Identifier: MIT
"""Reader of a folder of labelled freestyle positions of 15x15, `part_NN.npz`: packed boards seen
from the side to move, the likeliest moves with weights, and shares of wins and losses.

`board` uint8 [n, 57]: four points to a byte, low bits first, 0 empty, 1 own, 2 opponent; `move`
and `prob` uint8 [n, 8]; `wl` uint8 [n, 2], wins and losses out of 255, the rest are draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scripts.classical.features import Array, Positions

SIZE = 15
BLOCK = 5000  # rows that lie together come from games played at one time
HELD_OUT_EVERY = 20  # blocks; the last of each twenty is for validation
KEYS = frozenset({"board", "move", "prob", "wl"})


def rows(path: Path) -> int:
    """Number of positions in one part."""
    with np.load(path) as part:
        return len(part["wl"])


def unpack(packed: Array) -> Array:
    """Stones `[n, 15, 15]` of packed boards `[n, 57]`."""
    points = np.stack([(packed >> shift) & 3 for shift in (0, 2, 4, 6)], axis=-1)
    return points.reshape(len(packed), -1)[:, : SIZE * SIZE].reshape(-1, SIZE, SIZE)


def read(path: Path, first: int) -> Iterator[Positions]:
    """The positions of one part, a block at a time; `first` is the number of the part's first row
    among the rows of all parts. The side to move is called black.
    """
    with np.load(path) as part:
        arrays = {key: part[key] for key in KEYS}
    block = (first + np.arange(len(arrays["wl"]))) // BLOCK
    held_out = block % HELD_OUT_EVERY == HELD_OUT_EVERY - 1
    for start in range(0, len(held_out), BLOCK):
        rows = slice(start, start + BLOCK)
        yield _positions({key: array[rows] for key, array in arrays.items()}, held_out[rows])


def _positions(arrays: Mapping[str, Array], held_out: npt.NDArray[np.bool_]) -> Positions:
    win_loss = arrays["wl"].astype(np.float32) / 255
    weights = arrays["prob"].astype(np.float32)
    return Positions(
        boards=unpack(arrays["board"]),
        to_move=np.ones(len(held_out), dtype=np.uint8),
        value=((1 + win_loss[:, 0] - win_loss[:, 1]) / 2).astype(np.float32),
        moves=arrays["move"].astype(np.int32),
        weights=weights / weights.sum(axis=1, keepdims=True),
        held_out=held_out,
    )
