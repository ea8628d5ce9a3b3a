# SPDX-License-Identifier: MIT
"""Canonical hashes of positions: equal if two positions, with the side to move, are images of one
another under the eight symmetries. By chance any two others are equal too, once in 2^61.

`repeats` uses them to tell which validation positions a run trains on. The hashes of a data set are
kept in its folder, `hashes-KEY.npy`, where KEY changes with its rows. The file may be deleted.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.data.shuffle import keyed_hash
from tengen.data.symmetry import SYMMETRIES, move_table
from tengen.util.files import replacing

if TYPE_CHECKING:
    from tengen.data.dataset import Dataset, DatasetView

Hashes: TypeAlias = "npt.NDArray[np.uint64]"
_VERSION = 1  # of the hashes; part of the key
_STONE_KEY = np.uint64(0x8CB92BA72F3D8DD7)
_WHITE_TO_MOVE = np.uint64(0xB7E151628AED2A6A)
_CHUNK = 1 << 14  # rows whose eight images fit the processor's cache
_READ_CHUNK = 1 << 18  # rows
_FILE = re.compile(r"hashes-[0-9a-f]{8}\.npy", re.ASCII)


def canonical_hashes(
    boards: npt.NDArray[np.uint8], size: int, to_move: npt.NDArray[np.uint8] | None = None
) -> Hashes:
    """[n] hashes of packed boards [n, bytes]. `to_move` [n]: 1 black, 2 white; None: not known, and
    then equal for both.
    """
    tables = _tables(size)
    hashes = np.empty(len(boards), np.uint64)
    for start in range(0, len(boards), _CHUNK):
        few = boards[start : start + _CHUNK]
        images = tables[0][few[:, 0]]  # [n, 8]
        for place in range(1, len(tables)):
            images ^= tables[place][few[:, place]]
        hashes[start : start + _CHUNK] = images.min(axis=1)
    if to_move is not None:
        hashes[to_move == 2] ^= _WHITE_TO_MOVE
    return hashes


@cache
def _tables(size: int) -> Hashes:
    """[bytes, 256, 8]: what each byte of a packed board adds to the hashes of its eight images."""
    area = size * size
    keys = np.zeros((area, 4), np.uint64)  # of a stone on a point; empty: 0
    keys[:, 1:3] = keyed_hash(np.arange(2 * area, dtype=np.uint64), _STONE_KEY).reshape(area, 2)
    points = np.zeros((-(-area // 4) * 4, 4, SYMMETRIES), np.uint64)
    points[:area] = keys[move_table(size)].transpose(1, 2, 0)
    every = np.arange(256)
    tables = np.zeros((len(points) // 4, 256, SYMMETRIES), np.uint64)
    for place in range(4):
        tables ^= points[place::4][:, (every >> (2 * place)) & 3]
    tables.setflags(write=False)
    return tables


def position_hashes(dataset: Dataset) -> Hashes:
    """[rows] canonical hashes of all rows of a data set, read from its folder if they are there,
    and else computed and written there, if possible.
    """
    path = _path(dataset)
    with suppress(OSError, ValueError):  # not there, or damaged
        held: Hashes = np.load(path, mmap_mode="r", allow_pickle=False)
        if held.shape == (len(dataset),) and held.dtype == np.uint64:
            return held
    hashes = _computed(dataset)
    with suppress(OSError):  # a folder that is read-only
        with replacing(path) as file:
            np.save(file, hashes)
        for other in dataset.folder.glob("hashes-*.npy"):
            if is_hash_file(other) and other != path:
                other.unlink()
    return hashes


def is_hash_file(path: Path) -> bool:
    """Whether a file has the name of a file of hashes."""
    return _FILE.fullmatch(path.name) is not None


def _path(dataset: Dataset) -> Path:
    shards = dataset.manifest.shards
    parts = [f"{_VERSION} {dataset.size}"]
    parts += [f"{shard.columns['board']} {shard.columns.get('to_move')}" for shard in shards]
    return dataset.folder / f"hashes-{zlib.crc32(' '.join(parts).encode()):08x}.npy"


def _computed(dataset: Dataset) -> Hashes:
    hashes = np.empty(len(dataset), np.uint64)
    for start in range(0, len(dataset), _READ_CHUNK):
        stop = min(len(dataset), start + _READ_CHUNK)
        rows = dataset.slice(start, stop)
        hashes[start:stop] = canonical_hashes(rows.board, dataset.size, rows.to_move)
    return hashes


def repeats(
    rows: Sequence[tuple[Dataset, npt.NDArray[np.int64]]], trained: Sequence[DatasetView]
) -> npt.NDArray[np.bool_]:
    """Whether each of the rows, given by their numbers in data sets, is a position of the views
    `trained`, up to the symmetries.
    """
    hashes: dict[Path, Hashes] = {}

    def of(dataset: Dataset) -> Hashes:
        if dataset.folder not in hashes:
            hashes[dataset.folder] = position_hashes(dataset)
        return hashes[dataset.folder]

    wanted = np.concatenate([of(dataset)[numbers] for dataset, numbers in rows])
    known, place_of = np.unique(wanted, return_inverse=True)
    is_trained = np.zeros(len(known), np.bool_)
    for view in trained if len(known) else ():
        for start in range(0, len(view), _READ_CHUNK):
            numbers = view.numbers(np.arange(start, min(len(view), start + _READ_CHUNK)))
            few = np.sort(of(view.dataset)[numbers])
            places = np.minimum(np.searchsorted(known, few), len(known) - 1)
            is_trained[places[known[places] == few]] = True
    return is_trained[place_of]
