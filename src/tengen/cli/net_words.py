# SPDX-License-Identifier: MIT
"""What `tengen net` prints: nets by their headers, and the results of checks. Pure functions to
lines of text and JSON values; relies on the headers of nets and of baked ones alone.
"""

from __future__ import annotations

import time
from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import Any

from tengen.cli.common import count, one_line
from tengen.engine.net_cache import CachedNet
from tengen.engine.nets import NetInfo

__all__ = ["cache_lines", "file_size", "info_json", "info_lines", "list_lines"]

_PATTERNS = 397_488  # rows of a codebook
_BOOKS = 2
_ENTRY_BYTES = 2


def file_size(count: int) -> str:
    return f"{count / 1e6:.2f} MB"


def list_lines(
    nets: Sequence[NetInfo], uses: dict[str, list[str]], baked: Container[str] = ()
) -> Iterator[str]:
    """A row for each net; `uses` tells what the registry has each net play, `baked` which of them
    lie in the cache."""
    if not nets:
        yield "the package has no net yet: `classical` plays everything"
        return
    width = max(len(net.name) for net in nets)
    for net in nets:
        plays = "; ".join(uses.get(net.name, [])) or "nothing by default"
        made_for = net.header.purpose()
        row = f"{net.name:<{width}}  {file_size(net.bytes):>8}  for {made_for}; plays {plays}"
        yield row + ("; baked" if net.name in baked else "")


def cache_lines(folder: Path | None, entries: Sequence[CachedNet]) -> Iterator[str]:
    """The folder of baked nets, and a row for each of them, the last used first."""
    if folder is None:
        yield "the cache is off: every program bakes the nets it plays with"
        return
    size = file_size(sum(entry.bytes for entry in entries))
    what = f"{count(len(entries), 'net')}, {size}" if entries else "no net is baked yet"
    yield f"{one_line(str(folder))}: {what}"
    width = max((len(entry.name) for entry in entries), default=0)
    for entry in entries:
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.used))
        name = f"{one_line(entry.name):<{width}}"
        yield f"  {name}  {file_size(entry.bytes):>9}  used {used}  {one_line(entry.path.name)}"


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
