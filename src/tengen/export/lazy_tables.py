# SPDX-License-Identifier: MIT
"""Lazy evaluation tables of a net (docs/formats/guess.md): the file format, and the integer
evaluation as the native core computes it. NumPy only; `lazy_fit` makes the tables.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.engine.errors import BadTables
from tengen.export.combos import COMBOS, MASKS, combos, masks
from tengen.game import batch
from tengen.game.rule import Rule

LANES = 16  # of a row; the first is in evaluation units, the others in 1/512
HIDDEN = 16
LANE_SHIFT, FIRST_SHIFT, SECOND_SHIFT = 3, 10, 16
_MAX_VALUE = 8_000_000  # larger values are proofs
_MAGIC = b"TGGUESS1"
_HEADER = struct.Struct("<8sIII")


@dataclass(frozen=True)
class LazySide:
    """The tables of one colour, in the order of the file: rows of its points when it is to move and
    when it waits, and the layers that are applied when it is to move.
    """

    to_move: npt.NDArray[np.int16]  # [COMBOS, LANES]
    waiting: npt.NDArray[np.int16]  # [COMBOS, LANES]
    by_threats: npt.NDArray[np.int16]  # [MASKS, LANES]
    first: npt.NDArray[np.int16]  # [LANES, HIDDEN]; row 0 is unused
    first_bias: npt.NDArray[np.int32]  # [HIDDEN]
    second: npt.NDArray[np.int32]  # [HIDDEN]

    def head(self, lanes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Values from sums `[n, LANES]`."""
        inputs = np.maximum(lanes[:, 1:], 0) >> LANE_SHIFT
        sums = inputs @ self.first[1:].astype(np.int64) + self.first_bias
        hidden = np.maximum(sums, 0) >> FIRST_SHIFT
        value = hidden @ self.second.astype(np.int64) >> SECOND_SHIFT
        return np.asarray(np.clip(lanes[:, 0] + value, -_MAX_VALUE, _MAX_VALUE))


_SHAPES = {
    "to_move": (COMBOS, LANES),
    "waiting": (COMBOS, LANES),
    "by_threats": (MASKS, LANES),
    "first": (LANES, HIDDEN),
    "first_bias": (HIDDEN,),
    "second": (HIDDEN,),
}
_TYPES = {"first_bias": np.dtype("<i4"), "second": np.dtype("<i4")}


def _type_of(name: str) -> np.dtype[np.int16] | np.dtype[np.int32]:
    return _TYPES.get(name, np.dtype("<i2"))


_SIDE_BYTES = sum(int(np.prod(shape)) * _type_of(n).itemsize for n, shape in _SHAPES.items())


@dataclass(frozen=True)
class LazyTables:
    """The tables of a net for a rule: one side per colour, or one for both."""

    rule: Rule
    sides: Sequence[LazySide]

    def to_bytes(self) -> bytes:
        body = b""
        for side in self.sides:
            for part in fields(LazySide):
                array = getattr(side, part.name)
                if array.shape != _SHAPES[part.name]:
                    raise ValueError(f"{part.name} has the shape {array.shape}")
                body += array.astype(_type_of(part.name), casting="same_kind").tobytes()
        head = _HEADER.pack(_MAGIC, list(Rule).index(self.rule), zlib.crc32(body), len(self.sides))
        return head + body

    @classmethod
    def from_bytes(cls, data: bytes) -> LazyTables:
        """Raises BadTables."""
        if data[: len(_MAGIC)] != _MAGIC or len(data) < _HEADER.size:
            raise BadTables("not a file of lazy evaluation tables")
        _, rule, checksum, sides = _HEADER.unpack_from(data)
        body = data[_HEADER.size :]
        if sides not in (1, 2) or len(body) != sides * _SIDE_BYTES:
            raise BadTables("the file is cut short, or something was added")
        if zlib.crc32(body) != checksum or rule >= len(Rule):
            raise BadTables("the tables are damaged: the checksum is wrong")
        parsed, at = [], 0
        for _ in range(sides):
            arrays: dict[str, npt.NDArray[Any]] = {}
            for name, shape in _SHAPES.items():
                kind, count = _type_of(name), int(np.prod(shape))
                arrays[name] = np.frombuffer(body, kind, count, at).reshape(shape)
                at += count * kind.itemsize
            parsed.append(LazySide(**arrays))
        return cls(list(Rule)[rule], parsed)

    def _side(self, index: int) -> LazySide:
        return self.sides[min(index, len(self.sides) - 1)]

    def values(
        self, boards: npt.NDArray[np.uint8], to_move: npt.NDArray[np.uint8]
    ) -> npt.NDArray[np.int64]:
        """Values `[n]` for the sides to move (1 black, 2 white); boards `[n, s, s]`."""
        both = combos(boards, self.rule)
        mask = masks(batch.threats(boards, self.rule, threads=1), to_move)
        empty = boards.reshape(len(boards), -1) == 0
        values = np.zeros(len(boards), np.int64)
        for side in range(2):
            rows = np.flatnonzero(to_move == side + 1)
            own, other = self._side(side), self._side(1 - side)
            lanes = own.by_threats[mask[rows]].astype(np.int64)
            for n, row in enumerate(rows):
                lanes[n] += own.to_move[both[row, side][empty[row]]].sum(0, dtype=np.int64)
                lanes[n] += other.waiting[both[row, 1 - side][empty[row]]].sum(0, dtype=np.int64)
            values[rows] = own.head(lanes)
        return values
