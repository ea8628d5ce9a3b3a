# SPDX-License-Identifier: MIT
"""The options that `match`, `tournament` and `sprt` share, and the definition that they mean. What
is given on the command line comes before what a config file says. Relies on the arena.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from tengen.arena.configs import find_config
from tengen.arena.definition import Definition, read_config
from tengen.arena.errors import BadArena
from tengen.cli.common import add_rule, at_least, duration, seconds

__all__ = ["PLAYERS", "add_arena", "add_run", "definition_of"]

PLAYERS = """\
players:
  classical                                  one of our presets
  classical,null_move=off,threads=2          with options
  classical,depth=4,name=shallow             with limits and a name of its own
  search=mcts,net=my.net,nodes=800           options alone: Monte-Carlo tree search with a net
  ./pbrain-other                             any program of the Gomocup protocol
  "cmd[memory=350,time=0.2]:./pbrain-other --quiet"     with options and arguments
"""
_LIMITS = ("time", "nodes", "depth", "clock", "increment")
_PLAIN = ["rule", "size", "openings", "opening_moves", "seed", "max_moves", "tolerance"]
_PLAIN += ["patience", "slowest", "adjudicate", "event"]


def add_arena(parser: argparse.ArgumentParser) -> None:
    """What is played."""
    parser.add_argument(
        "--config", metavar="NAME", help="a TOML file, or one of configs/arena: short, long, nodes"
    )
    parser.add_argument(
        "--games", type=at_least(2), metavar="N", help="for each two players; an even number"
    )
    add_rule(parser, "default: freestyle")
    parser.add_argument("--size", type=int, metavar="N", help="lines of the board (default: 15)")
    _add_limits(parser)
    parser.add_argument(
        "--openings",
        metavar="WHICH",
        help="balanced (the default), even (won by both colours in quick games: more decisive "
        "pairs), renju26, swap2 (played by the players), empty, or a file of records or of Gomocup "
        "openings",
    )
    parser.add_argument(
        "--opening-moves",
        type=at_least(0),
        metavar="N",
        help="take so many moves of each record of the file (default: all)",
    )
    parser.add_argument("--seed", type=at_least(0), metavar="N", help="which openings come first")
    parser.add_argument(
        "--max-moves", type=at_least(0), metavar="N", help="a draw after so many moves"
    )
    parser.add_argument(
        "--adjudicate",
        choices=["auto", "always", "never"],
        help="end proven wins and dead draws early (auto: where both players are ours)",
    )
    parser.add_argument("--event", metavar="TITLE", help="a title for the report and the records")


def _add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--time", type=seconds, metavar="S", help="seconds for a move")
    parser.add_argument("--clock", type=seconds, metavar="S", help="seconds for a whole game")
    parser.add_argument(
        "--increment", type=seconds, metavar="S", help="seconds that the clock gains with a move"
    )
    parser.add_argument("--nodes", type=at_least(1), metavar="N", help="positions for a move")
    parser.add_argument("--depth", type=at_least(1), metavar="N", help="moves to look ahead")
    parser.add_argument(
        "--tolerance", type=float, metavar="S", help="how late a move may come (default: 0.5)"
    )
    parser.add_argument(
        "--patience",
        type=float,
        metavar="S",
        help="after so many seconds beyond its limit a silent program has lost (default: 10)",
    )
    parser.add_argument(
        "--slowest",
        type=float,
        metavar="S",
        help="the same where only nodes or a depth limit it (default: 300)",
    )


def add_run(parser: argparse.ArgumentParser) -> None:
    """How it is played, and what is kept."""
    parser.add_argument("--out", metavar="DIR", help="folder of the results (default: a new one)")
    parser.add_argument(
        "--resume", metavar="DIR", help="go on with the run of this folder, however it ended"
    )
    parser.add_argument(
        "--processes",
        type=at_least(1),
        metavar="N",
        help="games at once (default: as many as there are cores for them)",
    )
    parser.add_argument(
        "--pin", action="store_true", help="bind each game to a core of its own (Linux)"
    )
    parser.add_argument(
        "--max-seconds", type=duration("seconds"), metavar="S", help="stop then; --resume goes on"
    )
    parser.add_argument("--no-psq", action="store_true", help="no PSQ file for each game")
    parser.add_argument("--no-report", action="store_true", help="no report.html")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def definition_of(
    args: argparse.Namespace, players: Sequence[str], more: Mapping[str, Any]
) -> Definition:
    """The definition that options and config mean together. `more` holds what a command adds,
    where the config does not say it. Raises BadArena.
    """
    values = dict(more)
    if args.config:
        values |= read_config(find_config(args.config))
    if players:
        values["players"] = list(players)
    for name in _PLAIN:
        if getattr(args, name) is not None:
            values[name] = getattr(args, name)
    given = {name: getattr(args, name) for name in _LIMITS if getattr(args, name) is not None}
    if given:
        values["limit"] = given
    if args.games is not None:
        if args.games % 2:
            raise BadArena(f"no {args.games} games: openings are played twice, use an even number")
        values["pairs"] = args.games // 2
    if not values.get("players"):
        raise BadArena("no players: name them, or use a config that does")
    return Definition.from_dict(values)
