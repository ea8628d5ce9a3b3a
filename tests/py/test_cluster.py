# SPDX-License-Identifier: MIT
"""Tasks on worker processes: results as they arrive, and workers that raise, crash, hang or are
orphaned. Every task has a result or a failure, and no process is left.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from cluster_tasks import (
    UnreadableTask,
    affinity,
    count,
    die_hard,
    double,
    echo,
    forget,
    hang,
    odd_task,
    span,
    wait_for_file,
)
from left_processes import TOKEN, alive, all_gone, eventually, new_token
from tengen.cluster import Cluster, Failure, LocalCluster, TaskOutcome, cores
from tengen.cluster.base import MAX_ATTEMPTS

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Two workers for all tests that leave them as they were, or crash them: they are replaced."""
    with LocalCluster(2) as result:
        yield result


@pytest.fixture
def token(monkeypatch: pytest.MonkeyPatch) -> str:
    """Marks the processes that a test starts."""
    result = new_token()
    monkeypatch.setenv(TOKEN, result)
    return result


def odd(cluster: Cluster, *tasks: str) -> dict[str, object]:
    """The results of tasks of `odd_task`."""
    return {done.task: done.result for done in cluster.run(odd_task, tasks) if done is not None}


# --- work that goes well ---


def test_all_tasks_are_done(cluster: Cluster) -> None:
    for number in (0, 1, 2, 50):  # fewer than workers, and more
        done = [d for d in cluster.run(double, range(number)) if d is not None]
        assert sorted(d.task for d in done) == list(range(number))
        assert all(d.result == 2 * d.task for d in done)


def test_no_task_available(cluster: Cluster) -> None:
    """Results are reported even if the next task is not available yet."""
    messages: list[int] = []

    def tasks() -> Iterator[int | None]:
        yield None
        yield 1
        while not messages:
            yield None
        yield 2

    for done in cluster.run(double, tasks()):
        if done is not None:
            assert done.result == 2 * done.task
            messages.append(done.task)
    assert messages == [1, 2]


def test_retries(cluster: Cluster) -> None:
    """A task whose worker dies is repeated; one that raises is not, nor one that is rejected."""
    tasks = ["raises", "exits at once", "well"]
    results = {d.task: d.result for d in cluster.run_with_retries(odd_task, tasks) if d}
    assert results["well"] == "well"
    assert isinstance(results["raises"], Failure)
    assert isinstance(results["exits at once"], Failure)
    attempts: list[Failure] = []

    def should_retry(failure: Failure) -> bool:
        attempts.append(failure)
        return not failure.progress

    run = cluster.run_with_retries(odd_task, ["exits", "exits at once"], should_retry=should_retry)
    assert len([done for done in run if done]) == 2
    assert sorted(len(failure.progress) for failure in attempts) == [0] * MAX_ATTEMPTS + [3]


def test_old_names() -> None:
    with pytest.warns(DeprecationWarning, match="timeout="):
        assert LocalCluster(3, patience=1.0).workers == 3
    with pytest.warns(DeprecationWarning, match="progress"):
        assert Failure("crash", "gone", (1, 2)).notes == (1, 2)


def test_worker_counts() -> None:
    assert LocalCluster(3).workers == 3
    assert 1 <= cores() <= (os.cpu_count() or 1)
    with pytest.raises(ValueError, match="1 or more"):
        LocalCluster(0)


def test_results_as_they_come(cluster: Cluster, tmp_path: Path) -> None:
    """A task that waits for the end of the others does not keep them from ending."""
    sign = tmp_path / "go"
    tasks = [("slow", str(sign)), *((str(n), "") for n in range(4))]
    order = []
    for done in cluster.run(wait_for_file, tasks):
        if done is not None:
            order.append(done.result)
        if len(order) == 4:
            sign.touch()
    assert order == ["0", "1", "2", "3", "slow"]


def test_periodic_wakeups(cluster: Cluster, tmp_path: Path) -> None:
    """The iterator yields None periodically, so that the caller can act."""
    sign = tmp_path / "go"
    run = cluster.run(wait_for_file, [("late", str(sign))])
    assert next(run) is None
    assert next(run) is None
    sign.touch()
    assert [done.result for done in run if done is not None] == ["late"]


def test_tasks_are_taken_when_a_worker_is_free(cluster: Cluster) -> None:
    taken = 0

    def tasks() -> Iterator[int]:
        nonlocal taken
        for number in range(20):
            taken += 1
            yield number

    run = cluster.run(double, tasks())
    assert taken == 0
    results = 0
    for done in run:
        results += done is not None
        assert taken <= results + cluster.workers
    assert taken == results == 20


def test_one_task_at_a_time() -> None:
    by_process: dict[int, list[tuple[float, float]]] = defaultdict(list)
    with LocalCluster(2) as cluster:
        for done in cluster.run(span, range(20)):
            if done is not None:
                assert not isinstance(done.result, Failure)
                by_process[done.result[0]].append(done.result[1:])
    assert len(by_process) <= 2
    for spans in by_process.values():
        spans.sort()
        assert all(end <= start for (_, end), (start, _) in pairwise(spans))


def test_a_process_keeps_its_state(cluster: Cluster) -> None:
    counts: dict[int, list[int]] = defaultdict(list)
    for _ in range(2):  # also from one run to the next
        for done in cluster.run(count, range(6)):
            if done is not None:
                assert not isinstance(done.result, Failure)
                pid, number = done.result
                counts[pid].append(number)
    assert len(counts) <= 2
    assert os.getpid() not in counts
    for numbers in counts.values():
        assert sorted(numbers) == list(range(min(numbers), min(numbers) + len(numbers)))


def test_output_of_tasks_is_discarded(cluster: Cluster, capfd: pytest.CaptureFixture[str]) -> None:
    assert odd(cluster, "floods", "fine") == {"floods": "flooded", "fine": "fine"}


def test_workers_are_pinned() -> None:
    free = sorted(os.sched_getaffinity(0))
    with LocalCluster(2, pin=[free[:1]]) as cluster:
        for done in cluster.run(affinity, range(8)):
            assert done is None or done.result in (free[:1], free)


# --- work that does not ---


def test_errors_are_reported(cluster: Cluster) -> None:
    result = odd(cluster, "raises", "fine")
    failure = result["raises"]
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.progress) == ("error", (1, 2))
    assert failure.message.startswith("KeyError: 'no such thing'\n")
    assert "odd_task" in failure.message
    assert result["fine"] == "fine"


@pytest.mark.parametrize(
    ("task", "code", "progress"),
    [
        ("exits", "code 7", (3, 4, 5)),
        ("exits at once", "code 8", ()),
        ("is killed", "code -9", (6,)),
        ("leaves", "code 9", ()),
    ],
)
def test_crashes(cluster: Cluster, task: str, code: str, progress: tuple[int, ...]) -> None:
    """They cost their own task alone, also where every worker dies."""
    tasks = [task, "fine", f"{task} ", task, "well"]
    done = [d for d in cluster.run(odd_task, tasks) if d is not None]
    assert sorted(d.task for d in done) == sorted(tasks)
    for entry in done:
        if entry.task == task:
            assert isinstance(entry.result, Failure)
            assert (entry.result.kind, entry.result.progress) == ("crash", progress)
            assert entry.result.message.endswith(code)
        else:
            assert entry.result == entry.task


def test_the_progress_record_is_bounded(cluster: Cluster) -> None:
    failure = odd(cluster, "writes much progress")["writes much progress"]
    assert isinstance(failure, Failure)
    assert 1000 < len(failure.progress) < 1100
    assert failure.progress == tuple(range(len(failure.progress)))


def test_results_that_cannot_be_sent(cluster: Cluster) -> None:
    result = odd(cluster, "unpicklable", "cannot be read", "fine")
    for task, arguments in (("unpicklable", "cannot pickle"), ("cannot be read", "no number")):
        failure = result[task]
        assert isinstance(failure, Failure)
        assert failure.kind == "error"
        assert arguments in failure.message
    assert result["fine"] == "fine"


def test_tasks_that_cannot_be_read(cluster: Cluster) -> None:
    tasks = ["fine", UnreadableTask(), "well"]
    done = [d for d in cluster.run(echo, tasks) if d is not None]
    assert len(done) == 3
    for entry in done:
        if isinstance(entry.task, str):
            assert entry.result == entry.task
        else:
            assert isinstance(entry.result, Failure)
            assert entry.result.kind == "error"
            assert "no number" in entry.result.message


def test_tasks_that_cannot_be_sent(cluster: Cluster) -> None:
    with pytest.raises((TypeError, AttributeError), match="pickle"):
        list(cluster.run(echo, [lambda: 1, lambda: 2]))
    assert odd(cluster, "fine") == {"fine": "fine"}


def test_errors_of_the_task_iterator(cluster: Cluster) -> None:
    def tasks() -> Iterator[int]:
        yield 1
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        list(cluster.run(double, tasks()))
    assert odd(cluster, "fine") == {"fine": "fine"}


def test_the_progress_record_is_of_the_failed_task() -> None:
    """A worker that dies before its task starts has an empty record, not that of its last task."""
    with LocalCluster(1) as cluster:
        result = odd(cluster, "next one dies", "fine", "well")
    assert result == {
        "next one dies": "next one dies",
        "fine": Failure("crash", "the process ended with code 11", ()),
        "well": "well",
    }


@pytest.mark.integration
@pytest.mark.parametrize("manner", ["asleep", "deaf"])
def test_hanging(token: str, manner: str) -> None:
    """A worker without a heartbeat is ended, with the processes that it started."""
    with LocalCluster(1, timeout=0.5) as cluster:
        done = [d for d in cluster.run(hang, [manner, "well"]) if d is not None]
        assert done == [
            TaskOutcome(manner, Failure("hang", "no heartbeat for too long", (42,)), "worker 0"),
            TaskOutcome("well", "well", "worker 0"),
        ]
        eventually(1, token)  # the worker that was started for the second task
        assert len(alive(token)) == 1
    assert all_gone(token)


def test_heartbeats(tmp_path: Path) -> None:
    """A task that writes its progress may exceed the timeout."""
    sign = tmp_path / "go"
    with LocalCluster(1, timeout=0.3) as cluster:
        run = cluster.run(wait_for_file, [("long", str(sign))])
        for rounds, done in enumerate(run):
            assert done is None or done.result == "long"
            if rounds == 8:  # each of a quarter of a second
                sign.touch()


def test_a_slow_consumer(tmp_path: Path) -> None:
    """Results that finished while the caller was busy count; their workers did not hang."""
    first, second = tmp_path / "first", tmp_path / "second"
    results = []
    with LocalCluster(2, timeout=0.3) as cluster:
        for done in cluster.run(wait_for_file, [("a", str(first)), ("b", str(second))]):
            if done is None:
                first.touch()
                continue
            results.append(done.result)
            if done.result == "a":
                second.touch()
                time.sleep(1.0)
    assert results == ["a", "b"]


# --- ends ---


def test_stop(token: str, tmp_path: Path) -> None:
    """Running tasks are cancelled with their workers; the next run has new workers."""
    taken: list[int] = []
    results: list[object] = []

    def tasks() -> Iterator[tuple[str, str]]:
        for n in range(100):
            taken.append(n)
            yield (str(n), "" if n < 3 else str(tmp_path / "never"))

    with LocalCluster(2) as cluster:
        run = cluster.run(wait_for_file, tasks(), lambda: len(results) == 3)
        while (done := next(run, "end")) != "end":
            results += [done.result] if isinstance(done, TaskOutcome) else []
        assert sorted(map(str, results)) == ["0", "1", "2"]
        assert len(taken) <= 5
        assert all_gone(token)
        assert list(cluster.run(double, [1], lambda: True)) == []
        assert [d.result for d in cluster.run(double, [1]) if d is not None] == [2]
    assert all_gone(token)


def test_breaking_out_of_the_loop(token: str, tmp_path: Path) -> None:
    with LocalCluster(2) as cluster:
        tasks = [("quick", ""), ("slow", str(tmp_path / "never"))]
        for done in cluster.run(wait_for_file, tasks):
            if done is not None:
                assert done.result == "quick"
                break
        assert len(eventually(1, token)) == 1  # the idle one
        assert [d.result for d in cluster.run(double, [1, 2]) if d is not None] == [2, 4]
    assert all_gone(token)


def test_no_process_outlives_a_killed_worker(token: str) -> None:
    with LocalCluster(1) as cluster:
        done = [d for d in cluster.run(die_hard, ["a task"]) if d is not None]
        assert [d.result.kind for d in done if isinstance(d.result, Failure)] == ["crash"]
        assert all_gone(token)


def test_closing_with_busy_workers(token: str) -> None:
    cluster = LocalCluster(2)
    run = cluster.run(hang, ["asleep", "idle"])
    while len(alive(token)) < 4:  # both workers and their programs
        next(run)
    cluster.close()
    assert alive(token) == {}
    cluster.close()
    run.close()  # type: ignore[attr-defined]


def test_closing_while_a_program_starts(token: str) -> None:
    """The worker leaves in order, but between the start of a program and its noting it down."""
    cluster = LocalCluster(1)
    run = cluster.run(forget, ["a task"])
    while len(alive(token)) < 2:  # the worker and its program
        next(run)
    cluster.close()
    assert alive(token) == {}
    run.close()  # type: ignore[attr-defined]


def test_never_used(token: str) -> None:
    with LocalCluster(2):
        pass
    LocalCluster(2).close()
    assert alive(token) == {}


@pytest.mark.integration
def test_no_process_outlives_a_killed_parent() -> None:
    """Neither workers, busy or idle, nor what they have started."""
    token = new_token()
    path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
    parent = subprocess.Popen(
        [sys.executable, "-c", "import cluster_tasks; cluster_tasks.run_until_killed()"],
        env={**os.environ, TOKEN: token, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
    )
    try:
        assert parent.stdout is not None
        with parent.stdout as output:
            assert sorted(output.readline().strip() for _ in range(3)) == [
                b"asleep",
                b"deaf",
                b"idle",
            ]
        assert len(alive(token)) >= 7  # the parent, the workers, and their programs
    finally:
        parent.kill()
        parent.wait()
    assert all_gone(token)


# --- worker names ---


def test_workers_have_names() -> None:
    """A worker that is replaced keeps its name; one that is dismissed does nothing any more."""
    with LocalCluster(2) as cluster:
        done = [d for d in cluster.run(double, range(20)) if d is not None]
        assert {d.worker for d in done} <= {"worker 0", "worker 1"}
        (died,) = [d for d in cluster.run(odd_task, ["exits"]) if d is not None]
        assert isinstance(died.result, Failure)
        assert died.worker in ("worker 0", "worker 1")
        cluster.dismiss("worker 0")
        assert cluster.workers == 1
        done = [d for d in cluster.run(double, range(10)) if d is not None]
        assert {d.worker for d in done} == {"worker 1"}
        assert sorted(d.result for d in done if isinstance(d.result, int)) == list(range(0, 20, 2))
        cluster.dismiss("worker 7")
        assert cluster.workers == 1


def test_a_worker_is_dismissed_while_results_come() -> None:
    """Its task is cancelled; the other workers do the rest."""
    with LocalCluster(2) as cluster:
        seen = []
        for done in cluster.run(double, range(40)):
            if done is None:
                continue
            seen.append(done.worker)
            if done.worker == "worker 0" and cluster.workers == 2:
                cluster.dismiss("worker 0")
        assert seen.count("worker 0") <= 1
        assert seen.count("worker 1") >= 38
