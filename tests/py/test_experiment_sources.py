# SPDX-License-Identifier: MIT
"""Steps of experiments whose sources change: data, engines, nets, the place of the folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tengen.arena import Definition, MatchFolder, MatchGame
from tengen.data.dataset import Dataset
from tengen.data.importers.records import RecordOptions, import_records
from tengen.data.manifest import MANIFEST, Manifest
from tengen.experiments.errors import BadExperiment, StepFailed
from tengen.experiments.experiment import DataSource, EngineSource, Setup
from tengen.experiments.folder import ExperimentFolder
from tengen.experiments.programs import program_checksums
from tengen.experiments.renju_search import plan
from tengen.experiments.runner import RunOptions, RunSummary, run_steps
from tengen.experiments.step import Step
from tengen.experiments.steps.data import GivenData, MadeGames, data_folder, data_step
from tengen.experiments.steps.matches import (
    EngineMatchStep,
    ExportStep,
    NetTournamentStep,
    _without_faults,
)
from tengen.experiments.steps.nets import TrainStep
from tengen.experiments.store import RESULT, StepStore
from tengen.game.rule import Colour, Rule
from tengen.train.errors import BadRun
from tengen.train.game_metrics import GameMetrics
from tengen.util.errors import TengenError

NET = {"kind": "resnet", "blocks": 0, "filters": 8}


class Work:
    """A workspace whose inputs are done."""

    device, processes, compile = "cpu", 1, False

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def result(self, step: Step) -> dict[str, Any]:
        return {}

    def file(self, step: Step, name: str) -> Path:
        return self.folder / name

    def stop(self) -> bool:
        return False

    def report(self, text: str) -> None:
        pass


def run(path: Path, step: Step, stop: Callable[[], bool] = lambda: False) -> RunSummary:
    return run_steps(path, [step], RunOptions("cpu"), stop)


def given(path: Path, **more: Any) -> GivenData:
    return GivenData("freestyle", 15, digest=DataSource.of(path).digest, path=path, **more)


def games_file(tmp_path: Path, count: int = 40) -> Path:
    path = tmp_path / "games.txt"
    path.write_text("".join(map(game_line, range(count))))
    return path


def game_line(number: int) -> str:
    """Black wins; another game for each number."""
    return f"B h8 {chr(97 + number % 15)}{1 + number // 15} i8 i9 j8 j9 k8 k9 l8\n"


# --- data ---


def test_data_that_changed_are_not_used_under_the_old_key(tmp_path: Path) -> None:
    path = games_file(tmp_path)
    step = given(path)
    path.write_text(path.read_text() + game_line(41))
    with pytest.raises(StepFailed, match="--data"):
        step.run(Work(tmp_path / "step"))
    assert not (tmp_path / "step").exists()


def test_a_linked_data_set_that_changed_is_not_used(tmp_path: Path) -> None:
    options = RecordOptions(Rule.FREESTYLE, every=2)
    folder = tmp_path / "set"
    import_records([games_file(tmp_path)], folder, options)
    step, work = given(folder), Work(tmp_path / "step")
    work.folder.mkdir()
    step.run(work)
    assert data_folder(work, step).resolve() == folder
    Manifest.load(folder)
    text = (folder / MANIFEST).read_text()
    (folder / MANIFEST).write_text(text.replace('"records"', '"others"'))
    with pytest.raises(StepFailed, match="--data"):
        data_folder(work, step)
    with pytest.raises(StepFailed, match="--data"):
        step.run(work)


@pytest.mark.parametrize(("every", "advice"), [(0, "validation share"), (1000, "more data")])
def test_data_without_validation_positions_fail_at_once(
    tmp_path: Path, every: int, advice: str
) -> None:
    work = Work(tmp_path / "step")
    work.folder.mkdir()
    with pytest.raises(StepFailed, match=advice):
        given(games_file(tmp_path, 20), every=every).run(work)


def test_parts_of_anyone_are_not_redistributable(tmp_path: Path) -> None:
    parts, work = tmp_path / "parts", Work(tmp_path / "step")
    parts.mkdir()
    work.folder.mkdir()
    rows = 20_000 * 20
    board = np.zeros((rows, 57), np.uint8)
    np.savez_compressed(
        parts / "part_00.npz",
        board=board,
        move=np.full((rows, 1), 112, np.uint8),
        prob=np.full((rows, 1), 255, np.uint8),
        wl=np.full((rows, 2), 100, np.uint8),
    )
    result = given(parts).run(work)
    assert result["redistributable"] is False
    assert "not distributed" in Dataset.open(work.folder / "data").manifest.terms


def test_made_games_that_were_stopped_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = []
    play = MadeGames._play

    def counted(self: MadeGames, *args: Any) -> str:
        played.append(play(self, *args))
        return played[-1]

    monkeypatch.setattr(MadeGames, "_play", counted)
    step = MadeGames("freestyle", 15, games=30, nodes=4, every=2)
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    assert run(whole, step).done == [step]
    played.clear()
    assert run(stopped, step, lambda: len(played) >= 7).pending == [step]
    assert run(stopped, step).done == [step]
    assert len(played) == 30
    games = [(StepStore(path).folder(step) / "games.txt").read_text() for path in (whole, stopped)]
    assert games[0] == games[1]


# --- engines ---


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    path = tmp_path / "bot.py"
    path.write_text("print('hello')\n")
    return path


def test_the_script_of_an_interpreter_is_part_of_the_key(bot: Path) -> None:
    def key() -> str:
        return plan(Setup("tiny", engines=(EngineSource.of(f"cmd:python3 {bot}"),)))[
            "Table 3, 4"
        ].key

    before = key()
    assert key() == before
    bot.write_text("print('other')\n")
    assert key() != before


def test_a_net_is_part_of_the_key(tmp_path: Path) -> None:
    def checksums(net: str) -> tuple[str, ...]:
        return program_checksums([{"preset": "alphabeta", "options": {"net": net}}])

    assert checksums("mixnet-s-freestyle") == ()
    net = tmp_path / "own.net"
    net.write_bytes(b"one")
    before = checksums(str(net))
    net.write_bytes(b"two")
    assert len(before) == 1
    assert checksums(str(net)) != before
    assert checksums(str(tmp_path)) == checksums(str(net))  # a folder, such as one net per colour


def test_without_engines_no_key_changes() -> None:
    step = plan(Setup("small"))["Table 3, 100"]
    assert step.identity()["programs"] == []
    assert "has_own_programs" not in step.identity()


@pytest.mark.parametrize(
    "command", ["cmd:foo 'bar", "cmd:/no/such/program", "classical,levle=3", "no-such-program"]
)
def test_engines_that_do_not_exist_are_errors(command: str) -> None:
    with pytest.raises(TengenError):
        EngineSource.of(command)


def test_unbalanced_quotes_are_errors_of_the_option() -> None:
    with pytest.raises(BadExperiment, match="--engine"):
        EngineSource.of("cmd:foo 'bar")


def test_engines_are_stored_with_their_checksums(tmp_path: Path, bot: Path) -> None:
    setup = Setup("tiny", engines=(EngineSource.of(f"cmd:python3 {bot}"),))
    ExperimentFolder.open(tmp_path / "a", setup, ["renju-search"])
    before = plan(setup)
    bot.write_text("print('other')\n")  # not named again: the results of the one that was stay
    assert ExperimentFolder.read(tmp_path / "a").plan("renju-search") == before
    step = before["Table 3, 4"]
    with pytest.raises(StepFailed, match="--engine"):
        step.run(Work(tmp_path / "step"))


def test_engines_and_data_can_be_forgotten(tmp_path: Path, bot: Path) -> None:
    games = DataSource.of(games_file(tmp_path))
    engine = EngineSource.of(f"cmd:python3 {bot}")
    before = Setup("tiny", {"renju": games, "selfplay": games}, (engine,))
    kept = Setup("tiny").after(before)
    assert (kept.data, kept.engines) == (before.data, before.engines)
    less = Setup("tiny", omitted=frozenset({"renju", "engines"})).after(before)
    assert (dict(less.data), less.engines) == ({"selfplay": games}, ())


# --- matches ---


def test_pairs_with_a_fault_of_ours_are_played_again(tmp_path: Path) -> None:
    players = [{"preset": "classical"}, {"preset": "policy"}, {"command": "bot"}]
    definition = Definition.from_dict({"players": players, "kind": "round-robin", "pairs": 2})
    folder = MatchFolder.create(tmp_path, definition, [("h8",), ("i9",)])
    game = MatchGame(0, 0, 0, 1, 0, 1, ("h8",), Colour.WHITE, "five")
    with folder.open_event_log():
        folder.add(game)
        folder.add(replace(game, number=1, black=1, white=0, reason="time"))  # the preset is late
        folder.add(replace(game, number=2, pair=1, white=2, winner=Colour.BLACK, reason="time"))
    kept = _without_faults(MatchFolder.read(tmp_path))
    assert [one.number for one in kept.games] == [2]  # programs lose by their faults
    assert MatchFolder.read(tmp_path).games == kept.games


def test_a_match_with_a_fault_finishes_at_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = EngineMatchStep(
        ({"name": "a", "preset": "random"}, {"name": "b", "preset": "random"}),
        form="match", rule="freestyle", size=15, pairs=1, limit={"nodes": 1},
    )  # fmt: skip
    added = MatchFolder.add

    def late(self: MatchFolder, game: MatchGame) -> None:
        added(self, replace(game, reason="time") if game.number == 0 else game)

    with monkeypatch.context() as patch:
        patch.setattr(MatchFolder, "add", late)
        (text,) = run(tmp_path, step).failed.values()
    assert "again" in text
    assert run(tmp_path, step).done == [step]


def test_programs_are_checked_before_a_match(tmp_path: Path, bot: Path) -> None:
    table = {"name": "bot", "command": f"python3 {bot}"}
    players = ({"preset": "classical"}, table)
    more = {"form": "match", "rule": "freestyle", "size": 15, "pairs": 1, "limit": {"nodes": 1}}
    step = EngineMatchStep(players, programs=program_checksums(players), **more)  # type: ignore[arg-type]
    step._check_programs()
    bot.unlink()
    with pytest.raises(StepFailed, match="not here"):
        step._check_programs()


# --- nets ---


def test_a_training_resumes_in_a_folder_that_was_moved(tmp_path: Path) -> None:
    source = data_step(Setup("tiny"), "renju", "renju")
    assert isinstance(source, MadeGames)
    data = replace(source, games=30, nodes=4, every=2)
    step = TrainStep(NET, data, {"batch": 8, "run": {"checkpoint": 2}}, samples=48)
    here, there = tmp_path / "here", tmp_path / "there"
    metrics = StepStore(here).folder(step) / "run" / "checkpoints"
    assert run(here, step, lambda: any(metrics.glob("step-*"))).pending == [step]
    here.rename(there)
    assert run(there, step).done == [step]
    folder = StepStore(there).folder(step)
    head = json.loads((folder / "run" / "run.json").read_text())
    assert head["config"]["data"]["path"].startswith(str(there))
    assert not (folder / "run" / "checkpoints").exists()
    assert (folder / "net.pt").exists()
    content = StepStore(there).read(step)
    assert content is not None
    assert sorted(content["files"]) == ["net.pt", "validation_games.npz"]


def test_matches_of_nets_resume_in_a_folder_that_was_moved(tmp_path: Path) -> None:
    source = data_step(Setup("tiny"), "renju", "renju")
    assert isinstance(source, MadeGames)
    data = replace(source, games=30, nodes=4, every=2)
    nets = [TrainStep(NET, data, {"batch": 8}, samples=16, seed=seed) for seed in (1, 2)]
    export = ExportStep((nets[0],), "renju", 15)
    players = (
        {"name": "net", "preset": "policy", "options": {"net": export}},
        {"name": "random", "preset": "random"},
    )
    more: Any = {"form": "match", "rule": "renju", "size": 15, "pairs": 3}
    steps: tuple[Step, ...] = (
        NetTournamentStep(("a", "b"), ((nets[0],), (nets[1],)), "renju", 15, 0, games=4),
        EngineMatchStep(players, limit={"nodes": 1}, **more),
    )
    here, there = tmp_path / "here", tmp_path / "there"
    for step in steps:
        assert run(here, step).is_complete
        folder = StepStore(here).folder(step)
        (folder / RESULT).unlink()
        games = folder / "match" / MatchFolder.EVENT_LOG
        games.write_text("".join(games.read_text().splitlines(keepends=True)[:2]))
    here.rename(there)
    for step in steps:
        summary = run(there, step)
        assert summary.done == [step], summary.failed
        head = (StepStore(there).folder(step) / "match" / MatchFolder.HEAD).read_text()
        assert str(there) in head
        assert f"{here}/" not in head


def test_metrics_of_games_are_bounded(tmp_path: Path) -> None:
    path, arrays = tmp_path / "x.npz", np.zeros((1, 1, 1))
    GameMetrics(np.zeros((1, 2), np.int64), ("raw",), ("policy",), arrays, arrays).write(path)
    assert GameMetrics.read(path).kinds == ("raw",)
    large = np.zeros((1, 1 << 20, 80), np.float64)
    np.savez_compressed(path, games=[[0, 0]], kinds=["a"], metrics=["b"], sums=large, counts=arrays)
    with pytest.raises(BadRun, match="too large"):
        GameMetrics.read(path)
    few = np.zeros((1, 2, 1))
    np.savez_compressed(path, games=[[0, 0]], kinds=["a"], metrics=["b"], sums=few, counts=few)
    with pytest.raises(BadRun, match="fit"):
        GameMetrics.read(path)
