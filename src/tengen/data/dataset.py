# SPDX-License-Identifier: MIT
"""`Dataset`: a folder of memory-mapped shards; `DatasetView`: its rows for training or validation.

Rows are read by number, in any order, and stay packed: training unpacks them on its device.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.data.errors import BadData, Unfinished
from tengen.data.manifest import Manifest, Validation
from tengen.data.rows import REQUIRED, Batch, Column, check
from tengen.data.shards import map_column, verify_column
from tengen.game.rule import Colour, Rule

Split = Literal["train", "validation", "all"]
Numbers: TypeAlias = "npt.NDArray[np.int64]"

_VERIFY_CHUNK = 1 << 17  # rows


class Dataset:
    """The rows of all shards, concatenated. Safe to read from several threads.

    Rows that are written later appear when the folder is opened again.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        """Use `open`."""
        self.folder = folder
        self.manifest = manifest
        self.name, self.rule, self.size = manifest.name, manifest.rule, manifest.size
        self.columns = manifest.columns
        self.policy_moves = manifest.policy_moves  # K: moves of a row's policy
        self._parts: dict[str, list[Column]] = {
            column: [map_column(folder, s, column, manifest.row_format) for s in manifest.shards]
            for column in manifest.columns
        }
        # First row number of each shard, and the number of all rows.
        self._begins = np.cumsum([0, *(shard.positions for shard in manifest.shards)])

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, unfinished: bool = False) -> Dataset:
        """The data set of a folder. Checks the sizes of all files, not their content (`verify`).

        Raises BadData, Unfinished if an import is not complete (unless `unfinished`), OSError.
        """
        path = Path(folder)
        manifest = Manifest.load(path)
        if not (manifest.finished or unfinished):
            problem = f"{path}: the import stopped after {manifest.positions:,} positions"
            raise Unfinished(f"{problem}; run the same `tengen data import` again to finish it")
        return cls(path, manifest)

    def __len__(self) -> int:
        return int(self._begins[-1])

    def require(self, rule: Rule | str | None = None, size: int | None = None) -> Dataset:
        """Itself, if it has this rule and board size. Raises BadData."""
        if rule is not None and self.rule != Rule.parse(rule):
            raise BadData(f"{self.folder} has rule {self.rule}, not {rule}")
        if size is not None and self.size != size:
            raise BadData(f"{self.folder} has board size {self.size}, not {size}")
        return self

    def resplit(self, validation: Validation) -> Dataset:
        """The same rows with another split. Raises BadData for a split by game if the column `game`
        is missing.
        """
        try:
            return Dataset(self.folder, replace(self.manifest, validation=validation))
        except BadData as error:
            raise BadData(f"{self.folder}: {error}") from None

    def column(self, name: str) -> Iterator[Column]:
        """A column, shard by shard, memory-mapped."""
        if name not in self._parts and self.manifest.shards:
            raise BadData(f"{self.folder} has no column {name!r}: it has {', '.join(self.columns)}")
        yield from self._parts.get(name, ())

    def rows(self, indices: npt.ArrayLike) -> Batch:
        """The rows of these numbers, in their order. Raises IndexError for numbers out of range,
        negative ones too.
        """
        wanted = _indices(indices, len(self))
        if len(self.manifest.shards) == 1:
            return Batch(**{n: np.take(parts[0], wanted, 0) for n, parts in self._parts.items()})
        pieces = list(self._pieces(wanted))
        names = self.columns or REQUIRED  # an empty set has empty columns
        return Batch(**{name: self._gather(name, len(wanted), pieces) for name in names})

    def _pieces(self, wanted: Numbers) -> Iterator[tuple[int, Numbers, Numbers]]:
        """(shard, indices in the result, rows of the shard)."""
        shards = np.searchsorted(self._begins, wanted, side="right") - 1
        order = np.argsort(shards, kind="stable")
        ordered = shards[order]
        edges = np.flatnonzero(np.diff(ordered)) + 1
        for targets in np.split(order, edges) if len(order) else ():
            shard = int(shards[targets[0]])
            yield shard, targets, wanted[targets] - self._begins[shard]

    def _gather(self, name: str, count: int, pieces: list[tuple[int, Numbers, Numbers]]) -> Column:
        form = self.manifest.row_format
        result: Column = np.empty(form.shape(name, count), form.dtype(name))
        for shard, targets, rows in pieces:
            result[targets] = np.take(self._parts[name][shard], rows, 0)
        return result

    def slice(self, start: int, stop: int) -> Batch:
        """Consecutive rows; no copy if they are in one shard."""
        if not 0 <= start <= stop <= len(self):
            raise IndexError(f"no rows {start} to {stop}: there are {len(self)}")
        shard = int(np.searchsorted(self._begins, start, side="right")) - 1
        if shard < len(self.manifest.shards) and stop <= self._begins[shard + 1]:
            local = slice(start - int(self._begins[shard]), stop - int(self._begins[shard]))
            return Batch(**{name: parts[shard][local] for name, parts in self._parts.items()})
        return self.rows(np.arange(start, stop))

    def split(self, which: Split, colour: Colour | None = None) -> DatasetView:
        """The rows for training, for validation, or all; with `colour` only those with it to move.

        Raises BadData for a colour if the column `to_move` is missing.
        """
        if which not in ("train", "validation", "all"):
            raise BadData(f"no split {which!r}: known are train, validation, all")
        ranges = self._split_ranges(which)
        if colour is not None:
            ranges = _intersection(
                ranges, _runs(part == int(colour) for part in self.column("to_move"))
            )
        return DatasetView(self, ranges, colour)

    def _split_ranges(self, which: Split) -> Numbers:
        if which == "all":
            return np.array([[0, len(self)]])
        validation = self.manifest.validation
        if validation.unit == "game" and self.manifest.shards:
            inside = _game_ranges(self.column("game"), validation)
        else:
            inside = _block_ranges(len(self), validation)
        return inside if which == "validation" else _complement(inside, len(self))

    def verify(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Check all checksums and rows. Raises BadData. `progress` gets bytes done and total."""
        shards = self.manifest.shards
        total = sum(s.file(self.folder, c).stat().st_size for s in shards for c in s.columns)
        done = 0

        def on_read(count: int) -> None:
            nonlocal done
            done += count
            if progress is not None:
                progress(done, total)

        for number, shard in enumerate(shards):
            for column in shard.columns:
                verify_column(self.folder, shard, column, on_read)
            begin, end = int(self._begins[number]), int(self._begins[number + 1])
            for start in range(begin, end, _VERIFY_CHUNK):
                few = self.slice(start, min(end, start + _VERIFY_CHUNK))
                try:
                    check(few, self.manifest.row_format, start)
                except BadData as error:
                    raise BadData(f"{self.folder}, shard {shard.name}: {error}") from None


class DatasetView:
    """Some rows of a data set, numbered from 0; stored as ranges."""

    def __init__(self, dataset: Dataset, ranges: Numbers, colour: Colour | None = None) -> None:
        """`ranges[N, 2]`: start and stop rows, ascending, not overlapping. `colour`: the side to
        move in all of them, if they were selected by it.
        """
        kept = ranges.reshape(-1, 2)
        kept = kept[kept[:, 1] > kept[:, 0]]
        self.dataset = dataset
        self.colour = colour
        self._starts = kept[:, 0]
        self._before = np.concatenate([[0], np.cumsum(kept[:, 1] - kept[:, 0])])

    def __len__(self) -> int:
        return int(self._before[-1])

    def numbers(self, indices: npt.ArrayLike) -> Numbers:
        """Row numbers in the data set for row numbers of this view. Raises IndexError."""
        wanted = _indices(indices, len(self))
        which = np.searchsorted(self._before, wanted, side="right") - 1
        numbers: Numbers = self._starts[which] + wanted - self._before[which]
        return numbers

    def rows(self, indices: npt.ArrayLike) -> Batch:
        """The rows of these numbers of the view, in their order. Raises IndexError."""
        return self.dataset.rows(self.numbers(indices))

    def batches(self, batch_size: int) -> Iterator[Batch]:
        """All rows once, in order; the last batch may be smaller."""
        for start in range(0, len(self), batch_size):
            yield self.rows(np.arange(start, min(len(self), start + batch_size)))


def _indices(indices: npt.ArrayLike, count: int) -> Numbers:
    rows: npt.NDArray[Any] = np.asarray(indices)
    if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
        raise IndexError(f"row numbers of shape {rows.shape} and type {rows.dtype}: use a list")
    if rows.size and (rows.min() < 0 or rows.max() >= count):
        wrong = int(rows.min()) if rows.min() < 0 else int(rows.max())
        raise IndexError(f"no row {wrong}: there are {count}")
    return rows.astype(np.int64, copy=False)


def _block_ranges(count: int, validation: Validation) -> Numbers:
    """The ranges of validation rows, for blocks of rows."""
    if not validation.every:
        return np.empty((0, 2), np.int64)
    blocks = np.arange(-(-count // validation.block))
    starts = np.flatnonzero(_is_chosen(blocks, validation)) * validation.block
    return np.stack([starts, np.minimum(starts + validation.block, count)], axis=1)


def _game_ranges(games: Iterator[Column], validation: Validation) -> Numbers:
    """The ranges of validation rows, for blocks of games."""
    if not validation.every:
        return np.empty((0, 2), np.int64)
    return _runs(_is_chosen(part // validation.block, validation) for part in games)


def _is_chosen(blocks: Column, validation: Validation) -> Column:
    """Whether these blocks are for validation: at each, the number of multiples of `every` so far
    grows.
    """
    every = validation.every
    chosen: Column = np.floor((blocks + 1) / every) > np.floor(blocks / every)
    return chosen


def _runs(parts: Iterable[Column]) -> Numbers:
    """The ranges of rows where a Boolean column, given shard by shard, is true."""
    ranges = [np.empty((0, 2), np.int64)]
    begin = 0
    for inside in parts:
        edges = np.diff(np.concatenate([[False], inside, [False]]).astype(np.int8))
        ranges.append(begin + np.stack([np.flatnonzero(edges > 0), np.flatnonzero(edges < 0)], 1))
        begin += len(inside)
    return np.concatenate(ranges)


def _intersection(left: Numbers, right: Numbers) -> Numbers:
    """The ranges of the rows that are in ranges of both."""
    # Range i of `left` overlaps the ranges first[i] to after[i] - 1 of `right`.
    first = np.searchsorted(right[:, 1], left[:, 0], side="right")
    after = np.searchsorted(right[:, 0], left[:, 1], side="left")
    counts = np.maximum(after - first, 0)
    before = np.concatenate([[0], np.cumsum(counts)])
    i = np.repeat(np.arange(len(left)), counts)
    k = np.arange(before[-1]) - before[i] + first[i]
    begins = np.maximum(left[i, 0], right[k, 0])
    return np.stack([begins, np.minimum(left[i, 1], right[k, 1])], 1)


def _complement(ranges: Numbers, count: int) -> Numbers:
    """The ranges of all other rows."""
    return np.concatenate([[0], ranges.ravel(), [count]]).reshape(-1, 2)
