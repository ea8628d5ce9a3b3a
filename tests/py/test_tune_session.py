# SPDX-License-Identifier: MIT
"""A tuning run and its folder: it improves the values, and no interruption loses or repeats an
iteration.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tengen.arena.errors import ArenaFailed, BadRun, FolderLocked
from tengen.cluster import Failure, LocalCluster
from tengen.tune.plan import TrialResult, TuneIteration
from tengen.tune.spsa import SpsaState
from tengen.tune.tune_folder import TuneFolder
from tengen.tune.tune_runner import run_tuning
from tengen.util.files import locked
from tune_fakes import HereCluster, hill_of, made_plan, replay


def logged_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (path / "iterations.jsonl").read_text().splitlines()]


def check_whole(path: Path, iterations: int) -> TuneFolder:
    """Each iteration is there once, and the values are those of the event log in its order."""
    lines = logged_rows(path)
    assert sorted(line["iteration"] for line in lines) == list(range(1, iterations + 1))
    folder = TuneFolder.read(path)
    assert folder.state.is_complete
    results = [(line["iteration"], line["wins"] - line["losses"]) for line in lines]
    assert folder.state.spsa_state.theta == replay(folder.plan.spsa, results).theta
    return folder


def opened(path: Path) -> TuneFolder:
    folder = TuneFolder.read(path)
    folder.open_event_log()
    return folder


def test_many_workers_improve_the_values(tmp_path: Path) -> None:
    plan = made_plan(800, r_end=0.02)
    folder = TuneFolder.create(tmp_path / "new", plan)
    folder.open_event_log()
    steps: list[TuneIteration | None] = []
    run_tuning(folder, HereCluster(8), hill_of(plan, 140, 9), on_step=steps.append)
    folder.close_event_log()
    assert len([entry for entry in steps if entry is not None]) == 800
    assert None in steps
    assert folder.state.spsa_state.theta == pytest.approx([140, 9], abs=15)
    again = check_whole(tmp_path / "new", 800)
    assert again.state.spsa_state.theta == folder.state.spsa_state.theta
    assert again.state.total.games == 1600
    assert again.plan == plan


def test_one_worker_repeats_itself(tmp_path: Path) -> None:
    texts = []
    for name in ("a", "b"):
        plan = made_plan(60, pairs=3, r_end=0.1)
        folder = TuneFolder.create(tmp_path / name, plan)
        folder.open_event_log()
        run_tuning(folder, HereCluster(1), hill_of(plan, 140, 9))
        folder.close_event_log()
        texts.append((tmp_path / name / "iterations.jsonl").read_bytes())
    assert texts[0] == texts[1]
    assert all(line["wins"] + line["losses"] == 6 for line in logged_rows(tmp_path / "a"))


def test_each_iteration_has_the_newest_values(tmp_path: Path) -> None:
    plan = made_plan(30, r_end=0.5)
    folder = TuneFolder.create(tmp_path, plan)
    folder.open_event_log()
    run_tuning(folder, HereCluster(1), hill_of(plan, 140, 9))
    spsa_state = SpsaState(plan.spsa)
    for line in logged_rows(tmp_path):
        plus, minus = plan.spsa.sides(spsa_state.theta, line["iteration"])
        assert (line["plus"], line["minus"]) == (list(plus), list(minus))
        spsa_state.apply(line["iteration"], line["wins"] - line["losses"])


def test_stopped_often_and_resumed(tmp_path: Path) -> None:
    plan = made_plan(50)
    TuneFolder.create(tmp_path, plan)
    for _ in range(100):
        folder = opened(tmp_path)
        calls = count()
        run_tuning(folder, HereCluster(4), hill_of(plan, 140, 9), stop=lambda c=calls: next(c) > 4)  # type: ignore[misc]
        folder.close_event_log()
        if folder.state.is_complete:
            break
    check_whole(tmp_path, 50)
    run_tuning(opened(tmp_path), HereCluster(4), hill_of(plan, 140, 9))
    check_whole(tmp_path, 50)


def test_a_torn_line_is_cut_off_and_played_again(tmp_path: Path) -> None:
    plan = made_plan(12)
    folder = TuneFolder.create(tmp_path, plan)
    folder.open_event_log()
    run_tuning(folder, HereCluster(1), hill_of(plan, 140, 9))
    folder.close_event_log()
    file = tmp_path / "iterations.jsonl"
    whole = file.read_bytes()
    for cut in (1, 5, len(whole.splitlines()[-1])):
        file.write_bytes(whole[:-cut])
        reading = TuneFolder.read(tmp_path)
        assert reading.state.iterations == 11
        assert reading.open_event_log().torn_bytes > 0
        run_tuning(reading, HereCluster(1), hill_of(plan, 140, 9))
        reading.close_event_log()
        assert file.read_bytes() == whole
    check_whole(tmp_path, 12)


def test_damaged_event_logs_are_reported(tmp_path: Path) -> None:
    plan = made_plan(12)
    folder = TuneFolder.create(tmp_path, plan)
    folder.open_event_log()
    run_tuning(folder, HereCluster(1), hill_of(plan, 140, 9))
    folder.close_event_log()
    file = tmp_path / "iterations.jsonl"
    lines = file.read_text().splitlines()
    good = json.loads(lines[4])
    for bad, message in (
        ("nonsense", "no iteration"),
        ("[1]", "no iteration"),
        (lines[1], "iteration 2 occurs twice"),
        (json.dumps(good | {"iteration": 13}), "no iteration 13"),
        (json.dumps(good | {"wins": 5}), "games, not 2"),
        (json.dumps(good | {"wins": -1}), "below 0"),
        (json.dumps(good | {"wins": True}), "not a whole number"),
        (json.dumps(good | {"plus": [1]}), "values of 2 parameters"),
        (json.dumps(good | {"plus": 3}), "no iteration"),
    ):
        file.write_text("\n".join([*lines[:4], bad, *lines[5:]]) + "\n")
        with pytest.raises(BadRun, match=f"line 5: .*{message}"):
            TuneFolder.read(tmp_path)


def test_broken_plans_are_reported(tmp_path: Path) -> None:
    with pytest.raises(BadRun, match="has no run"):
        TuneFolder.read(tmp_path)
    TuneFolder.create(tmp_path, made_plan())
    with pytest.raises(BadRun, match="already has a run"):
        TuneFolder.create(tmp_path, made_plan())
    file = tmp_path / "tune.json"
    head = json.loads(file.read_text())
    for bad, message in (
        ("{", "Expecting"),
        ("[]", "not a run of format"),
        (json.dumps(head | {"format": 2}), "not a run of format"),
        (json.dumps({"format": 1}), "plan"),
        (json.dumps(head | {"plan": {}}), "missing"),
        (json.dumps(head | {"plan": head["plan"] | {"pairs": "x"}}), "pairs"),
        (json.dumps(head | {"plan": head["plan"] | {"definition": {"size": 1}}}), "."),
        (json.dumps(head | {"plan": head["plan"] | {"openings": 5}}), "."),
    ):
        file.write_text(bad)
        with pytest.raises(BadRun, match=message):
            TuneFolder.read(tmp_path)


def test_an_iteration_whose_worker_died_is_played_again(tmp_path: Path) -> None:
    plan = made_plan(3)
    folder = TuneFolder.create(tmp_path, plan)
    folder.open_event_log()
    deaths = [Failure("crash", "gone"), Failure("hang", "silent"), Failure("crash", "gone")]
    run_tuning(folder, HereCluster(2, deaths), hill_of(plan, 140, 9))
    check_whole(tmp_path, 3)


def test_the_last_iteration_too(tmp_path: Path) -> None:
    plan = made_plan(1)
    folder = TuneFolder.create(tmp_path, plan)
    folder.open_event_log()
    run_tuning(folder, HereCluster(1, [Failure("crash", "gone")] * 2), hill_of(plan, 140, 9))
    check_whole(tmp_path, 1)


@pytest.mark.parametrize(("kind", "times"), [("error", 1), ("crash", 3)])
def test_an_iteration_that_cannot_be_played(tmp_path: Path, kind: str, times: int) -> None:
    plan = made_plan(3)
    folder = TuneFolder.create(tmp_path, plan)
    folder.open_event_log()
    failures = [Failure(kind, "no luck")] * times
    with pytest.raises(ArenaFailed, match=r"iteration 1 cannot be played: no luck.*ALPHA"):
        run_tuning(folder, HereCluster(1, failures), hill_of(plan, 140, 9))
    assert logged_rows(tmp_path) == []


def test_an_outcome_of_too_many_games_is_not_kept(tmp_path: Path) -> None:
    folder = TuneFolder.create(tmp_path, made_plan(3))
    folder.open_event_log()
    with pytest.raises(ArenaFailed, match="4 games, not 2"):
        run_tuning(folder, HereCluster(1), lambda trial, progress: TrialResult(2, 1, 1))


def test_entries_as_lines() -> None:
    entry = TuneIteration(7, TrialResult(1, 2, 3, 1), (4, -5), (6, 7))
    assert TuneIteration.from_json(entry.to_json()) == entry
    assert "\n" not in entry.to_json()
    assert entry.outcome.difference == -2


_CHILD = """
import sys
from pathlib import Path
from tune_fakes import hill_of, replay
from tengen.util.files import locked
from tengen.cluster import LocalCluster
from tengen.tune.tune_folder import TuneFolder
from tengen.tune.tune_runner import run_tuning

path = Path(sys.argv[1])
with locked(path), LocalCluster(2) as cluster:
    folder = TuneFolder.read(path)
    folder.open_event_log()
    hill = hill_of(folder.plan, 140, 9, seconds=0.01)
    show = lambda entry: entry and print(entry.iteration, flush=True)
    run_tuning(folder, cluster, hill, on_step=show)
"""


@pytest.mark.integration
def test_killed_in_the_middle_and_resumed(tmp_path: Path) -> None:
    plan = made_plan(400)
    path, reported = tmp_path / "run", tmp_path / "reports"
    TuneFolder.create(path, plan)
    for life in (1, 2):
        with reported.open("ab") as out:
            child = subprocess.Popen(
                [sys.executable, "-c", _CHILD, os.fspath(path)],
                stdout=out,
                env=os.environ | {"PYTHONPATH": os.fspath(Path(__file__).parent)},
            )
        deadline = time.monotonic() + 60
        while reported.read_bytes().count(b"\n") < 25 * life and time.monotonic() < deadline:
            time.sleep(0.01)
        with pytest.raises(FolderLocked), locked(path):
            pass
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
    safe = [str(line["iteration"]) for line in logged_rows(path)]
    assert 50 <= len(safe) < 400
    assert set(reported.read_text().split()) <= set(safe)  # reported games are stored
    with locked(path):  # the lock went with the process
        run_tuning(opened(path), HereCluster(2), hill_of(plan, 140, 9))
    check_whole(path, 400)


def test_a_local_cluster(tmp_path: Path) -> None:
    """Work and trials travel to other processes and back."""
    plan = made_plan(10, pairs=2)
    folder = TuneFolder.create(tmp_path, plan)
    folder.open_event_log()
    with LocalCluster(1) as cluster:
        run_tuning(folder, cluster, hill_of(plan, 140, 9))
    check_whole(tmp_path, 10)
