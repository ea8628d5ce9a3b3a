# SPDX-License-Identifier: MIT
"""Rows of a data set: their columns, `Batch` (rows in memory), and their validation.

docs/formats/shards.md describes the columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.data.errors import BadData
from tengen.data.packing import bytes_of, unpack

REQUIRED = ("board", "move", "prob", "value")
OPTIONAL = ("to_move", "ply", "game", "source", "result", "root")

_TYPES = {
    "board": "|u1",
    "move": "<u2",
    "prob": "|u1",
    "value": "|u1",
    "to_move": "|u1",
    "ply": "<u2",
    "game": "<i4",
    "source": "|u1",
    "result": "|u1",
    "root": "|u1",
}
_CHECK_CHUNK = 1 << 15  # rows; bounds the memory of a check

Column: TypeAlias = "npt.NDArray[Any]"
Mask: TypeAlias = "npt.NDArray[np.bool_]"


class Batch(NamedTuple):
    """Rows, one array per column. Values and policies are for the side to move.

    `prob` are weights that sum to about 255, so divide by their sum.
    """

    board: Column  # uint8 [B, bytes_of(size)]: packed, see packing
    move: Column  # uint16 [B, K]: indices of points
    prob: Column  # uint8 [B, K]: weight of each move; 0: not used
    value: Column  # uint8 [B, 2]: win and loss out of 255; the rest is draw
    to_move: Column | None = None  # uint8 [B]: 1 black, 2 white
    ply: Column | None = None  # uint16 [B]: moves played before, including set-up stones
    game: Column | None = None  # int32 [B]: number of the game
    source: Column | None = None  # uint8 [B]: a mark of the origin of the row
    result: Column | None = None  # uint8 [B]: of the game: 0 loss, 1 draw, 2 win
    root: Column | None = None  # uint8 [B, 2]: win and loss by the search, out of 255


def present(batch: Batch) -> dict[str, Column]:
    """The columns that a batch has, by name."""
    return {name: column for name, column in batch._asdict().items() if column is not None}


def join(batches: Sequence[Batch]) -> Batch:
    """Concatenated batches, which must have the same columns."""
    if len(batches) == 1:
        return batches[0]
    names = present(batches[0])
    if any(present(batch).keys() != names.keys() for batch in batches):
        raise BadData("batches with different columns cannot be joined")
    return Batch(**{name: np.concatenate([getattr(b, name) for b in batches]) for name in names})


class RowFormat(NamedTuple):
    """Types and shapes of the columns of a data set."""

    size: int  # of the board
    moves: int  # K: policy moves per row

    def dtype(self, column: str) -> np.dtype[Any]:
        return np.dtype(_TYPES[column])

    def shape(self, column: str, count: int) -> tuple[int, ...]:
        widths = {"board": bytes_of(self.size), "move": self.moves, "prob": self.moves}
        widths |= {"value": 2, "root": 2}
        return (count, widths[column]) if column in widths else (count,)

    def fitted(self, batch: Batch) -> Batch:
        """The batch with exactly the types of the format. Raises BadData where that would lose
        information, or where a shape differs.
        """
        count = len(batch.board)
        return Batch(
            **{n: self._convert(n, np.asarray(c), count) for n, c in present(batch).items()}
        )

    def _convert(self, name: str, column: Column, count: int) -> Column:
        wanted = self.shape(name, count)
        if column.shape != wanted:
            raise BadData(f"column {name!r} has shape {column.shape}: expected {wanted}")
        dtype = self.dtype(name)
        if column.dtype != dtype:
            limits = np.iinfo(dtype)
            if column.dtype.kind not in "biu":
                raise BadData(f"column {name!r} holds {column.dtype}: expected {dtype}")
            if column.size and not limits.min <= column.min() <= column.max() <= limits.max:
                raise BadData(f"column {name!r} holds numbers that {dtype} cannot hold")
        return np.ascontiguousarray(column, dtype=dtype)


def check(batch: Batch, form: RowFormat, first: int = 0) -> None:
    """Validate rows of the right types. Raises BadData with the number of the first invalid row;
    `first` is the number of row 0.
    """
    for start in range(0, len(batch.board), _CHECK_CHUNK):
        part = slice(start, start + _CHECK_CHUNK)
        few = Batch(**{name: column[part] for name, column in present(batch).items()})
        for wrong, problem in _problems(few, form):
            if wrong.any():
                row = first + start + int(np.flatnonzero(wrong)[0])
                raise BadData(f"row {row}: {problem} ({int(wrong.sum())} of {len(wrong)} rows)")


def _problems(batch: Batch, form: RowFormat) -> Iterator[tuple[Mask, str]]:
    """(mask of the invalid rows, problem). Later checks rely on earlier ones."""
    area = form.size * form.size
    yield _some((batch.board & (batch.board >> 1) & 0x55) != 0), "a point with stone 3"
    if spare := area % 4:
        yield (batch.board[:, -1] >> (2 * spare)) != 0, "bits set after the last point"
    yield _some(batch.move >= area), f"a move off the {form.size}x{form.size} board"
    used = batch.prob > 0
    yield ~_some(used), "no policy move with a weight"
    cells = unpack(batch.board, form.size).reshape(-1, area)
    stones = np.take_along_axis(cells, batch.move.astype(np.int64), axis=1)
    yield _some(used & (stones > 0)), "a policy move on a stone"
    if form.moves > 1:
        # Unused moves get distinct numbers, so that only used ones can be equal.
        distinct = np.where(used, batch.move, area + np.arange(form.moves)).astype(np.int32)
        distinct.sort(axis=1)
        yield _some(distinct[:, 1:] == distinct[:, :-1]), "a policy move given twice"
    total = batch.value.astype(np.uint16).sum(axis=1)
    yield total > 255, "win and loss sum to more than 255"
    if batch.to_move is not None:
        yield (
            (batch.to_move < 1) | (batch.to_move > 2),
            "to_move is neither 1 (black) nor 2 (white)",
        )
    if batch.result is not None:
        yield batch.result > 2, "result is neither 0 (loss), 1 (draw) nor 2 (win)"
    if batch.root is not None:
        total = batch.root.astype(np.uint16).sum(axis=1)
        yield total > 255, "win and loss of the root sum to more than 255"


def _some(marks: Mask) -> Mask:
    """Rows with at least one mark."""
    return np.asarray(marks.any(axis=1))
