# SPDX-License-Identifier: MIT
"""Sources of batches. Two ways to feed a device, with identical batches: `Stream` reads shards with
threads and copies from pinned memory while the device computes; `Resident` holds the whole data set
in the memory of the device and gathers there.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tengen.data.batches import BatchReader, Mixture
from tengen.data.dataset import Dataset, DatasetView
from tengen.data.manifest import SPLITS, Validation
from tengen.data.rows import Batch as Rows
from tengen.data.shuffle import endless, part_seed
from tengen.game.rule import Colour
from tengen.train.config import DataConfig
from tengen.train.errors import BadTraining
from tengen.train.unpack import PackedRows, join_packed

Numbers = npt.NDArray[np.int64]
_READ_CHUNK = 1 << 17  # rows copied to the device at a time
_CHUNK = 32  # steps whose row numbers are computed together
_CPU_LIMIT = 1 << 30  # bytes of data that `auto` keeps resident where the device is the CPU


class DeviceBatch(NamedTuple):
    """The rows of a step, on the device."""

    rows: PackedRows
    numbers: Tensor | None  # int64 [B], for a resident source: rows of its table


def open_data(config: DataConfig) -> Mixture:
    """The training data. Raises BadTraining if none are named, and BadData."""
    if not config.all_sets:
        raise BadTraining("no training data: name a folder, as in --set data.path=data/games")
    colour = Colour.parse(config.colour) if config.colour else None
    sets = [(_open(one.path, config).split("train", colour), one.weight) for one in config.all_sets]
    return Mixture(sets, any_rule=config.any_rule)


def _open(path: str, config: DataConfig) -> Dataset:
    """A data set, split as the config says."""
    data = Dataset.open(path)
    before = data.manifest.validation
    every = 1 / config.validation_share if config.validation_share else before.every
    if config.split:
        return data.resplit(Validation(every, 1, SPLITS[config.split]))
    return data if every == before.every else data.resplit(replace(before, every=every))


class Order(NamedTuple):
    """Which rows each step has."""

    batch: int
    seed: int
    start: int  # the first step


def make_source(
    config: DataConfig, mixture: Mixture, order: Order, device: torch.device
) -> Resident | Stream:
    """The source that a config asks for."""
    if config.feed == "resident" or (config.feed == "auto" and _fits(mixture, device)):
        return Resident(mixture, order, device)
    return Stream(mixture, order, device, config.workers)


class Stream:
    """Batches read by threads. A GPU gets the next one while it computes on this one."""

    def __init__(
        self, mixture: Mixture, order: Order, device: torch.device, workers: int = 2
    ) -> None:
        self._reader = BatchReader(mixture, *order, workers)
        self._device = device
        self._copies = _side_stream(device)
        self._next_chunk: PackedRows | None = None

    def __next__(self) -> DeviceBatch:
        if self._copies is None:
            return DeviceBatch(packed(next(self._reader)).to(self._device), None)
        rows = self._next_chunk or self._copied()
        torch.cuda.current_stream(self._device).wait_stream(self._copies)
        for column in rows:  # so that its memory is not reused before this step is done
            column.record_stream(torch.cuda.current_stream(self._device))
        self._next_chunk = self._copied()
        return DeviceBatch(rows, None)

    def _copied(self) -> PackedRows:
        assert self._copies is not None
        rows = packed(next(self._reader))
        with torch.cuda.stream(self._copies):
            return PackedRows(*(column.pin_memory() for column in rows)).to(self._device)

    def close(self) -> None:
        self._reader.close()


class Resident:
    """All rows in the memory of the device. A thread computes the row numbers of the next steps, in
    the order of `BatchReader`.
    """

    def __init__(self, mixture: Mixture, order: Order, device: torch.device) -> None:
        self.table = join_packed([resident_rows(view, None, device) for view in mixture.views])
        self._counts = [len(view) for view in mixture.views]
        self._portions = mixture.portions(order.batch)
        self._seed = order.seed
        self._device = device
        self._step = order.start
        self._chunk: Tensor | None = None  # int64 [steps, B]: rows of the current steps
        self._first = order.start  # the step of the chunk's first row
        self._pool = ThreadPoolExecutor(1, "tengen-order")
        self._next_chunk: Future[Numbers] = self._pool.submit(self._numbers, order.start)

    def __next__(self) -> DeviceBatch:
        if self._chunk is None or self._step - self._first >= len(self._chunk):
            self._advance()
        assert self._chunk is not None
        numbers = self._chunk[self._step - self._first]
        self._step += 1
        return DeviceBatch(PackedRows(*(column[numbers] for column in self.table)), numbers)

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _advance(self) -> None:
        """Take the chunk that the thread has computed, and start the next."""
        chunk = torch.from_numpy(self._next_chunk.result())
        if self._device.type == "cuda":
            chunk = chunk.pin_memory()
        self._chunk = chunk.to(self._device, non_blocking=True)
        self._first = self._step
        self._next_chunk = self._pool.submit(self._numbers, self._step + _CHUNK)

    def _numbers(self, step: int) -> Numbers:
        """[steps, B] row numbers of the chunk that starts with a step."""
        parts, offset = [], 0
        for number, (count, portion) in enumerate(zip(self._counts, self._portions, strict=True)):
            seed = part_seed(self._seed, number)
            indices = endless(count, seed, step * portion, _CHUNK * portion)
            parts.append(indices.reshape(_CHUNK, portion) + offset)
            offset += count
        return np.concatenate(parts, 1)


def _side_stream(device: torch.device) -> torch.cuda.Stream | None:
    if device.type != "cuda":
        return None
    return torch.cuda.Stream(device)  # type: ignore[no-untyped-call]


def resident_rows(view: DatasetView, places: Numbers | None, device: torch.device) -> PackedRows:
    """Rows of a view in the memory of the device; without `places` all of them."""
    wanted = np.arange(len(view)) if places is None else places
    starts = range(0, max(1, len(wanted)), _READ_CHUNK)
    parts = (view.rows(wanted[start : start + _READ_CHUNK]) for start in starts)
    return join_packed([packed(rows).to(device) for rows in parts])


def packed(rows: Rows) -> PackedRows:
    """Rows as tensors. Points fit 15 bits, and torch hardly supports unsigned 16-bit numbers."""
    move = torch.from_numpy(np.ascontiguousarray(rows.move.astype(np.int16)))
    rest = (torch.from_numpy(np.ascontiguousarray(c)) for c in (rows.prob, rows.value))
    return PackedRows(torch.from_numpy(np.ascontiguousarray(rows.board)), move, *rest)


def _fits(mixture: Mixture, device: torch.device) -> bool:
    """Whether the data take less than a quarter of a GPU's free memory, or 1 GiB without one."""
    row = -(-(mixture.size**2) // 4) + 3 * mixture.policy_moves + 2
    needed = row * sum(len(view) for view in mixture.views)
    if device.type != "cuda":
        return needed < _CPU_LIMIT
    free, _ = torch.cuda.mem_get_info(device)
    return needed < free // 4
