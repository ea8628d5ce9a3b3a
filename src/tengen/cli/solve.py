# SPDX-License-Identifier: MIT
"""`tengen solve`: forced wins, with proofs that the referee checks.

One position gives an answer with its main line; many give a line each and a summary. All talk goes
to stderr; stdout is for answers. Relies on the solver and on `positions`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tengen.cli.common import add_record_options, add_rule, at_least, seconds
from tengen.cli.interrupt import Interrupt
from tengen.cli.positions import Fault, Position, Reading, read_positions
from tengen.cli.search_display import SearchDisplay
from tengen.cli.solve_batch import run_batch
from tengen.cli.solve_words import (
    Solved,
    answer_lines,
    as_json,
    defences_as_json,
    defences_lines,
    status_of,
)
from tengen.game import records
from tengen.game.errors import BadPosition
from tengen.solver import BadProof, Cancel, Cancelled, Goal, Progress, Proof, Solver
from tengen.solver.goal import Limits
from tengen.solver.search import DEFAULT_MEMORY, DEFAULT_TIME

__all__ = ["configure", "run"]

EXIT_CODES = {"win": 0, "no win": 3, "unknown": 4}
_EPILOG = """\
examples:
  tengen solve "h8 i9 h9 i8 h10 f8" --goal vcf       moves, black first; the side to move attacks
  tengen solve game.sgf --move 24                    the position after move 24 of a game
  tengen solve game.sgf --side black                 the last position, as if black were to move
  tengen solve puzzle.txt --rule renju               a board drawn as tengen draws it
  tengen solve '{"black": ["h8", "h9"], "white": ["i8"], "rule": "renju"}'
  tengen solve puzzles.jsonl --time 5 --json         one position a line, a summary at the end
  tengen solve game.sgf --proof win.json.gz --svg win.svg
  tengen solve game.sgf --defences                   what threatens, and which moves refute it

exit code:
  0  a win was found (--defences: a threat; many positions: each was dealt with)
  3  there is no win of that kind (--defences: no threat)
  4  unknown: a limit was reached, or Ctrl-C pressed
  1  something was wrong: the input, or a proof that does not hold; 2 wrong usage
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
        " default: what the position says, else vct",
    )
    parser.add_argument(
        "--quiet",
        type=at_least(0),
        metavar="N",
        help="quiet moves allowed with --goal any (default: 1)",
    )
    _add_limits(parser)
    parser.add_argument("--side", choices=["black", "white"], help="who is to move and attacks")
    add_rule(parser, "solve under this rule, not the one of the file")
    add_record_options(parser)
    parser.add_argument(
        "--game", type=int, metavar="N", help="only game N of the file (default: all)"
    )
    parser.add_argument("--move", type=int, metavar="N", help="the position after move N")
    parser.add_argument(
        "--defences", action="store_true", help="what the opponent threatens, and what refutes it"
    )
    parser.add_argument(
        "--verify",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="have the referee check each proof (default: yes)",
    )
    parser.add_argument("--proof", metavar="OUT.json", help="save the proof; .json.gz packs it")
    parser.add_argument("--svg", metavar="OUT.svg", help="draw the main line into a file")
    parser.add_argument("--overwrite", action="store_true", help="let --proof, --svg replace files")
    parser.add_argument("--json", action="store_true", help="print JSON objects, one a line")


def _add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--time",
        type=seconds,
        default=DEFAULT_TIME,
        metavar="S",
        help=f"seconds for a position; 0: no limit (default: {DEFAULT_TIME:g})",
    )
    parser.add_argument(
        "--nodes", type=at_least(1), metavar="N", help="try no more moves than this"
    )
    parser.add_argument(
        "--memory",
        type=at_least(1),
        default=DEFAULT_MEMORY,
        metavar="MIB",
        help=f"memory that a search may use (default: {DEFAULT_MEMORY})",
    )


def run(args: argparse.Namespace) -> int:
    Limits.checked(Goal(args.goal or Goal.ANY), args.time, args.nodes, args.quiet)
    how = Reading(args.rule, args.size, args.side, args.source_format, args.game, args.move)
    items = read_positions(args.position, how)
    if len(items) > 1 and (args.proof or args.svg or args.defences):
        print(
            f"tengen solve: {len(items)} positions: --proof, --svg and --defences are for one",
            file=sys.stderr,
        )
        return 2
    _check_outputs(args)
    work = _Work(args)
    if len(items) > 1:
        return run_batch(items, work, args.json)
    item = items[0]
    if isinstance(item, Fault):
        raise BadPosition(item.words)
    return _defences(item, work) if args.defences else _single(item, work)


def _check_outputs(args: argparse.Namespace) -> None:
    """Refuse before the search what could not be written after it."""
    for name in (args.proof, args.svg):
        if name and Path(name).is_file() and not args.overwrite:
            raise FileExistsError(f"{name} exists: --overwrite replaces it")
        if name and not Path(os.path.realpath(name)).parent.is_dir():
            raise FileNotFoundError(f"{name}: there is no such folder")


def _single(position: Position, work: _Work) -> int:
    with Interrupt() as interrupt, SearchDisplay() as display:
        solved = work(position, interrupt, display.searching, display.checking)
    if work.args.json:
        print(json.dumps(as_json(solved)))
    else:
        print(*answer_lines(solved, shutil.get_terminal_size().columns), sep="\n")
    if solved.verified is False:
        raise BadProof(f"the proof that was found does not hold: {solved.fault}")
    _write_outputs(solved.result if isinstance(solved.result, Proof) else None, None, work.args)
    return EXIT_CODES[status_of(solved.result)]


def _defences(position: Position, work: _Work) -> int:
    args = work.args
    with Interrupt() as interrupt, SearchDisplay() as display:
        found = work.solver(position).defences(
            position.board,
            work.goal(position),
            time=args.time,
            nodes=args.nodes,
            quiet=args.quiet if work.goal(position) is Goal.ANY else None,
            cancel=interrupt.cancel,
            progress=display.searching,
        )
        proofs = [proof for proof in (found.threat, *found.losing.values()) if proof]
        checked = bool(proofs) and args.verify
        try:
            for proof in proofs if checked else ():
                assert isinstance(proof, Proof)
                proof.verify(display.checking, interrupt.cancel)
        except Cancelled:
            checked = False
    if args.json:
        verified = True if checked else None
        print(json.dumps(defences_as_json(found, position.name, verified)))
    else:
        print(*defences_lines(found, checked), sep="\n")
    marks = dict.fromkeys(found.moves, "o") | dict.fromkeys(found.unknown, "?")
    picture = position.board.svg(marks=marks) if args.svg and found else None
    _write_outputs(found.threat if isinstance(found.threat, Proof) else None, picture, args)
    return EXIT_CODES[status_of(found.threat)]


def _write_outputs(proof: Proof | None, picture: str | None, args: argparse.Namespace) -> None:
    if proof is None:
        if args.proof or args.svg:
            print("tengen solve: nothing is written: there is no proof", file=sys.stderr)
        return
    if args.proof:
        proof.save(args.proof)
        print(f"tengen solve: proof saved to {args.proof}", file=sys.stderr)
    if args.svg:
        records.write_text(picture or proof.svg(), args.svg)
        print(f"tengen solve: drawn to {args.svg}", file=sys.stderr)


@dataclass
class _Work:
    """Solves positions as the command line says; keeps the solver while size and rule stay."""

    args: argparse.Namespace
    _solver: Solver | None = None

    def solver(self, position: Position) -> Solver:
        board = position.board
        kept = self._solver
        if kept is None or (kept.size, kept.rule) != (board.size, board.rule):
            self._solver = None  # its memory goes first
            self._solver = kept = Solver(board.size, board.rule, self.args.memory)
        return kept

    def goal(self, position: Position) -> Goal:
        """The goal of the command line, else the position's: `vct_3moves` is a vct."""
        if self.args.goal is not None:
            return Goal(self.args.goal)
        if position.goal is None:
            return Goal.VCT
        letters = re.match(r"[a-z]*", position.goal.strip().lower())
        kind = letters[0] if letters else ""
        return Goal(kind) if kind in list(Goal) else Goal.parse(position.goal)

    def __call__(
        self,
        position: Position,
        interrupt: Interrupt,
        progress: Callable[[Progress], None],
        checking: Callable[[int], None] | None = None,
    ) -> Solved:
        goal = self.goal(position)
        result = self.solver(position).solve(
            position.board,
            goal,
            time=self.args.time,
            nodes=self.args.nodes,
            quiet=self.args.quiet if goal is Goal.ANY else None,
            cancel=interrupt.cancel,
            progress=progress,
        )
        label = position.goal or str(goal)
        if not isinstance(result, Proof):
            return Solved(position.name, label, result, result.seconds)
        seconds = result.stats.seconds if result.stats else 0.0
        verified, fault = self._check(result, interrupt.cancel, checking)
        return Solved(position.name, label, result, seconds, verified, fault)

    def _check(
        self, proof: Proof, cancel: Cancel, checking: Callable[[int], None] | None
    ) -> tuple[bool | None, str]:
        if not self.args.verify:
            return None, ""
        try:
            return proof.verify(checking, cancel), ""
        except Cancelled:
            return None, ""
        except BadProof as error:
            return False, str(error)
