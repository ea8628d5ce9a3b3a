# SPDX-License-Identifier: MIT
"""Steps of experiments: keys, the store, running, packing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from experiment_fakes import Add, Fails, FailsOnce, ReadsFile, Stops, Trains, WithFile
from tengen.experiments import pack
from tengen.experiments.errors import StepFailed
from tengen.experiments.experiment import DataSource, EngineSource, Setup
from tengen.experiments.folder import ExperimentFolder
from tengen.experiments.runner import JOURNAL, RunOptions, RunSummary, missing_steps, run_steps
from tengen.experiments.step import ResultValue, Step, in_order
from tengen.experiments.steps.data import GivenData, MadeGames
from tengen.experiments.steps.nets import TrainStep
from tengen.experiments.store import RESULT, StepStore
from tengen.util.errors import BadPack, BadRun, FolderLocked
from tengen.util.event_log import EventLog
from tengen.util.files import locked
from tengen.util.packing import PackWriter

OPTIONS = RunOptions("cpu")


def run(path: Path, *targets: Step, stop: Callable[[], bool] = lambda: False) -> RunSummary:
    return run_steps(path, targets, OPTIONS, stop)


def events(path: Path) -> list[tuple[str, str]]:
    rows = map(json.loads, (path / JOURNAL).read_text().splitlines())
    return [(row["event"], row["title"]) for row in rows]


def test_keys_are_those_of_what_determines_the_result() -> None:
    assert Add(1).key == Add(1).key
    assert len({Add(1).key, Add(2).key, WithFile(1).key, Add(1, (Add(1),)).key}) == 4
    assert Add(3, (Add(1), Add(2))).key != Add(3, (Add(2), Add(1))).key
    here, there = (
        GivenData("renju", 15, digest="abc", path=Path(name)) for name in ("here", "there")
    )
    assert here.key == there.key
    assert here == there
    assert here.key != GivenData("renju", 15, digest="abd").key
    assert here.key != GivenData("renju", 15, digest="abc", skip=6).key


def test_a_training_depends_on_its_data_and_its_config() -> None:
    data, other = MadeGames("renju", 15), MadeGames("renju", 15, seed=2)
    net = {"kind": "resnet", "blocks": 0, "filters": 8}
    keys = {
        TrainStep(net, data, {"batch": 8}, samples=80).key,
        TrainStep(net, other, {"batch": 8}, samples=80).key,
        TrainStep(net, data, {"batch": 9}, samples=80).key,
        TrainStep(net, data, {"batch": 8}, samples=88).key,
        TrainStep(net, data, {"batch": 8}, samples=80, seed=2).key,
        TrainStep({**net, "blocks": 1}, data, {"batch": 8}, samples=80).key,
    }
    assert len(keys) == 6


def test_a_label_does_not_make_another_training() -> None:
    data = MadeGames("renju", 15)
    one, two = (
        TrainStep("resnet-4b64f", data, {"batch": 8}, samples=80, label=label)
        for label in ("PolyNet", "both")
    )
    assert one.key == two.key
    assert one.title != two.title


def test_values_that_cannot_be_hashed_are_errors() -> None:
    with pytest.raises(TypeError, match="object"):
        _ = Add(object()).key  # type: ignore[arg-type]


def test_inputs_come_first_and_once() -> None:
    shared = Add(1)
    left, right = Add(2, (shared,)), Add(3, (shared,))
    top = Add(4, (left, right))
    assert in_order([top, left]) == [shared, left, right, top]
    assert Add(5, (ResultValue(left, "sum"),)).inputs == (left,)  # type: ignore[arg-type]


def test_steps_are_run_once_and_shared(tmp_path: Path) -> None:
    shared = Add(1)
    top = Add(4, (Add(2, (shared,)), Add(3, (shared,))))
    first = run(tmp_path, top)
    assert first.is_complete
    assert len(first.done) == 4
    assert first.cached == 0
    content = StepStore(tmp_path).read(top)
    assert content is not None
    assert content["result"] == {"sum": 11}
    assert content["step"]["kind"] == "add"
    assert content["machine"]
    assert content["seconds"] >= 0
    again = run(tmp_path, top, Add(10, (shared,)))
    assert [step.title for step in again.done] == ["add 10"]
    assert again.cached == 4
    started = [title for event, title in events(tmp_path) if event == "start"]
    assert sorted(started) == ["add 1", "add 10", "add 2", "add 3", "add 4"]


def test_a_failed_step_leaves_only_what_needs_it(tmp_path: Path) -> None:
    bad = Fails(1)
    summary = run(tmp_path, Add(2, (bad,)), Add(3))
    assert list(summary.failed.values()) == ["it lacks a device"]
    assert [step.title for step in summary.pending] == ["add 2"]
    assert [step.title for step in summary.done] == ["add 3"]
    assert not summary.is_complete
    assert ("failed", "add 1") in events(tmp_path)


def test_a_stopped_step_continues(tmp_path: Path) -> None:
    step = Stops(3)
    assert run(tmp_path, step).pending == [step]
    assert run(tmp_path, step).pending == [step]
    assert run(tmp_path, step).done == [step]
    assert [event for event, _ in events(tmp_path)] == ["start", "stopped"] * 2 + ["start", "done"]


def test_seconds_of_stopped_sessions_count(tmp_path: Path) -> None:
    step = Stops(3)
    run(tmp_path, step)
    with EventLog(tmp_path / JOURNAL) as journal:  # a session of 100 s, and one of another step
        journal.append({"event": "stopped", "step": step.key, "seconds": 100.0})
        journal.append({"event": "stopped", "step": "other", "seconds": 1000.0})
    run(tmp_path, step)
    run(tmp_path, step)
    content = StepStore(tmp_path).read(step)
    assert content is not None
    assert 100.0 <= content["seconds"] < 200.0


def test_seconds_of_sessions_before_a_step_was_done_do_not_count(tmp_path: Path) -> None:
    step = Stops(1)
    with EventLog(tmp_path / JOURNAL) as journal:
        journal.append({"event": "stopped", "step": step.key, "seconds": 100.0})
        journal.append({"event": "done", "step": step.key, "seconds": 101.0})
    run(tmp_path, step)
    content = StepStore(tmp_path).read(step)
    assert content is not None
    assert content["seconds"] < 100.0


def test_why_a_step_failed_is_stored_until_it_is_done(tmp_path: Path) -> None:
    store, bad, later = StepStore(tmp_path), Fails(1), FailsOnce(2)
    assert store.failure(bad) is None
    run(tmp_path, bad, later)
    assert store.failure(bad) == "it lacks a device"
    assert store.failure(later) == "by zero"
    stored = json.loads((store.folder(bad) / "failed.json").read_text())
    assert stored == {"format": 1, "title": "add 1", "error": "it lacks a device"}
    assert "ZeroDivisionError" in (store.folder(later) / "error.txt").read_text()
    run(tmp_path, bad, later)
    assert store.failure(bad) == "it lacks a device"
    assert store.failure(later) is None
    assert sorted(path.name for path in store.folder(later).iterdir()) == [RESULT, "tried.txt"]


def test_what_was_made_of_a_net_is_made_again_with_another(tmp_path: Path) -> None:
    store, net = StepStore(tmp_path), Trains(1)
    first, second = Add(2, (net,)), ReadsFile(3, (net,))
    top = Add(4, (first,))  # by way of another step
    run(tmp_path, first, top)
    assert not (store.folder(net) / "resume.txt").exists()
    assert missing_steps(store, [top, first]) == []
    (store.folder(net) / "text.txt").unlink()
    assert missing_steps(store, [top, first]) == []  # their results are of the net that was
    summary = run(tmp_path, top, second)
    assert summary.done == [net, second, first, top]
    assert summary.cached == 0
    assert run(tmp_path, top, second).cached == 4


def test_half_of_a_step_with_another_net_is_dropped(tmp_path: Path) -> None:
    store, net = StepStore(tmp_path), Trains(1)
    step = Stops(2, (net,))
    assert run(tmp_path, step).pending == [step]
    (store.folder(net) / "text.txt").unlink()
    assert run(tmp_path, step).pending == [step]
    assert run(tmp_path, step).done == [step]


def test_changed_files_are_made_again(tmp_path: Path) -> None:
    source = WithFile(5)
    run(tmp_path, source)
    (StepStore(tmp_path).folder(source) / "text.txt").write_text("6")
    reader = ReadsFile(1, (source,))
    assert run(tmp_path, reader).done == [source, reader]
    content = StepStore(tmp_path).read(reader)
    assert content is not None
    assert content["result"] == {"sum": 6}


def test_nothing_starts_after_a_stop(tmp_path: Path) -> None:
    summary = run(tmp_path, Add(1), Add(2), stop=lambda: True)
    assert len(summary.pending) == 2
    assert not summary.done
    assert events(tmp_path) == []


def test_an_input_without_its_files_is_done_again(tmp_path: Path) -> None:
    source = WithFile(5)
    run(tmp_path, source)
    store = StepStore(tmp_path)
    (store.folder(source) / "text.txt").unlink()
    assert missing_steps(store, [source]) == []  # its result is enough
    reader = ReadsFile(1, (source,))
    assert missing_steps(store, [reader]) == [source, reader]
    assert run(tmp_path, reader).is_complete
    content = store.read(reader)
    assert content is not None
    assert content["result"] == {"sum": 6}


def test_a_kill_between_result_and_rename_leaves_the_step_to_do(tmp_path: Path) -> None:
    step = Add(1)
    folder = StepStore(tmp_path).folder(step)
    folder.mkdir(parents=True)
    (folder / f".tengen-0-{RESULT}.tmp").write_text('{"format": 1')
    assert run(tmp_path, step).done == [step]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 2}', '{"format": 1, "result": 3}'])
def test_damaged_results_are_errors(tmp_path: Path, text: str) -> None:
    step = Add(1)
    run(tmp_path, step)
    store = StepStore(tmp_path)
    (store.folder(step) / RESULT).write_text(text)
    with pytest.raises(BadRun, match=RESULT):
        store.read(step)


def test_results_of_other_steps_are_errors(tmp_path: Path) -> None:
    run(tmp_path, Add(1), Add(2))
    store = StepStore(tmp_path)
    text = (store.folder(Add(1)) / RESULT).read_text()
    (store.folder(Add(2)) / RESULT).write_text(text)
    with pytest.raises(BadRun):
        store.read(Add(2))


def test_one_run_at_a_time(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(FolderLocked):
        run(tmp_path, Add(1))


# --- packing ---


def folder_with(path: Path, *steps: Step) -> Path:
    ExperimentFolder.open(path, Setup("tiny"), ["go-params"])
    run(path, *steps)
    return path


def test_packed_results_are_done_elsewhere(tmp_path: Path) -> None:
    steps = [Add(1), Add(2, (Add(1),))]
    source, file = folder_with(tmp_path / "a", *steps), tmp_path / "half.tar"
    assert pack.pack_results(source, file).steps == 2
    target = tmp_path / "b"
    assert pack.unpack_results(file, target) == (2, 0)
    assert pack.unpack_results(file, target) == (0, 2)
    assert ExperimentFolder.read(target).names == ["go-params"]
    assert run(target, *steps).cached == 2


def test_trainings_are_found_where_their_data_are_not(tmp_path: Path) -> None:
    games = tmp_path / "games.txt"
    games.write_text("B h8 h9 i8 i9 j8 j9 k8 k9 l8\n")
    setup = Setup("tiny", {"renju": DataSource.of(games)})
    here = ExperimentFolder.open(tmp_path / "a", setup, ["renju-nets"])
    pack.pack_results(here.path, tmp_path / "half.tar")
    pack.unpack_results(tmp_path / "half.tar", tmp_path / "b")
    there = ExperimentFolder.read(tmp_path / "b")
    assert there.plan("renju-nets") == here.plan("renju-nets")
    assert there.plan("renju-nets") != ExperimentFolder(tmp_path, Setup("tiny")).plan("renju-nets")
    data = next(step for step in in_order(there.plan("renju-nets").values()) if step.KIND == "data")
    assert list(run(there.path, data).failed) == [data]
    games.write_text("W h8 h9 i8 i9 j8 j9 k8 k9 l8\n")
    changed = Setup("tiny", {"renju": DataSource.of(games)})
    assert ExperimentFolder(tmp_path, changed).plan("renju-nets") != here.plan("renju-nets")


def test_data_and_experiments_are_added(tmp_path: Path) -> None:
    given, other = DataSource("1" * 64), DataSource("2" * 64)
    file, target = tmp_path / "half.tar", tmp_path / "b"
    data = {"renju": given, "selfplay": given}
    pack.pack_results(
        ExperimentFolder.open(tmp_path / "a", Setup("tiny", data), ["renju-nets"]).path, file
    )
    ExperimentFolder.open(target, Setup("tiny", {"renju": other}), ["go-params"])
    pack.unpack_results(file, target)
    found = ExperimentFolder.read(target)
    assert found.names == ["go-params", "renju-nets"]
    assert found.setup.data == {"renju": other, "selfplay": given}


def test_results_are_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "half.tar"
    pack.pack_results(folder_with(tmp_path / "a", Add(1)), file)
    target = folder_with(tmp_path / "b", Add(1))
    result = StepStore(target).folder(Add(1)) / RESULT
    before = result.read_bytes()
    assert pack.unpack_results(file, target) == (0, 1)
    assert result.read_bytes() == before


def test_a_started_step_gets_the_result(tmp_path: Path) -> None:
    file, target = tmp_path / "half.tar", tmp_path / "b"
    pack.pack_results(folder_with(tmp_path / "a", Add(1)), file)
    StepStore(target).folder(Add(1)).mkdir(parents=True)
    assert pack.unpack_results(file, target) == (1, 0)
    assert StepStore(target).is_done(Add(1))


def test_nets_of_two_trainings_are_not_mixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pack, "_NETS", ("text.txt",))
    net = Trains(1)
    match, other = ReadsFile(2, (net,)), ReadsFile(3, (net,))
    here, there = folder_with(tmp_path / "a", match), folder_with(tmp_path / "b", other)
    file = tmp_path / "half.tar"
    pack.pack_results(there, file, nets=True)
    text = StepStore(here).folder(net) / "text.txt"
    before = text.read_text()
    assert pack.unpack_results(file, here) == (1, 1)
    assert text.read_text() == before
    assert missing_steps(StepStore(here), [match, other]) == [other]
    text.write_text("half of a later training")
    assert pack.pack_results(here, tmp_path / "here.tar", nets=True).steps == 3
    assert pack.unpack_results(tmp_path / "here.tar", tmp_path / "c") == (3, 0)
    assert not StepStore(tmp_path / "c").has_files(net)
    assert pack.unpack_results(file, tmp_path / "d") == (2, 0)
    assert StepStore(tmp_path / "d").has_files(net)
    text.unlink()
    assert pack.unpack_results(file, here) == (0, 2)
    assert not text.exists()


def test_steps_that_are_being_unpacked_are_not_packed(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "a", Add(1))
    done = StepStore(folder).folder(Add(1))
    shutil.copytree(done, done.with_name(f".{done.name}.part"))
    assert pack.pack_results(folder, tmp_path / "half.tar").steps == 1


def test_engines_of_a_packed_file_are_known_but_never_started(tmp_path: Path) -> None:
    program = tmp_path / "bot"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    setup = Setup("tiny", engines=(EngineSource.of(f"cmd:{program}"),))
    here = ExperimentFolder.open(tmp_path / "a", setup, ["renju-search"])
    pack.pack_results(here.path, tmp_path / "half.tar")
    pack.unpack_results(tmp_path / "half.tar", tmp_path / "b")
    there = ExperimentFolder.read(tmp_path / "b")
    assert there.plan("renju-search") == here.plan("renju-search")
    step = there.plan("renju-search")["Table 3, 4"]
    with pytest.raises(StepFailed, match="--engine"):
        step.run(None)  # type: ignore[arg-type]


HEAD: dict[str, Any] = {"format": 1, "scale": "tiny", "experiments": ["go-params"]}


def packed(path: Path, members: dict[str, bytes], head: dict[str, Any] | None = None) -> Path:
    with path.open("wb") as file:
        writer = PackWriter(file)
        for name, data in members.items():
            writer.add(name, data)
        writer.finish({**HEAD, "data": {}} if head is None else head)
    return path


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[1]",
        b'{"key": "0123456789abcdee", "result": {}}',
        # Of a step with another key.
        b'{"format": 1, "key": "0123456789abcdef", "step": {"kind": "add"}, "result": {}}',
    ],
)
def test_results_that_do_not_fit_their_step_are_rejected(tmp_path: Path, content: bytes) -> None:
    name = f"steps/add-0123456789abcdef/{RESULT}"
    with pytest.raises(BadPack):
        pack.unpack_results(packed(tmp_path / "x.tar", {name: content}), tmp_path / "b")
    assert not list((tmp_path / "b").glob("steps/*/*"))


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "/tmp/evil",
        "steps/../../evil",
        "steps/add-0123456789abcdef/../../../evil",
        "steps/add-0123456789abcdef/evil.py",
    ],
)
def test_other_members_are_ignored(tmp_path: Path, name: str) -> None:
    file = packed(tmp_path / "x.tar", {name: b"evil"})
    assert pack.unpack_results(file, tmp_path / "in" / "b") == (0, 0)
    assert not list(tmp_path.rglob("evil*"))


@pytest.mark.parametrize(
    "head",
    [
        {"format": 2, "scale": "tiny", "experiments": []},
        {"format": 1, "scale": "huge", "experiments": []},
        {"format": 1, "scale": "small", "experiments": [], "data": {}},  # of another scale
        {"format": 1},
        HEAD,
        {**HEAD, "data": ["renju"]},
        {**HEAD, "data": {"renju": "../../secret"}},
        {**HEAD, "data": {}, "experiments": "go-params"},
        {**HEAD, "data": {}, "experiments": ["go-params", "go-chess"]},
        {**HEAD, "data": {}, "experiments": [["go-params"]]},
        {**HEAD, "data": {}, "engines": "cmd:bot"},
        {**HEAD, "data": {}, "engines": [{"command": "cmd:bot", "checksums": ["x"]}]},
        {**HEAD, "data": {}, "experiments": ["renju-search"], "engines": [
            {"command": "classical,levle=3", "checksums": []}
        ]},
    ],
)  # fmt: skip
def test_other_heads_are_rejected(tmp_path: Path, head: dict[str, Any]) -> None:
    target = folder_with(tmp_path / "b")
    file = packed(tmp_path / "x.tar", {}, head)
    with pytest.raises(BadPack):
        pack.unpack_results(file, target)
    if head.get("scale") != "small":
        with pytest.raises(BadPack):
            pack.unpack_results(file, tmp_path / "new")
        assert not (tmp_path / "new").exists()


def test_results_of_another_shape_are_errors_of_the_folder(tmp_path: Path) -> None:
    folder = ExperimentFolder.open(tmp_path, Setup("tiny"), ["renju-search"])
    step = folder.plan("renju-search")["Table 2"]
    folder.store.start(step)
    folder.store.write(step, {"meetings": [["MCTS", "PVS"]]}, 1.0, "")
    with pytest.raises(BadRun, match="renju-search"):
        folder.write_reports()


@pytest.mark.parametrize("cut", [0, 100, 1000, 2000])
def test_truncated_files_are_rejected(tmp_path: Path, cut: int) -> None:
    file = tmp_path / "half.tar"
    pack.pack_results(folder_with(tmp_path / "a", Add(1)), file)
    file.write_bytes(file.read_bytes()[:cut])
    with pytest.raises(BadPack):
        pack.unpack_results(file, tmp_path / "b")
