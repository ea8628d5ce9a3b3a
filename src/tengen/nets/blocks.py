# SPDX-License-Identifier: MIT
"""The small parts that nets are composed of: rounding with a straight-through gradient, clamped
linear layers, the star block, the plain heads, and `BoardNet`, a body with a dict of heads.

Relies on torch and the scales; mixnet and resnet rely on it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from tengen.nets.scales import MIXNET_SCALES

__all__ = [
    "BoardNet",
    "ClampedLinear",
    "PlainBlock",
    "PointPolicy",
    "PooledValue",
    "StarBlock",
    "crelu",
    "full_precision",
    "round_even",
    "round_half_up",
    "widened",
]

_S = MIXNET_SCALES
_ACTIVATION = _S.activation_limit / _S.activation


def round_half_up(x: Tensor, scale: int) -> Tensor:
    """x on the grid of 1/scale, ties upward: what `(sum + half) >> bits` does. The gradient
    passes as if nothing had been rounded.
    """
    return x + (torch.floor(x * scale + 0.5) / scale - x).detach()


def round_even(x: Tensor, scale: int) -> Tensor:
    """x on the grid of 1/scale, ties to even: how features, weights and biases become integers.
    The gradient passes as if nothing had been rounded.
    """
    return x + (torch.round(x * scale) / scale - x).detach()


def crelu(x: Tensor, quantised: bool = False) -> Tensor:
    """x clamped to [0, 127/64]; on the grid of 1/64 if quantised."""
    if quantised:
        x = round_half_up(x, _S.activation)
    return x.clamp(0.0, _ACTIVATION)


def full_precision(like: Tensor) -> AbstractContextManager[Any]:
    """A context in which autocast is off, or an empty one if it is off anyway (so that exported
    graphs do not hold it).
    """
    kind = like.device.type
    if kind != "meta" and torch.is_autocast_enabled(kind):
        return cast("AbstractContextManager[Any]", torch.autocast(kind, enabled=False))
    return nullcontext()


def widened(x: Tensor) -> Tensor:
    """x in float32 if it has a shorter type, else as it is."""
    return x.float() if x.dtype in (torch.bfloat16, torch.float16) else x


class ClampedLinear(nn.Linear):
    """A linear layer whose weights stay within ±127/64 and whose bias has a scale of its own.

    [..., inputs] -> [..., outputs], the plain sum: activations follow it. `scale` is that of the
    sum as an integer. `gain` is the standard deviation of a weight times sqrt(inputs) at the start.
    """

    def __init__(
        self, inputs: int, outputs: int, scale: int = _S.linear, gain: float = math.sqrt(2)
    ) -> None:
        super().__init__(inputs, outputs)
        self.scale = scale
        nn.init.normal_(self.weight, std=gain / math.sqrt(inputs))
        nn.init.zeros_(self.bias)
        self.clamp_()

    def forward(self, x: Tensor, quantised: bool = False) -> Tensor:
        if not quantised:
            return super().forward(x)
        weight = round_even(self.weight, _S.weight)
        return functional.linear(x, weight, round_even(self.bias, self.scale))

    @torch.no_grad()
    def clamp_(self) -> None:
        """Puts weights and bias back into the bounds of the integers."""
        limit = _S.weight_limit / _S.weight
        self.weight.clamp_(-limit, limit)
        limit = _S.bias_limit / self.scale
        self.bias.clamp_(-limit, limit)

    @torch.no_grad()
    def round_(self) -> None:
        """Puts weights and bias on the grids of the integers."""
        self.weight.copy_(round_even(self.weight, _S.weight))
        self.bias.copy_(round_even(self.bias, self.scale))


class StarBlock(nn.Module):
    """[..., inputs] -> [..., outputs]: two linear layers multiplied, pairs added, a third layer.

    The second factor begins around 1/2, so that the block begins as an ordinary two-layer net and
    no gradient is the product of two small numbers.
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.lin1 = ClampedLinear(inputs, 2 * inputs)
        self.lin2 = ClampedLinear(inputs, 2 * inputs)
        self.lin3 = ClampedLinear(inputs, outputs, scale=_S.star)
        nn.init.constant_(self.lin2.bias, 0.5)

    def forward(self, x: Tensor, quantised: bool = False) -> Tensor:
        a = crelu(self.lin1(x, quantised), quantised)
        b = self.lin2(x, quantised)
        if quantised:
            b = round_half_up(b, _S.activation)
        product = a * b.clamp(-_ACTIVATION, _ACTIVATION)
        pairs = product[..., 0::2] + product[..., 1::2]
        return crelu(self.lin3(pairs, quantised), quantised)


class PlainBlock(nn.Module):
    """[..., inputs] -> [..., outputs]: one linear layer and crelu, where star blocks are off."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.lin = ClampedLinear(inputs, outputs)

    def forward(self, x: Tensor, quantised: bool = False) -> Tensor:
        return crelu(self.lin(x, quantised), quantised)


class PooledValue(nn.Module):
    """[B, C, H, W] -> [B, outputs] logits: the mean over the board and a linear layer. Three
    outputs are win, loss, draw of the side to move; one is for a scalar value.
    """

    def __init__(self, channels: int, outputs: int = 3) -> None:
        super().__init__()
        self.lin = nn.Linear(channels, outputs)
        nn.init.normal_(self.lin.weight, std=0.1 / math.sqrt(channels))
        nn.init.zeros_(self.lin.bias)

    def forward(self, x: Tensor) -> Tensor:
        return cast("Tensor", self.lin(x.mean((2, 3))))


class PointPolicy(nn.Module):
    """[B, C, H, W] -> [B, H, W] logits of moves: a point-wise convolution."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, 1, 1)
        nn.init.normal_(self.conv.weight, std=0.1 / math.sqrt(channels))
        nn.init.zeros_(cast("Tensor", self.conv.bias))

    def forward(self, x: Tensor) -> Tensor:
        return cast("Tensor", self.conv(x)).squeeze(1)


class BoardNet(nn.Module):
    """A body and its heads. The body makes features of planes [B, 2, H, W] (own stones, then the
    opponent's); each head makes one output of the features. The keys of the result are those of
    the heads. A net is varied by giving it other heads, not by inheriting.
    """

    def __init__(self, body: nn.Module, heads: Mapping[str, nn.Module]) -> None:
        super().__init__()
        self.body = body
        self.heads = nn.ModuleDict(dict(heads))

    @property
    def outputs(self) -> tuple[str, ...]:
        """The keys of what `forward` returns, in their order; in training there may be more."""
        return tuple(self.heads)

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        features = self.body(planes)
        with full_precision(planes):
            features = widened(features)
            return {name: head(features) for name, head in self.heads.items()}

    def clamp_(self) -> None:
        """Puts every weight that has bounds back into them; call it after each optimiser step."""
        self._ask("clamp_")

    def round_(self) -> None:
        """Puts every weight that a net file rounds where the file has it: the fake-quantised pass
        stays what it was, and the float one comes as near to it as it can.
        """
        self._ask("round_")

    def _ask(self, name: str) -> None:
        """Calls a method of all parts that have it."""
        for module in self.modules():
            if module is not self and (method := getattr(module, name, None)) is not None:
                method()
