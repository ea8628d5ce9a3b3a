# SPDX-License-Identifier: MIT
"""`tengen net match`: nets against each other at equal playouts, many games at once, without the
engine. Modules that need torch are imported when the command runs.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli.common import (
    StopSignal,
    Subcommands,
    add_options,
    add_rule,
    at_least,
    duration,
    path_argument,
)

if TYPE_CHECKING:
    from tengen.zero.gate.net_match import NetMatchConfig

_EPILOG = """\
examples:
  tengen net match runs/a runs/b --playouts 64 --games 400 --out results/ab
  tengen net match runs/* mixnet-m-freestyle --playouts 0 --out results/policies
  tengen net match a.pt b.pt --set root=puct --set c=1.3 --size 20
  tengen net match --resume --out results/ab

NET: the folder of a training run or of `tengen zero` (its newest generation), a net.pt, a .net
file, a bundled name, or a folder with one net per colour (black.pt and white.pt, or a
registry.json).

Each opening is played twice, with colours swapped: balanced bundled ones, or random ones where
there are none. More than two nets play a round robin. All games of two nets run at once, with the
search of self-play; with 0 playouts the move with the best prior is played. The results are those
of `tengen match`: games.jsonl is the state, `tengen elo DIR` rates it.
"""


def add_match(actions: Subcommands) -> None:
    """Add the subcommand of `tengen net`."""
    help = "play nets against each other at equal playouts, without the engine"
    parser = actions.add("match", _run, help, _EPILOG)
    parser.add_argument("nets", nargs="*", metavar="NET", help="two or more, see below")
    add_rule(parser, "of the games (default: freestyle)")
    add_options(
        parser,
        ("--size N", "lines of the board", int, 15),
        ("--games N", "of each two nets, two per opening", at_least(2), 200),
        ("--playouts N", "per move; 0: no search, the move with the best prior", at_least(0), 64),
        ("--seed N", "random seed of openings and searches", at_least(0), 1),
        ("--threads N", "that advance games; 0: one per core", at_least(0), 0),
        ("--device NAME", "cpu, cuda or cuda:1 (default: a GPU if there is one)"),
        ("--out DIR", "folder of the results (default: a new one)", path_argument),
        ("--resume", "resume the run of --out, if it has one"),
        ("--max-seconds S", "stop after S seconds; --resume continues", duration("seconds")),
        ("--no-report", "no report.html"),
        ("--json", "print the result as JSON"),
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="changes",
        metavar="KEY=VALUE",
        help="a key of the search: root, considered, c, … (docs/selfplay.md); may be repeated",
    )


def _run(args: argparse.Namespace) -> int:
    from tengen.arena.match_folder import MatchFolder
    from tengen.arena.standings import standings
    from tengen.cli.arena_common import MatchDisplay, finish, warn
    from tengen.cli.arena_text import encounter_lines
    from tengen.train.loop import find_device
    from tengen.zero.errors import BadZero
    from tengen.zero.gate.net_players import find_players
    from tengen.zero.gate.net_tournament import play_net_tournament, stored_players

    device = find_device(args.device or "")
    path = args.out or Path(datetime.now().strftime("net-match-%Y%m%d-%H%M%S"))
    with StopSignal(args.max_seconds) as stop:
        if args.nets:
            config = _config(args)
            players = find_players(args.nets, config, warn)
        elif args.resume and args.out:
            config, players = stored_players(MatchFolder.read(path).definition)
            config = replace(config, threads=args.threads)
        else:
            raise BadZero("name two nets or more; --resume --out DIR takes those of a run")
        folder = play_net_tournament(
            *(players, config, device, path),
            resume=args.resume,
            stop=stop,
            progress=MatchDisplay,
            report=warn,
        )
        args.no_psq = True
        code = finish(args, folder, stop.requested, "--resume --out")
    if not args.json and len(players) > 2:
        print("", *encounter_lines(standings(folder.definition, folder.games)), sep="\n")
    return code


def _config(args: argparse.Namespace) -> NetMatchConfig:
    from tengen.zero.gate.net_match import NetMatchConfig

    names = ("size", "games", "playouts", "seed", "threads")
    table = {name: getattr(args, name) for name in names}
    table |= {"rule": args.rule} if args.rule else {}
    changes = [f"search.{change}" for change in args.changes]
    return NetMatchConfig.from_dict(NetMatchConfig.with_changes(table, changes))
