# SPDX-License-Identifier: MIT
"""Pseudo-random permutations of rows with random access and no memory.

A Feistel network with cycle walking: a number below n is a pair (a, b) on a grid just large enough;
each round adds to one of them, modulo its range, a hash of the other, which is a bijection for any
hash. Results that are not below n go through the network again. The order is part of the contract
of a run: it is the same on every machine and in every version.
"""

from __future__ import annotations

import math
from collections.abc import Sized
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.data.errors import BadData

Words: TypeAlias = "npt.NDArray[np.uint64]"

_ROUNDS = 6
_MASK = (1 << 64) - 1
_ODD = (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F)


def part_seed(seed: int, number: int) -> int:
    """The seed of data set `number` of a mixture; the first has the seed itself."""
    return seed + (number << 64)


def endless(count: int, seed: int, first: int, wanted: int) -> npt.NDArray[np.int64]:
    """`wanted` row numbers from index `first` on in the concatenated orders of epoch 0, 1, 2 …"""
    if not count and wanted:
        raise BadData("no rows to permute")
    parts = [np.empty(0, np.int64)]
    while wanted:
        epoch, begin = divmod(first, count)
        here = min(wanted, count - begin)
        parts.append(Permutation(count, seed, epoch)[begin : begin + here])
        first, wanted = first + here, wanted - here
    return np.concatenate(parts)


class Permutation:
    """A permutation of 0 to n - 1: `order[k]`, `order[a:b]` or `order[array]`."""

    def __init__(self, rows: Sized | int, seed: int, epoch: int = 0) -> None:
        """`rows`: a view, or the number of rows."""
        count = rows if isinstance(rows, int) else len(rows)
        if count < 0 or seed < 0 or epoch < 0:
            raise BadData(
                f"no permutation of {count} rows, seed {seed}, epoch {epoch}: use 0 or more"
            )
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

    def __getitem__(self, wanted: int | slice | npt.ArrayLike) -> Any:
        """Raises IndexError for indices outside 0 to n - 1."""
        if isinstance(wanted, slice):
            return self[np.arange(*wanted.indices(self._count))]
        indices = np.asarray(wanted)
        if indices.size and (indices.min() < 0 or indices.max() >= self._count):
            raise IndexError(f"no index {wanted!r:.60} in a permutation of {self._count}")
        numbers = self._once(indices.astype(np.uint64).ravel())
        while len(outside := np.flatnonzero(numbers >= self._count)):
            numbers[outside] = self._once(numbers[outside])
        if indices.ndim == 0:
            return int(numbers[0])
        return numbers.astype(np.int64).reshape(indices.shape)

    def _once(self, numbers: Words) -> Words:
        """A bijection on the numbers of the grid."""
        wide, high = np.uint64(self._wide), np.uint64(self._high)
        row, column = np.divmod(numbers, wide)
        for number, key in enumerate(self._keys):
            if number % 2:
                column = _added(column, keyed_hash(row, key), wide)
            else:
                row = _added(row, keyed_hash(column, key), high)
        return row * wide + column


def _added(numbers: Words, hashes: Words, limit: np.uint64) -> Words:
    """Numbers below `limit` plus a hash below `limit`, modulo `limit`, which is below 2^32."""
    total = numbers + (((hashes >> np.uint64(32)) * limit) >> np.uint64(32))
    return total - limit * (total >= limit)


def keyed_hash(words: Words, key: np.uint64) -> Words:
    """A keyed 64-bit hash of each word."""
    mixed = (words ^ key) * np.uint64(_ODD[1])
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(_ODD[2])
    mixed ^= mixed >> np.uint64(29)
    return mixed


def _scrambled(number: int) -> int:
    """The hash of a Python integer of any size: makes keys from seeds."""
    mixed = 0
    while True:
        mixed = ((mixed ^ (number & _MASK)) * _ODD[1] + _ODD[0]) & _MASK
        mixed ^= mixed >> 32
        mixed = (mixed * _ODD[2]) & _MASK
        mixed ^= mixed >> 29
        number >>= 64
        if not number:
            return mixed
