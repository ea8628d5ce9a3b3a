# SPDX-License-Identifier: MIT
"""Net files as arrays: reading the tensors behind the header that `net_header` knows. See
docs/formats/net.md. Whatever the bytes, reading gives a net or BadNet.

Relies on the header, and on NumPy as soon as a file is read: tengen.engine is imported without it.
Training, which begins with such files, and tengen.export, which writes them, rely on it; nothing
that only plays does.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.engine.errors import BadNet
from tengen.engine.net_header import MAX_FILE, NetHeader, fault_of, parse_header
from tengen.engine.net_layout import Tensor, layout

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["DTYPES", "NetFile", "check_range", "parse_net", "read_net"]

DTYPES = {"f16": "<f2", "f32": "<f4", "i8": "<i1", "i16": "<i2", "i32": "<i4"}


@dataclass(frozen=True, eq=False)
class NetFile:
    """A net as its file holds it: tensors by name, as `layout` lists them."""

    header: NetHeader
    tensors: Mapping[str, npt.NDArray[Any]]


def read_net(path: str | os.PathLike[str]) -> NetFile:
    """Read a file and check all of it."""
    with Path(path).open("rb") as file:
        data = file.read(MAX_FILE + 1)
    try:
        return parse_net(data)
    except BadNet as error:
        raise fault_of(path, error) from None


def parse_net(data: bytes) -> NetFile:
    """A net from the bytes of its file. Raises BadNet."""
    import numpy as np

    if len(data) > MAX_FILE:
        raise BadNet(f"larger than {MAX_FILE >> 20} MiB, the most that a net file may have")
    header = parse_header(data, len(data))
    payload = data[header.payload_start :]
    if zlib.crc32(payload) != header.payload_crc:
        raise BadNet("damaged: the checksum of the weights is wrong")
    tensors = {}
    for row in layout(header.architecture):
        part = payload[row.offset : row.offset + row.bytes]
        native = np.dtype(DTYPES[row.kind]).newbyteorder("=")
        tensor = np.frombuffer(part, DTYPES[row.kind]).astype(native).reshape(row.shape)
        check_range(row, tensor)
        tensors[row.name] = tensor
    return NetFile(header, tensors)


def check_range(row: Tensor, tensor: npt.NDArray[Any]) -> None:
    """Raise BadNet for numbers that the integer net has no room for."""
    import numpy as np

    if row.limit:
        wrong = np.abs(tensor.astype(np.int64)) > row.limit
        words = f"beyond {row.limit}; they reach from {tensor.min()} to {tensor.max()}"
    else:
        wrong, words = ~np.isfinite(tensor), "no finite numbers"
    if count := int(wrong.sum()):
        raise BadNet(f"{row.name}: {count} of {tensor.size} weights are {words}")
