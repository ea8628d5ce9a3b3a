# SPDX-License-Identifier: MIT
"""Splits and order of rows, and identical batches after a resume."""

from __future__ import annotations

import math
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_samples import make_set, part, random_rows, same
from tengen import Colour, Rule
from tengen.data import (
    BadData,
    Batch,
    BatchReader,
    Dataset,
    DatasetView,
    Mixture,
    Permutation,
    Validation,
)

ROWS = random_rows(437, extras=True)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return Dataset.open(make_set(tmp_path_factory.mktemp("data") / "set", ROWS))


# --- orders ---


@given(st.integers(0, 3000), st.integers(0, 2**70), st.integers(0, 1000))
def test_each_number_once(count: int, seed: int, epoch: int) -> None:
    order = Permutation(count, seed, epoch)
    result = order[:]
    assert len(order) == count
    assert np.array_equal(np.sort(result), np.arange(count))
    if count:
        assert order[count - 1] == result[-1]
        assert np.array_equal(order[np.array([0, count // 2])], result[[0, count // 2]])


def test_orders_differ_by_seed_and_epoch_and_are_fixed() -> None:
    orders = {tuple(Permutation(50, seed, epoch)[:]) for seed in range(5) for epoch in range(5)}
    assert len(orders) == 25
    # The order is part of what a run is: it may never change.
    assert Permutation(10, 1, 0)[:].tolist() == [9, 2, 7, 8, 4, 3, 0, 1, 6, 5]


def test_an_order_is_well_mixed() -> None:
    count, tries = 12, 4000
    places = np.array([Permutation(count, 7, epoch)[:] for epoch in range(tries)])
    for place in range(count):
        seen = np.bincount(places[:, place], minlength=count)
        # Pearson's sum over 12 classes: 40 is beyond one in ten thousand.
        assert ((seen - tries / count) ** 2 / (tries / count)).sum() < 40
    large = Permutation(1_000_003, 3)[:20_000]
    assert abs(np.corrcoef(np.arange(20_000), large)[0, 1]) < 0.03
    assert abs(np.corrcoef(large[1:], large[:-1])[0, 1]) < 0.03


def test_invalid_positions() -> None:
    for wrong in (-1, 5, [0, 7]):
        with pytest.raises(IndexError, match="no index"):
            Permutation(5, 1)[wrong]
    with pytest.raises(BadData, match="use 0 or more"):
        Permutation(5, -1)


# --- splits ---


def numbers(view: DatasetView) -> list[int]:
    result: list[int] = view.numbers(np.arange(len(view))).tolist()
    return result


def test_split_by_blocks(dataset: Dataset) -> None:
    validation = [n for n in range(437) if (n // 10) % 4 == 3]
    assert numbers(dataset.split("validation")) == validation
    assert sorted(numbers(dataset.split("train")) + validation) == list(range(437))
    assert numbers(dataset.split("all")) == list(range(437))
    with pytest.raises(BadData, match="no split 'test'"):
        dataset.split("test")  # type: ignore[arg-type]


def test_split_by_games(tmp_path: Path) -> None:
    folder = make_set(tmp_path / "set", ROWS, validation=Validation(5, 2, "game"), shard=50)
    result = Dataset.open(folder)
    games = {
        which: result.split(which).rows(np.arange(len(result.split(which)))).game
        for which in ("train", "validation")
    }
    train, validation = (set(column.tolist()) for column in games.values() if column is not None)
    assert not train & validation
    assert validation == {game for game in range(63) if (game // 2) % 5 == 4}
    assert len(result.split("train")) + len(result.split("validation")) == 437


@settings(max_examples=40)
@given(st.integers(0, 300), st.integers(2, 7), st.integers(1, 40))
def test_splits_of_any_shape(count: int, every: int, block: int) -> None:
    from tengen.data.dataset import _block_ranges, _complement

    inside = _block_ranges(count, Validation(every, block))
    covered = [n for a, b in inside.tolist() for n in range(a, b)]
    others = [n for a, b in _complement(inside, count).tolist() for n in range(a, b)]
    assert covered == [n for n in range(count) if (n // block) % every == every - 1]
    assert sorted(covered + others) == list(range(count))


@pytest.mark.parametrize("every", [20.0, 6.5, 96_000 / 15_000, 1.25])
@pytest.mark.parametrize("unit", ["row", "game"])
def test_any_share_is_held_out_evenly(
    tmp_path: Path, every: float, unit: Literal["row", "game"]
) -> None:
    rows = random_rows(400, extras=True)._replace(game=np.arange(400, dtype=np.int32))
    split = Validation(every, 1, unit)
    data = Dataset.open(make_set(tmp_path / "set", rows, validation=split))
    held = numbers(data.split("validation"))
    assert len(held) == int(400 / every)
    gaps = np.diff([-1, *held])
    assert set(gaps.tolist()) <= {math.floor(every), math.ceil(every)}
    assert sorted(held + numbers(data.split("train"))) == list(range(400))


def test_another_split_of_the_same_rows(dataset: Dataset, tmp_path: Path) -> None:
    held = {}
    for unit in ("game", "row"):
        other = dataset.resplit(Validation(5, 1, unit))
        held[unit] = numbers(other.split("validation"))
    assert held["game"] == [n for n in range(437) if n // 7 % 5 == 4]
    assert held["row"] == list(range(4, 437, 5))
    assert numbers(dataset.split("validation")) == [n for n in range(437) if (n // 10) % 4 == 3]
    plain = Dataset.open(make_set(tmp_path / "plain", random_rows(20)))
    with pytest.raises(BadData, match="plain: validation is by game, but there is no column"):
        plain.resplit(Validation(5, 1, "game"))


@pytest.mark.parametrize("every", [1, 0.5])
def test_a_split_leaves_something_to_train_on(every: float) -> None:
    with pytest.raises(BadData, match="nothing to train on: use 0, or more than 1"):
        Validation(every)


def test_whole_numbers_of_blocks_are_written_as_in_0_1_0() -> None:
    assert repr(Validation(20).to_dict()["every"]) == "20"
    assert Validation.from_dict({"every": 20, "block": 1, "unit": "row"}) == Validation(20, 1)
    split = Validation(6.4, 1, "game")
    assert Validation.from_dict(split.to_dict()) == split


@pytest.mark.parametrize("shard", [50, 1000])
@pytest.mark.parametrize("validation", [Validation(4, 10), Validation(5, 2, "game")])
def test_one_colour(tmp_path: Path, validation: Validation, shard: int) -> None:
    result = Dataset.open(make_set(tmp_path / "set", ROWS, validation=validation, shard=shard))
    assert ROWS.to_move is not None
    for which in ("train", "validation", "all"):
        both = numbers(result.split(which))
        for colour in Colour:
            view = result.split(which, colour)
            assert numbers(view) == [n for n in both if ROWS.to_move[n] == colour]
            assert view.colour is colour


def test_one_colour_of_rows_without_turn(tmp_path: Path) -> None:
    result = Dataset.open(make_set(tmp_path / "set", random_rows(40)))
    with pytest.raises(BadData, match="no column 'to_move'"):
        result.split("train", Colour.BLACK)


@given(st.lists(st.booleans(), max_size=60), st.lists(st.booleans(), max_size=60))
def test_rows_in_both(some: list[bool], others: list[bool]) -> None:
    from tengen.data.dataset import _intersection, _runs

    ranges = [_runs([np.array(truths, bool)]) for truths in (some, others)]
    covered = [n for a, b in _intersection(ranges[0], ranges[1]).tolist() for n in range(a, b)]
    both = zip(some, others, strict=False)
    assert covered == [n for n, (mine, theirs) in enumerate(both) if mine and theirs]


def test_nothing_for_validation(tmp_path: Path) -> None:
    result = Dataset.open(make_set(tmp_path / "set", ROWS, validation=Validation(every=0)))
    assert len(result.split("validation")) == 0
    assert list(result.split("validation").batches(10)) == []
    assert len(result.split("train")) == 437
    with pytest.raises(BadData, match="no rows in this split"):
        BatchReader(result.split("validation"), 4)


# --- rows ---


def test_rows_by_number(dataset: Dataset) -> None:
    wanted = np.random.default_rng(1).integers(0, 437, 200)
    assert same(dataset.rows(wanted), part(ROWS, wanted))
    assert same(dataset.rows([]), part(ROWS, slice(0, 0)))
    assert same(dataset.slice(90, 260), part(ROWS, slice(90, 260)))
    assert same(dataset.slice(110, 120), part(ROWS, slice(110, 120)))
    view = dataset.split("validation")
    assert same(view.rows([3, 11]), part(ROWS, np.array([33, 71])))
    parts = list(view.batches(32))
    assert [len(b.board) for b in parts] == [32, 32, 32, len(view) - 96]


@pytest.mark.parametrize("wrong", [[437], [-1], [[1]], [0.5]])
def test_no_such_row(dataset: Dataset, wrong: list[int]) -> None:
    with pytest.raises(IndexError):
        dataset.rows(wrong)
    with pytest.raises(IndexError):
        dataset.split("train").rows(wrong)


# --- batches ---


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_each_row_once_per_epoch(dataset: Dataset, workers: int) -> None:
    view = dataset.split("train")
    wanted = Counter(numbers(view))
    with BatchReader(view, 10, seed=5, workers=workers) as reader:
        rows = [ply for batch in islice(reader, 3 * len(view) // 10 + 1) for ply in plies(batch)]
    for epoch in range(3):
        assert Counter(rows[epoch * len(view) : (epoch + 1) * len(view)]) == wanted
    order = Permutation(len(view), 5, 1)
    second = rows[len(view) : 2 * len(view)]
    assert second == view.numbers(order[:]).tolist()


def plies(batch: Batch) -> list[int]:
    assert batch.ply is not None
    return [int(ply) for ply in batch.ply]


@pytest.mark.parametrize("start", [1, 32, 33, 200])
def test_resumed_at_any_step(dataset: Dataset, start: int) -> None:
    view = dataset.split("train")
    with BatchReader(view, 10, seed=3, workers=2) as whole:
        wanted = list(islice(whole, start, start + 5))
    with BatchReader(view, 10, seed=3, start_step=start, workers=1) as rest:
        result = list(islice(rest, 5))
        assert rest.step == start + 5
        assert same(rest.batch(start), wanted[0])
    assert all(map(same, wanted, result))
    with BatchReader(view, 10, seed=4, start_step=start) as other:
        assert not same(next(other), wanted[0])


def test_batches_larger_than_the_set(dataset: Dataset) -> None:
    view = dataset.split("validation")
    with BatchReader(view, 2 * len(view) + 5, seed=1) as reader:
        counts = Counter(plies(next(reader)))
    assert set(counts.values()) == {2, 3}


def test_the_end(dataset: Dataset) -> None:
    closed = BatchReader(dataset.split("train"), 8)
    next(closed)
    closed.close()
    assert list(closed) == []
    with pytest.raises(BadData, match="batch_size=0"):
        BatchReader(dataset.split("train"), 0)


def test_an_error_in_a_thread_reaches_the_caller(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("the disk went away")

    monkeypatch.setattr(Dataset, "rows", fail)
    with (
        BatchReader(dataset.split("train"), 8) as reader,
        pytest.raises(OSError, match="went away"),
    ):
        next(reader)


# --- mixtures ---


def test_a_mixture(dataset: Dataset, tmp_path: Path) -> None:
    small = Dataset.open(make_set(tmp_path / "small", random_rows(40, moves=2, seed=9)))
    mixture = Mixture([(dataset.split("train"), 3), (small.split("all"), 1)])
    assert mixture.portions(10) == (8, 2)
    assert mixture.portions(16) == (12, 4)
    assert (mixture.columns, mixture.policy_moves) == (("board", "move", "prob", "value"), 4)
    with BatchReader(mixture, 16, seed=2) as reader:
        first = next(reader)
        assert same(reader.batch(0), first)
        boards = [b.board[12:].tobytes() for b in islice(reader, 9)] + [first.board[12:].tobytes()]
    rows = small.rows(np.arange(40))
    assert Counter(b"".join(boards)) == Counter(rows.board.tobytes())  # once in ten batches
    assert not first.prob[12:, 2:].any()
    with BatchReader(dataset.split("train"), 12, seed=2) as alone:
        assert np.array_equal(next(alone).board, first.board[:12])


@given(st.lists(st.floats(0.05, 1), min_size=1, max_size=5), st.integers(100, 5000))
def test_shares_add_up(weights: list[float], batch: int) -> None:
    mixture = object.__new__(Mixture)
    mixture.weights = tuple(w / sum(weights) for w in weights)
    mixture.views = (None,) * len(weights)  # type: ignore[assignment]
    result = mixture.portions(batch)
    assert sum(result) == batch
    assert all(abs(n - w * batch) < 1 for n, w in zip(result, mixture.weights, strict=True))


def test_what_cannot_be_mixed(dataset: Dataset, tmp_path: Path) -> None:
    rows = random_rows(40)
    renju = Dataset.open(make_set(tmp_path / "renju", rows, rule=Rule.RENJU, redistributable=False))
    large = Dataset.open(make_set(tmp_path / "large", random_rows(40, 11), size=11))
    train = dataset.split("train")
    with pytest.raises(BadData, match="renju has rule renju, not freestyle"):
        Mixture([(train, 1), (renju.split("all"), 1)])
    both = Mixture([(train, 1), (renju.split("all"), 1)], any_rule=True)
    assert not both.redistributable
    with pytest.raises(BadData, match="has board size 11, not 9"):
        Mixture([(train, 1), (large.split("all"), 1)])
    with pytest.raises(BadData, match="is too small for batches of 10"):
        BatchReader(Mixture([(train, 1), (dataset.split("all"), 0.001)]), 10)
    for weight in (0, -1, float("nan"), float("inf")):
        with pytest.raises(BadData, match="no weight"):
            Mixture([(train, weight)])
    with pytest.raises(BadData, match="an empty mixture"):
        Mixture([])
