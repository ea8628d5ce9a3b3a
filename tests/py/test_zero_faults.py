# SPDX-License-Identifier: MIT
"""Failures during zero learning: kills of the loop and of workers, workers that return garbage, a
full disk, damaged checkpoints and manifests. No shard is damaged, no game is counted twice, and the
run resumes or reports the remedy.
"""

from __future__ import annotations

import errno
import multiprocessing
import os
import random
import signal
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from tengen.cluster import Cluster, Failure, LocalCluster, TaskOutcome
from tengen.data import Dataset, Manifest
from tengen.data.errors import BadData
from tengen.train.checkpoint import checkpoints
from tengen.util.errors import BadRun
from tengen.zero.errors import BadZero, SelfPlayFailed
from tengen.zero.loop import run_zero
from tengen.zero.play.workers import SelfPlayTask, TaskResult, play_task
from tengen.zero.zero_folder import ZeroFolder
from zero_runs import AT_ONCE, SIZE, check_folder, config, events, go, make_factories, run_child

pytestmark = pytest.mark.usefixtures("one_thread")


class Threads(Cluster):
    """Workers that are none: they do a task when it is their turn, in the thread that asks. Tells
    them apart by name, so that what is done about single ones can be seen without processes.
    """

    def __init__(self, count: int, timeout: float = 0.0) -> None:
        self._names = [f"worker {n}" for n in range(count)]

    @property
    def workers(self) -> int:
        return len(self._names)

    def run(
        self, work: Any, tasks: Iterable[Any], stop: Callable[[], bool] = lambda: False
    ) -> Iterator[TaskOutcome[Any, Any] | None]:
        waiting = iter(tasks)
        while self._names and not stop():
            for name in list(self._names):
                try:
                    task = next(waiting)
                except StopIteration:
                    return
                if task is None:  # not now
                    sleep(0.001)
                    yield None
                    continue
                yield TaskOutcome(task, work.__globals__["_tests_work"](task, name), name)

    def dismiss(self, worker: str) -> None:
        self._names.remove(worker)

    def close(self) -> None:
        pass


# --- kills ---


def killed(times: int, table: dict[str, Any], path: Path, victim: str) -> None:
    """Resume a run in a process and kill it, or its workers, this many times."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tengen.zero.loop"])
    chance = random.Random(5)
    for number in range(times):
        factory = "zero_fakes:make_generator"
        process = context.Process(target=run_child, args=(table, str(path), factory))
        process.start()
        try:
            before = _lines(path)
            _wait_for(lambda before=before: _lines(path) > before + 2, process)  # type: ignore[misc]
            sleep(chance.random() * 0.3)
            if victim == "worker":
                _wait_for(lambda p=process.pid: bool(_children(p)), process)  # type: ignore[misc]
                os.kill(chance.choice(_children(process.pid)), signal.SIGKILL)
                gone = _lines(path)
                _wait_for(lambda gone=gone: _lines(path) > gone + 3, process)  # type: ignore[misc]
        finally:
            process.kill()
            process.join()
        check_folder(path)
        assert _lines(path) > number


def _lines(path: Path) -> int:
    event_log = path / "journal.jsonl"
    return event_log.read_bytes().count(b"\n") if event_log.exists() else 0


def _wait_for(holds: Callable[[], bool], process: Any) -> None:
    end = monotonic() + 120
    while not holds():
        assert process.is_alive(), "the run ended by itself"
        assert monotonic() < end, "the run does not get on"
        sleep(0.01)


def _children(parent: int | None) -> list[int]:
    """The self-play workers of a process, without the helper of multiprocessing."""
    every = []
    for task in Path(f"/proc/{parent}/task").iterdir():
        text = (task / "children").read_text("utf-8")
        every += [int(word) for word in text.split()]
    return [p for p in every if b"spawn_main" in Path(f"/proc/{p}/cmdline").read_bytes()]


OFTEN = {"run": {"log": 0.0, "checkpoint": 0.05, "tensorboard": False}}


@pytest.mark.integration
@pytest.mark.parametrize("times", [3, pytest.param(10, marks=pytest.mark.slow)])
def test_kills_of_the_loop(times: int, tmp_path: Path) -> None:
    made = config(gate={"minutes": 0.005, "games": 2, "score": 0.0, "playouts": 1}, **OFTEN)
    killed(times, made.to_dict(), tmp_path / "run", "loop")
    before = check_folder(tmp_path / "run")
    result = go(None, tmp_path / "run", 12, resume=True)
    after = check_folder(tmp_path / "run")
    assert after["games"] > before["games"]
    assert after["tasks"] == result.counts["tasks"] > before["tasks"]
    sessions = [r for r in ZeroFolder.read(tmp_path / "run").events() if "tasks" in r]
    assert len(sessions) == times + 1
    assert not list((tmp_path / "run").rglob("*.part"))


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds workers by /proc")
@pytest.mark.parametrize("victim", ["loop", "worker"])
def test_kills_with_workers(victim: str, tmp_path: Path) -> None:
    gate = {"minutes": 0.005, "games": 2, "score": 0.0, "playouts": 1}  # beside learning
    made = config(play={"workers": 2, "rows": 60}, gate=gate, **OFTEN)
    killed(10, made.to_dict(), tmp_path / "run", victim)
    before = check_folder(tmp_path / "run")
    go(None, tmp_path / "run", 200, resume=True)
    assert check_folder(tmp_path / "run")["games"] >= before["games"]


@pytest.mark.integration
def test_a_worker_that_dies(tmp_path: Path) -> None:
    """A real process: it is named and replaced, and its games were not counted."""
    path = tmp_path / "run"

    def enough() -> bool:
        return len(events(path, "play")) >= 3

    made = config(play={"workers": 1}, selfplay={"mark": str(tmp_path / "mark")})
    use = make_factories("zero_fakes:make_dying")
    run_zero(made, path, device="cpu", stop=enough, factories=use)
    assert check_folder(path)["tasks"] >= 3
    (rejected,) = events(path, "rejected")
    assert rejected["worker"] == "worker 0"
    assert rejected["error"].startswith("crash: ")
    assert "3" in rejected["error"], "its exit code"


# --- garbage ---


def _work(bad: dict[str, Any]) -> Callable[[Any, str], Any]:
    """Behaviour of workers by name, in turn: valid results, garbage, failures, deaths."""
    from tengen.zero.play.workers import TaskResult
    from zero_fakes import GARBAGE, RandomGames

    turns: dict[str, int] = {}

    def work(task: Any, name: str) -> Any:
        turn = turns[name] = turns.get(name, -1) + 1
        kinds = bad.get(name, ["good"])
        kind = kinds[min(turn, len(kinds) - 1)]
        if kind in ("crash", "error"):
            return Failure(kind, f"{kind} of a test")
        games = RandomGames({**task.settings, "seed": task.seed}).play(task.positions)
        return TaskResult(task.name, games if kind == "good" else GARBAGE[kind](games))

    return work


def with_work(monkeypatch: pytest.MonkeyPatch, **bad: Any) -> dict[str, Any]:
    named = {name.replace("_", " "): kinds for name, kinds in bad.items()}
    monkeypatch.setattr("tengen.zero.play.workers._tests_work", _work(named), raising=False)
    return {"cluster_factory": Threads}


def test_a_worker_that_returns_garbage_is_dismissed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = with_work(monkeypatch, worker_1=["game twice"])
    path = tmp_path / "run"
    go(config(play={"workers": 3}), path, 40, **changes)
    check_folder(path)
    rows = ZeroFolder.read(path).events()
    rejected = [row for row in rows if row["event"] == "rejected"]
    assert [row["worker"] for row in rejected] == ["worker 1", "worker 1"]
    assert "not contiguous" in rejected[0]["error"]
    assert [row["dismissed"] for row in rejected] == [False, True]
    played = {row["worker"] for row in rows if row["event"] == "play"}
    assert played == {"worker 0", "worker 2"}


def test_a_single_failure_is_tolerated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changes = with_work(monkeypatch, worker_0=["no number", "good", "wins", "good"])
    path = tmp_path / "run"
    go(config(play={"workers": 1}), path, 40, **changes)
    rows = ZeroFolder.read(path).events()
    assert sum(row["event"] == "rejected" for row in rows) == 2
    assert check_folder(path)["tasks"] >= 2


def test_garbage_from_all_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changes = with_work(monkeypatch, worker_0=["huge"], worker_1=["error"])
    with pytest.raises(SelfPlayFailed, match=r"the last worker, worker \d, are invalid"):
        go(config(play={"workers": 2}), tmp_path / "run", 10**6, **changes)
    assert check_folder(tmp_path / "run") == {}


def test_repeated_crashes_stop_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changes = with_work(monkeypatch, worker_0=["good", "good", "crash"])
    with pytest.raises(SelfPlayFailed, match=r"5 workers died in a row \(crash"):
        go(config(play={"workers": 1}), tmp_path / "run", 10**6, **changes)
    changes = with_work(monkeypatch)
    assert check_folder(tmp_path / "run")["tasks"] == 2
    assert go(None, tmp_path / "run", 20, resume=True, **changes).counts["tasks"] >= 2


def test_a_thread_plays_beside(tmp_path: Path) -> None:
    path = tmp_path / "run"

    def enough() -> bool:
        return bool(events(path, "learn"))

    run_zero(
        config(play={"thread": True}), path, device="cpu", stop=enough, factories=make_factories()
    )
    assert check_folder(path)["tasks"] >= 2
    made = config(play={"thread": True}, selfplay={"kind": "side"})
    with pytest.raises(SelfPlayFailed, match="a thread of this process, are invalid"):
        go(made, tmp_path / "bad", 10**6, game_generator_factory="zero_fakes:make_garbage")


def test_rows_of_another_width(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first games decide how many moves a policy has."""
    changes = with_work(monkeypatch, worker_0=["good"], worker_1=["other policy"])
    path = tmp_path / "run"
    go(config(play={"workers": 2}), path, 40, **changes)
    rows = ZeroFolder.read(path).events()
    assert {row["worker"] for row in rows if row["event"] == "rejected"} == {"worker 1"}
    check_folder(path)


def test_other_columns_than_those_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They count as garbage: a worker that keeps returning them is dismissed."""
    changes = with_work(monkeypatch, worker_0=["good"], worker_1=["no source"])
    path, end = tmp_path / "run", monotonic() + 60

    def is_dismissed() -> bool:
        return any(row["dismissed"] for row in events(path, "rejected"))

    run_zero(
        config(play={"workers": 2}),
        path,
        device="cpu",
        stop=lambda: is_dismissed() or monotonic() > end,
        factories=make_factories(**changes),
    )
    assert is_dismissed()
    rows = ZeroFolder.read(path).events()
    rejected = [row for row in rows if row["event"] == "rejected"]
    assert {row["worker"] for row in rejected} == {"worker 1"}
    # Columns that differ from the stored rows are rejected.
    assert all("missing ['source']" in row["error"] for row in rejected[-2:])
    check_folder(path)


@pytest.mark.integration
def test_a_long_task_is_no_hang() -> None:
    """A worker shows that it lives while it plays."""
    settings = {"rule": "freestyle", "size": SIZE, "seconds": 5.0}
    task = SelfPlayTask("t.1", 40, 1, 0, (), settings, "zero_fakes:make_slow", "cpu")
    with LocalCluster(1, 2.0) as cluster:
        (actual,) = [done for done in cluster.run(play_task, [task]) if done is not None]
    assert isinstance(actual.result, TaskResult), actual.result


# --- disks ---


@pytest.mark.integration
@pytest.mark.parametrize("at", [1, 3, 9, 12, 30, 50])
def test_a_full_disk(at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full at some moment: the run ends with a message, and can be resumed."""
    path = tmp_path / "run"
    made = config(gate={"minutes": AT_ONCE}, run={"checkpoint": 0.0})
    real, left = os.fsync, [at]

    def fsync(file: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(file)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        with pytest.raises(OSError, match="No space left on device"):
            go(made, path, 10**6)
    before = check_folder(path) if ZeroFolder.has_run(path) else {}
    result = go(made, path, 6, resume=True)
    after = check_folder(path)
    assert after.get("tasks", 0) >= before.get("tasks", 0)
    assert result.generation == ZeroFolder.read(path).generations()[-1].number


# --- damage ---


@pytest.fixture
def run(tmp_path: Path) -> Path:
    go(config(run={"checkpoint": 0.0, "keep": 3}), tmp_path / "run", 12)
    return tmp_path / "run"


def test_a_damaged_checkpoint(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    newest, before, *_ = checkpoints(run / "checkpoints")
    newest.write_bytes(newest.read_bytes()[:-100])
    result = go(None, run, 0, resume=True)
    assert f"step-{result.step:09}" in before.name
    assert ".checkpoint" in capsys.readouterr().err


def test_no_checkpoint_at_all(run: Path) -> None:
    """The run resumes from the newest generation."""
    for path in checkpoints(run / "checkpoints"):
        path.write_bytes(b"rubbish")
    counts = check_folder(run)
    result = go(None, run, 6, resume=True)
    assert result.counts["games"] >= counts["games"]


def test_a_damaged_manifest(run: Path) -> None:
    manifest = run / "replay" / "manifest.json"
    manifest.write_text(manifest.read_text("utf-8")[:-30], "utf-8")
    with pytest.raises(BadData, match=r"manifest\.json"):
        go(None, run, 1, resume=True)


def test_a_replay_of_another_rule(run: Path) -> None:
    manifest = run / "replay" / "manifest.json"
    text = manifest.read_text("utf-8").replace('"rule": "freestyle"', '"rule": "renju"')
    manifest.write_text(text, "utf-8")
    with pytest.raises(BadZero, match="has positions of renju 7x7, the run plays freestyle 7x7"):
        go(None, run, 1, resume=True)


@pytest.mark.parametrize("damage", ["cut off", "changed", "missing"])
def test_a_damaged_shard(run: Path, damage: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The run continues without it; its files are kept, its games still count."""
    counts = check_folder(run)
    shard = run / "replay" / "00000.board.npy"
    whole = shard.read_bytes()
    if damage == "missing":
        shard.unlink()
    else:
        shard.write_bytes(whole[:-10] if damage == "cut off" else whole[:-1] + b"\x7f")
    before = len(Manifest.load(run / "replay").shards)
    result = go(None, run, 6, resume=True)
    output = capsys.readouterr().err
    assert "00000.board.npy" in output
    assert "continues without" in output
    assert result.counts["games"] > counts["games"]
    kept = Manifest.load(run / "replay").shards
    assert "00000" not in {one.name for one in kept}
    assert len(kept) >= before
    Dataset.open(run / "replay").verify()
    aside = {path.name for path in (run / "damaged").iterdir()}
    assert "00000.move.npy" in aside
    assert ("00000.board.npy" in aside) == (damage != "missing")


def test_every_shard_damaged(run: Path) -> None:
    for path in (run / "replay").glob("*.board.npy"):
        path.write_bytes(b"")
    counts = go(None, run, 0, resume=True).counts
    result = go(None, run, 6, resume=True)
    assert result.counts["games"] > counts["games"] > 0


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": 2}', '{"format": 1, "run": "x"}'])
def test_a_damaged_head(run: Path, text: str) -> None:
    (run / "run.json").write_text(text, "utf-8")
    with pytest.raises(BadRun, match=r"run\.json"):
        go(None, run, 1, resume=True)


def test_leftovers_of_a_kill_are_removed(run: Path) -> None:
    """A partial generation, a partial line of the event log, files of an unlisted shard."""
    (run / "generations" / ".0001.part").mkdir()
    (run / "replay" / "99999.board.npy").write_bytes(b"half")
    (run / "checkpoints" / "step-000000099.part").write_bytes(b"half")
    with (run / "journal.jsonl").open("ab") as file:
        file.write(b'{"event": "pl')
    go(config(gate={"minutes": AT_ONCE}), run, 12, resume=True)
    check_folder(run)
    assert not list(run.rglob("*.part"))
    assert all(line.endswith("}") for line in (run / "journal.jsonl").read_text().splitlines())


def test_a_local_cluster_is_the_default() -> None:
    from tengen.zero.loop import RunFactories

    assert RunFactories().cluster_factory is LocalCluster
