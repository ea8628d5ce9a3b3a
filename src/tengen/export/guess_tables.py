# SPDX-License-Identifier: MIT
"""The file of a net's guesses (docs/formats/guess.md), written, read, and worked out in whole
numbers as the native core does it. NumPy alone. Relies on `combos`; `guess_fit` makes such tables.
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

__all__ = ["HIDDEN", "LANES", "GuessSide", "GuessTables"]

LANES = 16  # of a row; the first is in points, the others in 1/512
HIDDEN = 16
LANE_SHIFT, FIRST_SHIFT, SECOND_SHIFT = 3, 10, 16
_MOST_POINTS = 8_000_000  # beyond it there are proofs
_MAGIC = b"TGGUESS1"
_HEADER = struct.Struct("<8sIII")


@dataclass(frozen=True)
class GuessSide:
    """The numbers of one colour, in the order of the file: what its points add when it is to move
    and when it waits, and what is made of the sums when it is to move.
    """

    to_move: npt.NDArray[np.int16]  # [COMBOS, LANES]
    waiting: npt.NDArray[np.int16]  # [COMBOS, LANES]
    by_threats: npt.NDArray[np.int16]  # [MASKS, LANES]
    first: npt.NDArray[np.int16]  # [LANES, HIDDEN]; the first row is not used
    first_bias: npt.NDArray[np.int32]  # [HIDDEN]
    second: npt.NDArray[np.int32]  # [HIDDEN]

    def head(self, lanes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Points from sums, `[n, LANES]`."""
        inputs = np.maximum(lanes[:, 1:], 0) >> LANE_SHIFT
        sums = inputs @ self.first[1:].astype(np.int64) + self.first_bias
        hidden = np.maximum(sums, 0) >> FIRST_SHIFT
        points = hidden @ self.second.astype(np.int64) >> SECOND_SHIFT
        return np.asarray(np.clip(lanes[:, 0] + points, -_MOST_POINTS, _MOST_POINTS))


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
class GuessTables:
    """The guesses of a net for a rule: of both colours, or one for both."""

    rule: Rule
    sides: Sequence[GuessSide]

    def to_bytes(self) -> bytes:
        body = b""
        for side in self.sides:
            for part in fields(GuessSide):
                array = getattr(side, part.name)
                if array.shape != _SHAPES[part.name]:
                    raise ValueError(f"{part.name} has the shape {array.shape}")
                body += array.astype(_type_of(part.name), casting="same_kind").tobytes()
        head = _HEADER.pack(_MAGIC, list(Rule).index(self.rule), zlib.crc32(body), len(self.sides))
        return head + body

    @classmethod
    def from_bytes(cls, data: bytes) -> GuessTables:
        """Raises BadTables with a sentence."""
        if data[: len(_MAGIC)] != _MAGIC or len(data) < _HEADER.size:
            raise BadTables("not a file of guesses")
        _, rule, checksum, sides = _HEADER.unpack_from(data)
        body = data[_HEADER.size :]
        if sides not in (1, 2) or len(body) != sides * _SIDE_BYTES:
            raise BadTables("the file of guesses is cut short, or something was added")
        if zlib.crc32(body) != checksum or rule >= len(Rule):
            raise BadTables("the guesses are damaged: their checksum is wrong")
        found, at = [], 0
        for _ in range(sides):
            arrays: dict[str, npt.NDArray[Any]] = {}
            for name, shape in _SHAPES.items():
                kind, count = _type_of(name), int(np.prod(shape))
                arrays[name] = np.frombuffer(body, kind, count, at).reshape(shape)
                at += count * kind.itemsize
            found.append(GuessSide(**arrays))
        return cls(list(Rule)[rule], found)

    def _side(self, place: int) -> GuessSide:
        return self.sides[min(place, len(self.sides) - 1)]

    def values(
        self, boards: npt.NDArray[np.uint8], to_move: npt.NDArray[np.uint8]
    ) -> npt.NDArray[np.int64]:
        """Guesses in points for the sides to move (1 black, 2 white), `[n]`; boards `[n, s, s]`."""
        both = combos(boards, self.rule)
        mask = masks(batch.threats(boards, self.rule, threads=1), to_move)
        empty = boards.reshape(len(boards), -1) == 0
        values = np.zeros(len(boards), np.int64)
        for place in range(2):
            rows = np.flatnonzero(to_move == place + 1)
            own, other = self._side(place), self._side(1 - place)
            lanes = own.by_threats[mask[rows]].astype(np.int64)
            for n, row in enumerate(rows):
                lanes[n] += own.to_move[both[row, place][empty[row]]].sum(0, dtype=np.int64)
                lanes[n] += other.waiting[both[row, 1 - place][empty[row]]].sum(0, dtype=np.int64)
            values[rows] = own.head(lanes)
        return values
