# SPDX-License-Identifier: MIT
"""KataNet: pre-activated residual blocks of which three of five pool some channels over the board
and add the result to the others as a bias, as KataGo's nets do (Wu, 2019).
"""

from __future__ import annotations

import math
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from tengen.nets.blocks import he_conv, preactivated
from tengen.nets.heads import HeadedNet
from tengen.nets.spec import KatanetSpec

_MIDDLE_SIZE = 14  # the board size at which the scaled mean is 0


class PreactivatedBlock(nn.Module):
    """[B, C, H, W] -> the same: x plus two pre-activated convolutions, the second initialised to
    0, so the block starts as the identity.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            *preactivated(channels, channels), *preactivated(channels, channels)
        )
        nn.init.zeros_(cast("Tensor", self.layers[-1].weight))

    def forward(self, x: Tensor) -> Tensor:
        return x + cast("Tensor", self.layers(x))


class PooledBlock(nn.Module):
    """A block whose first convolution has `pooled` extra channels, which act on the others
    only as a bias computed from their means and maxima over the board.
    """

    def __init__(self, channels: int, pooled: int) -> None:
        super().__init__()
        regular = channels - pooled
        self.norm = nn.BatchNorm2d(channels)
        self.regular = he_conv(channels, regular)
        self.pooled = nn.Sequential(he_conv(channels, pooled), nn.BatchNorm2d(pooled), nn.ReLU())
        self.bias = nn.Linear(3 * pooled, regular, bias=False)
        self.out = nn.Sequential(*preactivated(regular, channels))
        nn.init.normal_(self.bias.weight, std=math.sqrt(1 / (3 * pooled)))
        nn.init.zeros_(cast("Tensor", self.out[-1].weight))

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.norm(x))
        bias = self.bias(_pool(self.pooled(y)))
        return x + cast("Tensor", self.out(self.regular(y) + bias[:, :, None, None]))


def _pool(x: Tensor) -> Tensor:
    """[B, C, H, W] -> [B, 3C]: mean, mean scaled by the size of the board, maximum."""
    mean = x.mean((2, 3), dtype=torch.float32)
    return torch.cat([mean, mean * ((x.shape[2] - _MIDDLE_SIZE) / 10), x.amax((2, 3)).float()], 1)


class Katanet(HeadedNet):
    """A 5x5 stem, `blocks` blocks, and a last normalisation with ReLU."""

    def __init__(self, spec: KatanetSpec) -> None:
        channels = spec.filters
        blocks = (
            PooledBlock(channels, channels // 4) if pooled else PreactivatedBlock(channels)
            for pooled in map(_is_pooled, range(spec.blocks))
        )
        last = (nn.BatchNorm2d(channels), nn.ReLU())
        super().__init__(
            spec, nn.Sequential(he_conv(spec.planes, channels, 5), *blocks, *last), channels
        )


def _is_pooled(number: int) -> bool:
    """Three of every five blocks, spread evenly."""
    return (number + 1) * 3 // 5 > number * 3 // 5
