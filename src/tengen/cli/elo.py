# SPDX-License-Identifier: MIT
"""`tengen elo FILES`: ratings from finished games of any origin."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from tengen.arena.errors import BadArena
from tengen.arena.match_folder import MatchFolder, pgn
from tengen.arena.ratings import Ratings, rate
from tengen.arena.sources import read_results
from tengen.cli.arena_common import warn, write_report
from tengen.cli.arena_text import aligned
from tengen.cli.common import add_options
from tengen.util.files import write_text

_EPILOG = """\
examples:
  tengen elo results/big                              a folder of `tengen match` or `tournament`
  tengen elo games.sgf more.pgn --anchor old          records of any manager
  tengen elo results/big --pgn big.pgn                for other rating programs
  tengen elo results/big --report big.html            the report anew, also of a running tournament

Bradley-Terry with draws and the advantage of the first move; see docs/statistics.md.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("files", nargs="+", metavar="FILE", help="folders, SGF, PSQ or PGN files")
    add_options(
        parser,
        ("--anchor PLAYER", "player whose rating is 0 (default: the mean)"),
        ("--json", "print one JSON object"),
        ("--pgn FILE", "write the results of one folder as PGN"),
        ("--report FILE", "write the report of one folder as HTML"),
    )


def run(args: argparse.Namespace) -> int:
    results = read_results(args.files)
    if results.left_out:
        warn(f"{results.left_out} games without a result or without two names are left out")
    anchor = None
    if args.anchor is not None:
        if args.anchor not in results.names:
            raise BadArena(f"no player {args.anchor!r}: there are {', '.join(results.names)}")
        anchor = results.names.index(args.anchor)
    ratings = rate(results.games, len(results.names), anchor=anchor)
    rows = _rows(results.names, ratings)
    if args.json:
        print(json.dumps({"players": rows, "games": len(results.games)} | _common(ratings)))
    else:
        print(_table(rows, ratings))
    if args.pgn or args.report:
        _write(args)
    return 0


def _write(args: argparse.Namespace) -> None:
    if len(args.files) != 1 or not Path(args.files[0]).is_dir():
        raise BadArena("--pgn and --report are for one folder")
    folder = MatchFolder.read(Path(args.files[0]))
    if args.pgn:
        write_text(pgn(folder.definition, folder.games), args.pgn)
    if args.report:
        write_report(folder, Path(args.report))


def _rows(names: Sequence[str], ratings: Ratings) -> list[dict[str, Any]]:
    """The players, best first."""
    order = sorted(range(len(names)), key=lambda p: -ratings.elo[p])
    return [
        {
            "player": names[player],
            "elo": round(ratings.elo[player], 1),
            "error": round(ratings.error[player], 1),
            "games": ratings.games[player],
            "score": round(ratings.points[player] / ratings.games[player], 4),
            "los": None if after is None else round(ratings.los(player, after), 4),
        }
        for player, after in zip_longest(order, order[1:])
    ]


def _common(ratings: Ratings) -> dict[str, dict[str, float]]:
    return {
        name: {"elo": round(entry.value, 1), "error": round(entry.error, 1)}
        for name, entry in (("first_move", ratings.advantage), ("draw", ratings.draw))
    }


def _table(rows: list[dict[str, Any]], ratings: Ratings) -> str:
    cells = [("", "player", "Elo", "± 95%", "games", "score", "LOS")]
    for rank, row in enumerate(rows, 1):
        error = "-" if math.isinf(row["error"]) else f"{row['error']:.0f}"
        los = "" if row["los"] is None else f"{row['los']:.1%}"
        numbers = (f"{row['elo']:+.0f}", error, str(row["games"]), f"{row['score']:.1%}", los)
        cells.append((str(rank), row["player"], *numbers))
    first, draws = ratings.advantage, ratings.draw_rate
    lines = [
        *aligned(cells),
        f"first move {first.value:+.0f} ± {first.error:.0f} Elo, draws between equals {draws:.1%}",
    ]
    if not ratings.connected:
        lines.append("some players are not connected by games: Elo between groups means nothing")
    return "\n".join(lines)
