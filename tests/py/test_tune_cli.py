# SPDX-License-Identifier: MIT
"""`tengen tune`: required options, output, interruption and resuming. No games are played."""

from __future__ import annotations

import json
import os
import signal
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tengen import _core
from tengen.cli import tune as tune_command
from tengen.cli.main import main
from tengen.cluster import ProgressRecord
from tengen.tune.plan import TrialResult, TuneTrial
from tengen.tune.tune_folder import TuneFolder
from tune_fakes import OPENINGS, HereCluster, Hill

PARAMS = ["--params", "LMR_BASE,LMR_PV"]


class Interrupting(Hill):
    """Sends this process a signal in the middle of iteration 5."""

    sent = signal.SIGINT

    def __call__(self, trial: TuneTrial, progress: ProgressRecord) -> TrialResult:
        if trial.iteration == 5:
            os.kill(os.getpid(), self.sent)
        return super().__call__(trial, progress)


HILL: dict[str, Any] = {
    "top": {"LMR_BASE": 600, "LMR_PV": 700},
    "steps": {"LMR_BASE": 100, "LMR_PV": 100},
}


@pytest.fixture
def tuning(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """As in the tuning build, with a hill in place of games."""
    monkeypatch.setattr(_core, "is_tuning", lambda: True)
    monkeypatch.setattr(tune_command, "make_cluster", lambda _, workers: HereCluster(workers or 1))
    monkeypatch.setattr(tune_command, "openings_for", lambda *_, **__: [*OPENINGS, *OPENINGS])
    monkeypatch.setattr(tune_command, "bundled_openings", lambda *_: [])
    monkeypatch.setattr(tune_command, "PlayTrial", lambda definition: Hill(**HILL))
    return monkeypatch


def started(path: Path, *message: str) -> list[str]:
    return ["tune", *PARAMS, "--iterations", "20", "--nodes", "50", "--out", str(path), *message]


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 40
    assert main(["tune", "--list", "--json", "--params", "LMR_*,!LMR_PV,LMR_BASE=200"]) == 0
    result = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert result["LMR_BASE"]["start"] == 200
    assert "LMR_PV" not in result
    assert main(["tune", "--list", "--params", "LMR_BASS"]) == 1
    assert "did you mean LMR_BASE?" in capsys.readouterr().err


@pytest.mark.skipif(_core.is_tuning(), reason="this is the tuning build")
def test_an_ordinary_build_reports_the_remedy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(started(tmp_path / "run")) == 1
    output = capsys.readouterr().err
    assert "`make tuning`" in output
    assert ".venv-tuning/bin/tengen tune" in output
    assert not (tmp_path / "run").exists()


def test_a_run(
    tuning: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(started(tmp_path, "--processes", "3", "--rule", "renju", "--seed", "4")) == 0
    output = capsys.readouterr()
    values = tomllib.loads("[[players]]\n" + output.out)["players"][0]["tunables"]
    assert set(values) == {"LMR_BASE", "LMR_PV"}
    assert "20 of 20 iterations" in output.err
    assert str(tmp_path) in output.err
    folder = TuneFolder.read(tmp_path)
    assert folder.plan.openings == OPENINGS  # none twice
    assert folder.plan.definition.rule == "renju"
    assert folder.plan.spsa.seed == folder.plan.definition.seed == 4
    assert {path.name for path in tmp_path.iterdir()} >= {"values.json", "report.html"}
    assert main(started(tmp_path)) == 1
    assert "already has a run" in capsys.readouterr().err


def test_json(
    tuning: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(started(tmp_path, "--pairs-per-iteration", "2", "--json")) == 0
    result = json.loads(capsys.readouterr().out)
    assert result == json.loads((tmp_path / "values.json").read_text())
    assert result["games"] == 80
    (tmp_path / "report.html").unlink()
    tuning.undo()
    assert main(["tune", "--report", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == result
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_and_resumed(
    tuning: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    sent: signal.Signals,
) -> None:
    tuning.setattr(Interrupting, "sent", sent)
    tuning.setattr(tune_command, "PlayTrial", lambda definition: Interrupting(**HILL))
    before = signal.getsignal(sent)
    assert main(started(tmp_path, "--processes", "1")) == 130
    assert signal.getsignal(sent) is before
    output = capsys.readouterr().err
    assert "15 iterations are left" in output
    assert TuneFolder.read(tmp_path).state.iterations == 5
    with (tmp_path / "iterations.jsonl").open("ab") as file:
        file.write(b'{"iteration":6,"wi')
    assert main(["tune", "--resume", str(tmp_path)]) == 0
    assert "removed 18 bytes" in capsys.readouterr().err
    assert TuneFolder.read(tmp_path).state.is_complete


def test_resume(
    tuning: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run"
    assert main(["tune", "--resume", str(path)]) == 1
    assert "no run to resume" in capsys.readouterr().err
    assert main(started(path, "--resume")) == 0  # begins it
    event_log = (path / "iterations.jsonl").read_bytes()
    assert main(started(path, "--resume")) == 0  # all is done
    assert (path / "iterations.jsonl").read_bytes() == event_log
    capsys.readouterr()
    for message, named in (
        (["--iterations", "30"], "iterations"),
        (["--r-end", "0.1"], "r_end"),
        (["--params", "LMR_BASE"], "parameters"),
        (["--nodes", "60"], "limit"),
        (["--rule", "caro"], "rule"),
        (["--pairs-per-iteration", "3"], "pairs"),
    ):
        assert main([*started(path, "--resume"), *message]) == 1
        assert f"another {named}:" in capsys.readouterr().err


def test_a_run_of_another_core(
    tuning: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(started(tmp_path)) == 0
    file = tmp_path / "tune.json"
    file.write_text(file.read_text().replace("LMR_PV", "LMR_GONE"))
    assert main(["tune", "--resume", str(tmp_path)]) == 1
    assert "LMR_GONE is gone" in capsys.readouterr().err


def test_the_time_limit_ends_the_run(
    tuning: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tuning.setattr(tune_command, "PlayTrial", lambda definition: Hill(**HILL, seconds=0.05))
    assert main(started(tmp_path, "--processes", "1", "--max-seconds", "0.3")) == 0
    assert 0 < TuneFolder.read(tmp_path).state.iterations < 20
    assert "iterations are left" in capsys.readouterr().err


def test_a_config(
    tuning: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "tune.toml"
    config.write_text(
        'params = ["LMR_BASE", "LMR_PV"]\niterations = 8\nr_end = 0.01\n'
        '[games]\nrule = "caro"\nlimit = { nodes = 70 }\n[overrides.LMR_PV]\nstep = 30\n'
    )
    arguments = ["tune", "--config", str(config), "--out", str(tmp_path / "run"), "--rule", "renju"]
    assert main(arguments) == 0
    plan = TuneFolder.read(tmp_path / "run").plan
    assert plan.spsa.iterations == 8
    assert plan.spsa.parameters[1].step == 30
    assert plan.definition.rule == "renju"  # the command line comes first
    assert plan.definition.limit.nodes == 70
    config.write_text("params = [")
    capsys.readouterr()
    assert main(arguments) == 1
    assert "tune.toml" in capsys.readouterr().err
    assert main(["tune", "--config", "none.toml", "--out", "x"]) == 1
    assert "none.toml" in capsys.readouterr().err


def test_missing_arguments_are_reported(
    tuning: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(tmp_path / "run")]
    cases: list[tuple[list[str], str]] = [
        (["tune"], "--out"),
        (["tune", *PARAMS], "--out"),
        (["tune", *out], "--params"),
        (["tune", *out, *PARAMS], "iterations: "),
        (["tune", *out, "--iterations", "5"], "name some"),
        (["tune", "--report", str(tmp_path)], "has no run"),
    ]
    for message, reported in cases:
        assert main(message) == 1
        assert reported in capsys.readouterr().err
    for wrong in (["--iterations", "0"], ["--nodes", "5", "--time", "1"], ["--rule", "chess"]):
        with pytest.raises(SystemExit) as caught:
            main(["tune", *wrong])
        assert caught.value.code == 2
    assert not (tmp_path / "run").exists()


def test_progress_lines_and_fresh_values(
    tuning: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tuning.setattr(tune_command, "_SAVE_SECONDS", 0.0)
    written = []
    tuning.setattr(TuneFolder, "write_values", lambda folder: written.append(folder))  # noqa: PLW0108
    assert main(started(tmp_path)) == 0
    assert len(written) > 20
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("tengen tune: 20 of 20 iterations, 40 games +")
    assert all(line.startswith("tengen tune: ") for line in lines)


def test_a_bar_for_a_terminal(
    tuning: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tuning.setattr("sys.stderr.isatty", lambda: True)
    tuning.setenv("TERM", "xterm")
    assert main(started(tmp_path)) == 0
    assert "\x1b[" in capsys.readouterr().err


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["tune", "--help"])
    output = capsys.readouterr().out
    for message in ("examples:", "--resume", "make tuning", "NAME=start:step", "[games]"):
        assert message in output
