# SPDX-License-Identifier: MIT
"""Boards with two bits per point and back; the eight symmetries of boards and moves."""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen import MAX_SIZE, MIN_SIZE, Board
from tengen.data import BadData, bytes_of, own_view, pack, unpack
from tengen.data.packing import other_side
from tengen.data.symmetry import SYMMETRIES, board_table, inverse, move_table

SIZES = range(MIN_SIZE, MAX_SIZE + 1)


def boards(size: int, seed: int, count: int = 5) -> npt.NDArray[np.uint8]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, (count, size, size)).astype(np.uint8)


# --- packing ---


@given(st.integers(MIN_SIZE, MAX_SIZE), st.integers(0, 2**32), st.integers(0, 6))
def test_unpack_undoes_pack(size: int, seed: int, count: int) -> None:
    made = boards(size, seed, count)
    packed = pack(made, size)
    assert packed.shape == (count, bytes_of(size))
    assert np.array_equal(unpack(packed, size), made)
    assert np.array_equal(pack(made.reshape(count, size * size), size), packed)


@pytest.mark.parametrize("size", SIZES)
def test_the_layout_is_that_of_the_format(size: int) -> None:
    board = boards(size, size, 1)[0]
    packed = pack(board, size)
    for point, stone in enumerate(board.ravel().tolist()):
        assert (int(packed[point // 4]) >> (2 * (point % 4))) & 3 == stone
    spare = 4 * bytes_of(size) - size * size
    assert int(packed[-1]) >> (2 * (4 - spare)) == 0


def test_any_leading_shape() -> None:
    made = boards(7, 3, 12).reshape(3, 2, 2, 7, 7)
    assert pack(made, 7).shape == (3, 2, 2, 13)
    assert np.array_equal(unpack(pack(made, 7), 7), made)
    assert np.array_equal(unpack(pack(made[0, 0, 0], 7), 7), made[0, 0, 0])


@pytest.mark.parametrize(
    ("stones", "size", "message"),
    [
        (np.zeros((2, 9, 9), np.uint8), 15, "boards of shape"),
        (np.full((1, 9, 9), 3, np.uint8), 9, "0 empty"),
        (np.full((1, 9, 9), -1), 9, "0 empty"),
        (np.zeros((1, 9, 9)), 9, "0 empty"),
        (np.zeros((1, 4, 4), np.uint8), 4, "no board of size 4"),
    ],
)
def test_what_cannot_be_packed(stones: npt.ArrayLike, size: int, message: str) -> None:
    with pytest.raises(BadData, match=message):
        pack(stones, size)


def test_what_cannot_be_unpacked() -> None:
    with pytest.raises(BadData, match=r"expected \[..., 57\] of uint8 for size 15"):
        unpack(np.zeros((3, 56), np.uint8), 15)
    with pytest.raises(BadData, match="type int64"):
        unpack(np.zeros((3, 57), np.int64), 15)


def test_boards_of_the_side_to_move() -> None:
    made = boards(9, 5, 4)
    sides = np.array([1, 2, 1, 2])
    seen = own_view(made, sides)
    for stones, side, view in zip(made, sides, seen, strict=True):
        assert np.array_equal(view == 1, stones == side)
        assert np.array_equal(view == 2, stones == 3 - side)
        assert np.array_equal(own_view(stones, side), view)
    assert np.array_equal(unpack(other_side(pack(made, 9)), 9), own_view(made, np.full(4, 2)))


# --- symmetries ---


@pytest.mark.parametrize("size", SIZES)
def test_tables_are_permutations_and_undo_each_other(size: int) -> None:
    every = np.arange(size * size)
    moves, images = move_table(size), board_table(size)
    assert len({row.tobytes() for row in moves}) == SYMMETRIES
    for s in range(SYMMETRIES):
        assert np.array_equal(np.sort(moves[s]), every)
        assert np.array_equal(moves[s][images[s]], every)
        assert np.array_equal(moves[inverse(s)][moves[s]], every)
    assert np.array_equal(moves[0], every)


def test_symmetries_are_a_group() -> None:
    moves = move_table(9)
    known = {row.tobytes() for row in moves}
    for one in moves:
        for two in moves:
            assert one[two].tobytes() in known


@given(st.integers(MIN_SIZE, MAX_SIZE), st.integers(0, 7), st.randoms(use_true_random=False))
def test_symmetries_commute_with_playing(size: int, symmetry: int, rng: random.Random) -> None:
    line = rng.sample(range(size * size), 8)
    images = move_table(size)[symmetry][line]
    plain, turned = Board(size), Board(size)
    for move, image in zip(line, images.tolist(), strict=True):
        plain.push(move)
        turned.push(image)
    wanted = turned.to_array()
    image = plain.to_array().reshape(-1)[board_table(size)[symmetry]]
    assert np.array_equal(image.reshape(size, size), wanted)


def test_numbers_are_those_of_the_native_core() -> None:
    # a2 on a 9x9 board: x = 0, y = 1. Bit 0 mirrors x, bit 1 mirrors y, then bit 2 swaps.
    size, point = 9, 1 * 9 + 0
    result = [divmod(int(move_table(size)[s][point]), size)[::-1] for s in range(SYMMETRIES)]
    assert result == [(0, 1), (8, 1), (0, 7), (8, 7), (1, 0), (1, 8), (7, 0), (7, 8)]


def test_tables_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        move_table(9)[0, 0] = 1
