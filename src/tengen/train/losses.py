# SPDX-License-Identifier: MIT
"""Losses (`LOSSES`) and metrics (`METRICS`) of a net, their sums over batches, and `Objective`, the
weighted sum of losses that a step minimises. A config names losses with their weights; a new one
needs a function here, a row in the table, and its name in `config.LOSS_NAMES`.

Losses and metrics take the outputs of a net, the batch, and labels (of the data or of a teacher).
They return a number for each sample; cross-entropies are in nats. Outputs are a mapping:

    policy  [B, H, W]  logits of points
    value   [B, 3]     logits of win, loss, draw for the side to move
    scalar  [B] or [B, 1]  a scalar head, whose tanh is win minus loss, -1 to 1
    win     [B] or [B, 1]  a binary head, the logit of winning
    bound_penalty  [B]  of a Mixnet in training: how close its features are to their bounds

A net has at least one of value, scalar and win; what the others say is computed from it. Metrics of
the three-way value need that output, and are left out for nets without it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from torch import Tensor
from torch.nn import functional

from tengen.train.errors import BadTraining
from tengen.train.unpack import Labels, Sample

Outputs = Mapping[str, Tensor]
LossParts = dict[str, tuple[Tensor, Tensor]]  # (sum, count) over a batch, by name
Groups = Mapping[str, slice]  # rows of a batch that are reported separately too, by name
NO_GROUPS: Groups = MappingProxyType({})
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
    """Squared error of win minus loss, so 0 to 4: four times `win_mse` for a net with one value
    head.
    """
    return (scalar_output(outputs) - scalar_label(labels)) ** 2


def binary_loss(outputs: Outputs, sample: Sample, labels: Labels) -> Tensor:
    """Binary cross-entropy of winning, a draw being half a win. Reported as `win_mse`."""
    target = win_label(labels)
    if "win" in outputs:
        logit = outputs["win"].float().flatten()
        return functional.binary_cross_entropy_with_logits(logit, target, reduction="none")
    win = win_output(outputs).clamp(_TINY, 1.0 - _TINY)
    return -(target * win.log() + (1.0 - target) * (1.0 - win).log())


def bound_penalty_loss(outputs: Outputs, sample: Sample, labels: Labels) -> Tensor:
    """Keeps a Mixnet's features within their bounds: see `nets.mixnet`."""
    return outputs["bound_penalty"].float()


def top(count: int) -> Callable[[Outputs, Sample, Labels], Tensor]:
    """Whether the label's best move is among the net's best `count`; ties count for the net."""

    def is_among(outputs: Outputs, sample: Sample, labels: Labels) -> Tensor:
        logits = masked_policy(outputs, sample)
        best = labels.policy.argmax(1, keepdim=True)
        better = (logits > logits.gather(1, best)).sum(1)
        return (better < count).float()

    return is_among


def value_accuracy(outputs: Outputs, sample: Sample, labels: Labels) -> Tensor:
    """Whether the most likely of win, loss, draw is the label's."""
    return (outputs["value"].argmax(1) == labels.value.argmax(1)).float()


def win_mse(outputs: Outputs, sample: Sample, labels: Labels) -> Tensor:
    """Squared error of the win rate, 0 to 1."""
    return (win_output(outputs) - win_label(labels)) ** 2


def value_bias(outputs: Outputs, sample: Sample, labels: Labels) -> Tensor:
    """Error of win minus loss: positive if the net overrates the side to move."""
    return scalar_output(outputs) - scalar_label(labels)


@dataclass(frozen=True)
class Metric:
    """A loss or a metric."""

    compute: Callable[[Outputs, Sample, Labels], Tensor]  # [B]
    head: str  # samples without labels of this head do not count
    has_labels: bool = True  # False: independent of labels, and not reported as a metric
    needs: tuple[str, ...] = ()  # it is defined for nets with one of these outputs; (): for all

    def is_defined(self, outputs: Container[str]) -> bool:
        return not self.needs or any(name in outputs for name in self.needs)


_THREE_WAY = ("value",)
_ANY_VALUE = ("value", "scalar", "win")
LOSSES: dict[str, Metric] = {
    "value": Metric(value_loss, "value", needs=_THREE_WAY),
    "policy": Metric(policy_loss, "policy"),
    "scalar": Metric(scalar_loss, "value", needs=_ANY_VALUE),
    "binary": Metric(binary_loss, "value", needs=_ANY_VALUE),
    "bound_penalty": Metric(bound_penalty_loss, "value", False, ("bound_penalty",)),
}
METRICS: dict[str, Metric] = {
    **{name: loss for name, loss in LOSSES.items() if loss.has_labels},
    "policy_top1": Metric(top(1), "policy"),
    "policy_top5": Metric(top(5), "policy"),
    "policy_top10": Metric(top(10), "policy"),
    "value_accuracy": Metric(value_accuracy, "value", needs=_THREE_WAY),
    "value_bias": Metric(value_bias, "value", needs=_ANY_VALUE),
    "win_mse": Metric(win_mse, "value", needs=_ANY_VALUE),
}


def check_losses(losses: Mapping[str, float], outputs: Container[str]) -> None:
    """Check that a net with these outputs has the losses of a config. Raises BadTraining."""
    defined = [n for n, loss in LOSSES.items() if loss.has_labels and loss.is_defined(outputs)]
    for name, weight in losses.items():
        if weight and LOSSES[name].has_labels and name not in defined:
            problem = f"the net has no output {' or '.join(LOSSES[name].needs)}"
            advice = f"it has the losses {', '.join(defined)}"
            raise BadTraining(f"{problem}: {advice}", f"losses.{name}")


def masked_policy(outputs: Outputs, sample: Sample) -> Tensor:
    """Logits [B, P]; those of occupied points are very small."""
    return torch.where(sample.empty, outputs["policy"].float().flatten(1), _NEVER)


def scalar_output(outputs: Outputs) -> Tensor:
    """[B] win minus loss, -1 to 1."""
    if "scalar" in outputs:
        return outputs["scalar"].float().flatten().tanh()
    if "win" in outputs and "value" not in outputs:
        return 2.0 * outputs["win"].float().flatten().sigmoid() - 1.0
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


def three_way_output(outputs: Outputs) -> Tensor:
    """[B, 3] probabilities of win, loss, draw; of a net without the three-way value no draws."""
    if "value" in outputs:
        return outputs["value"].float().softmax(1)
    win = win_output(outputs)
    return torch.stack((win, 1.0 - win, torch.zeros_like(win)), 1)


def measure_samples(
    names: Iterable[str], outputs: Outputs, sample: Sample, labels: Labels
) -> LossParts:
    """(weighted value [B], weight [B]) of the losses and metrics named that the net has."""
    parts = {}
    for name in names:
        metric = LOSSES.get(name) or METRICS[name]
        if not metric.is_defined(outputs):
            continue
        weight = sample.weight
        if metric.head == "policy":
            weight = weight * (labels.policy.sum(1) > 0).float()
        parts[name] = (metric.compute(outputs, sample, labels) * weight, weight)
    return parts


def measure(
    names: Iterable[str],
    outputs: Outputs,
    sample: Sample,
    labels: Labels,
    groups: Groups = NO_GROUPS,
) -> LossParts:
    """(sum, count) over the batch of the losses and metrics named that the net has; those of a
    group are called `NAME_GROUP`.
    """
    parts = {}
    for name, (values, weight) in measure_samples(names, outputs, sample, labels).items():
        parts[name] = (values.sum(), weight.sum())
        for group, rows in groups.items():
            parts[f"{name}_{group}"] = (values[rows].sum(), weight[rows].sum())
    return parts


class Sums:
    """Sums of metrics over batches; copied from the device only by `read`."""

    def __init__(self) -> None:
        self._sums: LossParts = {}

    def add(self, parts: LossParts) -> None:
        for name, (total, count) in parts.items():
            total, count = total.detach().double(), count.detach().double()
            if name in self._sums:
                before = self._sums[name]
                total, count = before[0] + total, before[1] + count
            self._sums[name] = (total, count)

    def read(self) -> dict[str, float]:
        """The means since the last call; without metrics that have no samples."""
        sums, self._sums = self._sums, {}
        if not sums:
            return {}
        pairs = torch.stack([torch.stack(pair) for pair in sums.values()]).tolist()
        return {
            name: total / count
            for name, (total, count) in zip(sums, pairs, strict=True)
            if count > 0
        }


class Objective:
    """The total loss of a batch, and its parts for the log.

    With a teacher the total is `share` times the loss against its labels plus `1 - share` times the
    loss against those of the data (paper A.2). Parts against the data have the names of the losses,
    so that runs with and without a teacher are comparable; the teacher's are `taught_*`.
    """

    def __init__(self, losses: Mapping[str, float], share: float) -> None:
        self.losses = {name: weight for name, weight in losses.items() if weight}
        self._share = share

    def __call__(
        self,
        outputs: Outputs,
        sample: Sample,
        teacher: Labels | None,
        groups: Groups = NO_GROUPS,
    ) -> tuple[Tensor, LossParts]:
        """The losses of each group, against the data, are among the parts too."""
        total, parts = self._against(sample.labels, outputs, sample, groups)
        if teacher is not None:
            other, more = self._against(teacher, outputs, sample)
            total = self._share * other + (1.0 - self._share) * total
            parts |= {f"taught_{n}": part for n, part in more.items() if LOSSES[n].has_labels}
        return total, parts

    def _against(
        self,
        labels: Labels,
        outputs: Outputs,
        sample: Sample,
        groups: Groups = NO_GROUPS,
    ) -> tuple[Tensor, LossParts]:
        parts = measure(self.losses, outputs, sample, labels, groups)
        total = torch.zeros((), device=sample.weight.device)
        for name, weight in self.losses.items():
            loss, count = parts[name]
            total = total + weight * loss / count.clamp(min=1.0)
        return total, {name: (loss.detach(), count) for name, (loss, count) in parts.items()}
