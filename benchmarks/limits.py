# SPDX-License-Identifier: MIT
"""How well `tengen.solve` keeps its limits: time, memory, and the time from `cancel.set()` until it
returns.

    python benchmarks/limits.py            # some minutes
    python benchmarks/limits.py --quick    # about one

Positions are made from a seed. What is measured is what a caller sees: wall time of the whole
call, and resident memory of a fresh process. On a machine that does other work the worst times
are those of its scheduler, so the load is told, and the undisturbed calls are shown again by
themselves. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import TypeAlias

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import tengen
from tengen import Board, Cancel, Colour, Proof, Rule, Solver, Threat
from tengen.solver.errors import Cancelled

LIMIT = 0.1  # seconds
UNDISTURBED = 0.001  # seconds in which a call may have waited for a processor
SEED = 20
BOUNDS = (8, 64, 256)  # MiB
MEBIBYTE = 1 << 20
RULES = tuple(Rule)

Place: TypeAlias = tuple[int, int]  # x and y

# --- positions ---


def fight(rng: random.Random, rule: Rule, stones: int = 8, size: int = 15) -> Board:
    """A game between two sides that stay near the stones, make threes, and stop what has to be
    stopped. Nobody has a five to make. The more stones, the sooner it is decided.
    """
    while True:
        board = Board(size, rule)
        board.push((size // 2, size // 2))
        while len(board.moves) < stones and not board.is_over():
            board.push(_move(rng, board))
        sides = (Colour.BLACK, Colour.WHITE)
        if not board.is_over() and not any(board.threats(c, Threat.FIVE) for c in sides):
            return board


def _move(rng: random.Random, board: Board) -> tengen.Move:
    theirs = board.threats(board.turn.other, Threat.OPEN_FOUR)
    for danger in theirs:
        answers = [move for move in board.answers(danger, board.turn.other) if board.is_legal(move)]
        if answers:
            return rng.choice(answers)
    ours = [
        move
        for move, threat in board.threats(least=Threat.OPEN_TWO).items()
        if threat <= Threat.OPEN_THREE
    ]
    if ours and rng.random() < 0.7:
        return rng.choice(ours)
    fives = board.threats(least=Threat.FIVE)
    for _ in range(50):
        stone = rng.choice(board.moves)
        x, y = stone.x + rng.randint(-2, 2), stone.y + rng.randint(-2, 2)
        if 0 <= x < board.size and 0 <= y < board.size:
            move = tengen.Move(x, y)
            if board.is_legal(move) and move not in fives:
                return move
    return rng.choice(board.legal_moves())


def many_fours(rng: random.Random, rule: Rule, size: int = 20) -> Board:
    """Closed threes of black in every second row, and white stones between the rows: fours without
    number, few of which help one another. Often there is a win all the same.
    """
    while True:
        taken: dict[Place, str] = {}
        for y in range(0, size, 2):
            x = rng.randrange(3)
            while x + 6 <= size:
                taken |= {(x + i, y): stone for i, stone in enumerate("oxxx")}
                x += 6 + rng.randrange(2)
        between = [(x, y) for x in range(size) for y in range(1, size, 2)]
        rng.shuffle(between)
        for place in between:
            if not _is_crowded(taken, place, size):
                taken[place] = "o"
        black, white = (
            [tengen.Move(*place) for place, stone in taken.items() if stone == which]
            for which in "xo"
        )
        board = Board.from_stones(black, white, "black", size, rule)
        if not board.is_over() and not board.threats(Colour.WHITE, Threat.FIVE):
            return board


def _is_crowded(taken: dict[Place, str], place: Place, size: int) -> bool:
    """Would a white stone there stand with three others among five points that black has left
    free?
    """
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for start in range(-4, 1):
            five = [(place[0] + i * dx, place[1] + i * dy) for i in range(start, start + 5)]
            if not all(0 <= x < size and 0 <= y < size for x, y in five):
                continue
            stones = [taken.get(near, "") for near in five]
            if "x" not in stones and stones.count("o") >= 3:
                return True
    return False


# --- figures ---


def percentile(values: Sequence[float], percent: float) -> float:
    """The least value that so many percent do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.2f}"


@dataclass
class Times:
    """Wall times of one kind of call, in seconds."""

    name: str
    all: list[float] = field(default_factory=list)
    undisturbed: list[float] = field(default_factory=list)  # of calls that had a processor always

    def add(self, start: tuple[float, float]) -> None:
        """A call that began then (see `clocks`) and has just ended."""
        wall, processor = (now - then for now, then in zip(clocks(), start, strict=True))
        self.all.append(wall)
        if wall - processor < UNDISTURBED:
            self.undisturbed.append(wall)

    def row(self, undisturbed: bool) -> list[str]:
        row = [self.name, str(len(self.all)), *_figures(self.all, 50, 99, 99.9, 100)]
        if undisturbed:
            row += [str(len(self.undisturbed)), *_figures(self.undisturbed, 99.9, 100)]
        return row


def clocks() -> tuple[float, float]:
    """The time on the wall, and the processor time of this thread."""
    return time.perf_counter(), time.thread_time()


def _figures(values: Sequence[float], *percents: float) -> list[str]:
    if not values:
        return [""] * len(percents)
    return [milliseconds(percentile(values, percent)) for percent in percents]


def table_of(title: str, rows: Sequence[Times], undisturbed: bool) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=0, pad_edge=False)
    headings = ["ms", "calls", "median", "99%", "99.9%", "worst"]
    if undisturbed:
        headings += ["undisturbed", "99.9%", "worst"]
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "ms" else "right", no_wrap=True)
    for times in rows:
        table.add_row(*times.row(undisturbed))
    return table


def load() -> str:
    return f"{os.getloadavg()[0]:.2f}" if hasattr(os, "getloadavg") else "unknown"


class Bar:
    """A progress bar that is drawn between two measurements only, so that it takes no time."""

    def __init__(self, words: str, total: float) -> None:
        self._progress = Progress(
            TextColumn(words),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
            auto_refresh=False,
            disable=not sys.stderr.isatty(),
        )
        self._task = self._progress.add_task("", total=total)
        self._drawn = 0.0

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def advance(self, steps: float = 1) -> None:
        self._progress.advance(self._task, steps)
        if time.perf_counter() - self._drawn > 0.2:
            self._progress.refresh()
            self._drawn = time.perf_counter()


# --- time ---


def time_limit(positions: int) -> list[Times]:
    """Calls that reached the limit, as many of each goal; a goal for which that seldom happens
    gets fewer.
    """
    rng = random.Random(SEED)
    kinds: list[tuple[Times, Callable[[Rule], Board], str, int]] = [
        (Times("any, 1 quiet"), lambda rule: fight(rng, rule), "any", 1),
        (Times("vct"), lambda rule: fight(rng, rule, 9), "vct", 0),
        (Times("vcf"), lambda rule: many_fours(rng, rule), "vcf", 0),
    ]
    each = -(-positions // len(kinds))
    with Bar("time limit of 100 ms", len(kinds) * each) as bar:
        for times, make, goal, quiet in kinds:
            rules = cycle(RULES)
            for _ in range(5 * each):
                board = make(next(rules))
                call = Times("")
                start = clocks()
                answer = tengen.solve(board, goal, time=LIMIT, quiet=quiet)
                call.add(start)
                if isinstance(answer, Proof) or "time limit" not in answer.reason:
                    continue
                times.all += call.all
                times.undisturbed += call.undisturbed
                bar.advance()
                if len(times.all) == each:
                    break
    rows = [kind[0] for kind in kinds]
    total = Times("together")
    for times in rows:
        total.all += times.all
        total.undisturbed += times.undisturbed
    return [*rows, total]


def small_questions(memory: int = 256, calls: int = 600) -> Times:
    """Questions of one node to one large solver: what its tables cost from call to call."""
    board = fight(random.Random(SEED), Rule.RENJU)
    solver = Solver(board.size, board.rule, memory)
    times = Times(f"one node, {memory} MiB")
    for _ in range(calls):
        start = clocks()
        solver.solve(board, "vct", nodes=1, time=None)
        times.add(start)
    return times


# --- memory ---


def memory_child(bound: int, seconds: float) -> None:
    """In a process of its own: solve until the tables are full and older than they can count, and
    print how far the peak of the resident memory grew, in bytes.
    """
    rng = random.Random(SEED)
    rule = Rule.RENJU
    boards = [fight(rng, rule) for _ in range(20)]
    boards += [many_fours(rng, rule, 15) for _ in range(4)]
    tengen.solve(boards[0], "any", quiet=1, nodes=2000, memory=1)  # tables of the rule, stacks
    before = _resident()
    solver = Solver(15, rule, bound)
    deadline = time.perf_counter() + seconds
    for board in cycle(boards):
        if time.perf_counter() > deadline:
            break
        for goal, quiet in (("vcf", 0), ("vct", 0), ("any", 2)):
            solver.solve(board, goal, quiet=quiet, time=seconds / 20)
    for _ in range(300):
        solver.solve(boards[0], "any", quiet=1, nodes=300)
    print(json.dumps({"growth": _peak() - before, "used": solver.memory_used}))


def _status(key: str) -> int:
    """A figure of this process, in bytes."""
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(key)


def _resident() -> int:
    return _status("VmRSS")


def _peak() -> int:
    return _status("VmHWM")


def memory_table(seconds: float) -> Table | str:
    if not Path("/proc/self/status").exists():
        return "memory: only Linux tells the peak of a process"
    table = Table(title="memory", title_justify="left", box=SIMPLE_HEAD, padding=0, pad_edge=False)
    for heading in ("bound MiB", "peak growth MiB", "of the bound", "told by the solver MiB"):
        table.add_column(heading, justify="right", no_wrap=True)
    with Bar("memory", len(BOUNDS)) as bar:
        for bound in BOUNDS:
            call = [sys.executable, __file__, "--memory-child", str(bound), str(seconds)]
            done = subprocess.run(call, check=True, capture_output=True, text=True)
            result = json.loads(done.stdout)
            grown = result["growth"] / MEBIBYTE
            used = result["used"] / MEBIBYTE
            table.add_row(f"{bound}", f"{grown:.2f}", f"{grown / bound:.1%}", f"{used:.2f}")
            bar.advance()
    return table


# --- cancel ---


class Canceller(threading.Thread):
    """Sets a flag after a delay, and notes when."""

    def __init__(self, delay: float) -> None:
        super().__init__()
        self.cancel = Cancel()
        self.at = float("inf")
        self._delay = delay

    def run(self) -> None:
        time.sleep(self._delay)
        self.at = time.perf_counter()
        self.cancel.set()


def latency(delay: float, work: Callable[[Cancel], bool]) -> float | None:
    """Seconds from the cancel until the work returned; None if it was over before. `work` says
    whether it was cancelled.
    """
    canceller = Canceller(delay)
    canceller.start()
    cancelled = work(canceller.cancel)
    end = time.perf_counter()
    canceller.join()
    return end - canceller.at if cancelled and end > canceller.at else None


def cancel_latencies(calls: int) -> list[Times]:
    rng = random.Random(SEED + 1)

    def solving(board: Board, goal: str, quiet: int) -> Callable[[Cancel], bool]:
        def work(cancel: Cancel) -> bool:
            answer = tengen.solve(board, goal, quiet=quiet, time=5, cancel=cancel)
            return not isinstance(answer, Proof) and answer.reason == "cancelled"

        return work

    proof, checking = long_proof(rng)

    def verifying(cancel: Cancel) -> bool:
        try:
            proof.verify(cancel=cancel)
        except Cancelled:
            return True
        return False

    def delay() -> float:
        return rng.uniform(0.02, 0.12)

    kinds: list[tuple[Times, Callable[[Rule], tuple[float, Callable[[Cancel], bool]]]]] = [
        (Times("vcf"), lambda rule: (delay(), solving(many_fours(rng, rule), "vcf", 0))),
        (Times("vct"), lambda rule: (delay(), solving(fight(rng, rule, 9), "vct", 0))),
        (Times("any, 1 quiet"), lambda rule: (delay(), solving(fight(rng, rule), "any", 1))),
        (
            Times(f"verify, {checking * 1000:.0f} ms in all"),
            lambda rule: (rng.uniform(0.1, 0.8) * checking, verifying),
        ),
    ]
    with Bar("cancel", len(kinds) * calls) as bar:
        for times, make in kinds:
            rules = cycle(RULES)
            for _ in range(5 * calls):
                waited = latency(*make(next(rules)))
                if waited is None:
                    continue
                times.all.append(waited)
                bar.advance()
                if len(times.all) == calls:
                    break
    return [kind[0] for kind in kinds]


def long_proof(rng: random.Random, enough: float = 0.3, tries: int = 60) -> tuple[Proof, float]:
    """A proof whose check takes long, and the seconds that it takes."""
    longest: tuple[Proof, float] | None = None
    for rule, _ in zip(cycle(RULES), range(tries), strict=False):
        found = tengen.solve(fight(rng, rule, rng.randrange(6, 14)), "any", quiet=1, time=0.5)
        if not isinstance(found, Proof):
            continue
        start = time.perf_counter()
        found.verify()
        passed = time.perf_counter() - start
        if longest is None or passed > longest[1]:
            longest = found, passed
        if passed > enough:
            break
    if longest is None:
        raise SystemExit("limits: no proof was found to check")
    return longest


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--positions", type=int, metavar="N", help="that reach the time limit (default: 2100)"
    )
    parser.add_argument("--quick", action="store_true", help="fewer measurements of each kind")
    parser.add_argument("--only", choices=("time", "memory", "cancel"), help="only this part")
    parser.add_argument("--memory-child", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.memory_child:
        memory_child(int(args.memory_child[0]), float(args.memory_child[1]))
        return 0
    positions = args.positions or (240 if args.quick else 2100)
    if positions < 1:
        parser.error("--positions takes a number, at least 1")
    console = Console()
    console.print(f"tengen {tengen.__version__}, {os.cpu_count()} cores, load {load()}")
    if args.only in (None, "time"):
        console.print(table_of("time limit of 100 ms", time_limit(positions), undisturbed=True))
        console.print(table_of("small questions", [small_questions()], undisturbed=True))
    if args.only in (None, "memory"):
        console.print(memory_table(5 if args.quick else 30))
    if args.only in (None, "cancel"):
        latencies = cancel_latencies(20 if args.quick else 100)
        console.print(table_of("from cancel to return", latencies, undisturbed=False))
    console.print(f"load at the end {load()}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
