# SPDX-License-Identifier: MIT
"""From the float weights of a trained Mixnet to the tensors of a net file; the way back is in
tengen.nets.dequantise.

Scales and bounds are those of `MixnetScales`. A weight that does not fit is an error with counts
and extremes, never clipped in silence: nets are trained within the bounds. Relies on the nets and
the file's layout; `verify` and the command line rely on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.engine.errors import BadNet
from tengen.engine.net_header import NetHeader
from tengen.engine.net_layout import Architecture, Tensor, layout
from tengen.engine.net_tensors import DTYPES, NetFile
from tengen.game.rule import Colour, Rule
from tengen.nets.dequantise import file_scale, state_name
from tengen.nets.mixnet import Mixnet
from tengen.nets.scales import MIXNET_SCALES, MixnetScales
from tengen.nets.spec import MixnetSpec, NetSpec

__all__ = ["Quantised", "architecture_of", "net_file", "quantise"]

_HALF_MAX = 65504.0  # the largest fp16
_HALF_NORMAL = 2.0**-14  # below it, fp16 has fewer bits


@dataclass(frozen=True, eq=False)
class Quantised:
    """The tensors of a file, and what rounding has cost, in words."""

    tensors: dict[str, npt.NDArray[Any]]
    notes: tuple[str, ...]


def architecture_of(spec: NetSpec) -> Architecture:
    """The architecture of a net file. Raises BadNet for nets that files do not hold."""
    if not isinstance(spec, MixnetSpec):
        raise BadNet(f"{spec.name} is no Mixnet: net files hold Mixnets only (ONNX takes any net)")
    found = Architecture.parse(spec.architecture)
    found.refuse_parts()
    return found


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
        faults.append(f"the net has weights that files do not know: {', '.join(sorted(state))}")
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
    codebook_checksum: int = 0,
) -> NetFile:
    """The file of a net, all weights quantised. Raises BadNet."""
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
        codebook_checksum=codebook_checksum,
    )
    return NetFile(header, quantise(net).tensors)


def _integers(
    row: Tensor, weights: npt.NDArray[np.float64], scale: int, faults: list[str]
) -> npt.NDArray[Any]:
    """The nearest integers, halves to even."""
    scaled = np.rint(weights * scale)
    wrong = ~(np.abs(scaled) <= row.limit)  # true also for what is no number
    if count := int(wrong.sum()):
        reach = f"they reach from {weights.min():.4g} to {weights.max():.4g}"
        bound = f"{row.limit}/{scale} = {row.limit / scale:.4g}"
        faults.append(f"{row.name}: {count} of {wrong.size} weights are beyond {bound}, {reach}")
        return np.zeros(row.shape, dtype=DTYPES[row.kind])
    return scaled.astype(DTYPES[row.kind])


def _floats(
    row: Tensor, weights: npt.NDArray[np.float64], faults: list[str], notes: list[str]
) -> npt.NDArray[Any]:
    """Weights of the mapping networks as fp16, their biases as fp32."""
    largest = _HALF_MAX if row.kind == "f16" else float(np.finfo(np.float32).max)
    wrong = ~(np.abs(weights) <= largest)
    if count := int(wrong.sum()):
        reach = f"they reach from {weights.min():.4g} to {weights.max():.4g}"
        faults.append(f"{row.name}: {count} of {wrong.size} weights are no {row.kind}, {reach}")
        return np.zeros(row.shape, dtype=DTYPES[row.kind])
    if row.kind == "f16":
        small = (np.abs(weights) < _HALF_NORMAL) & (weights != 0)
        if count := int(small.sum()):
            lost = int((weights[small].astype(np.float16) == 0).sum())
            words = f"{count} of {small.size} weights are below 2^-14 and lose bits"
            notes.append(f"{row.name}: {words}, {lost} of them become 0")
    return weights.astype(DTYPES[row.kind])
