# SPDX-License-Identifier: MIT
"""How soon the engine speaks and how soon it is silent: the time from `analyse` to its first line,
from `stop` to the end of a search, and how much a search slows other Python threads down.

    python benchmarks/responsiveness.py --calls 200

Positions are made from a seed, of all rules. Times are what a caller sees. A search that ended by
itself before the stop does not count. The last figures need a second core: the speed of a thread
that counts in Python while another waits for a search, against the speed alone, and against the
speed beside a busy process, which takes as much of the machine but no GIL. Where the second is 1,
the search does not hold the GIL. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from progress import Every, random_board, say
from tengen import Board, Rule
from tengen.arena.elo import percentile
from tengen.cluster import cores
from tengen.engine import Engine, Limit

RULES = list(Rule)
SIZES = (15, 20)
COUNTING = 1.0  # seconds
ROUNDS = 5


def position(rng: random.Random, number: int) -> Board:
    size = SIZES[number // len(RULES) % len(SIZES)]
    rule = RULES[number % len(RULES)]
    return random_board(rng, size, rule)


def first_info(engine: Engine, board: Board) -> float | None:
    """Seconds until the first line."""
    start = time.perf_counter()
    with engine.analyse(board) as analysis:
        told = next(iter(analysis), None)
        return time.perf_counter() - start if told is not None else None


def after_stop(
    delay: float, stop: Callable[[], None], search: Callable[[], object]
) -> float | None:
    """Seconds from a stop, by another thread, until the search has returned; None if it was over
    before.
    """
    stopped = float("inf")

    def run() -> None:
        nonlocal stopped
        stopped = time.perf_counter()
        stop()

    timer = threading.Timer(delay, run)
    timer.start()
    search()
    end = time.perf_counter()
    timer.cancel()
    timer.join()
    return end - stopped if end > stopped else None


def stop_analysis(engine: Engine, board: Board, delay: float) -> float | None:
    with engine.analyse(board) as analysis:
        return after_stop(delay, analysis.stop, lambda: list(analysis))


def stop_play(engine: Engine, board: Board, delay: float) -> float | None:
    return after_stop(delay, engine.stop, lambda: engine.play(board, Limit()))


def counting(seconds: float) -> int:
    """How far Python counts in so many seconds."""
    number, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        for _ in range(1000):
            number += 1
    return number


def counting_beside_a_process() -> int:
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        time.sleep(0.2)
        return counting(COUNTING)
    finally:
        busy.kill()
        busy.wait()


def counting_beside_a_search(engine: Engine, board: Board) -> int | None:
    """None if the search ended by itself."""
    counted: list[int] = []
    with engine.analyse(board) as analysis:

        def count() -> None:
            counted.append(counting(COUNTING))
            analysis.stop()

        thread = threading.Thread(target=count)
        thread.start()
        for _ in analysis:
            pass
        lasted = bool(counted)
        thread.join()
    return counted[0] if lasted else None


def gil_freedom(engine: Engine) -> list[tuple[float, float]]:
    """Speed of a counting thread during a search, against the two speeds without one."""
    rng = random.Random("gil")
    found = []
    for number in range(ROUNDS):
        counted = counting_beside_a_search(engine, position(rng, number))
        if counted is not None:
            found.append((counted / counting(COUNTING), counted / counting_beside_a_process()))
    return found


def measure(name: str, calls: int, call: Callable[[Board, float], float | None]) -> list[float]:
    """So many calls in random positions; a position where nothing was to be measured is another
    try, but not without end.
    """
    rng = random.Random(f"responsiveness {name}")
    found: list[float] = []
    line = Every(5)
    for number in range(5 * calls):
        seconds = call(position(rng, number), rng.uniform(0.005, 0.1))
        if seconds is not None:
            found.append(seconds)
        if line():
            say(f"{name}: {len(found)} of {calls}")
        if len(found) == calls:
            break
    return found


def words(values: list[float]) -> str:
    if not values:
        return "nothing to measure"
    figures = [f"{p:g}% {1000 * percentile(values, p):.2f}" for p in (50, 99, 99.9)]
    return f"{', '.join(figures)}, worst {1000 * max(values):.2f} ms ({len(values)} calls)"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--preset", default="classical")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--memory", type=int, default=128, help="MiB")
    parser.add_argument("--out", type=Path, help="all figures as JSON")
    given = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.2f} on {cores()} cores, {given.threads} threads")
    with Engine(given.preset, threads=given.threads, memory=given.memory) as engine:
        rows = {
            "first info": lambda board, delay: first_info(engine, board),
            "stop of analyse": lambda board, delay: stop_analysis(engine, board, delay),
            "stop of play": lambda board, delay: stop_play(engine, board, delay),
        }
        found = {name: measure(name, given.calls, call) for name, call in rows.items()}
        for name, values in found.items():
            print(f"{name:<16} {words(values)}", flush=True)
        shares = gil_freedom(engine) if cores() > given.threads else []
        for name, place in (("GIL, alone", 0), ("GIL, neighbour", 1)):
            print(f"{name:<16} {', '.join(f'{share[place]:.3f}' for share in shares)}")
    if given.out:
        given.out.write_text(json.dumps(found | {"gil_freedom": shares}) + "\n", "utf-8")


if __name__ == "__main__":
    main()
