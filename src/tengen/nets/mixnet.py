# SPDX-License-Identifier: MIT
"""Mixnet: patterns along lines, a depth-wise convolution, small heads. docs/nets.md draws it.

Two forward passes share all code: the float one, and the fake-quantised one (`quantised=True`),
whose every intermediate value lies on the grid of the integer engine and is rounded as there; its
gradients pass straight through. In float64 all sums are exact, and the fake-quantised pass equals
the integers. Relies on mapping, blocks, scales; training and export rely on it.
"""

from __future__ import annotations

import math
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from tengen.nets.blocks import (
    BoardNet,
    ClampedLinear,
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

__all__ = ["Mixnet", "MixnetBody", "MixnetFeatures", "MixnetPolicy", "MixnetValue"]

_S = MIXNET_SCALES
_MEAN_MOST = 1.75  # of means, whose bound is 127/64
_LOUDEST = 0.5  # what each channel should reach at some point of a batch


class MixnetFeatures(NamedTuple):
    """What the heads see."""

    processed: Tensor  # F' [B, C, H, W]
    mean: Tensor  # of F' over the board, [B, C], within [0, 127/64]
    chunks: Tensor  # means of F' over the 3x3 chunks, row by row, [B, 3, 3, C]
    bound_penalty: (
        Tensor | None
    )  # in training: how far channels are from where they are of use, [B]


class DepthwiseConv(nn.Conv2d):
    """[B, C, H, W] -> the same: 3x3, each channel by itself, zeros beyond the edge.

    Begins as half the feature itself and a little of its neighbours: the bounds of the weights
    (below 1) and of the means (below 2) leave room on both sides.
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
        # Each product is rounded by itself, so the nine of them are taken one by one.
        height, width = x.shape[2:]
        padded = functional.pad(x, (1, 1, 1, 1))
        total = bias[:, None, None].expand_as(x)
        for tap in range(9):
            dy, dx = divmod(tap, 3)
            shifted = padded[:, :, dy : dy + height, dx : dx + width]
            total = total + round_half_up(shifted * weight[:, 0, dy, dx, None, None], _S.feature)
        return total

    @torch.no_grad()
    def clamp_(self) -> None:
        """Puts weights and bias back into the bounds of the integers."""
        limit = _S.conv_weight_limit / _S.conv_weight
        self.weight.clamp_(-limit, limit)
        limit = _S.conv_bias_limit / _S.feature
        cast("Tensor", self.bias).clamp_(-limit, limit)

    @torch.no_grad()
    def round_(self) -> None:
        """Puts weights and bias on the grids of the integers."""
        self.weight.copy_(round_even(self.weight, _S.conv_weight))
        cast("Tensor", self.bias).copy_(round_even(cast("Tensor", self.bias), _S.feature))
        self.clamp_()


class MixnetBody(nn.Module):
    """Planes [B, 2, H, W] -> `MixnetFeatures`. The part that the engine updates move by move.

    Under autocast only the mapping nets use the shorter type; they are nearly all of the work.
    """

    def __init__(self, spec: MixnetSpec) -> None:
        super().__init__()
        self.conv_relu = spec.conv_relu
        self.mapping = MappingNet(spec.channels, spec.mapping_channels)
        self.conv = DepthwiseConv(spec.channels // 2)

    def forward(
        self, planes: Tensor, quantised: bool = False, seen: dict[str, Tensor] | None = None
    ) -> MixnetFeatures:
        """`seen`, if given, receives the intermediate tensors by name."""
        f = self.mapping(planes, quantised)
        with full_precision(planes):
            sums = f["row"] + f["column"] + f["diagonal"] + f["antidiagonal"]
            features = functional.relu(sums)
            half = features.shape[1] // 2
            front = self.conv(features[:, :half], quantised)
            silence = _silence(sums) + _silence(front) if self.training else None
            if self.conv_relu:
                front = functional.relu(front)
            processed = torch.cat([front, features[:, half:]], dim=1)
            result = self._pooled(processed, quantised, silence)
        if seen is not None:
            seen.update({f"f_{name}": f[name] for name in DIRECTIONS})
            seen.update({"F": features, "F'": processed})
            seen.update({"mean": result.mean, "chunks": result.chunks})
        return result

    def _pooled(
        self, processed: Tensor, quantised: bool, silence: Tensor | None = None
    ) -> MixnetFeatures:
        """With `silence` the bound_penalty is worked out, of which that is a part."""
        size = processed.shape[2]
        cuts = chunk_sizes(size)
        rows = torch.stack([part.sum(2) for part in torch.split(processed, list(cuts), dim=2)], 1)
        sums = torch.stack(
            [part.sum(3) for part in torch.split(rows, list(cuts), dim=3)], 2
        )  # [B, 3, 3, C]
        sums = sums.flatten(1, 2)
        totals = torch.cat([sums, sums.sum(1, keepdim=True)], 1)  # the chunks, then the board
        areas = [a * b for a in cuts for b in cuts] + [size * size]
        means = torch.stack(
            [self._mean(totals[:, i], area, quantised) for i, area in enumerate(areas)], 1
        )
        bound_penalty = None
        if silence is not None:
            plain = torch.stack([totals[:, i] / area for i, area in enumerate(areas)], 1)
            bound_penalty = silence + _excess(plain)
        chunks = means[:, :-1].reshape(-1, 3, 3, means.shape[2])
        return MixnetFeatures(processed, means[:, -1], chunks, bound_penalty)

    def _mean(self, total: Tensor, area: int, quantised: bool) -> Tensor:
        """The mean of a sum over `area` points, [B, C], clamped. Without the convolution's ReLU
        a mean may be negative.
        """
        most = _S.activation_limit / _S.activation
        least = 0.0 if self.conv_relu else -most
        mean = total / area
        if quantised:
            cap = _S.mean_cap(area)
            scaled = (total * _S.feature).clamp(-cap, cap) * _S.mean_factor(area)
            shift = 2**_S.mean_shift
            rounded = torch.floor((scaled + shift // 2) / shift) / _S.activation
            mean = mean + (rounded - mean).detach()
        return mean.clamp(least, most)


def _excess(means: Tensor) -> Tensor:
    """[B, 10, C] -> [B]: how far means lie above what they should be at most, squared, summed over
    the channels. That is a little below their bound: beyond it a mean says nothing any more, and no
    other gradient would bring it back.
    """
    return functional.relu(means - _MEAN_MOST).square().sum(2).mean(1)


def _silence(sums: Tensor) -> Tensor:
    """[B, C, H, W] before a ReLU -> a number: how far below `_LOUDEST` the loudest point of each
    channel is, squared and summed. A channel that is silent at all points has no other gradient.
    """
    return functional.relu(_LOUDEST - sums.amax((0, 2, 3))).square().sum()


class MixnetPolicy(nn.Module):
    """`MixnetFeatures` -> [B, H, W] logits: a point-wise convolution P -> 16 whose weights are
    made from the mean (or are fixed), ReLU, and a point-wise convolution 16 -> 1.

    The made weights begin as a fixed convolution (it is in the biases of `dyn`) and a part of about
    a third that depends on the position. They begin larger than usual, and those of the last layer
    smaller: weights of `dyn` would else be hardly greater than the 1/64 they are rounded to.
    """

    def __init__(self, spec: MixnetSpec) -> None:
        super().__init__()
        self.channels = spec.policy_channels
        self.dynamic = spec.dynamic
        fixed = torch.randn(DYNAMIC, self.channels) * 2 * math.sqrt(2 / self.channels)
        if spec.dynamic:
            self.lin1 = ClampedLinear(spec.channels, spec.channels)
            made = DYNAMIC * self.channels + DYNAMIC
            self.dyn = ClampedLinear(spec.channels, made, gain=2 / math.sqrt(self.channels))
            with torch.no_grad():
                self.dyn.bias[: fixed.numel()] = fixed.flatten()
        else:
            self.weight = nn.Parameter(fixed)
            self.bias = nn.Parameter(torch.zeros(DYNAMIC))
        self.out_weight = nn.Parameter(torch.randn(DYNAMIC) / (2 * math.sqrt(DYNAMIC)))
        self.out_bias = nn.Parameter(torch.zeros(1))
        self.clamp_()

    def forward(
        self,
        features: MixnetFeatures,
        quantised: bool = False,
        seen: dict[str, Tensor] | None = None,
    ) -> Tensor:
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
        logits = (torch.matmul(out[None], z) + out_bias).reshape(-1, height, width)
        if seen is not None:
            seen.update(
                {"dyn_weight": weight, "dyn_bias": bias, "z": z.reshape(-1, DYNAMIC, height, width)}
            )
        return logits

    def _weights(self, mean: Tensor, quantised: bool) -> tuple[Tensor, Tensor]:
        """Weight [B or 1, 16, P] and bias [B or 1, 16] of the convolution."""
        if self.dynamic:
            h = crelu(self.lin1(mean, quantised), quantised)
            made = self.dyn(h, quantised)
            weight = made[:, :-DYNAMIC].reshape(-1, DYNAMIC, self.channels)
            bias = made[:, -DYNAMIC:]
            if quantised:  # the bias stays at the scale of the sum, which is finer
                weight = round_half_up(weight, _S.dynamic_weight)
        else:
            weight, bias = self.weight[None], self.bias[None]
            if quantised:
                weight = round_even(weight, _S.dynamic_weight)
                bias = round_even(bias, _S.dynamic)
        limit = _S.dynamic_weight_limit / _S.dynamic_weight
        bias_limit = _S.dynamic_bias_limit / _S.dynamic
        return weight.clamp(-limit, limit), bias.clamp(-bias_limit, bias_limit)

    @torch.no_grad()
    def clamp_(self) -> None:
        """Puts the weights of the last layer, and fixed ones, back into their bounds."""
        limit = _S.policy_weight_limit / _S.policy_weight
        self.out_weight.clamp_(-limit, limit)
        limit = _S.policy_bias_limit / _S.policy
        self.out_bias.clamp_(-limit, limit)
        if not self.dynamic:
            limit = _S.dynamic_weight_limit / _S.dynamic_weight
            self.weight.clamp_(-limit, limit)
            limit = _S.dynamic_bias_limit / _S.dynamic
            self.bias.clamp_(-limit, limit)

    @torch.no_grad()
    def round_(self) -> None:
        """Puts the weights of the last layer, and fixed ones, on the grids of the integers."""
        self.out_weight.copy_(round_even(self.out_weight, _S.policy_weight))
        self.out_bias.copy_(round_even(self.out_bias, _S.policy))
        if not self.dynamic:
            self.weight.copy_(round_even(self.weight, _S.dynamic_weight))
            self.bias.copy_(round_even(self.bias, _S.dynamic))


class MixnetValue(nn.Module):
    """`MixnetFeatures` -> [B, 3] logits of win, loss and draw for the side to move."""

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

    def forward(
        self,
        features: MixnetFeatures,
        quantised: bool = False,
        seen: dict[str, Tensor] | None = None,
    ) -> Tensor:
        x = features.mean
        if self.groups:
            groups = self._groups(features.chunks, quantised)
            fours = groups[:, :2] + groups[:, 1:]
            fours = (fours[:, :, :2] + fours[:, :, 1:]) / 4
            if quantised:
                fours = round_half_up(fours, _S.activation)
            quads = self.quad(fours, quantised)
            x = torch.cat([x, quads.flatten(1)], 1)
            if seen is not None:
                seen.update({"G": groups, "G'": fours, "quads": quads})
        x = crelu(self.mlp1(x, quantised), quantised)
        x = crelu(self.mlp2(x, quantised), quantised)
        return cast("Tensor", self.mlp3(x, quantised))

    def _groups(self, chunks: Tensor, quantised: bool) -> Tensor:
        """[B, 3, 3, C] -> [B, 3, 3, V], each kind of chunk by its own block, in one call each."""
        corner = self.corner(chunks[:, ::2, ::2], quantised)
        across = self.edge(
            torch.stack([chunks[:, ::2, 1], chunks[:, 1, ::2]], 1), quantised
        )  # [B, 2, 2, V]: (above, below), (left, right)
        centre = self.centre(chunks[:, 1, 1], quantised)
        rows = [
            torch.stack([corner[:, 0, 0], across[:, 0, 0], corner[:, 0, 1]], 1),
            torch.stack([across[:, 1, 0], centre, across[:, 1, 1]], 1),
            torch.stack([corner[:, 1, 0], across[:, 0, 1], corner[:, 1, 1]], 1),
        ]
        return torch.stack(rows, 1)


class Mixnet(BoardNet):
    """Planes [B, 2, H, W] -> {"value": [B, 3], "policy": [B, H, W]}, logits, H = W of 5 to 22. In
    training there is "bound_penalty" [B] besides.
    """

    def __init__(self, spec: MixnetSpec) -> None:
        super().__init__(
            MixnetBody(spec), {"value": MixnetValue(spec), "policy": MixnetPolicy(spec)}
        )
        self.spec = spec

    def forward(self, planes: Tensor, quantised: bool = False) -> dict[str, Tensor]:
        return self._run(planes, quantised, None)

    def trace(self, planes: Tensor, quantised: bool = False) -> dict[str, Tensor]:
        """The outputs and every intermediate tensor by the names of docs/nets.md: `f_row` and the
        other directions, F, F', mean, chunks, dyn_weight, dyn_bias, z, G, G', quads.
        """
        seen: dict[str, Tensor] = {}
        seen.update(self._run(planes, quantised, seen))
        return seen

    def _run(
        self, planes: Tensor, quantised: bool, seen: dict[str, Tensor] | None
    ) -> dict[str, Tensor]:
        features = self.body(planes, quantised, seen)
        with full_precision(planes):
            found = {name: head(features, quantised, seen) for name, head in self.heads.items()}
        return (
            found
            if features.bound_penalty is None
            else found | {"bound_penalty": features.bound_penalty}
        )
