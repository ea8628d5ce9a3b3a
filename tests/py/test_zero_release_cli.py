# SPDX-License-Identifier: MIT
"""The release of a run: its data, its training time, the command line, and errors."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tengen.cli import zero_run
from tengen.cli.common import StopSignal
from tengen.cli.main import main
from tengen.data import Dataset
from tengen.engine.nets import BUNDLED
from tengen.export.quantise import net_file, write_net
from tengen.game.rule import Rule
from tengen.nets.mixnet import Mixnet
from tengen.nets.spec import MixnetSpec
from tengen.nets.weights import NetWeights, read_weights, write_weights
from tengen.train.train_folder import TrainFolder
from tengen.zero import loop
from tengen.zero.config import RESUMABLE_KEYS, ZeroConfig
from tengen.zero.pack import pack, unpack
from tengen.zero.release import release as releasing
from tengen.zero.release import student
from tengen.zero.release.evaluate import _define
from tengen.zero.release.release import ReleaseResult
from tengen.zero.release.student import _find_start, find_obstacles, keep_games
from tengen.zero.zero_folder import ZeroFolder
from test_zero_cli import toml
from train_samples import make_data
from zero_releases import TINY, folder_of, make_run, release
from zero_runs import SIZE, config, go, make_factories

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("made") / "run").path


@pytest.fixture
def run(made: Path, tmp_path: Path) -> ZeroFolder:
    """One's own."""
    return ZeroFolder.read(shutil.copytree(made, tmp_path / "run"))


# --- what it learns from, and how long ---


def test_obstacles(run: ZeroFolder, tmp_path: Path) -> None:
    data = make_data(tmp_path / "good", size=SIZE)
    table = json.loads((data / "manifest.json").read_text("utf-8"))
    people = shutil.copytree(data, tmp_path / "people")
    (people / "manifest.json").write_text(json.dumps(table | {"ships": False}), "utf-8")
    weights = {
        name: write(tmp_path / f"{name}.pt", {"ships": name == "clean"})
        for name in ("clean", "dirty")
    }
    other = shutil.copy(BUNDLED / "mixnet-m-freestyle.net", tmp_path / "other.net")

    def why(**changes: Any) -> tuple[str, ...]:
        made = folder_of(run, **changes)
        made.path.mkdir(parents=True, exist_ok=True)
        return find_obstacles(made)

    sets = run.config.changed([f'release.data=[{{path="{data}"}}]']).release.data
    bad = run.config.changed([f'release.data=[{{path="{people}"}}]']).release.data
    assert why() == why(data=sets) == why(start=str(weights["clean"])) == ()
    assert why(data=bad) == (f"{people} is not redistributable",)
    assert why(start=str(weights["dirty"])) == (
        f"{weights['dirty']} is not known to be redistributable",
    )
    assert why(start=str(other), size="m") == (f"{other} is not known to be redistributable",)
    assert why(start="mixnet-m-freestyle", size="m") == ()
    file = BUNDLED / "mixnet-m-freestyle.net"
    assert why(start=str(file), size="m") == ()
    assert _find_start(folder_of(run, start="mixnet-m-freestyle", size="m"), "net") == file


@pytest.mark.integration
def test_a_net_file_as_start(run: ZeroFolder, tmp_path: Path) -> None:
    """Training reads it by itself, and knows as little of where it comes from."""
    file = tmp_path / "first.net"
    write_net(net_file(Mixnet(MixnetSpec("s")), (Rule.FREESTYLE,), (SIZE,)), file)
    made = replace(run.config.release, start=str(file), games=0)
    assert release(run, made).table["reason"] == f"{file} is not known to be redistributable"
    folder = folder_of(run, start=str(file), games=0).training("net")
    assert TrainFolder.read(folder).config.start == str(file)
    assert not read_weights(folder / "net.pt").redistributable


def write(path: Path, about: dict[str, Any]) -> Path:
    spec = MixnetSpec("s")
    write_weights(path, NetWeights(spec.to_dict(), Mixnet(spec).state_dict(), about))
    return path


def test_minutes_are_measured_once(run: ZeroFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[float] = []

    def measure(seconds: float, *_: Any) -> int:
        requests.append(seconds)
        return 24

    monkeypatch.setattr(student, "measure_samples", measure)
    made = replace(run.config.release, minutes=2.0)
    for _ in range(2):
        result = release(run, made, stop=lambda: True)
        assert result.stage == "training"
    assert requests == [120.0]
    plan = folder_of(run, minutes=2.0).read_plan()
    assert plan is not None
    assert plan.samples == 24


def test_the_measure(run: ZeroFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(student, "_MAX_STEPS", 2)
    cpu = torch.device("cpu")
    keep_games(folder_of(run))
    made = student.make_recipe(folder_of(run), "net", 48, cpu)
    assert student.measure_samples(1e6, made, cpu, lambda: False) > made.batch
    assert student.measure_samples(1e6, made, cpu, lambda: True) == 0


def test_the_newest_positions(run: ZeroFolder) -> None:
    """Whole shards of them; what the run drops later stays."""
    every = Dataset.open(run.replay).manifest
    last = every.shards[-1]
    assert len(every.shards) > 1
    made = folder_of(run, positions=1)
    keep_games(made)
    shutil.rmtree(run.replay)
    data = Dataset.open(made.data)
    data.verify()
    assert data.manifest.shards == (last,)
    assert len(data) == last.positions


def test_generation_0(run: ZeroFolder, capsys: pytest.CaptureFixture[str]) -> None:
    for generation in run.generations()[1:]:
        shutil.rmtree(generation.path)
    assert release(run, stop=lambda: True).stage == "training"
    assert "no candidate was accepted yet" in capsys.readouterr().err


# --- the match, and names ---


def test_the_net_plays_as_an_engine_would(run: ZeroFolder) -> None:
    net, other = _define(folder_of(run)).players
    assert net.options["search"] == "auto"
    assert other.preset == "classical"
    assert "search" not in other.options


def test_names_have_the_board_size_unless_it_is_15(run: ZeroFolder, tmp_path: Path) -> None:
    assert folder_of(run).net("net").name == f"mixnet-s-freestyle{SIZE}.net"
    go(config(size=15), tmp_path / "usual", 0)
    usual = folder_of(ZeroFolder.read(tmp_path / "usual"), size="s")
    assert usual.net("net").name == "mixnet-s-freestyle.net"
    assert usual.net("black").name == "mixnet-s-freestyle-black.net"


def match_against(run: ZeroFolder, against: str) -> str:
    """The name of the folder of a match."""
    folder = folder_of(run, against=against)
    return folder.match(_define(folder).to_dict()).name


def test_match_folders_are_named_by_players(run: ZeroFolder, tmp_path: Path) -> None:
    """Opponents that differ only in their net are distinct; the own net does not count."""
    nets = [f"alphabeta,net={tmp_path / name}.net,name=old" for name in ("a", "b")]
    names = [match_against(run, against) for against in (*nets, "alphabeta,name=old")]
    assert len(set(names)) == 3
    moved = ZeroFolder.read(shutil.copytree(run.path, tmp_path / "moved"))
    assert [match_against(moved, against) for against in nets] == names[:2]


def test_matches_of_earlier_versions_are_found(run: ZeroFolder) -> None:
    """They do not record nets; opponents without a net are equal."""
    folder = folder_of(run, against="classical")
    reported = _define(folder).to_dict()
    players = [{**one, "options": {**one["options"], "net": ""}} for one in reported["players"]]
    text = json.dumps({**reported, "players": players}, sort_keys=True)
    mark = hashlib.sha256(text.encode()).hexdigest()[:6]
    assert match_against(run, "classical") == f"match-{mark}"


# --- the command line ---


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--games", "3"], "release.games: 3"),
        (["--against", "clasical"], "neither a preset nor a program"),
        (["--set", "learn.batch=3"], "learn.batch=3"),
        (["--set", "release.shar=1"], "did you mean 'share'"),
        (["--set", "release.train.batch=100000"], "fewer than a batch of 100,000"),
        (["--set", "release.train.bach=8"], "release.train"),
        (["--set", "release.train.samples=8"], "release.samples"),
        (["--minutes", "1", "--samples", "8"], "both given"),
        (["--set", "release.openings=mine.txt"], "no openings 'mine.txt': use balanced, even"),
        (["--set", "release.openings=even"], "even openings for freestyle"),
        (["--data", "nowhere"], "nowhere is not a data set"),
        (["--data", "other"], "other has positions of freestyle 9x9"),
        (["--start", "nowhere"], "there is no file 'nowhere'"),
        (["--start", "empty"], "empty has no net.pt"),
        (["--start", "run/generations/0000"], "resnet-1b8f, not mixnet-s"),
        (["--start", "mixnet-m-freestyle"], "mixnet-m, not mixnet-s"),
        (["--out", "there.net"], "there.net exists"),
        (["--out", "net"], "use --out net.net"),
        (["--out", "no/net.net"], "there is no folder no"),
    ],
)
def test_wrong_usage(
    arguments: list[str],
    message: str,
    run: ZeroFolder,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(run.path.parent)
    make_data(Path("other"), size=9)
    Path("empty").mkdir()
    Path("there.net").write_bytes(b"mine")
    assert main(["zero", "release", "run", "--device", "cpu", *arguments]) == 1
    output = [line for line in capsys.readouterr().err.splitlines() if "teacher" not in line]
    assert len(output) == 1
    assert message in output[0]


def test_a_run_without_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    go(config(), tmp_path / "run", 0)
    assert main(["zero", "release", str(tmp_path / "run")]) == 1
    assert "has no games" in capsys.readouterr().err
    assert not (tmp_path / "run" / "release").exists()
    assert main(["zero", "release", str(tmp_path)]) == 1
    assert "has no run" in capsys.readouterr().err
    assert main(["zero", "freestyle15", "--out", str(tmp_path / "x"), "--size", "s"]) == 1
    assert "--size needs --release" in capsys.readouterr().err


class Terminal(io.StringIO):
    """The stdin of a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("command", [["release"], ["resume", "--release"]])
def test_programs_of_a_foreign_run_need_confirmation(
    command: list[str],
    run: ZeroFolder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    started: list[object] = []

    def take(*args: Any, **_: Any) -> ReleaseResult:
        started.append(args)
        return ReleaseResult(run.path, "done", {"released": False, "summary": ""})

    monkeypatch.setattr(releasing, "make_release", take)
    monkeypatch.setattr(releasing, "check_release", lambda *_: started.append("checked"))
    monkeypatch.setattr(loop, "run_zero", lambda *_, **__: None)
    run = run.resumed_with(run.config.changed(["release.against=cmd:touch /tmp/evil"]))
    assert run.started_here
    pack(run.path, tmp_path / "run.tar")
    foreign = unpack(tmp_path / "run.tar", tmp_path / "foreign")
    assert not foreign.started_here
    assert not ZeroFolder.read(foreign.path).started_here
    of_another = ZeroFolder.read(run.path)
    of_another.started_by = "someone@elsewhere"
    of_another.save()
    of_another.resumed_with(of_another.config)
    assert ZeroFolder.read(run.path).started_by == "someone@elsewhere"
    run.save()
    assert ZeroFolder.read(run.path).started_here

    def call(path: Path, *more: str) -> int:
        return main(["zero", command[0], str(path), *command[1:], "--device", "cpu", *more])

    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert call(foreign.path) == 1  # no terminal
    message = capsys.readouterr().err
    assert "touch /tmp/evil" in message
    assert "--yes" in message
    for answer in ("n\n", ""):
        monkeypatch.setattr(sys, "stdin", Terminal(answer))
        assert call(foreign.path) == 1
    assert not started
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    assert call(foreign.path) == 0
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    allowed: tuple[tuple[Path, list[str]], ...] = (
        (foreign.path, ["--yes"]),
        (foreign.path, ["--against", "classical"]),
        (run.path, []),
    )
    for path, more in allowed:
        before = len(started)
        assert call(path, *more) == 0
        assert len(started) > before


def test_a_signal(
    run: ZeroFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Asked(StopSignal):
        def __call__(self) -> bool:
            return True

    monkeypatch.setattr(zero_run, "StopSignal", Asked)
    args = ["zero", "release", str(run.path), "--device", "cpu", "--samples", "24"]
    assert main(args) == 0
    output = capsys.readouterr()
    assert not output.out
    assert "stopped during stage training" in output.err


@pytest.mark.parametrize("word", ["begin", "resume"])
def test_release_directly_after_the_plan(
    word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--release`: the run, then its net, by the run's own table and what the command line adds."""
    seen: list[Any] = []

    def take(run: ZeroFolder, made: Any, **_: Any) -> ReleaseResult:
        seen.append((run.path, made.size, made.samples))
        return ReleaseResult(run.path, "done", {"released": True, "summary": "released"})

    monkeypatch.setattr(loop, "RunFactories", make_factories)
    monkeypatch.setattr(releasing, "make_release", take)
    path, file = tmp_path / "run", toml(tmp_path / "a.toml", minutes=0.001, release=TINY)
    args = ["zero", str(file), "--out", str(path)]
    if word == "resume":
        go(config(release=TINY), path, 2)
        args = ["zero", "resume", str(path), "--set", "minutes=0.001"]
    assert main([*args, "--device", "cpu", "--release", "--size", "l"]) == 0
    assert seen == [(path, "l", 48)]
    assert capsys.readouterr().out.endswith("released\n")
    monkeypatch.setattr(loop, "run_zero", None)  # its plan is done
    args = ["zero", "resume", str(path), "--device", "cpu", "--release", "--json"]
    assert main(args) == 0
    assert json.loads(capsys.readouterr().out)["release"]["released"] is True
    assert seen[1:] == [(path, "l", 48)]  # what was said is kept with the run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "release.train.foo=1"], "release.train"),
        (["--set", "release.train.batch=0"], "release.train.batch: "),
        (["--set", "release.start=nope"], "there is no file 'nope'"),
        (["--set", "release.against=nope"], "neither a preset nor a program"),
        (["--set", "release.openings=mine.txt"], "no openings 'mine.txt'"),
        (["--set", "release.openings=even"], "even openings for freestyle"),
        (["--data", "nowhere"], "nowhere is not a data set"),
        (["--data", "other"], "other has positions of freestyle 9x9"),
        (["--start", "empty"], "empty has no net.pt"),
        (["--start", "mixnet-m-freestyle"], "mixnet-m, not mixnet-s"),
    ],
)
def test_obstacles_to_a_release_are_reported_before_the_run(
    arguments: list[str],
    message: str,
    run: ZeroFolder,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And nothing is kept of it."""
    monkeypatch.setattr(loop, "run_zero", None)
    monkeypatch.chdir(run.path.parent)
    make_data(Path("other"), size=9)
    Path("empty").mkdir()
    head = (run.path / "run.json").read_bytes()
    toml(Path("a.toml"), release=TINY)
    done = shutil.copytree("run", Path("done"))
    with (done / "journal.jsonl").open("a") as event_log:
        seconds = 60 * run.config.minutes
        event_log.write(json.dumps({"event": "done", "seconds": seconds, "generation": 0}) + "\n")
    assert ZeroFolder.read(done).is_done
    for given in (["a.toml", "--out", "new"], ["resume", "run"], ["resume", "done"]):
        assert main(["zero", *given, "--device", "cpu", "--release", *arguments]) == 1
        output = capsys.readouterr().err
        assert message in output
        assert output.count("\n") == 1
    assert not Path("new").exists()
    assert (run.path / "run.json").read_bytes() == (done / "run.json").read_bytes() == head


def test_an_unfinished_plan_is_not_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(loop, "RunFactories", make_factories)
    monkeypatch.setattr(releasing, "make_release", None)
    go(config(release=TINY), tmp_path / "run", 2)
    args = ["zero", "resume", str(tmp_path / "run"), "--device", "cpu", "--release"]
    assert main([*args, "--minutes", "0.0001"]) == 0
    assert f"`tengen zero resume {tmp_path / 'run'} --release`" in capsys.readouterr().err


def test_keys() -> None:
    """They may change on the way, and old runs have the defaults."""
    made = ZeroConfig.from_dict({})
    changed = made.changed(["release.size=s", "release.train.batch=8"])
    assert made.differences(changed, RESUMABLE_KEYS) == []
    table = made.to_dict()
    del table["release"]
    assert ZeroConfig.from_dict(table) == made
