# SPDX-License-Identifier: MIT
"""The replay window in the device's memory: a ring of packed rows, of which batches are drawn.
Relies on the unpacker's shapes; the learner relies on it.

The ring is as large as the window can become. Which rows a step gets depends on the seed, the
number of the step, and the rows that are there: nothing of it has to be kept for going on.
"""

from __future__ import annotations

import torch
from torch import Tensor

from tengen.data import Batch
from tengen.train.source import packed
from tengen.train.unpack import PackedRows

__all__ = ["Window"]


class Window:
    """The newest rows, at most `most` of them."""

    def __init__(self, most: int, device: torch.device) -> None:
        self._most = most
        self._device = device
        self._rows: PackedRows | None = None  # made when the first rows tell their shapes
        self._next = 0  # where the next row goes
        self.held = 0  # rows that are there

    def add(self, batch: Batch) -> None:
        """Put rows in, the oldest first; the oldest of all give way."""
        rows = packed(batch)
        count = min(len(rows.board), self._most)
        if not count:
            return
        if self._rows is None:
            self._rows = PackedRows(*(self._empty(column) for column in rows))
        places = (torch.arange(count, device=self._device) + self._next) % self._most
        for held, column in zip(self._rows, rows, strict=True):
            held[places] = column[-count:].to(self._device)
        self._next = (self._next + count) % self._most
        self.held = min(self._most, self.held + count)

    def _empty(self, column: Tensor) -> Tensor:
        shape = (self._most, *column.shape[1:])
        return torch.zeros(shape, dtype=column.dtype, device=self._device)

    def draw(self, count: int, newest: int, chance: torch.Generator) -> PackedRows:
        """Rows at random, with repetition, of the `newest` ones. There must be some."""
        assert self._rows is not None
        among = max(1, min(newest, self.held))
        back = torch.randint(1, among + 1, (count,), generator=chance, device=self._device)
        places = (self._next - back) % self._most
        return PackedRows(*(column[places] for column in self._rows))
