# SPDX-License-Identifier: MIT
"""Reads and writes the file of the `classical` tables.

Little endian: the magic word, u32 rule, u32 CRC-32 of the rest, then i16 arrays in evaluation
units, 200 per logit: own[2][1365], opponent[2][1365], move_own[2][1365], move_opponent[2][1365],
mask[2][1024], bias[2]. The first index is the colour whose shapes (or whose turn) it is, black
first.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.engine.score import EVAL_PER_LOGIT
from tengen.export.combos import COMBOS, MASKS
from tengen.game.errors import TengenError
from tengen.game.rule import Rule

MAGIC = b"TGCLASS1"
LIMIT = 8000  # larger values are clipped
_HEADER = struct.Struct("<8sII")

EvalUnits: TypeAlias = "npt.NDArray[np.int16]"


class BadTables(TengenError, ValueError):
    """A file that does not hold classical tables."""


@dataclass(frozen=True)
class Tables:
    """All numbers of the evaluation for one rule, in evaluation units, in the order of the file."""

    own: EvalUnits  # [2, COMBOS]
    opponent: EvalUnits  # [2, COMBOS]
    move_own: EvalUnits  # [2, COMBOS]
    move_opponent: EvalUnits  # [2, COMBOS]
    mask: EvalUnits  # [2, MASKS]
    bias: EvalUnits  # [2]


SHAPES_OF_ARRAYS = {
    "own": (2, COMBOS),
    "opponent": (2, COMBOS),
    "move_own": (2, COMBOS),
    "move_opponent": (2, COMBOS),
    "mask": (2, MASKS),
    "bias": (2,),
}
_SIZE = _HEADER.size + 2 * sum(int(np.prod(shape)) for shape in SHAPES_OF_ARRAYS.values())


def to_eval(logits: npt.ArrayLike) -> EvalUnits:
    """Logits as rounded and clipped evaluation units."""
    units = np.rint(np.asarray(logits, dtype=np.float64) * EVAL_PER_LOGIT)
    return np.clip(units, -LIMIT, LIMIT).astype(np.int16)


def to_bytes(rule: Rule, tables: Tables) -> bytes:
    """The file of the tables of one rule."""
    body = b""
    for part in fields(Tables):
        array = getattr(tables, part.name)
        if array.shape != SHAPES_OF_ARRAYS[part.name] or array.dtype != np.int16:
            raise ValueError(f"{part.name} is {array.dtype} {array.shape}")
        body += array.astype("<i2").tobytes()
    return _HEADER.pack(MAGIC, list(Rule).index(rule), zlib.crc32(body)) + body


def from_bytes(data: bytes) -> tuple[Rule, Tables]:
    """The rule and the tables of a file; BadTables says what is wrong with it."""
    if data[: len(MAGIC)] != MAGIC:
        raise BadTables(f"not classical tables: the file does not begin with {MAGIC.decode()}")
    if len(data) != _SIZE:
        raise BadTables(f"classical tables have {_SIZE} bytes, this file has {len(data)}")
    _, number, checksum = _HEADER.unpack_from(data)
    body = data[_HEADER.size :]
    if zlib.crc32(body) != checksum:
        raise BadTables("the classical tables are damaged: the checksum does not fit")
    if number >= len(Rule):
        raise BadTables(
            f"the classical tables are for rule {number}: known are 0 to {len(Rule) - 1}"
        )
    arrays, at = {}, 0
    for name, shape in SHAPES_OF_ARRAYS.items():
        size = int(np.prod(shape))
        arrays[name] = np.frombuffer(body, "<i2", size, at).astype(np.int16).reshape(shape)
        at += 2 * size
    return list(Rule)[number], Tables(**arrays)


def write(path: Path, rule: Rule, tables: Tables) -> None:
    """Write the file, and make its folder where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(to_bytes(rule, tables))


def read(path: Path) -> tuple[Rule, Tables]:
    """The rule and the tables of the file at `path`."""
    return from_bytes(path.read_bytes())
