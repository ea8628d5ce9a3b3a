# SPDX-License-Identifier: MIT
"""Nets in torch: specs, modules, parameters, operations. See docs/nets.md, docs/add-a-net.md.

Specs, names and scales need no torch; names that need it are imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tengen.nets.scales import MIXNET_SCALES, PATTERNS, MixnetScales
from tengen.nets.spec import (
    ALIASES,
    KINDS,
    NETS,
    BadSpec,
    ConvnetSpec,
    GomokunetSpec,
    HeadedSpec,
    KatanetSpec,
    MixnetSpec,
    MobilenetSpec,
    NetSpec,
    ResnetSpec,
    spec_from_dict,
    spec_of,
)
from tengen.util.deprecation import deprecated_modules

if TYPE_CHECKING:
    from tengen.nets.blocks import BoardNet, fused
    from tengen.nets.count import Operations, Parameters, count_operations, count_parameters
    from tengen.nets.heads import HeadedNet
    from tengen.nets.mixnet import Mixnet
    from tengen.nets.resnet import Resnet
    from tengen.nets.weights import make_net

__all__ = [
    "ALIASES",
    "KINDS",
    "MIXNET_SCALES",
    "NETS",
    "PATTERNS",
    "BadSpec",
    "BoardNet",
    "ConvnetSpec",
    "GomokunetSpec",
    "HeadedNet",
    "HeadedSpec",
    "KatanetSpec",
    "Mixnet",
    "MixnetScales",
    "MixnetSpec",
    "MobilenetSpec",
    "NetSpec",
    "Operations",
    "Parameters",
    "Resnet",
    "ResnetSpec",
    "count_operations",
    "count_parameters",
    "fused",
    "make_net",
    "spec_from_dict",
    "spec_of",
]

deprecated_modules({"tengen.nets.revive": "tengen.nets.reinit_dead_units"})
# Names that need torch, with the modules they are in.
_LATE = {
    "blocks": "BoardNet fused",
    "count": "Operations Parameters count_operations count_parameters",
    "heads": "HeadedNet",
    "mixnet": "Mixnet",
    "resnet": "Resnet",
    "weights": "make_net",
}


def __getattr__(name: str) -> Any:
    for module, names in _LATE.items():
        if name in names.split():
            return getattr(import_module(f"tengen.nets.{module}"), name)
    raise AttributeError(f"module 'tengen.nets' has no attribute {name!r}")
