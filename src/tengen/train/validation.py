# SPDX-License-Identifier: MIT
"""Validation: all metrics over the rows that are never trained on, for the weights as they are, for
their average, and for that rounded to integers. Relies on a run's state; the loop relies on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from tengen.train.metrics import Sums, measure
from tengen.train.unpack import Packed

if TYPE_CHECKING:
    from tengen.train.state import State

__all__ = ["validate"]


def validate(state: State, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """The means of the metrics by "raw"; "average", where there is one; and "quantised", the result
    (the average, or else the weights as they are) as its file will have it, where the run ends so.
    """
    found = {"raw": _means(state, names)}
    with state.average.applied() if state.average is not None else nullcontext():
        if state.average is not None:
            found["average"] = _means(state, names)
        if state.config.quantise:
            found["quantised"] = _means(state, names, quantised=True)
    return found


@torch.no_grad()
def _means(state: State, names: Sequence[str], quantised: bool = False) -> dict[str, float]:
    state.net.eval()
    sums = Sums()
    for rows, weight in _batches(state.kept, state.config.batch):
        sample = state.unpack(rows, None, weight)
        outputs = state.forward(sample.planes, quantised)
        sums.add(measure(names, outputs, sample, sample.labels))
    state.net.train()
    return sums.means()


def _batches(rows: Packed, size: int) -> Iterator[tuple[Packed, Tensor]]:
    """Batches of exactly one size, so that a compiled net is compiled once; what the last one lacks
    is filled up with rows of weight 0.
    """
    count = len(rows.board)
    every = torch.arange(size, device=rows.board.device)
    for start in range(0, count, size):
        places = start + every
        weight = (places < count).float()
        yield Packed(*(column[places.clamp(max=count - 1)] for column in rows)), weight
