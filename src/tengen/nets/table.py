# SPDX-License-Identifier: MIT
"""The table of nets: `NETS` by name, and `make_net`.

The names alone (`NETS`, `spec_of`) need no torch; `make_net` imports it. Relies on the specs;
training, export and the command line rely on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tengen.nets.spec import BadSpec, MixnetSpec, NetSpec, ResnetSpec, spec_from_dict

if TYPE_CHECKING:
    from tengen.nets.blocks import BoardNet

__all__ = ["NETS", "make_net", "spec_of"]

_RESNETS = ((4, 64), (6, 96), (6, 128), (10, 128), (15, 192), (20, 256))
_SPECS: list[NetSpec] = [
    *(MixnetSpec("s"), MixnetSpec("m"), MixnetSpec("l")),
    *(ResnetSpec(blocks, filters) for blocks, filters in _RESNETS),
]
NETS: dict[str, NetSpec] = {spec.name: spec for spec in _SPECS}


def spec_of(what: str | Mapping[str, Any] | NetSpec) -> NetSpec:
    """The spec of a name (of `NETS`, with `-no-star` and the like added for ablations), of a dict
    or of itself.
    """
    if isinstance(what, Mapping):
        return spec_from_dict(what)
    if not isinstance(what, str):
        return what
    name, *off = what.split("-no-")
    if name not in NETS:
        raise BadSpec(f"no net is named {what!r:.80}: use one of {', '.join(NETS)}")
    left_out = {part.replace("-", "_"): False for part in off}
    options = NETS[name].OPTIONS
    for option in left_out:
        if option not in options:
            raise BadSpec(f"{name} has no {option} to leave out; it has {', '.join(options)}")
    return spec_from_dict({**NETS[name].to_dict(), **left_out})


def make_net(what: str | Mapping[str, Any] | NetSpec) -> BoardNet:
    """A fresh net with random weights (torch's seed decides them), on the CPU, in training mode."""
    from tengen.nets.mixnet import Mixnet
    from tengen.nets.resnet import Resnet

    spec = spec_of(what)
    return Mixnet(spec) if isinstance(spec, MixnetSpec) else Resnet(spec)
