# SPDX-License-Identifier: MIT
"""Residual nets: baselines and teachers of Mixnet (its paper's appendix A.1), AlphaNet and PolyNet
with other heads, and the residual nets of Cazenave (2022). docs/nets.md explains the details that
follow from the papers' counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, cast

from torch import Tensor, nn
from torch.nn import functional

from tengen.nets.blocks import he_conv
from tengen.nets.heads import HeadedNet
from tengen.nets.spec import ResnetSpec


class ResidualBlock(nn.Module):
    """[B, f, H, W] -> the same: ReLU(x + norm(conv(ReLU(norm(conv(x)))))).

    `norms`: how many there are, the last ones. The second convolution (its norm, if any) is
    initialised to 0, so the block starts as the identity and deep nets train from the start.
    """

    NORMS: ClassVar = {"conv1": "norm1", "conv2": "norm2"}  # folded by `fused`

    def __init__(self, filters: int, norms: int) -> None:
        super().__init__()
        self.conv1, self.conv2 = he_conv(filters, filters), he_conv(filters, filters)
        self.norm1 = nn.BatchNorm2d(filters) if norms == 2 else nn.Identity()
        self.norm2 = nn.BatchNorm2d(filters) if norms else nn.Identity()
        nn.init.zeros_(cast("Tensor", self.norm2.weight) if norms else self.conv2.weight)

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.norm1(self.conv1(x)))
        return functional.relu(x + self.norm2(self.conv2(y)))


class ResnetBody(nn.Module):
    """Planes [B, planes, H, W] -> features [B, f, H, W]."""

    def __init__(self, spec: ResnetSpec) -> None:
        super().__init__()
        self.stem = he_conv(spec.planes, spec.filters, int(spec.stem[0]))
        norms = spec.norms if spec.norm else 0
        self.blocks = nn.Sequential(
            *(ResidualBlock(spec.filters, norms) for _ in range(spec.blocks))
        )

    def forward(self, planes: Tensor) -> Tensor:
        return cast("Tensor", self.blocks(functional.relu(self.stem(planes))))


class Resnet(HeadedNet):
    """A residual net; `heads` replaces the heads of the spec."""

    def __init__(self, spec: ResnetSpec, heads: Mapping[str, nn.Module] | None = None) -> None:
        super().__init__(spec, ResnetBody(spec), spec.filters, heads)
