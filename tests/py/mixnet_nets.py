# SPDX-License-Identifier: MIT
"""Small Mixnets in torch with random weights, for tests; no spec names them."""

from __future__ import annotations

import torch
from torch import nn

from tengen.nets.mixnet import Mixnet
from tengen.nets.spec import MixnetSpec


class TinySpec(MixnetSpec):
    """A Mixnet that bakes in a moment."""

    __slots__ = ()

    @property
    def channels(self) -> int:
        return 32

    @property
    def mapping_channels(self) -> int:
        return 6

    @property
    def policy_channels(self) -> int:
        return 8

    @property
    def value_channels(self) -> int:
        return 16


def part(net: nn.Module, name: str) -> nn.Parameter:
    """A parameter by its name; to be written to under `torch.no_grad`."""
    return net.get_parameter(name)


def tiny_net(seed: int, spread: float = 1.0) -> Mixnet:
    """Weights as at the start of training, times `spread`, and biases that are not zero."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        net = Mixnet(TinySpec())
    return stirred(net, seed, spread)


@torch.no_grad()
def stirred(net: Mixnet, seed: int, spread: float = 1.0) -> Mixnet:
    generator = torch.Generator().manual_seed(seed)
    for name, weights in net.named_parameters():
        noise = torch.randn(weights.shape, generator=generator)
        if name.endswith("bias"):
            weights.add_(0.2 * spread * noise)
        else:
            inputs = weights[0].numel() if weights.dim() > 1 else len(weights)
            weights.copy_(noise * spread * 1.2 / inputs**0.5)
    net.clamp_()
    return net.eval()
