# SPDX-License-Identifier: MIT
"""The pairs of heads that a `HeadedSpec` names, the input planes that it asks for, and `HeadedNet`,
which puts both around a body of convolutions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from tengen.nets.blocks import BoardNet, PointPolicy, PooledValue, he_conv
from tengen.nets.spec import HeadedSpec

_POLYGAMES_HIDDEN, _ALPHAZERO_HIDDEN = 50, 256
_NO_DRAW = -40.0  # logit of a draw where the net has none


def input_planes(planes: Tensor, count: int) -> Tensor:
    """Planes [B, 2, H, W] with those added that `HeadedSpec.planes` asks for. Black is to move if
    both sides have equally many stones.
    """
    if count in (3, 4):
        stones = planes.sum((2, 3))
        black = (stones[:, 0] == stones[:, 1]).to(planes.dtype)[:, None, None, None]
        ones = torch.ones_like(planes[:, :1])
        planes = torch.cat([planes, black * ones, *([ones] if count == 4 else [])], 1)
    return planes.contiguous(memory_format=torch.channels_last)


def value_logits(outputs: Mapping[str, Tensor]) -> Tensor:
    """[B, 3] logits of win, loss, draw from the output "scalar" or "win", [B, 1]: the same win
    minus loss, and next to no draws.
    """
    half = outputs["scalar"] if "scalar" in outputs else outputs["win"] / 2
    return torch.cat([half, -half, torch.full_like(half, _NO_DRAW)], 1)


def make_heads(spec: HeadedSpec, channels: int, size: int) -> dict[str, nn.Module]:
    """The heads for features [B, channels, H, W]; `size`: H and W, for the heads alphazero."""
    outputs = 3 if spec.output == "value" else 1
    value: nn.Module
    policy: nn.Module
    if spec.heads == "simple":
        value, policy = PooledValue(channels, outputs), PointPolicy(channels)
    elif spec.heads == "polygames":
        value, policy = _polygames_value(channels, outputs), PointPolicy(channels, bias=False)
    else:
        value = _alphazero_value(channels, outputs, size)
        policy = _alphazero_policy(channels, size)
    return {spec.output: value, "policy": policy}


def _polygames_value(channels: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        BoardMean(),
        _linear(channels, _POLYGAMES_HIDDEN, math.sqrt(2)),
        nn.ReLU(),
        _linear(_POLYGAMES_HIDDEN, outputs, 0.1),
    )


def _alphazero_value(channels: int, outputs: int, size: int) -> nn.Sequential:
    return nn.Sequential(
        *(he_conv(channels, 1, 1), nn.BatchNorm2d(1), nn.ReLU(), nn.Flatten()),
        *(_linear(size * size, _ALPHAZERO_HIDDEN, math.sqrt(2)), nn.ReLU()),
        _linear(_ALPHAZERO_HIDDEN, outputs, 0.1),
    )


def _alphazero_policy(channels: int, size: int) -> nn.Sequential:
    return nn.Sequential(
        *(he_conv(channels, 2, 1), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten()),
        _linear(2 * size * size, size * size, 0.1),
        nn.Unflatten(1, (size, size)),
    )


def _linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    """A layer whose weights have the standard deviation gain / sqrt(inputs) at first."""
    layer = nn.Linear(inputs, outputs)
    nn.init.normal_(layer.weight, std=gain / math.sqrt(inputs))
    nn.init.zeros_(layer.bias)
    return layer


class BoardMean(nn.Module):
    """[B, C, H, W] -> [B, C]: the mean over the board."""

    def forward(self, x: Tensor) -> Tensor:
        return x.mean((2, 3))


class HeadedNet(BoardNet):
    """Planes [B, 2, H, W] -> {"value": [B, 3], "policy": [B, H, W]}, logits; with one value output
    also "scalar" or "win", [B, 1], from which "value" then follows.
    """

    spec: HeadedSpec

    def __init__(
        self,
        spec: HeadedSpec,
        body: nn.Module,
        channels: int,
        heads: Mapping[str, nn.Module] | None = None,
        size: int | None = None,
    ) -> None:
        """`body` makes features [B, channels, H, W] of the planes, in `channels_last`; `size`: H
        and W, if they are not those of the board. `heads` replaces those of the spec.
        """
        made = make_heads(spec, channels, size or spec.size) if heads is None else heads
        super().__init__(body, made)
        self.spec = spec

    @property
    def outputs(self) -> tuple[str, ...]:
        """The keys of the result of `forward`, in order."""
        return (*self.heads, *(("value",) if self._lacks_value else ()))

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        outputs = super().forward(input_planes(planes, self.spec.planes))
        if self._lacks_value:
            outputs["value"] = value_logits(outputs)
        return outputs

    @property
    def _lacks_value(self) -> bool:
        return "value" not in self.heads and self.spec.output in self.heads
