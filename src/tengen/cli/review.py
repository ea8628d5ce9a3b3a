# SPDX-License-Identifier: MIT
"""`tengen review`: the engine walks through a game and marks mistakes and missed wins, with better
lines and each side's accuracy; as text, JSON, or the record with comments and variations.

Relies on `tengen.engine.review`, as the page does.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tengen.cli.common import add_record_options, add_rule, one_line, seconds
from tengen.cli.data_progress import Bar
from tengen.cli.engine_common import add_engine, make_engine
from tengen.cli.signals import StopSignal
from tengen.engine.review import DEFAULT_TIME, Review, ReviewedMove, Verdict, review
from tengen.engine.review_record import annotated
from tengen.game import records
from tengen.game.errors import BadRecord
from tengen.game.rule import Colour, Rule

__all__ = ["configure", "run"]

_EPILOG = """\
examples:
  tengen review game.sgf                       mistakes, missed wins, accuracy
  tengen review game.sgf --out reviewed.sgf    the same as comments and variations of the record
  tengen review game.psq --time 2 --json       more carefully, for a program

A mistake gives away 15% of the win rate or more, a blunder 30%, an inaccuracy 8%. Moves that seem
to be one are searched five times as long before they are called so. Ctrl-C ends the review with
what is known.
"""
_SIGNS = {
    Verdict.INACCURACY: "?!",
    Verdict.MISTAKE: "?",
    Verdict.BLUNDER: "??",
    Verdict.MISSED_WIN: "missed win",
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("file", type=Path, metavar="FILE", help="a game record: SGF, PSQ, moves")
    parser.add_argument(
        "--time",
        type=seconds,
        default=DEFAULT_TIME,
        metavar="S",
        help=f"seconds for a position (default: {DEFAULT_TIME:g})",
    )
    add_rule(parser, "review under this rule, not the one of the file")
    add_record_options(parser)
    parser.add_argument("--game", type=int, default=1, metavar="N", help="game N of the file")
    parser.add_argument("--out", type=Path, metavar="SGF", help="write the record with the review")
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    parser.add_argument("--all", action="store_true", help="print every move, not only mistakes")
    add_engine(parser)


def run(args: argparse.Namespace) -> int:
    record = _record(args)
    start = record.replay(0).board
    moves = record.moves
    with (
        make_engine(args) as engine,
        StopSignal(on_request=engine.stop) as interrupt,
        Bar("reviewing", "moves") as bar,
    ):

        def progress(done: int, total: int, known: Sequence[ReviewedMove]) -> bool:
            bar.update(done, total, len(known))
            return not interrupt.requested

        time = args.time or DEFAULT_TIME
        found = review(engine, start, moves, time, progress)
    if args.out is not None:
        records.write(annotated(record, found), args.out)
    if args.json:
        print(json.dumps(_as_json(record, found)))
    else:
        _print(record, found, args.all)
    if interrupt.requested:
        print("tengen review: interrupted; not every move was looked at", file=sys.stderr)
        return 130
    return 0


def _record(args: argparse.Namespace) -> records.Record:
    """The game to review, under the rule that is asked for. Raises BadRecord."""
    games = records.read(args.file, args.source_format, args.size)
    number: int = args.game
    if not 1 <= number <= len(games):
        raise BadRecord(f"no game {number}: the file has {len(games)}", str(args.file))
    record = games[number - 1]
    if args.rule:
        record.rule = Rule(args.rule)
    if not record.moves:
        raise BadRecord("the game has no moves to review", str(args.file))
    record.board()  # raises where it cannot be played
    return record


def _print(record: records.Record, found: Review, every: bool) -> None:
    rule = record.rule or Rule.FREESTYLE
    told = (
        f"{record.black or 'Black'} - {record.white or 'White'}, {rule}, {len(found.moves)} moves"
    )
    print(one_line(told))
    for move in found.moves:
        if every or move.better:
            print(_line(move))
    for colour in Colour:
        accuracy = found.accuracy(colour)
        if accuracy is not None:
            errors = sum(m.verdict.is_error for m in found.moves if m.colour is colour)
            words = f"{errors} mistake{'s' if errors != 1 else ''}"
            print(f"{str(colour).capitalize()}: accuracy {accuracy:.0f}%, {words}")
    if turning := found.turning_point:
        print(f"The game was lost with move {turning.ply}, {turning.move}.")


def _line(move: ReviewedMove) -> str:
    sign = _SIGNS.get(move.verdict, str(move.verdict))
    rate = 100 * move.after.score.black().win_rate
    told = f"{move.ply:>4}. {move.move!s:<4}{sign:<11} black {rate:3.0f}%"
    if move.better:
        line = " ".join(point.name for point in move.better)
        told += f"   -{100 * move.loss:.0f}%   better: {line}"
    return told


def _as_json(record: records.Record, found: Review) -> dict[str, Any]:
    turning = found.turning_point
    return {
        "rule": str(record.rule or Rule.FREESTYLE),
        "size": record.size,
        "accuracy": {str(colour): found.accuracy(colour) for colour in Colour},
        "turning_point": turning.ply if turning else None,
        "moves": [
            {
                "ply": move.ply,
                "move": move.move.name,
                "colour": str(move.colour),
                "verdict": str(move.verdict),
                "loss": round(move.loss, 4),
                "better": [point.name for point in move.better],
                "black_win_rate": round(move.after.score.black().win_rate, 4),
                "black_mate": move.after.score.black().mate,
            }
            for move in found.moves
        ],
    }
