# SPDX-License-Identifier: MIT
"""The release of a run: each stage, stops between them, and the result."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import tengen
from tengen.arena.standings import Encounter
from tengen.cli.main import main
from tengen.engine.net_file import read_header
from tengen.game.rule import Colour, Rule
from tengen.train.train_folder import TrainFolder
from tengen.zero.errors import BadZero
from tengen.zero.release import evaluate, student
from tengen.zero.release.evaluate import ReleaseMatch
from tengen.zero.release.release import ReleaseResult
from tengen.zero.release.release_folder import ReleaseFolder
from tengen.zero.run_report import read_releases, write_report
from tengen.zero.zero_folder import ZeroFolder
from zero_releases import TINY, folder_of, make_run, release
from zero_runs import SIZE

NET = f"mixnet-s-freestyle{SIZE}.net"

pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.integration]


def calls(most: int) -> Callable[[], bool]:
    """Stops after this many calls."""
    left = [most]

    def stop() -> bool:
        left[0] -= 1
        return left[0] < 0

    return stop


def games_in(path: Path) -> list[str]:
    (file,) = path.glob("match-*/games.jsonl")
    return file.read_text("utf-8").splitlines()


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> tuple[ZeroFolder, list[ReleaseResult]]:
    """A run that was released with a stop in each stage; the result of each call."""
    run = make_run(tmp_path_factory.mktemp("free") / "run")
    path = folder_of(run).path
    unchecked = path / "nets" / f"mixnet-s-freestyle{SIZE}.unchecked"
    result = [release(run, stop=calls(3))]
    assert TrainFolder.read(path / "train" / "net").config.total_steps == 6
    result.append(release(run, stop=unchecked.exists))
    assert unchecked.exists()
    unchecked.write_bytes(b"rubbish")  # as a kill might leave it
    result.append(release(run, stop=lambda: any(map(_has_game, path.glob("match-*")))))
    result.append(release(run))
    return run, result


def _has_game(match: Path) -> bool:
    file = match / "games.jsonl"
    return file.exists() and b"\n" in file.read_bytes()


@pytest.fixture
def finished(stages: tuple[ZeroFolder, list[ReleaseResult]], tmp_path: Path) -> ZeroFolder:
    """A run of one's own that was shipped, in another place than it was made."""
    shutil.copytree(stages[0].path, tmp_path / "run")
    return ZeroFolder.read(tmp_path / "run")


# --- one net ---


def test_a_stop_in_each_stage(stages: tuple[ZeroFolder, list[ReleaseResult]]) -> None:
    run, result = stages
    assert [one.stage for one in result] == ["training", "checks", "match", "done"]
    assert not any(one.table for one in result[:3])
    path = result[-1].path
    lines = (path / "train" / "net" / "metrics.jsonl").read_text("utf-8").splitlines()
    started = [row["step"] for row in map(json.loads, lines) if row["event"] == "resume"]
    assert len(started) == 2  # the second call resumed, the later ones did not train
    assert 0 < started[1] < 6
    assert len(games_in(path)) == 4
    assert not list(path.glob("nets/*.unchecked"))
    assert (
        json.loads(result[-1].path.joinpath("release.json").read_text("utf-8"))["released"] is False
    )
    assert run.report.read_text("utf-8").count(NET) == 1


def test_training_data_of_the_release(stages: tuple[ZeroFolder, list[ReleaseResult]]) -> None:
    """The newest generation teaches, on the run's games, and the end is rounded."""
    run, result = stages
    made = TrainFolder.read(result[-1].path / "train" / "net").config
    newest = run.generations()[-1]
    assert newest.number > 0
    assert made.distillation.checkpoint == str(newest.path.resolve() / "net.pt")
    assert (made.distillation.teacher, made.distillation.share) == ("resnet-1b8f", 0.5)
    assert [one.path for one in made.data.all_sets] == [str(result[-1].path / "data")]
    assert made.quantised_from < made.total_steps
    assert made.schedule.warmup < made.total_steps


def test_an_engine_plays_with_it(stages: tuple[ZeroFolder, list[ReleaseResult]]) -> None:
    file = stages[1][-1].path / "nets" / NET
    board = tengen.Board(size=SIZE, rule="freestyle")
    with tengen.Engine(net=str(file)) as engine:
        assert engine.evaluation(board).name == "mixnet-s"
        board.push(engine.play(board, tengen.Limit(nodes=20)).move)
    header = read_header(file)
    assert (header.rules, header.sizes) == ((Rule.FREESTYLE,), (SIZE,))
    assert header.codebook_checksum


def test_finished_stages_are_not_repeated(
    finished: ZeroFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after the folder was moved."""
    monkeypatch.setattr(student, "train_student", None)
    monkeypatch.setattr(evaluate, "export_net", None)
    path = folder_of(finished).path
    before = games_in(path)
    out = tmp_path / "free.net"
    for _ in range(2):  # the second time the copy is there
        result = release(finished, out=out)
        assert result.is_done
        assert games_in(path) == before
        assert out.read_bytes() == (path / "nets" / NET).read_bytes()
    out.write_bytes(b"mine")
    with pytest.raises(BadZero, match=r"free\.net exists"):
        release(finished, out=out)


def test_another_match_needs_no_other_net(
    finished: ZeroFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(student, "train_student", None)
    monkeypatch.setattr(evaluate, "export_net", None)
    args = ["--games", "2", "--against", "random", "--device", "cpu", "--processes", "1"]
    assert main(["zero", "release", str(finished.path), *args, "--json"]) == 0
    match = json.loads(capsys.readouterr().out)["match"]
    assert (match["games"], match["against"], match["limit"]) == (2, "random", "4 nodes")
    assert len(list(folder_of(finished).path.glob("match-*"))) == 2


def test_other_keys_make_another_net(finished: ZeroFolder) -> None:
    first = folder_of(finished)
    for change in ({"samples": 49}, {"share": 0.25}, {"train": {"batch": 4}}):
        made = replace(finished.config.release, **change)
        assert ReleaseFolder(finished, first.generation, made).path != first.path


def test_training_resumes_in_its_folder(
    stages: tuple[ZeroFolder, list[ReleaseResult]], finished: ZeroFolder
) -> None:
    """A folder that was moved during training resumes; other changes are rejected."""
    folder = folder_of(finished)
    made = student.make_recipe(folder, "net", 48, torch.device("cpu"))
    kept = TrainFolder.read(folder.training("net"))
    assert "data.sets" in kept.config.differences(made)
    assert student.train_student(made, kept.path, torch.device("cpu"), lambda: False)
    assert TrainFolder.read(kept.path).config.differences(made) == []
    assert student.is_trained(kept.path)
    kept.net.unlink()  # as after a kill between the last checkpoint and its net
    assert not student.is_trained(kept.path)
    assert student.train_student(made, kept.path, torch.device("cpu"), lambda: False)
    assert student.is_trained(kept.path)
    with pytest.raises(tengen.TengenError, match="other values of batch"):
        student.train_student(replace(made, batch=4), kept.path, torch.device("cpu"), lambda: False)


# --- one net a colour ---


def test_one_net_per_colour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "verify", lambda *_: ())  # done for the other net, and slow
    run = make_run(
        tmp_path / "run", rule="renju", colours=True, release={**TINY, "samples": 16, "games": 2}
    )
    out = tmp_path / "renju"
    result = release(run, out=out)
    assert result.is_done
    assert list(result.table["files"]) == [
        f"mixnet-s-renju{SIZE}-{colour}.net" for colour in ("black", "white")
    ]
    assert result.table["match"]["games"] == 2
    for colour in Colour:
        assert read_header(out / f"mixnet-s-renju{SIZE}-{colour}.net").colours == (colour,)
        made = TrainFolder.read(result.path / "train" / str(colour)).config
        assert made.data.colour == str(colour)
        assert Path(made.distillation.checkpoint).name == f"{colour}.pt"
    board = tengen.Board(size=SIZE, rule="renju")
    with tengen.Engine(net=str(out)) as engine:
        reported = engine.evaluation(board).about
        assert f"renju{SIZE}-black for black" in reported
        assert f"renju{SIZE}-white for white" in reported
        for _ in range(2):
            board.push(engine.play(board, tengen.Limit(nodes=20)).move)
        with pytest.raises(tengen.BadNet, match="no net for renju on 9x9"):
            engine.evaluation(tengen.Board(size=9, rule="renju"))
    with pytest.raises(BadZero, match=r"use --out .*renju$"):
        release(run, out=tmp_path / "renju.net")


# --- the verdict ---


def beating(folder: ReleaseFolder, *_: Any) -> ReleaseMatch:
    """A match that the net has won."""
    met = Encounter(61, 0, 1, pairs=[0, 0, 1, 0, 30])
    return ReleaseMatch(replace(evaluate._define(folder), pairs=31), met, "match")


def test_a_net_is_released(
    finished: ZeroFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(evaluate, "play_release_match", beating)
    assert main(["zero", "release", str(finished.path), "--device", "cpu"]) == 0
    output = capsys.readouterr().out
    assert output.count("\n") == 1
    assert output.startswith(f"{NET}, 0.32 MB: +")
    assert "Elo against classical (4 nodes, 62 games)" in output
    assert output.endswith("released: yes, it is stronger than classical\n")
    assert main(["zero", "release", str(finished.path), "--device", "cpu", "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert table["done"] is table["released"] is True
    assert table["match"]["wins"] == 61
    assert "released: yes" in finished.report.read_text("utf-8")


def test_a_run_started_from_other_data_is_never_released(
    finished: ZeroFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However well its net plays."""
    monkeypatch.setattr(evaluate, "play_release_match", beating)
    (folder_of(finished).path / "plan.json").unlink()
    finished.metadata["redistributable"] = False
    result = release(finished)
    assert not result.released
    assert result.table["redistributable"] is False
    assert "not redistributable" in result.table["reason"]


def test_a_file_that_fails_its_checks(
    finished: ZeroFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tengen.export.verify import Check

    def verify(*_: Any) -> list[Check]:
        return [Check("one", True, ""), Check("integers", False, "3 differ")]

    monkeypatch.setattr(evaluate, "verify", verify)
    monkeypatch.setattr(evaluate, "play_release_match", None)
    folder_of(finished).net("net").unlink()
    assert main(["zero", "release", str(finished.path), "--device", "cpu"]) == 1
    assert f"released: no, a net file failed verification: {NET}: integers: 3 differ" in (
        capsys.readouterr().out
    )
    assert not folder_of(finished).net("net").exists()


def test_no_match(finished: ZeroFolder) -> None:
    result = release(finished, replace(finished.config.release, games=0))
    assert result.is_done
    assert result.table["summary"].endswith("released: no, no match was played")


# --- the command line ---


def test_a_release_started_by_version_0_1_0(finished: ZeroFolder) -> None:
    """Its folder is in `ship/`, its result `ship.json` with other keys: both are still read."""
    (finished.path / "release").rename(finished.path / "ship")
    folder = folder_of(finished)
    assert folder.path.parent.name == "ship"
    result = folder.path / "release.json"
    table = json.loads(result.read_text("utf-8"))
    old = {"ships": True, "words": "shipped by 0.1.0", "generation": table["generation"]}
    (folder.path / "ship.json").write_text(json.dumps(old), "utf-8")
    result.unlink()
    assert read_releases(finished) == [old]
    write_report(finished)
    assert "shipped by 0.1.0" in finished.report.read_text("utf-8")
    assert release(finished).is_done
    assert [row["summary"] for row in read_releases(finished)] == [table["summary"]]


def test_a_full_disk(
    finished: ZeroFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device; nothing was written", "a.net")

    monkeypatch.setattr(evaluate, "export_net", full)
    folder_of(finished).net("net").unlink()
    assert main(["zero", "release", str(finished.path), "--device", "cpu"]) == 1
    assert "No space left on device" in capsys.readouterr().err
