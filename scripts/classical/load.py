# SPDX-License-Identifier: MIT
"""Reads data sets (docs/data.md) into the training and validation data of the regressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scripts.classical.collect import Collector, PolicyData, ValueData, sides
from scripts.classical.features import Positions, pick

from tengen.data import BadData, Batch, Dataset, DatasetView, own_view, unpack
from tengen.game.rule import Rule

Watch = Callable[[int, int], None]  # rows done, rows in all
_CHUNK = 5000  # rows


@dataclass(frozen=True)
class Wanted:
    """Which positions to read: at most `train` and `held_out`, drawn at random."""

    folders: tuple[Path, ...]
    rule: Rule
    train: int
    held_out: int
    seed: int


@dataclass(frozen=True)
class Part:
    """Data of the value and of the policy."""

    value: ValueData
    policy: PolicyData


@dataclass(frozen=True)
class Sets:
    """Data of one side to move; None where no position was drawn."""

    train: Part | None
    held_out: Part | None


def load(wanted: Wanted, watch: Watch) -> list[Sets]:
    """One set for each side to move in renju, one for both in the other rules. Raises BadData."""
    sets = [Dataset.open(folder).require(rule=wanted.rule) for folder in wanted.folders]
    rng = np.random.default_rng(wanted.seed)
    models = len(sides(wanted.rule, np.ones(1, np.uint8)))
    collectors = [[Collector(wanted.rule) for _ in range(2)] for _ in range(models)]
    done, total = 0, wanted.train + wanted.held_out
    for which, limit in ((0, wanted.train), (1, wanted.held_out)):
        views = [one.split("validation" if which else "train") for one in sets]
        rows = sum(map(len, views))
        for view in views if rows else ():
            count = min(len(view), round(limit * len(view) / rows))
            chosen = np.sort(rng.choice(len(view), count, replace=False))
            for start in range(0, count, _CHUNK):
                positions = _positions(view, view.rows(chosen[start : start + _CHUNK]))
                for side, pair in zip(
                    sides(wanted.rule, positions.to_move), collectors, strict=True
                ):
                    if side.any():
                        pair[which].add(pick(positions, side))
                done += len(positions.value)
                watch(done, total)
    if not any(len(one) for pair in collectors for one in pair):
        raise BadData(f"no positions in {', '.join(map(str, wanted.folders))}")
    return [Sets(_finish(train), _finish(held_out)) for train, held_out in collectors]


def _positions(view: DatasetView, rows: Batch) -> Positions:
    """Rows with stones by colour. Without the column `to_move` the side to move counts as black."""
    own = unpack(rows.board, view.dataset.size)
    to_move = np.ones(len(own), np.uint8) if rows.to_move is None else rows.to_move
    value = rows.value.astype(np.float32) / 255
    weights = rows.prob.astype(np.float32)
    return Positions(
        boards=own_view(own, to_move),
        to_move=to_move,
        value=((1 + value[:, 0] - value[:, 1]) / 2).astype(np.float32, copy=False),
        moves=rows.move.astype(np.int32),
        weights=weights / np.maximum(weights.sum(axis=1, keepdims=True), 1),
    )


def _finish(collector: Collector) -> Part | None:
    return Part(collector.values(), collector.policy()) if len(collector) else None
