# SPDX-License-Identifier: MIT
"""Batches for training: `Mixture` combines data sets in fixed shares, `BatchReader` reads endless
shuffled batches ahead with threads.

The rows of a step depend only on the data, the batch size, the seed and the step number, not on
threads or on where the run started. A run resumed at step k sees the same batches.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Self

import numpy as np

from tengen.data.dataset import DatasetView
from tengen.data.errors import BadData
from tengen.data.rows import OPTIONAL, REQUIRED, Batch, Column
from tengen.data.shuffle import endless, part_seed

_AHEAD = 2  # batches in flight per thread


class Mixture:
    """Views with weights, of one board size and rule. Each batch takes the same number of rows of
    each view, so smaller sets are read more often.

    `policy_moves` is the largest of the sets; shorter policies are padded with weight 0. Columns
    that a set lacks are left out.
    """

    def __init__(
        self, parts: Sequence[tuple[DatasetView, float]], *, any_rule: bool = False
    ) -> None:
        """Raises BadData for sets that do not match; with `any_rule` rules may differ."""
        if not parts:
            raise BadData("an empty mixture: give one data set or more")
        self.views = tuple(view for view, _ in parts)
        self.weights = _shares([weight for _, weight in parts])
        sets = [view.dataset for view in self.views]
        for other in sets[1:]:
            other.require(size=sets[0].size)
            if not any_rule:
                other.require(rule=sets[0].rule)
        for view in self.views:
            if not len(view):
                raise BadData(f"{view.dataset.folder}: no rows in this split; use a larger set")
        common = set.intersection(*(set(one.columns) for one in sets))
        self.columns = tuple(name for name in REQUIRED + OPTIONAL if name in common)
        self.policy_moves = max(one.policy_moves for one in sets)

    @property
    def size(self) -> int:
        """Of the board."""
        return self.views[0].dataset.size

    @property
    def redistributable(self) -> bool:
        """Whether nets trained on it may be distributed: the terms of every set must allow it."""
        return all(view.dataset.manifest.redistributable for view in self.views)

    def portions(self, batch_size: int) -> tuple[int, ...]:
        """Rows of each set in a batch, in proportion to the weights. Raises BadData if a set would
        get none.
        """
        exact = [weight * batch_size for weight in self.weights]
        portions = [math.floor(one) for one in exact]
        by_rest = sorted(range(len(exact)), key=lambda i: (portions[i] - exact[i], i))
        for i in by_rest[: batch_size - sum(portions)]:
            portions[i] += 1
        for view, portion in zip(self.views, portions, strict=True):
            if not portion:
                problem = f"the weight of {view.dataset.folder} is too small"
                raise BadData(f"{problem} for batches of {batch_size}: raise one of them")
        return tuple(portions)

    def join(self, batches: Sequence[Batch]) -> Batch:
        """The batches of the sets concatenated, with the columns and moves of the mixture."""
        columns = {name: [getattr(batch, name) for batch in batches] for name in self.columns}
        for name in ("move", "prob"):
            columns[name] = [_padded(column, self.policy_moves) for column in columns[name]]
        if len(batches) == 1:
            return Batch(**{name: column[0] for name, column in columns.items()})
        return Batch(**{name: np.concatenate(column) for name, column in columns.items()})


def _shares(weights: Sequence[float]) -> tuple[float, ...]:
    """The weights, normalised to sum to 1."""
    for weight in weights:
        if not (math.isfinite(weight) and weight > 0):
            raise BadData(f"no weight {weight!r}: use a number greater than 0")
    total = math.fsum(weights)
    return tuple(weight / total for weight in weights)


def _padded(column: Column, moves: int) -> Column:
    lacking = moves - column.shape[1]
    return np.pad(column, ((0, 0), (0, lacking))) if lacking else column


class BatchReader(Iterator[Batch]):
    """Endless batches of a view or a mixture from `start_step` on.

    Each epoch has its own order of the rows of a view. A batch may span two epochs, so all batches
    are full. `workers` threads read ahead; 0: each batch is read on demand. For one consumer, in a
    `with` block or with `close`.
    """

    def __init__(
        self,
        rows: DatasetView | Mixture,
        batch_size: int,
        seed: int = 0,
        start_step: int = 0,
        workers: int = 2,
    ) -> None:
        if batch_size < 1 or workers < 0 or start_step < 0:
            given = f"batch_size={batch_size}, start_step={start_step}, workers={workers}"
            raise BadData(f"{given}: use 1 row or more, the others 0 or more")
        self.mixture = rows if isinstance(rows, Mixture) else Mixture([(rows, 1.0)])
        self.batch_size = batch_size
        self.seed = seed
        self.step = start_step  # the step of the next batch
        self._portions = self.mixture.portions(batch_size)
        self._next = start_step  # the next step to submit
        self._ahead: deque[Future[Batch]] = deque()
        self._depth = workers * _AHEAD
        self._pool = ThreadPoolExecutor(workers, "tengen-batches") if workers else None
        self._closed = False

    def batch(self, step: int) -> Batch:
        """The batch of any step."""
        parts = []
        for number, (view, portion) in enumerate(
            zip(self.mixture.views, self._portions, strict=True)
        ):
            seed = part_seed(self.seed, number)
            indices = endless(len(view), seed, step * portion, portion)
            parts.append(view.rows(indices))
        return self.mixture.join(parts)

    def __next__(self) -> Batch:
        if self._closed:
            raise StopIteration
        if self._pool is None:
            batch = self.batch(self.step)
        else:
            self._fill()
            batch = self._ahead.popleft().result()
            self._fill()
        self.step += 1
        return batch

    def _fill(self) -> None:
        assert self._pool is not None
        while len(self._ahead) < self._depth:
            self._ahead.append(self._pool.submit(self.batch, self._next))
            self._next += 1

    def close(self) -> None:
        """Stop the threads and drop the batches in flight."""
        self._closed = True
        while self._ahead:
            self._ahead.popleft().cancel()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
