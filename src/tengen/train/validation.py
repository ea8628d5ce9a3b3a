# SPDX-License-Identifier: MIT
"""Validation: all metrics over rows that are not trained on, for the weights, for their average,
and for the integers of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from tengen.train.losses import Sums, measure
from tengen.train.unpack import PackedRows

if TYPE_CHECKING:
    from tengen.train.train_state import TrainState


def validate(
    state: TrainState, names: Sequence[str], check: Callable[[float], bool]
) -> dict[str, dict[str, float]] | None:
    """The means of the metrics for "raw"; "average", if there is one; and "quantised", the result
    as integers, if the run is quantised at its end. `check` gets the share that is done before
    each batch; None: it returned False.
    """
    kinds = ["raw"]
    kinds += ["average"] if state.average is not None else []
    kinds += ["quantised"] if state.config.quantise else []
    results: dict[str, dict[str, float]] = {}

    def check_kind(share: float) -> bool:
        return check((len(results) + share) / len(kinds))

    for kind in kinds:
        averaged = state.average if kind != "raw" else None
        with averaged.applied() if averaged is not None else nullcontext():
            means = _means(state, names, kind, check_kind)
        if means is None:
            return None
        results[kind] = means
    return results


@torch.no_grad()
def _means(
    state: TrainState, names: Sequence[str], kind: str, check: Callable[[float], bool]
) -> dict[str, float] | None:
    state.net.eval()
    try:
        sums = Sums()
        for share, rows, weight in _batches(state.validation_rows, state.config.batch):
            if not check(share):
                return None
            sample = state.unpack(rows, None, weight)
            outputs = state.forward(sample.planes, kind == "quantised")
            sums.add(measure(names, outputs, sample, sample.labels))
        return sums.read()
    finally:
        state.net.train()


def _batches(rows: PackedRows, size: int) -> Iterator[tuple[float, PackedRows, Tensor]]:
    """(share of the rows before it, batch, weights). All batches have one size, so that a net is
    compiled once; the last one is padded with rows of weight 0.
    """
    count = len(rows.board)
    every = torch.arange(size, device=rows.board.device)
    for start in range(0, count, size):
        indices = start + every
        weight = (indices < count).float()
        few = PackedRows(*(column[indices.clamp(max=count - 1)] for column in rows))
        yield start / count, few, weight
