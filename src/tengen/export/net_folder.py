# SPDX-License-Identifier: MIT
"""A folder with one net per colour and a registry, as the engine takes it for a net: Mixnets as net
files, all others as ONNX files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tengen.engine.errors import BadNet
from tengen.engine.nets import NET_SUFFIX, ONNX_SUFFIX, REGISTRY, registry_text
from tengen.export.onnx import export_onnx
from tengen.export.quantise import export_net, run_text
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Colour, Rule
from tengen.nets.spec import MixnetSpec, spec_of
from tengen.nets.weights import NetWeights
from tengen.util.files import replacing_folder, write_text


def export_folder(
    nets: Mapping[Colour, NetWeights],
    folder: Path,
    rules: Sequence[Rule],
    sizes: Sequence[int],
    *,
    name: str = "",
    description: str = "",
) -> None:
    """Write the folder, which must not exist, with a net for black to move and one for white. No
    `rules`: all; no `sizes`: all, or the one that a net is bound to. Raises BadNet, BadWeights,
    OSError.
    """
    if folder.exists():
        raise BadNet("the folder exists: use another name, or delete it", str(folder))
    specs = [spec_of(nets[colour].spec) for colour in Colour]
    is_native = all(isinstance(spec, MixnetSpec) for spec in specs)
    if is_native and not (rules and sizes):
        raise BadNet("net files state their rules and board sizes: give --rule and --size")
    bound = next((spec.board_size for spec in specs if spec.board_size), None)
    sizes = sizes or ((bound,) if bound else range(MIN_SIZE, MAX_SIZE + 1))
    files = {}
    with replacing_folder(folder) as part:
        for colour in Colour:
            title = f"{name or folder.name}-{colour}"
            file = part / (title + (NET_SUFFIX if is_native else ONNX_SUFFIX))
            files[str(colour)] = file.name
            text = {"name": title, "description": description}
            if is_native:
                export_net(nets[colour], file, rules, sizes, (colour,), **text)
            else:
                export_onnx_weights(nets[colour], file, rules, sizes, **text)
        write_text(registry_text(rules or tuple(Rule), sizes, files), part / REGISTRY)


def export_onnx_weights(
    weights: NetWeights,
    path: Path,
    rules: Sequence[Rule],
    sizes: Sequence[int],
    *,
    name: str,
    description: str,
) -> None:
    """Write the ONNX file of trained weights; its board size is dynamic unless there is one size,
    or the net has one. Raises BadNet, BadWeights, OSError.
    """
    net = weights.make()
    metadata = {"net": weights.name, "run": run_text(weights), "description": description}
    size = sizes[0] if len(sizes) == 1 else net.spec.board_size
    export_onnx(net, path, size, rules=rules, sizes=sizes, name=name, metadata=metadata)
