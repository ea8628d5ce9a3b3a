# SPDX-License-Identifier: MIT
"""Writing net files: arrays behind the header that tengen.engine.net_header knows. See
docs/formats/net.md; tengen.engine.net_tensors reads them.

A file is written whole or not at all, by however many writers. Relies on NumPy and the header;
`quantise`, `verify`, scripts and tests rely on it.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen._version import version
from tengen.engine.errors import BadNet
from tengen.engine.net_header import header_bytes
from tengen.engine.net_layout import Architecture, layout, payload_bytes
from tengen.engine.net_tensors import DTYPES, NetFile, check_range

__all__ = ["codebook_checksum", "net_bytes", "write_net"]


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
        check_range(row, tensor)
        data[row.offset : row.offset + row.bytes] = tensor.astype(dtype).tobytes()
    return bytes(data)


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
