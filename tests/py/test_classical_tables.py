# SPDX-License-Identifier: MIT
"""scripts/classical: features, files, and recovery of the weights that generated the data. The
regressions need scipy and are skipped without it.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from scripts.classical import features, write
from scripts.classical.write import BadTables, Tables

from random_boards import random_cells
from tengen import Board, Colour, Rule, Shape
from tengen.data import Batch, Dataset, DataWriter, Manifest, Validation, own_view, pack
from tengen.export import combos
from tengen.export.combos import COMBOS, MASKS, SHAPES, THREAT_GROUPS

DATA = Path(__file__).parents[2] / "src" / "tengen" / "engine" / "data"


def some_boards(count: int, size: int = 15, seed: int = 1) -> npt.NDArray[np.uint8]:
    rng = random.Random(seed)
    cells = [random_cells(rng, size) for _ in range(count)]
    return np.array(cells, dtype=np.uint8).reshape(count, size, size)


def board_of(cells: npt.NDArray[np.uint8], rule: Rule, to_move: int) -> Board:
    return Board.from_array(cells, rule=rule, to_move=Colour(to_move))


# --- features ---


def test_numbering_is_a_bijection_of_unordered_shapes() -> None:
    numbers: dict[int, list[int]] = {}
    for shapes in itertools.product(range(SHAPES), repeat=4):
        number = combos.combo_number(shapes)
        assert numbers.setdefault(number, sorted(shapes)) == sorted(shapes)
    assert sorted(numbers) == list(range(COMBOS))
    assert combos.combo_number((0, 0, 0, 0)) == 0
    assert combos.combo_number((11, 11, 11, 11)) == 1364
    assert combos.combo_number((6, 2, 4, 2)) == 126 + 20 + 3 + 2


def test_shapes_of_combos() -> None:
    counts = combos.combo_shapes()
    assert (counts.sum(axis=1) == 4).all()
    number = combos.combo_number((Shape.FIVE, Shape.TWO, Shape.NONE, Shape.TWO))
    assert counts[number, [Shape.FIVE, Shape.TWO, Shape.NONE]].tolist() == [1, 2, 1]


@pytest.mark.parametrize("rule", list(Rule))
def test_combos_are_those_of_the_board(rule: Rule) -> None:
    cells = some_boards(4)
    result = combos.combos(cells, rule).reshape(4, 2, 15, 15)
    for n, position in enumerate(cells):
        board = board_of(position, rule, 1)
        for y, x in np.argwhere(position == 0).tolist():
            for colour in Colour:
                shapes = board.shapes((x, y), colour)
                assert result[n, colour - 1, y, x] == combos.combo_number(shapes)


def test_combos_follow_the_symmetries_of_the_board() -> None:
    cells = some_boards(50)
    result = combos.combos(cells, Rule.RENJU).reshape(50, 2, 15, 15)
    turned = combos.combos(np.rot90(cells, axes=(1, 2)), Rule.RENJU).reshape(50, 2, 15, 15)
    mirrored = combos.combos(cells[:, :, ::-1], Rule.RENJU).reshape(50, 2, 15, 15)
    assert (turned == np.rot90(result, axes=(2, 3))).all()
    assert (mirrored == result[:, :, :, ::-1]).all()


def test_view_is_that_of_the_side_to_move() -> None:
    cells = some_boards(40)
    black = features.view(cells, np.full(40, 1, dtype=np.uint8), Rule.FREESTYLE)
    swapped = np.array([0, 2, 1], dtype=np.uint8)[cells]
    white = features.view(swapped, np.full(40, 2, dtype=np.uint8), Rule.FREESTYLE)
    for part in fields(features.View):
        assert (getattr(black, part.name) == getattr(white, part.name)).all()
    assert 0 < black.has_five.sum() < 40


@pytest.mark.parametrize("rule", list(Rule))
def test_masks_are_those_of_the_board(rule: Rule) -> None:
    cells = some_boards(200, seed=3)
    to_move = np.tile(np.array([1, 2], dtype=np.uint8), 100)
    result = features.view(cells, to_move, rule).mask
    for position, side, mask in zip(cells, to_move, result, strict=True):
        board = board_of(position, rule, side)
        counts = [board.threat_counts(Colour(side)), board.threat_counts(Colour(side).other)]
        bits = [any(by[threat] for threat in group) for by in counts for group in THREAT_GROUPS]
        assert mask == sum(1 << bit for bit, is_set in enumerate(bits) if is_set)
    assert np.bitwise_or.reduce(result) == MASKS - 1


def test_an_empty_board_has_background_combos_only() -> None:
    for size in (5, 9, 15, 22):
        result = combos.combos(np.zeros((1, size, size), dtype=np.uint8), Rule.STANDARD)
        assert combos.background_combos()[result].all()
    assert combos.background_combos().sum() == 15


# --- files ---


def some_tables() -> Tables:
    rng = np.random.default_rng(5)
    shapes = write.SHAPES_OF_ARRAYS
    return Tables(**{name: write.to_eval(rng.normal(size=shapes[name])) for name in shapes})


def test_tables_survive_the_file(tmp_path: Path) -> None:
    tables = some_tables()
    write.write(tmp_path / "new" / "a.tables", Rule.CARO, tables)
    rule, result = write.read(tmp_path / "new" / "a.tables")
    assert rule is Rule.CARO
    for part in fields(Tables):
        assert (getattr(result, part.name) == getattr(tables, part.name)).all()


def test_layout_of_the_file() -> None:
    data = write.to_bytes(Rule.RENJU, some_tables())
    numbers = np.frombuffer(data[16:], "<i2")
    assert data[:12] == b"TGCLASS1\x02\0\0\0"
    assert len(numbers) == 2 * (4 * 1365 + 1024 + 1)
    assert numbers[1365] == some_tables().own[1, 0]
    assert numbers[-3] == some_tables().mask[1, 1023]


def test_points_are_rounded_and_clipped() -> None:
    assert write.to_eval([0.0126, -0.0126, 100, -100]).tolist() == [3, -3, 8000, -8000]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda data: b"", "does not begin with TGCLASS1"),
        (lambda data: b"TGCLASS2" + data[8:], "does not begin with TGCLASS1"),
        (lambda data: data[:-1], "have 25956 bytes, this file has 25955"),
        (lambda data: data + b"\0", "have 25956 bytes, this file has 25957"),
        (lambda data: data[:500] + bytes([data[500] ^ 1]) + data[501:], "damaged"),
        (lambda data: data[:12] + b"\0\0\0\0" + data[16:], "damaged"),
        (lambda data: data[:8] + b"\5" + data[9:], "for rule 5: known are 0 to 4"),
    ],
)
def test_broken_files_are_rejected(spoil: Callable[[bytes], bytes], message: str) -> None:
    with pytest.raises(BadTables, match=message):
        write.from_bytes(spoil(write.to_bytes(Rule.FREESTYLE, some_tables())))


def test_tables_of_wrong_shape_are_not_written() -> None:
    with pytest.raises(ValueError, match=r"bias is int16 \(3,\)"):
        write.to_bytes(Rule.CARO, replace(some_tables(), bias=np.zeros(3, dtype=np.int16)))


@pytest.mark.parametrize("rule", list(Rule))
def test_bundled_tables(rule: Rule) -> None:
    result, tables = write.read(DATA / f"classical-{rule}.tables")
    assert result is rule
    five = combos.combo_shapes()[:, Shape.FIVE] > 0
    open_four = combos.combo_shapes()[:, Shape.OPEN_FOUR] > 0
    assert tables.move_own[:, five].min() > tables.move_own[:, ~five].max()
    assert tables.move_opponent[:, five].min() > tables.move_opponent[:, ~five].max()
    assert tables.move_own[:, open_four].min() >= tables.move_own[:, ~open_four & ~five].max()
    if rule is not Rule.RENJU:
        for part in fields(Tables):
            assert (getattr(tables, part.name)[0] == getattr(tables, part.name)[1]).all()


# --- readers ---


def save_set(folder: Path, rule: Rule, cells: npt.NDArray[np.uint8]) -> None:
    """A data set of 9x9; every fifth row is held out for validation."""
    count = len(cells)
    to_move = np.resize(np.array([1, 2], dtype=np.uint8), count)
    move = (cells.reshape(count, 81) == 0).argmax(axis=1).astype(np.uint16)[:, None]
    win = np.where(np.arange(count) % 7 < 4, 255, 0).astype(np.uint8)
    rows = Batch(
        pack(own_view(cells, to_move), 9),
        move,
        np.full((count, 1), 255, np.uint8),
        np.stack([win, 255 - win], axis=1),
        to_move=to_move,
    )
    manifest = Manifest("test", rule, 9, 1, Validation(every=5, block=1))
    with DataWriter.create(folder, manifest) as writer:
        writer.add(rows)


def test_positions_of_a_data_set(tmp_path: Path) -> None:
    pytest.importorskip("scipy", reason="learning wants scipy: pip install --group learn")
    from scripts.classical import collect

    cells = some_boards(5, size=9)
    save_set(tmp_path / "set", Rule.RENJU, cells)
    view = Dataset.open(tmp_path / "set").split("all")
    result = collect._positions(view, view.rows(np.arange(5)))
    assert (result.boards == cells).all()
    assert result.value.tolist() == [1, 1, 1, 1, 0]
    assert result.to_move.tolist() == [1, 2, 1, 2, 1]
    assert result.weights.tolist() == [[1]] * 5


# --- regressions ---


def quiet_boards(count: int, seed: int) -> npt.NDArray[np.uint8]:
    """Boards of 9x9 with a dozen scattered stones."""
    rng = np.random.default_rng(seed)
    stones = np.zeros((count, 81), dtype=np.uint8)
    stones[:, :6], stones[:, 6:12] = 1, 2
    return rng.permuted(stones, axis=1).reshape(count, 9, 9)


def true_weights(seed: int) -> npt.NDArray[np.float64]:
    """Weights of combos: a sum over shapes, and something of each combo's own."""
    rng = np.random.default_rng(seed)
    shapes = combos.combo_shapes() @ rng.normal(0, 0.3, SHAPES)
    weights = shapes + rng.normal(0, 0.2, COMBOS)
    weights[combos.background_combos()] = 0
    return np.asarray(weights)


def positions_of(cells: npt.NDArray[np.uint8], rule: Rule) -> features.Positions:
    """Positions whose values and moves follow `true_weights` exactly."""
    count = len(cells)
    to_move = np.tile(np.array([1, 2], dtype=np.uint8), count)[:count]
    seen = features.view(cells, to_move, rule)
    own, opponent = true_weights(1)[seen.own], true_weights(2)[seen.opponent]
    logits = 0.1 * np.where(seen.empty, own - opponent, 0).sum(axis=1)
    logits += np.where(seen.mask & 1, 1.0, 0.2)
    scores = np.where(seen.empty, np.exp(own + opponent), 0)
    points = cells[0].size
    return features.Positions(
        boards=cells,
        to_move=to_move,
        value=(1 / (1 + np.exp(-logits))).astype(np.float32),
        moves=np.tile(np.arange(points, dtype=np.int32), (count, 1)),
        weights=(scores / scores.sum(axis=1, keepdims=True)).astype(np.float32),
    )


@pytest.mark.integration
def test_regression_recovers_the_weights() -> None:
    pytest.importorskip("scipy", reason="learning wants scipy: pip install --group learn")
    from scripts.classical import collect, fit, report

    parts = []
    for seed in (1, 2):
        collector = collect.Collector(Rule.STANDARD)
        collector.add(positions_of(quiet_boards(3000, seed), Rule.STANDARD))
        parts.append((collector.values(), collector.policy()))
    (value, policy), (new_value, new_policy) = parts
    search = fit.Search(steps=150, watch=lambda done, loss: None)
    penalties = fit.Penalties(shared=0.01, combo=0.1, mask=0.1, move=0.1)
    result = fit.fit_value(value, penalties, search), fit.fit_policy(policy, penalties, search)
    often = np.asarray(value.counts.sum(axis=0)).reshape(2, COMBOS).min(axis=0) > 500
    often &= ~combos.background_combos()
    assert often.sum() > 20
    assert np.abs(result[0].own - 0.1 * true_weights(1))[often].max() < 0.05
    assert np.abs(result[0].opponent - 0.1 * true_weights(2))[often].max() < 0.05
    moves = result[1].own[often] - true_weights(1)[often]
    assert np.abs(moves - moves.mean()).max() < 0.1
    tables = fit.assemble([result])
    measured = report.value_report(new_value, report.value_weights(tables, 0))
    assert measured.loss - measured.least < 0.02 * (measured.constant - measured.least)
    assert max(abs(predicted - true) for predicted, true in measured.deciles) < 0.02
    weights = np.concatenate([result[1].own, result[1].opponent])  # no move is set by hand yet
    chosen = report.policy_report(new_policy, weights)
    assert chosen.loss - chosen.least < 0.01
    assert chosen.top1 > 0.9


def test_value_of_unseen_combos_is_that_of_their_shapes() -> None:
    pytest.importorskip("scipy", reason="learning wants scipy: pip install --group learn")
    from scripts.classical import fit

    design = fit.value_design(fit.Penalties())
    new = combos.combo_number((Shape.OPEN_FOUR, Shape.FOUR, Shape.FOUR, Shape.NONE))
    row = design.matrix[[new]].toarray()[0]
    assert sorted(row[row > 0]) == [1, 1, 1, 2]
    assert (row[COMBOS:] == 0).all()


def test_a_larger_board_does_not_change_the_value() -> None:
    pytest.importorskip("scipy", reason="learning wants scipy: pip install --group learn")
    from scripts.classical import collect, fit, report

    _, tables = write.read(DATA / "classical-freestyle.tables")
    logits = []
    for size in (17, 22):
        cells = np.zeros((1, size, size), dtype=np.uint8)
        cells[0, 6:9, 6:9] = [[0, 1, 0], [1, 2, 2], [0, 0, 1]]
        collector = collect.Collector(Rule.FREESTYLE)
        collector.add(positions_of(cells, Rule.FREESTYLE))
        logits.append(fit.value_logits(collector.values(), report.value_weights(tables, 0)))
    assert logits[0] == pytest.approx(logits[1])


@pytest.mark.parametrize("rule", [Rule.RENJU, Rule.CARO])
def test_a_whole_run(rule: Rule, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Games in, tables out, the same bytes twice; in renju the colours get numbers of their own."""
    pytest.importorskip("scipy", reason="learning wants scipy: pip install --group learn")
    from scripts.classical.__main__ import main

    save_set(tmp_path / "data", rule, quiet_boards(400, 4))
    files = [tmp_path / name for name in ("a.tables", "b.tables")]
    for file in files:
        line = f"fit --rule {rule} --data {tmp_path / 'data'} --out {file} --steps 10"
        assert main(line.split()) == 0
    assert "held out" in capsys.readouterr().out
    assert files[0].read_bytes() == files[1].read_bytes()
    result, tables = write.read(files[0])
    assert result is rule
    assert (tables.own[0] == tables.own[1]).all() == (rule is not Rule.RENJU)
    assert main(f"score --tables {files[0]} --data {tmp_path / 'data'}".split()) == 0
    assert main(f"fit --rule freestyle --data {tmp_path / 'data'} --out {files[0]}".split()) == 2
    assert "not freestyle" in capsys.readouterr().out.replace("\n", " ")
