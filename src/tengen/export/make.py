# SPDX-License-Identifier: MIT
"""A net file from trained weights, in one call: quantised, baked once for the checksum of its
codebooks, written. Relies on `quantise` and the native core; `tengen net export` and zero learning
rely on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tengen.engine.errors import BadNet
from tengen.export.native import NativeNet
from tengen.export.net_file import codebook_checksum, net_bytes, write_net
from tengen.export.quantise import net_file
from tengen.game.rule import Colour, Rule
from tengen.nets.blocks import BoardNet
from tengen.nets.mixnet import Mixnet
from tengen.nets.weights import NetWeights

__all__ = ["export_net", "require_mixnet", "run_text"]


def export_net(
    found: NetWeights,
    path: Path,
    rules: Sequence[Rule],
    sizes: Sequence[int],
    colours: Sequence[Colour] = tuple(Colour),
    *,
    name: str = "",
    description: str = "",
) -> None:
    """Write the file of a net. Raises BadNet, OSError."""
    made = net_file(
        require_mixnet(found.make()),
        tuple(rule for rule in Rule if rule in rules),
        tuple(sizes),
        tuple(colour for colour in Colour if colour in colours),
        name=name or path.stem,
        run=run_text(found),
        description=description,
    )
    books = NativeNet(net_bytes(made)).codebooks
    header = replace(made.header, codebook_checksum=codebook_checksum(books))
    write_net(replace(made, header=header), path)


def run_text(found: NetWeights) -> str:
    """The run and the step that weights come from."""
    run, step = found.about.get("run"), found.about.get("step")
    return f"{run} step {step}" if run else ""


def require_mixnet(net: BoardNet) -> Mixnet:
    """The net, if files can hold it. Raises BadNet."""
    if not isinstance(net, Mixnet):
        raise BadNet("the run is of no Mixnet: net files hold Mixnets only (ONNX takes any net)")
    return net
