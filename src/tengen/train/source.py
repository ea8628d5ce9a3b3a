# SPDX-License-Identifier: MIT
"""Where batches come from. Two ways to feed a device, which give the same batches step by step:
`Stream` reads shards by threads and copies from pinned memory while the device computes;
`Resident` holds the whole data set in the device's memory and gathers there, which costs a large
GPU nothing. Relies on `tengen.data` and the unpacker's shapes; the loop relies on it.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tengen.data.batches import BatchReader, Mixture
from tengen.data.dataset import Dataset, DatasetView
from tengen.data.permutation import endless, part_seed
from tengen.data.rows import Batch as Rows
from tengen.game.rule import Colour
from tengen.train.config import DataConfig
from tengen.train.errors import BadTraining
from tengen.train.unpack import Packed

__all__ = [
    "Batch",
    "Order",
    "Resident",
    "Source",
    "Stream",
    "make_source",
    "open_data",
    "packed",
    "validation_rows",
]

Numbers = npt.NDArray[np.int64]
_AT_ONCE = 1 << 17  # rows that are read at once into the device's memory
_CHUNK = 32  # steps whose row numbers are worked out together
_CPU_LIMIT = 1 << 30  # bytes of data that `auto` keeps resident where the device is the CPU


class Batch(NamedTuple):
    """The rows of a step, on the device."""

    rows: Packed
    numbers: Tensor | None  # int64 [B], of a resident source: rows of its table


class Source(Protocol):
    """Batches without end, from the step on that it was made for."""

    def __next__(self) -> Batch: ...

    def close(self) -> None: ...


def open_data(config: DataConfig) -> Mixture:
    """The rows to train on. Raises BadTraining if none are named, and BadData."""
    if not config.all_sets:
        raise BadTraining("which data? Name a folder, as in --set data.path=data/zero15")
    colour = Colour.parse(config.colour) if config.colour else None
    sets = [(Dataset.open(one.path).split("train", colour), one.weight) for one in config.all_sets]
    return Mixture(sets, any_rule=config.any_rule)


def validation_rows(mixture: Mixture, most: int, device: torch.device) -> Packed:
    """Rows for validation, the same ones each time: of each set as its weight says, `most` in all
    (0: all there are), evenly spread over those that it has. May be none.
    """
    found = []
    for view, weight in zip(mixture.views, mixture.weights, strict=True):
        kept = view.dataset.split("validation", view.colour)
        wanted = min(len(kept), max(1, round(most * weight))) if most else len(kept)
        places = np.arange(wanted, dtype=np.int64) * len(kept) // max(1, wanted)
        found.append(_held(kept, places, mixture, device))
    return _joined(found)


class Order(NamedTuple):
    """Which rows each step gets."""

    batch: int
    seed: int
    start: int  # the first step that is asked for


def make_source(
    config: DataConfig, mixture: Mixture, order: Order, device: torch.device
) -> Resident | Stream:
    """The source that a config asks for."""
    if config.feed == "resident" or (config.feed == "auto" and _fits(mixture, device)):
        return Resident(mixture, order, device)
    return Stream(mixture, order, device, config.workers)


class Stream:
    """Batches read by threads. On a GPU the next one is copied while this one is computed on."""

    def __init__(
        self, mixture: Mixture, order: Order, device: torch.device, workers: int = 2
    ) -> None:
        self._reader = BatchReader(mixture, *order, workers)
        self._device = device
        self._copies = _side_stream(device)
        self._coming: Packed | None = None

    def __next__(self) -> Batch:
        if self._copies is None:
            return Batch(packed(next(self._reader)).to(self._device), None)
        rows = self._coming or self._copied()
        torch.cuda.current_stream(self._device).wait_stream(self._copies)
        for column in rows:  # so that its memory is not used anew before this step is done
            column.record_stream(torch.cuda.current_stream(self._device))
        self._coming = self._copied()
        return Batch(rows, None)

    def _copied(self) -> Packed:
        assert self._copies is not None
        rows = packed(next(self._reader))
        with torch.cuda.stream(self._copies):
            return Packed(*(column.pin_memory() for column in rows)).to(self._device)

    def close(self) -> None:
        self._reader.close()


class Resident:
    """All rows in the device's memory. Row numbers of the steps ahead are worked out by a thread,
    by the rule of `BatchReader`.
    """

    def __init__(self, mixture: Mixture, order: Order, device: torch.device) -> None:
        self.table = _joined([_held(view, None, mixture, device) for view in mixture.views])
        self._counts = [len(view) for view in mixture.views]
        self._portions = mixture.portions(order.batch)
        self._seed = order.seed
        self._device = device
        self._step = order.start
        self._chunk: Tensor | None = None  # int64 [steps, B]: rows of the steps at hand
        self._first = order.start  # the step of the chunk's first row
        self._pool = ThreadPoolExecutor(1, "tengen-order")
        self._coming: Future[Numbers] = self._pool.submit(self._numbers, order.start)

    def __next__(self) -> Batch:
        if self._chunk is None or self._step - self._first >= len(self._chunk):
            self._turn()
        assert self._chunk is not None
        numbers = self._chunk[self._step - self._first]
        self._step += 1
        return Batch(Packed(*(column[numbers] for column in self.table)), numbers)

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _turn(self) -> None:
        """Take the chunk that the thread has made, and let it make the next."""
        chunk = torch.from_numpy(self._coming.result())
        if self._device.type == "cuda":
            chunk = chunk.pin_memory()
        self._chunk = chunk.to(self._device, non_blocking=True)
        self._first = self._step
        self._coming = self._pool.submit(self._numbers, self._step + _CHUNK)

    def _numbers(self, step: int) -> Numbers:
        """[steps, B] row numbers of the table, of the chunk that begins with a step."""
        parts, offset = [], 0
        for number, (count, portion) in enumerate(zip(self._counts, self._portions, strict=True)):
            seed = part_seed(self._seed, number)
            places = endless(count, seed, step * portion, _CHUNK * portion)
            parts.append(places.reshape(_CHUNK, portion) + offset)
            offset += count
        return np.concatenate(parts, 1)


def _side_stream(device: torch.device) -> torch.cuda.Stream | None:
    if device.type != "cuda":
        return None
    return torch.cuda.Stream(device)  # type: ignore[no-untyped-call]


def _held(
    view: DatasetView, places: Numbers | None, mixture: Mixture, device: torch.device
) -> Packed:
    """Rows of a view in the device's memory; without `places` all of them."""
    wanted = np.arange(len(view)) if places is None else places
    starts = range(0, max(1, len(wanted)), _AT_ONCE)
    return _joined([_read(view, wanted[s : s + _AT_ONCE], mixture).to(device) for s in starts])


def _read(view: DatasetView, places: Numbers, mixture: Mixture) -> Packed:
    rows = packed(view.rows(places))
    lacking = mixture.policy_moves - rows.move.shape[1]
    move, prob = (
        torch.nn.functional.pad(column, (0, lacking)) for column in (rows.move, rows.prob)
    )
    return Packed(rows.board, move, prob, rows.value)


def _joined(parts: list[Packed]) -> Packed:
    if len(parts) == 1:
        return parts[0]
    return Packed(*(torch.cat(column) for column in zip(*parts, strict=True)))


def packed(rows: Rows) -> Packed:
    """As tensors. Points fit 15 bits, and torch does little with unsigned 16-bit numbers."""
    move = torch.from_numpy(np.ascontiguousarray(rows.move.astype(np.int16)))
    rest = (torch.from_numpy(np.ascontiguousarray(c)) for c in (rows.prob, rows.value))
    return Packed(torch.from_numpy(np.ascontiguousarray(rows.board)), move, *rest)


def _fits(mixture: Mixture, device: torch.device) -> bool:
    """Whether the data take less than a quarter of a GPU's free memory, or 1 GiB without one."""
    row = -(-(mixture.size**2) // 4) + 3 * mixture.policy_moves + 2
    needed = row * sum(len(view) for view in mixture.views)
    if device.type != "cuda":
        return needed < _CPU_LIMIT
    free, _ = torch.cuda.mem_get_info(device)
    return needed < free // 4
