# SPDX-License-Identifier: MIT
"""`net.pt`: the float weights of a trained net with its spec and history, in torch's container.

Files are read as data only: nothing in them can run. Training writes and reads them; export and
self-play read them.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tengen.game import records
from tengen.game.errors import TengenError
from tengen.nets.blocks import BoardNet
from tengen.nets.table import make_net, spec_of

__all__ = ["BadWeights", "NetWeights", "read_weights", "write_weights"]

_FORMAT = "tengen weights 1"


class BadWeights(TengenError, ValueError):
    """A file of weights that is truncated, damaged, or of something else."""


@dataclass(frozen=True)
class NetWeights:
    """A trained net."""

    spec: dict[str, Any]  # as `make_net` takes it and `to_dict` of a spec makes it
    weights: dict[str, Tensor]  # the net's state, on the CPU
    about: dict[str, Any] = field(default_factory=dict)  # run, step, config, data, losses; plain

    @property
    def name(self) -> str:
        return spec_of(self.spec).name

    def make(self) -> BoardNet:
        """The net, on the CPU, in evaluation mode. Raises BadSpec, BadWeights."""
        net = make_net(self.spec)
        try:
            net.load_state_dict(self.weights)
        except RuntimeError:
            words = "names or shapes of tensors are other ones"
            raise BadWeights(f"the weights are not of {self.name}: {words}") from None
        return net.eval()


def write_weights(path: Path, net: NetWeights) -> None:
    """Write a file; at any moment the path holds the old file or the whole new one."""
    found = {entry.name: getattr(net, entry.name) for entry in fields(net)}
    found["weights"] = {name: value.detach().cpu() for name, value in net.weights.items()}
    buffer = io.BytesIO()
    torch.save({"format": _FORMAT, **found}, buffer)
    records.write_bytes(buffer.getvalue(), path)


def read_weights(path: Path) -> NetWeights:
    """What `write_weights` wrote. Raises BadWeights."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise BadWeights(f"there is no file {path}") from None
    except OSError as error:
        raise BadWeights(f"{path} cannot be read ({error.strerror or error})") from None
    found = _loaded(io.BytesIO(data), path)
    if not isinstance(found, dict) or found.pop("format", None) != _FORMAT:
        raise BadWeights(f"{path} is no file of weights of this program")
    try:
        return NetWeights(**found)
    except TypeError:
        raise BadWeights(f"{path} is of another version of this program") from None


def _loaded(file: io.BytesIO, path: Path) -> object:
    """What torch's container holds. Its checksums are looked at here: torch passes them over."""
    try:
        with zipfile.ZipFile(file) as archive:
            damaged = archive.testzip() is not None
        file.seek(0)
        found = None if damaged else torch.load(file, map_location="cpu", weights_only=True)
    except Exception:  # neither names all its errors; torch's words advise to load it unsafely
        raise BadWeights(f"{path} is damaged, or no file of weights") from None
    if damaged:
        raise BadWeights(f"{path} is damaged: a checksum is wrong")
    return found
