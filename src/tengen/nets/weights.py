# SPDX-License-Identifier: MIT
"""Files of float weights: `net.pt`, a trained net with what it is (torch's own container, read as
data only), and reading safetensors files without the library of that name. Relies on the table of
nets; training writes and reads them, export and self-play read them.
"""

from __future__ import annotations

import io
import json
import math
import struct
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tengen.game import records
from tengen.game.errors import TengenError
from tengen.nets.blocks import BoardNet
from tengen.nets.table import make_net, spec_of

__all__ = ["BadWeights", "NetWeights", "read_safetensors", "read_weights", "write_weights"]

_FORMAT = "tengen weights 1"
_MOST_HEADER = 100_000_000  # bytes; the limit of the safetensors format itself
_TYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U8": torch.uint8,
}


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


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file by name. Raises BadWeights."""
    data = path.read_bytes()
    if len(data) < 8:
        raise BadWeights(f"{path} is no safetensors file: it has {len(data)} bytes")
    (length,) = struct.unpack_from("<Q", data)
    if not 2 <= length <= min(_MOST_HEADER, len(data) - 8):
        raise BadWeights(f"{path} is truncated, or no safetensors file")
    try:
        header = json.loads(data[8 : 8 + length])
        header.pop("__metadata__", None)
        body = bytearray(data[8 + length :])  # writable, as torch wants it
        return {name: _tensor(entry, body) for name, entry in header.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        raise BadWeights(f"{path} is damaged: {error}") from None


def _tensor(entry: Mapping[str, Any], body: bytearray) -> Tensor:
    start, end = entry["data_offsets"]
    dtype, shape = _TYPES[entry["dtype"]], entry["shape"]
    count = math.prod(shape)
    if not 0 <= start <= end <= len(body) or end - start != count * dtype.itemsize:
        raise ValueError("a tensor lies outside the file")
    if count == 0:
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(body, dtype=dtype, count=count, offset=start).reshape(shape).clone()
