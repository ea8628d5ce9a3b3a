# SPDX-License-Identifier: MIT
"""Speed of patterns, solvers, batch functions and import (`make bench`): prints machine, build,
median and spread. Nothing here passes or fails. docs/journal/speed.md has results.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench_common import make_parser, print_machine
from tengen import Rule
from tengen.game import batch

ROOT = Path(__file__).parents[1]
NATIVE = ROOT / "build" / "release" / "benchmarks"


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


def boards_per_second(work: Callable[[], object], count: int) -> Callable[[], float]:
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
    parser = make_parser(__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="measurements of each kind")
    rounds = parser.parse_args().rounds
    print_machine()
    for name in ("bench_patterns", "bench_solvers"):
        if (NATIVE / name).exists():
            subprocess.run([str(NATIVE / name), str(rounds)], check=True)
        else:
            print(f"{name} is not built: run `make bench`")
    boards = middle_games(20_000)
    for rule in (Rule.FREESTYLE, Rule.RENJU):
        work = lambda rule=rule: batch.threats(boards, rule)  # noqa: E731
        report(f"batch classes {rule}", "boards/s", rounds, boards_per_second(work, len(boards)))
    forbidden = boards_per_second(lambda: batch.forbidden(boards), len(boards))
    report("batch forbidden renju", "boards/s", rounds, forbidden)
    report("import tengen", "ms", rounds, import_milliseconds)


if __name__ == "__main__":
    main()
