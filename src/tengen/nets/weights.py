# SPDX-License-Identifier: MIT
"""Nets from specs, and `net.pt`: the float weights of a trained net with its spec and history, in
torch's container. Files are read as data only: nothing in them can run.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor

from tengen.game.errors import TengenError
from tengen.nets.blocks import BoardNet
from tengen.nets.spec import KINDS, NetSpec, spec_of
from tengen.util.deprecation import renamed_fields
from tengen.util.files import write_bytes

_FORMAT = "tengen weights 1"
_METADATA = "about"  # the key in the file


class BadWeights(TengenError, ValueError):
    """A file of weights that is truncated, damaged, or something else."""


def make_net(net: str | Mapping[str, Any] | NetSpec) -> BoardNet:
    """A new net with random weights (torch's seed determines them), on the CPU, in training mode.
    Raises BadSpec.
    """
    spec = spec_of(net)
    module, _, name = KINDS[spec.kind][1].partition(":")
    return cast("BoardNet", getattr(import_module(module), name)(spec))


@renamed_fields(about="metadata")
@dataclass(frozen=True)
class NetWeights:
    """A trained net."""

    spec: dict[str, Any]  # as `make_net` takes it and `to_dict` of a spec makes it
    weights: dict[str, Tensor]  # the net's state, on the CPU
    metadata: dict[str, Any] = field(default_factory=dict)  # run, step, config, data, losses; plain

    @property
    def name(self) -> str:
        return spec_of(self.spec).name

    @property
    def redistributable(self) -> bool:
        """Whether the net is known to be distributable. Files of 0.1.0 call it `ships`."""
        return self.metadata.get("redistributable", self.metadata.get("ships")) is True

    def make(self) -> BoardNet:
        """The net, on the CPU, in evaluation mode. Raises BadSpec, BadWeights."""
        net = make_net(self.spec)
        try:
            net.load_state_dict(self.weights)
        except RuntimeError:
            problem = "names or shapes of tensors differ"
            raise BadWeights(f"the weights are not of {self.name}: {problem}") from None
        return net.eval()


def write_weights(path: Path, net: NetWeights) -> None:
    """Write a file atomically. Raises OSError."""
    weights = {name: value.detach().cpu() for name, value in net.weights.items()}
    content = {"format": _FORMAT, "spec": net.spec, "weights": weights, _METADATA: net.metadata}
    buffer = io.BytesIO()
    torch.save(content, buffer)
    write_bytes(buffer.getvalue(), path)


def read_weights(path: Path) -> NetWeights:
    """What `write_weights` wrote. Raises BadWeights."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise BadWeights(f"there is no file {path}") from None
    except OSError as error:
        raise BadWeights(f"{path} cannot be read ({error.strerror or error})") from None
    content = load_tensors(data, path)
    if not isinstance(content, dict) or content.pop("format", None) != _FORMAT:
        raise BadWeights(f"{path} is not a file of weights of this program")
    try:
        return NetWeights(metadata=content.pop(_METADATA, {}), **content)
    except TypeError:
        raise BadWeights(f"{path} was written by another version of this program") from None


def load_tensors(data: bytes, path: Path) -> object:
    """The content of torch's container, read as data only, with its checksums verified. Raises
    BadWeights, without torch's own text: it advises to load the file unsafely.
    """
    file = io.BytesIO(data)
    try:
        with zipfile.ZipFile(file) as archive:
            damaged = archive.testzip() is not None
        file.seek(0)
        content = None if damaged else torch.load(file, map_location="cpu", weights_only=True)
    except Exception:  # neither zipfile nor torch documents all its errors
        raise BadWeights(f"{path} is damaged, or not a file of weights") from None
    if damaged:
        raise BadWeights(f"{path} is damaged: a checksum is wrong")
    return content
