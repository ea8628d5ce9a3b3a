# SPDX-License-Identifier: MIT
"""The architecture text of a net file, its hash, and the order, types and offsets of the tensors
that follow from it (docs/formats/net.md). Standard library only. `net_file` and tengen.export use
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from tengen.engine.errors import BadNet

ALIGNMENT = 64  # bytes; of the start of each tensor
BLOCKS = 4  # of a mapping network
DYNAMIC_OUTPUTS = 16
MAX_WIDTH = 1024  # channels; a larger number means a damaged file
# Beyond these, a sum of the integer net could overflow; docs/formats/net.md has the proof.
LIMITS = {
    "conv.w": 2**15 - 1,
    "conv.b": 2**13,
    "policy.out.w": 2**13 - 1,
    "policy.out.b": 2**30,
}
LINEAR_LIMIT = {"i8": 127, "i32": 2**28}
ITEM_BYTES = {"f16": 2, "f32": 4, "i8": 1, "i16": 2, "i32": 4}

_TEXT = re.compile(
    r"mixnet c=(\d{1,4}) m=(\d{1,4}) p=(\d{1,4}) v=(\d{1,4})"
    r" conv_relu=([01]) star=([01]) groups=([01]) dynamic=([01])"
)


@dataclass(frozen=True)
class Architecture:
    """A Mixnet as a file describes it. `str()` is the text that the hash is computed from."""

    channels: int  # C, of the feature map
    mapping: int  # M, of the mapping networks
    policy: int  # P, channels that the policy head reads
    value: int  # V, width of the value head
    conv_relu: bool = True  # ReLU after the depth-wise convolution
    star: bool = True  # star blocks in the value head
    groups: bool = True  # value groups
    dynamic: bool = True  # dynamic convolution in the policy head

    def __post_init__(self) -> None:
        widths = (self.channels, self.mapping, self.policy, self.value)
        if not all(1 <= width <= MAX_WIDTH for width in widths) or self.channels % 2:
            raise BadNet(f"invalid widths: {str(self)!r}")
        if self.policy > self.channels:
            raise BadNet(f"the policy cannot read {self.policy} of {self.channels} channels")

    def __str__(self) -> str:
        widths = f"c={self.channels} m={self.mapping} p={self.policy} v={self.value}"
        parts = f"conv_relu={self.conv_relu:d} star={self.star:d}"
        return f"mixnet {widths} {parts} groups={self.groups:d} dynamic={self.dynamic:d}"

    @classmethod
    def parse(cls, text: str) -> Architecture:
        """The inverse of `str`. Raises BadNet."""
        match = _TEXT.fullmatch(text)
        if not match:
            example = cls(32, 64, 16, 32)
            raise BadNet(f"no architecture {text[:100]!r}: a valid one is {str(example)!r}")
        c, m, p, v, *parts = (int(part) for part in match.groups())
        result = cls(c, m, p, v, *map(bool, parts))
        if str(result) != text:
            raise BadNet(f"the architecture {text!r} should be written {str(result)!r}")
        return result

    @property
    def hash(self) -> int:
        return fnv1a64(str(self).encode("ascii"))

    def require_complete(self) -> None:
        """Raise BadNet for an ablation, a net that lacks a part: only training and ONNX support
        those."""
        parts = ("conv_relu", "star", "groups", "dynamic")
        if missing := [name for name in parts if not getattr(self, name)]:
            problem = f"a net without {', '.join(missing)} cannot be stored"
            raise BadNet(f"{problem}: net files hold complete Mixnets only (ONNX takes any net)")


def fnv1a64(data: bytes) -> int:
    """The hash FNV-1a of 64 bits."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & (2**64 - 1)
    return value


@dataclass(frozen=True)
class TensorLayout:
    """One tensor of the payload."""

    name: str
    kind: str  # f16, f32, i8, i16, i32; little endian
    shape: tuple[int, ...]  # row by row, [out][in]
    limit: int  # integers reach from -limit to limit; 0 for floats, which must be finite
    offset: int  # bytes from the start of the payload

    @property
    def bytes(self) -> int:
        return prod(self.shape) * ITEM_BYTES[self.kind]


def layout(net: Architecture) -> tuple[TensorLayout, ...]:
    """All tensors in the order of the file. Raises BadNet for a net that files cannot hold."""
    net.require_complete()
    offset, tensors = 0, []
    for name, kind, shape in _tensors(net):
        limit = LIMITS.get(name) or LINEAR_LIMIT.get(kind, 0)
        tensors.append(tensor := TensorLayout(name, kind, shape, limit, offset))
        offset = -(-(offset + tensor.bytes) // ALIGNMENT) * ALIGNMENT
    return tuple(tensors)


def payload_bytes(net: Architecture) -> int:
    """Length of the payload; nothing follows the last tensor."""
    last = layout(net)[-1]
    return last.offset + last.bytes


_Row = tuple[str, str, tuple[int, ...]]


def _tensors(net: Architecture) -> Iterator[_Row]:
    c, m, v = net.channels, net.mapping, net.value
    for book in ("hv", "di"):
        yield f"{book}.dir0.w", "f16", (m, 2, 3)
        yield f"{book}.dir0.b", "f32", (m,)
        for block in range(1, BLOCKS + 1):
            yield f"{book}.dir{block}.w", "f16", (m, m, 3)
            yield f"{book}.dir{block}.b", "f32", (m,)
            yield f"{book}.pw{block}.w", "f16", (m, m)
            yield f"{book}.pw{block}.b", "f32", (m,)
        yield f"{book}.out.w", "f16", (c, m)
        yield f"{book}.out.b", "f32", (c,)
    yield "conv.w", "i16", (c // 2, 9)
    yield "conv.b", "i16", (c // 2,)
    yield from _linear("policy.lin1", c, c)
    yield from _linear("policy.dyn", DYNAMIC_OUTPUTS * (net.policy + 1), c)
    yield "policy.out.w", "i16", (DYNAMIC_OUTPUTS,)
    yield "policy.out.b", "i32", (1,)
    for star, inputs in (("corner", c), ("edge", c), ("centre", c), ("quad", v)):
        yield from _linear(f"value.{star}.lin1", 2 * inputs, inputs)
        yield from _linear(f"value.{star}.lin2", 2 * inputs, inputs)
        yield from _linear(f"value.{star}.lin3", v, inputs)
    yield from _linear("value.mlp1", v, c + 4 * v)
    yield from _linear("value.mlp2", v, v)
    yield from _linear("value.mlp3", 3, v)


def _linear(name: str, outputs: int, inputs: int) -> Iterator[_Row]:
    yield f"{name}.w", "i8", (outputs, inputs)
    yield f"{name}.b", "i32", (outputs,)
