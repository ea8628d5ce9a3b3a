# SPDX-License-Identifier: MIT
"""Files of version 0.1.0 still load. `tests/compat/0.1.0` was written by that version: a match, an
unfinished match, a tuning run, a data set, a training run, a run of zero learning and its packed
file, the page's database. The commands that users would run read and resume them.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tengen.cli.main import main
from tengen.web.limits import ServerLimits
from tengen.web.store import Store

TESTS = Path(__file__).parents[1]
FILES = TESTS / "compat" / "0.1.0"
SESSION = "a-session-of-0.1.0"  # in the page's database


def copied(name: str, tmp_path: Path) -> Path:
    return Path(shutil.copytree(FILES / name, tmp_path / name))


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What a command prints as JSON; it must succeed."""
    capsys.readouterr()
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_finished_match_is_rated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = printed(capsys, "elo", str(copied("match", tmp_path)))
    games = {entry["player"]: entry["games"] for entry in result["players"]}
    assert games == {"classical": 4, "random": 4}


def test_an_unfinished_match_is_resumed(tmp_path: Path) -> None:
    folder = copied("match-unfinished", tmp_path)
    before = (folder / "games.jsonl").read_bytes()
    assert main(["match", "--resume", str(folder), "--processes", "1"]) == 0
    after = (folder / "games.jsonl").read_bytes()
    assert after.startswith(before)
    assert len(after.splitlines()) == 4
    assert json.loads((folder / "result.json").read_text())["games"] == 4


def test_a_tuning_run_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = printed(capsys, "tune", "--report", str(copied("tune", tmp_path)))
    assert result["iterations"] == 4
    assert set(result["values"]) == {"ALPHA", "BETA"}


def test_a_data_set_is_verified(tmp_path: Path) -> None:
    assert main(["data", "verify", str(copied("data", tmp_path))]) == 0


def test_a_training_run_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied("data", tmp_path)  # the run's config has the relative path `data`
    run = copied("train", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["train", "--out", str(run), "--resume", "--device", "cpu"]) == 0
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert rows[-1]["step"] == 20


def test_a_run_of_zero_learning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = copied("zero", tmp_path)
    status = printed(capsys, "zero", "status", str(run))
    assert status["generation"] == 8
    assert status["counts"]["positions"] == 163
    assert main(["zero", "report", str(run)]) == 0
    assert "mixnet-s-freestyle7.net" in (run / "report.html").read_text()


def test_a_packed_run_is_unpacked_and_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    assert main(["zero", "unpack", str(FILES / "zero.tar"), str(run)]) == 0
    before = printed(capsys, "zero", "status", str(run))
    assert before["counts"]["positions"] == 163
    assert main(["zero", "resume", str(run), "--minutes", "0.02", "--device", "cpu"]) == 0
    after = printed(capsys, "zero", "status", str(run))
    assert after["counts"]["positions"] >= 163  # how many more depends on the machine


def test_the_database_of_the_page(tmp_path: Path) -> None:
    shutil.copy(FILES / "web.sqlite", tmp_path)
    store = Store(tmp_path / "web.sqlite", ServerLimits())
    try:
        assert store.note == ""
        (stored,) = store.games(SESSION)
        assert json.loads(stored.state)["moves"] == ["h8", "i9", "h10"]
        session = store.hello(SESSION)
        assert session.name == SESSION
        assert session.solved == ["p1"]
        assert json.loads(session.study or "")["moves"] == ["h8", "i9"]
    finally:
        store.close()


def test_the_cache_of_baked_nets_keeps_name_and_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else every user of 0.1.0 would bake again and keep the old files for ever."""
    monkeypatch.setenv("TENGEN_CACHE", str(tmp_path))
    assert main(["net", "bake", str(TESTS / "golden" / "mixnet" / "lively.net")]) == 0
    (baked,) = tmp_path.glob("*.codebook")
    assert baked.name == "lively-f62d9d24b717e543f9393bd6.codebook"
    digest = hashlib.sha256(baked.read_bytes()).hexdigest()
    assert digest == "a559cad7bb2c25d1dee80e3e69811a496bc5a086f5232008ba7c5f8b049a0313"
