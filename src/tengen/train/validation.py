# SPDX-License-Identifier: MIT
"""Validation: all metrics over positions that are held out, for the weights, for their average, and
for the integers of the result; also over those alone that are not among the training positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tengen.train.game_metrics import UNSEEN, GameMetrics
from tengen.train.losses import LossParts, measure_samples
from tengen.train.unpack import PackedRows

if TYPE_CHECKING:
    from tengen.train.train_state import TrainState


@dataclass(frozen=True)
class ValidationResult:
    """The metrics of a validation by kind."""

    means: dict[str, dict[str, float]]
    positions: dict[str, int]
    games: GameMetrics


def validate(
    state: TrainState, names: Sequence[str], check: Callable[[float], bool]
) -> ValidationResult | None:
    """The metrics of the kinds "raw"; "average", if there is one; and "quantised", the result as
    integers, if the run is quantised at its end. If training positions are among those held out,
    also of "raw_unseen" and so on: the others alone. Metrics that the net does not have are left
    out. `check` gets the share that is done before each batch; None: it returned False.
    """
    kinds = ["raw"]
    kinds += ["average"] if state.average is not None else []
    kinds += ["quantised"] if state.config.quantise else []
    sums: dict[str, _GameSums] = {}
    for done, kind in enumerate(kinds):
        averaged = state.average if kind != "raw" else None
        check_kind = partial(_check_part, check, done, len(kinds))
        with averaged.applied() if averaged is not None else nullcontext():
            of_kind = _validate_kind(state, names, kind, check_kind)
        if of_kind is None:
            return None
        sums |= of_kind
    return _result(sums, state.validation.games)


def _check_part(check: Callable[[float], bool], done: int, parts: int, share: float) -> bool:
    return check((done + share) / parts)


@torch.no_grad()
def _validate_kind(
    state: TrainState, names: Sequence[str], kind: str, check: Callable[[float], bool]
) -> dict[str, _GameSums] | None:
    held = state.validation
    sums = {kind: _GameSums(len(held.games), state.device)}
    if held.unseen is not None:
        sums[kind + UNSEEN] = _GameSums(len(held.games), state.device)
    state.net.eval()
    try:
        for start, places, weight in _batches(len(held), state.config.batch, state.device):
            if not check(start / len(held)):
                return None
            rows = PackedRows(*(column[places] for column in held.rows))
            sample = state.unpack(rows, None, weight)
            outputs = state.forward(sample.planes, kind == "quantised")
            parts = measure_samples(names, outputs, sample, sample.labels)
            sums[kind].add(parts, weight, held.game[places])
            if held.unseen is not None:
                unseen = held.unseen[places]
                masked = {name: (v * unseen, w * unseen) for name, (v, w) in parts.items()}
                sums[kind + UNSEEN].add(masked, weight * unseen, held.game[places])
        return sums
    finally:
        state.net.train()


def _batches(count: int, size: int, device: torch.device) -> Iterator[tuple[int, Tensor, Tensor]]:
    """(first place, places, weights). All batches have one size, so that a net is compiled once;
    the last one is padded with places of weight 0.
    """
    every = torch.arange(size, device=device)
    for start in range(0, count, size):
        places = start + every
        yield start, places.clamp(max=count - 1), (places < count).float()


class _GameSums:
    """Sums of metrics by game, on the device."""

    def __init__(self, games: int, device: torch.device) -> None:
        self.positions = torch.zeros(games, dtype=torch.float64, device=device)
        self.parts: dict[str, Tensor] = {}  # [G, 2] by metric: sum and count

    def add(self, parts: LossParts, weight: Tensor, game: Tensor) -> None:
        """The metrics of a batch: `parts` as of `measure_samples`, `game` [B]."""
        self.positions.index_add_(0, game, weight.double())
        for name, pair in parts.items():
            if name not in self.parts:
                self.parts[name] = self.positions.new_zeros(len(self.positions), 2)
            self.parts[name].index_add_(0, game, torch.stack(pair, 1).double())


def _result(sums: dict[str, _GameSums], games: npt.NDArray[np.int64]) -> ValidationResult:
    metrics = tuple(next(iter(sums.values())).parts)
    stacked = [torch.stack([one.parts[name] for name in metrics], 1) for one in sums.values()]
    both = torch.stack(stacked).cpu().numpy()  # [K, G, M, 2]
    totals = both.sum(axis=1)
    means = {
        kind: {
            name: float(total / count)
            for name, (total, count) in zip(metrics, totals[number], strict=True)
            if count > 0
        }
        for number, kind in enumerate(sums)
    }
    positions = {kind: round(float(one.positions.sum())) for kind, one in sums.items()}
    by_game = GameMetrics(games, tuple(sums), metrics, both[..., 0], both[..., 1])
    return ValidationResult(means, positions, by_game)
