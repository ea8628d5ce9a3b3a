# SPDX-License-Identifier: MIT
"""`DataFeed`: the samples of data sets, such as human games, in the batches of a learner."""

from __future__ import annotations

import torch

from tengen.train.config import DataConfig
from tengen.train.source import Order, Resident, Stream, make_source, open_data
from tengen.train.unpack import PackedRows


class DataFeed:
    """`rows` samples for each step. They depend on the data sets, the seed and the step alone: a
    resumed run continues with the same ones, and there is no state to save.
    """

    def __init__(self, data: DataConfig, rows: int, seed: int, device: torch.device) -> None:
        """Raises BadData, BadTraining."""
        self._config, self._data = data, open_data(data)
        self._data.portions(rows)  # raises BadData
        self._rows, self._seed, self._device = rows, seed, device
        self._source: Resident | Stream | None = None  # made at the first step
        self._next = -1  # the step of its next rows

    def __call__(self, step: int) -> PackedRows:
        """The samples of a step."""
        if self._source is None or step != self._next:
            self.close()
            order = Order(self._rows, self._seed, step)
            self._source = make_source(self._config, self._data, order, self._device)
        self._next = step + 1
        return next(self._source).rows

    def close(self) -> None:
        if self._source is not None:
            self._source.close()
