# SPDX-License-Identifier: MIT
"""What `tengen net` prints: nets by their headers, and the results of checks. Pure functions to
lines of text and JSON values; relies on the engine's net headers alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tengen.cli.output import one_line
from tengen.engine.nets import NetInfo

__all__ = ["file_size", "info_json", "info_lines", "list_lines"]

_PATTERNS = 397_488  # rows of a codebook
_BOOKS = 2
_ENTRY_BYTES = 2


def file_size(count: int) -> str:
    return f"{count / 1e6:.2f} MB"


def list_lines(nets: Sequence[NetInfo], uses: dict[str, list[str]]) -> Iterator[str]:
    """A row for each net; `uses` tells what the registry has each net play."""
    if not nets:
        yield "the package has no net yet: `classical` plays everything"
        return
    width = max(len(net.name) for net in nets)
    for net in nets:
        plays = "; ".join(uses.get(net.name, [])) or "nothing by default"
        made_for = net.header.purpose()
        yield f"{net.name:<{width}}  {file_size(net.bytes):>8}  for {made_for}; plays {plays}"


def info_json(net: NetInfo) -> dict[str, Any]:
    header = net.header
    return {
        "file": str(net.path),
        "bytes": net.bytes,
        "name": header.name,
        "architecture": str(header.architecture),
        "architecture_hash": f"{header.architecture.hash:016x}",
        "rules": [str(rule) for rule in header.rules],
        "sizes": list(header.sizes),
        "colours": [str(colour) for colour in header.colours],
        "run": header.run,
        "description": header.description,
        "made": header.made,
        "scales": dict(header.scales),
        "value_curve": None if header.value_curve is None else dict(header.value_curve),
        "codebook_checksum": f"{header.codebook_checksum:016x}",
        "weights_crc": f"{header.payload_crc:08x}",
        "baked_bytes": _baked_bytes(net),
    }


def info_lines(net: NetInfo) -> Iterator[str]:
    header = net.header
    checksum = f"{header.codebook_checksum:016x}" if header.codebook_checksum else "not known"
    rows = {
        "name": header.name or "none",
        "for": header.purpose(),
        "net": str(header.architecture),
        "file": f"{file_size(net.bytes)}, baked {file_size(_baked_bytes(net))}",
        "codebook": f"checksum {checksum}",
        "run": header.run or "not told",
        "made by": header.made or "not told",
        "about": header.description or "nothing is told",
    }
    yield one_line(str(net.path))
    for name, value in rows.items():
        yield f"  {name:<10}{one_line(value)}"


def _baked_bytes(net: NetInfo) -> int:
    return _PATTERNS * _BOOKS * _ENTRY_BYTES * net.header.architecture.channels
