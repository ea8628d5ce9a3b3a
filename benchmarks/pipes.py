# SPDX-License-Identifier: MIT
"""The engine as a tournament sees it: processes that play each other over pipes, very fast.

    python benchmarks/pipes.py --games 1000 --processes 16
    python benchmarks/pipes.py --games 100 --command "./pbrain-other"

Every rule, on 15x15 and 20x20, from random openings, both sides by the same command (default:
`python -m tengen gomocup`). Reports the time of each answer against its limit, the moves over the
limit by some tolerances, crashes, moves that the referee (`tengen.Board`) rejects, the peak memory
against `max_memory`, and the time from END to the end of the process. Processes serve several games
(RESTART, or START for another size). Times include this client and the scheduler, so the load is
printed too. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from bench_common import Every, add_run_options, draw_opening, limited_board, make_parser
from strict_client import BrokenPlayer, Client, Place
from tengen import Move, Rule
from tengen.arena.elo import percentile
from tengen.cli.common import StopSignal
from tengen.cluster import Failure, LocalCluster, ProgressRecord, cores
from tengen.game import records
from tengen.util.progress import Progress

SIZES = (15, 20)
TOLERANCES = (0.03, 0.05, 0.1)  # seconds that managers wait after the limit
HANG = 10.0  # seconds over the limit after which a player is abandoned
END_LIMIT = 5.0  # seconds per move in the searches that END ends
GONE = 0.1  # seconds after END in which a process should be gone


@dataclass(frozen=True)
class Task:
    number: int
    command: tuple[str, ...]
    limit: float  # seconds per move
    memory: int  # bytes
    rule: Rule
    size: int
    seed: int


@dataclass
class Report:
    """The result of one game. `fault` is empty, or the kind of error and its message."""

    seconds: list[float] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)
    memory: int = 0
    fault: str = ""
    ending: str = ""


@dataclass
class EndReport:
    command: bool  # END, or only the end of the input
    seconds: float | None = None  # None: the search was over before
    fault: str = ""


@cache
def _clients() -> dict[int, Client]:
    """The two players of this process."""
    return {}


def play_game(task: Task, progress: ProgressRecord) -> Report:
    rng = random.Random(f"pipes {task.seed} {task.number}")
    report = Report()
    side = 0
    clients = _clients()
    try:
        for side in (0, 1):
            if side not in clients:
                clients[side] = Client(task.command)
            clients[side].begin(task.size, _infos(task), infos_first=bool(task.number // 2 % 2))
            progress.write()
        _play(task, rng, report, clients, progress)
    except BrokenPlayer as broken:
        report.fault = f"{broken.kind}: {broken}"
        while clients:
            clients.popitem()[1].kill()
    for client in clients.values():
        report.memory = max(report.memory, client.peak_memory())
        if client.start_seconds:
            report.starts.append(client.start_seconds)
            client.start_seconds = 0.0  # counted once
    return report


def _infos(task: Task) -> dict[str, int]:
    return {
        "timeout_turn": round(task.limit * 1000),
        "timeout_match": 0,
        "max_memory": task.memory,
        "game_type": 1,
        "rule": task.rule.gomocup,
    }


def _play(
    task: Task,
    rng: random.Random,
    report: Report,
    clients: dict[int, Client],
    progress: ProgressRecord,
) -> None:
    """One game. Most openings are sent as a BOARD; some games start on the empty board."""
    opening = draw_opening(rng, task.size, task.rule) if rng.random() < 0.8 else ()
    board = limited_board(opening, task.size, task.rule)
    stones: list[Place] = [(move.x, move.y) for move in opening]
    known = [False, False]
    while not board.is_over():
        side = (len(stones) + task.number) % 2
        whole = not (known[side] or len(stones) == 1) or rng.random() < 0.05
        clients[side].info({"time_left": 2**31 - 1})
        place, seconds = clients[side].move(stones, whole, task.limit + HANG)
        progress.write()
        report.seconds.append(seconds)
        known[side] = True
        try:
            board.push(Move(*place))
        except ValueError as error:
            text = " ".join(move.name for move in board.moves)
            report.fault = f"illegal: {error} after {text} ({task.rule} {task.size})"
            return
        stones.append(place)
    outcome = board.outcome()
    report.ending = outcome.reason if outcome else ""


def end_search(task: Task, progress: ProgressRecord) -> EndReport:
    """End a long search by END, or by closing the pipe."""
    rng = random.Random(f"end {task.seed} {task.number}")
    report = EndReport(task.number % 2 == 0)
    client = Client(task.command)
    try:
        client.begin(task.size, _infos(task), infos_first=False)
        opening = draw_opening(rng, task.size, task.rule)
        client.request([(move.x, move.y) for move in opening], whole=True)
        time.sleep(rng.uniform(0.02, 0.3))
        progress.write()
        if client.is_silent():
            report.seconds = client.end(10.0, report.command)
    except BrokenPlayer as broken:
        report.fault = f"{broken.kind}: {broken}"
    finally:
        client.kill()
    return report


# --- the whole ---


@dataclass
class Summary:
    limit: float
    memory: int
    games: int = 0
    seconds: list[float] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)
    peak: int = 0
    faults: list[str] = field(default_factory=list)
    endings: Counter[str] = field(default_factory=Counter)
    ends: dict[bool, list[float]] = field(default_factory=lambda: {True: [], False: []})

    def add(self, report: Report | EndReport | Failure) -> None:
        match report:
            case Failure():
                self.faults.append(f"client {report.kind}: {report.message}")
            case EndReport():
                if report.seconds is not None:
                    self.ends[report.command].append(report.seconds)
                self.faults += [f"END, {report.fault}"] if report.fault else []
            case Report():
                self._add_game(report)

    def _add_game(self, report: Report) -> None:
        self.games += 1
        self.seconds += report.seconds
        self.starts += report.starts
        self.peak = max(self.peak, report.memory)
        self.endings[report.ending or "fault"] += 1
        self.faults += [report.fault] if report.fault else []

    def lines(self) -> list[str]:
        late = {t: sum(s > self.limit + t for s in self.seconds) for t in TOLERANCES}
        kinds = Counter(fault.partition(":")[0] for fault in self.faults)
        return [
            f"games         {self.games}, {len(self.seconds)} moves of {self.limit * 1000:g} ms",
            f"endings       {dict(self.endings)}",
            f"answer        {figures(self.seconds)}",
            f"over limit    {figures([s - self.limit for s in self.seconds])}",
            *(f"over {1000 * t:3.0f} ms   {late[t]} moves" for t in TOLERANCES),
            f"first OK      {figures(self.starts)}",
            f"peak memory   {self.peak / 2**20:.1f} MiB of {self.memory / 2**20:.0f}",
            f"gone by END   {figures(self.ends[True], GONE)}",
            f"gone by EOF   {figures(self.ends[False], GONE)}",
            f"faults        {dict(kinds) or 'none'}",
            *(f"  {fault}" for fault in self.faults[:20]),
        ]

    def json(self) -> str:
        return json.dumps(vars(self)) + "\n"


def figures(values: Sequence[float], bound: float | None = None) -> str:
    """Seconds as milliseconds: median, 99.9% and worst; and how many are over a bound."""
    if not values:
        return "-"
    median, most, worst = (1000 * percentile(values, p) for p in (50, 99.9, 100))
    text = f"median {median:.2f}, 99.9% {most:.2f}, worst {worst:.2f} ms ({len(values)})"
    if bound is not None:
        text += f", over {1000 * bound:.0f} ms: {sum(value > bound for value in values)}"
    return text


def tasks(args: argparse.Namespace, number: int, limit: float) -> list[Task]:
    """Games over all rules and sizes. Neighbours have the same size, so that RESTART has its use;
    a rule changes with every pair of them.
    """
    command, memory = tuple(shlex.split(args.command)), args.memory << 20
    rules, sizes = list(Rule), args.sizes
    return [
        Task(i, command, limit, memory, rules[i // 2 % 5], sizes[i // 10 % len(sizes)], args.seed)
        for i in range(number)
    ]


def arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    own = shlex.join([sys.executable, "-m", "tengen", "gomocup"])
    parser.add_argument("--command", default=own)
    parser.add_argument("--ends", type=int, default=40, help="searches that END ends")
    parser.add_argument("--time", type=float, default=0.02, help="seconds per move")
    parser.add_argument("--memory", type=int, default=350, help="max_memory in MiB")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--seed", type=int, default=1)
    add_run_options(parser, games=200)
    parser.add_argument("--out", type=Path, help="all figures as JSON")
    return parser.parse_args()


def main() -> int:
    args = arguments()
    summary = Summary(args.time, args.memory << 20)
    save = Every(20)
    print(f"load before   {os.getloadavg()[0]:.2f} on {cores()} cores, {args.processes} games")
    progress = Progress("pipes", args.games, "games")
    workers = LocalCluster(args.processes, timeout=60)
    with StopSignal(args.seconds) as stop, workers as pool, progress:
        ends = tasks(args, args.ends, END_LIMIT)
        for ended in pool.run(end_search, ends, stop):
            if ended:
                summary.add(ended.result)
        for done in pool.run(play_game, tasks(args, args.games, args.time), stop):
            if done:
                summary.add(done.result)
            progress.update(summary.games, f"{len(summary.faults)} faults")
            if args.out and save():
                records.write_text(summary.json(), args.out)
    if args.out:
        records.write_text(summary.json(), args.out)
    print("\n".join(summary.lines()))
    print(f"load after    {os.getloadavg()[0]:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
