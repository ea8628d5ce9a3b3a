# SPDX-License-Identifier: MIT
"""`tengen solve`: forced wins with verified proofs, and defences.

One position prints its result and main line; many print one line each and a summary. Results go to
stdout, everything else to stderr. Relies on the solver and on `positions`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.cli.common import (
    StopSignal,
    add_record_options,
    add_rule,
    at_least,
    error_text,
    move_list,
    seconds,
)
from tengen.cli.engine_common import (
    InputPosition,
    PositionItem,
    PositionOptions,
    UnreadablePosition,
    read_positions,
)
from tengen.game import records
from tengen.game.errors import BadPosition, TengenError
from tengen.game.render.text import MAX_NUMBERED, board_text, numbered_text
from tengen.solver import (
    Answer,
    BadProof,
    Cancel,
    Cancelled,
    Defences,
    Goal,
    Proof,
    Solver,
    SolverProgress,
    Status,
)
from tengen.solver.goal import Limits
from tengen.solver.search import DEFAULT_MEMORY, DEFAULT_TIME, SolverOptions
from tengen.util.progress import Progress

__all__ = ["configure", "run"]

EXIT_CODES = {"win": 0, "no win": 3, "unknown": 4}
_COLUMNS = ("problems", *EXIT_CODES, "verified", "refuted", "broken")
_MAX_NAME = 24  # columns for the name of a position
_EPILOG = """\
examples:
  tengen solve "h8 i9 h9 i8 h10 f8" --goal vcf       moves, black first; the side to move attacks
  tengen solve game.sgf --move 24                    the position after move 24 of a game
  tengen solve game.sgf --side black                 the last position, as if black were to move
  tengen solve puzzle.txt --rule renju               a board drawn as tengen draws it
  tengen solve '{"black": ["h8", "h9"], "white": ["i8"], "rule": "renju"}'
  tengen solve puzzles.jsonl --time 5 --json         one position per line, a summary at the end
  tengen solve game.sgf --proof win.json.gz --svg win.svg
  tengen solve game.sgf --defences                   the threat, and the moves that refute it

exit code:
  0  a win was found (--defences: a threat; many positions: each was searched)
  3  there is no win of that kind (--defences: no threat)
  4  unknown: a limit was reached, or Ctrl-C pressed
  1  an error: bad input, or a proof that does not hold; 2 wrong usage
  130  many positions were interrupted, or Ctrl-C was pressed twice
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "position",
        nargs="+",
        metavar="POSITION",
        help="moves, a JSON object, or a file: a record, JSON lines, a drawn board; - for stdin",
    )
    parser.add_argument(
        "--goal",
        type=str.lower,
        choices=[str(goal) for goal in Goal],
        help="win by continuous fours (vcf), threats (vct), or also quiet moves (any);"
        " default: the goal of the position, else vct",
    )
    parser.add_argument(
        "--quiet",
        type=at_least(0),
        metavar="N",
        help="quiet moves allowed with --goal any (default: 1)",
    )
    _add_limits(parser)
    parser.add_argument(
        "--side", choices=["black", "white"], help="the side to move, which attacks"
    )
    add_rule(parser, "solve under this rule instead of the file's")
    add_record_options(parser)
    parser.add_argument(
        "--game", type=int, metavar="N", help="only game N of the file (default: all)"
    )
    parser.add_argument("--move", type=int, metavar="N", help="the position after move N")
    parser.add_argument(
        "--defences",
        action="store_true",
        help="the opponent's threat, and the moves that refute it",
    )
    parser.add_argument(
        "--verify",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="verify each proof with the referee (default: yes)",
    )
    parser.add_argument("--proof", metavar="OUT.json", help="save the proof; .json.gz packs it")
    parser.add_argument("--svg", metavar="OUT.svg", help="draw the main line into a file")
    parser.add_argument("--overwrite", action="store_true", help="let --proof, --svg replace files")
    parser.add_argument("--json", action="store_true", help="print JSON objects, one per line")


def _add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--time",
        type=seconds,
        default=DEFAULT_TIME,
        metavar="S",
        help=f"seconds per position; 0: no limit (default: {DEFAULT_TIME:g})",
    )
    parser.add_argument(
        "--nodes", type=at_least(1), metavar="N", help="maximum number of moves to try"
    )
    parser.add_argument(
        "--memory",
        type=at_least(1),
        default=DEFAULT_MEMORY,
        metavar="MIB",
        help=f"memory limit of a search (default: {DEFAULT_MEMORY})",
    )


def run(args: argparse.Namespace) -> int:
    Limits.checked(Goal(args.goal or Goal.ANY), args.time, args.nodes, args.quiet)
    how = PositionOptions(args.rule, args.size, args.side, args.source_format, args.game, args.move)
    items = read_positions(args.position, how)
    if len(items) > 1 and (args.proof or args.svg or args.defences):
        print(
            f"tengen solve: {len(items)} positions: --proof, --svg and --defences are for one",
            file=sys.stderr,
        )
        return 2
    _check_outputs(args)
    solver = _PositionSolver(args)
    if len(items) > 1:
        return _solve_many(items, solver)
    item = items[0]
    if isinstance(item, UnreadablePosition):
        raise BadPosition(item.reason)
    with StopSignal() as interrupt, Progress("", line_seconds=None) as progress:
        if args.defences:
            defences, verified = solver.defences(item, interrupt.cancel, progress)
        else:
            solved = solver.solve(item, interrupt.cancel, progress)
    return (
        _print_defences(defences, item, verified, args) if args.defences else _print(solved, args)
    )


def _check_outputs(args: argparse.Namespace) -> None:
    """Reject before the search what could not be written after it."""
    for name in (args.proof, args.svg):
        if name and Path(name).is_file() and not args.overwrite:
            raise FileExistsError(f"{name} exists: --overwrite replaces it")
        if name and not Path(os.path.realpath(name)).parent.is_dir():
            raise FileNotFoundError(f"{name}: there is no such folder")


@dataclass(frozen=True, slots=True)
class SolvedPosition:
    """The result for one position."""

    name: str
    goal: str
    result: Proof | Answer
    verified: bool | None = None  # None: not verified
    fault: str = ""  # why the proof does not hold

    @property
    def status(self) -> str:
        return _status(self.result)

    @property
    def cost(self) -> tuple[int, float]:
        """Nodes and seconds of the search."""
        stats = self.result.stats if isinstance(self.result, Proof) else self.result
        return (stats.nodes, stats.seconds) if stats else (0, 0.0)


def _status(result: Proof | Answer) -> str:
    """`win`, `no win` or `unknown`."""
    return "win" if isinstance(result, Proof) else str(result.status)


@dataclass
class _PositionSolver:
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
        found = solver.defences(position.board, goal, **options)
        if not found or not self.args.verify:
            return found, False
        try:
            for proof in (found.threat, *found.losing.values()):
                assert isinstance(proof, Proof)
                proof.verify(_verifying(progress), cancel)
        except Cancelled:
            return found, False
        return found, True

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


# --- one position ---


def _print(solved: SolvedPosition, args: argparse.Namespace) -> int:
    if args.json:
        print(json.dumps(_as_json(solved)))
    else:
        print(*_result_lines(solved, shutil.get_terminal_size().columns), sep="\n")
    if solved.verified is False:
        raise BadProof(f"the proof that was found does not hold: {solved.fault}")
    _write_outputs(solved.result, None, args)
    return EXIT_CODES[solved.status]


def _print_defences(
    found: Defences, position: InputPosition, verified: bool, args: argparse.Namespace
) -> int:
    if args.json:
        print(json.dumps(_defences_as_json(found, position.name, True if verified else None)))
    else:
        print(*_defences_lines(found, verified), sep="\n")
    marks = dict.fromkeys(found.moves, "o") | dict.fromkeys(found.unknown, "?")
    picture = position.board.svg(marks=marks) if args.svg and found else None
    _write_outputs(found.threat, picture, args)
    return EXIT_CODES[_status(found.threat)]


def _write_outputs(result: Proof | Answer, picture: str | None, args: argparse.Namespace) -> None:
    if isinstance(result, Answer):
        if args.proof or args.svg:
            print("tengen solve: nothing is written: there is no proof", file=sys.stderr)
        return
    if args.proof:
        result.save(args.proof)
        print(f"tengen solve: proof saved to {args.proof}", file=sys.stderr)
    if args.svg:
        records.write_text(picture or result.svg(), args.svg)
        print(f"tengen solve: drawn to {args.svg}", file=sys.stderr)


def _result_lines(solved: SolvedPosition, width: int) -> Iterator[str]:
    """The result, the main line, and the board with its numbers if `width` columns hold it."""
    proof = solved.result
    yield str(proof)
    if isinstance(proof, Answer):
        return
    line = proof.line()
    yield ""
    yield from move_list(line)
    if any(move.is_pass for move in line):
        yield "(pass: any reply that does nothing against the threat)"
    if len(line) <= MAX_NUMBERED and 3 * proof.size + 6 <= width:
        yield ""
        yield numbered_text(proof.size, proof.board.stones(), line)
    yield ""
    if proof.stats is not None:
        yield f"{_nodes(proof.stats.nodes)} searched in {proof.stats.seconds:.2f} s."
    check = {True: "verified by the referee", None: "not verified", False: solved.fault}
    yield f"The proof has {_nodes(proof.nodes)}; {check[solved.verified]}."


def _nodes(count: int) -> str:
    return f"{count:,} node{'s' if count != 1 else ''}"


def _as_json(solved: SolvedPosition) -> dict[str, Any]:
    result = solved.result
    nodes, seconds = solved.cost
    common = {
        "id": solved.name,
        "goal": solved.goal,
        "status": solved.status,
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
            "verified": solved.verified,
            **({"fault": solved.fault} if solved.fault else {}),
        }
    best = None if result.best is None else str(result.best)
    return common | {"reason": result.reason, "depth": result.depth, "best": best}


def _defences_lines(found: Defences, verified: bool) -> Iterator[str]:
    """The threat, and the board with a star on each move that refutes it."""
    yield str(found)
    if not found:
        return
    board = found.board
    marks = dict.fromkeys(found.moves, "*") | dict.fromkeys(found.unknown, "?")
    last = board.peek() if board.ply else None
    yield from ("", board_text(board.size, board.stones(), last=last, marks=marks), "")
    unknown = f", {len(found.unknown)} unknown (?)" if found.unknown else ""
    lost = f"{len(found.losing)} lose" + (", verified by the referee" if verified else "")
    yield f"{len(found.moves)} refute the threat (*), {lost}{unknown}."


def _defences_as_json(found: Defences, name: str, verified: bool | None) -> dict[str, Any]:
    threat = found.threat
    return {
        "id": name,
        "goal": str(found.goal),
        "defender": str(found.board.turn),
        "threat": _status(threat),
        "reason": None if isinstance(threat, Proof) else threat.reason,
        "line": [str(move) for move in threat.line()] if isinstance(threat, Proof) else None,
        "moves": [str(move) for move in found.moves],
        "losing": {
            str(move): [str(step) for step in proof.line()] for move, proof in found.losing.items()
        },
        "unknown": [str(move) for move in found.unknown],
        "verified": verified,
    }


# --- many positions ---


def _solve_many(items: Sequence[PositionItem], solver: _PositionSolver) -> int:
    """Solve positions in turn; a fault of one does not stop the others.

    Returns 0 if each was searched, 1 if some were broken or some proof did not hold, 130 after an
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
                if isinstance(item, UnreadablePosition):
                    raise TengenError(item.reason)
                solved = solver.solve(item, interrupt.cancel, progress)
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
                output(json.dumps(_as_json(solved)) if as_json else _row(solved, width))
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
        print(f"tengen solve: interrupted, {left} of {len(items)} not done", file=sys.stderr)
        return 130
    return 1 if broken or summary["all"]["refuted"] else 0


def _row(solved: SolvedPosition, width: int) -> str:
    """One line for one of many positions; names take `width` columns."""
    result, text = solved.result, ""
    nodes, seconds = solved.cost
    if isinstance(result, Proof):
        check = {True: ", verified", None: "", False: f", REFUTED: {solved.fault}"}
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
        "refuted": sum(solved.verified is False for solved in done),
        "seconds": {
            "total": round(sum(times), 6),
            "median": round(statistics.median(times), 6) if times else 0.0,
            "worst": round(max(times, default=0.0), 6),
        },
    }


def _summary_lines(summary: dict[str, Any]) -> Iterator[str]:
    """The summary as a table; columns of faults are shown only if there are any."""
    shown = [c for c in _COLUMNS if c not in ("refuted", "broken") or summary["all"].get(c)]
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
