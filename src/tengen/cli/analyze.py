# SPDX-License-Identifier: MIT
"""`tengen analyze`: what the engine thinks of a position, of many, or of each position of a game.

A terminal gets a table that follows the search, a pipe a line of text for each step, a program JSON
lines. Relies on the engine and on `positions`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tengen.cli.analyze_words import HEADER, WIDTHS, cells, conclusion, final_json, info_json, row
from tengen.cli.common import add_record_options, add_rule, at_least, error_text, one_line
from tengen.cli.engine_options import add_engine, add_limits, limit_of, make_engine
from tengen.cli.interrupt import Interrupt
from tengen.cli.positions import Fault, Position, Reading, read_positions
from tengen.cli.search_display import SearchDisplay
from tengen.engine import AnyEngine, Evaluation, Info, Limit, Played
from tengen.game.errors import BadPosition, GameOver, TengenError

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["configure", "run"]

DEFAULT_TIME = 5.0  # seconds for a position
_EPILOG = """\
examples:
  tengen analyze "h8 i9 h9" --rule renju             moves, black first
  tengen analyze game.sgf --move 24 --multipv 3      the three best moves after move 24
  tengen analyze game.sgf --all --time 1             each position of a game
  tengen analyze game.sgf --time 0                   until Ctrl-C
  tengen analyze board.txt --json                    a drawn board; one JSON object a line
  tengen analyze positions.jsonl --depth 12          many positions

The score is that of the side to move: 200 points are a win rate of 73%, +M9 is a win in nine moves
of both sides. The first Ctrl-C ends the search and gives the best so far.

exit code:
  0  done; 1 something was wrong with the input; 2 wrong usage
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
    add_limits(parser, DEFAULT_TIME, "a position")
    parser.add_argument(
        "--multipv", type=at_least(1), default=1, metavar="N", help="follow the N best moves"
    )
    add_engine(parser)
    parser.add_argument("--side", choices=["black", "white"], help="who is to move")
    add_rule(parser, "analyse under this rule, not the one of the file")
    add_record_options(parser)
    parser.add_argument(
        "--game", type=int, metavar="N", help="only game N of the file (default: all)"
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--move", type=int, metavar="N", help="the position after move N")
    which.add_argument("--all", action="store_true", help="every position of a game")
    parser.add_argument("--json", action="store_true", help="print JSON objects, one a line")


def run(args: argparse.Namespace) -> int:
    limit = limit_of(args)
    how = Reading(
        args.rule, args.size, args.side, args.source_format, args.game, args.move, args.all
    )
    items = read_positions(args.position, how)
    with make_engine(args) as engine, Interrupt(engine.stop) as interrupt:
        work = _Work(engine, limit, args.multipv, interrupt, args.json)
        if len(items) > 1:
            return _many(items, work)
        item = items[0]
        if isinstance(item, Fault):
            raise BadPosition(item.words)
        try:
            work.one(item)
        except GameOver as error:
            raise GameOver(f"{error}; --move N is an earlier position of a game") from None
    return 0


def _many(items: Sequence[Position | Fault], work: _Work) -> int:
    """One after the other; nothing that one position does stops the others."""
    width = min(max(len(item.name) for item in items), 24)
    broken = done = 0
    if not work.as_objects:
        print(f"{'':<{width}}  {row(HEADER)}", flush=True)
    for item in items:
        try:
            work.of_many(item, width)
            done += 1
        except TengenError as error:
            broken += 1
            print(f"tengen analyze: {item.name}: {error_text(error)}", file=sys.stderr)
            if work.as_objects:
                print(json.dumps({"id": item.name, "error": one_line(str(error))}), flush=True)
        if work.interrupt.happened:
            left = len(items) - done - broken
            print(f"tengen analyze: interrupted, {left} of {len(items)} not done", file=sys.stderr)
            return 130
    return 1 if broken else 0


class _Work:
    """Analyses positions as the command line says, and prints what comes of it."""

    def __init__(
        self, engine: AnyEngine, limit: Limit, multipv: int, interrupt: Interrupt, as_objects: bool
    ) -> None:
        self.engine = engine
        self.limit = limit
        self.multipv = multipv
        self.interrupt = interrupt
        self.as_objects = as_objects
        self._told: Evaluation | None = None  # the last that was told

    def one(self, position: Position) -> None:
        """The only position: a pipe gets each step, a terminal the last one."""
        streamed = not sys.stdout.isatty() and not self.as_objects
        if streamed:
            print(row(HEADER), flush=True)
        lines, played = self._search(position, streamed)
        if self.as_objects:
            return
        if not streamed:
            width = shutil.get_terminal_size().columns
            print(*(row(columns)[:width] for columns in (HEADER, *map(cells, lines))), sep="\n")
        self._tell_evaluation(lines)
        print(conclusion(played, position.board.turn), flush=True)

    def of_many(self, item: Position | Fault, width: int) -> None:
        if isinstance(item, Fault):
            raise TengenError(item.words)
        lines, _ = self._search(item, False)
        if not self.as_objects:
            self._tell_evaluation(lines)
            for info in lines:
                print(f"{item.name:<{width}}  {row(cells(info))}", flush=True)

    def _tell_evaluation(self, lines: Sequence[Info]) -> None:
        """Where the scores come from, if that was not told."""
        for info in lines:
            if info.evaluation is not None and info.evaluation != self._told:
                self._told = info.evaluation
                print(f"evaluation: {one_line(str(info.evaluation))}", flush=True)

    def _search(self, position: Position, streamed: bool) -> tuple[list[Info], Played]:
        """The last of each line, and the end."""
        lines: dict[int, Info] = {}
        told = {"id": position.name}
        with (
            SearchDisplay() as display,
            self.engine.analyse(position.board, self.limit, multipv=self.multipv) as analysis,
        ):
            if self.interrupt.happened:  # before there was anything to stop
                analysis.stop()
            for info in analysis:
                if info.bound == "exact" or info.multipv not in lines:
                    lines[info.multipv] = info
                if self.as_objects:
                    _print_json(told | {"final": False} | info_json(info))
                elif streamed:
                    print(row(cells(info)), flush=True)
                shown = lines | {info.multipv: info}
                display.draw(partial(_picture, position.name, shown))
        played = analysis.played
        if self.as_objects:
            _print_json(told | final_json(played))
        if played.info is not None:
            lines[1] = played.info
        return [lines[number] for number in sorted(lines)], played


def _print_json(found: dict[str, Any]) -> None:
    print(json.dumps(found), flush=True)


def _picture(name: str, lines: dict[int, Info]) -> Table:
    """The table that follows a search."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(name), title_justify="left", box=None, pad_edge=False, expand=True)
    for head, width in zip(HEADER, WIDTHS, strict=False):
        table.add_column(head, justify="right", no_wrap=True, width=width)
    table.add_column(HEADER[-1], no_wrap=True, overflow="ellipsis", ratio=1)
    for number in sorted(lines):
        table.add_row(*map(Text, cells(lines[number])))
    return table
