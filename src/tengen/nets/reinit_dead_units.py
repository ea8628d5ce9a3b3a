# SPDX-License-Identifier: MIT
"""Reinitialisation of dead units of a Mixnet during training.

Activations and feature means are clamped, and a clamped value has no gradient: a unit that is at
its bound for every position stays there. `reinit_dead_units` finds the units that are constant over
a batch and gives them new random weights. The constant that such a unit contributed moves into the
biases of the next layer, whose weights for the unit become small, so the net's outputs hardly
change. Uses the layers of `mixnet`; training calls it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from tengen.nets.blocks import ClampedLinear, StarBlock
from tengen.nets.mapping import LineConv, LineNet
from tengen.nets.mixnet import Mixnet, MixnetFeatures, MixnetPolicy, MixnetValue
from tengen.nets.scales import DYNAMIC, MIXNET_SCALES

_MAX = MIXNET_SCALES.activation_limit / MIXNET_SCALES.activation  # bound of activations
_STEP = 1 / MIXNET_SCALES.activation  # a smaller range vanishes by rounding
_NEW_INPUT_SCALE = 0.1  # of weights for a new unit, relative to the other weights of the layer
_LINE_BOARDS = 64  # boards from which the spread of hidden line features is measured
# Distribution of new units: activations well within their bounds, line features around 0.
_MEAN, _STD = 0.7, 0.4
_LINE_STD = 0.35
_EMPTY = 1 / 16  # feature of an empty line, as LineNet initialises it


@torch.no_grad()
def reinit_dead_units(net: Mixnet, planes: Tensor, generator: torch.Generator) -> dict[str, int]:
    """Reinitialise the units that are constant over planes [B, 2, H, W]; returns their number by
    layer. Covers features, first factors of star blocks that are always 0, quads, hidden layers.
    """
    value, policy = _value(net), _policy(net)
    weights = _Initialiser(generator)
    counts = {"features": _reinit_features(net, planes, weights)}
    with _recorded(net) as records:
        net(planes)
    if value.groups:
        for name in ("corner", "edge", "centre", "quad"):
            if isinstance(block := getattr(value, name), StarBlock):
                counts[f"{name} star"] = _reinit_factors(block, records, weights)
        first, width = net.spec.channels, net.spec.value_channels  # the mean, then four quads
        quads = [_Input(value.mlp1, first + i * width) for i in range(4)]
        counts["quads"] = _reinit_layer(_layers(value.quad)[-1], quads, records, weights)
    counts["value 1"] = _reinit_layer(value.mlp1, [_Input(value.mlp2)], records, weights)
    counts["value 2"] = _reinit_layer(value.mlp2, [_Input(value.mlp3)], records, weights)
    if policy.dynamic:
        counts["policy"] = _reinit_layer(policy.lin1, [_Input(policy.dyn)], records, weights)
    net.clamp_()
    return {name: count for name, count in counts.items() if count}


def _value(net: Mixnet) -> MixnetValue:
    return cast("MixnetValue", net.heads["value"])


def _policy(net: Mixnet) -> MixnetPolicy:
    return cast("MixnetPolicy", net.heads["policy"])


def _bias(layer: nn.Conv2d) -> Tensor:
    return cast("Tensor", layer.bias)


def _layers(block: nn.Module) -> list[ClampedLinear]:
    """The linear layers of a star block or of its replacement; the last one makes the output."""
    return [layer for layer in block.children() if isinstance(layer, ClampedLinear)]


# --- activations of a batch ---


@dataclass(frozen=True)
class _Input:
    """A layer that reads units: unit i is its input `first` + i."""

    layer: ClampedLinear
    first: int = 0


@dataclass(frozen=True)
class _LayerRecord:
    """Inputs and sums of a layer over a batch, [N, ...]."""

    inputs: Tensor
    sums: Tensor


_Records = dict[nn.Module, _LayerRecord]


@contextmanager
def _hooked(layers: Iterable[nn.Module], register: Callable[[nn.Module], Any]) -> Iterator[None]:
    handles = [register(layer) for layer in layers]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@contextmanager
def _recorded(net: nn.Module) -> Iterator[_Records]:
    """Records every linear layer within the block."""
    records: _Records = {}

    def record(module: nn.Module, inputs: tuple[Any, ...], sums: Tensor) -> None:
        records[module] = _LayerRecord(
            inputs[0].flatten(0, -2).float(), sums.flatten(0, -2).float()
        )

    layers = [module for module in net.modules() if isinstance(module, ClampedLinear)]
    with _hooked(layers, lambda layer: layer.register_forward_hook(record)):
        yield records


def _constant_columns(values: Tensor) -> list[int]:
    """Columns of [N, K] whose range is below a rounding step. The range and not the deviation: a
    rare signal, such as a winning point, deviates little and means much.
    """
    ranges = values.amax(0) - values.amin(0)
    return [int(i) for i in torch.nonzero(ranges < _STEP).flatten()]


# --- new weights ---


class _Initialiser:
    """Random weights on any device."""

    def __init__(self, generator: torch.Generator) -> None:
        self._generator = generator

    def normal(self, count: int, like: Tensor) -> Tensor:
        drawn = torch.randn(count, generator=self._generator, device=self._generator.device)
        return drawn.to(like)

    def small(self, weights: Tensor, std: Tensor) -> Tensor:
        """Random numbers of the shape of `weights`, small in comparison with `std`."""
        drawn = self.normal(weights.numel(), weights).view_as(weights)
        return drawn * std * _NEW_INPUT_SCALE

    def unit(self, layer: ClampedLinear, row: int, record: _LayerRecord) -> None:
        """New weights of one output, with sums well within the bounds."""
        weight = self.normal(layer.in_features, layer.weight)
        sums = record.inputs.to(weight) @ weight
        scale = float(_STD / sums.std().clamp(min=1e-6))
        scale = min(scale, _MAX / 2 / float(weight.abs().max()))
        layer.weight[row] = weight * scale
        layer.bias[row] = _MEAN - sums.mean() * scale

    def absorb(self, reader: _Input, unit: int, constant: float) -> None:
        """Move the constant that a layer read from a unit into its biases; its weights for the unit
        become small and random."""
        column, layer = reader.first + unit, reader.layer
        layer.bias.add_(layer.weight[:, column] * constant)
        layer.weight[:, column] = self.small(layer.weight[:, column], layer.weight.std())


def _reinit_layer(
    layer: ClampedLinear, readers: Sequence[_Input], records: _Records, weights: _Initialiser
) -> int:
    """Units of a layer with clamped activations."""
    activations = records[layer].sums.clamp(0.0, _MAX)
    dead = _constant_columns(activations)
    for unit in dead:
        for reader in readers:
            weights.absorb(reader, unit, float(activations[:, unit].mean()))
        weights.unit(layer, unit, records[layer])
    return len(dead)


def _reinit_factors(block: StarBlock, records: _Records, weights: _Initialiser) -> int:
    """Units of the first factor that are always 0: the second factor has no gradient then."""
    first, second = block.lin1, block.lin2
    dead = torch.nonzero(records[first].sums.amax(0) <= 0).flatten()
    for unit in (int(i) for i in dead):
        weights.unit(first, unit, records[first])
        second.weight[unit] = weights.small(second.weight[unit], second.weight.std())
        second.bias[unit] = 0.0
    return len(dead)


# --- features ---


def _reinit_features(net: Mixnet, planes: Tensor, weights: _Initialiser) -> int:
    """Channels whose chunk means are constant. A channel that the policy reads at points and whose
    means are merely too small to matter is left alone.
    """
    features: MixnetFeatures = net.body(planes)
    means = features.chunks.flatten(0, 2).float()
    maxima = features.processed.float().amax((0, 2, 3))
    hidden = _hidden_lines(net, planes)
    count = 0
    for channel in _constant_columns(means):
        used = channel < net.spec.policy_channels and float(maxima[channel]) > 0
        mean = float(means[:, channel].mean())
        if used and mean <= _MAX / 2:
            continue
        count += 1
        for layer in _feature_readers(net):
            weights.absorb(_Input(layer), channel, mean)
        if used:
            _shrink_channel(net, channel, features)
        else:
            _new_channel(net, channel, hidden, weights)
    return count


def _feature_readers(net: Mixnet) -> list[ClampedLinear]:
    """The layers that read feature means."""
    value, policy = _value(net), _policy(net)
    layers = [value.mlp1]
    if value.groups:
        for block in (value.corner, value.edge, value.centre):
            layers += _layers(block)[:2]  # both factors of a star block
    return [*layers, policy.lin1] if policy.dynamic else layers


def _shrink_channel(net: Mixnet, channel: int, features: MixnetFeatures) -> None:
    """Scale down a channel that the policy reads at points and whose means are at their bound; the
    policy's weights grow by the same factor."""
    body = net.body
    mean = float(features.processed[:, channel].float().mean())
    factor = _MEAN / max(mean, _MEAN)
    for line in (body.mapping.hv, body.mapping.di):
        line.out.weight[channel] *= factor
        _bias(line.out)[channel] *= factor
    if channel < body.conv.out_channels:
        _bias(body.conv)[channel] *= factor
    for weights in _policy_weights(net, channel):
        weights /= factor


def _new_channel(
    net: Mixnet, channel: int, hidden: dict[LineNet, Tensor], weights: _Initialiser
) -> None:
    for line, inputs in hidden.items():
        _new_line_feature(line.out, channel, inputs, weights)
        empty = torch.zeros(1, 11, dtype=torch.long, device=inputs.device)
        _bias(line.out)[channel] += _EMPTY - line.features_of_lines(empty)[0, channel]
    conv = net.body.conv
    if channel < conv.out_channels:  # as DepthwiseConv initialises it
        conv.weight[channel] = (weights.normal(9, conv.weight) * 0.05).view(1, 3, 3)
        conv.weight[channel, 0, 1, 1] += 0.5
        _bias(conv)[channel] = 0.0
    for part in _policy_weights(net, channel):
        part.copy_(weights.small(part, part.std()))


def _new_line_feature(out: LineConv, channel: int, hidden: Tensor, weights: _Initialiser) -> None:
    """`hidden` [N, M]: inputs of the layer for many lines."""
    weight = weights.normal(out.in_channels, out.weight)
    std = (hidden.to(weight) @ weight).std().clamp(min=1e-6)
    out.weight[channel] = (weight * (_LINE_STD / std)).view(-1, 1, 1)
    _bias(out)[channel] = 0.0


def _hidden_lines(net: Mixnet, planes: Tensor) -> dict[LineNet, Tensor]:
    """Inputs [N, M] of the last layers of the two mapping nets, for the cells of some boards."""
    mapping = net.body.mapping
    lines = {line.out: line for line in (mapping.hv, mapping.di)}
    hidden: dict[LineNet, Tensor] = {}

    def record(layer: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        hidden[lines[cast("LineConv", layer)]] = inputs[0].float().permute(0, 2, 3, 1).flatten(0, 2)

    with _hooked(lines, lambda layer: layer.register_forward_pre_hook(record)):
        net.body(planes[:_LINE_BOARDS])
    return hidden


def _policy_weights(net: Mixnet, channel: int) -> list[Tensor]:
    """Views of the policy's weights for a channel, or of the weights that produce them."""
    policy = _policy(net)
    if channel >= policy.channels:
        return []
    if not policy.dynamic:
        return [policy.weight[:, channel]]
    rows = slice(channel, DYNAMIC * policy.channels, policy.channels)
    return [policy.dyn.weight[rows], policy.dyn.bias[rows]]
