# SPDX-License-Identifier: MIT
"""Units of a Mixnet that say the same of every position, made anew.

Activations and means of features have bounds, and beyond them there is no gradient: a unit that has
come to lie there for all positions stays for ever, and the net is smaller than it seems. `revive`
finds such units on a batch and gives them new random weights; what they used to add goes into the
biases behind them, and the layers behind begin to listen with small weights, so that the net says
very nearly what it said before. Relies on mixnet and its parts; training relies on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from tengen.nets.blocks import ClampedLinear, StarBlock
from tengen.nets.mapping import LineConv, LineNet
from tengen.nets.mixnet import Mixnet, MixnetBody, MixnetFeatures, MixnetPolicy, MixnetValue
from tengen.nets.scales import DYNAMIC, MIXNET_SCALES

__all__ = ["revive"]

_MOST = MIXNET_SCALES.activation_limit / MIXNET_SCALES.activation  # the bound of activations
_STILL = 1 / MIXNET_SCALES.activation  # a range that rounding may hide
_QUIET = 0.1  # size of the weights with which others begin to listen, beside the usual one
_SOME = 64  # boards whose lines tell how large hidden features are
# Where new units begin: activations well within their bounds, features of a line around 0.
_MEAN, _SPREAD = 0.7, 0.4
_LINE_SPREAD = 0.35
_EMPTY = 1 / 16  # as mapping nets begin, see LineNet


@torch.no_grad()
def revive(net: Mixnet, planes: Tensor, generator: torch.Generator) -> dict[str, int]:
    """Makes the units anew that are constant over planes [B, 2, H, W]; how many, by layer. Looked
    at are features, first factors of star blocks that are always 0, quads, and hidden layers.
    """
    value = cast("MixnetValue", net.heads["value"])
    policy = cast("MixnetPolicy", net.heads["policy"])
    maker = _Maker(generator)
    counts = {"features": _revive_features(net, planes, maker)}
    with _watched(net) as seen:
        net(planes)
    if value.groups:
        for name in ("corner", "edge", "centre", "quad"):
            if isinstance(block := getattr(value, name), StarBlock):
                counts[f"{name} star"] = _revive_products(block, seen, maker)
        first, width = net.spec.channels, net.spec.value_channels  # behind the mean, four quads
        heard = [_Ear(value.mlp1, first + i * width) for i in range(4)]
        counts["quads"] = _revive_layer(_layers(value.quad)[-1], heard, seen, maker)
    counts["value 1"] = _revive_layer(value.mlp1, [_Ear(value.mlp2)], seen, maker)
    counts["value 2"] = _revive_layer(value.mlp2, [_Ear(value.mlp3)], seen, maker)
    if policy.dynamic:
        counts["policy"] = _revive_layer(policy.lin1, [_Ear(policy.dyn)], seen, maker)
    net.clamp_()
    return {name: count for name, count in counts.items() if count}


def _layers(block: nn.Module) -> list[ClampedLinear]:
    """Those of a star block or of what stands for it; the last one makes what it says."""
    return [layer for layer in block.children() if isinstance(layer, ClampedLinear)]


def _bias(layer: nn.Conv2d) -> Tensor:
    return cast("Tensor", layer.bias)


def _body(net: Mixnet) -> MixnetBody:
    return cast("MixnetBody", net.body)


# --- what is seen ---


@dataclass(frozen=True)
class _Ear:
    """A layer that hears units, unit i in column `first` + i."""

    layer: ClampedLinear
    first: int = 0


@dataclass(frozen=True)
class _Seen:
    """What went through a layer, [N, ...]."""

    inputs: Tensor
    sums: Tensor


_Watched = dict[nn.Module, _Seen]


@contextmanager
def _watched(net: nn.Module) -> Iterator[_Watched]:
    """Notes what goes through each linear layer while this is entered."""
    seen: _Watched = {}

    def note(module: nn.Module, inputs: tuple[Any, ...], sums: Tensor) -> None:
        seen[module] = _Seen(inputs[0].flatten(0, -2).float(), sums.flatten(0, -2).float())

    layers = [module for module in net.modules() if isinstance(module, ClampedLinear)]
    hooks = [layer.register_forward_hook(note) for layer in layers]
    try:
        yield seen
    finally:
        for hook in hooks:
            hook.remove()


def _still(values: Tensor) -> list[int]:
    """Columns of [N, K] that never change by a step. A deviation would not do: what is rare, a
    winning point, deviates little and tells much.
    """
    ranges = values.amax(0) - values.amin(0)
    return [int(i) for i in torch.nonzero(ranges < _STILL).flatten()]


# --- new weights ---


class _Maker:
    """Random weights, on whatever device they are wanted."""

    def __init__(self, generator: torch.Generator) -> None:
        self._generator = generator

    def normal(self, count: int, like: Tensor) -> Tensor:
        drawn = torch.randn(count, generator=self._generator, device=self._generator.device)
        return drawn.to(like)

    def unit(self, layer: ClampedLinear, row: int, seen: _Seen) -> None:
        """New weights of one output, so that its sums lie well within the bounds."""
        weight = self.normal(layer.in_features, layer.weight)
        sums = seen.inputs.to(weight) @ weight
        scale = float(_SPREAD / sums.std().clamp(min=1e-6))
        scale = min(scale, _MOST / 2 / float(weight.abs().max()))
        layer.weight[row] = weight * scale
        layer.bias[row] = _MEAN - sums.mean() * scale

    def hush(self, ear: _Ear, unit: int, said: float) -> None:
        """What a layer heard of a unit, which always said the same, goes into its biases; it
        listens with small weights from now on."""
        column = ear.first + unit
        layer = ear.layer
        layer.bias.add_(layer.weight[:, column] * said)
        usual = layer.weight.std()
        layer.weight[:, column] = self.normal(layer.out_features, layer.weight) * usual * _QUIET


def _revive_layer(
    layer: ClampedLinear, heard: Sequence[_Ear], seen: _Watched, maker: _Maker
) -> int:
    """Units of a layer with bounded activations."""
    said = seen[layer].sums.clamp(0.0, _MOST)
    still = _still(said)
    for unit in still:
        for ear in heard:
            maker.hush(ear, unit, float(said[:, unit].mean()))
        maker.unit(layer, unit, seen[layer])
    return len(still)


def _revive_products(block: StarBlock, seen: _Watched, maker: _Maker) -> int:
    """Units of the first factor that are always 0: the second learns nothing then."""
    first, second = block.lin1, block.lin2
    dead = torch.nonzero(seen[first].sums.amax(0) <= 0).flatten()
    for unit in (int(i) for i in dead):
        maker.unit(first, unit, seen[first])
        usual = second.weight.std()
        second.weight[unit] = maker.normal(second.in_features, second.weight) * usual * _QUIET
        second.bias[unit] = 0.0
    return len(dead)


# --- features ---


def _revive_features(net: Mixnet, planes: Tensor, maker: _Maker) -> int:
    """Channels whose means over chunks never change. One that the policy reads at points, and whose
    means are only too small to be seen, is left alone.
    """
    features: MixnetFeatures = net.body(planes)
    means = features.chunks.flatten(0, 2).float()
    loudest = features.processed.float().amax((0, 2, 3))
    lines = _hidden_lines(net, planes)
    count = 0
    for channel in _still(means):
        read = channel < net.spec.policy_channels and float(loudest[channel]) > 0
        at_bound = float(means[:, channel].mean()) > _MOST / 2
        if read and not at_bound:
            continue
        count += 1
        _hush_channel(net, channel, means, maker)
        if read:
            _shrink_channel(net, channel, features)
        else:
            _new_channel(net, channel, lines, maker)
    return count


def _hush_channel(net: Mixnet, channel: int, means: Tensor, maker: _Maker) -> None:
    value = cast("MixnetValue", net.heads["value"])
    policy = cast("MixnetPolicy", net.heads["policy"])
    layers = [value.mlp1]
    if value.groups:
        for block in (value.corner, value.edge, value.centre):
            layers += _layers(block)[:2]  # both factors of a star block
    if policy.dynamic:
        layers.append(policy.lin1)
    said = float(means[:, channel].mean())
    for layer in layers:
        maker.hush(_Ear(layer), channel, said)


def _shrink_channel(net: Mixnet, channel: int, features: MixnetFeatures) -> None:
    """A channel that the policy reads at points, and whose means are at their bound: it is made
    smaller, and the policy listens as much harder."""
    mean = float(features.processed[:, channel].float().mean())
    factor = _MEAN / max(mean, _MEAN)
    for line in (_body(net).mapping.hv, _body(net).mapping.di):
        line.out.weight[channel] *= factor
        _bias(line.out)[channel] *= factor
    if channel < _body(net).conv.out_channels:
        _bias(_body(net).conv)[channel] *= factor
    for weights in _policy_weights(net, channel):
        weights /= factor


def _new_channel(net: Mixnet, channel: int, lines: dict[LineNet, Tensor], maker: _Maker) -> None:
    for line, hidden in lines.items():
        _new_line_feature(line.out, channel, hidden, maker)
        empty = torch.zeros(1, 11, dtype=torch.long, device=hidden.device)
        _bias(line.out)[channel] += _EMPTY - line.features_of_lines(empty)[0, channel]
    conv = _body(net).conv
    if channel < conv.out_channels:  # as it begins
        conv.weight[channel] = (maker.normal(9, conv.weight) * 0.05).view(1, 3, 3)
        conv.weight[channel, 0, 1, 1] += 0.5
        _bias(conv)[channel] = 0.0
    for weights in _policy_weights(net, channel):
        quiet = maker.normal(weights.numel(), weights).view_as(weights)
        weights.copy_(quiet * weights.std() * _QUIET)


def _new_line_feature(out: LineConv, channel: int, hidden: Tensor, maker: _Maker) -> None:
    """`hidden` [N, M]: what the layer reads, of many lines."""
    weight = maker.normal(out.in_channels, out.weight)
    spread = (hidden.to(weight) @ weight).std().clamp(min=1e-6)
    out.weight[channel] = (weight * (_LINE_SPREAD / spread)).view(-1, 1, 1)
    _bias(out)[channel] = 0.0


def _hidden_lines(net: Mixnet, planes: Tensor) -> dict[LineNet, Tensor]:
    """What the last layers of the two mapping nets read, [N, M], of the cells of some boards."""
    found: dict[LineNet, Tensor] = {}
    lines = (_body(net).mapping.hv, _body(net).mapping.di)

    def watch(line: LineNet) -> torch.utils.hooks.RemovableHandle:
        def note(_: nn.Module, inputs: tuple[Tensor, ...]) -> None:
            found[line] = inputs[0].float().permute(0, 2, 3, 1).flatten(0, 2)

        return line.out.register_forward_pre_hook(note)

    hooks = [watch(line) for line in lines]
    try:
        net.body(planes[:_SOME])
    finally:
        for hook in hooks:
            hook.remove()
    return found


def _policy_weights(net: Mixnet, channel: int) -> list[Tensor]:
    """What the policy's weights for a channel are made of, or they themselves, to be written to."""
    policy = cast("MixnetPolicy", net.heads["policy"])
    if channel >= policy.channels:
        return []
    if not policy.dynamic:
        return [policy.weight[:, channel]]
    rows = slice(channel, DYNAMIC * policy.channels, policy.channels)
    return [policy.dyn.weight[rows], policy.dyn.bias[rows]]
