# SPDX-License-Identifier: MIT
"""`tengen tune`: numbers of the search, tuned by games against itself. Here are the options and
what they mean; `tune_run` plays. Relies on `tengen.tune`.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tengen import _core
from tengen.arena.definition import read_config
from tengen.cli.common import add_rule, at_least, duration, seconds
from tengen.cli.tune_run import begin, resume
from tengen.tune.config import Settings
from tengen.tune.errors import BadTuning
from tengen.tune.parameters import Parameter, core_parameters, parse_choice, select
from tengen.tune.report import write_report
from tengen.tune.tune_folder import TuneFolder
from tengen.util.errors import BadRun

__all__ = ["configure", "run"]

_LIMITS = ("time", "nodes")
_OF_RUN = ("params", "iterations", "pairs", "r_end", "seed")
_OF_GAMES = ("rule", "size", "openings")
_EPILOG = """\
examples:
  tengen tune --list --params 'LMR_*'                   what there is: range, step, meaning
  tengen tune --params 'LMR_*,NULL_*' --iterations 20000 --nodes 5000 --rule renju --out runs/lmr
  tengen tune --params 'LMR_*,!LMR_PV,NULL_BASE=4:1' --iterations 5000 --time 0.05 --out runs/x
  tengen tune --resume runs/lmr                         go on, however it ended
  tengen tune --config tune.toml --out runs/lmr         all settings from a file
  tengen tune --report runs/lmr                         write the report again

params: names and patterns with * and ?; a ! before one takes it out again; NAME=start:step changes
where a number starts and how far from it games are played.

An iteration is one opening, played twice with colours swapped, between the values plus and minus a
random step; the values move towards the winner. Stop it whenever you like (Ctrl-C, kill): what was
played is kept. DIR gets values.json and report.html with the values to be tested by an SPRT.

Values can only be set in the tuning build: `make tuning`, then `.venv-tuning/bin/tengen tune`.

a config:
  params = ["LMR_*", "!LMR_PV"]
  iterations = 20000
  [overrides.LMR_BASE]
  start = 350
  [games]                       # as for `tengen match`, and preset, options of the player
  rule = "renju"
  limit = { nodes = 5000 }

exit code: 0 the run is complete, or its time is over; 130 interrupted; 1 an error; 2 wrong usage
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--params", metavar="NAMES", help="what is tuned, see below")
    parser.add_argument("--iterations", type=at_least(1), metavar="N", help="of the whole run")
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--nodes", type=at_least(1), metavar="N", help="positions for a move")
    limits.add_argument(
        "--time", type=seconds, metavar="S", help="seconds for a move (default: 0.1)"
    )
    add_rule(parser, "of the games (default: freestyle)")
    parser.add_argument("--size", type=int, metavar="N", help="lines of the board (default: 15)")
    parser.add_argument(
        "--openings", metavar="WHICH", help="as for `tengen match` (default: balanced)"
    )
    parser.add_argument(
        "--pairs-per-iteration",
        dest="pairs",
        type=at_least(1),
        metavar="N",
        help="of games, each with an opening of its own (default: 1)",
    )
    parser.add_argument("--r-end", type=float, metavar="R", help="learning rate (default: 0.002)")
    parser.add_argument("--seed", type=at_least(0), metavar="N", help="of all chance (default: 1)")
    parser.add_argument("--config", metavar="FILE", help="a TOML file; options come before it")
    _add_running(parser)


def _add_running(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar="DIR", help="folder of the run")
    parser.add_argument(
        "--resume",
        nargs="?",
        const="",
        metavar="DIR",
        help="go on with the run of DIR, or of --out",
    )
    parser.add_argument(
        "--processes", type=at_least(1), metavar="N", help="games at once (default: one a core)"
    )
    parser.add_argument(
        "--max-seconds", type=duration("seconds"), metavar="S", help="stop then; --resume goes on"
    )
    parser.add_argument("--list", action="store_true", help="list what can be tuned, and end")
    parser.add_argument("--report", metavar="DIR", help="write the report of a run, and end")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    if args.list:
        return _list(args)
    if args.report:
        return _report(args)
    where = args.resume or args.out
    if not where:
        raise BadTuning("where to? Name a folder for the run with --out, or with --resume")
    if not _core.is_tuning():
        raise BadTuning(
            "the numbers of the search are constants in this build: `make tuning`, then use"
            " `.venv-tuning/bin/tengen tune`"
        )
    values = _values(args)
    settings = Settings.from_dict(values, core_parameters()) if values else None
    path = Path(where)
    if args.resume is not None and TuneFolder.has_run(path):
        return resume(args, path, settings)
    if settings is None:
        if args.resume is not None:
            raise BadRun(f"{path} has no run to go on with")
        raise BadTuning("what shall be tuned? Use --params, or --config")
    return begin(args, path, settings)


def _values(args: argparse.Namespace) -> dict[str, Any]:
    """The tables of the config, with what the command line says instead."""
    values = read_config(Path(args.config)) if args.config else {}
    for name in _OF_RUN:
        if getattr(args, name) is not None:
            values[name] = getattr(args, name)
    games = {name: getattr(args, name) for name in _OF_GAMES if getattr(args, name) is not None}
    limit = {name: getattr(args, name) for name in _LIMITS if getattr(args, name) is not None}
    if limit:
        games["limit"] = limit
    if games:
        given = values.get("games", {})
        values["games"] = (given if isinstance(given, dict) else {}) | games
    return values


def _list(args: argparse.Namespace) -> int:
    known = core_parameters()
    chosen: tuple[Parameter, ...] = tuple(known.values())
    if args.params:
        chosen = select(known, *parse_choice(args.params))
    if args.json:
        print(json.dumps([entry.to_dict() for entry in chosen], indent=1))
        return 0
    wide = max(len(entry.name) for entry in chosen)
    print(f"{'name':{wide}} {'start':>8} {'low':>7} {'high':>8} {'step':>7}  meaning")
    for entry in chosen:
        numbers = f"{entry.start:>8g} {entry.low:>7} {entry.high:>8} {entry.step:>7g}"
        print(f"{entry.name:{wide}} {numbers}  {entry.meaning}")
    return 0


def _report(args: argparse.Namespace) -> int:
    folder = TuneFolder.read(Path(args.report))
    write_report(folder)
    folder.write_values()
    if args.json:
        print(json.dumps(folder.values(), indent=1))
    else:
        print(f"tengen tune: the report is in {folder.path}", file=sys.stderr)
    return 0
