# SPDX-License-Identifier: MIT
"""Statistics of a data set: distribution of values and policies, for `tengen data info`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.data.dataset import Dataset
from tengen.data.rows import Column

BINS = 10  # of the expected score of the side to move
_CHUNK = 1 << 18  # rows


@dataclass(slots=True)
class Summary:
    """Over all rows, for the side to move."""

    positions: int = 0
    train: int = 0
    validation: int = 0
    win: float = 0.0  # mean of the value targets
    loss: float = 0.0
    draw: float = 0.0
    # Rows by expected score (win + half of draw): 0 to 0.1, 0.1 to 0.2 ... 0.9 to 1.
    scores: list[int] = field(default_factory=lambda: [0] * BINS)
    policy_moves: float = 0.0  # mean number of moves with a weight
    best_weight: float = 0.0  # mean share of the best move
    black: int | None = None  # rows with black to move; None: unknown
    games: int | None = None  # games with a row

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def summarise(dataset: Dataset, progress: Callable[[int, int], None] | None = None) -> Summary:
    """Statistics of a data set. `progress` gets rows done and total."""
    result = Summary(len(dataset), len(dataset.split("train")), len(dataset.split("validation")))
    scores = np.zeros(BINS, np.int64)
    sums = np.zeros(4)  # of wins, losses, moves with a weight, shares of the best move
    black = games = 0
    last_game = -1
    for start in range(0, len(dataset), _CHUNK):
        rows = dataset.slice(start, min(len(dataset), start + _CHUNK))
        scores += _scores(rows.value)
        sums += _sums(rows.value, rows.prob)
        if rows.to_move is not None:
            black += int((rows.to_move == 1).sum())
        if rows.game is not None:
            games += int((np.diff(rows.game, prepend=last_game) != 0).sum())
            last_game = int(rows.game[-1])
        if progress is not None:
            progress(start + len(rows.board), len(dataset))
    if len(dataset):
        means = (sums / len(dataset)).tolist()
        result.win, result.loss, result.policy_moves, result.best_weight = means
        result.draw = 1.0 - result.win - result.loss
    result.scores = scores.tolist()
    result.black = black if "to_move" in dataset.columns else None
    result.games = games if "game" in dataset.columns else None
    return result


def _scores(value: Column) -> npt.NDArray[np.int64]:
    """Number of rows per bin of the expected score."""
    # 255 + win - loss is twice the score out of 255: 0 to 510, exact in integers.
    twice = 255 + value[:, 0].astype(np.int64) - value[:, 1]
    return np.bincount(np.minimum(twice * BINS // 510, BINS - 1), minlength=BINS)


def _sums(value: Column, prob: Column) -> npt.NDArray[np.float64]:
    weights = prob.astype(np.float32)
    best = (weights.max(axis=1) / np.maximum(weights.sum(axis=1), 1)).sum(dtype=np.float64)
    win, loss = value.sum(axis=0, dtype=np.int64) / 255
    return np.array([win, loss, np.count_nonzero(prob), best])
