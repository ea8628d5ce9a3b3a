# SPDX-License-Identifier: MIT
"""MobileNets of Cazenave (2022) for Go: a thin trunk, and blocks that widen it, convolve each
channel by itself, and narrow it again, with or without squeeze-and-excitation.
"""

from __future__ import annotations

import math
from typing import cast

import torch
from torch import Tensor, nn

from tengen.nets.blocks import he_conv
from tengen.nets.heads import HeadedNet
from tengen.nets.spec import MobilenetSpec

_SE_RATIO = 16  # channels of the trunk per hidden unit


class SqueezeExcitation(nn.Module):
    """[B, C, H, W] -> the same: each channel times a factor that follows from all means."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        hidden = max(1, channels // _SE_RATIO)
        self.squeeze = nn.Linear(channels, hidden, bias=False)
        self.excite = nn.Linear(hidden, channels, bias=False)
        nn.init.normal_(self.squeeze.weight, std=math.sqrt(2 / channels))
        nn.init.normal_(self.excite.weight, std=math.sqrt(1 / hidden))

    def forward(self, x: Tensor) -> Tensor:
        means = x.mean((2, 3), dtype=torch.float32)
        factors = torch.sigmoid(self.excite(torch.relu(self.squeeze(means))))
        return x * factors[:, :, None, None]


class MobileBlock(nn.Module):
    """[B, C, H, W] -> the same: x plus an inverted residual. The last norm is initialised to 0, so
    the block starts as the identity.
    """

    def __init__(self, channels: int, inner: int, se: bool) -> None:
        super().__init__()
        last = nn.BatchNorm2d(channels)
        nn.init.zeros_(last.weight)
        self.layers = nn.Sequential(
            *(he_conv(channels, inner, 1, bias=False), nn.BatchNorm2d(inner), nn.ReLU()),
            he_conv(inner, inner, 3, groups=inner, bias=False),
            *(nn.BatchNorm2d(inner), nn.ReLU()),
            *(he_conv(inner, channels, 1, bias=False), last),
            *([SqueezeExcitation(channels)] if se else []),
        )

    def forward(self, x: Tensor) -> Tensor:
        return x + cast("Tensor", self.layers(x))


class Mobilenet(HeadedNet):
    """A point-wise stem and mobile blocks."""

    def __init__(self, spec: MobilenetSpec) -> None:
        channels, inner = spec.filters, spec.expansion * spec.filters
        body = nn.Sequential(
            *(he_conv(spec.planes, channels, 1), nn.BatchNorm2d(channels), nn.ReLU()),
            *(MobileBlock(channels, inner, spec.se) for _ in range(spec.blocks)),
        )
        super().__init__(spec, body, channels)
