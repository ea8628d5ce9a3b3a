# SPDX-License-Identifier: MIT
"""Positions to compare nets on: random ones of any size, and real ones from a data set. Boards are
seen by the side to move: 0 empty, 1 own, 2 opponent. Relies on tengen.data; `verify` relies on it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.data import BadData, Dataset, unpack

__all__ = ["Cells", "data_positions", "random_positions"]

Cells: TypeAlias = "npt.NDArray[np.uint8]"  # [N, H, W], one size

_FULLEST = 0.7  # share of taken points in the fullest random positions


def random_positions(sizes: Sequence[int], count: int, seed: int) -> list[Cells]:
    """About `count` positions for each size, from the empty board to crowded ones."""
    rng = np.random.default_rng(seed)
    found = []
    for size in sizes:
        shares = np.linspace(0, _FULLEST, count)[:, None, None]
        taken = rng.random((count, size, size)) < shares
        found.append((taken * rng.integers(1, 3, taken.shape)).astype(np.uint8))
    return found


def data_positions(folder: Path, count: int, seed: int, sizes: Collection[int]) -> list[Cells]:
    """Up to `count` positions drawn from the validation part of a data set, on boards of one of
    these sizes. Raises BadData.
    """
    data = Dataset.open(folder)
    if data.size not in sizes:
        some = ", ".join(map(str, sorted(sizes)))
        raise BadData(f"{folder} has boards of {data.size} lines, the net is for {some}")
    view = data.split("validation")
    if not len(view):
        view = data.split("all")
    rows = np.random.default_rng(seed).permutation(len(view))[:count]
    return [unpack(view.rows(np.sort(rows)).board, data.size)]
