# SPDX-License-Identifier: MIT
"""`tengen solve`: forced wins with verified proofs, and defences.

One position prints its result and main line; many (`solve_many`) print one line each and a summary.
Results go to stdout, everything else to stderr.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tengen.cli.common import (
    StopSignal,
    add_options,
    at_least,
    check_new,
    choices,
    move_list,
    plural,
    seconds,
)
from tengen.cli.engine_common import InputPosition, add_position_options, positions_of
from tengen.cli.solve_many import (
    EXIT_CODES,
    PositionSolver,
    SolvedPosition,
    log,
    solve_many,
    status_of,
)
from tengen.game import records
from tengen.game.render.text import MAX_NUMBERED, board_text, numbered_text
from tengen.solver import BadProof, Defences, Goal, NoProof, Proof
from tengen.solver.goal import Limits
from tengen.solver.search import DEFAULT_MEMORY, DEFAULT_TIME
from tengen.util.progress import Progress

_EPILOG = """\
examples:
  tengen solve "h8 i9 h9 i8 h10 f8" --goal vcf       moves, black first; the side to move attacks
  tengen solve game.sgf --move 24                    the position after move 24 of a game
  tengen solve game.sgf --side black                 the last position, as if black were to move
  tengen solve puzzle.txt --rule renju               a board diagram, as tengen prints it
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
    add_position_options(parser, "solve under this rule instead of the file's")
    goal = "win by continuous fours (vcf), threats (vct), or also quiet moves (any)"
    add_options(
        parser,
        (f"--goal {choices(Goal)}", f"{goal}; default: the goal of the position, else vct"),
        ("--quiet N", "quiet moves allowed with --goal any (default: 1)", at_least(0)),
        ("--time S", "seconds per position; 0: no limit", seconds, DEFAULT_TIME),
        ("--nodes N", "maximum number of moves to try", at_least(1)),
        ("--memory MIB", "memory limit of a search", at_least(1), DEFAULT_MEMORY),
        ("--defences", "the opponent's threat, and the moves that refute it"),
        ("--proof OUT.json", "save the proof; .json.gz compresses it"),
        ("--svg OUT.svg", "write the main line as an SVG file"),
        ("--overwrite", "let --proof, --svg replace files"),
        ("--json", "print JSON objects, one per line"),
    )
    parser.add_argument(
        "--verify",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="verify each proof with the referee (default: yes)",
    )


def run(args: argparse.Namespace) -> int:
    Limits.checked(Goal(args.goal or Goal.ANY), args.time, args.nodes, args.quiet)
    items = positions_of(args)
    if len(items) > 1 and (args.proof or args.svg or args.defences):
        log(f"{len(items)} positions: --proof, --svg and --defences are for one")
        return 2
    _check_outputs(args)
    solver = PositionSolver(args)
    if len(items) > 1:
        return solve_many(items, solver)
    position = items[0].require()
    with StopSignal() as interrupt, Progress("", line_seconds=None) as progress:
        if args.defences:
            defences, verified = solver.defences(position, interrupt.cancel, progress)
        else:
            solved = solver.solve(position, interrupt.cancel, progress)
    if args.defences:
        return _print_defences(defences, position, verified, args)
    return _print(solved, args)


def _check_outputs(args: argparse.Namespace) -> None:
    """Reject before the search what could not be written after it."""
    for name in (args.proof, args.svg):
        if name:
            check_new(name, args.overwrite)
        if name and not Path(os.path.realpath(name)).parent.is_dir():
            raise FileNotFoundError(f"{name}: there is no such folder")


def _print(solved: SolvedPosition, args: argparse.Namespace) -> int:
    if args.json:
        print(json.dumps(solved.as_json()))
    else:
        print(*_result_lines(solved, shutil.get_terminal_size().columns), sep="\n")
    if solved.verified is False:
        raise BadProof(f"the solver made an invalid proof: {solved.fault}")
    _write_outputs(solved.result, None, args)
    return EXIT_CODES[solved.status]


def _print_defences(
    defences: Defences, position: InputPosition, verified: bool, args: argparse.Namespace
) -> int:
    if args.json:
        print(json.dumps(_defences_as_json(defences, position.name, True if verified else None)))
    else:
        print(*_defences_lines(defences, verified), sep="\n")
    marks = dict.fromkeys(defences.moves, "o") | dict.fromkeys(defences.unknown, "?")
    picture = position.board.svg(marks=marks) if args.svg and defences else None
    _write_outputs(defences.threat, picture, args)
    return EXIT_CODES[status_of(defences.threat)]


def _write_outputs(result: Proof | NoProof, picture: str | None, args: argparse.Namespace) -> None:
    if isinstance(result, NoProof):
        if args.proof or args.svg:
            log("nothing is written: there is no proof")
        return
    if args.proof:
        result.save(args.proof)
        log(f"proof saved to {args.proof}")
    if args.svg:
        records.write_text(picture or result.svg(), args.svg)
        log(f"wrote {args.svg}")


def _result_lines(solved: SolvedPosition, width: int) -> Iterator[str]:
    """The result, the main line, and the board with its numbers if `width` columns hold it."""
    proof = solved.result
    yield str(proof)
    if isinstance(proof, NoProof):
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
        yield f"{plural(proof.stats.nodes, 'node')} searched in {proof.stats.seconds:.2f} s."
    check = {
        True: "verified by the referee",
        None: "not verified",
        False: f"invalid: {solved.fault}",
    }
    yield f"The proof has {plural(proof.nodes, 'node')}; {check[solved.verified]}."


def _defences_lines(defences: Defences, verified: bool) -> Iterator[str]:
    """The threat, and the board with a star on each move that refutes it."""
    yield str(defences)
    if not defences:
        return
    board = defences.board
    marks = dict.fromkeys(defences.moves, "*") | dict.fromkeys(defences.unknown, "?")
    last = board.peek() if board.ply else None
    yield from ("", board_text(board.size, board.stones(), last=last, marks=marks), "")
    unknown = f", {len(defences.unknown)} unknown (?)" if defences.unknown else ""
    lost = f"{len(defences.losing)} lose" + (", verified by the referee" if verified else "")
    yield f"{len(defences.moves)} refute the threat (*), {lost}{unknown}."


def _defences_as_json(defences: Defences, name: str, verified: bool | None) -> dict[str, Any]:
    threat = defences.threat
    return {
        "id": name,
        "goal": str(defences.goal),
        "defender": str(defences.board.turn),
        "threat": status_of(threat),
        "reason": None if isinstance(threat, Proof) else threat.reason,
        "line": [str(move) for move in threat.line()] if isinstance(threat, Proof) else None,
        "moves": [str(move) for move in defences.moves],
        "losing": {
            str(move): list(map(str, proof.line())) for move, proof in defences.losing.items()
        },
        "unknown": [str(move) for move in defences.unknown],
        "verified": verified,
    }
