# SPDX-License-Identifier: MIT
"""What a validation reports: all positions held out, those unseen in training, sums by game, and
nets without the three-way value; against plain loops over single positions.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch

from data_samples import make_set, part, random_rows
from tengen.data import Batch, Dataset, DataWriter, Validation, pack, unpack
from tengen.data.symmetry import board_table, move_table
from tengen.nets import NetSpec, spec_of
from tengen.nets.blocks import BoardNet, PointPolicy, PooledValue
from tengen.nets.resnet import Resnet
from tengen.nets.spec import ResnetSpec
from tengen.nets.weights import read_weights
from tengen.train import BadRun, BadTraining, GameMetrics
from tengen.train.losses import LOSSES, METRICS, check_losses, measure, three_way_output
from tengen.train.source import packed
from tengen.train.train_folder import TrainFolder, read_metrics
from tengen.train.unpack import Unpacker
from tengen.util.errors import BadConfig
from train_runs import go, stop_after, weights
from train_samples import SIZE, config, rows

pytestmark = pytest.mark.usefixtures("one_thread")
CPU = torch.device("cpu")
SPLIT = Validation(4, 1, "game")
GAME = 5  # rows of a game


def repeating_rows() -> tuple[Batch, npt.NDArray[np.bool_]]:
    """200 rows of 40 games; of every other game for validation all but the last row are images of
    training rows. Also whether a row is such an image.
    """
    plain = rows(200)
    cells = unpack(plain.board, SIZE).reshape(200, -1).copy()
    move = plain.move.copy()
    random = np.random.default_rng(9)
    repeats = np.zeros(200, np.bool_)
    for game in range(3, 40, 8):
        for row in range(GAME * game, GAME * (game + 1) - 1):
            source, symmetry = row - 2 * GAME, int(random.integers(8))
            cells[row] = cells[source][board_table(SIZE)[symmetry]]
            move[row] = move_table(SIZE)[symmetry][plain.move[source]]
            repeats[row] = True
    numbers = (np.arange(200) // GAME).astype(np.int32)
    return plain._replace(board=pack(cells, SIZE), move=move, game=numbers), repeats


def loop_means(
    net: BoardNet, batch: Batch, chosen: npt.NDArray[np.int64], metrics: tuple[str, ...]
) -> dict[str, float]:
    """The means over the chosen rows, one row at a time."""
    values: dict[str, list[float]] = {name: [] for name in metrics}
    unpack_rows = Unpacker(SIZE, CPU)
    for row in chosen:
        sample = unpack_rows(packed(part(batch, np.array([row]))))
        with torch.no_grad():
            outputs = net(sample.planes)
        for name in metrics:
            values[name].append(float(METRICS[name].compute(outputs, sample, sample.labels)[0]))
    return {name: float(np.mean(found)) for name, found in values.items()}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repeats")
    batch, _ = repeating_rows()
    make_set(folder / "data", batch, size=SIZE, validation=SPLIT)
    go(config(folder / "data", steps=20, run={"validate_every": 10}), folder / "run")
    return folder / "run"


def test_seen_and_unseen_positions(run: Path) -> None:
    batch, repeats = repeating_rows()
    held = np.flatnonzero(np.arange(200) // GAME % 4 == 3)
    unseen = held[~repeats[held]]
    assert len(unseen) < len(held)
    net = read_weights(run / "net.pt")
    result = net.metadata["validation"]
    assert list(result) == ["raw", "raw_unseen", "average", "average_unseen"]
    metrics = ("value", "policy", "policy_top1", "win_mse")
    for kind, chosen in (("average", held), ("average_unseen", unseen)):
        means = loop_means(net.make(), batch, chosen, metrics)
        assert {name: result[kind][name] for name in metrics} == pytest.approx(means, abs=1e-5)
    assert result["average"]["policy"] != result["average_unseen"]["policy"]
    logged = [row for row in read_metrics(run / "metrics.jsonl") if row["event"] == "validate"]
    assert [row["weights"] for row in logged] == [*result, *result]
    counts = {row["weights"]: row["positions"] for row in logged}
    assert counts == {kind: len(unseen if "unseen" in kind else held) for kind in result}
    page = (run / "report.html").read_text("utf-8")
    assert "<td>average_unseen</td>" in page
    assert "validation, unseen positions" in page


def test_a_limit_on_the_positions(run: Path, tmp_path: Path) -> None:
    data = run.parent / "data"
    table = config(data, steps=5, run={"validation_samples": 10})
    go(table, tmp_path / "run")
    logged = read_metrics(tmp_path / "run" / "metrics.jsonl")
    counts = [row["positions"] for row in logged if row["event"] == "validate"]
    assert counts[0] == 10
    assert 0 < counts[1] < 10


def test_without_repeats_there_is_one_kind(tmp_path: Path) -> None:
    batch, repeats = repeating_rows()
    plain = rows(200, seed=8)._replace(game=batch.game)
    make_set(tmp_path / "data", plain, size=SIZE, validation=SPLIT)
    result = go(config(tmp_path / "data", steps=5), tmp_path / "run")
    assert list(result.validation) == ["raw", "average"]
    assert repeats.any()


# --- sums by game ---


def test_the_file_of_games(run: Path) -> None:
    metrics = GameMetrics.read(run / "validation_games.npz")
    result = read_weights(run / "net.pt").metadata["validation"]
    assert metrics.games.tolist() == [[0, game] for game in range(3, 40, 4)]
    assert set(metrics.kinds) == set(result)
    for kind, means in result.items():
        for name, mean in means.items():
            assert metrics.mean(kind, name) == pytest.approx(mean)
    batch, repeats = repeating_rows()
    net = read_weights(run / "net.pt").make()
    place = metrics.metrics.index("policy")
    for number, (_, game) in enumerate(metrics.games):
        chosen = np.arange(GAME * game, GAME * (game + 1))
        mean = loop_means(net, batch, chosen, ("policy",))["policy"]
        kind = metrics.kinds.index("average")
        assert metrics.counts[kind, number, place] == GAME
        assert metrics.sums[kind, number, place] == pytest.approx(GAME * mean, abs=1e-4)
        kind = metrics.kinds.index("average_unseen")
        assert metrics.counts[kind, number, place] == (~repeats[chosen]).sum()


def test_without_games_blocks_of_rows_stand_for_them(tmp_path: Path) -> None:
    split = Validation(2, 1, "row")
    make_set(tmp_path / "data", rows(2500), size=SIZE, validation=split)
    go(config(tmp_path / "data", steps=2), tmp_path / "run")
    metrics = GameMetrics.read(tmp_path / "run" / "validation_games.npz")
    assert metrics.games.tolist() == [[0, 0], [0, 1], [0, 2]]
    assert metrics.counts[0, :, 0].tolist() == [500, 500, 250]


def test_games_of_several_sets(tmp_path: Path) -> None:
    batch, _ = repeating_rows()
    sets = [{"path": str(make_set(tmp_path / n, batch, size=SIZE, validation=SPLIT))} for n in "ab"]
    go(config(tmp_path, data={"path": "", "sets": sets}, steps=2), tmp_path / "run")
    metrics = GameMetrics.read(tmp_path / "run" / "validation_games.npz")
    assert metrics.games.tolist() == [[n, game] for n in (0, 1) for game in range(3, 40, 4)]


@pytest.mark.integration
def test_a_resumed_run_writes_the_file_again(run: Path, tmp_path: Path) -> None:
    table = config(run.parent / "data", steps=20, run={"validate_every": 10})
    go(table, tmp_path / "run", stop=stop_after(13))
    assert not (tmp_path / "run" / "validation_games.npz").exists()
    go(table, tmp_path / "run", resume=True)
    one, two = (GameMetrics.read(path / "validation_games.npz") for path in (run, tmp_path / "run"))
    assert np.array_equal(one.sums, two.sums)
    (tmp_path / "run" / "validation_games.npz").unlink()
    go(table, tmp_path / "run", resume=True)
    assert GameMetrics.read(tmp_path / "run" / "validation_games.npz").kinds == one.kinds


def made(games: int, seed: int, first: int = 0) -> GameMetrics:
    random = np.random.default_rng(seed)
    counts = random.integers(1, 30, (1, games, 1)).astype(float)
    sums = random.binomial(counts.astype(int), 0.5).astype(float)
    numbers = np.stack([np.zeros(games, np.int64), np.arange(first, first + games)], 1)
    return GameMetrics(numbers, ("raw",), ("policy_top1",), sums, counts)


def test_intervals_over_games() -> None:
    metrics = made(400, 1)
    low, high = metrics.interval("raw", "policy_top1")
    mean = metrics.mean("raw", "policy_top1")
    assert low < mean < high
    deviation = metrics.sums.ravel() - mean * metrics.counts.ravel()
    error = math.sqrt((deviation**2).sum()) / metrics.counts.sum()  # of a ratio of sums
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.15)
    assert np.array_equal(
        metrics.resampled("raw", "policy_top1"), metrics.resampled("raw", "policy_top1")
    )
    better = GameMetrics(
        metrics.games, metrics.kinds, metrics.metrics, metrics.sums + 0.1, metrics.counts
    )
    gain = better.resampled("raw", "policy_top1") - metrics.resampled("raw", "policy_top1")
    assert gain.min() > 0  # the draws are the same
    with pytest.raises(BadConfig, match="did you mean 'policy_top1'"):
        metrics.mean("raw", "policy_top2")


def test_two_validations_together() -> None:
    one, two = made(30, 1), made(30, 2, first=20)
    both = one.merged(two)
    assert both.games[:, 1].tolist() == list(range(50))
    assert both.counts.sum() == one.counts.sum() + two.counts.sum()
    assert both.sums[0, 25, 0] == one.sums[0, 25, 0] + two.sums[0, 5, 0]
    total = one.sums.sum() + two.sums.sum()
    assert both.mean("raw", "policy_top1") == pytest.approx(total / both.counts.sum())


def test_a_damaged_file_of_games(tmp_path: Path) -> None:
    path = tmp_path / "games.npz"
    made(3, 1).write(path)
    assert np.array_equal(GameMetrics.read(path).sums, made(3, 1).sums)
    data = path.read_bytes()
    np.savez(tmp_path / "other.npz", games=np.zeros(3))
    contents = (data[: len(data) // 2], b"", b"text", (tmp_path / "other.npz").read_bytes())
    for content in contents:
        path.write_bytes(content)
        with pytest.raises(BadRun, match=r"games\.npz holds no metrics of games"):
            GameMetrics.read(path)


# --- nets without the three-way value ---


def one_value_net(head: str) -> BoardNet:
    spec = ResnetSpec(1, 8)
    return Resnet(spec, {head: PooledValue(8, 1), "policy": PointPolicy(8)})


@pytest.mark.parametrize("head", ["scalar", "win"])
def test_metrics_of_nets_with_one_value(head: str) -> None:
    net = one_value_net(head).eval()
    sample = Unpacker(SIZE, CPU)(packed(rows(50)))
    with torch.no_grad():
        outputs = net(sample.planes)
    parts = measure(METRICS, outputs, sample, sample.labels)
    assert set(METRICS) - set(parts) == {"value", "value_accuracy"}
    logit = outputs[head].flatten()
    value = logit.tanh() if head == "scalar" else 2 * logit.sigmoid() - 1
    label = sample.labels.value[:, 0] - sample.labels.value[:, 1]
    mse = float(((value - label) ** 2).mean())
    means = {name: float(total / count) for name, (total, count) in parts.items()}
    assert means["scalar"] == pytest.approx(mse, abs=1e-6)
    assert means["win_mse"] == pytest.approx(mse / 4, abs=1e-6)
    assert means["value_bias"] == pytest.approx(float((value - label).mean()), abs=1e-6)
    win = (value + 1) / 2
    entropy = torch.nn.functional.binary_cross_entropy(win, (label + 1) / 2)
    assert means["binary"] == pytest.approx(float(entropy), abs=1e-5)
    labels = three_way_output(outputs)
    assert torch.allclose(labels[:, 0] - labels[:, 1], value, atol=1e-6)
    assert torch.allclose(labels.sum(1), torch.ones(50))
    with pytest.raises(BadTraining, match=r"losses\.value: the net has no output value"):
        check_losses({"value": 1.0, "policy": 1.0}, net.outputs)
    check_losses({"value": 0.0, "scalar": 1.0, "binary": 1.0, "policy": 1.0}, net.outputs)


def test_every_loss_says_which_outputs_it_needs() -> None:
    with pytest.raises(BadTraining, match=r"losses\.scalar: .*it has the losses policy"):
        check_losses({"scalar": 1.0}, ("policy",))
    assert {name for name, loss in LOSSES.items() if loss.is_defined(("policy",))} == {"policy"}


@pytest.mark.integration
@pytest.mark.parametrize(("head", "loss"), [("scalar", "scalar"), ("win", "binary")])
def test_a_run_of_a_net_with_one_value(
    head: str, loss: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(net: str | dict[str, Any] | NetSpec) -> BoardNet:
        assert isinstance(spec_of(net), ResnetSpec)
        return one_value_net(head)

    monkeypatch.setattr("tengen.train.net_trainer.make_net", make)
    with pytest.raises(BadTraining, match=r"losses\.value"):
        go(config(data), tmp_path / "wrong")
    assert not TrainFolder.has_run(tmp_path / "wrong")
    losses = {loss: 1.0, "policy": 1.0}
    result = go(config(data, losses=losses), tmp_path / "run")
    means = result.validation["average"]
    assert not {"value", "value_accuracy"} & set(means)
    assert means["win_mse"] == pytest.approx(means["scalar"] / 4)
    assert all(loss in row for row in read_metrics(tmp_path / "run" / "metrics.jsonl")[1:])
    go(config(data, losses={"policy": 1.0}), tmp_path / "policy")
    name = f"heads.{head}.lin.weight"
    trained, untrained = (weights(tmp_path / path)[name] for path in ("run", "policy"))
    assert (trained - untrained).abs().max() > 0.01


# --- splits and lengths that need the data ---


def test_the_split_of_a_run(tmp_path: Path) -> None:
    """A set that is split by row is split by game where the config says so."""
    batch = random_rows(400, SIZE, extras=True)
    make_set(tmp_path / "data", batch, size=SIZE)
    for split, share, wanted in (
        ("game", 0.2, np.flatnonzero(np.arange(400) // 7 % 5 == 4)),
        ("position", 0.1, np.arange(9, 400, 10)),
        ("", 0.5, np.flatnonzero(np.arange(400) // 10 % 2 == 1)),
        ("game", 0.0, np.flatnonzero(np.arange(400) // 7 % 4 == 3)),
    ):
        table = config(tmp_path / "data", data={"split": split, "validation_share": share}, steps=1)
        path = tmp_path / f"{split}{share}"
        go(table, path)
        games = GameMetrics.read(path / "validation_games.npz")
        rows_by_game = dict(zip(games.games[:, 1].tolist(), games.counts[0, :, 0], strict=True))
        assert rows_by_game == dict(zip(*np.unique(wanted // 7, return_counts=True), strict=True))
    make_set(tmp_path / "plain", rows(40), size=SIZE)
    with pytest.raises(BadConfig, match="no column 'game'"):
        go(config(tmp_path / "plain", data={"split": "game"}), tmp_path / "none")


def test_epochs_are_counted_when_the_run_starts(tmp_path: Path) -> None:
    folder = make_set(tmp_path / "data", rows(200), size=SIZE)  # 150 of them for training
    assert len(Dataset.open(folder).split("train")) == 150
    table = config(folder, epochs=1.5, batch=25)
    del table["steps"]
    result = go(table, tmp_path / "run", stop=stop_after(4))
    assert (result.step, result.total) == (4, 9)
    with DataWriter.append(folder) as writer:
        writer.write(rows(100, seed=3))
    result = go(table, tmp_path / "run", resume=True)
    assert (result.step, result.total, result.is_done) == (9, 9, True)
    kept = TrainFolder.read(tmp_path / "run")
    assert (kept.config.epochs, kept.config.steps, kept.steps) == (1.5, 0, 9)
    assert go(table, tmp_path / "new").total == 14
    with pytest.raises(BadRun, match="has other values of epochs"):
        go(table | {"epochs": 2.0}, tmp_path / "run", resume=True)
