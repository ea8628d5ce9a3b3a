# SPDX-License-Identifier: MIT
"""Residual nets of the paper's appendix A.1, baselines and teachers of Mixnet. docs/nets.md
explains the details that follow from the paper's counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from tengen.nets.blocks import BoardNet, PointPolicy, PooledValue
from tengen.nets.spec import ResnetSpec


def _conv(inputs: int, outputs: int) -> nn.Conv2d:
    conv = nn.Conv2d(inputs, outputs, 3, padding=1)
    nn.init.normal_(conv.weight, std=math.sqrt(2 / (9 * inputs)))
    nn.init.zeros_(cast("Tensor", conv.bias))
    return conv


class ResidualBlock(nn.Module):
    """[B, f, H, W] -> the same: ReLU(x + norm(conv(ReLU(norm(conv(x)))))).

    The second convolution (its norm, if any) is initialised to 0, so the block starts as the
    identity and deep nets train from the start.
    """

    def __init__(self, filters: int, norm: bool) -> None:
        super().__init__()
        self.conv1, self.conv2 = _conv(filters, filters), _conv(filters, filters)
        self.norm1 = nn.BatchNorm2d(filters) if norm else nn.Identity()
        self.norm2 = nn.BatchNorm2d(filters) if norm else nn.Identity()
        nn.init.zeros_(cast("Tensor", self.norm2.weight) if norm else self.conv2.weight)

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.norm1(self.conv1(x)))
        return functional.relu(x + self.norm2(self.conv2(y)))


class ResnetBody(nn.Module):
    """Planes [B, 2, H, W] -> features [B, f, H, W]."""

    def __init__(self, spec: ResnetSpec) -> None:
        super().__init__()
        self.stem = _conv(2, spec.filters)
        self.blocks = nn.Sequential(
            *(ResidualBlock(spec.filters, spec.norm) for _ in range(spec.blocks))
        )

    def forward(self, planes: Tensor) -> Tensor:
        x = planes.contiguous(memory_format=torch.channels_last)
        return cast("Tensor", self.blocks(functional.relu(self.stem(x))))


class Resnet(BoardNet):
    """Planes [B, 2, H, W] -> {"value": [B, 3], "policy": [B, H, W]}, logits; `heads`
    replaces the two heads.
    """

    def __init__(self, spec: ResnetSpec, heads: Mapping[str, nn.Module] | None = None) -> None:
        default = {"value": PooledValue(spec.filters), "policy": PointPolicy(spec.filters)}
        super().__init__(ResnetBody(spec), default if heads is None else heads)
        self.spec = spec
