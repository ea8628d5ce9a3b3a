# SPDX-License-Identifier: MIT
"""`tengen net match`: files, tables, resuming, and invalid usage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from selfplay_nets import tiny_net
from tengen.cli.main import main
from tengen.game import records
from tengen.nets.weights import NetWeights, write_weights

pytestmark = pytest.mark.usefixtures("one_thread")
COMMON = ["--device", "cpu", "--size", "7", "--games", "4", "--playouts", "2", "--threads", "1"]


@pytest.fixture
def nets(tmp_path: Path) -> list[str]:
    """Three runs with a net."""
    paths = [tmp_path / "runs" / name for name in ("one", "two", "three")]
    for seed, path in enumerate(paths):
        path.mkdir(parents=True)
        net = tiny_net(seed)
        write_weights(path / "net.pt", NetWeights(net.spec.to_dict(), net.state_dict()))
    return [str(path) for path in paths]


def test_a_match(nets: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["net", "match", *nets[:2], *COMMON, "--out", str(out)]) == 0
    table = capsys.readouterr().out
    assert "one" in table
    assert "LOS" in table
    stored = json.loads((out / "result.json").read_text("utf-8"))
    assert [row["player"] for row in stored["standings"]] == ["one", "two"]
    assert stored["games"] == len(records.read(out / "games.sgf")) == 4
    page = (out / "report.html").read_text("utf-8")
    assert f"net {nets[0]}" in page
    assert "random openings" in page
    assert not (out / "psq").exists()
    assert main(["elo", str(out)]) == 0
    assert "one" in capsys.readouterr().out


def test_a_round_robin_without_search(
    nets: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out")
    command = ["net", "match", *nets, *COMMON, "--playouts", "0", "--out", out, "--no-report"]
    assert main(command) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    pairings = [tuple(row[:3]) for row in rows if len(row) > 2 and row[2] == "4"]
    assert pairings == [("one", "two", "4"), ("one", "three", "4"), ("two", "three", "4")]
    assert sum(row[:2] == ["1", name] for row in rows for name in ("one", "two", "three")) == 1
    assert not (tmp_path / "out" / "report.html").exists()


@pytest.mark.integration
def test_resuming(nets: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same command with --resume starts a run or continues it; without nets it takes those of
    the run.
    """
    outs = [str(tmp_path / name) for name in ("stopped", "whole")]
    command = ["net", "match", *nets, *COMMON, "--json"]
    assert main([*command, "--out", outs[0], "--resume", "--max-seconds", "1e-9"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["games"] == 0
    assert f"12 games are left: resume with --resume --out {outs[0]}" in captured.err
    assert main([*command, "--out", outs[0]]) == 1
    assert "already has a run" in capsys.readouterr().err
    assert main(["net", "match", "--resume", "--out", outs[0], "--device", "cpu", "--json"]) == 0
    resumed = capsys.readouterr().out
    assert json.loads(resumed)["games"] == 12
    assert main([*command, "--out", outs[1]]) == 0
    assert capsys.readouterr().out == resumed
    assert main([*command, "--out", outs[0], "--resume"]) == 0
    assert capsys.readouterr().out == resumed
    assert main(["match", "--resume", outs[0]]) == 1
    assert "tengen net match" in capsys.readouterr().err


def test_keys_of_the_search(nets: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = ["net", "match", *nets[:2], *COMMON, "--out", str(out), "--no-report"]
    assert main([*command, "--set", "root=puct", "--set", "c=2"]) == 0
    definition = json.loads((out / "arena.json").read_text("utf-8"))["definition"]
    options = definition["players"][0]["options"]
    assert (options["playouts"], options["root"], options["c"]) == (2, "puct", 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "two nets or more"),
        (["--resume"], "two nets or more"),
        (["one"], "two nets or more"),
        (["one", "none"], "no file 'none'"),
        (["one", "two", "--size", "3"], "size"),
        (["one", "two", "--set", "cc=1"], "search.cc"),
        (["one", "two", "--playouts", "0", "--set", "c=1"], "no search"),
        (["one", "two", "--device", "abacus"], "no device"),
        (["--resume", "--out", "nothing"], "no run"),
    ],
)
def test_invalid_commands(
    arguments: list[str],
    message: str,
    nets: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(Path(nets[0]).parent)
    assert main(["net", "match", *arguments]) == 1
    assert message in capsys.readouterr().err
    assert sorted(path.name for path in Path().iterdir()) == ["one", "three", "two"]
