# SPDX-License-Identifier: MIT
"""The first move of fresh processes: how late it is, and whether it comes in little memory.

    python benchmarks/first_move.py --command build/release/pbrain-tengen
    python benchmarks/first_move.py --memory 64:512:2 --threads 1,2

Times: each process gets START, the time for a move, and TURN or BEGIN by turns; the clock runs from
that byte to the answer. A C program that answers at once, compiled by $CC (default: cc), is
measured by turns with it and has the time of pipes and scheduler. Memory: the limit is the address
space of the process (`ulimit -v`), in MiB; a process that answers no legal move is a fault.
Nothing here passes or fails.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench_common import make_parser, print_machine, print_table
from strict_client import BrokenPlayer, Client
from tengen.arena.elo import percentile
from tengen.util.progress import Progress

TIMEOUT = 30.0  # seconds for a move, beyond its limit
_C_PROGRAM = r"""
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[256];
  while (fgets(line, sizeof line, stdin)) {
    if (!strncmp(line, "START", 5)) puts("OK");
    if (!strncmp(line, "BEGIN", 5)) puts("7,7");
    if (!strncmp(line, "TURN", 4)) puts("8,8");
    if (!strncmp(line, "END", 3)) return 0;
    fflush(stdout);
  }
}
"""


def first_move(command: Sequence[str], milliseconds: int, turn: bool) -> float:
    """Seconds to the first move of a new process. Raises BrokenPlayer."""
    client = Client(command)
    try:
        infos = {"timeout_turn": milliseconds, "timeout_match": 0, "rule": 0}
        client.begin(15, infos, infos_first=False)
        stones = [(7, 6)] if turn else []
        place, seconds = client.move(stones, False, milliseconds / 1000 + TIMEOUT)
        if place in stones or max(place) >= 15:
            raise BrokenPlayer("illegal", f"the move is {place}")
        client.end(TIMEOUT)
        return seconds
    finally:
        client.kill()


def measure_times(command: Sequence[str], limits: Sequence[int], count: int) -> None:
    heads = ("program", "ms for the move", "median", "99th percentile", "slowest", "faults")
    with tempfile.TemporaryDirectory() as folder:
        programs = {"this": command, "only answers": _compiled(Path(folder))}
        rows = []
        for limit in limits:
            seconds: dict[str, list[float]] = {name: [] for name in programs}
            faults = dict.fromkeys(programs, 0)
            with Progress(f"{limit} ms", count) as progress:
                for number in range(count):
                    for name, program in programs.items():
                        try:
                            seconds[name].append(first_move(program, limit, number % 2 == 0))
                        except BrokenPlayer:
                            faults[name] += 1
                    progress.update(number + 1)
            for name, found in seconds.items():
                values = [percentile(found, share) for share in (50, 99, 100)] if found else []
                figures = [f"{1000 * value:.1f}" for value in values] or ["-"] * 3
                rows.append((name, limit, *figures, faults[name]))
    print_table(heads, rows)


def measure_memory(command: Sequence[str], memories: range, threads: Sequence[int]) -> None:
    """Each limit with each number of threads, once."""
    rows = []
    for number in threads:
        faults = []
        with Progress(f"{number} threads", len(memories)) as progress:
            for step, memory in enumerate(memories):
                limited = f"ulimit -v {memory * 1024}; exec {shlex.join(command)}"
                program = ["sh", "-c", f"{limited} --threads {number}"]
                try:
                    first_move(program, 200, step % 2 == 0)
                except BrokenPlayer as error:
                    faults.append(f"{memory} MiB: {error.kind}: {error}")
                progress.update(step + 1)
        rows.append((number, f"{memories[0]} to {memories[-1]} MiB", len(memories), len(faults)))
        for fault in faults:
            print(fault, file=sys.stderr)
    print_table(("threads", "limits", "processes", "faults"), rows)


def _compiled(folder: Path) -> list[str]:
    source, program = folder / "answers.c", folder / "answers"
    source.write_text(_C_PROGRAM)
    compiler = shlex.split(os.environ.get("CC", "cc"))
    subprocess.run([*compiler, "-O2", "-o", str(program), str(source)], check=True)
    return [str(program)]


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def _memories(text: str) -> range:
    first, last, step = map(int, text.split(":"))
    return range(first, last + 1, step)


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("--command", default="build/release/pbrain-tengen", help="the program")
    parser.add_argument("--limits", type=_numbers, default=[20, 50, 100], metavar="MS,MS")
    parser.add_argument("--count", type=int, default=200, help="processes per limit")
    parser.add_argument("--memory", type=_memories, metavar="FROM:TO:STEP", help="MiB of memory")
    parser.add_argument("--threads", type=_numbers, default=[1], metavar="N,N")
    args = parser.parse_args()
    command = shlex.split(args.command)
    print_machine()
    if args.memory:
        measure_memory(command, args.memory, args.threads)
    else:
        measure_times(command, args.limits, args.count)
    return 0


if __name__ == "__main__":
    sys.exit(main())
