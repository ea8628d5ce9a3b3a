# SPDX-License-Identifier: MIT
"""Distillation (paper A.2): a teacher's outputs as labels, computed for each batch, or once for all
rows of a resident source.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from tengen.nets.blocks import BoardNet
from tengen.train.config import DistillationConfig, check_net
from tengen.train.errors import BadTraining
from tengen.train.losses import Outputs, masked_policy, three_way_output
from tengen.train.source import DeviceBatch, Resident
from tengen.train.start import load_weights
from tengen.train.unpack import Labels, PackedRows, Sample, Unpacker

_CHUNK = 1024  # rows per forward pass; a stop waits for it, some seconds on a CPU
_STORED = torch.float16  # type of stored labels: as precise as bf16 outputs


def load_teacher(config: DistillationConfig, size: int) -> BoardNet:
    """The teacher's net for boards of this size, in evaluation mode. Raises BadTraining,
    BadWeights, OSError.
    """
    source = config.checkpoint
    weights = load_weights(source, "distillation.checkpoint")
    if weights.name != config.teacher:
        raise BadTraining(
            f"{source} has weights for {weights.name}, not the teacher {config.teacher}"
        )
    check_net(weights.spec, size)
    return weights.make().requires_grad_(False)


class LiveTeacher:
    """Labels each batch, with its symmetries."""

    def __init__(self, net: BoardNet, autocast: torch.autocast) -> None:
        self.net = net
        self._autocast = autocast

    @torch.no_grad()
    def __call__(self, batch: DeviceBatch, sample: Sample) -> Labels:
        with self._autocast:
            outputs = self.net(sample.planes)
        return as_labels(outputs, sample)


class PrecomputedTeacher:
    """Labels computed for every row before the first step, by `label`. They belong to the row as it
    is stored and are transformed with it, so they differ from a live teacher's as far as that one
    is not symmetric.
    """

    def __init__(self, live: LiveTeacher, source: Resident, unpack: Unpacker) -> None:
        self._live = live
        self._rows = source.table
        self._unpack = unpack
        count, device = len(self._rows.board), self._rows.board.device
        self._policy = torch.empty(count, unpack.points, dtype=_STORED, device=device)
        self._value = torch.empty(count, 3, dtype=_STORED, device=device)

    def label(self) -> Iterator[float]:
        """Label all rows; yields the share that is done."""
        count = len(self._value)
        for start in range(0, count, _CHUNK):
            part = slice(start, start + _CHUNK)
            few = PackedRows(*(column[part] for column in self._rows))
            labels = self._live(DeviceBatch(few, None), self._unpack(few))
            self._policy[part] = labels.policy
            self._value[part] = labels.value
            yield min(part.stop, count) / count

    @torch.no_grad()
    def __call__(self, batch: DeviceBatch, sample: Sample) -> Labels:
        assert batch.numbers is not None
        policy = self._policy[batch.numbers].float()
        if sample.image is not None:
            policy = policy.gather(1, sample.image)
        return Labels(_normal(policy), _normal(self._value[batch.numbers].float()))


def as_labels(outputs: Outputs, sample: Sample) -> Labels:
    """The outputs of a net as labels."""
    policy = masked_policy(outputs, sample).softmax(1)
    return Labels(torch.where(sample.empty, policy, 0.0), three_way_output(outputs))


def _normal(shares: Tensor) -> Tensor:
    return shares / shares.sum(1, keepdim=True).clamp(min=1e-6)
