# SPDX-License-Identifier: MIT
"""Building blocks of nets: rounding with a straight-through gradient, layers with integer bounds,
the star block, convolutions, the plain heads, and `BoardNet`, a body with a dict of heads; `fused`
folds normalisations for inference, `compiled` is torch.compile.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from typing import Any, ClassVar, TypeVar, cast

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.fusion import fuse_conv_bn_eval

from tengen.nets.scales import MIXNET_SCALES
from tengen.nets.spec import NetSpec

Net = TypeVar("Net", bound=nn.Module)
Forward = TypeVar("Forward", bound=Callable[..., Any])

_S = MIXNET_SCALES
_ACTIVATION = _S.activation_limit / _S.activation


def round_half_up(x: Tensor, scale: int) -> Tensor:
    """x on the grid of 1/scale, ties upward, as `(sum + half) >> bits` does. The gradient passes
    straight through.
    """
    return x + (torch.floor(x * scale + 0.5) / scale - x).detach()


def round_even(x: Tensor, scale: int) -> Tensor:
    """x on the grid of 1/scale, ties to even, as features, weights and biases become integers. The
    gradient passes straight through.
    """
    return x + (torch.round(x * scale) / scale - x).detach()


def crelu(x: Tensor, quantised: bool = False) -> Tensor:
    """x clamped to [0, 127/64]; on the grid of 1/64 if quantised."""
    if quantised:
        x = round_half_up(x, _S.activation)
    return x.clamp(0.0, _ACTIVATION)


def full_precision(like: Tensor) -> AbstractContextManager[Any]:
    """A context that disables autocast; a null context if it is disabled already, so that exported
    graphs do not contain it.
    """
    kind = like.device.type
    if kind != "meta" and torch.is_autocast_enabled(kind):
        return cast("AbstractContextManager[Any]", torch.autocast(kind, enabled=False))
    return nullcontext()


def widened(x: Tensor) -> Tensor:
    """x in float32 if it has a 16-bit type; otherwise x."""
    return x.float() if x.dtype in (torch.bfloat16, torch.float16) else x


class IntegerLayer(nn.Module):
    """A layer whose parameters become integers in a net file."""

    def integer_parameters(self) -> Iterator[tuple[Tensor, int, int]]:
        """(parameter, scale, largest integer)."""
        raise NotImplementedError

    @torch.no_grad()
    def clamp_(self) -> None:
        """Clamp the parameters to the range of their integers."""
        for parameter, scale, limit in self.integer_parameters():
            parameter.clamp_(-limit / scale, limit / scale)

    @torch.no_grad()
    def round_(self) -> None:
        """Round the parameters to the values of their integers."""
        for parameter, scale, _ in self.integer_parameters():
            parameter.copy_(round_even(parameter, scale))
        self.clamp_()


class ClampedLinear(IntegerLayer, nn.Linear):
    """[..., inputs] -> [..., outputs]: a linear layer with weights within ±127/64.

    `scale` is that of the sum and the bias as integers. `gain`: initial standard deviation of a
    weight, times sqrt(inputs).
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

    def integer_parameters(self) -> Iterator[tuple[Tensor, int, int]]:
        yield self.weight, _S.weight, _S.weight_limit
        yield self.bias, self.scale, _S.bias_limit


class StarBlock(nn.Module):
    """[..., inputs] -> [..., outputs]: two linear layers multiplied, pairs added, a third layer.

    The second factor starts around 1/2: the block starts as an ordinary two-layer net, and no
    gradient is a product of two small numbers.
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


def he_conv(
    inputs: int, outputs: int, size: int = 3, *, stride: int = 1, groups: int = 1, bias: bool = True
) -> nn.Conv2d:
    """A convolution with zero padding, initialised for a ReLU behind it (He et al., 2015)."""
    conv = nn.Conv2d(
        inputs, outputs, size, stride=stride, padding=size // 2, groups=groups, bias=bias
    )
    nn.init.normal_(conv.weight, std=math.sqrt(2 * groups / (size * size * inputs)))
    if conv.bias is not None:
        nn.init.zeros_(conv.bias)
    return conv


def preactivated(inputs: int, outputs: int, stride: int = 1) -> list[nn.Module]:
    """Layers of a pre-activated 3x3 convolution: normalisation, ReLU, convolution."""
    return [nn.BatchNorm2d(inputs), nn.ReLU(), he_conv(inputs, outputs, stride=stride)]


def fused(net: Net) -> Net:
    """A copy for inference, without gradients: normalisations directly after a convolution become
    part of it. Finds them in each `nn.Sequential`, and in modules with a table `NORMS` of the names
    of convolutions and their norms.
    """
    result = copy.deepcopy(net).eval()
    for module in list(result.modules()):
        names = [name for name, _ in module.named_children()]
        pairs = pairwise(names) if isinstance(module, nn.Sequential) else ()
        for first, second in (*pairs, *getattr(module, "NORMS", {}).items()):
            conv, norm = getattr(module, first), getattr(module, second)
            if isinstance(conv, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d):
                setattr(module, first, fuse_conv_bn_eval(conv, norm))
                setattr(module, second, nn.Identity())
    return result.requires_grad_(False)


def compiled(forward: Forward, **options: Any) -> Forward:
    """`torch.compile` for fixed shapes. All nets of a process may be compiled: by default the ninth
    graph of a function, such as the `forward` of all nets of a class, would run uncompiled.
    """
    from torch._dynamo import config as limits  # takes seconds

    limits.recompile_limit = limits.accumulated_recompile_limit = 10_000
    return cast("Forward", torch.compile(forward, dynamic=False, **options))


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

    def __init__(self, channels: int, bias: bool = True) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, 1, 1, bias=bias)
        nn.init.normal_(self.conv.weight, std=0.1 / math.sqrt(channels))
        if self.conv.bias is not None:
            nn.init.zeros_(self.conv.bias)

    def forward(self, x: Tensor) -> Tensor:
        return cast("Tensor", self.conv(x)).squeeze(1)


class BoardNet(nn.Module):
    """A body, which computes features from planes [B, 2, H, W] (own stones, then the opponent's),
    and heads, each of which computes one output from the features.
    """

    DYNAMIC_SIZE: ClassVar[bool] = True  # one graph can serve boards of all sizes
    spec: NetSpec

    def __init__(self, body: nn.Module, heads: Mapping[str, nn.Module]) -> None:
        super().__init__()
        self.body = body
        self.heads = nn.ModuleDict(dict(heads))

    @property
    def outputs(self) -> tuple[str, ...]:
        """The keys of the result of `forward`, in order; in training mode there may be more."""
        return tuple(self.heads)

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        features = self.body(planes)
        with full_precision(planes):
            features = widened(features)
            return {name: head(features) for name, head in self.heads.items()}

    def clamp_(self) -> None:
        """Clamp all parameters that have bounds; call it after each optimiser step."""
        for layer in self._integer_layers():
            layer.clamp_()

    def round_(self) -> None:
        """Round all parameters that a net file stores as integers or in fp16. The fake-quantised
        pass does not change; the float pass becomes as close to it as possible.
        """
        for layer in self._integer_layers():
            layer.round_()

    def _integer_layers(self) -> Iterator[IntegerLayer]:
        return (module for module in self.modules() if isinstance(module, IntegerLayer))
