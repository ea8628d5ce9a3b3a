# SPDX-License-Identifier: MIT
"""What a step minimises: the weighted losses of the config, against the true labels and, with a
teacher, against its labels too. Relies on losses and metrics; the loop relies on it.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from tengen.train.losses import LOSSES, Outputs
from tengen.train.metrics import weights
from tengen.train.unpack import Labels, Sample

__all__ = ["Objective"]

Found = dict[str, tuple[Tensor, Tensor]]  # (sum, count) of each loss over the batch


class Objective:
    """The total of a batch, and its parts for the log.

    With a teacher the total is `share` times the loss against his labels and the rest times the
    loss against the true ones (paper A.2). Parts against the true labels have the names of the
    losses, so that runs with and without a teacher can be compared; the teacher's are `taught_*`.
    """

    def __init__(self, losses: Mapping[str, float], share: float) -> None:
        self._losses = {name: weight for name, weight in losses.items() if weight}
        self._share = share

    def __call__(
        self, outputs: Outputs, sample: Sample, taught: Labels | None
    ) -> tuple[Tensor, Found]:
        total, found = self._against(sample.labels, outputs, sample, "")
        if taught is not None:
            other, parts = self._against(taught, outputs, sample, "taught_")
            total = self._share * other + (1.0 - self._share) * total
            found |= parts
        return total, found

    def _against(
        self, labels: Labels, outputs: Outputs, sample: Sample, prefix: str
    ) -> tuple[Tensor, Found]:
        total = torch.zeros((), device=sample.weight.device)
        found: Found = {}
        for name, weight in self._losses.items():
            loss = LOSSES[name]
            counts = weights(loss.head, sample, labels)
            summed, count = (loss.compute(outputs, sample, labels) * counts).sum(), counts.sum()
            total = total + weight * summed / count.clamp(min=1.0)
            if loss.told_as or not prefix:  # what is of the net alone is told once
                found[prefix + name] = (summed.detach(), count)
        return total, found
