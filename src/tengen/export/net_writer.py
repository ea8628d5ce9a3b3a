# SPDX-License-Identifier: MIT
"""Writes net files (docs/formats/net.md), which `tengen.engine.net_file` reads."""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen._version import version
from tengen.engine.errors import BadNet
from tengen.engine.net_file import DTYPES, NetFile, check_range, header_bytes
from tengen.engine.net_layout import Architecture, layout, payload_bytes
from tengen.util.files import write_bytes

__all__ = ["codebook_checksum", "net_bytes", "write_net"]


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
