# SPDX-License-Identifier: MIT
"""The objective of a step: the weighted losses of the config against the labels of the data and,
with a teacher, against its labels too.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from tengen.train.losses import LOSSES, Outputs
from tengen.train.metrics import weights
from tengen.train.unpack import Labels, Sample

__all__ = ["LossParts", "Objective"]

LossParts = dict[str, tuple[Tensor, Tensor]]  # (sum, count) of each loss over the batch


class Objective:
    """The total loss of a batch, and its parts for the log.

    With a teacher the total is `share` times the loss against its labels plus `1 - share` times the
    loss against those of the data (paper A.2). Parts against the data have the names of the losses,
    so that runs with and without a teacher are comparable; the teacher's are `taught_*`.
    """

    def __init__(self, losses: Mapping[str, float], share: float) -> None:
        self._losses = {name: weight for name, weight in losses.items() if weight}
        self._share = share

    def __call__(
        self, outputs: Outputs, sample: Sample, teacher: Labels | None
    ) -> tuple[Tensor, LossParts]:
        total, parts = self._against(sample.labels, outputs, sample, "")
        if teacher is not None:
            other, more = self._against(teacher, outputs, sample, "taught_")
            total = self._share * other + (1.0 - self._share) * total
            parts |= more
        return total, parts

    def _against(
        self, labels: Labels, outputs: Outputs, sample: Sample, prefix: str
    ) -> tuple[Tensor, LossParts]:
        total = torch.zeros((), device=sample.weight.device)
        parts: LossParts = {}
        for name, weight in self._losses.items():
            loss = LOSSES[name]
            counts = weights(loss.head, sample, labels)
            summed, count = (loss.compute(outputs, sample, labels) * counts).sum(), counts.sum()
            total = total + weight * summed / count.clamp(min=1.0)
            if loss.metric or not prefix:  # a loss without labels is logged once
                parts[prefix + name] = (summed.detach(), count)
        return total, parts
