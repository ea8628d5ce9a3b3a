# SPDX-License-Identifier: MIT
"""Net files (docs/formats/net.md): the header, and the tensors behind it as NumPy arrays.

The native core parses and checks the header; this module reads its JSON part. Any bytes give a net
or BadNet, in bounded memory. NumPy is imported only when tensors are read, so listing nets is
quick. `tengen.export` writes the files.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen import _core
from tengen.engine.errors import BadNet
from tengen.engine.net_layout import ALIGNMENT, Architecture, TensorLayout, layout, payload_bytes
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Colour, Rule

if TYPE_CHECKING:
    import numpy.typing as npt

DTYPES = {"f16": "<f2", "f32": "<f4", "i8": "<i1", "i16": "<i2", "i32": "<i4"}
MAX_FILE = 64 << 20  # bytes
_MAGIC = b"TENGENN1"
_FORMAT = 1
_FIXED = struct.Struct("<8sIIQIIQQHHIQ")
_RULES = tuple(Rule)
_JSON_TYPES: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("name", "architecture", "run", "description", "made"), str),
    "scales": dict,
    "value_curve": (dict, type(None)),
}


@dataclass(frozen=True)
class NetHeader:
    """What a net file says about its net."""

    architecture: Architecture
    rules: tuple[Rule, ...]
    sizes: tuple[int, ...]
    colours: tuple[Colour, ...] = (Colour.BLACK, Colour.WHITE)  # the side to move
    name: str = ""
    run: str = ""  # the training run that made the net
    description: str = ""
    made: str = ""  # the version of tengen that wrote the file
    scales: Mapping[str, Any] = field(default_factory=dict)
    value_curve: Mapping[str, Any] | None = None  # from value logits to a win rate
    codebook_checksum: int = 0  # CRC-32 of codebook hv << 32 | CRC-32 of codebook di; 0: unknown
    payload_crc: int = 0
    payload_start: int = 0  # bytes from the start of the file

    def __post_init__(self) -> None:
        if not (self.rules and self.sizes and self.colours):
            raise BadNet("a net must support at least one rule, one board size and one colour")
        if not all(MIN_SIZE <= size <= MAX_SIZE for size in self.sizes):
            raise BadNet(f"board sizes go from {MIN_SIZE} to {MAX_SIZE}, not {self.sizes}")

    def supports(self, rule: Rule, size: int, colour: Colour | None = None) -> bool:
        """Whether the net is for the rule, the size and the side to move (None: both sides)."""
        colours = {colour} if colour else set(Colour)
        return rule in self.rules and size in self.sizes and colours <= set(self.colours)

    def check_supports(self, rule: Rule, size: int, colour: Colour | None = None) -> None:
        """Raise BadNet, with what the net is for, unless it `supports` them."""
        if not self.supports(rule, size, colour):
            wanted = f"{rule} {size}x{size}" + (f" with {colour} to move" if colour else "")
            raise BadNet(f"this net is not for {wanted}: it is for {self.purpose()}")

    def purpose(self) -> str:
        """Rules, sizes and colours as text: `freestyle, size 13 to 15, black to move`."""
        spans: list[list[int]] = []
        for size in sorted(set(self.sizes)):
            if spans and spans[-1][1] == size - 1:
                spans[-1][1] = size
            else:
                spans.append([size, size])
        sizes = ", ".join(f"{a}" if a == b else f"{a} to {b}" for a, b in spans)
        colours = "" if len(self.colours) == 2 else f", {self.colours[0]} to move"
        return f"{', '.join(self.rules)}, size {sizes}{colours}"


@dataclass(frozen=True, eq=False)
class NetFile:
    """The content of a net file: tensors by name, as `layout` lists them."""

    header: NetHeader
    tensors: Mapping[str, npt.NDArray[Any]]


def header_bytes(header: NetHeader, payload: bytes) -> bytes:
    """The fixed part and the JSON part of a file with this payload."""
    names = [name for name in _JSON_TYPES if name not in ("name", "architecture")]
    values = {"name": header.name, "architecture": str(header.architecture)}
    values |= {name: getattr(header, name) for name in names}
    text = json.dumps(values, indent=1).encode("ascii")
    text += b" " * (-len(text) % ALIGNMENT)
    fixed = _FIXED.pack(
        _MAGIC,
        _FORMAT,
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
    """The header of a file. Checks the length of the file, does not read the payload.

    Raises BadNet, OSError.
    """
    with Path(path).open("rb") as file:
        start = file.read(_core.MAX_NET_HEADER)
        length = file.seek(0, os.SEEK_END) if file.seekable() else None
    try:
        return parse_header(start, length)
    except BadNet as error:
        raise _with_path(path, error) from None


def _with_path(path: str | os.PathLike[str], error: BadNet) -> BadNet:
    is_onnx = Path(path).suffix.lower() == ".onnx"
    advice = "an ONNX file: engines play with it, all other commands need the .net file"
    return BadNet(advice if is_onnx else error.reason, os.fspath(path))


def parse_header(start: bytes, length: int | None) -> NetHeader:
    """The header at the start of a file of `length` bytes (None: unknown). Raises BadNet."""
    try:
        head = _core.NetHeader.read(start, length)
    except ValueError as error:
        raise BadNet(str(error)) from None
    values = _read_json(head.json)
    architecture = Architecture.parse(values["architecture"])
    expected = payload_bytes(architecture)
    if architecture.hash != head.architecture_hash or head.payload_bytes != expected:
        problem = f"{head.payload_bytes:,} bytes of weights, not {expected:,}"
        raise BadNet(f"damaged: {problem} as {values['architecture']!r} has")
    return NetHeader(
        **{**values, "architecture": architecture},
        rules=tuple(rule for number, rule in enumerate(_RULES) if head.rules >> number & 1),
        sizes=tuple(size for size in range(MIN_SIZE, MAX_SIZE + 1) if head.sizes >> size & 1),
        colours=tuple(colour for colour in Colour if head.colours & colour),
        codebook_checksum=head.codebook_checksum,
        payload_crc=head.payload_crc,
        payload_start=head.payload_start,
    )


def _read_json(text: bytes) -> dict[str, Any]:
    """The known fields of the JSON part, which must have the right types; others are ignored."""
    try:
        values = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError):
        raise BadNet("damaged: the header is not JSON") from None
    if not isinstance(values, dict):
        raise BadNet("damaged: the header is not a JSON object")
    for name, kind in _JSON_TYPES.items():
        if not isinstance(values.get(name), kind):
            raise BadNet(f'damaged: "{name}" is missing in the header, or of a wrong type')
    return {name: values[name] for name in _JSON_TYPES}


def read_net(path: str | os.PathLike[str]) -> NetFile:
    """Read a file and check all of it. Raises BadNet, OSError."""
    with Path(path).open("rb") as file:
        data = file.read(MAX_FILE + 1)
    try:
        return parse_net(data)
    except BadNet as error:
        raise _with_path(path, error) from None


def parse_net(data: bytes) -> NetFile:
    """A net from the bytes of its file. Raises BadNet."""
    import numpy as np

    if len(data) > MAX_FILE:
        raise BadNet(f"larger than {MAX_FILE >> 20} MiB, the maximum size of a net file")
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


def check_range(row: TensorLayout, tensor: npt.NDArray[Any]) -> None:
    """Raise BadNet for numbers with which the integer net could overflow."""
    import numpy as np

    if row.limit:
        wrong = np.abs(tensor.astype(np.int64)) > row.limit
        problem = f"beyond {row.limit}; they range from {tensor.min()} to {tensor.max()}"
    else:
        wrong, problem = ~np.isfinite(tensor), "not finite"
    if count := int(wrong.sum()):
        raise BadNet(f"{row.name}: {count} of {tensor.size} weights are {problem}")
