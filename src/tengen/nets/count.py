# SPDX-License-Identifier: MIT
"""How large a net is and how much work: parameters by part, multiply-adds of a forward pass.

Works on any net of the package, on shapes alone: nothing is computed. Relies on torch's counter of
operations; docs and reports rely on it.
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

__all__ = ["Operations", "Parameters", "count_operations", "count_parameters"]


@dataclass(frozen=True, slots=True)
class Parameters:
    """Numbers of parameters, by part."""

    mapping: int  # of the mapping nets, which net files contain
    feed_forward: int  # of everything else: what is computed at each evaluation
    codebook: int  # numbers in the two codebooks that the mapping nets are baked into

    @property
    def trained(self) -> int:
        """What an optimiser sees."""
        return self.mapping + self.feed_forward


@dataclass(frozen=True, slots=True)
class Operations:
    """Work of one evaluation of one board from scratch."""

    mapping: int  # multiply-adds of the mapping nets as nets; the codebook saves them all
    feed_forward: int  # multiply-adds of everything else
    normalised: int  # outputs of batch normalisations, which a finished net folds away

    @property
    def multiply_adds(self) -> int:
        """All multiply-adds."""
        return self.mapping + self.feed_forward

    @property
    def as_in_paper(self) -> int:
        """The paper's "FLOPs": multiply-adds, and four for each output of a normalisation."""
        return self.multiply_adds + 4 * self.normalised


def count_parameters(what: str | NetSpec) -> Parameters:
    """The parameters of a net of this name or spec."""
    net, spec = _shapes(what)
    total = sum(parameter.numel() for parameter in net.parameters())
    if not isinstance(spec, MixnetSpec):
        return Parameters(0, total, 0)
    mapping = cast("nn.Module", net.body.mapping)
    mapped = sum(parameter.numel() for parameter in mapping.parameters())
    return Parameters(mapped, total - mapped, 2 * PATTERNS * spec.channels)


def count_operations(what: str | NetSpec, size: int = 15) -> Operations:
    """The work of one evaluation on a board of this size."""
    net, _ = _shapes(what)
    normalised = 0

    def count(_module: nn.Module, _given: tuple[Tensor, ...], made: Tensor) -> None:
        nonlocal normalised
        normalised += made.numel()

    for module in net.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.register_forward_hook(count)
    counter = FlopCounterMode(display=False)
    with counter, torch.no_grad():
        net(torch.empty(1, 2, size, size, device="meta"))
    total = counter.get_total_flops() // 2
    parts = counter.get_flop_counts()
    mapping = sum(
        sum(counts.values()) // 2
        for name, counts in parts.items()
        if name.endswith((".mapping.hv", ".mapping.di"))
    )
    return Operations(mapping, total - mapping, normalised)


def _shapes(what: str | NetSpec) -> tuple[BoardNet, NetSpec]:
    """A net without numbers in it, for counting, and its spec."""
    spec = spec_of(what)
    with torch.device("meta"):
        return make_net(spec).eval(), spec
