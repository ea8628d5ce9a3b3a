# SPDX-License-Identifier: MIT
"""Validation: all metrics over the rows that are never trained on, for the weights as they are, for
their average, and for that rounded to integers. Relies on a run's state; the loop relies on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from tengen.train.metrics import Sums, measure
from tengen.train.unpack import Packed

if TYPE_CHECKING:
    from tengen.train.state import State

__all__ = ["validate"]


def validate(
    state: State, names: Sequence[str], go_on: Callable[[float], bool]
) -> dict[str, dict[str, float]] | None:
    """The means of the metrics by "raw"; "average", where there is one; and "quantised", the result
    (the average, or else the weights as they are) as its file will have it, where the run ends so.
    None: broken off, as `go_on` said, which is called before each batch with the share that is
    done.
    """
    kinds = ["raw"]
    kinds += ["average"] if state.average is not None else []
    kinds += ["quantised"] if state.config.quantise else []
    found: dict[str, dict[str, float]] = {}

    def go_on_with_kind(share: float) -> bool:
        return go_on((len(found) + share) / len(kinds))

    for kind in kinds:
        averaged = state.average if kind != "raw" else None
        with averaged.applied() if averaged is not None else nullcontext():
            means = _means(state, names, kind, go_on_with_kind)
        if means is None:
            return None
        found[kind] = means
    return found


@torch.no_grad()
def _means(
    state: State, names: Sequence[str], kind: str, go_on: Callable[[float], bool]
) -> dict[str, float] | None:
    state.net.eval()
    try:
        sums = Sums()
        for share, rows, weight in _batches(state.kept, state.config.batch):
            if not go_on(share):
                return None
            sample = state.unpack(rows, None, weight)
            outputs = state.forward(sample.planes, kind == "quantised")
            sums.add(measure(names, outputs, sample, sample.labels))
        return sums.means()
    finally:
        state.net.train()


def _batches(rows: Packed, size: int) -> Iterator[tuple[float, Packed, Tensor]]:
    """Batches of exactly one size, so that a compiled net is compiled once; what the last one lacks
    is filled up with rows of weight 0. Before each the share of the rows that came before it.
    """
    count = len(rows.board)
    every = torch.arange(size, device=rows.board.device)
    for start in range(0, count, size):
        places = start + every
        weight = (places < count).float()
        few = Packed(*(column[places.clamp(max=count - 1)] for column in rows))
        yield start / count, few, weight
