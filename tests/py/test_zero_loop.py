# SPDX-License-Identifier: MIT
"""The learning loop: games are counted once, learning follows the sample ratio, runs resume, the
gate accepts better nets only, and the initial weights decide whether the result is redistributable.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from data_samples import make_set, random_rows
from tengen.data import Batch, Dataset, pack
from tengen.nets.weights import NetWeights
from tengen.train.checkpoint import checkpoints, read_checkpoint
from tengen.train.errors import TrainingFailed
from tengen.train.losses import LOSSES, Metric, Outputs, value_loss
from tengen.train.unpack import Labels, Sample
from tengen.util.errors import BadRun, FolderLocked
from tengen.util.files import locked
from tengen.zero.config import ZeroConfig
from tengen.zero.errors import BadZero, SelfPlayFailed
from tengen.zero.gate.net_match import Match, NetMatchResult
from tengen.zero.learn.learner import Learner
from tengen.zero.learn.replay import ReplayBuffer
from tengen.zero.loop import run_zero
from tengen.zero.zero_folder import ZeroFolder
from zero_runs import AT_ONCE, SIZE, check_folder, config, events, go, make_factories, stop_after

pytestmark = pytest.mark.usefixtures("one_thread")
CPU = torch.device("cpu")


# --- turns ---


def test_a_run_learns_from_its_games(tmp_path: Path) -> None:
    result = go(config(), tmp_path / "run", 30)
    counts = check_folder(tmp_path / "run")
    assert result.counts == {**dict.fromkeys(result.counts, 0), **counts}
    assert counts["games"] > 1
    assert result.step > 5
    assert not result.is_done
    learned = events(tmp_path / "run", "learn")
    assert learned[-1]["step"] == result.step
    assert learned[-1]["policy"] > 0
    assert (tmp_path / "run" / "report.html").exists()


def test_learning_follows_the_sample_ratio(tmp_path: Path) -> None:
    """Never more samples than the ratio allows, and nothing before the first window is full."""
    made = config()
    result = go(made, tmp_path / "run", 20)
    samples = result.step * made.learn.batch
    positions = result.counts["positions"]
    assert 0 < samples <= 0.5 * positions
    early = config(replay={"start": 1000})
    assert go(early, tmp_path / "early", 5).step == 0


@pytest.mark.integration
def test_a_resumed_run_continues_its_counts(tmp_path: Path) -> None:
    path = tmp_path / "run"
    first = go(config(), path, 20)
    before = check_folder(path)
    second = go(None, path, 20, resume=True)
    after = check_folder(path)
    assert second.step > first.step
    assert after["games"] > before["games"]
    assert after["tasks"] > before["tasks"]
    assert second.seconds > first.seconds
    starts = events(path, "session")
    assert [row["games"] for row in starts] == [0, before["games"]]
    assert starts[1]["step"] == first.step


def test_resuming_without_work_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run"
    go(config(), path, 25)
    counts, newest = check_folder(path), checkpoints(path / "checkpoints")[0]
    state = read_checkpoint(newest)
    result = go(None, path, 0, resume=True)
    assert check_folder(path) == counts
    assert result.step == state.step
    assert checkpoints(path / "checkpoints")[0] == newest


def test_the_same_seed_learns_the_same(tmp_path: Path) -> None:
    """The games are the same; the weights but for the rate, which follows the clock."""
    made = config()
    nets, boards = [], []
    for name in ("a", "b"):
        go(made, tmp_path / name, 15)
        nets.append(read_checkpoint(checkpoints(tmp_path / name / "checkpoints")[0]).weights)
        data = Dataset.open(tmp_path / name / "replay")
        boards.append(data.slice(0, len(data)).board)
    assert np.array_equal(boards[0], boards[1])
    assert all(torch.allclose(nets[0][key], nets[1][key], atol=1e-3) for key in nets[0])


def test_the_plan_ends_a_run(tmp_path: Path) -> None:
    made = config(minutes=0.001, replay={"start": 20})
    result = run_zero(made, tmp_path / "run", device="cpu", factories=make_factories())
    assert result is not None
    assert result.is_done


@pytest.mark.integration
def test_old_games_are_deleted(tmp_path: Path) -> None:
    made = config(replay={"start": 100, "max_window": 200, "disk": 200})
    result = go(made, tmp_path / "run", 35)
    replay = ReplayBuffer(tmp_path / "run" / "replay", "freestyle", SIZE, True)
    held = sum(len(rows.board) for rows in replay.newest(10**9))
    assert 200 <= held < result.counts["positions"], "counts stay, rows go"
    replay.close()
    again = go(None, tmp_path / "run", 20, resume=True)
    assert again.counts["games"] > result.counts["games"]


# --- whose run it is ---


def test_a_folder_has_one_run(tmp_path: Path) -> None:
    path = tmp_path / "run"
    go(config(), path, 1)
    with pytest.raises(BadRun, match="already has a run"):
        go(config(), path, 1)
    with pytest.raises(BadZero, match=r"other values of learn\.batch, rule"):
        go(config(rule="renju", learn={"batch": 16}), path, 1, resume=True)
    go(config(run={"keep": 5}, gate={"games": 4}), path, 1, resume=True)
    kept = ZeroFolder.read(path).config
    assert (kept.run.keep, kept.gate.games) == (5, 4)
    go(kept.changed(["minutes=7", "play.rows=9"]), path, 1, resume=True)
    assert ZeroFolder.read(path).config.minutes == 7
    with pytest.raises(BadZero, match="minute: unknown key"):
        kept.changed(["minute=7"])
    with pytest.raises(BadZero, match="no run to resume"):
        go(None, tmp_path / "none", 1, resume=True)


def test_two_processes_cannot_run_it(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with locked(tmp_path / "run"), pytest.raises(FolderLocked):
        go(config(), tmp_path / "run", 1)


def test_an_unknown_generator_is_reported(tmp_path: Path) -> None:
    for name in ("no.such:thing", "zero_fakes:nothing"):
        with pytest.raises(BadZero, match="no generator"):
            go(config(), tmp_path / "run", 1, game_generator_factory=name)
    assert not ZeroFolder.has_run(tmp_path / "run")


def test_nan_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(outputs: Outputs, sample: Sample, labels: Labels) -> torch.Tensor:
        return value_loss(outputs, sample, labels) * math.nan

    monkeypatch.setitem(LOSSES, "value", Metric(broken, "value"))
    with pytest.raises(TrainingFailed, match="not finite"):
        go(config(), tmp_path / "run", 30)
    check_folder(tmp_path / "run")
    assert not checkpoints(tmp_path / "run" / "checkpoints")


# --- colours ---


@pytest.mark.integration
def test_one_net_per_colour(tmp_path: Path) -> None:
    path = tmp_path / "run"
    made = config(rule="renju", colours=True, gate={"minutes": AT_ONCE})
    result = go(made, path, 15)
    newest = ZeroFolder.read(path).generations()[-1]
    assert newest.number > 0
    black, white = newest.nets(("black", "white"))
    assert not all(torch.equal(black.weights[n], white.weights[n]) for n in black.weights)
    assert go(None, path, 6, resume=True).step > result.step


def test_a_net_sees_the_positions_of_its_colour() -> None:
    learner = Learner(config(colours=True), CPU)
    rows = random_rows(50, SIZE, extras=True)
    learner.add(rows)
    assert rows.to_move is not None
    held = [len(trainer.window) for trainer in learner.trainers.values()]
    assert held == [(rows.to_move == 1).sum(), (rows.to_move == 2).sum()]


# --- learning ---


def trivial(count: int) -> Batch:
    """One stone: an own stone wins, the opponent's loses; the moves are next to it."""
    chance = np.random.default_rng(1)
    cells = np.zeros((count, SIZE * SIZE), np.uint8)
    points = SIZE * chance.integers(1, SIZE - 1, count) + chance.integers(1, SIZE - 1, count)
    own = chance.integers(1, 3, count)
    cells[np.arange(count), points] = own
    move = (points[:, None] + [1, -1, SIZE, -SIZE]).astype(np.uint16)
    prob = np.full((count, 4), 64, np.uint8)
    value = np.stack([255 * (own == 1), 255 * (own == 2)], 1).astype(np.uint8)
    return Batch(pack(cells, SIZE), move, prob, value)


@pytest.mark.integration
def test_a_pattern_is_learned() -> None:
    learner = Learner(config(learn={"batch": 32, "optimiser": {"rate": 0.02}}), CPU)
    learner.add(trivial(500))
    means = []
    for _ in range(6):
        for _ in range(25):
            learner.learn(500, 0.0)
        means.append(learner.pop_mean_losses())
    assert means[-1]["value"] < 0.2 < means[0]["value"]
    assert means[-1]["policy"] < 1.6 < means[0]["policy"]  # ln 4 is the least there is


def test_the_rate_follows_the_plan() -> None:
    learner = Learner(config(learn={"warmup": 9, "end": 0.1, "optimiser": {"rate": 1.0}}), CPU)
    assert learner.learning_rate(0.0) == pytest.approx(0.1)
    learner.step = 100
    assert learner.learning_rate(0.0) == pytest.approx(1.0)
    assert learner.learning_rate(0.5) == pytest.approx(0.55, abs=1e-3)
    assert learner.learning_rate(1.0) == learner.learning_rate(2.0) == pytest.approx(0.1)


def test_the_window_holds_the_newest() -> None:
    learner = Learner(config(replay={"start": 30, "max_window": 30}), CPU)
    window = learner.trainers["net"].window
    rows = random_rows(100, SIZE)
    for start in range(0, 100, 20):
        window.add(Batch(*(column[start : start + 20] for column in rows[:4])))
    chance = torch.Generator().manual_seed(1)
    drawn = window.sample(500, 30, chance).board.numpy()
    held = {bytes(row) for row in rows.board[70:]}
    assert {bytes(row) for row in drawn} == held
    few = window.sample(200, 5, chance).board.numpy()
    assert {bytes(row) for row in few} == {bytes(row) for row in rows.board[95:]}


# --- the gate ---


def told_by(share: float) -> Any:
    """A match whose first player gets this share of the points."""

    def make(made: ZeroConfig, device: torch.device) -> Match:
        def play(
            first: Sequence[NetWeights],
            second: Sequence[NetWeights],
            games: int,
            seed: int,
            stop: Callable[[], bool],
        ) -> NetMatchResult:
            won = round(share * games / 2)
            return NetMatchResult((games // 2 - won, 0, 0, 0, won))

        return play

    return make


def test_a_worse_net_is_not_taken(tmp_path: Path) -> None:
    made = config(gate={"minutes": AT_ONCE, "games": 20})
    result = go(made, tmp_path / "run", 12, match_factory=told_by(0.4))
    assert result.generation == 0
    assert len(ZeroFolder.read(tmp_path / "run").generations()) == 1
    assert not any(row["accepted"] for row in events(tmp_path / "run", "gate"))


@pytest.mark.integration
def test_a_better_net_plays(tmp_path: Path) -> None:
    path = tmp_path / "run"
    result = go(
        config(gate={"minutes": AT_ONCE, "games": 20}), path, 12, match_factory=told_by(0.6)
    )
    assert result.generation >= 1
    rows = events(path, "gate")
    assert [row["generation"] for row in rows] == list(range(1, result.generation + 1))
    assert rows[0]["share"] == 0.6
    assert rows[0]["elo"] == pytest.approx(70, abs=1)
    about = ZeroFolder.read(path).generations()[-1].metadata
    assert about["match"]["share"] == 0.6
    assert about["step"] <= result.step
    played = {row["generation"] for row in events(path, "play")}
    assert played == set(range(max(played) + 1)), "each played in its time"


# --- what a run begins with ---


def test_the_weights_of_another_run(tmp_path: Path) -> None:
    go(config(), tmp_path / "first", 25)
    made = config(start={"net": str(tmp_path / "first")})
    result = go(made, tmp_path / "second", 1)
    assert result.generation == 0
    first, second = (ZeroFolder.read(tmp_path / name) for name in ("first", "second"))
    old, new = (f.generations()[-1].nets(("net",))[0].weights for f in (first, second))
    assert all(torch.equal(old[name], new[name]) for name in old)
    assert second.redistributable
    other = config(net="mixnet-s", start={"net": str(tmp_path / "first")})
    with pytest.raises(BadZero, match=r"belong to resnet-1b8f, not mixnet-s"):
        go(other, tmp_path / "third", 1)
    assert not ZeroFolder.has_run(tmp_path / "third")  # the folder is free for another one
    shutil.rmtree(tmp_path / "first" / "generations" / "0000")
    for later in (tmp_path / "first" / "generations").iterdir():
        shutil.rmtree(later)
    with pytest.raises(BadZero, match="has no generation yet"):
        go(made, tmp_path / "third", 1)


def test_generation_numbers_continue(tmp_path: Path) -> None:
    go(config(), tmp_path / "run", 1)
    folder = ZeroFolder.read(tmp_path / "run")
    (first,) = folder.generations()
    first.path.rename(first.path.with_name("9999"))
    nets = {"net": folder.generations()[0].nets(("net",))[0]}
    assert [folder.add_generation(nets, {}).number for _ in range(2)] == [10000, 10001]
    assert [one.number for one in folder.generations()] == [9999, 10000, 10001]


@pytest.mark.parametrize("redistributable", [True, False])
def test_data_sets_first(tmp_path: Path, redistributable: bool) -> None:
    """Nets trained on data that are not redistributable are not redistributable."""
    data = make_set(
        tmp_path / "data", random_rows(200, SIZE), size=SIZE, redistributable=redistributable
    )
    made = config(start={"sets": [{"path": str(data)}], "steps": 3})
    path = tmp_path / "run"
    go(made, path, 25)
    folder = ZeroFolder.read(path)
    assert folder.redistributable is redistributable
    (net,) = folder.generations()[0].nets(("net",))
    assert net.metadata["redistributable"] is redistributable
    replay = ReplayBuffer(folder.replay, "freestyle", SIZE, redistributable)
    assert replay._writer is not None
    assert replay._writer.manifest.redistributable is redistributable
    replay.close()
    if not redistributable:
        go(config(start={"net": str(path)}), tmp_path / "heir", 1)
        assert not ZeroFolder.read(tmp_path / "heir").redistributable


@pytest.mark.integration
@pytest.mark.parametrize("redistributable", [True, False])
def test_data_sets_beside_self_play(tmp_path: Path, redistributable: bool) -> None:
    """Losses of both kinds of rows are logged, and the terms of the sets hold for the nets."""
    data = make_set(
        tmp_path / "data", random_rows(200, SIZE), size=SIZE, redistributable=redistributable
    )
    learn = {"sets": [{"path": str(data)}], "human_share": 0.25, "ratio": 0.3}
    made, path = config(learn=learn), tmp_path / "run"
    result = go(made, path, 30)
    samples = result.step * (made.learn.batch - 2)  # of the window: two of eight are of the set
    assert 0 < samples <= 0.3 * result.counts["positions"]
    again = go(None, path, 30, resume=True)
    assert again.step > result.step
    learned = events(path, "learn")
    for loss in ("policy", "value"):
        rows = [row for row in learned if f"{loss}_human" in row]
        assert rows
        mixed = [0.25 * row[f"{loss}_human"] + 0.75 * row[f"{loss}_selfplay"] for row in rows]
        assert [row[loss] for row in rows] == pytest.approx(mixed, abs=1e-4)
    assert "policy_human" in (path / "report.html").read_text("utf-8")
    folder = ZeroFolder.read(path)
    assert folder.redistributable is redistributable
    (net,) = folder.generations()[0].nets(("net",))
    assert net.metadata["redistributable"] is redistributable
    assert Dataset.open(folder.replay).manifest.redistributable is redistributable
    changed = config(learn=learn | {"human_share": 0.5})
    with pytest.raises(BadZero, match=r"other values of learn\.human_share"):
        run_zero(changed, path, device="cpu", resume=True, factories=make_factories())


def test_data_sets_that_do_not_fit(tmp_path: Path) -> None:
    """They are reported before the run has a folder."""
    data = make_set(tmp_path / "data", random_rows(50, SIZE), size=SIZE)
    sets = {"sets": [{"path": str(data)}]}
    for made, message in (
        (
            config(rule="renju", learn=sets),
            r"learn\.sets: .*has positions of freestyle 7x7.* renju",
        ),
        (config(colours=True, learn=sets), r"learn\.sets: .*no column 'to_move'"),
    ):
        with pytest.raises(BadZero, match=message):
            go(made, tmp_path / "run", 1)
    assert not ZeroFolder.has_run(tmp_path / "run")


def test_data_of_another_rule(tmp_path: Path) -> None:
    data = make_set(tmp_path / "data", random_rows(50, SIZE), size=SIZE)
    made = config(rule="renju", start={"sets": [{"path": str(data)}], "steps": 3})
    with pytest.raises(BadZero, match=r"has positions of freestyle 7x7.* renju"):
        go(made, tmp_path / "run", 1)


@pytest.mark.integration
def test_a_stop_while_it_learns_from_data(tmp_path: Path) -> None:
    data = make_set(tmp_path / "data", random_rows(200, SIZE), size=SIZE)
    made = config(start={"sets": [{"path": str(data)}], "steps": 30})
    path = tmp_path / "run"
    result = run_zero(made, path, device="cpu", stop=stop_after(5), factories=make_factories())
    assert result is None
    assert not ZeroFolder.read(path).generations()
    turns = 25 + 14 + 10  # steps that are left, parts of their validation, turns of the run
    assert go(None, path, turns, resume=True).generation == 0


def test_self_play_that_fails(tmp_path: Path) -> None:
    made = config(selfplay={"kind": "words"})
    with pytest.raises(SelfPlayFailed, match="expected games"):
        go(made, tmp_path / "run", 10, game_generator_factory="zero_fakes:make_garbage")
