# SPDX-License-Identifier: MIT
"""Mixnet: line features, a depth-wise convolution, and small heads. docs/nets.md has a diagram.

The float pass and the fake-quantised pass (`quantised=True`) share all code. In the latter every
intermediate value is on the grid of the integer engine and rounded as there; gradients pass
straight through. In float64 all sums are exact, so the fake-quantised pass equals the integer one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar, NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from tengen.nets.blocks import (
    BoardNet,
    ClampedLinear,
    IntegerLayer,
    PlainBlock,
    StarBlock,
    crelu,
    full_precision,
    round_even,
    round_half_up,
)
from tengen.nets.mapping import DIRECTIONS, MappingNet
from tengen.nets.scales import DYNAMIC, MIXNET_SCALES, chunk_sizes
from tengen.nets.spec import MixnetSpec

_S = MIXNET_SCALES
_ACTIVATION = _S.activation_limit / _S.activation
_MAX_MEAN = 1.75  # means above it are penalised; they are clamped to 127/64
_MIN_PEAK = 0.5  # channels whose maximum over a batch is below it are penalised


class MixnetFeatures(NamedTuple):
    """Output of the body, input of the heads."""

    processed: Tensor  # F' [B, C, H, W]
    mean: Tensor  # of F' over the board, [B, C], within [0, 127/64]
    chunks: Tensor  # means of F' over the 3x3 chunks of the board, [B, 3, 3, C]
    bound_penalty: Tensor | None  # [B], in training only


class _TracedModule(nn.Module):
    """Stores intermediate tensors for `Mixnet.trace`."""

    trace: dict[str, Tensor] | None = None

    def record(self, tensors: dict[str, Tensor]) -> None:
        if self.trace is not None:
            self.trace.update(tensors)


class DepthwiseConv(IntegerLayer, nn.Conv2d):
    """[B, C, H, W] -> the same: 3x3, depth-wise, zero padding.

    Initialised to half the identity plus a little noise, which leaves room up to the bounds of the
    weights (below 1) and of the means (below 2).
    """

    def __init__(self, channels: int) -> None:
        super().__init__(channels, channels, 3, padding=1, groups=channels)
        nn.init.normal_(self.weight, std=0.05)
        with torch.no_grad():
            self.weight[:, :, 1, 1] += 0.5
        nn.init.zeros_(cast("Tensor", self.bias))

    def forward(self, x: Tensor, quantised: bool = False) -> Tensor:
        if not quantised:
            return super().forward(x)
        limit = _S.conv_weight_limit / _S.conv_weight
        weight = round_even(self.weight, _S.conv_weight).clamp(-limit, limit)
        bias = round_even(cast("Tensor", self.bias), _S.feature)
        # The engine rounds each of the nine products before it adds them.
        height, width = x.shape[2:]
        padded = functional.pad(x, (1, 1, 1, 1))
        total = bias[:, None, None].expand_as(x)
        for tap in range(9):
            dy, dx = divmod(tap, 3)
            shifted = padded[:, :, dy : dy + height, dx : dx + width]
            total = total + round_half_up(shifted * weight[:, 0, dy, dx, None, None], _S.feature)
        return total

    def integer_parameters(self) -> Iterator[tuple[Tensor, int, int]]:
        yield self.weight, _S.conv_weight, _S.conv_weight_limit
        yield cast("Tensor", self.bias), _S.feature, _S.conv_bias_limit


class MixnetBody(_TracedModule):
    """Planes [B, 2, H, W] -> `MixnetFeatures`. The engine updates this part incrementally.

    Under autocast only the mapping nets, which are nearly all of the work, use bfloat16.
    """

    def __init__(self, spec: MixnetSpec) -> None:
        super().__init__()
        self.conv_relu = spec.conv_relu
        self.mapping = MappingNet(spec.channels, spec.mapping_channels)
        self.conv = DepthwiseConv(spec.channels // 2)

    def forward(self, planes: Tensor, quantised: bool = False) -> MixnetFeatures:
        lines = self.mapping(planes, quantised)
        with full_precision(planes):
            sums = lines["row"] + lines["column"] + lines["diagonal"] + lines["antidiagonal"]
            features = functional.relu(sums)
            half = features.shape[1] // 2
            front = self.conv(features[:, :half], quantised)
            penalty = _dead_penalty(sums) + _dead_penalty(front) if self.training else None
            if self.conv_relu:
                front = functional.relu(front)
            processed = torch.cat([front, features[:, half:]], dim=1)
            result = self._pool(processed, quantised, penalty)
        self.record({f"f_{name}": lines[name] for name in DIRECTIONS})
        self.record({"F": features, "F'": processed, "mean": result.mean, "chunks": result.chunks})
        return result

    def _pool(
        self, processed: Tensor, quantised: bool, penalty: Tensor | None = None
    ) -> MixnetFeatures:
        """Adds the means over the chunks and the board; to `penalty`, if any, that of the means."""
        size = processed.shape[2]
        cuts = list(chunk_sizes(size))
        rows = torch.stack([part.sum(2) for part in torch.split(processed, cuts, dim=2)], 1)
        sums = torch.stack([part.sum(3) for part in torch.split(rows, cuts, dim=3)], 2)
        sums = sums.flatten(1, 2)  # [B, 9, C]
        totals = torch.cat([sums, sums.sum(1, keepdim=True)], 1)  # the chunks, then the board
        areas = [a * b for a in cuts for b in cuts] + [size * size]
        means = torch.stack(
            [self._mean(totals[:, i], area, quantised) for i, area in enumerate(areas)], 1
        )
        if penalty is not None:
            unclamped = torch.stack([totals[:, i] / area for i, area in enumerate(areas)], 1)
            penalty = penalty + _saturation_penalty(unclamped)
        chunks = means[:, :-1].reshape(-1, 3, 3, means.shape[2])
        return MixnetFeatures(processed, means[:, -1], chunks, penalty)

    def _mean(self, total: Tensor, area: int, quantised: bool) -> Tensor:
        """The clamped mean of a sum over `area` points, [B, C]. Without the convolution's ReLU it
        may be negative.
        """
        mean = total / area
        if quantised:
            cap = _S.mean_cap(area)
            scaled = (total * _S.feature).clamp(-cap, cap) * _S.mean_factor(area)
            shift = 2**_S.mean_shift
            rounded = torch.floor((scaled + shift // 2) / shift) / _S.activation
            mean = mean + (rounded - mean).detach()
        return mean.clamp(0.0 if self.conv_relu else -_ACTIVATION, _ACTIVATION)


def _saturation_penalty(means: Tensor) -> Tensor:
    """[B, 10, C] -> [B]: squared excess of the means over `_MAX_MEAN`, summed over the channels. A
    mean at its clamp has no other gradient.
    """
    return functional.relu(means - _MAX_MEAN).square().sum(2).mean(1)


def _dead_penalty(sums: Tensor) -> Tensor:
    """[B, C, H, W] before a ReLU -> []: squared distance of each channel's maximum from
    `_MIN_PEAK`, summed. A channel that is 0 at all points has no other gradient.
    """
    return functional.relu(_MIN_PEAK - sums.amax((0, 2, 3))).square().sum()


class MixnetPolicy(IntegerLayer, _TracedModule):
    """`MixnetFeatures` -> logits [B, H, W]: a point-wise convolution P -> 16 with dynamic weights,
    computed from the mean (or with fixed ones), ReLU, and a point-wise convolution 16 -> 1.

    The dynamic weights start as a fixed convolution, the biases of `dyn`, plus a part of about a
    third that depends on the position. They start larger than usual and those of the last layer
    smaller: otherwise the weights of `dyn` would be close to the 1/64 to which they are rounded.
    """

    def __init__(self, spec: MixnetSpec) -> None:
        super().__init__()
        self.channels = spec.policy_channels
        self.dynamic = spec.dynamic
        fixed = torch.randn(DYNAMIC, self.channels) * 2 * math.sqrt(2 / self.channels)
        if spec.dynamic:
            self.lin1 = ClampedLinear(spec.channels, spec.channels)
            outputs = DYNAMIC * self.channels + DYNAMIC
            self.dyn = ClampedLinear(spec.channels, outputs, gain=2 / math.sqrt(self.channels))
            with torch.no_grad():
                self.dyn.bias[: fixed.numel()] = fixed.flatten()
        else:
            self.weight = nn.Parameter(fixed)
            self.bias = nn.Parameter(torch.zeros(DYNAMIC))
        self.out_weight = nn.Parameter(torch.randn(DYNAMIC) / (2 * math.sqrt(DYNAMIC)))
        self.out_bias = nn.Parameter(torch.zeros(1))
        self.clamp_()

    def forward(self, features: MixnetFeatures, quantised: bool = False) -> Tensor:
        weight, bias = self._weights(features.mean, quantised)
        limit = _S.policy_input_limit / _S.feature
        x = features.processed[:, : self.channels].clamp(-limit, limit)
        height, width = x.shape[2:]
        z = torch.matmul(weight, x.flatten(2)) + bias[..., None]  # [B, 16, H*W]
        if quantised:
            z = round_half_up(z, _S.policy_feature)
        z = z.clamp(0.0, _S.policy_feature_limit / _S.policy_feature)
        out: Tensor = self.out_weight
        out_bias: Tensor = self.out_bias
        if quantised:
            out, out_bias = round_even(out, _S.policy_weight), round_even(out_bias, _S.policy)
        points = z.reshape(-1, DYNAMIC, height, width)
        self.record({"dyn_weight": weight, "dyn_bias": bias, "z": points})
        return (torch.matmul(out[None], z) + out_bias).reshape(-1, height, width)

    def _weights(self, mean: Tensor, quantised: bool) -> tuple[Tensor, Tensor]:
        """Weight [B or 1, 16, P] and bias [B or 1, 16] of the convolution."""
        if self.dynamic:
            hidden = crelu(self.lin1(mean, quantised), quantised)
            outputs = self.dyn(hidden, quantised)
            weight = outputs[:, :-DYNAMIC].reshape(-1, DYNAMIC, self.channels)
            bias = outputs[:, -DYNAMIC:]
            if quantised:  # the bias keeps the finer scale of the sum
                weight = round_half_up(weight, _S.dynamic_weight)
        else:
            weight, bias = self.weight[None], self.bias[None]
            if quantised:
                weight = round_even(weight, _S.dynamic_weight)
                bias = round_even(bias, _S.dynamic)
        limit = _S.dynamic_weight_limit / _S.dynamic_weight
        bias_limit = _S.dynamic_bias_limit / _S.dynamic
        return weight.clamp(-limit, limit), bias.clamp(-bias_limit, bias_limit)

    def integer_parameters(self) -> Iterator[tuple[Tensor, int, int]]:
        yield self.out_weight, _S.policy_weight, _S.policy_weight_limit
        yield self.out_bias, _S.policy, _S.policy_bias_limit
        if not self.dynamic:
            yield self.weight, _S.dynamic_weight, _S.dynamic_weight_limit
            yield self.bias, _S.dynamic, _S.dynamic_bias_limit


class MixnetValue(_TracedModule):
    """`MixnetFeatures` -> logits [B, 3] of win, loss and draw for the side to move."""

    def __init__(self, spec: MixnetSpec) -> None:
        super().__init__()
        c, v = spec.channels, spec.value_channels
        self.groups = spec.groups
        if spec.groups:
            block = StarBlock if spec.star else PlainBlock
            self.corner, self.edge, self.centre = (block(c, v) for _ in range(3))
            self.quad = block(v, v)
        self.mlp1 = ClampedLinear(c + 4 * v if spec.groups else c, v)
        self.mlp2 = ClampedLinear(v, v)
        self.mlp3 = ClampedLinear(v, 3, gain=0.1)

    def forward(self, features: MixnetFeatures, quantised: bool = False) -> Tensor:
        x = features.mean
        if self.groups:
            groups = self._groups(features.chunks, quantised)
            pooled = groups[:, :2] + groups[:, 1:]  # means of 2x2 groups
            pooled = (pooled[:, :, :2] + pooled[:, :, 1:]) / 4
            if quantised:
                pooled = round_half_up(pooled, _S.activation)
            quads = self.quad(pooled, quantised)
            x = torch.cat([x, quads.flatten(1)], 1)
            self.record({"G": groups, "G'": pooled, "quads": quads})
        x = crelu(self.mlp1(x, quantised), quantised)
        x = crelu(self.mlp2(x, quantised), quantised)
        return cast("Tensor", self.mlp3(x, quantised))

    def _groups(self, chunks: Tensor, quantised: bool) -> Tensor:
        """[B, 3, 3, C] -> [B, 3, 3, V]: corners, edges and the centre each have their block, which
        is called once.
        """
        corner = self.corner(chunks[:, ::2, ::2], quantised)
        edges = torch.stack([chunks[:, ::2, 1], chunks[:, 1, ::2]], 1)
        edge = self.edge(edges, quantised)  # [B, 2, 2, V]: (top, bottom), (left, right)
        centre = self.centre(chunks[:, 1, 1], quantised)
        rows = [
            torch.stack([corner[:, 0, 0], edge[:, 0, 0], corner[:, 0, 1]], 1),
            torch.stack([edge[:, 1, 0], centre, edge[:, 1, 1]], 1),
            torch.stack([corner[:, 1, 0], edge[:, 0, 1], corner[:, 1, 1]], 1),
        ]
        return torch.stack(rows, 1)


class Mixnet(BoardNet):
    """Planes [B, 2, H, W] -> logits {"value": [B, 3], "policy": [B, H, W]}, H = W from 5 to 22. In
    training mode also "bound_penalty" [B].
    """

    DYNAMIC_SIZE: ClassVar[bool] = False  # it divides the board into chunks
    spec: MixnetSpec
    body: MixnetBody

    def __init__(self, spec: MixnetSpec) -> None:
        super().__init__(
            MixnetBody(spec), {"value": MixnetValue(spec), "policy": MixnetPolicy(spec)}
        )
        self.spec = spec

    def forward(self, planes: Tensor, quantised: bool = False) -> dict[str, Tensor]:
        features = self.body(planes, quantised)
        with full_precision(planes):
            outputs = {name: head(features, quantised) for name, head in self.heads.items()}
        if features.bound_penalty is not None:
            outputs["bound_penalty"] = features.bound_penalty
        return outputs

    def trace(self, planes: Tensor, quantised: bool = False) -> dict[str, Tensor]:
        """The outputs and every intermediate tensor by the names of docs/nets.md: `f_row` and the
        other directions, F, F', mean, chunks, dyn_weight, dyn_bias, z, G, G', quads.
        """
        traced = [module for module in self.modules() if isinstance(module, _TracedModule)]
        tensors: dict[str, Tensor] = {}
        for module in traced:
            module.trace = tensors
        try:
            tensors.update(self(planes, quantised))
            return tensors
        finally:
            for module in traced:
                module.trace = None
