# SPDX-License-Identifier: MIT
"""Measure what the project promises to be fast, and print machine, build, median and spread
(`make bench`).

Nothing here passes or fails: machines differ and are shared. Numbers worth keeping go to
docs/journal/speed.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import tengen
from tengen import Rule, _core
from tengen.game import batch

ROOT = Path(__file__).parents[1]
NATIVE = ROOT / "build" / "release" / "benchmarks"


def print_machine() -> None:
    print(f"machine   {platform.machine()}, {os.cpu_count()} cores, {_processor()}, load {_load()}")
    print(f"build     tengen {tengen.__version__}, instruction set {_core.simd_name()}")
    print(f"python    {platform.python_version()}, numpy {np.__version__}")


def _processor() -> str:
    """A name of the processor, if the system has one."""
    try:
        lines = subprocess.run(["lscpu"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return platform.processor() or "unknown"
    names = [
        ln.split(":", 1)[1].strip() for ln in lines.splitlines() if ln.startswith("Model name")
    ]
    return names[0] if names else "unknown"


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def report(name: str, unit: str, rounds: int, measure: Callable[[], float]) -> None:
    """Median and spread of several measurements, after one that warms up."""
    measure()
    results = sorted(measure() for _ in range(rounds))
    print(
        f"{name:<24} median {statistics.median(results):12.0f} {unit}"
        f"  (min {results[0]:.0f}, max {results[-1]:.0f}, {rounds} rounds)",
        flush=True,
    )


def middle_games(count: int, stones: int = 60) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Random 15x15 positions whose stones lie around the centre."""
    rng = np.random.default_rng(1)
    boards = np.zeros((count, 225), dtype=np.uint8)
    weights = np.array(
        [1.0 / (1 + (x - 7) ** 2 + (y - 7) ** 2) for y in range(15) for x in range(15)]
    )
    for board in boards:
        points = rng.choice(225, stones, replace=False, p=weights / weights.sum())
        board[points[::2]] = 1
        board[points[1::2]] = 2
    return boards.reshape(count, 15, 15)


def boards_a_second(work: Callable[[], object], count: int) -> Callable[[], float]:
    def measure() -> float:
        start = time.perf_counter()
        work()
        return count / (time.perf_counter() - start)

    return measure


def import_milliseconds() -> float:
    """Wall time of `import tengen` in a fresh interpreter, less that of an empty one."""

    def run(code: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return (time.perf_counter() - start) * 1000

    return run("import tengen") - run("pass")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="measurements of each kind")
    rounds = parser.parse_args().rounds
    print_machine()
    for name in ("bench_patterns", "bench_point_scores", "bench_solvers"):
        if (NATIVE / name).exists():
            subprocess.run([str(NATIVE / name), str(rounds)], check=True)
        else:
            print(f"{name} is not built: run `make bench`")
    boards = middle_games(20_000)
    for rule in (Rule.FREESTYLE, Rule.RENJU):
        work = lambda rule=rule: batch.threats(boards, rule)  # noqa: E731
        report(f"batch classes {rule}", "boards/s", rounds, boards_a_second(work, len(boards)))
    report(
        "batch forbidden renju",
        "boards/s",
        rounds,
        boards_a_second(lambda: batch.forbidden(boards), len(boards)),
    )
    report("import tengen", "ms", rounds, import_milliseconds)


if __name__ == "__main__":
    main()
