# SPDX-License-Identifier: MIT
"""Task functions for `test_cluster`, in a module as a cluster needs them, and a program that is
killed during its tasks (`run_until_killed`).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from tengen.cluster import LocalCluster, ProgressRecord
from tengen.cluster.process_worker import SharedProgressRecord
from tengen.engine.pipes import Pipes

# A program that neither the end of its input nor a polite signal ends.
STUBBORN = """
import signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
while True:
    time.sleep(1)  # stubborn
"""

_kept: list[Pipes] = []
_count = 0


def double(task: int, progress: ProgressRecord) -> int:
    return 2 * task


def echo(task: object, progress: ProgressRecord) -> object:
    return task


def affinity(task: int, progress: ProgressRecord) -> list[int]:
    """The cores that this process may use."""
    return sorted(os.sched_getaffinity(0))


def count(task: object, progress: ProgressRecord) -> tuple[int, int]:
    """This process, and how many tasks it has done: what a module keeps, it keeps."""
    global _count  # noqa: PLW0603
    _count += 1
    return os.getpid(), _count


def wait_for_file(task: tuple[str, str], progress: ProgressRecord) -> str:
    """Return the first word when the file of that path exists, or at once without a path."""
    word, path = task
    while path and not Path(path).exists():
        progress.write(1)
        time.sleep(0.01)
    return word


def span(task: int, progress: ProgressRecord) -> tuple[int, float, float]:
    """The process id, and the start and end of the task."""
    start = time.monotonic()
    time.sleep(0.02)
    return os.getpid(), start, time.monotonic()


def odd_task(task: str, progress: ProgressRecord) -> object:
    """Does what the task names."""
    if task == "raises":
        progress.write(1, 2)
        raise KeyError("no such thing")
    if task == "exits":
        progress.write(3, 4, 5)
        os._exit(7)
    if task == "exits at once":
        os._exit(8)
    if task == "is killed":
        progress.write(6)
        os.kill(os.getpid(), signal.SIGKILL)
    if task == "leaves":
        sys.exit(9)
    if task == "unpicklable":
        progress.write(10)
        return threading.Lock()
    if task == "cannot be read":
        return Unreadable()
    if task == "floods":
        for _ in range(2000):
            print("x" * 500)
        print("x" * 100_000, file=sys.stderr)
        return "flooded"
    if task == "writes much progress":
        progress.write(*range(5000))
        os._exit(1)
    if task == "next one dies":
        progress.write(1, 2, 3)
        SharedProgressRecord.write = lambda *_: os._exit(11)  # type: ignore[method-assign]
    return task


class Unreadable:
    """Can be pickled but not unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return int, ("no number",)


class UnreadableTask:
    """As above, for the other direction."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return int, ("no number",)


def say(word: object) -> None:
    """A line on stdout, in one piece: several processes share it."""
    os.write(1, f"{word}\n".encode())


def hang(task: str, progress: ProgressRecord) -> str:
    """Start a stubborn program, and never end: where the system's signals are heard ("asleep") or
    not ("deaf"). "idle" returns and keeps the program.
    """
    if task == "well":
        return task
    pipes = Pipes([sys.executable, "-c", STUBBORN])
    _kept.append(pipes)
    while pipes.receive(1.0) is None:
        progress.write(41)
    progress.write(42)
    if task == "idle":
        return task
    if task == "deaf":
        signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))
    say(task)
    threading.Event().wait()
    return task


def die_hard(task: str, progress: ProgressRecord) -> str:
    """Start a stubborn program, and die without a chance to end it."""
    program = Pipes([sys.executable, "-c", STUBBORN])
    while program.receive(1.0) != "ready":
        pass
    os.kill(os.getpid(), signal.SIGKILL)
    return task


def forget(task: str, progress: ProgressRecord) -> str:
    """Start a program that ignores signals and is not reported, and never end."""
    subprocess.Popen([sys.executable, "-c", STUBBORN], stdout=subprocess.DEVNULL)
    threading.Event().wait()
    return task


def run_until_killed() -> None:
    """One idle worker, and others that hang, each with its program; they report it."""
    tasks = ["idle", "asleep", "deaf"]
    with LocalCluster(len(tasks)) as cluster:
        for done in cluster.run(hang, tasks):
            if done is not None:
                say(done.result)
