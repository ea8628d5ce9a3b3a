# SPDX-License-Identifier: MIT
"""Canonical hashes of positions, the file that keeps them, and repeated positions, against slow
comparisons of whole boards.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from data_samples import make_set, part, random_rows
from tengen import Colour
from tengen.data import Dataset, DataWriter, Validation, canonical, pack, unpack
from tengen.data.canonical import canonical_hashes, is_hash_file, position_hashes, repeats
from tengen.data.symmetry import board_table

Boards = npt.NDArray[np.uint8]


def canonical_forms(packed: Boards, size: int, to_move: Boards | None) -> list[Any]:
    """The smallest of the eight images of each board, and the side to move."""
    cells = unpack(packed, size).reshape(len(packed), -1)
    sides = [0] * len(packed) if to_move is None else to_move.tolist()
    return [
        (min(board[image].tobytes() for image in board_table(size)), side)
        for board, side in zip(cells, sides, strict=True)
    ]


def similar_boards(size: int) -> Boards:
    """Images of few boards, so that many are equal up to a symmetry, and near misses."""
    random = np.random.default_rng(size)
    few = random.choice(3, (30, size * size), p=[0.9, 0.05, 0.05]).astype(np.uint8)
    few[0] = 0
    one_off = few.copy()
    places = random.integers(0, size * size, len(few))
    one_off[np.arange(len(few)), places] = (one_off[np.arange(len(few)), places] + 1) % 3
    swapped = np.choose(few, [0, 2, 1]).astype(np.uint8)
    cells = np.concatenate([few, one_off, swapped])
    images = board_table(size)[random.integers(0, 8, 400)]
    return pack(np.take_along_axis(cells[random.integers(0, len(cells), 400)], images, 1), size)


@pytest.mark.parametrize("size", [5, 6, 15, 22])
@pytest.mark.parametrize("sides", [False, True])
def test_equal_exactly_for_images(size: int, sides: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canonical, "_CHUNK", 64)
    boards = similar_boards(size)
    to_move = np.random.default_rng(1).integers(1, 3, len(boards)).astype(np.uint8)
    given = to_move if sides else None
    hashes = canonical_hashes(boards, size, given)
    forms = canonical_forms(boards, size, given)
    assert 30 < len(set(forms)) < 250
    assert len(set(hashes.tolist())) == len(set(forms))
    assert len(set(zip(hashes.tolist(), forms, strict=True))) == len(set(forms))


def test_hashes_are_those_of_every_version() -> None:
    """Files of hashes outlive the program that wrote them."""
    board = np.zeros((1, 81), np.uint8)
    board[0, 10], board[0, 40] = 1, 2
    hashes = [canonical_hashes(pack(board, 9), 9, np.array([side], np.uint8)) for side in (1, 2)]
    assert [int(one[0]) for one in hashes] == [7866194812198133810, 15765703595065477720]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_set(tmp_path / "set", random_rows(250, extras=True))


def test_hashes_of_a_set_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = Dataset.open(folder)
    rows = data.rows(np.arange(len(data)))
    wanted = canonical_hashes(rows.board, 9, rows.to_move)
    assert np.array_equal(position_hashes(data), wanted)
    (file,) = filter(is_hash_file, folder.iterdir())
    with monkeypatch.context() as patch:
        patch.setattr(canonical, "canonical_hashes", None)  # not computed again
        assert np.array_equal(position_hashes(Dataset.open(folder)), wanted)
    os.truncate(file, file.stat().st_size - 1)
    assert np.array_equal(position_hashes(data), wanted)
    with DataWriter.append(folder) as writer:
        writer.write(part(random_rows(9, extras=True, seed=2), slice(None)))
    grown = Dataset.open(folder)
    assert len(position_hashes(grown)) == 259
    assert np.array_equal(position_hashes(grown)[:250], wanted)
    assert len(list(filter(is_hash_file, folder.iterdir()))) == 1


def test_other_rows_have_other_hashes(folder: Path) -> None:
    """Also in shards of the same names and sizes."""
    data = Dataset.open(folder)
    before = position_hashes(data).copy()
    with DataWriter.create(folder, data.manifest, shard_positions=100, overwrite=True) as writer:
        writer.add(random_rows(250, extras=True, seed=3))
    after = Dataset.open(folder)
    assert [s.positions for s in after.manifest.shards] == [
        s.positions for s in data.manifest.shards
    ]
    assert not (position_hashes(after) == before).any()


def test_a_folder_that_cannot_be_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path) -> Any:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(canonical, "replacing", refused)
    assert len(position_hashes(Dataset.open(folder))) == 250
    assert not any(map(is_hash_file, folder.iterdir()))


def test_a_folder_with_hashes_alone_is_free(folder: Path, tmp_path: Path) -> None:
    manifest = Dataset.open(folder).manifest
    position_hashes(Dataset.open(folder))
    for path in folder.iterdir():
        if not is_hash_file(path):
            path.unlink()
    DataWriter.create(folder, manifest).close()


@pytest.mark.parametrize("colour", [None, Colour.BLACK])
def test_repeats(tmp_path: Path, colour: Colour | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canonical, "_READ_CHUNK", 50)
    random = np.random.default_rng(5)
    sets = []
    for number in range(2):
        boards = similar_boards(6)[random.permutation(400)]
        rows = random_rows(400, 6, 2, seed=number, extras=True)._replace(board=boards)
        free = np.stack([np.flatnonzero(b.ravel() == 0)[:2] for b in unpack(boards, 6)])
        rows = rows._replace(move=free.astype(np.uint16))
        split = Validation(3, 5, "row")
        sets.append(make_set(tmp_path / str(number), rows, size=6, validation=split))
    opened = [Dataset.open(one) for one in sets]
    views = [data.split("train", colour) for data in opened]
    held = [data.split("validation", colour) for data in opened]
    numbers = [view.numbers(np.arange(len(view))) for view in held]
    result = repeats(list(zip(opened, numbers, strict=True)), views)

    def forms(parts: Any) -> list[Any]:
        every = [view.rows(np.arange(len(view))) for view in parts]
        return [form for rows in every for form in canonical_forms(rows.board, 6, rows.to_move)]

    trained = set(forms(views))
    assert result.tolist() == [form in trained for form in forms(held)]
    assert 0 < result.sum() < len(result)


def test_no_rows_to_look_for(folder: Path) -> None:
    data = Dataset.open(folder)
    none = np.empty(0, np.int64)
    assert repeats([(data, none)], [data.split("train")]).tolist() == []
