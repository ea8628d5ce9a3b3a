# SPDX-License-Identifier: MIT
"""Compares the solver with quintet, on the same problems with the same time for each.

    python benchmarks/solvers.py problems.jsonl --time 5

A problem is one JSON object per line: `id`, `rule`, `size`, `side`, `goal` (vcf, vct_3moves or
vct), `black` and `white` (points such as "H8"). The solvers run one after the other, each on one
core, warm, one position at a time; only the solving call is measured. A failed attempt counts with
the time it took, and a result after the limit is none. Proofs are verified and quintet's lines are
replayed on the board, both outside the measured time; a win that does not hold is reported and not
counted. Version and settings of quintet: benchmarks/quintet/README.md.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import tengen
from bench_common import make_parser, print_table
from tengen import Board, Colour, TengenError, Threat
from tengen.cli.common import at_least, error_text
from tengen.cli.engine_common import (
    InputPosition,
    PositionOptions,
    UnreadablePosition,
    read_positions,
)
from tengen.util.progress import Progress

QUINTET = Path(__file__).parent / "quintet"
PACKAGE = QUINTET / "node_modules" / "@renju-note" / "quintet" / "package.json"
INSTALL = "npm ci --prefix benchmarks/quintet"

# The goals of problems, and the goal of the solver for each.
GOALS = {"vcf": "vcf", "vct_3moves": "vct", "vct": "vct"}
# The goals that quintet has a solver for; for the others it searches for a VCF.
QUINTET_GOALS = ("vcf",)
SOLVERS = ("tengen", "quintet")


class BenchmarkError(TengenError):
    """Why there can be no comparison, and what would help."""


@dataclass(frozen=True)
class SolverResult:
    """The result of a solver for a problem. `fault`: why a win it claims does not count."""

    solved: bool
    seconds: float
    cpu: float  # processor time, in seconds
    line: tuple[str, ...] = ()
    fault: str | None = None


def read_problems(path: Path, only: str | None, limit: int | None) -> list[InputPosition]:
    """The problems of a file, at most `limit` of each goal. Raises BenchmarkError."""
    found: dict[str, list[InputPosition]] = {goal: [] for goal in GOALS}
    for problem in read_positions([str(path)], PositionOptions()):
        if isinstance(problem, UnreadablePosition):
            raise BenchmarkError(problem.reason)
        if (problem.board.rule, problem.board.size) != ("renju", 15):
            raise BenchmarkError(f"{path}: {problem.name}: quintet supports renju on 15x15 only")
        if problem.goal not in GOALS:
            known = ", ".join(GOALS)
            raise BenchmarkError(f"{path}: {problem.name}: goal {problem.goal!r}, not {known}")
        found[problem.goal].append(problem)
    chosen = [problem for goal in GOALS if only in (None, goal) for problem in found[goal][:limit]]
    if not chosen:
        raise BenchmarkError(f"{path}: no problems{f' of goal {only}' if only else ''}")
    return chosen


@contextmanager
def one_core() -> Iterator[None]:
    """Bind this process and those it starts to one core, where the system supports it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def run_tengen(
    problems: Sequence[InputPosition], limit: float, done: Callable[[], None]
) -> Iterator[SolverResult]:
    """The results of tengen's solver, in order."""
    warm_up = Board.from_stones("H8 I8 J8 H9 H10", "G8 H7 A1 A15", "black", rule="renju")
    with one_core():
        for goal in set(GOALS.values()):
            tengen.solve(warm_up, goal=goal, time=limit)
        for problem in problems:
            board, goal = problem.board, GOALS[str(problem.goal)]
            cpu, start = time.process_time(), time.perf_counter()
            answer: Any = tengen.solve(board, goal=goal, time=limit)
            seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
            yield _verified(answer, seconds, cpu, limit)
            done()


def _verified(answer: Any, seconds: float, cpu: float, limit: float) -> SolverResult:
    if not answer:
        return SolverResult(False, seconds, cpu)
    line = tuple(str(move).upper() for move in answer.line())
    try:
        answer.verify()
    except TengenError as error:
        return SolverResult(False, seconds, cpu, line, f"the proof does not hold: {error}")
    return SolverResult(seconds <= limit, seconds, cpu, line)


def run_quintet(
    problems: Sequence[InputPosition], limit: float, done: Callable[[], None]
) -> Iterator[SolverResult]:
    """The results of quintet, in order. It runs in its own process."""
    node = shutil.which("node")
    if node is None:
        raise BenchmarkError(
            "node is not installed: quintet needs Node.js 18 or newer, https://nodejs.org"
        )
    quintet_version()
    command = [node, str(QUINTET / "solve.mjs"), "--time", str(limit)]
    with TemporaryFile("w+", encoding="utf-8") as requests, TemporaryFile("w+") as errors:
        for problem in problems:
            print(json.dumps(_request(problem)), file=requests)
        requests.seek(0)
        with one_core():
            process = subprocess.Popen(
                command, stdin=requests, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8"
            )
        count = 0
        with process:
            try:
                for problem, line in zip(problems, process.stdout or (), strict=False):
                    yield _replayed(problem, json.loads(line), limit)
                    count += 1
                    done()
                process.wait()
            finally:
                process.kill()
        if process.returncode != 0 or count != len(problems):
            errors.seek(0)
            reason = errors.read().strip() or f"exit code {process.returncode}"
            raise BenchmarkError(
                f"quintet stopped after {count} of {len(problems)} problems: {reason}"
            )


def _request(problem: InputPosition) -> dict[str, Any]:
    stones = problem.board.stones()
    points = {
        str(colour): [str(point).upper() for point, owner in stones.items() if owner is colour]
        for colour in Colour
    }
    side = str(problem.board.turn)
    about = {"id": problem.name, "rule": "renju", "size": 15, "side": side, "goal": problem.goal}
    return about | points


def quintet_version() -> str:
    """The version of the installed package; raises BenchmarkError where there is none."""
    try:
        return str(json.loads(PACKAGE.read_text("utf-8"))["version"])
    except FileNotFoundError:
        raise BenchmarkError(f"quintet is not installed: run `{INSTALL}`") from None


def _replayed(problem: InputPosition, reply: dict[str, Any], limit: float) -> SolverResult:
    seconds, cpu = reply["ms"] / 1000, reply["cpu_ms"] / 1000
    if reply["error"] is not None:
        return SolverResult(False, seconds, cpu, fault=f"it failed: {reply['error']}")
    if not reply["solved"]:
        return SolverResult(False, seconds, cpu)
    line = tuple(reply["line"])
    fault = line_fault(problem.board.copy(), line)
    return SolverResult(fault is None and seconds <= limit, seconds, cpu, line, fault)


def line_fault(board: Board, line: Sequence[str]) -> str | None:
    """Why a line of fours does not win, or None if it does. Plays on the board it is given.

    The side to move has every other move. Each must be legal and a four, and the move after it the
    only answer; after the last, no answer is left, or the game is over.
    """
    attacker = board.turn
    if len(line) % 2 == 0:
        return "the line does not end with a move of the attacker"
    for number, move in enumerate(line):
        if not board.is_legal(move):
            return f"move {number + 1}, {move}, is not legal"
        board.push(move)
        if board.is_over():
            won = board.outcome()
            ended = won is not None and won.winner == attacker and number == len(line) - 1
            return None if ended else f"move {number + 1}, {move}, ends the game"
        if board.turn == attacker:
            continue
        if board.threats(board.turn, Threat.FIVE):
            return f"move {number + 1}, {move}, leaves the defender a five"
        wins = board.threats(attacker, Threat.FIVE)
        answers = [point for point in wins if board.is_legal(point)] if len(wins) == 1 else []
        if not wins:
            return f"move {number + 1}, {move}, is no four"
        if number == len(line) - 1:
            return "the last four can be stopped" if answers else None
        if [str(point).upper() for point in answers] != [line[number + 1].upper()]:
            return f"move {number + 2}, {line[number + 1]}, is not the only answer"
    return "the line is empty"


def run_all(
    problems: Sequence[InputPosition], limit: float, solvers: Sequence[str]
) -> dict[str, list[SolverResult]]:
    """The results of each solver, one solver after the other, with a progress bar."""
    runs = {"tengen": run_tengen, "quintet": run_quintet}
    results: dict[str, list[SolverResult]] = {}
    for name in solvers:
        # Drawn between two problems only, so that it takes no time from the solver.
        with Progress(name, len(problems), "problems", line_seconds=None) as progress:
            results[name] = list(runs[name](problems, limit, progress.advance))
    return results


def summary(results: Sequence[SolverResult]) -> dict[str, float]:
    """The figures of one solver on one goal, times in seconds."""
    times = [result.seconds for result in results]
    return {
        "problems": len(results),
        "solved": sum(result.solved for result in results),
        "total": sum(times),
        "median": statistics.median(times),
        "worst": max(times),
        "cpu": sum(result.cpu for result in results),
    }


HEADS = (
    "goal", "solver", "of", "solved", "median ms", "worst ms", "total s", "ratio", "CPU s", "ratio",
)  # fmt: skip


def comparison(
    problems: Sequence[InputPosition], results: dict[str, list[SolverResult]]
) -> Iterator[tuple[str, ...]]:
    """A row for each goal and solver. A `ratio` is quintet's total time by the column before it
    divided by tengen's, for goals that quintet has a solver for.
    """
    for goal, rows in by_goal(problems, results).items():
        figures = {name: summary(rows[name]) for name in results}
        for name, row in figures.items():
            lacking = name == "quintet" and goal not in QUINTET_GOALS
            compared = name == "tengen" and "quintet" in figures and goal in QUINTET_GOALS
            ratios = [
                f"{figures['quintet'][kind] / row[kind]:.2f}" if compared and row[kind] else ""
                for kind in ("total", "cpu")
            ]
            yield (
                goal,
                f"{name}*" if lacking else name,
                f"{row['problems']:.0f}",
                f"{row['solved']:.0f}",
                f"{row['median'] * 1000:.3f}",
                f"{row['worst'] * 1000:.1f}",
                f"{row['total']:.3f}",
                ratios[0],
                f"{row['cpu']:.3f}",
                ratios[1],
            )


def by_goal(
    problems: Sequence[InputPosition], results: dict[str, list[SolverResult]]
) -> dict[str, dict[str, list[SolverResult]]]:
    """The results of each solver, for each goal that occurs."""
    found: dict[str, dict[str, list[SolverResult]]] = {}
    for name, all_ in results.items():
        for problem, result in zip(problems, all_, strict=True):
            found.setdefault(str(problem.goal), {}).setdefault(name, []).append(result)
    return {goal: found[goal] for goal in GOALS if goal in found}


def differences(
    problems: Sequence[InputPosition], results: dict[str, list[SolverResult]]
) -> Iterator[str]:
    """The problems that one solver solves and the other does not, and the wins that do not hold."""
    for name, all_ in results.items():
        for problem, result in zip(problems, all_, strict=True):
            if result.fault is not None:
                yield f"{name}, {problem.name}: {result.fault}"
    if len(results) < 2:
        return
    for goal in dict.fromkeys(problem.goal for problem in problems):
        for name, other in (SOLVERS, SOLVERS[::-1]):
            pairs = zip(problems, results[name], results[other], strict=True)
            alone = [p.name for p, one, two in pairs if p.goal == goal and one.solved > two.solved]
            if other == "quintet" and goal not in QUINTET_GOALS:
                yield f"{goal}, only {name}: {len(alone)} (quintet has no solver for this goal)"
            else:
                yield f"{goal}, only {name}: {len(alone)} {' '.join(alone)}".rstrip()


def as_json(
    problems: Sequence[InputPosition], results: dict[str, list[SolverResult]], limit: float
) -> dict[str, Any]:
    """All results as a JSON object."""
    versions = {"tengen": lambda: tengen.__version__, "quintet": quintet_version}
    return {
        "time": limit,
        "versions": {name: versions[name]() for name in results},
        "goals": {
            goal: {name: summary(rows) for name, rows in of_goal.items()}
            for goal, of_goal in by_goal(problems, results).items()
        },
        "problems": [
            {"id": problem.name, "goal": problem.goal}
            | {name: asdict(all_[place]) for name, all_ in results.items()}
            for place, problem in enumerate(problems)
        ],
    }


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("file", type=Path, help="problems, one JSON object per line")
    parser.add_argument("--time", type=float, default=5.0, help="per problem (default: 5)")
    parser.add_argument("--limit", type=at_least(1), help="only so many problems of each goal")
    parser.add_argument("--only", choices=GOALS, help="only the problems of this goal")
    parser.add_argument("--solver", choices=SOLVERS, help="run only this solver")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all results")
    args = parser.parse_args()
    if not 0 < args.time <= 1_000_000:
        parser.error("--time takes seconds, more than 0")
    try:
        problems = read_problems(args.file, args.only, args.limit)
        results = run_all(problems, args.time, [args.solver] if args.solver else SOLVERS)
        if args.json is not None:
            text = json.dumps(as_json(problems, results, args.time), indent=1)
            args.json.write_text(text + "\n", "utf-8")
    except (TengenError, OSError) as error:
        print(f"solvers: {error_text(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nsolvers: interrupted", file=sys.stderr)
        return 130
    print_table(HEADS, comparison(problems, results))
    print(f"{args.time:g} s for each problem; ratio: quintet / tengen, of the times before it")
    if "quintet" in results and any(problem.goal not in QUINTET_GOALS for problem in problems):
        print("*: quintet has a VCF solver only; it searches for a VCF, and no ratio is shown")
    for line in differences(problems, results):
        print(line)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
