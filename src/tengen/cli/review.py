# SPDX-License-Identifier: MIT
"""`tengen review`: the engine reviews a game and marks mistakes and missed wins, with better lines
and the accuracy of both sides; as text, JSON, or the record with comments and variations.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tengen.cli.common import (
    INTERRUPTED,
    StopSignal,
    add_options,
    add_record_options,
    add_rule,
    log,
    one_line,
    pick_game,
    plural,
    seconds,
)
from tengen.cli.engine_common import add_engine, make_engine
from tengen.engine.review import (
    DEFAULT_TIME,
    MoveVerdict,
    Review,
    ReviewedMove,
    annotate_record,
    review,
)
from tengen.game import records
from tengen.game.errors import BadRecord
from tengen.game.rule import Colour, Rule
from tengen.util.progress import Progress

_EPILOG = """\
examples:
  tengen review game.sgf                       mistakes, missed wins, accuracy
  tengen review game.sgf --out reviewed.sgf    the same as comments and variations of the record
  tengen review game.psq --time 2 --json       longer searches, for a program

A mistake loses 15% of the win rate or more, a blunder 30%, an inaccuracy 8%. Moves that seem to be
one are searched again, five times as long. Ctrl-C ends the review with the moves reviewed so far.
"""
_SIGNS = {
    MoveVerdict.INACCURACY: "?!",
    MoveVerdict.MISTAKE: "?",
    MoveVerdict.BLUNDER: "??",
    MoveVerdict.MISSED_WIN: "missed win",
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("file", type=Path, metavar="FILE", help="a game record: SGF, PSQ, moves")
    add_rule(parser, "review under this rule, not the one of the file")
    add_record_options(parser)
    add_options(
        parser,
        ("--time S", "seconds per position", seconds, DEFAULT_TIME),
        ("--game N", "game N of the file", int, 1),
        ("--out SGF", "write the record with the review", Path),
        ("--json", "print a JSON object"),
        ("--all", "print every move, not only mistakes"),
    )
    add_engine(parser)


def run(args: argparse.Namespace) -> int:
    record = _read_record(args)
    with (
        make_engine(args) as engine,
        StopSignal(on_request=engine.stop) as stop,
        Progress("reviewing", unit="positions") as bar,
    ):

        def progress(done: int, total: int, _: Sequence[ReviewedMove]) -> bool:
            bar.update(done, total=total)
            return not stop.requested

        time = args.time or DEFAULT_TIME
        reviewed = review(engine, record.board(0), record.moves, time, progress)
    if args.out is not None:
        records.write(annotate_record(record, reviewed), args.out)
    if args.json:
        print(json.dumps(_to_json(record, reviewed)))
    else:
        _print(record, reviewed, args.all)
    if stop.requested:
        log("tengen review", "interrupted; not all moves were reviewed")
        return INTERRUPTED
    return 0


def _read_record(args: argparse.Namespace) -> records.Record:
    """The game to review. Raises BadRecord."""
    games = records.read(args.file, args.source_format, args.size)
    record = pick_game(games, args.game, args.file)
    if args.rule:
        record.rule = Rule(args.rule)
    if not record.moves:
        raise BadRecord("the game has no moves to review", str(args.file))
    record.board()  # raises if the moves cannot be played
    return record


def _print(record: records.Record, reviewed: Review, every: bool) -> None:
    names = f"{record.black or 'Black'} - {record.white or 'White'}"
    print(one_line(f"{names}, {record.rule or Rule.FREESTYLE}, {len(reviewed.moves)} moves"))
    for move in reviewed.moves:
        if every or move.better:
            print(_line(move))
    for colour in Colour:
        accuracy = reviewed.accuracy(colour)
        if accuracy is not None:
            errors = sum(m.verdict.is_error for m in reviewed.moves if m.colour is colour)
            name = str(colour).capitalize()
            print(f"{name}: accuracy {accuracy:.0f}%, {plural(errors, 'mistake')}")
    if turning := reviewed.turning_point:
        print(f"The game was lost with move {turning.ply}, {turning.move}.")


def _line(move: ReviewedMove) -> str:
    sign = _SIGNS.get(move.verdict, str(move.verdict))
    rate = 100 * move.after.score.black().win_rate
    text = f"{move.ply:>4}. {move.move!s:<4}{sign:<11} black {rate:3.0f}%"
    if move.better:
        line = " ".join(point.name for point in move.better)
        text += f"   -{100 * move.loss:.0f}%   better: {line}"
    return text


def _to_json(record: records.Record, reviewed: Review) -> dict[str, Any]:
    turning = reviewed.turning_point
    return {
        "rule": str(record.rule or Rule.FREESTYLE),
        "size": record.size,
        "accuracy": {str(colour): reviewed.accuracy(colour) for colour in Colour},
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
            for move in reviewed.moves
        ],
    }
