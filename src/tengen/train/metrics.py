# SPDX-License-Identifier: MIT
"""Metrics of a net, in one table, `METRICS`: losses by head, accuracies, squared errors; and sums
of them that stay on the device until they are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from tengen.train.losses import (
    LOSSES,
    Outputs,
    has_policy,
    masked_policy,
    scalar_label,
    scalar_output,
    win_label,
    win_output,
)
from tengen.train.unpack import Labels, Sample

__all__ = ["METRICS", "Metric", "Sums", "measure", "weights"]


def top(count: int) -> Callable[[Outputs, Sample, Labels], Tensor]:
    """Whether the label's best move is among the net's best `count`; equals count for the net."""

    def among(outputs: Outputs, sample: Sample, labels: Labels) -> Tensor:
        logits = masked_policy(outputs, sample)
        best = labels.policy.argmax(1, keepdim=True)
        better = (logits > logits.gather(1, best)).sum(1)
        return (better < count).float()

    return among


def value_accuracy(outputs: Outputs, sample: Sample, labels: Labels) -> Tensor:
    """Whether the most likely of win, loss, draw is the label's."""
    return (outputs["value"].argmax(1) == labels.value.argmax(1)).float()


def win_mse(outputs: Outputs, sample: Sample, labels: Labels) -> Tensor:
    """Squared error of the win rate, 0 to 1; what is reported of nets trained by `binary`."""
    return (win_output(outputs) - win_label(labels)) ** 2


def value_bias(outputs: Outputs, sample: Sample, labels: Labels) -> Tensor:
    """Mean error of win minus loss: positive if the net overrates the side to move."""
    return scalar_output(outputs) - scalar_label(labels)


@dataclass(frozen=True)
class Metric:
    """A row of the table."""

    compute: Callable[[Outputs, Sample, Labels], Tensor]  # [B]
    head: str  # whose labels it needs


METRICS: dict[str, Metric] = {
    name: Metric(loss.compute, loss.head) for name, loss in LOSSES.items() if loss.metric
}
METRICS |= {
    "policy_top1": Metric(top(1), "policy"),
    "policy_top5": Metric(top(5), "policy"),
    "policy_top10": Metric(top(10), "policy"),
    "value_accuracy": Metric(value_accuracy, "value"),
    "value_bias": Metric(value_bias, "value"),
    "win_mse": Metric(win_mse, "value"),
}


def weights(head: str, sample: Sample, labels: Labels) -> Tensor:
    """[B] how much each sample counts for a head."""
    return sample.weight * has_policy(labels) if head == "policy" else sample.weight


def measure(
    names: Iterable[str], outputs: Outputs, sample: Sample, labels: Labels
) -> dict[str, tuple[Tensor, Tensor]]:
    """(sum, count) over the batch of each metric named."""
    parts = {}
    for name in names:
        metric = METRICS[name]
        count = weights(metric.head, sample, labels)
        parts[name] = ((metric.compute(outputs, sample, labels) * count).sum(), count.sum())
    return parts


class Sums:
    """Sums of metrics over batches; copied from the device only by `means`."""

    def __init__(self) -> None:
        self._sums: dict[str, tuple[Tensor, Tensor]] = {}

    def add(self, parts: Mapping[str, tuple[Tensor, Tensor]]) -> None:
        for name, (total, count) in parts.items():
            total, count = total.detach().double(), count.detach().double()
            if name in self._sums:
                before = self._sums[name]
                total, count = before[0] + total, before[1] + count
            self._sums[name] = (total, count)

    def means(self) -> dict[str, float]:
        """The means so far; without metrics that have no samples."""
        if not self._sums:
            return {}
        pairs = torch.stack([torch.stack(pair) for pair in self._sums.values()]).tolist()
        return {
            name: total / count
            for name, (total, count) in zip(self._sums, pairs, strict=True)
            if count > 0
        }

    def clear(self) -> None:
        self._sums.clear()
