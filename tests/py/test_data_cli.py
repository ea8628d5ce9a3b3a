# SPDX-License-Identifier: MIT
"""`tengen data import`, `info` and `verify` for data sets."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from data_samples import make_set, random_rows
from tengen.cli import data_import
from tengen.cli.main import main
from tengen.data import Dataset

Capture = pytest.CaptureFixture[str]
GAMES = "B h8 h9 j8 i7 a1 b1 c1\nW a1 b2 h8\n? h8\nD h8 i9 j10\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games.txt").write_text(GAMES)
    return tmp_path


IMPORT = ["data", "import", "records", "games.txt", "--out", "set", "--rule", "renju"]


def test_import_info_verify(folder: Path, capsys: Capture) -> None:
    assert main([*IMPORT, "--terms", "offline\x1b only"]) == 0
    out, output = capsys.readouterr()
    assert out.splitlines() == [
        "set: 13 positions",
        "             4 games",
        "             1 games without a result",
    ]
    assert "--keep-unknown takes the games without a result too" in output
    assert main(["data", "info", "set"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("set: set, renju 15x15\n  positions   13 in 1 shard\n")
    assert "of every 20 games the last is for validation" in out
    assert "to move     8 black, 5 white" in out
    assert "value       " in out
    assert "redistributable  no" in out
    assert "terms       offline\N{REPLACEMENT CHARACTER} only" in out
    assert main(["data", "verify", "set"]) == 0
    assert capsys.readouterr().out == "set: valid, 13 positions\n"


def test_json_output(folder: Path, capsys: Capture) -> None:
    assert main([*IMPORT, "--json", "--skip", "6", "--colour", "black", "--name", "mine"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert (output["positions"], output["counts"]["opening moves"]) == (1, 12)
    assert main(["data", "info", "set", "--json"]) == 0
    (result,) = json.loads(capsys.readouterr().out)["sets"]
    assert (result["name"], result["positions"], result["shards"]) == ("mine", 1, 1)
    assert result["summary"]["black"] == 1
    assert main(["data", "verify", "set", "nowhere", "--json"]) == 1
    good, bad = json.loads(capsys.readouterr().out)["sets"]
    assert good == {"folder": "set", "positions": 1}
    assert "nowhere is not a data set" in bad["error"]


def test_info_of_sets_and_records_together(folder: Path, capsys: Capture) -> None:
    make_set(folder / "set", random_rows(50))
    (folder / "a.sgf").write_text("(;SZ[15]RE[B+];B[hh])")
    assert main(["data", "info", "set", "a.sgf"]) == 0
    out = capsys.readouterr().out
    assert "set: set, freestyle 9x9" in out
    assert "a.sgf: sgf, 1 game" in out


def test_splits(folder: Path, capsys: Capture) -> None:
    lines = {"position": "one of 2.5 rows", "game": "one of 2.5 games"}
    for split, line in lines.items():
        command = [*IMPORT, "--overwrite", "--split", split, "--validation-share", "0.4"]
        assert main(command) == 0
        capsys.readouterr()
        assert main(["data", "info", "set"]) == 0
        assert f"{line} is for validation" in capsys.readouterr().out
    assert main([*IMPORT, "--overwrite", "--validation-share", "0"]) == 0
    assert Dataset.open("set").manifest.validation.every == 0
    for share in ("1", "-0.1", "much"):
        with pytest.raises(SystemExit):
            main([*IMPORT, "--validation-share", share])
        assert "no number from 0 to below 1" in capsys.readouterr().err


def test_import_errors(folder: Path, capsys: Capture) -> None:
    assert main(IMPORT) == 0
    assert main(IMPORT) == 1
    assert "all 13 positions: --overwrite" in capsys.readouterr().err
    assert main([*IMPORT, "--overwrite"]) == 0
    assert main(IMPORT[:-2]) == 2
    assert "--rule" in capsys.readouterr().err
    assert main([*IMPORT, "--redistributable", "--overwrite"]) == 1
    assert "give the terms" in capsys.readouterr().err
    assert main([*IMPORT, "--ships", "--overwrite"]) == 1  # the name until 0.1.0
    assert "--redistributable" in capsys.readouterr().err
    for empty in (["records", ""], ["search-labels", " "], ["packed", ""], ["zero15", ""]):
        with pytest.raises(SystemExit):
            main(["data", "import", *empty, "--out", "other"])
        assert "an empty name" in capsys.readouterr().err
    assert main(["data", "import"]) == 2
    assert main(["data", "import", "zero15", ".", "--out", "zero"]) == 1
    assert "has no part_00.npz" in capsys.readouterr().err
    path = folder / "set" / "00000.board.npy"
    path.write_bytes(path.read_bytes()[:-1])
    for action in ("verify", "info"):
        assert main(["data", action, "set"]) == 1
        assert "00000.board.npy is cut off" in capsys.readouterr().err


def test_folders_of_games(folder: Path, capsys: Capture) -> None:
    inside = folder / "games" / "deep"
    inside.mkdir(parents=True)
    (inside / "a.sgf").write_text("(;SZ[15]RE[B+];B[hh])")
    (inside / "b.sgf").write_text("broken")
    (inside / "notes.md").write_text("no game")
    command = ["data", "import", "records", "games", "--out", "set", "--rule", "freestyle"]
    assert main(command) == 0
    output = capsys.readouterr()
    assert "1 games that cannot be read" in output.out
    assert "b.sgf" in output.err
    (folder / "empty").mkdir()
    assert main(["data", "import", "records", "empty", "--out", "x", "--rule", "renju"]) == 1
    assert ".sgf" in capsys.readouterr().err


def test_packed_rows(folder: Path, capsys: Capture) -> None:
    rows = random_rows(30, 15, 8)
    np.savez(
        folder / "part_00.npz",
        board=rows.board,
        move=rows.move.astype(np.uint8),
        prob=rows.prob,
        wl=rows.value,
    )
    assert main(["data", "import", "packed", ".", "--out", "zero"]) == 0
    assert capsys.readouterr().out.startswith("zero: 30 positions\n")
    old = ["data", "import", "zero15", ".", "--out", "zero", "--overwrite"]  # until 0.1.0
    assert main(old) == 0
    capsys.readouterr()
    assert main(["data", "info", "zero"]) == 0
    assert "redistributable  yes" in capsys.readouterr().out


def test_interrupted(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(data_import, "_records", interrupt)
    assert main(IMPORT) == 130
    assert "run the same command again" in capsys.readouterr().err
