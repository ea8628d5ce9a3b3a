# SPDX-License-Identifier: MIT
"""Net files as arrays: writing and reading the tensors behind the header that
tengen.engine.net_header knows. See docs/formats/net.md.

A file is written whole or not at all, by however many writers. Whatever the bytes, reading gives a
net or BadNet. Relies on NumPy and the header; `quantise`, `verify`, scripts and tests rely on it.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen._version import version
from tengen.engine.errors import BadNet
from tengen.engine.net_header import MAX_FILE, NetHeader, fault_of, header_bytes, parse_header
from tengen.engine.net_layout import Architecture, Tensor, layout, payload_bytes

__all__ = ["NetFile", "codebook_checksum", "net_bytes", "parse_net", "read_net", "write_net"]

DTYPES = {"f16": "<f2", "f32": "<f4", "i8": "<i1", "i16": "<i2", "i32": "<i4"}


@dataclass(frozen=True, eq=False)
class NetFile:
    """A net as its file holds it: tensors by name, as `layout` lists them."""

    header: NetHeader
    tensors: Mapping[str, npt.NDArray[Any]]


def codebook_checksum(codebooks: Mapping[str, npt.NDArray[np.int16]]) -> int:
    """The number of the header: CRC-32 of "hv" in the upper half, of "di" in the lower."""
    high, low = (zlib.crc32(codebooks[name].astype("<i2").tobytes()) for name in ("hv", "di"))
    return high << 32 | low


def net_bytes(net: NetFile) -> bytes:
    """The whole file. Raises BadNet for a tensor that is missing, misshapen or of another type."""
    payload = _payload(net.header.architecture, net.tensors)
    header = net.header if net.header.made else replace(net.header, made=f"tengen {version()}")
    return header_bytes(header, payload) + payload


def _payload(architecture: Architecture, tensors: Mapping[str, npt.NDArray[Any]]) -> bytes:
    rows = layout(architecture)
    if unknown := set(tensors) - {row.name for row in rows}:
        raise BadNet(f"no tensor of {architecture} is called {', '.join(sorted(unknown))}")
    data = bytearray(payload_bytes(architecture))
    for row in rows:
        if row.name not in tensors:
            raise BadNet(f"the tensor {row.name} is missing")
        tensor, dtype = tensors[row.name], np.dtype(DTYPES[row.kind])
        if tensor.shape != row.shape or tensor.dtype != dtype:
            found = f"{tensor.dtype} {list(tensor.shape)}"
            raise BadNet(f"{row.name} is {found}, not {dtype.name} {list(row.shape)}")
        _check_range(row, tensor)
        data[row.offset : row.offset + row.bytes] = tensor.astype(dtype).tobytes()
    return bytes(data)


def _check_range(row: Tensor, tensor: npt.NDArray[Any]) -> None:
    """Raise BadNet for numbers that the integer net has no room for."""
    if row.limit:
        wrong = np.abs(tensor.astype(np.int64)) > row.limit
        words = f"beyond {row.limit}; they reach from {tensor.min()} to {tensor.max()}"
    else:
        wrong, words = ~np.isfinite(tensor), "no finite numbers"
    if count := int(wrong.sum()):
        raise BadNet(f"{row.name}: {count} of {tensor.size} weights are {words}")


def write_net(net: NetFile, path: str | os.PathLike[str]) -> None:
    """Write a file; at any moment the path holds the old file or a whole new one."""
    data = net_bytes(net)
    target = Path(os.path.realpath(path))  # a link stays a link to the new file
    try:
        # A name of its own: two who write the same net do not write into each other's file.
        handle, beside = tempfile.mkstemp(dir=target.parent, prefix=".tengen-", suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(beside).chmod(0o644)
            Path(beside).replace(target)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise
    except OSError as error:
        words = f"{error.strerror or error}; nothing was written"
        raise OSError(error.errno, words, os.fspath(path)) from error


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
        _check_range(row, tensor)
        tensors[row.name] = tensor
    return NetFile(header, tensors)
