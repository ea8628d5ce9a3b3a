# SPDX-License-Identifier: MIT
"""Solves positions for `tengen solve`: one with its verification, or many with one line each and a
summary.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tengen.cli import common
from tengen.cli.common import INTERRUPTED, StopSignal, error_text
from tengen.cli.engine_common import InputPosition, PositionItem, UnreadablePosition
from tengen.game.errors import TengenError
from tengen.solver import (
    BadProof,
    Cancel,
    Cancelled,
    Defences,
    Goal,
    NoProof,
    Proof,
    Solver,
    SolverProgress,
    Status,
)
from tengen.solver.search import SolverOptions
from tengen.util.progress import Progress

EXIT_CODES = {"win": 0, "no win": 3, "unknown": 4}
_COLUMNS = ("problems", *EXIT_CODES, "verified", "invalid", "broken")
_MAX_NAME = 24  # columns for the name of a position
log = partial(common.log, "tengen solve")


@dataclass(frozen=True, slots=True)
class SolvedPosition:
    """The result for one position."""

    name: str
    goal: str
    result: Proof | NoProof
    verified: bool | None = None  # None: not verified
    fault: str = ""  # why the proof is invalid

    @property
    def status(self) -> str:
        return status_of(self.result)

    @property
    def cost(self) -> tuple[int, float]:
        """Nodes and seconds of the search."""
        stats = self.result.stats if isinstance(self.result, Proof) else self.result
        return (stats.nodes, stats.seconds) if stats else (0, 0.0)

    def as_json(self) -> dict[str, Any]:
        result = self.result
        nodes, seconds = self.cost
        common = {
            "id": self.name,
            "goal": self.goal,
            "status": self.status,
            "seconds": round(seconds, 6),
            "attacker": str(result.attacker),
            "nodes": nodes,
        }
        if isinstance(result, Proof):
            return common | {
                "move": str(result.move),
                "moves": result.depth,
                "line": [str(move) for move in result.line()],
                "proof_nodes": result.nodes,
                "verified": self.verified,
                **({"fault": self.fault} if self.fault else {}),
            }
        best = None if result.best is None else str(result.best)
        return common | {"reason": result.reason, "depth": result.depth, "best": best}


def status_of(result: Proof | NoProof) -> str:
    """`win`, `no win` or `unknown`."""
    return "win" if isinstance(result, Proof) else str(result.status)


@dataclass
class PositionSolver:
    """Solves positions with the options of the command line."""

    args: argparse.Namespace
    _solver: Solver | None = None  # kept while size and rule stay the same

    def solve(self, position: InputPosition, cancel: Cancel, progress: Progress) -> SolvedPosition:
        solver, goal, options = self._prepare(position, cancel, progress)
        result = solver.solve(position.board, goal, **options)
        label = position.goal or str(goal)
        if not isinstance(result, Proof) or not self.args.verify:
            return SolvedPosition(position.name, label, result)
        try:
            verified, fault = result.verify(_verifying(progress), cancel), ""
        except Cancelled:
            verified, fault = None, ""
        except BadProof as error:
            verified, fault = False, str(error)
        return SolvedPosition(position.name, label, result, verified, fault)

    def defences(
        self, position: InputPosition, cancel: Cancel, progress: Progress
    ) -> tuple[Defences, bool]:
        """The defences, and whether all their proofs were verified."""
        solver, goal, options = self._prepare(position, cancel, progress)
        defences = solver.defences(position.board, goal, **options)
        if not defences or not self.args.verify:
            return defences, False
        try:
            for proof in (defences.threat, *defences.losing.values()):
                assert isinstance(proof, Proof)
                proof.verify(_verifying(progress), cancel)
        except Cancelled:
            return defences, False
        return defences, True

    def _prepare(
        self, position: InputPosition, cancel: Cancel, progress: Progress
    ) -> tuple[Solver, Goal, SolverOptions]:
        args, board, solver = self.args, position.board, self._solver
        if solver is None or (solver.size, solver.rule) != (board.size, board.rule):
            self._solver = None  # frees its memory first
            self._solver = solver = Solver(board.size, board.rule, args.memory)
        goal = self._goal(position)
        return (
            solver,
            goal,
            {
                "time": args.time,
                "nodes": args.nodes,
                "quiet": args.quiet if goal is Goal.ANY else None,
                "cancel": cancel,
                "progress": _searching(progress),
            },
        )

    def _goal(self, position: InputPosition) -> Goal:
        """The goal of the command line, else the position's: `vct_3moves` is a vct."""
        if self.args.goal is not None:
            return Goal(self.args.goal)
        if position.goal is None:
            return Goal.VCT
        letters = re.match(r"[a-z]*", position.goal.strip().lower())
        kind = letters[0] if letters else ""
        return Goal(kind) if kind in list(Goal) else Goal.parse(position.goal)


def _searching(progress: Progress) -> Callable[[SolverProgress], None]:
    def report(search: SolverProgress) -> None:
        parts = [f"{search.nodes:,} nodes"]
        if search.seconds > 0:
            parts.append(f"{search.nodes / search.seconds:,.0f} nodes/s")
        parts.append(f"depth {search.depth}")
        if search.best is not None:
            parts.append(f"best {search.best}")
        progress.update(text=f"searching: {', '.join(parts)}, {search.seconds:.1f} s")

    return report


def _verifying(progress: Progress) -> Callable[[int], None]:
    return lambda moves: progress.update(text=f"verifying the proof: {moves:,} moves played")


def solve_many(items: Sequence[PositionItem], solver: PositionSolver) -> int:
    """Solve positions in turn; a fault of one does not stop the others.

    Returns 0 if each was searched, 1 if some were broken or some proof was invalid, 130 after an
    interrupt.
    """
    as_json = solver.args.json
    width = min(max(len(item.name) for item in items), _MAX_NAME)
    done: list[SolvedPosition] = []
    broken = 0
    counts: Counter[str] = Counter()
    with (
        StopSignal() as interrupt,
        Progress("", len(items), rate=False, line_seconds=None) as progress,
    ):

        def output(text: str) -> None:
            """Print a result at once; above the bar if both are on the terminal."""
            if progress.is_live and sys.stdout.isatty():
                progress.print(text)
            else:
                print(text, flush=True)

        for item in items:
            if interrupt.requested:
                break
            try:
                solved = solver.solve(item.require(), interrupt.cancel, progress)
            except TengenError as error:
                broken += 1
                name = "" if isinstance(item, UnreadablePosition) else f"{item.name}: "
                message = error_text(TengenError(f"{name}{error}"))
                progress.print(f"tengen solve: {message}")
                if as_json:
                    output(json.dumps({"id": item.name, "error": message}))
                counts["broken"] += 1
            else:
                if interrupt.requested and solved.status == Status.UNKNOWN:
                    break  # cut short: no result
                done.append(solved)
                output(json.dumps(solved.as_json()) if as_json else _row(solved, width))
                counts[solved.status] += 1
            progress.advance(1, ", ".join(f"{n} {name}" for name, n in counts.items()))
            progress.draw()
    summary = _summary(done, broken, interrupt.requested)
    if as_json:
        print(json.dumps({"summary": summary}))
    else:
        print("", *_summary_lines(summary), sep="\n")
    if interrupt.requested:
        left = len(items) - len(done) - broken
        log(f"interrupted, {left} of {len(items)} not done")
        return INTERRUPTED
    return 1 if broken or summary["all"]["invalid"] else 0


def _row(solved: SolvedPosition, width: int) -> str:
    """One line for one of many positions; names take `width` columns."""
    result, text = solved.result, ""
    nodes, seconds = solved.cost
    if isinstance(result, Proof):
        check = {True: ", verified", None: "", False: f", INVALID: {solved.fault}"}
        text = f"{result.move} in {result.depth}{check[solved.verified]}"
    elif result.status is Status.UNKNOWN:
        text = result.reason
    return (
        f"{solved.name:<{width}}  {solved.goal:<10}  {solved.status:<7}"
        f" {1000 * seconds:>10.2f} ms {nodes:>12,} nodes  {text}"
    ).rstrip()


def _summary(done: Sequence[SolvedPosition], broken: int, interrupted: bool) -> dict[str, Any]:
    """Counts and times, by goal and in total."""
    goals = sorted({solved.goal for solved in done})
    return {
        "goals": {g: _statistics([solved for solved in done if solved.goal == g]) for g in goals},
        "all": _statistics(done) | {"broken": broken},
        "interrupted": interrupted,
    }


def _statistics(done: Sequence[SolvedPosition]) -> dict[str, Any]:
    statuses = [solved.status for solved in done]
    times = [solved.cost[1] for solved in done]
    return {
        "problems": len(done),
        **{status: statuses.count(status) for status in EXIT_CODES},
        "verified": sum(solved.verified is True for solved in done),
        "invalid": sum(solved.verified is False for solved in done),
        "seconds": {
            "total": round(sum(times), 6),
            "median": round(statistics.median(times), 6) if times else 0.0,
            "worst": round(max(times, default=0.0), 6),
        },
    }


def _summary_lines(summary: dict[str, Any]) -> Iterator[str]:
    """The summary as a table; columns of faults are shown only if there are any."""
    shown = [c for c in _COLUMNS if c not in ("invalid", "broken") or summary["all"].get(c)]
    yield "goal      " + "".join(f"{name:>10}" for name in shown) + "   total s median ms  worst ms"
    lines = dict(summary["goals"])
    if len(lines) != 1 or summary["all"]["broken"]:
        lines["all"] = summary["all"]
    for goal, numbers in lines.items():
        cells = "".join(f"{numbers.get(name, ''):>10}" for name in shown)
        times = numbers["seconds"]
        cells += f"{times['total']:>10.3f}"
        cells += "".join(f"{1000 * times[which]:>10.2f}" for which in ("median", "worst"))
        yield f"{goal:<10}{cells}"
