# SPDX-License-Identifier: MIT
"""Lazy evaluation tables: the file, core against NumPy, fitting, and the engine that uses them."""

from __future__ import annotations

import errno
import json
import os
import random
import re
import shutil
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from mixnet_samples import SMALL, lively, net_of
from random_boards import random_cells
from tengen import Board, Engine, Limit, _core
from tengen.cli.main import main
from tengen.cluster import LocalCluster
from tengen.engine.bench import bench
from tengen.engine.errors import BadTables
from tengen.engine.nets import lazy_tables_path
from tengen.export import lazy_fit
from tengen.export.combos import background_combos, combos
from tengen.export.lazy_fit import (
    SampleTask,
    ValueSamples,
    fit_lazy_tables,
    play_game,
    play_games,
)
from tengen.export.lazy_tables import LazySide, LazyTables
from tengen.export.quantise import write_net
from tengen.game.rule import Colour, Rule

pytestmark = pytest.mark.usefixtures("one_thread")
RULES = list(Rule)


def random_side(seed: int) -> LazySide:
    """Numbers as large as those of real tables."""
    chance = np.random.default_rng(seed)

    def draw(most: int, *shape: int) -> npt.NDArray[np.int16]:
        return chance.integers(-most, most + 1, shape).astype(np.int16)

    return LazySide(
        draw(60, 1365, 16),
        draw(60, 1365, 16),
        draw(3000, 1024, 16),
        draw(1500, 16, 16),
        chance.integers(-90_000, 90_000, 16).astype(np.int32),
        chance.integers(-60_000, 60_000, 16).astype(np.int32),
    )


def random_positions(
    size: int, count: int, seed: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Boards and sides to move (1 or 2)."""
    chance = random.Random(seed)
    cells = [random_cells(chance, size) for _ in range(count)]
    boards = np.array(cells, np.uint8).reshape(count, size, size)
    return boards, np.array([chance.randint(1, 2) for _ in range(count)], np.uint8)


class Silent:
    def write(self, *numbers: int) -> None:
        pass


@pytest.fixture
def net(tmp_path: Path) -> Path:
    path = tmp_path / "small.net"
    made = net_of(SMALL, lively(SMALL, 1), "small")
    write_net(made, path)
    return path


def samples_of(net: Path, games: int = 3) -> ValueSamples:
    parts = [play_game(SampleTask(str(net), "freestyle", 9, n), Silent()) for n in range(games)]
    return ValueSamples.joined(parts)


# --- the file ---


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("size", [9, 15, 20])
def test_the_core_and_numpy_agree(rule: Rule, size: int) -> None:
    sides = [random_side(1), random_side(2)] if rule is Rule.RENJU else [random_side(3)]
    tables = LazyTables(rule, sides)
    boards, to_move = random_positions(size, 40, seed=size)
    result = _core.lazy_values(tables.to_bytes(), RULES.index(rule), boards, to_move)
    wanted = tables.values(boards, to_move)
    assert result.tolist() == wanted.tolist()
    assert len(set(result.tolist())) > 10


def test_a_file_is_read_as_it_was_written() -> None:
    tables = LazyTables(Rule.RENJU, [random_side(1), random_side(2)])
    result = LazyTables.from_bytes(tables.to_bytes())
    assert result.rule is Rule.RENJU
    for mine, theirs in zip(tables.sides, result.sides, strict=True):
        for part in fields(LazySide):
            assert np.array_equal(getattr(mine, part.name), getattr(theirs, part.name))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: b"", "not a file of"),
        (lambda data: b"TGCLASS1" + data[8:], "not a file of"),
        (lambda data: data[:-1], "cut short"),
        (lambda data: data + b"x", "something was added"),
        (lambda data: data[:9000] + bytes([data[9000] ^ 1]) + data[9001:], "checksum"),
    ],
)
def test_broken_files_are_rejected_by_both(change: object, message: str) -> None:
    data = change(LazyTables(Rule.FREESTYLE, [random_side(1)]).to_bytes())  # type: ignore[operator]
    with pytest.raises(BadTables, match=message):
        LazyTables.from_bytes(data)
    boards, to_move = random_positions(9, 1, seed=1)
    with pytest.raises(ValueError, match=message):
        _core.lazy_values(data, 0, boards, to_move)


def test_numbers_of_another_shape_are_not_written() -> None:
    side = random_side(1)
    with pytest.raises(ValueError, match="first"):
        LazyTables(Rule.CARO, [replace(side, first=side.first[:4])]).to_bytes()


# --- the engine ---


def test_an_engine_uses_the_tables_beside_its_net(net: Path) -> None:
    board = Board(9, "freestyle")
    for move in ("e5", "e6", "d4"):
        board.push(move)

    def search() -> tuple[int, int]:
        with Engine(net=str(net), memory=8) as engine:
            info = engine.play(board, Limit(depth=6)).info
            assert info is not None
            return info.nodes, info.evaluations

    plain = search()
    assert search() == plain
    lazy_tables_path(net).write_bytes(LazyTables(Rule.FREESTYLE, [random_side(1)]).to_bytes())
    assert search() != plain
    assert search() == search()
    lazy_tables_path(net).unlink()
    assert search() == plain


def test_broken_lazy_tables_beside_a_net_are_reported(net: Path) -> None:
    board = Board(9, "freestyle")
    board.push("e5")
    for data in (b"", b"nonsense", b"nonsense" * 4, b"TGCLASS1" + bytes(100)):
        lazy_tables_path(net).write_bytes(data)
        with Engine(net=str(net), memory=8) as engine, pytest.raises(BadTables, match="not a file"):
            engine.play(board, Limit(nodes=10))
    lazy_tables_path(net).write_bytes(LazyTables(Rule.FREESTYLE, [random_side(1)]).to_bytes()[:-4])
    with Engine(net=str(net), memory=8) as engine, pytest.raises(BadTables, match="cut short"):
        engine.play(board, Limit(nodes=10))
    with pytest.raises(BadTables, match=rf"{re.escape(str(lazy_tables_path(net)))}.* cut short"):
        bench(Rule.FREESTYLE, net=str(net), memory=8, depth=2)


def test_after_broken_lazy_tables_the_engine_plays_as_reported(net: Path) -> None:
    """The core had the net already when its guesses failed."""
    board = Board(9, "freestyle")
    board.push("e5")
    data = LazyTables(Rule.FREESTYLE, [random_side(1)]).to_bytes()
    with Engine(net="classical", memory=8) as engine:
        classical = engine.play(board, Limit(nodes=300)).info
    with Engine(net=str(net), memory=8) as engine:
        lazy_tables_path(net).write_bytes(data[:-4])
        with pytest.raises(BadTables, match="cut short"):
            engine.play(board, Limit(nodes=300))
        engine.configure(net="classical")
        result = engine.play(board, Limit(nodes=300)).info
        assert result is not None
        assert classical is not None
        assert (result.nodes, result.score, result.pv) == (
            classical.nodes, classical.score, classical.pv
        )  # fmt: skip
        lazy_tables_path(net).write_bytes(data)
        engine.configure(net=str(net))
        last = engine.play(board, Limit(nodes=300)).info
        assert last is not None
        assert str(last.evaluation).startswith("mixnet")


def test_lazy_tables_for_another_rule_are_not_used(net: Path) -> None:
    data = LazyTables(Rule.RENJU, [random_side(1)]).to_bytes()
    lazy_tables_path(net).write_bytes(data)
    board = Board(9, "freestyle")
    board.push("e5")
    with Engine(net=str(net), memory=8) as engine:
        assert engine.play(board, Limit(nodes=100)).info is not None


def test_samples_are_positions_and_net_values(net: Path) -> None:
    result = samples_of(net, 1)
    assert len(result) > 20
    assert set(np.unique(result.boards)) <= {0, 1, 2}
    black, white = ((result.boards == side).sum((1, 2)) for side in (1, 2))
    in_turn = np.where(black == white, 1, 2) == result.to_move
    assert in_turn.mean() > 0.7  # but for passes that the search tries
    core = _core.Net.read(net.read_bytes())
    own = np.where(result.boards == result.to_move[:, None, None], 1, 2) * (result.boards > 0)
    win, loss, draw = core.evaluate(own.astype(np.uint8))[0].T / 4096
    half = draw - np.log(2)
    points = 200 * (np.logaddexp(win, half) - np.logaddexp(loss, half))
    assert np.abs(points - result.values).max() < 3


def test_no_samples_by_default(net: Path) -> None:
    board = Board(9, "freestyle")
    board.push("e5")
    with Engine(net=str(net), memory=8) as engine:
        engine.play(board, Limit(nodes=2000))
        assert len(engine.take_samples()[2]) == 0


# --- learning ---


def made_samples(rule: Rule, count: int = 4000) -> ValueSamples:
    """Positions whose value is how many more points the side to move has stones in reach of."""
    boards, to_move = random_positions(9, count, seed=4)
    seen = combos(boards, rule)
    far = background_combos()[seen] | (boards.reshape(count, 1, -1) > 0)
    black, white = ((~far[:, side]).sum(1) for side in range(2))
    lead = np.where(to_move == 1, black - white, white - black)
    return ValueSamples(boards, to_move, (12 * lead).astype(np.int32))


@pytest.mark.integration
@pytest.mark.parametrize("rule", [Rule.FREESTYLE, Rule.RENJU])
def test_lazy_tables_are_fitted(rule: Rule) -> None:
    samples = made_samples(rule)
    steps: list[int] = []
    tables, report = fit_lazy_tables(
        samples, rule, epochs=12, on_step=lambda step, of, loss: steps.append(step)
    )
    assert len(tables.sides) == (2 if rule is Rule.RENJU else 1)
    assert report.held_out + report.trained == len(samples)
    assert report.error_std < 0.5 * report.value_std
    assert steps[0] == 1
    again, _ = fit_lazy_tables(samples, rule, epochs=1)
    assert again.to_bytes() == fit_lazy_tables(samples, rule, epochs=1)[0].to_bytes()


def test_too_few_positions(net: Path) -> None:
    few = made_samples(Rule.FREESTYLE, 900)
    with pytest.raises(ValueError, match="900 positions are too few"):
        fit_lazy_tables(few, Rule.FREESTYLE)


# --- the command line ---


@pytest.mark.integration
def test_the_command(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["net", "lazy", str(net), "--size", "9", "--processes", "1", "--epochs", "1"]
    assert main([*arguments, "--games", "12"]) == 0
    data = lazy_tables_path(net).read_bytes()
    assert LazyTables.from_bytes(data).rule is Rule.FREESTYLE
    assert "held out" in capsys.readouterr().err
    assert main([*arguments, "--games", "12"]) == 1
    assert "--overwrite" in capsys.readouterr().err
    assert lazy_tables_path(net).read_bytes() == data
    out = net.parent / "more" / "other.guess"
    assert main([*arguments, "--games", "1", "--out", str(out)]) == 1
    assert "too few" in capsys.readouterr().err
    assert not out.exists()
    assert main([*arguments, "--out", str(net.parent / "x.bin")]) == 1
    assert "must end in .guess" in capsys.readouterr().err


@pytest.mark.parametrize("out", ["/proc/x.guess", "small.net/x.guess", "folder.guess"])
def test_an_unwritable_target(
    out: str, net: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reported before the games, with the requested name."""
    monkeypatch.setattr(lazy_fit, "play_games", None)
    (net.parent / "folder.guess").mkdir()
    path = str(net.parent / out)
    assert main(["net", "lazy", str(net), "--size", "9", "--overwrite", "--out", path]) == 1
    output = capsys.readouterr().err
    assert output.startswith(f"tengen net: {path}: ")
    assert output.count("\n") == 1


def test_a_disk_that_is_full(
    net: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    tables = LazyTables(Rule.FREESTYLE, [random_side(1)])
    report = lazy_fit.LazyFitReport(*[1] * len(fields(lazy_fit.LazyFitReport)))
    monkeypatch.setattr(lazy_fit, "play_games", lambda *_, **__: [made_samples(tables.rule, 9)])
    monkeypatch.setattr(lazy_fit, "fit_lazy_tables", lambda *_, **__: (tables, report))
    arguments = ["net", "lazy", str(net), "--size", "9", "--processes", "1"]
    monkeypatch.setattr(os, "fsync", full)
    assert main(arguments) == 1
    wanted = f"tengen net: {lazy_tables_path(net)}: No space left on device; nothing was written"
    assert wanted in capsys.readouterr().err
    assert list(net.parent.iterdir()) == [net]


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """A folder with a net a colour, for renju."""
    folder = tmp_path / "pair"
    folder.mkdir()
    for seed, colour in enumerate(Colour):
        made = net_of(SMALL, lively(SMALL, seed), str(colour))
        header = replace(made.header, rules=(Rule.RENJU,), colours=(colour,))
        write_net(replace(made, header=header), folder / f"{colour}.net")
    entry = {"rule": "renju", "from": 9, "to": 11, "black": "black", "white": "white"}
    (folder / "registry.json").write_text(json.dumps({"format": 1, "nets": [entry]}), "utf-8")
    return folder


@pytest.mark.integration
def test_lazy_tables_of_one_net_per_colour(pair: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["net", "lazy", str(pair), "--size", "9", "--processes", "1", "--epochs", "1"]
    assert main([*arguments, "--games", "8"]) == 0
    tables = LazyTables.from_bytes((pair / "black.guess").read_bytes())
    assert tables.rule is Rule.RENJU
    assert len(tables.sides) == 2
    board = Board(9, Rule.RENJU)
    for name in ("e5", "e6"):  # both nets guess by them
        with Engine(net=str(pair), memory=8) as engine:
            engine.play(board, Limit(nodes=200))
        board.push(name)


@pytest.mark.parametrize(
    ("requested", "message"),
    [
        (["--rule", "freestyle"], "no net for freestyle"),
        (["--size", "15"], "no net for 15"),
        (["--rule", "renju", "--size", "12"], "no net for renju 12"),
    ],
)
def test_a_folder_for_something_else(
    pair: Path, requested: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["net", "lazy", str(pair), *requested]) == 1
    assert message in capsys.readouterr().err
    (pair / "registry.json").unlink()
    assert main(["net", "lazy", str(pair), *requested]) == 1
    assert "registry.json" in capsys.readouterr().err


def test_a_net_for_another_rule(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["net", "lazy", str(net), "--rule", "renju", "--size", "9", "--games", "1"]
    assert main(arguments) == 1
    assert "renju" in capsys.readouterr().err


@pytest.mark.integration
def test_a_game_that_fails_is_reported(net: Path) -> None:
    copy = net.parent / "copy.net"
    shutil.copy(net, copy)
    with LocalCluster(1, 60.0) as cluster, pytest.raises(Exception, match="failed"):
        list(play_games(str(copy), Rule.RENJU, 9, 1, cluster))
