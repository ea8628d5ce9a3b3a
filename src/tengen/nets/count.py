# SPDX-License-Identifier: MIT
"""Parameters of a net by part, and multiply-adds of a forward pass, for any net of the package.
Uses shapes only (the meta device).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from tengen.nets.blocks import BoardNet
from tengen.nets.scales import PATTERNS
from tengen.nets.spec import MixnetSpec, NetSpec, spec_of
from tengen.nets.weights import make_net


@dataclass(frozen=True, slots=True)
class Parameters:
    """Numbers of parameters, by part."""

    mapping: int  # of the mapping nets, which net files contain
    feed_forward: int  # of everything else, which is computed in each evaluation
    codebook: int  # entries of the two codebooks baked from the mapping nets
    statistics: int = 0  # running means and variances of normalisations, which are not trained

    @property
    def trained(self) -> int:
        """Parameters that are trained."""
        return self.mapping + self.feed_forward

    @property
    def keras(self) -> int:
        """As Keras counts: four numbers per normalised channel."""
        return self.trained + self.statistics


@dataclass(frozen=True, slots=True)
class Operations:
    """Operations of one evaluation of one board, without incremental update."""

    mapping: int  # multiply-adds of the mapping nets, which the codebook replaces
    feed_forward: int  # multiply-adds of everything else
    normalised: int  # outputs of batch normalisations, which inference folds into convolutions

    @property
    def multiply_adds(self) -> int:
        """All multiply-adds."""
        return self.mapping + self.feed_forward

    @property
    def as_in_paper(self) -> int:
        """The paper's "FLOPs": multiply-adds, and four for each output of a normalisation."""
        return self.multiply_adds + 4 * self.normalised


def count_parameters(net: str | NetSpec) -> Parameters:
    """The parameters of a net, given by name or spec."""
    module, spec = _meta_net(net)
    total = sum(parameter.numel() for parameter in module.parameters())
    if not isinstance(spec, MixnetSpec):
        norms = (layer for layer in module.modules() if isinstance(layer, nn.BatchNorm2d))
        return Parameters(0, total, 0, sum(2 * layer.num_features for layer in norms))
    mapping = cast("nn.Module", module.body.mapping)
    mapped = sum(parameter.numel() for parameter in mapping.parameters())
    return Parameters(mapped, total - mapped, 2 * PATTERNS * spec.channels)


def count_operations(net: str | NetSpec, size: int = 15) -> Operations:
    """The operations of one evaluation on a board of this size."""
    module, spec = _meta_net(net)
    normalised = 0

    def count(_module: nn.Module, _inputs: tuple[Tensor, ...], output: Tensor) -> None:
        nonlocal normalised
        normalised += output.numel()

    for layer in module.modules():
        if isinstance(layer, nn.BatchNorm2d):
            layer.register_forward_hook(count)
    counter = FlopCounterMode(display=False)
    with counter, torch.no_grad():
        module(torch.empty(1, spec.input_planes, size, size, device="meta"))
    total = counter.get_total_flops() // 2
    parts = counter.get_flop_counts()
    mapping = sum(
        sum(counts.values()) // 2
        for name, counts in parts.items()
        if name.endswith((".mapping.hv", ".mapping.di"))
    )
    return Operations(mapping, total - mapping, normalised)


def _meta_net(net: str | NetSpec) -> tuple[BoardNet, NetSpec]:
    """A net on the meta device, without values, and its spec."""
    spec = spec_of(net)
    with torch.device("meta"):
        return make_net(spec).eval(), spec
