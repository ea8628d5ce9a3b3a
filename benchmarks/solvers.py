# SPDX-License-Identifier: MIT
"""Our solver beside quintet, on the same problems with the same time for each.

    python benchmarks/solvers.py problems.jsonl --time 5

A problem is one JSON object a line: `id`, `rule`, `size`, `side`, `goal` (vcf, vct_3moves or vct),
`black` and `white` (points such as "H8"). The solvers run one after the other, each on one core,
warm, one position at a time; what is measured is the solving call alone. An attempt that fails
counts with the time it took, and an answer after the limit is none. Our proofs are verified and
quintet's lines are played through on our board, both outside the measured time; a win that does
not hold is told and not counted. What quintet is and how it is set: benchmarks/quintet/README.md.
"""

from __future__ import annotations

import argparse
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

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import tengen
from tengen import Board, TengenError, Threat
from tengen.cli.common import error_text

QUINTET = Path(__file__).parent / "quintet"
PACKAGE = QUINTET / "node_modules" / "@renju-note" / "quintet" / "package.json"
INSTALL = "npm ci --prefix benchmarks/quintet"

# The goals of problems, and what they are to our solver.
GOALS = {"vcf": "vcf", "vct_3moves": "vct", "vct": "vct"}
# The goals that quintet has a solver for. It tries the others too, in vain unless there is a VCF.
QUINTET_GOALS = ("vcf",)
SOLVERS = ("tengen", "quintet")


class Fault(Exception):
    """Why there can be no comparison; the message says what would help."""


@dataclass(frozen=True)
class Problem:
    """A position and what is to be found in it."""

    id: str
    goal: str
    side: str
    black: tuple[str, ...]
    white: tuple[str, ...]

    def board(self) -> Board:
        return Board.from_stones(
            black=self.black, white=self.white, to_move=self.side, size=15, rule="renju"
        )


@dataclass(frozen=True)
class Result:
    """What a solver made of a problem. `fault` is why a win it claims does not count."""

    solved: bool
    seconds: float
    cpu: float  # processor time, in seconds
    line: tuple[str, ...] = ()
    fault: str | None = None


def read_problems(path: Path, only: str | None, limit: int | None) -> list[Problem]:
    """The problems of a file, at most `limit` of each goal. Raises Fault for a bad line."""
    found: dict[str, list[Problem]] = {goal: [] for goal in GOALS}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            problem = _problem(json.loads(line))
        except KeyError as error:
            raise Fault(f"{path}:{number}: a problem without {error}") from None
        except json.JSONDecodeError as error:
            raise Fault(f"{path}:{number}: no JSON: {error.msg}") from None
        except (ValueError, TypeError) as error:  # among them what is wrong with a position
            raise Fault(f"{path}:{number}: {error}") from None
        found[problem.goal].append(problem)
    chosen = [problem for goal in GOALS if only in (None, goal) for problem in found[goal][:limit]]
    if not chosen:
        raise Fault(f"{path}: no problems{f' of goal {only}' if only else ''}")
    return chosen


def _problem(read: Any) -> Problem:
    if not isinstance(read, dict):
        raise ValueError("no JSON object")
    if (read["rule"], read["size"]) != ("renju", 15):
        raise ValueError(f"{read['rule']} on {read['size']} lines; quintet knows renju on 15 only")
    if read["goal"] not in GOALS:
        raise ValueError(f"no goal {read['goal']!r}: known are {', '.join(GOALS)}")
    stones = (tuple(map(str, read[colour])) for colour in ("black", "white"))
    problem = Problem(str(read["id"]), read["goal"], read["side"], *stones)
    problem.board()
    return problem


@contextmanager
def one_core() -> Iterator[None]:
    """This process, and those it starts meanwhile, on one core, where the system can do that."""
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
    problems: Sequence[Problem], limit: float, done: Callable[[], None]
) -> Iterator[Result]:
    """Our solver's results, in order."""
    if not hasattr(tengen, "solve"):
        raise Fault("this tengen has no `solve`: run `make build`")
    warm_up = Board.from_stones("H8 I8 J8 H9 H10", "G8 H7 A1 A15", "black", rule="renju")
    with one_core():
        for goal in set(GOALS.values()):
            tengen.solve(warm_up, goal=goal, time=limit)
        for problem in problems:
            board, goal = problem.board(), GOALS[problem.goal]
            cpu, start = time.process_time(), time.perf_counter()
            answer: Any = tengen.solve(board, goal=goal, time=limit)
            seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
            yield _judged(answer, seconds, cpu, limit)
            done()


def _judged(answer: Any, seconds: float, cpu: float, limit: float) -> Result:
    if not answer:
        return Result(False, seconds, cpu)
    line = tuple(str(move).upper() for move in answer.line())
    try:
        answer.verify()
    except TengenError as error:
        return Result(False, seconds, cpu, line, f"the proof does not hold: {error}")
    return Result(seconds <= limit, seconds, cpu, line)


def run_quintet(
    problems: Sequence[Problem], limit: float, done: Callable[[], None]
) -> Iterator[Result]:
    """Quintet's results, in order. It runs beside us, on a core of its own if there are two."""
    node = shutil.which("node")
    if node is None:
        raise Fault("node is not installed: quintet needs Node.js 18 or newer, https://nodejs.org")
    quintet_version()
    command = [node, str(QUINTET / "solve.mjs"), "--time", str(limit)]
    with TemporaryFile("w+", encoding="utf-8") as asked, TemporaryFile("w+") as complaints:
        for problem in problems:
            print(json.dumps({"rule": "renju", "size": 15, **asdict(problem)}), file=asked)
        asked.seek(0)
        with one_core():
            process = subprocess.Popen(
                command, stdin=asked, stdout=subprocess.PIPE, stderr=complaints, encoding="utf-8"
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
            complaints.seek(0)
            said = complaints.read().strip() or f"exit code {process.returncode}"
            raise Fault(f"quintet stopped after {count} of {len(problems)} problems: {said}")


def quintet_version() -> str:
    """The version of the installed package; raises Fault where there is none."""
    try:
        return str(json.loads(PACKAGE.read_text("utf-8"))["version"])
    except FileNotFoundError:
        raise Fault(f"quintet is not installed: run `{INSTALL}`") from None


def _replayed(problem: Problem, told: dict[str, Any], limit: float) -> Result:
    seconds, cpu = told["ms"] / 1000, told["cpu_ms"] / 1000
    if told["error"] is not None:
        return Result(False, seconds, cpu, fault=f"it failed: {told['error']}")
    if not told["solved"]:
        return Result(False, seconds, cpu)
    line = tuple(told["line"])
    fault = line_fault(problem.board(), line)
    return Result(fault is None and seconds <= limit, seconds, cpu, line, fault)


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
    problems: Sequence[Problem], limit: float, solvers: Sequence[str]
) -> dict[str, list[Result]]:
    """The results of each solver, one solver after the other; a bar follows if someone looks."""
    runs = {"tengen": run_tengen, "quintet": run_quintet}
    results: dict[str, list[Result]] = {}
    console = Console(stderr=True)
    # Drawn between two problems only, so that it takes no time from the solver.
    with Progress(
        console=console, transient=True, auto_refresh=False, disable=not sys.stderr.isatty()
    ) as progress:
        for name in solvers:
            task = progress.add_task(name, total=len(problems))

            def done(task: Any = task) -> None:
                progress.advance(task)
                progress.refresh()

            results[name] = list(runs[name](problems, limit, done))
    return results


def summary(results: Sequence[Result]) -> dict[str, float]:
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


def comparison(problems: Sequence[Problem], results: dict[str, list[Result]]) -> Table:
    """A row for each goal and solver. Each `ratio` is how many times as long as ours quintet
    takes in all, by the column before it, where it has a solver for the goal.
    """
    table = Table(box=SIMPLE_HEAD, padding=0, pad_edge=False)
    for heading in ("goal", "solver"):
        table.add_column(heading, no_wrap=True)
    for heading in ("of", "solved", "median ms", "worst ms", "total s", "ratio", "CPU s", "ratio"):
        table.add_column(heading, justify="right", no_wrap=True)
    for goal, rows in by_goal(problems, results).items():
        figures = {name: summary(rows[name]) for name in results}
        for name, row in figures.items():
            lacking = name == "quintet" and goal not in QUINTET_GOALS
            compared = name == "tengen" and "quintet" in figures and goal in QUINTET_GOALS
            ratios = [
                f"{figures['quintet'][kind] / row[kind]:.2f}" if compared and row[kind] else ""
                for kind in ("total", "cpu")
            ]
            table.add_row(
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
                end_section=name == list(figures)[-1],
            )
    return table


def by_goal(
    problems: Sequence[Problem], results: dict[str, list[Result]]
) -> dict[str, dict[str, list[Result]]]:
    """The results of each solver, for each goal that occurs."""
    return {
        goal: {
            name: [
                result
                for problem, result in zip(problems, all_, strict=True)
                if problem.goal == goal
            ]
            for name, all_ in results.items()
        }
        for goal in GOALS
        if any(problem.goal == goal for problem in problems)
    }


def differences(problems: Sequence[Problem], results: dict[str, list[Result]]) -> Iterator[str]:
    """The problems that one solver solves and the other does not, and the wins that do not hold."""
    for name, all_ in results.items():
        for problem, result in zip(problems, all_, strict=True):
            if result.fault is not None:
                yield f"{name}, {problem.id}: {result.fault}"
    if len(results) < 2:
        return
    for goal in dict.fromkeys(problem.goal for problem in problems):
        for name, other in (SOLVERS, SOLVERS[::-1]):
            pairs = zip(problems, results[name], results[other], strict=True)
            alone = [p.id for p, one, two in pairs if p.goal == goal and one.solved > two.solved]
            if other == "quintet" and goal not in QUINTET_GOALS:
                yield f"{goal}, only {name}: {len(alone)} (quintet has no solver for this goal)"
            else:
                yield f"{goal}, only {name}: {len(alone)} {' '.join(alone)}".rstrip()


def in_full(
    problems: Sequence[Problem], results: dict[str, list[Result]], limit: float
) -> dict[str, Any]:
    """Everything for a program."""
    versions = {"tengen": lambda: tengen.__version__, "quintet": quintet_version}
    return {
        "time": limit,
        "versions": {name: versions[name]() for name in results},
        "goals": {
            goal: {name: summary(rows) for name, rows in of_goal.items()}
            for goal, of_goal in by_goal(problems, results).items()
        },
        "problems": [
            {"id": problem.id, "goal": problem.goal}
            | {name: asdict(all_[place]) for name, all_ in results.items()}
            for place, problem in enumerate(problems)
        ],
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="problems, one JSON object a line")
    parser.add_argument(
        "--time", type=float, default=5.0, metavar="SECONDS", help="for each problem (default: 5)"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N of each goal")
    parser.add_argument("--only", choices=list(GOALS), help="only the problems of this goal")
    parser.add_argument("--solver", choices=SOLVERS, help="run only this one")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write all results to a file")
    args = parser.parse_args()
    if not 0 < args.time <= 1_000_000:
        parser.error("--time takes seconds, more than 0")
    if args.limit is not None and args.limit < 1:
        parser.error("--limit takes a number of problems, at least 1")
    try:
        problems = read_problems(args.file, args.only, args.limit)
        results = run_all(problems, args.time, [args.solver] if args.solver else SOLVERS)
        if args.json is not None:
            text = json.dumps(in_full(problems, results, args.time), indent=1)
            args.json.write_text(text + "\n", "utf-8")
    except (Fault, OSError) as error:
        print(f"solvers: {error_text(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nsolvers: interrupted", file=sys.stderr)
        return 130
    Console().print(comparison(problems, results))
    print(f"{args.time:g} s for each problem; ratio: quintet / tengen, of the times before it")
    if "quintet" in results and any(problem.goal not in QUINTET_GOALS for problem in problems):
        print("*: quintet has a VCF solver only; it is asked for a VCF, and no ratio is told")
    for line in differences(problems, results):
        print(line)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
