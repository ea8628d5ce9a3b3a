# SPDX-License-Identifier: MIT
"""Distillation (paper A.2): a teacher's outputs as labels, worked out for each batch, or once for
all rows of a resident source. Relies on the nets and their files; the loop relies on it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from tengen.train.config import DistillationConfig
from tengen.train.errors import BadTraining
from tengen.train.losses import Outputs, masked_policy
from tengen.train.source import Batch, Resident
from tengen.train.start import load_weights
from tengen.train.unpack import Labels, Packed, Sample, Unpacker

__all__ = ["KnownTeacher", "LiveTeacher", "Teacher", "load_teacher", "make_teacher"]

_AT_ONCE = 1024  # rows that are labelled at once; on a CPU a stop waits for them some seconds
_KEPT = torch.float16  # of logits that are kept: what bf16 has lost already is not needed


def load_teacher(config: DistillationConfig) -> nn.Module:
    """The teacher's net with its weights, in evaluation mode. Raises BadTraining, BadWeights,
    OSError.
    """
    given = config.checkpoint
    found = load_weights(given, "distillation.checkpoint")
    if found.name != config.teacher:
        raise BadTraining(f"{given} is of {found.name}, not of the teacher {config.teacher}")
    return found.make().requires_grad_(False)


class LiveTeacher:
    """Labels each batch as it comes, turned as it is."""

    def __init__(self, net: nn.Module, autocast: torch.autocast) -> None:
        self._net = net
        self._autocast = autocast

    def work(self, size: int) -> int:
        """Multiply-adds for the labels of one position, in a step."""
        return multiply_adds(self._net, size)

    @torch.no_grad()
    def __call__(self, batch: Batch, sample: Sample) -> Labels:
        with self._autocast:
            outputs = self._net(sample.planes)
        return as_labels(outputs, sample)


class KnownTeacher:
    """Labels that are worked out for every row before the first step, by `label`. They are of the
    row as it is stored, and are turned with it: other than those of a live teacher as far as that
    one is not symmetric.
    """

    def __init__(self, live: LiveTeacher, source: Resident, unpack: Unpacker) -> None:
        self._live = live
        self._rows = source.table
        self._unpack = unpack
        count, device = len(self._rows.board), self._rows.board.device
        self._policy = torch.empty(count, unpack.points, dtype=_KEPT, device=device)
        self._value = torch.empty(count, 3, dtype=_KEPT, device=device)

    def label(self) -> Iterator[float]:
        """Label all rows, some thousands at a time; yields the share of them that is done."""
        count = len(self._value)
        for start in range(0, count, _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            few = Packed(*(column[part] for column in self._rows))
            labels = self._live(Batch(few, None), self._unpack(few))
            self._policy[part] = labels.policy
            self._value[part] = labels.value
            yield min(part.stop, count) / count

    def work(self, size: int) -> int:
        """Nothing is left to do in a step."""
        return 0

    @torch.no_grad()
    def __call__(self, batch: Batch, sample: Sample) -> Labels:
        assert batch.numbers is not None
        policy = self._policy[batch.numbers].float()
        if sample.image is not None:
            policy = policy.gather(1, sample.image)
        return Labels(_normal(policy), _normal(self._value[batch.numbers].float()))


Teacher = LiveTeacher | KnownTeacher


def make_teacher(
    net: nn.Module,
    autocast: torch.autocast,
    source: Resident | None,
    unpack: Unpacker,
) -> Teacher:
    """A teacher for each batch, or, with a source, for all its rows at once."""
    live = LiveTeacher(net, autocast)
    return live if source is None else KnownTeacher(live, source, unpack)


def multiply_adds(net: nn.Module, size: int) -> int:
    """Of one evaluation of any net on a board of this size, counted on shapes alone."""
    shapes = copy.deepcopy(net).to("meta").eval()
    counter = FlopCounterMode(display=False)
    with counter, torch.no_grad():
        shapes(torch.empty(1, 2, size, size, device="meta"))
    return int(counter.get_total_flops()) // 2


def as_labels(outputs: Outputs, sample: Sample) -> Labels:
    """What a net says, as something to learn from."""
    policy = masked_policy(outputs, sample).softmax(1)
    return Labels(torch.where(sample.empty, policy, 0.0), outputs["value"].float().softmax(1))


def _normal(shares: Tensor) -> Tensor:
    return shares / shares.sum(1, keepdim=True).clamp(min=1e-6)
