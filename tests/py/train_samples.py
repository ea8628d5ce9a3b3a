# SPDX-License-Identifier: MIT
"""Artificial data sets and configs for the tests of training: small boards whose best move and
value follow from the stones, so that any working net learns them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tengen.data.manifest import Manifest, Validation
from tengen.data.packing import pack
from tengen.data.rows import Batch
from tengen.data.writer import DataWriter
from tengen.game.rule import Rule

SIZE = 6
TINY = {"kind": "resnet", "blocks": 1, "filters": 8}


def rows(count: int, size: int = SIZE, seed: int = 0) -> Batch:
    """Random stones. The move is on the first empty point after the first own stone; who has more
    stones in the upper half of the board wins, else it is a draw.
    """
    random = np.random.default_rng(seed)
    points = size * size
    cells = random.choice(3, (count, points), p=[0.7, 0.15, 0.15]).astype(np.uint8)
    cells[:, 0] = 0
    first = (cells == 1).argmax(1)
    later = (np.arange(points)[None] > first[:, None]) & (cells == 0)
    move = np.zeros((count, 2), np.uint16)
    move[:, 0] = np.where(later.any(1), later.argmax(1), 0)
    prob = np.zeros((count, 2), np.uint8)
    prob[:, 0] = 255
    upper = cells[:, : points // 2]
    more = (upper == 1).sum(1) - (upper == 2).sum(1).astype(int)
    value = np.stack([np.where(more > 0, 255, 0), np.where(more < 0, 255, 0)], 1).astype(np.uint8)
    return Batch(pack(cells, size), move, prob, value)


def make_data(
    folder: Path, count: int = 400, size: int = SIZE, rule: Rule = Rule.FREESTYLE, **extra: Any
) -> Path:
    """A data set; one of every four blocks of 20 rows is held out for validation."""
    manifest = Manifest(
        "made up", rule, size, 2, Validation(every=4, block=20), redistributable=True
    )
    with DataWriter.create(folder, manifest, shard_positions=150) as writer:
        writer.add(rows(count, size, **extra))
    return folder


def config(data: Path, /, **changes: Any) -> dict[str, Any]:
    """Tables of a small run; `changes` are keys of the top level, tables are merged."""
    tables: dict[str, Any] = {
        "net": TINY,
        "data": {"path": str(data)},
        "batch": 32,
        "steps": 40,
        "precision": "fp32",
        "ema": 0.9,
        "optimiser": {"rate": 0.01},
        "schedule": {"warmup": 5},
        "run": {"log": 5, "validate_every": 20, "checkpoint": 10, "tensorboard": False},
    }
    for name, value in changes.items():
        both = isinstance(value, dict) and isinstance(tables.get(name), dict) and name != "net"
        tables[name] = {**tables[name], **value} if both else value
    return tables
