# SPDX-License-Identifier: MIT
"""The positions of a validation, in the memory of the device: which of them the run also trains on,
and which game each belongs to.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tengen.data.batches import Mixture
from tengen.data.canonical import repeats
from tengen.data.dataset import Dataset
from tengen.train.source import Numbers, resident_rows
from tengen.train.unpack import PackedRows, join_packed

_BLOCK = 1000  # consecutive rows that count as a game where the data have no games
_SET = 40  # bits of a game number beside the number of its data set


class ValidationSet(NamedTuple):
    """N positions of G games."""

    rows: PackedRows
    unseen: Tensor | None  # bool [N]: not among the training positions; None: that holds for all
    game: Tensor  # int64 [N], a place in `games`
    games: npt.NDArray[np.int64]  # [G, 2]: number of the data set, number of the game in it

    def __len__(self) -> int:
        return len(self.rows.board)


def open_validation(mixture: Mixture, limit: int, device: torch.device) -> ValidationSet:
    """The positions to validate on, always the same: at most `limit` (0: all), of each set in
    proportion to its weight and evenly spread. May be empty.
    """
    parts, numbers, games = [], list[tuple[Dataset, Numbers]](), []
    for number, (view, weight) in enumerate(zip(mixture.views, mixture.weights, strict=True)):
        kept = view.dataset.split("validation", view.colour)
        wanted = min(len(kept), max(1, round(limit * weight))) if limit else len(kept)
        places = np.arange(wanted, dtype=np.int64) * len(kept) // max(1, wanted)
        parts.append(resident_rows(kept, places, device))
        numbers.append((view.dataset, kept.numbers(places)))
        games.append(_games(*numbers[-1]) + (number << _SET))
    unseen = ~repeats(numbers, mixture.views)
    keys, game = np.unique(np.concatenate(games), return_inverse=True)
    return ValidationSet(
        join_packed(parts),
        None if unseen.all() else torch.from_numpy(unseen).to(device),
        torch.from_numpy(game.astype(np.int64)).to(device),
        np.stack([keys >> _SET, keys & ((1 << _SET) - 1)], 1),
    )


def _games(dataset: Dataset, numbers: Numbers) -> Numbers:
    """The game of each row; without the column `game`, its block of consecutive rows."""
    if "game" not in dataset.columns:
        return numbers // _BLOCK
    column = np.concatenate(list(dataset.column("game")))
    games: Numbers = column[numbers].astype(np.int64)
    return games
