# SPDX-License-Identifier: MIT
"""A float Mixnet from the tensors of a net file: names of tensors in the file and in torch, scales
of the integers. `tengen.engine` reads files, `tengen.export` writes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch

from tengen.nets.mixnet import Mixnet
from tengen.nets.scales import MIXNET_SCALES, MixnetScales
from tengen.nets.spec import spec_of_architecture

Arrays: TypeAlias = Mapping[str, npt.NDArray[Any]]


def mixnet_of_file(architecture: str, tensors: Arrays) -> Mixnet:
    """The net of a file, from the architecture in its header and its tensors. Raises BadSpec if no
    Mixnet has this architecture.
    """
    net = Mixnet(spec_of_architecture(architecture))
    dequantise(net, tensors)
    return net


def dequantise(net: Mixnet, tensors: Arrays, scales: MixnetScales = MIXNET_SCALES) -> None:
    """Load all tensors of a file, as floats, into a net of the same architecture."""
    old = net.state_dict()
    new = {}
    for name, tensor in tensors.items():
        scale = file_scale(name, scales) if np.issubdtype(tensor.dtype, np.integer) else 1
        like = old[state_name(name)]
        values = torch.from_numpy(tensor.astype(np.float64) / scale)
        new[state_name(name)] = values.reshape(like.shape).to(like.dtype)
    net.load_state_dict(new)


def file_scale(name: str, scales: MixnetScales) -> int:
    """The scale of an integer tensor of the file."""
    layer, _, part = name.rpartition(".")
    if layer == "conv":
        return scales.conv_weight if part == "w" else scales.feature
    if layer == "policy.out":
        return scales.policy_weight if part == "w" else scales.policy
    if part == "w":
        return scales.weight
    return scales.star if layer.endswith(".lin3") else scales.linear


def state_name(name: str) -> str:
    """The name of a tensor of the file in the state of the torch net."""
    layer, _, part = name.rpartition(".")
    which = {"w": "weight", "b": "bias"}[part]
    return f"{'.'.join(_modules(layer))}{'_' if layer == 'policy.out' else '.'}{which}"


def _modules(layer: str) -> Iterator[str]:
    first, _, rest = layer.partition(".")
    if first in ("hv", "di"):
        yield f"body.mapping.{first}"
        if rest not in ("dir0", "out"):  # dir1 to dir4, pw1 to pw4
            yield f"blocks.{int(rest[-1]) - 1}"
            rest = rest[:-1]
    else:
        yield "body" if first == "conv" else "heads"
        yield first
    if rest:
        yield rest
