# SPDX-License-Identifier: MIT
"""`BatchReader`: shuffled batches without end, read ahead by threads.

What a step holds depends on the rows, the batch size, the seed and the number of the step alone:
not on threads, nor on where the run began. So a run that is resumed at step k sees what it would
have seen. Relies on views, mixtures and permutations; training relies on it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Self

from tengen.data.dataset import View
from tengen.data.errors import BadData
from tengen.data.mixture import Mixture
from tengen.data.permutation import endless, part_seed
from tengen.data.rows import Batch

__all__ = ["BatchReader"]

_AHEAD = 2  # batches under way for each thread


class BatchReader(Iterator[Batch]):
    """Batches of a view or a mixture, from `start_step` on; to `stop_step`, or without end.

    The rows of a view are gone through in one order after the other, one an epoch: each row once
    in every `len(view)` rows. A batch may hold the end of an epoch and the beginning of the next,
    so all batches are full. `workers` threads read ahead; 0: each batch is read when asked for.
    `close` it, or use it in a `with`. For one consumer.
    """

    def __init__(
        self,
        rows: View | Mixture,
        batch_size: int,
        seed: int = 0,
        start_step: int = 0,
        workers: int = 2,
        *,
        stop_step: int | None = None,
    ) -> None:
        if batch_size < 1 or workers < 0 or start_step < 0:
            words = f"no batches of {batch_size} rows from step {start_step} by {workers} threads"
            raise BadData(f"{words}: use 1 row or more, the others 0 or more")
        self.mixture = rows if isinstance(rows, Mixture) else Mixture([(rows, 1.0)])
        self.batch_size = batch_size
        self.seed = seed
        self.step = start_step  # the step of the next batch
        self._stop = stop_step
        self._portions = self.mixture.portions(batch_size)
        self._next = start_step  # the next step to give to a thread
        self._ahead: deque[Future[Batch]] = deque()
        self._depth = workers * _AHEAD
        self._pool = ThreadPoolExecutor(workers, "tengen-batches") if workers else None
        self._closed = False

    def batch(self, step: int) -> Batch:
        """The batch of any step, read now."""
        found = []
        for number, (view, portion) in enumerate(
            zip(self.mixture.views, self._portions, strict=True)
        ):
            seed = part_seed(self.seed, number)
            places = endless(len(view), seed, step * portion, portion)
            found.append(view.rows(places))
        return self.mixture.join(found)

    def passes(self, step: int | None = None) -> tuple[float, ...]:
        """How often each data set has been gone through before a step (default: the next one)."""
        before = self.step if step is None else step
        sets = zip(self.mixture.views, self._portions, strict=True)
        return tuple(before * portion / len(view) for view, portion in sets)

    def __next__(self) -> Batch:
        if self._closed or (self._stop is not None and self.step >= self._stop):
            self.close()
            raise StopIteration
        if self._pool is None:
            found = self.batch(self.step)
        else:
            self._fill()
            found = self._ahead.popleft().result()
            self._fill()
        self.step += 1
        return found

    def _fill(self) -> None:
        assert self._pool is not None
        while len(self._ahead) < self._depth and (self._stop is None or self._next < self._stop):
            self._ahead.append(self._pool.submit(self.batch, self._next))
            self._next += 1

    def close(self) -> None:
        """Stop reading ahead. Batches that were not asked for are dropped."""
        self._closed = True
        while self._ahead:
            self._ahead.popleft().cancel()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
