# SPDX-License-Identifier: MIT
"""Net2Wider: initialises a Mixnet from a smaller one so that both compute the same function.

The units of the small net keep their weights and get zero weights for new inputs. New units keep
the random weights of a fresh net; the layers behind them have zero weights for them until training
changes that. Uses the layers of `mixnet`; training calls it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import torch
from torch import Tensor, nn

from tengen.nets.blocks import StarBlock
from tengen.nets.mapping import LineBlock, LineNet
from tengen.nets.mixnet import Mixnet, MixnetPolicy, MixnetValue
from tengen.nets.scales import DYNAMIC
from tengen.nets.spec import MixnetSpec, NetSpec


def can_widen_to(small: NetSpec, large: NetSpec) -> bool:
    """Whether both are Mixnets that differ in size only, and `large` is the larger one."""
    if not isinstance(small, MixnetSpec) or not isinstance(large, MixnetSpec):
        return False
    return replace(small, size=large.size) == large and small.channels < large.channels


@torch.no_grad()
def net2wider_(large: Mixnet, small: Mixnet) -> None:
    """Copy the weights of `small` into `large`, a fresh net, which then has the outputs of
    `small`. Raises ValueError unless `can_widen_to`.
    """
    if not can_widen_to(small.spec, large.spec):
        raise ValueError(f"{small.spec.name} cannot be widened to {large.spec.name}")
    features = _features(small.spec, large.spec)
    for name in ("hv", "di"):
        _widen_lines(getattr(large.body.mapping, name), getattr(small.body.mapping, name), features)
    conv = small.body.conv
    _put(large.body.conv, conv, _first(conv.out_channels), _first(1))
    values = (cast("MixnetValue", net.heads["value"]) for net in (large, small))
    _widen_value(next(values), next(values), features, large.spec)
    policies = (cast("MixnetPolicy", net.heads["policy"]) for net in (large, small))
    _widen_policy(next(policies), next(policies), features)


def _first(count: int) -> Tensor:
    return torch.arange(count)


def _features(small: MixnetSpec, large: MixnetSpec) -> Tensor:
    """Places of the feature channels in the larger net. Convolution and policy read the first
    half of the channels, so each half goes to the start of a half.
    """
    half = _first(small.channels // 2)
    return torch.cat([half, half + large.channels // 2])


def _put(
    large: nn.Linear | nn.Conv2d, small: nn.Linear | nn.Conv2d, rows: Tensor, columns: Tensor
) -> None:
    """The outputs `rows` of `large` become those of `small`, with `columns` as their inputs."""
    large.weight[rows] = 0
    large.weight[rows[:, None], columns] = small.weight
    cast("Tensor", large.bias)[rows] = cast("Tensor", small.bias)


def _widen_lines(large: LineNet, small: LineNet, features: Tensor) -> None:
    hidden = _first(small.dir0.out_channels)
    _put(large.dir0, small.dir0, hidden, _first(2))
    for there, here in zip(large.blocks, small.blocks, strict=True):
        one, other = cast("LineBlock", here), cast("LineBlock", there)
        _put(other.dir, one.dir, hidden, hidden)
        _put(other.pw, one.pw, hidden, hidden)
    new = torch.ones(large.out.out_channels, dtype=torch.bool)
    new[features] = False
    _put(large.out, small.out, features, hidden)
    large.centre_(new)


def _widen_value(
    large: MixnetValue, small: MixnetValue, features: Tensor, spec: MixnetSpec
) -> None:
    values = _first(small.mlp2.in_features)
    inputs = [features]
    if small.groups:
        for name in ("corner", "edge", "centre"):
            _widen_block(getattr(large, name), getattr(small, name), features, values)
        _widen_block(large.quad, small.quad, values, values)
        inputs += [values + spec.channels + quad * spec.value_channels for quad in range(4)]
    _put(large.mlp1, small.mlp1, values, torch.cat(inputs))
    _put(large.mlp2, small.mlp2, values, values)
    _put(large.mlp3, small.mlp3, _first(3), values)


def _widen_block(large: nn.Module, small: nn.Module, inputs: Tensor, outputs: Tensor) -> None:
    """A star block, which adds its products in neighbouring pairs, or its replacement."""
    if not isinstance(small, StarBlock):
        _put(cast("nn.Linear", large.lin), cast("nn.Linear", small.lin), outputs, inputs)
        return
    star = cast("StarBlock", large)
    _put(star.lin1, small.lin1, _first(small.lin1.out_features), inputs)
    _put(star.lin2, small.lin2, _first(small.lin2.out_features), inputs)
    _put(star.lin3, small.lin3, outputs, _first(small.lin3.in_features))


def _widen_policy(large: MixnetPolicy, small: MixnetPolicy, features: Tensor) -> None:
    channels = _first(small.channels)
    if small.dynamic:
        hidden = _first(small.lin1.out_features)
        _put(large.lin1, small.lin1, hidden, features)
        outputs = _first(DYNAMIC)
        rows = (outputs[:, None] * large.channels + channels).flatten()
        rows = torch.cat([rows, outputs + DYNAMIC * large.channels])
        # New channels start with zero weights.
        large.dyn.weight[:] = 0
        large.dyn.bias[:] = 0
        _put(large.dyn, small.dyn, rows, hidden)
    else:
        large.weight[:] = 0
        large.weight[:, channels] = small.weight
        large.bias.copy_(small.bias)
    large.out_weight.copy_(small.out_weight)
    large.out_bias.copy_(small.out_bias)
