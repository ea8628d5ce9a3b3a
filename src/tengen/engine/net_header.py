# SPDX-License-Identifier: MIT
"""The header of a net file: what the net is, whom it serves, and the checksums of the rest. See
docs/formats/net.md. Whatever the bytes, reading gives a header or BadNet, in bounded memory.

Relies on `net_layout` and the standard library alone, so that listing nets is quick. The registry,
`net_tensors` and tengen.export rely on it.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from tengen.engine.errors import BadNet
from tengen.engine.net_layout import ALIGNMENT, Architecture, fnv1a64, payload_bytes
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Colour, Rule

__all__ = [
    "FORMAT_VERSION",
    "MAGIC",
    "NetHeader",
    "fault_of",
    "header_bytes",
    "parse_header",
    "read_header",
    "state_of",
]

MAGIC = b"TENGENN1"
FORMAT_VERSION = 1
MAX_JSON = 1 << 20  # bytes of the JSON part; a file that says more is damaged
MAX_FILE = 64 << 20
_FIXED = struct.Struct("<8sIIQIIQQHHIQ")
assert _FIXED.size == ALIGNMENT
_RULES = tuple(Rule)


@dataclass(frozen=True)
class NetHeader:
    """What a net file says about its net."""

    architecture: Architecture
    rules: tuple[Rule, ...]
    sizes: tuple[int, ...]
    colours: tuple[Colour, ...] = (Colour.BLACK, Colour.WHITE)  # the side to move
    name: str = ""
    run: str = ""  # the training run that the net comes from
    description: str = ""
    made: str = ""  # the version of tengen that wrote the file
    scales: Mapping[str, Any] = field(default_factory=dict)
    value_curve: Mapping[str, Any] | None = None  # from value logits to a win rate
    codebook_checksum: int = 0  # CRC-32 of codebook hv << 32 | CRC-32 of codebook di; 0: not known
    payload_crc: int = 0
    payload_start: int = 0  # bytes from the start of the file

    def __post_init__(self) -> None:
        if not (self.rules and self.sizes and self.colours):
            raise BadNet("a net must serve at least one rule, one board size and one colour")
        if not all(MIN_SIZE <= size <= MAX_SIZE for size in self.sizes):
            raise BadNet(f"board sizes go from {MIN_SIZE} to {MAX_SIZE}, not {self.sizes}")

    def serves(self, rule: Rule, size: int, colour: Colour | None = None) -> bool:
        """Whether the net was made for the rule, the size and the side to move (or for both)."""
        asked = (colour,) if colour else tuple(Colour)
        return (
            rule in self.rules
            and size in self.sizes
            and all(side in self.colours for side in asked)
        )

    def require(self, rule: Rule, size: int, colour: Colour | None = None) -> None:
        """Raise BadNet, with what the net is for, unless it `serves`."""
        if self.serves(rule, size, colour):
            return
        asked = f"{rule} {size}x{size}" + (f" with {colour} to move" if colour else "")
        raise BadNet(f"this net is not for {asked}: it is for {self.purpose()}")

    def purpose(self) -> str:
        """Rules, sizes and colours in words."""
        sizes = ", ".join(
            f"{first}" if first == last else f"{first} to {last}"
            for first, last in _spans(self.sizes)
        )
        colours = "" if len(self.colours) == 2 else f", {self.colours[0]} to move"
        return f"{', '.join(self.rules)}, size {sizes}{colours}"


def _spans(sizes: tuple[int, ...]) -> list[tuple[int, int]]:
    """Runs of consecutive sizes."""
    spans: list[tuple[int, int]] = []
    for size in sorted(set(sizes)):
        if spans and spans[-1][1] == size - 1:
            spans[-1] = (spans[-1][0], size)
        else:
            spans.append((size, size))
    return spans


def header_bytes(header: NetHeader, payload: bytes) -> bytes:
    """The fixed part and the JSON part of a file with this payload."""
    text = json.dumps(
        {
            "name": header.name,
            "architecture": str(header.architecture),
            "run": header.run,
            "description": header.description,
            "made": header.made,
            "scales": dict(header.scales),
            "value_curve": None if header.value_curve is None else dict(header.value_curve),
        },
        indent=1,
    ).encode("ascii")
    text += b" " * (-len(text) % ALIGNMENT)
    fixed = _FIXED.pack(
        MAGIC,
        FORMAT_VERSION,
        len(text),
        header.architecture.hash,
        zlib.crc32(text),
        zlib.crc32(payload),
        len(payload),
        header.codebook_checksum,
        sum(1 << _RULES.index(rule) for rule in set(header.rules)),
        sum(set(header.colours)),
        sum(1 << size for size in set(header.sizes)),
        0,
    )
    return fixed + text


def read_header(path: str | os.PathLike[str]) -> NetHeader:
    """The header of a file; the length of the file is checked, the payload is not read. What was
    read before is not read again as long as the file is the same: engines ask with every move.
    """
    file = Path(path)
    return _read_header(file, state_of(file))


def state_of(path: Path) -> tuple[int, ...]:
    """Another value when the file is another one, or was written to. Raises OSError."""
    about = path.stat()
    return about.st_ino, about.st_size, about.st_mtime_ns


@lru_cache(maxsize=64)
def _read_header(path: Path, _: tuple[int, ...]) -> NetHeader:
    with path.open("rb") as file:
        start = file.read(_FIXED.size + MAX_JSON)
        length = file.seek(0, os.SEEK_END) if file.seekable() else None
    try:
        return parse_header(start, length)
    except BadNet as error:
        raise fault_of(path, error) from None


def fault_of(path: str | os.PathLike[str], error: BadNet) -> BadNet:
    """What is wrong with a file, with its name."""
    is_onnx = Path(path).suffix == ".onnx"
    words = "an ONNX file: an engine takes it as it is, all else is done with the .net file"
    return BadNet(words if is_onnx else error.fault, os.fspath(path))


def parse_header(start: bytes, length: int | None) -> NetHeader:
    """The header at the start of a file of `length` bytes. Raises BadNet."""
    if not start.startswith(MAGIC):
        what = "empty" if not start else "no net file: it does not begin with " + MAGIC.decode()
        raise BadNet(what)
    if len(start) < _FIXED.size:
        raise BadNet("the file is cut off within its header")
    (_, version, text_bytes, arch_hash, text_crc, payload_crc, payload, checksum, rules, colours,
     sizes, zero) = _FIXED.unpack_from(start)  # fmt: skip
    if version != FORMAT_VERSION:
        words = f"the net file has format {version}, this tengen reads {FORMAT_VERSION}"
        raise BadNet(f"{words}: export the net again, or use the tengen it was made with")
    if text_bytes % ALIGNMENT or not 0 < text_bytes <= MAX_JSON or zero:
        raise BadNet("damaged: the fixed part of the header makes no sense")
    payload_start = _FIXED.size + text_bytes
    text = start[_FIXED.size : payload_start]
    if len(text) < text_bytes:
        raise BadNet("the file is cut off within its header")
    if zlib.crc32(text) != text_crc:
        raise BadNet("damaged: the checksum of the header is wrong")
    said = _json(text)
    architecture = Architecture.parse(said["architecture"])
    if fnv1a64(said["architecture"].encode()) != arch_hash:
        raise BadNet("damaged: the hash of the architecture is not that of its text")
    if payload != payload_bytes(architecture):
        words = f"its weights take {payload:,} bytes, not {payload_bytes(architecture):,}"
        raise BadNet(f"damaged: {words} as {said['architecture']!r} would")
    if length is not None and length != payload_start + payload:
        words = f"the file has {length:,} bytes instead of {payload_start + payload:,}"
        raise BadNet(f"{'cut off' if length < payload_start + payload else 'damaged'}: {words}")
    return NetHeader(
        **{**said, "architecture": architecture},
        rules=_rules(rules),
        sizes=_sizes(sizes),
        colours=_colours(colours),
        codebook_checksum=checksum,
        payload_crc=payload_crc,
        payload_start=payload_start,
    )


def _json(text: bytes) -> dict[str, Any]:
    """The JSON part: known fields of the right type, others left out."""
    try:
        said = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError):
        raise BadNet("damaged: the header is no JSON") from None
    if not isinstance(said, dict):
        raise BadNet("damaged: the header is no JSON object")
    kinds: dict[str, tuple[type, ...]] = dict.fromkeys(
        ("name", "architecture", "run", "description", "made"), (str,)
    )
    kinds |= {"scales": (dict,), "value_curve": (dict, type(None))}
    for name, kind in kinds.items():
        if not isinstance(said.get(name), kind):
            raise BadNet(f'damaged: "{name}" is missing in the header, or of a wrong type')
    return {name: said[name] for name in kinds}


def _rules(mask: int) -> tuple[Rule, ...]:
    if not mask or mask >> len(_RULES):
        raise BadNet("damaged, or made for rules that this tengen does not know")
    return tuple(rule for number, rule in enumerate(_RULES) if mask >> number & 1)


def _sizes(mask: int) -> tuple[int, ...]:
    known = sum(1 << size for size in range(MIN_SIZE, MAX_SIZE + 1))
    if not mask or mask & ~known:
        raise BadNet(f"damaged, or made for boards beyond {MIN_SIZE} to {MAX_SIZE}")
    return tuple(size for size in range(MIN_SIZE, MAX_SIZE + 1) if mask >> size & 1)


def _colours(mask: int) -> tuple[Colour, ...]:
    if mask not in (1, 2, 3):
        raise BadNet("damaged: the net serves neither black nor white")
    return tuple(colour for colour in Colour if mask & colour)
