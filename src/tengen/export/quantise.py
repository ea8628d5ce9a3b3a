# SPDX-License-Identifier: MIT
"""Exports trained weights as a net file (docs/formats/net.md): quantises them with the scales of
`MixnetScales`, bakes once for the checksum of the codebooks, writes. `tengen.nets.dequantise` is
the inverse; `NativeNet` loads a file into the native core.

A weight that does not fit is an error with counts and extremes, never clipped: training keeps
weights within their bounds.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen._version import version
from tengen.engine.errors import BadNet
from tengen.engine.net_file import DTYPES, NetFile, NetHeader, check_range, header_bytes
from tengen.engine.net_layout import Architecture, TensorLayout, layout, payload_bytes
from tengen.game.rule import Colour, Rule
from tengen.nets.blocks import BoardNet
from tengen.nets.dequantise import file_scale, state_name
from tengen.nets.mixnet import Mixnet
from tengen.nets.scales import MIXNET_SCALES, MixnetScales
from tengen.nets.spec import MixnetSpec, NetSpec
from tengen.nets.weights import NetWeights
from tengen.util.files import write_bytes

_HALF_MAX = 65504.0  # the largest fp16
_HALF_NORMAL = 2.0**-14  # below it, fp16 has fewer bits


@dataclass(frozen=True, eq=False)
class Quantised:
    """The tensors of a file, and notes on what rounding lost."""

    tensors: dict[str, npt.NDArray[Any]]
    notes: tuple[str, ...]


def architecture_of(spec: NetSpec) -> Architecture:
    """The architecture in the net file. Raises BadNet for nets that files cannot hold."""
    if not isinstance(spec, MixnetSpec):
        raise BadNet(f"{spec.name} is not a Mixnet: net files hold Mixnets only, ONNX any net")
    architecture = Architecture.parse(spec.architecture)
    architecture.require_complete()
    return architecture


def quantise(net: Mixnet, scales: MixnetScales = MIXNET_SCALES) -> Quantised:
    """The tensors of a net file. Raises BadNet if a weight does not fit."""
    state = {name: value.detach().cpu() for name, value in net.state_dict().items()}
    tensors: dict[str, npt.NDArray[Any]] = {}
    faults: list[str] = []
    notes: list[str] = []
    for row in layout(architecture_of(net.spec)):
        source = state_name(row.name)
        weights = state.pop(source).double().numpy().reshape(row.shape)
        if row.limit:
            tensors[row.name] = _integers(row, weights, file_scale(row.name, scales), faults)
        else:
            tensors[row.name] = _floats(row, weights, faults, notes)
    if state:
        faults.append(f"the net has weights that net files do not have: {', '.join(sorted(state))}")
    if faults:
        raise BadNet("the net does not fit its integers: " + "; ".join(faults))
    return Quantised(tensors, tuple(notes))


def net_file(
    net: Mixnet,
    rules: tuple[Rule, ...],
    sizes: tuple[int, ...],
    colours: tuple[Colour, ...] = tuple(Colour),
    *,
    name: str = "",
    run: str = "",
    description: str = "",
    value_curve: Mapping[str, Any] | None = None,
    checksum: int = 0,
) -> NetFile:
    """The net file of a net. Raises BadNet."""
    header = NetHeader(
        architecture=architecture_of(net.spec),
        rules=rules,
        sizes=sizes,
        colours=colours,
        name=name,
        run=run,
        description=description,
        scales=asdict(MIXNET_SCALES),
        value_curve=value_curve,
        codebook_checksum=checksum,
    )
    return NetFile(header, quantise(net).tensors)


def _integers(
    row: TensorLayout, weights: npt.NDArray[np.float64], scale: int, faults: list[str]
) -> npt.NDArray[Any]:
    """The nearest integers, halves to even."""
    scaled = np.rint(weights * scale)
    wrong = ~(np.abs(scaled) <= row.limit)  # true for NaN too
    if count := int(wrong.sum()):
        bound = f"beyond {row.limit}/{scale} = {row.limit / scale:.4g}"
        return _reject(row, weights, f"{count} of {wrong.size} weights are {bound}", faults)
    return scaled.astype(DTYPES[row.kind])


def _reject(
    row: TensorLayout, weights: npt.NDArray[np.float64], problem: str, faults: list[str]
) -> npt.NDArray[Any]:
    """Adds to the faults; a tensor of zeros, so that later tensors are checked too."""
    faults.append(f"{row.name}: {problem}, range {weights.min():.4g} to {weights.max():.4g}")
    return np.zeros(row.shape, dtype=DTYPES[row.kind])


def _floats(
    row: TensorLayout, weights: npt.NDArray[np.float64], faults: list[str], notes: list[str]
) -> npt.NDArray[Any]:
    """Weights of the mapping networks as fp16, their biases as fp32."""
    largest = _HALF_MAX if row.kind == "f16" else float(np.finfo(np.float32).max)
    wrong = ~(np.abs(weights) <= largest)
    if count := int(wrong.sum()):
        return _reject(row, weights, f"{count} of {wrong.size} weights exceed {row.kind}", faults)
    if row.kind == "f16":
        small = (np.abs(weights) < _HALF_NORMAL) & (weights != 0)
        if count := int(small.sum()):
            lost = int((weights[small].astype(np.float16) == 0).sum())
            problem = f"{count} of {small.size} weights are below 2^-14 and lose bits"
            notes.append(f"{row.name}: {problem}, {lost} of them become 0")
    return weights.astype(DTYPES[row.kind])


# --- files ---


def codebook_checksum(codebooks: Mapping[str, npt.NDArray[np.int16]]) -> int:
    """The checksum in the header: CRC-32 of "hv" in the upper half, of "di" in the lower."""
    high, low = (zlib.crc32(codebooks[name].astype("<i2").tobytes()) for name in ("hv", "di"))
    return high << 32 | low


def net_bytes(net: NetFile) -> bytes:
    """The whole file. Raises BadNet for a tensor that is missing or has another shape or type."""
    payload = _payload(net.header.architecture, net.tensors)
    header = net.header if net.header.made else replace(net.header, made=f"tengen {version()}")
    return header_bytes(header, payload) + payload


def _payload(architecture: Architecture, tensors: Mapping[str, npt.NDArray[Any]]) -> bytes:
    rows = layout(architecture)
    if unknown := set(tensors) - {row.name for row in rows}:
        raise BadNet(f"{architecture} has no tensor {', '.join(sorted(unknown))}")
    data = bytearray(payload_bytes(architecture))
    for row in rows:
        if row.name not in tensors:
            raise BadNet(f"the tensor {row.name} is missing")
        tensor, dtype = tensors[row.name], np.dtype(DTYPES[row.kind])
        if tensor.shape != row.shape or tensor.dtype != dtype:
            actual = f"{tensor.dtype} {list(tensor.shape)}"
            raise BadNet(f"{row.name} is {actual}, not {dtype.name} {list(row.shape)}")
        check_range(row, tensor)
        data[row.offset : row.offset + row.bytes] = tensor.astype(dtype).tobytes()
    return bytes(data)


def write_net(net: NetFile, path: str | os.PathLike[str]) -> None:
    """Write a file atomically. Raises BadNet, OSError."""
    write_bytes(net_bytes(net), path)


class NativeNet:
    """A net in the native core, baked on construction. Raises BadNet for bytes that are not a net
    and for codebooks that do not have the checksum of the file."""

    def __init__(self, data: bytes, threads: int = 0) -> None:
        """`data` is a whole net file; `threads` 0: one per core."""
        try:
            self._net = _core.Net.read(data, threads)
        except (ValueError, RuntimeError) as error:
            raise BadNet(str(error)) from None

    @property
    def codebooks(self) -> dict[str, npt.NDArray[np.int16]]:
        """int16 [397488, C] for "hv" and "di"."""
        return {"hv": self._net.codebook(0), "di": self._net.codebook(1)}

    def evaluate(
        self, cells: npt.NDArray[np.uint8], instruction_set: str = ""
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Integer value logits [N, 3] and policy logits [N, H, W] of boards [N, H, W] as the side
        to move sees them: 0 empty, 1 own, 2 opponent."""
        value, policy = self._net.evaluate(np.ascontiguousarray(cells), instruction_set)
        return value, policy


def export_net(
    weights: NetWeights,
    path: Path,
    rules: Sequence[Rule],
    sizes: Sequence[int],
    colours: Sequence[Colour] = tuple(Colour),
    *,
    name: str = "",
    description: str = "",
) -> None:
    """Write the net file of trained weights. Raises BadNet, OSError."""
    file = net_file(
        require_mixnet(weights.make()),
        tuple(rule for rule in Rule if rule in rules),
        tuple(sizes),
        tuple(colour for colour in Colour if colour in colours),
        name=name or path.stem,
        run=run_text(weights),
        description=description,
    )
    codebooks = NativeNet(net_bytes(file)).codebooks
    header = replace(file.header, codebook_checksum=codebook_checksum(codebooks))
    write_net(replace(file, header=header), path)


def run_text(weights: NetWeights) -> str:
    """The run and the step of the weights."""
    run, step = weights.metadata.get("run"), weights.metadata.get("step")
    return f"{run} step {step}" if run else ""


def require_mixnet(net: BoardNet) -> Mixnet:
    """The net, if net files can hold it. Raises BadNet."""
    if not isinstance(net, Mixnet):
        raise BadNet("the net is not a Mixnet: net files hold Mixnets only, ONNX any net")
    return net
