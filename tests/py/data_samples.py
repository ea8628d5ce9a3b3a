# SPDX-License-Identifier: MIT
"""Small data sets of valid random rows, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen import Rule
from tengen.data import Batch, DataWriter, Manifest, Validation, pack
from tengen.data.rows import present


def random_rows(
    count: int, size: int = 9, moves: int = 4, seed: int = 1, *, extras: bool = False
) -> Batch:
    """Rows whose ply (if present) is their number, to identify them."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 3, (count, size * size)).astype(np.uint8)
    cells[:, : moves + 1] = 0  # there are always points to play
    rng.permuted(cells, axis=1, out=cells)
    move = np.argsort(cells, axis=1, kind="stable")[:, :moves].astype(np.uint16)
    prob = rng.integers(0, 255, (count, moves)).astype(np.uint8)
    prob[:, 0] |= 1
    win = rng.integers(0, 256, count)
    value = np.stack([win, rng.integers(0, 256 - win)], axis=1).astype(np.uint8)
    more: dict[str, npt.NDArray[Any]] = {}
    if extras:
        more = {
            "to_move": rng.integers(1, 3, count).astype(np.uint8),
            "ply": (np.arange(count) % 65536).astype(np.uint16),
            "game": (np.arange(count) // 7).astype(np.int32),
            "source": rng.integers(0, 256, count).astype(np.uint8),
        }
    return Batch(pack(cells, size), move, prob, value, **more)


def part(rows: Batch, places: slice | npt.NDArray[np.int64]) -> Batch:
    return Batch(**{name: column[places] for name, column in present(rows).items()})


def make_set(
    folder: Path,
    rows: Batch,
    *,
    size: int = 9,
    validation: Validation | None = None,
    shard: int = 100,
    rule: Rule = Rule.FREESTYLE,
    redistributable: bool = True,
) -> Path:
    manifest = Manifest(
        folder.name,
        rule,
        size,
        rows.move.shape[1],
        validation=validation or Validation(every=4, block=10),
        redistributable=redistributable,
        terms="made by a test",
    )
    with DataWriter.create(folder, manifest, shard_positions=shard) as writer:
        writer.add(rows)
    return folder


def same(one: Batch, two: Batch) -> bool:
    """Whether two batches have the same columns with the same numbers."""
    mine, theirs = present(one), present(two)
    return mine.keys() == theirs.keys() and all(
        mine[name].dtype == theirs[name].dtype and np.array_equal(mine[name], theirs[name])
        for name in mine
    )
