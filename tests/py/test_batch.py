# SPDX-License-Identifier: MIT
"""Batch functions: shapes, types and invalid arguments. test_conformance checks their results."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from tengen import BadPosition
from tengen.game import batch


def test_shapes_of_results() -> None:
    boards = np.zeros((3, 15, 15), dtype=np.uint8)
    assert batch.threats(boards, "renju").shape == (3, 2, 15, 15)
    assert batch.shapes(boards, "renju").shape == (3, 2, 4, 15, 15)
    assert batch.forbidden(boards).shape == (3, 15, 15)
    assert batch.legal(boards, "renju", "black").dtype == np.bool_
    assert batch.legal(boards, "renju", "black").all()
    assert batch.outcome(boards, "renju", [1, 2, 1]).tolist() == [0, 0, 0]


def test_no_positions_are_fine() -> None:
    boards = np.zeros((0, 15, 15), dtype=np.uint8)
    assert batch.threats(boards, "caro").shape == (0, 2, 15, 15)
    assert batch.outcome(boards, "caro", "black").shape == (0,)
    assert batch.legal(boards, "caro", []).shape == (0, 15, 15)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.bool_])
def test_any_whole_numbers_and_any_order(dtype: type[np.generic]) -> None:
    boards = np.zeros((2, 15, 15), dtype=dtype)
    boards[1, 7, 3:7] = 1
    plain = batch.threats(boards.astype(np.uint8), "standard")
    assert (batch.threats(boards, "standard") == plain).all()
    assert (batch.threats(np.asfortranarray(boards), "standard") == plain).all()
    assert (batch.threats(boards.tolist(), "standard") == plain).all()


@pytest.mark.parametrize(
    ("boards", "message"),
    [
        (np.zeros((15, 15)), r"shape \(15, 15\)"),
        (np.zeros((1, 15, 14), dtype=np.uint8), "expected"),
        (np.zeros((1, 4, 4), dtype=np.uint8), "size 4"),
        (np.zeros((1, 23, 23), dtype=np.uint8), "size 23"),
        (np.zeros((1, 15, 15)), "float64"),
        (np.full((1, 5, 5), 3), r"boards\[0, 0, 0\] is 3"),
        (np.full((1, 5, 5), -1), r"is -1"),
    ],
)
def test_bad_boards(boards: object, message: str) -> None:
    with pytest.raises(BadPosition, match=message):
        batch.threats(boards, "renju")  # type: ignore[arg-type]


@pytest.mark.parametrize("sides", [[1], [1, 2, 1], [0, 1], ["black", "white"], 3, [1.0, 2.0]])
def test_bad_sides(sides: object) -> None:
    with pytest.raises(BadPosition, match="to_move"):
        batch.legal(np.zeros((2, 9, 9), dtype=np.uint8), "renju", sides)  # type: ignore[arg-type]


def test_results_do_not_depend_on_the_thread_count() -> None:
    rng = np.random.default_rng(1)
    boards = rng.integers(0, 3, (500, 15, 15), dtype=np.uint8)
    one = batch.shapes(boards, "renju", threads=1)
    assert (batch.shapes(boards, "renju", threads=3) == one).all()
    assert (batch.shapes(boards, "renju") == one).all()


def test_the_gil_is_released() -> None:
    """Another thread runs all the while a batch is at work, not only before and after."""
    boards = np.zeros((20000, 15, 15), dtype=np.uint8)
    ticks: list[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks.append(time.perf_counter())

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    batch.threats(boards, "renju", threads=1)
    stop = time.perf_counter()
    done.set()
    thread.join()
    margin = (stop - start) / 4
    assert any(start + margin < at < stop - margin for at in ticks)
