# SPDX-License-Identifier: MIT
"""Whole runs on tiny nets and boards: learning, resuming after kills, damage, stops, distillation,
and the two ways to feed.
"""

from __future__ import annotations

import errno
import json
import math
import multiprocessing
import os
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
import torch

from tengen.nets.pilot import PilotNet
from tengen.nets.weights import BadWeights, read_safetensors, read_weights
from tengen.train import BadCheckpoint, BadRun, BadTraining, TrainConfig, TrainingBusy
from tengen.train.checkpoint import checkpoints, latest, read_checkpoint
from tengen.train.errors import TrainingFailed
from tengen.train.folder import RunFolder, locked, read_rows
from tengen.train.log import PlainView
from tengen.train.loop import Result, train
from tengen.train.losses import LOSSES, Loss, Outputs, value_loss
from tengen.train.source import Order, Resident, Stream, open_data, validation_rows
from tengen.train.unpack import Labels, Sample
from train_child import run_child
from train_samples import config, make_data

CPU = torch.device("cpu")


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Sums in torch are made in another order on another number of threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_data(tmp_path_factory.mktemp("data") / "made")


def go(table: dict[str, Any], path: Path, **options: Any) -> Result:
    made = TrainConfig.from_dict(table)
    return train(made, path, device="cpu", view=lambda start, total: PlainView(), **options)


def stop_after(calls: int) -> Callable[[], bool]:
    """Stops a run after so many steps."""
    left = iter(range(calls))
    return lambda: next(left, None) is None


def weights(path: Path) -> dict[str, torch.Tensor]:
    return read_checkpoint(checkpoints(path / "checkpoints")[0]).weights


def same(one: dict[str, torch.Tensor], two: dict[str, torch.Tensor]) -> bool:
    return one.keys() == two.keys() and all(torch.equal(one[name], two[name]) for name in one)


@pytest.mark.parametrize(
    "net",
    [{"kind": "resnet", "blocks": 1, "filters": 16}, "mixnet-s"],
    ids=["resnet", "mixnet"],
)
def test_a_small_set_is_learned_by_heart(net: Any, tmp_path: Path) -> None:
    few = make_data(tmp_path / "data", 12)
    table = config(
        few,
        net=net,
        steps=40 if net == "mixnet-s" else 120,
        batch=12,
        data={"symmetries": False},
        optimiser={"rate": 0.01 if net == "mixnet-s" else 0.03, "weight_decay": 0.0},
        run={"validate": 1000, "checkpoint": 1000, "log": 10},
    )
    go(table, tmp_path / "run")
    rows = [row for row in read_rows(tmp_path / "run" / "metrics.jsonl") if row["event"] == "train"]
    assert rows[-1]["policy"] < rows[0]["policy"] / 3
    assert rows[-1]["value"] < rows[0]["value"] / 3
    assert rows[-1]["samples_per_second"] > 0
    assert 0 < rows[-1]["matrix_share"] < 1.5


def test_what_a_run_leaves(data: Path, tmp_path: Path) -> None:
    result = go(config(data), tmp_path / "run")
    assert result.is_done
    assert set(result.validation) == {"raw", "average"}
    assert {"value", "policy", "policy_top10", "win_mse"} <= set(result.validation["raw"])
    folder = RunFolder.read(tmp_path / "run")
    assert folder.config == TrainConfig.from_dict(config(data))
    assert [p.name[5:14] for p in checkpoints(folder.checkpoints)] == [
        "000000040",
        "000000030",
        "000000020",
    ]
    net = read_weights(folder.net)
    assert net.name == "resnet-1b8f"
    assert net.about["step"] == 40
    assert net.about["ships"] is True
    assert net.about["validation"] == result.validation
    outputs = net.make()(torch.zeros(2, 2, 6, 6))
    assert outputs["policy"].shape == (2, 6, 6)
    page = folder.report.read_text("utf-8")
    assert page.count("<svg") == 7
    assert "resnet-1b8f" in page
    with pytest.raises(BadRun, match="has a run already"):
        go(config(data), tmp_path / "run")
    rows = read_rows(folder.metrics)
    again = go(config(data), tmp_path / "run", resume=True)  # nothing is left to do
    assert (again.step, again.validation) == (40, result.validation)
    assert [r for r in read_rows(folder.metrics) if r["event"] != "resume"] == [
        r for r in rows if r["event"] != "resume"
    ]


def test_the_average_is_what_is_kept_and_validated(data: Path, tmp_path: Path) -> None:
    go(config(data), tmp_path / "run")
    found = latest(tmp_path / "run" / "checkpoints", RunFolder.read(tmp_path / "run").run, print)
    assert found is not None
    assert same(read_weights(tmp_path / "run" / "net.pt").weights, found.average)
    assert not same(found.weights, found.average)
    go(config(data, ema=0.0, steps=10), tmp_path / "plain")
    assert same(read_weights(tmp_path / "plain" / "net.pt").weights, weights(tmp_path / "plain"))


def test_both_feeds_give_the_same_batches(data: Path, tmp_path: Path) -> None:
    other = make_data(tmp_path / "other", 90, seed=5)
    sets = [{"path": str(data), "weight": 3.0}, {"path": str(other), "weight": 1.0}]
    mixture = open_data(TrainConfig.from_dict({"steps": 1, "data": {"sets": sets}}).data)
    order = Order(batch=50, seed=7, start=3)
    resident, stream = Resident(mixture, order, CPU), Stream(mixture, order, CPU)
    try:
        for _ in range(40):  # more than a chunk, and several epochs
            one, two = next(resident), next(stream)
            assert all(torch.equal(a, b) for a, b in zip(one.rows, two.rows, strict=True))
    finally:
        resident.close()
        stream.close()
    assert len(validation_rows(mixture, 0, CPU).board) == 100 + 20
    assert len(validation_rows(mixture, 40, CPU).board) == 30 + 10


def test_feeds_lead_to_the_same_weights(data: Path, tmp_path: Path) -> None:
    for feed in ("resident", "stream"):
        go(config(data, steps=12, data={"feed": feed}), tmp_path / feed)
    assert same(weights(tmp_path / "resident"), weights(tmp_path / "stream"))


def test_a_stopped_run_goes_on_to_the_same_weights(data: Path, tmp_path: Path) -> None:
    whole = go(config(data), tmp_path / "whole")
    first = go(config(data), tmp_path / "parts", stop=stop_after(13))
    assert (first.step, first.is_done) == (13, False)
    with pytest.raises(BadRun, match=r"has other values of optimiser\.rate"):
        go(config(data, optimiser={"rate": 0.5}), tmp_path / "parts", resume=True)
    go(config(data, run={"log": 3}), tmp_path / "parts", resume=True, stop=stop_after(9))
    last = train(None, tmp_path / "parts", device="cpu", resume=True)
    assert last.is_done
    assert last.validation == whole.validation
    assert same(weights(tmp_path / "parts"), weights(tmp_path / "whole"))
    with pytest.raises(BadRun, match="no run to go on with"):
        train(None, tmp_path / "none", device="cpu", resume=True)


@pytest.mark.parametrize("times", [4, pytest.param(10, marks=pytest.mark.slow)])
def test_kills_change_nothing(times: int, data: Path, tmp_path: Path) -> None:
    """Kills at random moments: the weights at the end are those of the undisturbed run, bit for
    bit (one thread, CPU).
    """
    table = config(data, steps=20 * times, run={"log": 1, "checkpoint": 4, "validate": 30})
    whole = go(table, tmp_path / "whole")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tengen.train.loop"])
    chance = random.Random(3)
    path = tmp_path / "killed"
    kills = 0
    for _ in range(times):
        process = context.Process(target=run_child, args=(table, str(path)))
        process.start()
        _wait_for_growth(path / "metrics.jsonl", chance.randrange(2, 12), process)
        sleep(chance.random() * 0.02)
        if process.is_alive():
            kills += 1
        process.kill()
        process.join()
    assert kills >= times - 1
    result = go(table, path, resume=True)
    assert result.is_done
    assert same(weights(path), weights(tmp_path / "whole"))
    assert result.validation == whole.validation
    assert not list((path / "checkpoints").glob("*.part"))
    steps = [row["step"] for row in read_rows(path / "metrics.jsonl") if row["event"] == "train"]
    assert steps == sorted(set(steps))
    assert steps[-1] == 20 * times


def _wait_for_growth(path: Path, lines: int, process: Any) -> None:
    """Until a journal has so many more lines, or the process has ended."""

    def count() -> int:
        return path.read_bytes().count(b"\n") if path.exists() else 0

    before, start = count(), monotonic()
    while count() < before + lines and process.is_alive() and monotonic() - start < 60:
        sleep(0.002)


def test_damaged_checkpoints_are_passed_over(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = go(config(data), tmp_path / "whole")
    path = tmp_path / "run"
    go(config(data, run={"keep": 5}), path, stop=stop_after(35))
    newest, second, third, *_ = checkpoints(path / "checkpoints")
    data_of = newest.read_bytes()
    newest.write_bytes(data_of[: len(data_of) // 2])
    changed = bytearray(second.read_bytes())
    changed[len(changed) // 2] ^= 1
    second.write_bytes(changed)
    third.write_bytes(b"something else\n")
    with pytest.raises(BadCheckpoint, match="is not whole"):
        read_checkpoint(newest)
    with pytest.raises(BadCheckpoint, match="is damaged: its checksum"):
        read_checkpoint(second)
    with pytest.raises(BadCheckpoint, match="is no checkpoint"):
        read_checkpoint(third)
    result = go(config(data), path, resume=True)
    told = capsys.readouterr().err
    assert "is not whole" in told
    assert "goes on from the checkpoint of step 10" in told
    assert result.validation == whole.validation


def test_the_checkpoint_of_another_run_is_passed_over(data: Path, tmp_path: Path) -> None:
    go(config(data, steps=10), tmp_path / "one")
    go(config(data, steps=20), tmp_path / "two", stop=stop_after(5))
    alien = checkpoints(tmp_path / "one" / "checkpoints")[0]
    (tmp_path / "two" / "checkpoints" / "step-000000015.checkpoint").write_bytes(alien.read_bytes())
    told: list[str] = []
    found = latest(
        tmp_path / "two" / "checkpoints", RunFolder.read(tmp_path / "two").run, told.append
    )
    assert found is not None
    assert found.step == 5
    assert "belongs to another run" in told[0]


def test_what_is_no_number_stops_the_run_with_words(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter(range(100))

    def broken(outputs: Outputs, sample: Sample, labels: Labels) -> torch.Tensor:
        return value_loss(outputs, sample, labels) * (1.0 if next(calls) < 12 else math.nan)

    monkeypatch.setitem(LOSSES, "value", Loss(broken, "value", "value"))
    with pytest.raises(TrainingFailed, match=r"near step 13.*lower optimiser\.rate.* of step 10"):
        go(config(data, run={"validate": 1000}), tmp_path / "run")
    (newest,) = checkpoints(tmp_path / "run" / "checkpoints")
    assert all(torch.isfinite(value).all() for value in read_checkpoint(newest).weights.values())


def test_a_full_disk_costs_no_checkpoint(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go(config(data), tmp_path / "run", stop=stop_after(12))

    def full(self: Path, target: Path) -> Path:
        if self.suffix == ".part":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return rename(self, target)

    rename = Path.replace
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="this checkpoint was not written, those before are safe"):
        go(config(data), tmp_path / "run", resume=True)
    monkeypatch.undo()
    assert not list((tmp_path / "run" / "checkpoints").glob("*.part"))
    assert go(config(data), tmp_path / "run", resume=True).is_done


def test_one_process_a_folder(data: Path, tmp_path: Path) -> None:
    with locked(tmp_path / "run"), pytest.raises(TrainingBusy, match="another process trains"):
        go(config(data), tmp_path / "run")


@pytest.mark.parametrize("precompute", [False, True])
def test_distillation(precompute: bool, data: Path, tmp_path: Path) -> None:
    go(config(data, steps=30), tmp_path / "teacher")
    taught = {
        "teacher": "resnet-1b8f",
        "checkpoint": str(tmp_path / "teacher"),
        "precompute": precompute,
    }
    go(config(data, steps=20, distillation=taught), tmp_path / "student")
    row = [r for r in read_rows(tmp_path / "student" / "metrics.jsonl") if r["event"] == "train"][
        -1
    ]
    assert {"value", "policy", "taught_value", "taught_policy"} <= set(row)
    with pytest.raises(BadTraining, match="is of resnet-1b8f, not of the teacher resnet-6b128f"):
        go(config(data, distillation=taught | {"teacher": "resnet-6b128f"}), tmp_path / "x")
    with pytest.raises(BadWeights, match="there is no file"):
        go(config(data, distillation=taught | {"checkpoint": "nowhere"}), tmp_path / "x")
    assert not RunFolder.has_run(tmp_path / "x")


def test_the_pilots_net_is_a_teacher(data: Path, tmp_path: Path) -> None:
    torch.manual_seed(0)
    path = tmp_path / "pilot.safetensors"
    _write_safetensors(path, {n: v.half() for n, v in PilotNet(1, 8).state_dict().items()})
    taught = {"teacher": "pilot", "checkpoint": str(path)}
    go(config(data, steps=10, distillation=taught), tmp_path / "run")
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(BadTraining, match="lies outside the file"):
        go(config(data, distillation=taught), tmp_path / "x")
    path.write_bytes(b"\xff" * 20)
    with pytest.raises(BadWeights, match="truncated, or no safetensors"):
        read_safetensors(path)


def _write_safetensors(path: Path, tensors: dict[str, torch.Tensor]) -> None:
    header, body = {}, b""
    for name, value in tensors.items():
        raw = value.contiguous().numpy().tobytes()
        span = [len(body), len(body) + len(raw)]
        header[name] = {"dtype": "F16", "shape": list(value.shape), "data_offsets": span}
        body += raw
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)


def test_the_command(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import argparse

    from tengen.cli import train as command

    def call(*arguments: str) -> int:
        parser = argparse.ArgumentParser()
        command.configure(parser)
        return command.run(parser.parse_args(arguments))

    file = tmp_path / "a.toml"
    file.write_text(
        'batch = 32\nsteps = 10\nprecision = "fp32"\n[run]\nlog = 5\ntensorboard = false\n'
        '[net]\nkind = "resnet"\nblocks = 1\nfilters = 8\n'
    )
    where = ("--out", str(tmp_path / "run"), "--device", "cpu")
    with pytest.raises(BadTraining, match="which data"):
        call(str(file), *where)
    given = (str(file), *where, "--set", f"data.path={data}", "--json")
    assert call(*given, "--max-seconds", "0.000001") == 0
    assert json.loads(capsys.readouterr().out)["done"] is False
    monkeypatch.setattr("tengen.train.state.rate_share", _interrupting)
    assert call(*given, "--resume") == 130
    monkeypatch.undo()
    assert 0 < json.loads(capsys.readouterr().out)["step"] < 10
    assert call(*where, "--resume", "--json") == 0
    assert json.loads(capsys.readouterr().out)["done"] is True
    for wrong in (
        [],
        ["mixnet-s"],
        [str(file), *where[:2], "--device", "tpu"],
        ["nothing", *where],
    ):
        with pytest.raises(BadTraining):
            call(*wrong)
    assert call("--list") == 0
    assert "mixnet-s-distilled" in capsys.readouterr().out
    assert call("--keys") == 0
    assert "optimiser.weight_decay" in capsys.readouterr().out


def _interrupting(*_: object) -> float:
    os.kill(os.getpid(), signal.SIGINT)
    return 1.0
