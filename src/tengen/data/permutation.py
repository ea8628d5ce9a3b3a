# SPDX-License-Identifier: MIT
"""Orders of rows that can be asked at any place and are held nowhere.

A number below n is written as a pair (a, b) on a grid just large enough; each round adds to one of
them, modulo its range, a hash of the other. That is one-to-one whatever the hash, so every number
comes up exactly once. Numbers of the grid that are not below n are sent through again until they
are. Relies on NumPy alone; batches rely on it. The order belongs to the contract of a run: it is
the same on every machine and version.
"""

from __future__ import annotations

import math
from collections.abc import Sized
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.data.errors import BadData

__all__ = ["Permutation", "endless", "part_seed", "permutation"]

Words: TypeAlias = "npt.NDArray[np.uint64]"

_ROUNDS = 6
_MASK = (1 << 64) - 1
_ODD = (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F)


def permutation(rows: Sized | int, seed: int, epoch: int = 0) -> Permutation:
    """The order of the rows of a view (or of so many) in an epoch."""
    return Permutation(rows if isinstance(rows, int) else len(rows), seed, epoch)


def part_seed(seed: int, number: int) -> int:
    """The seed of data set `number` of a mixture: that of the first is the seed itself."""
    return seed + (number << 64)


def endless(count: int, seed: int, first: int, wanted: int) -> npt.NDArray[np.int64]:
    """Who comes at places `first` on, `wanted` of them, where the orders of epoch 0, 1, 2 ...
    follow each other without a gap. This is what `BatchReader` reads.
    """
    if not count and wanted:
        raise BadData("no rows to put into an order")
    found = [np.empty(0, np.int64)]
    while wanted:
        epoch, begin = divmod(first, count)
        here = min(wanted, count - begin)
        found.append(Permutation(count, seed, epoch)[begin : begin + here])
        first, wanted = first + here, wanted - here
    return np.concatenate(found)


class Permutation:
    """An order of the numbers 0 to n - 1: `order[k]`, `order[a:b]` or `order[array]` is who comes
    at these places. Takes no memory.
    """

    def __init__(self, count: int, seed: int, epoch: int = 0) -> None:
        if count < 0 or seed < 0 or epoch < 0:
            raise BadData(f"no order of {count} rows, seed {seed}, epoch {epoch}: use 0 or more")
        self._count = count
        self._wide = max(1, math.isqrt(max(0, count - 1)) + 1)
        self._high = max(1, -(-count // self._wide))
        state = _scrambled(_scrambled(seed) ^ (epoch + 1))
        keys = []
        for _ in range(_ROUNDS):
            state = _scrambled((state + _ODD[0]) & _MASK)
            keys.append(np.uint64(state))
        self._keys = keys

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, places: int | slice | npt.ArrayLike) -> Any:
        """Raises IndexError for a place that is not one of 0 to n - 1."""
        if isinstance(places, slice):
            return self[np.arange(*places.indices(self._count))]
        asked = np.asarray(places)
        if asked.size and (asked.min() < 0 or asked.max() >= self._count):
            raise IndexError(f"no place {places!r:.60} in an order of {self._count}")
        found = self._once(asked.astype(np.uint64).ravel())
        while len(outside := np.flatnonzero(found >= self._count)):
            found[outside] = self._once(found[outside])
        if asked.ndim == 0:
            return int(found[0])
        return found.astype(np.int64).reshape(asked.shape)

    def _once(self, numbers: Words) -> Words:
        """One-to-one on the numbers of the grid."""
        wide, high = np.uint64(self._wide), np.uint64(self._high)
        row, column = np.divmod(numbers, wide)
        for number, key in enumerate(self._keys):
            if number % 2:
                column = _added(column, _hash(row, key), wide)
            else:
                row = _added(row, _hash(column, key), high)
        return row * wide + column


def _added(numbers: Words, hashes: Words, most: np.uint64) -> Words:
    """Numbers below `most` plus a share of it, modulo `most`, which is below 2^32."""
    total = numbers + (((hashes >> np.uint64(32)) * most) >> np.uint64(32))
    return total - most * (total >= most)


def _hash(words: Words, key: np.uint64) -> Words:
    """A 64-bit hash of each word, other for each key."""
    mixed = (words ^ key) * np.uint64(_ODD[1])
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(_ODD[2])
    mixed ^= mixed >> np.uint64(29)
    return mixed


def _scrambled(number: int) -> int:
    """The same for one Python integer, of any size: makes keys from seeds."""
    mixed = 0
    while True:
        mixed = ((mixed ^ (number & _MASK)) * _ODD[1] + _ODD[0]) & _MASK
        mixed ^= mixed >> 32
        mixed = (mixed * _ODD[2]) & _MASK
        mixed ^= mixed >> 29
        number >>= 64
        if not number:
            return mixed
