# SPDX-License-Identifier: MIT
"""Nets in torch: Mixnet, residual nets, their parts and their sizes. See docs/nets.md.

Specs, names and scales are plain Python; whatever needs torch is looked up late, so that a program
which only names nets starts fast. Relies on the game's errors; training and export rely on it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tengen.nets.scales import MIXNET_SCALES, PATTERNS, MixnetScales
from tengen.nets.spec import BadSpec, MixnetSpec, NetSpec, ResnetSpec, spec_from_dict
from tengen.nets.table import NETS, make_net, spec_of

if TYPE_CHECKING:
    from tengen.nets.blocks import BoardNet
    from tengen.nets.count import Operations, Parameters, count_operations, count_parameters
    from tengen.nets.mixnet import Mixnet
    from tengen.nets.resnet import Resnet

__all__ = [
    "MIXNET_SCALES",
    "NETS",
    "PATTERNS",
    "BadSpec",
    "BoardNet",
    "Mixnet",
    "MixnetScales",
    "MixnetSpec",
    "NetSpec",
    "Operations",
    "Parameters",
    "Resnet",
    "ResnetSpec",
    "count_operations",
    "count_parameters",
    "make_net",
    "spec_from_dict",
    "spec_of",
]

# Names that need torch, with the modules they are in.
_LATE = {
    "blocks": "BoardNet",
    "count": "Operations Parameters count_operations count_parameters",
    "mixnet": "Mixnet",
    "resnet": "Resnet",
}


def __getattr__(name: str) -> Any:
    for module, names in _LATE.items():
        if name in names.split():
            found = getattr(import_module(f"tengen.nets.{module}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'tengen.nets' has no attribute {name!r}")
