# SPDX-License-Identifier: MIT
"""GomokuNet (Gao and Wu): a UNet of pre-activated residual blocks with positional attention, whose
heads read all levels of the decoder. docs/nets.md says what the paper leaves open.
"""

from __future__ import annotations

import math
from typing import ClassVar, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from tengen.game.rule import MAX_SIZE
from tengen.nets.blocks import he_conv, preactivated
from tengen.nets.heads import HeadedNet
from tengen.nets.spec import GomokunetSpec

LEVELS = 3  # of down-sampling
_MULTIPLE = 1 << LEVELS


def padded(size: int) -> int:
    """The side of the image that a board becomes: the next multiple of 8."""
    return -(-size // _MULTIPLE) * _MULTIPLE


def resampled(x: Tensor, size: int) -> Tensor:
    """[…, H, W] -> […, size, size] by the nearest points. Sampling up and down again is the
    identity, unlike with `interpolate(mode="nearest")`, which shifts the points by one.
    """
    points = torch.arange(size, device=x.device)
    index = (2 * points + 1) * x.shape[-1] // (2 * size)
    return x.index_select(-2, index).index_select(-1, index)  # a faster gradient than indexing


class PositionalAttention(nn.Module):
    """[B, C, H, W] -> the same: each point times a factor that follows from its row and column.

    The linear layer over all means of rows and columns has weights for images of `side`; smaller
    ones use the first of them. It starts as the identity.
    """

    def __init__(self, channels: int, side: int) -> None:
        super().__init__()
        self.side = side
        noise = torch.randn(2 * side, 2 * side) * (0.1 / math.sqrt(2 * side))
        self.weight = nn.Parameter(torch.eye(2 * side) + noise)
        self.bias = nn.Parameter(torch.zeros(2 * side))
        self.conv = nn.Conv1d(channels, channels, 1)
        nn.init.normal_(self.conv.weight, std=math.sqrt(1 / channels))
        nn.init.zeros_(cast("Tensor", self.conv.bias))

    def forward(self, x: Tensor) -> Tensor:
        size, side = x.shape[2], self.side
        means = torch.cat([x.mean(3), x.mean(2)], 2)  # [B, C, H + W]
        weight = self.weight.view(2, side, 2, side)[:, :size, :, :size].reshape(2 * size, 2 * size)
        bias = self.bias.view(2, side)[:, :size].reshape(2 * size)
        rows, columns = self.conv(functional.linear(means, weight, bias)).chunk(2, 2)
        return x * torch.sigmoid(rows[:, :, :, None] * columns[:, :, None, :])


class Block(nn.Module):
    """[B, C, H, W] -> the same: two pre-activated convolutions, positional attention if `side` is
    given, and x added if `residual`; then the last convolution is initialised to 0.
    """

    def __init__(self, channels: int, residual: bool, side: int | None) -> None:
        super().__init__()
        self.residual = residual
        self.convs = nn.Sequential(
            *preactivated(channels, channels), *preactivated(channels, channels)
        )
        self.attention = PositionalAttention(channels, side) if side else nn.Identity()
        if residual:
            nn.init.zeros_(cast("Tensor", self.convs[-1].weight))

    def forward(self, x: Tensor) -> Tensor:
        y = cast("Tensor", self.attention(self.convs(x)))
        return x + y if self.residual else y


def _blocks(spec: GomokunetSpec, level: int) -> nn.Sequential:
    """The two blocks of an encoder or decoder."""
    channels = _channels(spec, level)
    side = padded(MAX_SIZE) >> level if spec.unet else MAX_SIZE
    attention = side if spec.pam else None
    return nn.Sequential(
        Block(channels, spec.residual, None), Block(channels, spec.residual, attention)
    )


def _channels(spec: GomokunetSpec, level: int) -> int:
    return spec.filters << level if spec.unet else spec.filters


class GomokunetBody(nn.Module):
    """Planes [B, planes, H, W] -> features [B, filters, padded(H), padded(W)]; without `unet` of
    the size of the board.
    """

    def __init__(self, spec: GomokunetSpec) -> None:
        super().__init__()
        self.unet = spec.unet
        width = [_channels(spec, level) for level in range(LEVELS + 1)]
        up = list(reversed(range(LEVELS)))  # levels of the decoders
        self.stem = he_conv(spec.planes, spec.filters)
        self.encoders = nn.ModuleList(_blocks(spec, level) for level in range(LEVELS))
        self.decoders = nn.ModuleList(_blocks(spec, level) for level in up)
        self.downs, self.merges, self.scales = nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
        if spec.unet:
            self.downs.extend(
                nn.Sequential(*preactivated(width[level], width[level + 1], stride=2))
                for level in range(LEVELS)
            )
            self.merges.extend(
                nn.Sequential(*preactivated(width[level + 1] + width[level], width[level]))
                for level in up
            )
        if spec.aggregation:
            self.scales.extend(_projection(width[level], spec.filters) for level in up[:-1])
        self.last = nn.Sequential(nn.BatchNorm2d(spec.filters), nn.ReLU())

    def forward(self, planes: Tensor) -> Tensor:
        if self.unet:
            planes = resampled(planes, padded(planes.shape[2]))
            planes = planes.contiguous(memory_format=torch.channels_last)
        x = self.stem(planes)
        skips = []
        for level, encoder in enumerate(self.encoders):
            x = encoder(x)
            skips.append(x)
            x = self.downs[level](x) if self.unet else x
        levels = []
        for number, decoder in enumerate(self.decoders):
            if self.unet:
                x = functional.interpolate(x, scale_factor=2.0, mode="nearest")
                x = self.merges[number](torch.cat([x, skips.pop()], 1))
            x = decoder(x)
            levels.append(x)
        for scale, level_features in zip(self.scales, levels, strict=False):
            x = x + _enlarged(scale(level_features), x)
        return cast("Tensor", self.last(x))


def _projection(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.BatchNorm2d(inputs), nn.ReLU(), he_conv(inputs, outputs, 1))


def _enlarged(x: Tensor, like: Tensor) -> Tensor:
    """x by the nearest points, with the height and width of `like`."""
    return functional.interpolate(x, size=like.shape[2:], mode="nearest")


class Gomokunet(HeadedNet):
    """The UNet; its policy is sampled back to the board."""

    DYNAMIC_SIZE: ClassVar[bool] = False  # the sides of its images are multiples of 8
    spec: GomokunetSpec

    def __init__(self, spec: GomokunetSpec) -> None:
        size = padded(spec.size) if spec.unet else spec.size
        super().__init__(spec, GomokunetBody(spec), spec.filters, size=size)

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        outputs = super().forward(planes)
        if self.spec.unet:
            outputs["policy"] = resampled(outputs["policy"], planes.shape[2])
        return outputs
