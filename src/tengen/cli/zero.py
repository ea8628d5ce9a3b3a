# SPDX-License-Identifier: MIT
"""`tengen zero`: learn from games against itself. Here are the options and what they mean;
`zero_run` does it. Relies on `tengen.zero`, whose parts that need torch are imported when they are
used.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tengen.cli import zero_run, zero_ship
from tengen.cli.common import at_least, duration, seconds
from tengen.util.config import config_folder
from tengen.zero.config import config_keys
from tengen.zero.errors import BadZero

__all__ = ["configure", "run"]

_DONE_WITH_A_RUN = ("resume", "report", "status", "ship", "pack", "unpack", "ladder", "elo")
_USED_BY = {  # options that not every word heeds, and those that do; `ship` also means --ship
    "games": ("ladder", "elo", "ship"),
    "players": ("ladder", "elo", "pack"),
    "against": ("ladder", "elo", "ship"),
    "playouts": ("ladder",),
    "nodes": ("ladder", "elo", "ship"),
    "time": ("ladder", "elo", "ship"),
    "processes": ("elo", "ship"),
    **dict.fromkeys(("size", "samples", "data", "start"), ("ship",)),
}
_EPILOG = """\
examples:
  tengen zero freestyle15 --out runs/free             begin a run
  tengen zero freestyle15 --out runs/free --minutes 5 so long in this call
  tengen zero resume runs/free                        go on, however it ended
  tengen zero resume runs/free --set minutes=60       with a longer plan
  tengen zero status runs/free                        how far it has come
  tengen zero report runs/free                        write report.html anew
  tengen zero ladder runs/free                        generations against each other: Elo over time
  tengen zero ladder runs/free --against classical --nodes 1000
                                                      against an engine; nets without search
  tengen zero ladder runs/free --playouts 64 --against teacher.pt
                                                      against a net, both with 64 playouts a move
  tengen zero elo runs/free --against classical --nodes 400 --games 40
                                                      generations in the arena, evenly spread
  tengen zero ship runs/free --out free.net           a Mixnet from it: taught, checked, judged
  tengen zero ship runs/free --size s --minutes 5     a small one, five minutes of learning
  tengen zero renju15 --out runs/renju --ship         from nothing to a net that ships
  tengen zero pack runs/free free.tar                 what it needs to go on elsewhere: 55 MiB
  tengen zero unpack free.tar runs/free
  tengen zero renju15 --set colours=false --set learn.batch=4096 --out runs/renju
  tengen zero keys                                    every key of a config, and what it means
  tengen zero list                                    the configs that come with the package

CONFIG is a TOML file, or the name of one that comes with the package. Keys are changed by
--set KEY=VALUE, as often as needed: dotted keys, values as in TOML, texts without quotes. An
unknown key is refused, with the one that was probably meant.

Games are played by worker processes beside the learner, on the same device; a candidate plays a
match against the nets that play now, and takes their place if it does well enough. The plan
(`minutes`) is time of the device over all calls: the learning rate follows it.

RUN gets run.json (the whole config), replay/ (all games: a data set for `tengen train`),
checkpoints/, generations/NNNN/net.pt (what `tengen net export` takes), journal.jsonl, report.html,
and tensorboard/ where that is installed.

ship lets a Mixnet learn from the run's games (and those of --data) with the newest generation as
teacher, makes its file, checks it as `tengen net verify` does, and lets it play a match against
classical. It prints one line: the file, Elo with its error, whether it ships and why. It ships if
the match proves it stronger, and if nothing that it has learned from forbids it. Of a run with a
net a colour there are two files in a folder, which an engine takes as a net. All of it lies in
RUN/ship/; the same command goes on where it was stopped. Its keys are those of the table [ship].

Stop it whenever you like: Ctrl-C, SIGTERM and --minutes keep everything first; a kill costs the
steps since the last checkpoint and the games under way, and no game is counted twice.

exit code: 0 the plan is done, or a verdict is there, or the time of this call is over, or it was
asked to stop; 1 an error, or a net file that failed its checks; 2 wrong usage; 130 interrupted a
second time
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    words = f"a config, or one of {', '.join(_DONE_WITH_A_RUN)}, keys, list"
    parser.add_argument("what", metavar="CONFIG|WORD", help=words)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="what the word is done with")
    parser.add_argument(
        "--out", metavar="RUN", help="folder of the run; of ship: the net file, or a folder for two"
    )
    parser.add_argument("--resume", action="store_true", help="go on with the run of RUN")
    parser.add_argument(
        "--minutes",
        type=duration("minutes"),
        metavar="M",
        help="of this call; `tengen zero resume` goes on; of ship: of learning",
    )
    parser.add_argument(
        "--set",
        dest="changes",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a key of the config to change",
    )
    parser.add_argument(
        "--device", default="", metavar="NAME", help="cpu or cuda (default: cuda if there is one)"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    games = parser.add_argument_group("ladder, elo, ship, and generations that pack takes along")
    games.add_argument(
        "--games",
        type=at_least(2),
        metavar="N",
        help="of each two (default: 128; elo: 40; ship: 200)",
    )
    games.add_argument(
        "--players",
        type=at_least(1),
        metavar="N",
        help="generations (default: 12; elo: 4; pack: the newest alone)",
    )
    games.add_argument(
        "--against",
        metavar="PLAYER",
        help="an opponent, as for `tengen match` (default of elo, ship: classical); of ladder also"
        " a net.pt, or another run",
    )
    games.add_argument(
        "--playouts",
        type=at_least(1),
        metavar="N",
        help="of ladder: for each move of both nets (default: no search; against a net: 64)",
    )
    limits = games.add_mutually_exclusive_group()
    limits.add_argument(
        "--nodes",
        type=at_least(1),
        metavar="N",
        help="of the opponent, for a move; of elo and ship: of both",
    )
    limits.add_argument(
        "--time", type=seconds, metavar="S", help="the same in seconds (default: 0.1)"
    )
    games.add_argument(
        "--processes",
        type=at_least(1),
        metavar="N",
        help="of elo, ship: games at once (default: 1; ship: one a core)",
    )
    zero_ship.configure(parser)


def run(args: argparse.Namespace) -> int:
    _check_use(args)
    if args.what in ("keys", "list"):
        _take_paths(args, 0)
        return _keys(args) if args.what == "keys" else _list(args)
    if args.what in _DONE_WITH_A_RUN:
        _take_paths(args, 2 if args.what in ("pack", "unpack") else 1)
    else:
        _take_paths(args, 0)
        if not args.out:
            raise BadZero("where to? Name a folder for the run with --out")
        args.config = _find(args.what)
    words = {name: getattr(zero_run, name) for name in _DONE_WITH_A_RUN}
    return int(words.get(args.what, zero_run.begin)(args))


def _check_use(args: argparse.Namespace) -> None:
    """That nothing is said about what nobody asks for. Raises BadZero."""
    for name, words in _USED_BY.items():
        if not getattr(args, name) or args.what in words or (args.ship and "ship" in words):
            continue
        told = ", ".join("ship or --ship" if word == "ship" else word for word in words)
        hint = "; how many play: --set play.workers=N" if name == "processes" else ""
        raise BadZero(f"--{name} is not for this: it is for {told}{hint}")


def _take_paths(args: argparse.Namespace, count: int) -> None:
    """That so many paths are there. Raises BadZero."""
    wanted = {"pack": " RUN FILE", "unpack": " FILE RUN"}.get(args.what, " RUN" if count else "")
    if len(args.paths) != count:
        raise BadZero(f"use `tengen zero {args.what}{wanted}`")


def _find(name: str) -> Path:
    """A config by its path, or by the name that it has in `configs/zero`."""
    given = Path(name)
    if given.is_file():
        return given
    shipped = config_folder() / "zero"
    plain = bool(name) and given.name == name
    for wanted in (name, f"{name}.toml") if plain else ():
        if (shipped / wanted).is_file():
            return shipped / wanted
    known = ", ".join(_names()) or "none"
    raise BadZero(f"no file {name!r}, and no config of that name: there are {known}")


def _names() -> list[str]:
    return sorted(path.stem for path in (config_folder() / "zero").glob("*.toml"))


def _list(args: argparse.Namespace) -> int:
    names = _names()
    print(json.dumps(names, indent=1) if args.json else "\n".join(names))
    return 0


def _keys(args: argparse.Namespace) -> int:
    rows = [(name, json.dumps(_plain(default)), means) for name, means, default in config_keys()]
    if args.json:
        told = [dict(zip(("key", "default", "meaning"), row, strict=True)) for row in rows]
        print(json.dumps(told, indent=1))
        return 0
    wide, deep = (max(len(row[n]) for row in rows) for n in (0, 1))
    for name, default, meaning in rows:
        print(f"{name:{wide}}  {default:{deep}}  {meaning}")
    return 0


def _plain(default: object) -> object:
    return list(default) if isinstance(default, tuple) else default
