# SPDX-License-Identifier: MIT
"""`tengen experiment`: listing, running, resuming after kills, reports, wrong usage."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tengen.cli.main import main
from tengen.experiments.experiment import NAMES, Setup, find_experiment
from tengen.experiments.folder import ExperimentFolder
from tengen.experiments.papers import all_items
from tengen.experiments.runner import JOURNAL, RunOptions, run_steps
from tengen.experiments.step import in_order
from tengen.experiments.store import RESULT, StepStore


def run(*arguments: object) -> int:
    return main(["experiment", *map(str, arguments)])


def output(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    assert run(*arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


def test_list_has_every_item(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = output(capsys, "list", "--out", tmp_path / "none")
    assert [(row["paper"], row["item"]) for row in rows] == [
        (paper.id, item.name) for paper, item in all_items()
    ]
    assert all(row["experiments"] or row["reason"] for row in rows)
    assert run("list", "--out", tmp_path / "none") == 0
    assert "Table IV" in capsys.readouterr().out
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", ["tiny", "small", "paper"])
def test_every_experiment_has_a_plan_at_every_scale(name: str, scale: Any) -> None:
    experiment = find_experiment(name)
    steps = in_order(experiment.plan(Setup(scale)).values())
    assert steps
    assert len({step.key for step in steps}) == len(steps)
    assert experiment.cost[scale]
    for step in steps:
        json.dumps(step.identity())


def test_experiments_share_steps() -> None:
    plans = {name: in_order(find_experiment(name).plan(Setup()).values()) for name in NAMES}
    keys = {name: {step.key for step in steps} for name, steps in plans.items()}
    assert keys["gomokunet-1"] & keys["gomokunet-2"]
    assert keys["go-depth-width"] & keys["go-tournaments"]
    assert keys["renju-nets"] & keys["renju-search"]
    trainings = [s for name in NAMES for s in plans[name] if s.KIND == "train"]
    full = find_experiment("gomokunet-2").plan(Setup())["UA RB PAM MFA"]
    assert full.key == find_experiment("gomokunet-1").plan(Setup())["GomokuNet"].key
    assert len({s.key for s in trainings}) < len(trainings)


def test_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = output(capsys, "show", "go-params", "--out", tmp_path)
    assert len(shown["steps"]) == 26
    assert not any(step["done"] for step in shown["steps"])
    assert run("show", "renju-nets", "--out", tmp_path) == 0
    assert "made by the engine" in capsys.readouterr().out


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which go-params is done."""
    path = tmp_path_factory.mktemp("counted")
    assert run("run", "go-params", "--scale", "tiny", "--out", path) == 0
    return path


def test_counts_are_the_paper_s(counted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = output(capsys, "run", "go-params", "--scale", "tiny", "--out", counted)
    verdicts = done["verdicts"]["go-params"]
    assert [verdict["outcome"] for verdict in verdicts] == ["yes", "yes"]
    assert (done["done"], done["cached"]) == ([], 26)
    for ending, number in (("md", "20,963,461"), ("json", "20963461"), ("html", "20,963,461")):
        assert number in (counted / f"reports/go-params.{ending}").read_text("utf-8")
    report = output(capsys, "report", counted)
    assert report[0]["verdicts"] == verdicts


def test_only_some_steps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--scale", "tiny", "--out", tmp_path)
    steps = output(capsys, "show", "go-params", *options)["steps"]
    text = steps[0]["title"]
    wanted = {step["key"] for step in steps if text in step["title"]}
    assert 0 < len(wanted) < len(steps)
    done = output(capsys, "run", "go-params", "--only", text, *options)["done"]
    assert set(done) == wanted
    assert run("run", "go-params", "--only", "no such step", *options) == 1
    assert "tengen experiment show" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        (["run", "go-param"], ["go-params"]),
        (["run", "all", "go-parms"], ["go-params"]),
        (["show", "x"], ["go-params"]),
        (["run", "renju-search", "--engine", "cmd:foo 'bar"], ["--engine", "foo"]),
        (["run", "renju-search", "--engine", "cmd:/no/such/bot"], ["/no/such/bot"]),
        (["run", "go-params", "--data", "renju"], ["NAME=PATH"]),
        (["run", "go-params", "--data", "go=/tmp"], ["renju", "selfplay"]),
        (["run", "renju-nets", "--data", "renju=/no/such/file"], ["/no/such/file"]),
        (["report", "/no/such/folder"], ["/no/such/folder"]),
        (["unpack", "/no/such/file", "x"], ["/no/such/file"]),
    ],
)
def test_wrong_usage(
    arguments: list[str], facts: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 1
    message = capsys.readouterr().err
    assert all(fact in message for fact in facts)
    assert "Traceback" not in message


def test_a_folder_has_one_scale(counted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("run", "go-params", "--scale", "small", "--out", counted) == 1
    assert "--out" in capsys.readouterr().err


def test_engines_that_are_wrong_are_not_stored(
    counted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = ("--engine", "classical,levle=3")
    assert run("run", "renju-search", "--scale", "tiny", "--out", counted, *wrong) == 1
    assert "levle" in capsys.readouterr().err
    missing = ("--engine", "cmd:/no/such/bot")  # also where no step uses it
    assert run("run", "go-params", "--scale", "tiny", "--out", counted, *missing) == 1
    assert run("report", counted) == 0


def test_engines_and_data_are_remembered_until_none(tmp_path: Path) -> None:
    games = tmp_path / "games.txt"
    games.write_text("B h8 h9 i8 i9 j8 j9 k8 k9 l8\n")
    options = ("run", "go-params", "--scale", "tiny", "--out", tmp_path / "a")
    assert run(*options, "--engine", "classical", "--data", f"renju={games}") == 0
    assert run(*options) == 0
    setup = ExperimentFolder.read(tmp_path / "a").setup
    assert [one.command for one in setup.engines] == ["classical"]
    assert list(setup.data) == ["renju"]
    assert run(*options, "--engine", "none", "--data", "renju=none") == 0
    setup = ExperimentFolder.read(tmp_path / "a").setup
    assert setup.engines == ()
    assert not setup.data


def test_pack_and_unpack(counted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there, file = tmp_path / "b", tmp_path / "half.tar"
    assert run("pack", counted, file) == 0
    assert run("unpack", file, there) == 0
    capsys.readouterr()
    done = output(capsys, "run", "go-params", "--scale", "tiny", "--out", there)
    assert (done["done"], done["cached"]) == ([], 26)


# --- whole experiments ---


def start(path: Path, *names: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tengen", "experiment", "run", *names, "--scale", "tiny"]
    command += ["--device", "cpu", "--processes", "2", "--out", str(path)]
    null = subprocess.DEVNULL
    return subprocess.Popen(command, stdout=null, stderr=null, start_new_session=True)


def results(path: Path) -> dict[str, Any]:
    """The results of all steps that do not measure time."""
    found = {}
    for file in path.glob(f"steps/*/{RESULT}"):
        content = json.loads(file.read_text())
        if content["step"]["kind"] not in ("speed", "update-speed", "zero", "zero-match"):
            found[file.parent.name] = content["result"]
    return found


@pytest.mark.integration
@pytest.mark.parametrize("name", ["classical-depth", "renju-nets"])
def test_tiny_experiments(name: str, tmp_path: Path) -> None:
    assert run("run", name, "--scale", "tiny", "--device", "cpu", "--out", tmp_path) == 0
    report = json.loads((tmp_path / f"reports/{name}.json").read_text())
    assert report["steps"] == report["steps_done"]
    assert all(verdict["outcome"] != "not run" for verdict in report["verdicts"])
    cells = [cell for table in report["tables"][:1] for row in table["rows"] for cell in row]
    assert cells
    assert None not in cells


@pytest.mark.integration
def test_one_net_per_colour_is_validated_on_the_positions_of_both(tmp_path: Path) -> None:
    plan = find_experiment("renju-nets").plan(Setup("tiny"))
    label = "Separate color 0 rblocks"
    summary = run_steps(tmp_path, [plan[label]], RunOptions("cpu"))
    assert summary.is_complete
    store = StepStore(tmp_path)
    means = []
    for name in (f"{label} black", label, f"{label} white"):
        content = store.read(plan[name])
        assert content is not None
        means.append(content["result"]["validation"]["raw"]["policy"])
        assert len(content["result"]["draws"]["policy_top1"]) == 400
    assert min(means) < means[1] < max(means)


@pytest.mark.slow
def test_all_tiny_experiments(tmp_path: Path) -> None:
    assert run("run", "all", "--scale", "tiny", "--device", "cpu", "--out", tmp_path) == 0
    for name in NAMES:
        report = json.loads((tmp_path / f"reports/{name}.json").read_text())
        assert report["steps"] == report["steps_done"]


@pytest.mark.slow
def test_ten_kills_change_nothing(tmp_path: Path) -> None:
    names = ("renju-nets", "gomokunet-2")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    begin = time.monotonic()
    assert start(whole, *names).wait() == 0
    seconds = time.monotonic() - begin
    rng, kills = random.Random(1), 0
    while kills < 10:
        process = start(killed, *names)
        try:
            assert process.wait(rng.uniform(0.5, seconds / 3)) == 0
            assert results(killed) == results(whole)
            number = len(list(tmp_path.iterdir()))
            killed.rename(tmp_path / f"complete-{number}")  # before its kill: once more
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
    assert start(killed, *names).wait() == 0
    assert results(killed) == results(whole)
    rows = [json.loads(line) for line in (killed / JOURNAL).read_text().splitlines()]
    done = [row["step"] for row in rows if row["event"] == "done"]
    assert len(done) == len(set(done))
