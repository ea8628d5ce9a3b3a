# SPDX-License-Identifier: MIT
"""The losses, in one table, `LOSSES`. A config names them with their weights; a new one needs a
function here, a row in the table, and its name in `config.LOSS_NAMES`.

A loss takes the outputs of a net, the batch, and labels, of the data or of a teacher, and returns a
number for each sample, in nats for cross-entropies. Outputs are a mapping:

    value   [B, 3]     logits of win, loss, draw for the side to move
    policy  [B, H, W]  logits of points
    scalar  [B] or [B, 1]  optional: a scalar head, whose tanh is win minus loss, -1 to 1
    win     [B] or [B, 1]  optional: a binary head, the logit of winning
    bound_penalty  [B]  of a Mixnet in training: how close its features are to their bounds

Without scalar or win, they are computed from the three-way value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from tengen.train.unpack import Labels, Sample

__all__ = [
    "LOSSES",
    "Loss",
    "Outputs",
    "has_policy",
    "masked_policy",
    "scalar_label",
    "scalar_output",
    "win_label",
    "win_output",
]

Outputs = Mapping[str, Tensor]
_NEVER = -1e9  # logit of an occupied point: finite, since 0 * infinity is no number
_TINY = 1e-6  # probabilities are kept this far from 0 and 1 where their logarithm is taken


def value_loss(outputs: Outputs, sample: Sample, labels: Labels) -> Tensor:
    """Cross-entropy of win, loss, draw: the paper's equation 7."""
    return -(labels.value * functional.log_softmax(outputs["value"].float(), 1)).sum(1)


def policy_loss(outputs: Outputs, sample: Sample, labels: Labels) -> Tensor:
    """Cross-entropy over the empty points: the paper's equation 6. Without a label it is 0."""
    logits = masked_policy(outputs, sample)
    return -(labels.policy * functional.log_softmax(logits, 1)).sum(1)


def scalar_loss(outputs: Outputs, sample: Sample, labels: Labels) -> Tensor:
    """Squared error of win minus loss, so 0 to 4."""
    return (scalar_output(outputs) - scalar_label(labels)) ** 2


def binary_loss(outputs: Outputs, sample: Sample, labels: Labels) -> Tensor:
    """Binary cross-entropy of winning, a draw being half a win. Its tables are of `win_mse`."""
    wanted = win_label(labels)
    if "win" in outputs:
        logit = outputs["win"].float().flatten()
        return functional.binary_cross_entropy_with_logits(logit, wanted, reduction="none")
    win = win_output(outputs).clamp(_TINY, 1.0 - _TINY)
    return -(wanted * win.log() + (1.0 - wanted) * (1.0 - win).log())


def bound_penalty_loss(outputs: Outputs, sample: Sample, labels: Labels) -> Tensor:
    """Keeps a Mixnet's features within their bounds: see `nets.mixnet`."""
    return outputs["bound_penalty"].float()


@dataclass(frozen=True)
class Loss:
    """A row of the table."""

    compute: Callable[[Outputs, Sample, Labels], Tensor]
    head: str  # samples without labels of this head do not count
    metric: str  # the metric that papers and tables report for it; empty: none


LOSSES: dict[str, Loss] = {
    "value": Loss(value_loss, "value", "value"),
    "policy": Loss(policy_loss, "policy", "policy"),
    "scalar": Loss(scalar_loss, "value", "scalar"),
    "binary": Loss(binary_loss, "value", "win_mse"),
    "bound_penalty": Loss(bound_penalty_loss, "value", ""),
}


def masked_policy(outputs: Outputs, sample: Sample) -> Tensor:
    """[B, P] logits, those of occupied points out of the running."""
    return torch.where(sample.empty, outputs["policy"].float().flatten(1), _NEVER)


def has_policy(labels: Labels) -> Tensor:
    """[B] 1.0 where the moves are known, else 0.0."""
    return (labels.policy.sum(1) > 0).float()


def scalar_output(outputs: Outputs) -> Tensor:
    """[B] win minus loss, -1 to 1."""
    if "scalar" in outputs:
        return outputs["scalar"].float().flatten().tanh()
    value = outputs["value"].float().softmax(1)
    return value[:, 0] - value[:, 1]


def scalar_label(labels: Labels) -> Tensor:
    """[B] as `scalar_output`."""
    return labels.value[:, 0] - labels.value[:, 1]


def win_output(outputs: Outputs) -> Tensor:
    """[B] the probability of a win, a draw being half of one."""
    if "win" in outputs:
        return outputs["win"].float().flatten().sigmoid()
    return (scalar_output(outputs) + 1.0) / 2.0


def win_label(labels: Labels) -> Tensor:
    """[B] as `win_output`."""
    return (scalar_label(labels) + 1.0) / 2.0
