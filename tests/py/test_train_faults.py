# SPDX-License-Identifier: MIT
"""Failures during training: kills, damaged checkpoints and data, a full disk, an unwritable folder,
NaN losses. A run resumes with the same result, or reports the remedy.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
import torch

from tengen.data.errors import BadData
from tengen.train import BadCheckpoint, TrainingBusy
from tengen.train.checkpoint import checkpoints, drop_old, latest, read_checkpoint
from tengen.train.errors import TrainingFailed
from tengen.train.losses import LOSSES, Metric, Outputs, value_loss
from tengen.train.train_folder import TrainFolder, read_metrics
from tengen.train.unpack import Labels, Sample
from tengen.util.files import locked
from train_child import run_child
from train_runs import go, same, stop_after, weights
from train_samples import config, make_data

pytestmark = pytest.mark.usefixtures("one_thread")


# A Mixnet goes over to its rounded form on the way; few samples a step, so that it is fast enough.
_ROUNDED = {"net": "mixnet-s", "quantise": 0.9, "batch": 4}


@pytest.mark.integration
@pytest.mark.parametrize(
    ("times", "changes"),
    [
        (4, {}),
        pytest.param(10, {}, marks=pytest.mark.slow),
        pytest.param(10, _ROUNDED, marks=pytest.mark.slow),
    ],
    ids=["4", "10", "10-quantised"],
)
def test_kills_change_nothing(
    times: int, changes: dict[str, Any], data: Path, tmp_path: Path
) -> None:
    """Kills at random moments of a run under way: the weights and losses at the end are those of
    the undisturbed run, bit for bit (one thread, CPU).
    """
    total = times * (20 if changes else 50)  # more than all sessions that are killed can do
    often = {"log": 1, "checkpoint": 4, "validate_every": 30}
    table = config(data, steps=total, run=often, **changes)
    whole = go(table, tmp_path / "whole")
    path = tmp_path / "killed"
    for done in _killed(times, table, path):
        assert done < total
    resumed = (path / "metrics.jsonl").read_text("utf-8").count('"event": "resume"')
    assert resumed == times, "each of them was under way"
    result = go(table, path, resume=True)
    assert result.is_done
    assert same(weights(path), weights(tmp_path / "whole"))
    assert result.validation == whole.validation
    assert not list((path / "checkpoints").glob("*.part"))
    steps = [row["step"] for row in read_metrics(path / "metrics.jsonl") if row["event"] == "train"]
    assert steps == sorted(set(steps))
    assert steps[-1] == total


def _killed(times: int, table: dict[str, Any], path: Path) -> Iterator[int]:
    """Resume a run in a process and kill it this many times; returns the last logged steps."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tengen.train.loop"])
    chance = random.Random(3)
    for _ in range(times):
        process = context.Process(target=run_child, args=(table, str(path)))
        process.start()
        _wait_for_growth(path / "metrics.jsonl", chance.randrange(2, 12), process)
        sleep(chance.random() * 0.02)
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        yield read_metrics(path / "metrics.jsonl")[-1]["step"]


def _wait_for_growth(path: Path, lines: int, process: Any) -> None:
    """Wait until an event log has this many more lines, or the process has ended."""

    def count() -> int:
        return path.read_bytes().count(b"\n") if path.exists() else 0

    before, start = count(), monotonic()
    while count() < before + lines and process.is_alive() and monotonic() - start < 60:
        sleep(0.002)


def test_damaged_checkpoints_are_skipped(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = go(config(data), tmp_path / "whole")
    path = tmp_path / "run"
    go(config(data, run={"keep": 5, "validate_every": 1000}), path, stop=stop_after(35))
    newest, second, third, *_ = checkpoints(path / "checkpoints")
    data_of = newest.read_bytes()
    newest.write_bytes(data_of[: len(data_of) // 2])
    changed = bytearray(second.read_bytes())
    changed[len(changed) // 2] ^= 1
    second.write_bytes(changed)
    third.write_bytes(b"something else\n")
    with pytest.raises(BadCheckpoint, match="is truncated"):
        read_checkpoint(newest)
    with pytest.raises(BadCheckpoint, match="is damaged: its checksum"):
        read_checkpoint(second)
    with pytest.raises(BadCheckpoint, match="not a checkpoint"):
        read_checkpoint(third)
    result = go(config(data), path, resume=True)
    output = capsys.readouterr().err
    assert "is truncated" in output
    assert "step 10" in output
    assert result.validation == whole.validation


def test_rejected_checkpoints_do_not_remove_new_ones(tmp_path: Path) -> None:
    """A run resumed from an earlier step writes checkpoints older than those already there."""
    files = [tmp_path / f"step-{step:09}.checkpoint" for step in (7000, 7200, 7400, 8800, 9000)]
    for file in files:
        file.touch()
    drop_old(tmp_path, 2, files[2])
    assert checkpoints(tmp_path) == [files[2], files[1]]


def test_the_checkpoint_of_another_run_is_skipped(data: Path, tmp_path: Path) -> None:
    go(config(data, steps=10), tmp_path / "one")
    go(config(data, steps=20), tmp_path / "two", stop=stop_after(5))
    alien = checkpoints(tmp_path / "one" / "checkpoints")[0]
    (tmp_path / "two" / "checkpoints" / "step-000000015.checkpoint").write_bytes(alien.read_bytes())
    messages: list[str] = []
    result = latest(
        tmp_path / "two" / "checkpoints", TrainFolder.read(tmp_path / "two").run, messages.append
    )
    assert result is not None
    assert result.step == 5
    assert "belongs to another run" in messages[0]


def test_nan_stops_the_run_with_a_message(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter(range(100))

    def broken(outputs: Outputs, sample: Sample, labels: Labels) -> torch.Tensor:
        return value_loss(outputs, sample, labels) * (1.0 if next(calls) < 12 else math.nan)

    monkeypatch.setitem(LOSSES, "value", Metric(broken, "value"))
    with pytest.raises(TrainingFailed, match=r"near step 13.*lower optimiser\.rate.* at step 10"):
        go(config(data, run={"validate_every": 1000}), tmp_path / "run")
    (newest,) = checkpoints(tmp_path / "run" / "checkpoints")
    assert all(torch.isfinite(value).all() for value in read_checkpoint(newest).weights.values())


def _command(program: str, *message: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *message]
    return subprocess.run(command, capture_output=True, text=True, check=False)


_LIMITED = """
import resource, sys, torch
from tengen.cli.main import main
import tengen.train.loop
torch.set_num_threads(1)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.integration
@pytest.mark.skipif(os.name != "posix", reason="a limit of POSIX stands for the full disk")
@pytest.mark.parametrize(("most", "where"), [(20_000, "step-000000010.checkpoint"), (300, "jsonl")])
def test_a_full_disk_costs_no_checkpoint(most: int, where: str, data: Path, tmp_path: Path) -> None:
    """Files may not grow beyond `most` bytes: checkpoints cannot be written, or not even the next
    lines of the event log.
    """
    path = tmp_path / "run"
    whole = go(config(data), tmp_path / "whole")
    go(config(data), path, stop=stop_after(7))
    text = ("train", "--out", str(path), "--resume", "--device", "cpu")
    run = _command(_LIMITED, str(most), *text)
    assert run.returncode == 1
    reported = run.stderr.splitlines()[-1]
    assert where in reported
    assert "File too large" in reported
    assert "--resume" in reported
    assert [p.name for p in (path / "checkpoints").iterdir()] == ["step-000000007.checkpoint"]
    result = go(config(data), path, resume=True)
    assert (result.is_done, result.validation) == (True, whole.validation)


_SOMEBODY = """
import os, sys
from tengen.cli.main import main
import tengen.cli.train, tengen.train.loop  # while they can be read
if os.geteuid() == 0:  # root may write everywhere, and so becomes somebody else
    os.setuid(65534)
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.integration
@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="a matter of POSIX")
@pytest.mark.usefixtures("entered_by_all")
@pytest.mark.parametrize("part", ["", "checkpoints"])
def test_a_folder_that_is_read_only(part: str, data: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    go(config(data), path, stop=stop_after(7))
    for file in (path, *path.rglob("*")):  # all may be written to, but no file made
        file.chmod(0o777 if file.is_dir() else 0o666)
    (path / part).chmod(0o555)
    text = ("train", "--out", str(path), "--resume", "--device", "cpu")
    run = _command(_SOMEBODY, *text)
    (path / part).chmod(0o755)
    assert run.returncode == 1
    cure = "Permission denied: make this folder writable, or name another one with --out"
    assert run.stderr.strip() == f"tengen train: {path}: {cure}"


def test_a_folder_that_cannot_be_made(data: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="make this folder writable, or name another one with --out"):
        go(config(data), tmp_path / "file" / "run")


@pytest.mark.parametrize("feed", ["resident", "stream"])
def test_a_truncated_shard_is_rejected_before_the_run(feed: str, tmp_path: Path) -> None:
    folder = make_data(tmp_path / "data")
    table = config(folder, data={"feed": feed})
    go(table, tmp_path / "begun", stop=stop_after(12))
    file = folder / "00001.board.npy"
    before = file.read_bytes()
    os.truncate(file, len(before) // 2)
    reported = r"00001\.board\.npy is cut off: it has .* bytes; restore"
    with pytest.raises(BadData, match=reported):
        go(table, tmp_path / "run")
    assert not TrainFolder.has_run(tmp_path / "run")
    with pytest.raises(BadData, match=reported):
        go(table, tmp_path / "begun", resume=True)
    file.write_bytes(before)
    assert go(table, tmp_path / "begun", resume=True).is_done


def test_one_process_per_folder(data: Path, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with locked(tmp_path / "run"), pytest.raises(TrainingBusy, match="another process"):
        go(config(data), tmp_path / "run")
