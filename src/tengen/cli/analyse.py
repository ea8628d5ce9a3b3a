# SPDX-License-Identifier: MIT
"""`tengen analyse`: evaluates a position, several, or each position of a game.

A terminal shows a table that follows the search, a pipe gets a line of text per update, `--json`
prints JSON lines.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tengen.cli.common import (
    INTERRUPTED,
    StopSignal,
    add_options,
    at_least,
    error_text,
    log,
    one_line,
)
from tengen.cli.engine_common import (
    InputPosition,
    PositionItem,
    add_engine,
    add_limits,
    add_position_options,
    limit_of,
    make_engine,
    positions_of,
)
from tengen.engine import AnyEngine, Evaluation, Info, Limit, PlayResult
from tengen.game.errors import GameOver, TengenError
from tengen.game.rule import Colour
from tengen.util.progress import Progress

if TYPE_CHECKING:
    from rich.table import Table

DEFAULT_TIME = 5.0  # seconds per position
_log = partial(log, "tengen analyse")
HEADER = ("#", "depth", "score", "win", "nodes", "nodes/s", "time", "line")
_WIDTHS = (2, 7, 7, 6, 7, 7, 8)  # of all columns but the line
_BOUND_SIGNS = {"exact": "", "lower": ">", "upper": "<"}
_EPILOG = """\
examples:
  tengen analyse "h8 i9 h9" --rule renju             moves, black first
  tengen analyse game.sgf --move 24 --multipv 3      the three best moves after move 24
  tengen analyse game.sgf --all --time 1             each position of a game
  tengen analyse game.sgf --time 0                   until Ctrl-C
  tengen analyse board.txt --json                    a board diagram; one JSON object per line
  tengen analyse positions.jsonl --depth 12          many positions

The score is for the side to move: +200 is a win rate of 73%, +M9 a win in nine moves of both sides.
The first Ctrl-C stops the search and prints its best line.

exit code:
  0  done; 1 wrong input; 2 wrong usage
  130  many positions were interrupted, or Ctrl-C was pressed twice
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    which = add_position_options(parser, "analyse under this rule, not the one of the file")
    add_options(which, ("--all", "every position of a game"))
    add_limits(parser, DEFAULT_TIME, "a position")
    add_engine(parser)
    add_options(
        parser,
        ("--multipv N", "show the N best moves", at_least(1), 1),
        ("--json", "print JSON objects, one per line"),
    )


def run(args: argparse.Namespace) -> int:
    limit, items = limit_of(args), positions_of(args)
    with make_engine(args) as engine, StopSignal(on_request=engine.stop) as stop:
        analyser = _Analyser(engine, limit, args.multipv, stop, args.json)
        if len(items) > 1:
            return _analyse_many(items, analyser)
        try:
            analyser.analyse_one(items[0].require())
        except GameOver as error:
            raise GameOver(f"{error}; --move N is an earlier position of a game") from None
    return 0


def _analyse_many(items: Sequence[PositionItem], analyser: _Analyser) -> int:
    """Analyse positions in turn. An error of one does not stop the others."""
    width = min(max(len(item.name) for item in items), 24)
    broken = done = 0
    if not analyser.as_json:
        print(f"{'':<{width}}  {row(HEADER)}", flush=True)
    for item in items:
        try:
            analyser.analyse_item(item, width)
            done += 1
        except TengenError as error:
            broken += 1
            _log(f"{item.name}: {error_text(error)}")
            if analyser.as_json:
                _print_json({"id": item.name, "error": one_line(str(error))})
        if analyser.stop.requested:
            left = len(items) - done - broken
            _log(f"interrupted, {left} of {len(items)} not done")
            return INTERRUPTED
    return 1 if broken else 0


class _Analyser:
    """Analyses positions and prints the results."""

    def __init__(
        self, engine: AnyEngine, limit: Limit, multipv: int, stop: StopSignal, as_json: bool
    ) -> None:
        self.engine = engine
        self.limit = limit
        self.multipv = multipv
        self.stop = stop
        self.as_json = as_json
        self._printed: Evaluation | None = None  # the last evaluation that was printed

    def analyse_one(self, position: InputPosition) -> None:
        """The only position: a pipe gets each update, a terminal the last one."""
        streamed = not sys.stdout.isatty() and not self.as_json
        if streamed:
            print(row(HEADER), flush=True)
        lines, played = self._search(position, streamed)
        if self.as_json:
            return
        if not streamed:
            width = shutil.get_terminal_size().columns
            print(*(row(columns)[:width] for columns in (HEADER, *map(cells, lines))), sep="\n")
        self._print_evaluation(lines)
        print(_conclusion(played, position.board.turn), flush=True)

    def analyse_item(self, item: PositionItem, width: int) -> None:
        lines, _ = self._search(item.require(), False)
        if not self.as_json:
            self._print_evaluation(lines)
            for info in lines:
                print(f"{item.name:<{width}}  {row(cells(info))}", flush=True)

    def _print_evaluation(self, lines: Sequence[Info]) -> None:
        """Print the evaluation if it changed."""
        for info in lines:
            if info.evaluation is not None and info.evaluation != self._printed:
                self._printed = info.evaluation
                print(f"evaluation: {one_line(str(info.evaluation))}", flush=True)

    def _search(self, position: InputPosition, streamed: bool) -> tuple[list[Info], PlayResult]:
        """The last update of each line, and the result."""
        lines: dict[int, Info] = {}
        identity = {"id": position.name}
        with (
            Progress("", line_seconds=None) as progress,
            self.engine.analyse(position.board, self.limit, multipv=self.multipv) as analysis,
        ):
            if self.stop.requested:  # before the search started
                analysis.stop()
            for info in analysis:
                if info.bound == "exact" or info.multipv not in lines:
                    lines[info.multipv] = info
                if self.as_json:
                    _print_json(identity | {"final": False} | _info_json(info))
                elif streamed:
                    print(row(cells(info)), flush=True)
                table = partial(_live_table, position.name, lines | {info.multipv: info})
                progress.update(detail=table)
        played = analysis.played
        if self.as_json:
            _print_json(identity | _final_json(played))
        if played.info is not None:
            lines[1] = played.info
        return [lines[number] for number in sorted(lines)], played


# --- text ---


def short(number: int) -> str:
    """A number in at most five characters: 999, 12.3k, 1.23M."""
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if number >= size:
            part = number / size
            return f"{part:.{2 if part < 9.995 else 1 if part < 99.95 else 0}f}{unit}"
    return str(number)


def percent(rate: float) -> str:
    return f"{100 * rate:.1f}%"


def cells(info: Info) -> tuple[str, ...]:
    """The columns of `HEADER`; the score is for the side to move."""
    score = info.score.relative
    return (
        str(info.multipv),
        f"{info.depth}/{info.seldepth}",
        _BOUND_SIGNS[info.bound] + str(score),
        percent(score.win_rate),
        short(info.nodes),
        short(info.nps),
        f"{info.time:.2f} s",
        " ".join(map(str, info.pv)),
    )


def row(columns: tuple[str, ...]) -> str:
    """The columns as one line of text."""
    *left, line = columns
    padded = (f"{cell:>{width}}" for cell, width in zip(left, _WIDTHS, strict=True))
    return " ".join([*padded, f" {line}"]).rstrip()


def _live_table(name: str, lines: dict[int, Info]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(name), title_justify="left", box=None, pad_edge=False, expand=True)
    for head, width in zip(HEADER, _WIDTHS, strict=False):
        table.add_column(head, justify="right", no_wrap=True, width=width)
    table.add_column(HEADER[-1], no_wrap=True, overflow="ellipsis", ratio=1)
    for number in sorted(lines):
        table.add_row(*map(Text, cells(lines[number])))
    return table


def _conclusion(played: PlayResult, turn: Colour) -> str:
    """The result of an analysis as a sentence."""
    text = f"{str(turn).capitalize()} should play {played.move}"
    if played.info is not None:
        score = played.info.score.pov(turn)
        text += f": {score}, win rate {percent(score.win_rate)}, depth {played.info.depth}"
    if played.ponder is not None:
        text += f"; {played.ponder} is the expected reply"
    return text + "."


# --- JSON ---


def _print_json(value: dict[str, Any]) -> None:
    print(json.dumps(value), flush=True)


def _info_json(info: Info) -> dict[str, Any]:
    """A line of play. Score and win rate are for `turn`, the side to move."""
    score = info.score.relative
    evaluation = info.evaluation
    return {
        "turn": str(info.score.turn),
        "depth": info.depth,
        "seldepth": info.seldepth,
        "multipv": info.multipv,
        "score": {
            "value": score.value,
            "mate": score.mate,
            "proven": score.proven,
            "win_rate": round(score.win_rate, 6),
        },
        "bound": info.bound,
        "pv": [str(move) for move in info.pv],
        "visits": info.visits,
        "nodes": info.nodes,
        "vcf_nodes": info.vcf_nodes,
        "solver_nodes": info.solver_nodes,
        "evaluations": info.evaluations,
        "seconds": round(info.time, 6),
        "nps": info.nps,
        "hashfull": info.hashfull,
        "evaluation": evaluation and {"name": evaluation.name, "about": evaluation.about},
    }


def _final_json(played: PlayResult) -> dict[str, Any]:
    """The result of an analysis: the move, and its line."""
    return {
        "final": True,
        "move": str(played.move),
        "ponder": None if played.ponder is None else str(played.ponder),
        **(_info_json(played.info) if played.info is not None else {}),
    }
