# SPDX-License-Identifier: MIT
"""Overhead of the arena, and the error of its clock.

    python benchmarks/arena_overhead.py [--games 60] [--time 0.01] [--processes 2]

Overhead: the share of the wall time of a match in which no player thinks, over all processes, from
the first task to the last result; with engines in the arena's processes, and with the same engine
behind pipes.

Clock: a program of the Gomocup protocol thinks for random times and logs each of them, from the
line with the request to the line with its answer. The difference to the time that the arena
measures is the error of the arena: pipes, threads, the scheduler.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
import time
from pathlib import Path

from bench_common import add_run_options, make_parser
from tengen.arena.control import TimeControl
from tengen.arena.definition import Definition
from tengen.arena.elo import percentile
from tengen.arena.make_openings import draw_openings
from tengen.arena.match_folder import MatchFolder
from tengen.arena.match_runner import run_match
from tengen.arena.player import Player
from tengen.cluster import LocalCluster, cores
from tengen.game.rule import Rule

THINKER = """
import random, sys, time
rng = random.Random(sys.argv[2])
stones, log, size = set(), open(sys.argv[1], "a"), 15
def answer(start):
    until = start + rng.uniform(0.001, float(sys.argv[3]))
    while time.perf_counter() < until:
        pass
    free = [(x, y) for x in range(size) for y in range(size) if (x, y) not in stones]
    move = rng.choice(free)
    stones.add(move)
    spent = time.perf_counter() - start
    sys.stdout.write("%d,%d\\n" % move)
    sys.stdout.flush()
    log.write("%.7f\\n" % spent)
    log.flush()
for line in sys.stdin:
    start = time.perf_counter()
    word = line.split()[0]
    if word == "ABOUT":
        print('name="Thinker"', flush=True)
    elif word in ("START", "RESTART"):
        stones.clear()
        print("OK", flush=True)
    elif word == "BEGIN":
        answer(start)
    elif word == "TURN":
        stones.add(tuple(map(int, line.split()[1].split(","))))
        answer(start)
    elif word == "BOARD":
        stones.clear()
        for stone in iter(sys.stdin.readline, ""):
            if stone.startswith("DONE"):
                break
            stones.add(tuple(map(int, stone.split(",")[:2])))
        answer(time.perf_counter())
    elif word == "END":
        break
"""


def played(definition: Definition, processes: int) -> tuple[MatchFolder, float]:
    """Play it; the folder, and the wall time in seconds."""
    drawn = draw_openings(1, definition.size, Rule.FREESTYLE)
    openings = [tuple(move.name for move in next(drawn)) for _ in range(definition.pairs)]
    with tempfile.TemporaryDirectory() as path:
        folder = MatchFolder.create(Path(path), definition, openings)
        with LocalCluster(processes) as cluster, folder.open_event_log():
            for _ in cluster.run(_warm_up, range(processes)):
                pass  # imports are not measured
            start = time.perf_counter()
            run_match(folder, cluster)
            wall = time.perf_counter() - start
    return folder, wall


def _warm_up(task: int, progress: object) -> None:
    import tengen.arena.game_task  # noqa: F401

    time.sleep(0.5)  # so that each worker gets one


def overhead(name: str, player: str, given: argparse.Namespace) -> None:
    players = (Player.parse(player), Player.parse(player))
    limit = TimeControl(time=given.time)
    definition = Definition(players, pairs=given.games // 2, limit=limit, adjudicate="never")
    folder, wall = played(definition, given.processes)
    thought = sum(report.seconds for game in folder.games for report in game.reports)
    spent = sum(game.seconds for game in folder.games)
    moves = sum(len(game.reports) for game in folder.games)
    faults = sum(game.at_fault is not None for game in folder.games)
    busy = min(wall * given.processes, spent)  # during the last games some processes are idle
    print(
        f"{name:<10} {len(folder.games)} games, {moves} moves, {faults} faults: "
        f"{100 * (1 - thought / (wall * given.processes)):.2f}% of the wall time, "
        f"{100 * (1 - thought / busy):.2f}% within games, "
        f"{1000 * (busy - thought) / moves:.3f} ms per move, {wall:.1f} s"
    )


def clock(given: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as path:
        program = Path(path) / "thinker.py"
        program.write_text(THINKER, encoding="utf-8")
        logs = [Path(path) / name for name in ("a.log", "b.log")]
        command = [sys.executable, str(program)]
        players = tuple(
            Player(log.stem, command=shlex.join([*command, str(log), log.name, str(given.time)]))
            for log in logs
        )
        limit = TimeControl(time=1.0)
        definition = Definition(players, pairs=given.games // 2, limit=limit, max_moves=60)
        folder, _ = played(definition, 1)
        own = {place: map(float, log.read_text("ascii").split()) for place, log in enumerate(logs)}
        errors = []
        for game in sorted(folder.games, key=lambda game: game.number):
            for number, report in enumerate(game.reports, game.opening_moves):
                player = game.white if number % 2 else game.black
                errors.append(1000 * (report.seconds - next(own[player])))
    figures = ", ".join(f"{p:g}%: {percentile(errors, p):.3f}" for p in (50, 90, 99, 99.9, 100))
    print(f"clock      {len(errors)} moves, measured minus own time in ms: {figures}")


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("--time", type=float, default=0.01, help="seconds per move")
    add_run_options(parser, games=60)
    given = parser.parse_args()
    print(f"{given.processes} processes on {cores()} cores, {1000 * given.time:g} ms per move")
    overhead("in process", "classical,memory=16", given)
    pipe = f"cmd[memory=64]:{shlex.quote(sys.executable)} -m tengen gomocup"
    overhead("pipes", pipe, given)
    clock(given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
