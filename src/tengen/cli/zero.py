# SPDX-License-Identifier: MIT
"""`tengen zero`: learn from self-play. Modules that need torch are imported when used."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tengen.arena.control import TimeControl
from tengen.cli import zero_run
from tengen.cli.arena_common import MatchDisplay
from tengen.cli.common import StopSignal, at_least, duration, seconds
from tengen.cli.zero_run import open_run, quoted
from tengen.util.config import config_names, find_config
from tengen.util.deprecation import add_deprecated_command, add_deprecated_option
from tengen.util.errors import BadConfig
from tengen.zero.config import ZeroConfig
from tengen.zero.errors import BadZero

_EPILOG = """\
examples:
  tengen zero freestyle15 --out runs/free             start a run (short for `tengen zero run …`)
  tengen zero resume runs/free --minutes 5            continue for five minutes
  tengen zero resume runs/free --set minutes=60       continue with a larger time budget
  tengen zero ladder runs/free --against teacher.pt   generations against a net
  tengen zero elo runs/free --against classical --nodes 400 --games 40
  tengen zero release runs/free --out free.net        train, export and evaluate a Mixnet
  tengen zero renju15 --out runs/renju --release      a run and its release in one command
  tengen zero pack runs/free free.tar                 the portable part of a run: 55 MiB

CONFIG is a TOML file, or the name of a bundled config (`tengen zero list`). `--set
KEY=VALUE` changes a key (`tengen zero keys`). Ctrl-C, SIGTERM and --minutes save everything.
docs/zero.md explains the loop, the folder of a run, and releases.

exit code: 0 success, time over, or stopped; 1 an error, or a net file that failed verification;
2 wrong usage; 130 interrupted twice
"""


class _Commands(argparse._SubParsersAction):  # type: ignore[type-arg]
    """Subcommands; anything else is the config of `run`."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: Any, values: Any, option: Any = None
    ) -> None:
        if values[0] not in self._name_parser_map:
            try:
                find_config(values[0], "zero")
            except BadConfig as error:  # before `run` requires its options
                raise BadZero(f"no command {values[0]!r}; {error}") from None
            values = ["run", *values]
        super().__call__(parser, namespace, values, option)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    commands = parser.add_subparsers(
        action=_Commands, dest="action", metavar="COMMAND|CONFIG", required=True
    )
    for name, (handler, help, paths, options) in _COMMANDS.items():
        command = commands.add_parser(name, help=help, description=help[0].upper() + help[1:] + ".")
        command.set_defaults(handler=handler)
        for path in paths.split():
            command.add_argument(path.lower(), metavar=path)
        for option in options.split():
            _add_option(command, name, option)
    add_deprecated_command(commands, "ship", "release")
    commands.choices = None  # type: ignore[assignment]  # the first argument may be any config


def _add_option(parser: argparse.ArgumentParser, command: str, option: str) -> None:
    kwargs = {**_OPTIONS[option], **_OPTIONS.get(f"{command} {option}", {})}
    action = parser.add_argument(f"--{option}", **kwargs)
    if option == "release":
        add_deprecated_option(parser, action, "--ship")


def run(args: argparse.Namespace) -> int:
    if getattr(args, "nodes", None) and args.time:
        raise BadZero("--nodes and --time are both given: use one of them")
    return int(args.handler(args))


# --- matches ---


def _ladder(args: argparse.Namespace) -> int:
    from tengen.train.loop import find_device
    from tengen.zero.gate.ladder import is_net, play_ladder, play_net, spread_out
    from tengen.zero.run_log import print_message
    from tengen.zero.run_report import write_report

    folder, device = open_run(args), find_device(args.device)
    if args.against and not is_net(args.against):
        raise BadZero(
            f"--against {args.against} is not a net: engines play in the arena, use"
            f" `tengen zero elo {quoted(folder.path)} --against {args.against}`"
        )
    options = {"games": args.games, "playouts": args.playouts or 0, "report": print_message}
    with StopSignal(60 * args.minutes if args.minutes else None) as stop:
        if args.against:
            chosen = spread_out(folder.generations(), max(2, args.players))
            rows = play_net(folder, chosen, Path(args.against), device, stop=stop, **options)
        else:
            rows = play_ladder(folder, device, players=args.players, stop=stop, **options)
    write_report(folder)
    return _show_rows(args, rows)


def _elo(args: argparse.Namespace) -> int:
    from tengen.zero.gate.fixed_opponents import play_opponent
    from tengen.zero.gate.ladder import spread_out
    from tengen.zero.run_report import write_report

    folder = open_run(args)
    newest = folder.newest_generation()
    chosen = spread_out(folder.generations(), args.players) if args.players > 1 else [newest]
    limit = TimeControl(nodes=args.nodes) if args.nodes else TimeControl(time=args.time or 0.1)
    with StopSignal(60 * args.minutes if args.minutes else None) as stop:
        rows = play_opponent(
            *(folder, chosen, args.against, limit),
            pairs=-(-args.games // 2),
            processes=args.processes or 1,
            stop=stop,
            progress=MatchDisplay,
        )
    write_report(folder)
    return _show_rows(args, rows)


def _show_rows(args: argparse.Namespace, rows: list[dict[str, Any]]) -> int:
    if args.json:
        print(json.dumps(rows, indent=1))
        return 0
    for row in rows:
        elo = f"{row['elo']:+.0f} ± {row.get('error', 0):.0f} Elo" if "elo" in row else "unknown"
        if "against" in row:
            what = f"{row['against']}, {row['limit']}: {row['points']:g} of {row['games']}"
        else:
            what = f"minute {row['seconds'] / 60:.1f}"
        print(f"generation {row['generation']:4}  {what}, {elo}")
    return 0


# --- the rest ---


def _status(args: argparse.Namespace) -> int:
    status = open_run(args).status()
    if args.json:
        print(json.dumps(status, indent=1))
        return 0
    counts, losses = status.pop("counts"), status.pop("losses")
    for name, value in {**status, **counts, **losses}.items():
        shown = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
        print(f"{name.replace('_', ' '):16} {shown}")
    return 0


def _report(args: argparse.Namespace) -> int:
    from tengen.zero.run_report import write_report

    folder = open_run(args)
    write_report(folder)
    print(folder.report)
    return 0


def _pack(args: argparse.Namespace) -> int:
    from tengen.zero.pack import pack

    packed = pack(Path(args.run), Path(args.file), players=args.players)
    if args.json:
        print(json.dumps(packed, indent=1))
        return 0
    rounded = f"; rounded to bfloat16: {', '.join(packed['half'])}" if packed["half"] else ""
    size = f"{packed['bytes'] / 2**20:.1f} MiB"
    print(f"{args.file}: {size}, the newest {packed['positions']:,} positions{rounded}")
    return 0


def _unpack(args: argparse.Namespace) -> int:
    from tengen.zero.pack import unpack

    folder = unpack(Path(args.file), Path(args.run))
    print(f"{folder.path}: resume with `tengen zero resume {quoted(folder.path)}`")
    return 0


def _keys(args: argparse.Namespace) -> int:
    if args.json:
        keys = [
            {"key": k.name, "default": k.default, "meaning": k.help} for k in ZeroConfig.settings()
        ]
        print(json.dumps(keys, indent=1))
    else:
        print(ZeroConfig.settings_table())
    return 0


def _list(args: argparse.Namespace) -> int:
    names = config_names("zero")
    print(json.dumps(names, indent=1) if args.json else "\n".join(names))
    return 0


_OPTIONS: dict[str, dict[str, Any]] = {
    "out": {"metavar": "RUN", "required": True, "help": "folder of the run"},
    "release out": {"metavar": "NET", "required": False, "help": "net file, or folder for two"},
    "resume": {"action": "store_true", "help": "resume the run if RUN has one"},
    "minutes": {"type": duration("minutes"), "metavar": "M", "help": "of this call"},
    "release minutes": {"help": "of training, instead of --samples"},
    "set": {"dest": "changes", "action": "append", "default": [], "metavar": "KEY=VALUE"}
    | {"help": "change a key of the config"},
    "device": {"default": "", "metavar": "NAME", "help": "cpu or cuda (default: cuda if any)"},
    "json": {"action": "store_true", "help": "print the result as JSON"},
    "release": {"action": "store_true", "help": "make a release when the time budget is used up"},
    "size": {"choices": ("s", "m", "l"), "help": "of the Mixnet"},
    "samples": {"type": at_least(1), "metavar": "N", "help": "that each Mixnet learns from"},
    "data": {"action": "append", "default": [], "metavar": "DIR", "help": "another data set"},
    "start": {"metavar": "NET", "help": "initial weights of the Mixnet"},
    "games": {"type": at_least(2), "metavar": "N", "help": "of the match of the Mixnet"},
    "ladder games": {"default": 128, "help": "per match (default: 128)"},
    "elo games": {"default": 40, "help": "per match (default: 40)"},
    "players": {"type": at_least(1), "default": 12, "metavar": "N", "help": "generations"},
    "elo players": {"default": 4},
    "pack players": {"default": 1},
    "against": {"metavar": "PLAYER", "help": "opponent, as for `tengen match`"},
    "ladder against": {"metavar": "NET", "help": "a net.pt, a .net file, or another run"},
    "elo against": {"default": "classical"},
    "playouts": {"type": at_least(1), "metavar": "N", "help": "per move (default: of the gate)"},
    "nodes": {"type": at_least(1), "metavar": "N", "help": "per move of both players"},
    "time": {"type": seconds, "metavar": "S", "help": "seconds per move (default: 0.1)"},
    "processes": {"type": at_least(1), "metavar": "N", "help": "games in parallel in the arena"},
    "yes": {"action": "store_true", "help": "start the program of release.against without asking"},
}
_RELEASE = "set size samples data start games against nodes time processes yes device json"
# handler, help, positional arguments, options
_COMMANDS: dict[str, tuple[Callable[[argparse.Namespace], int], str, str, str]] = {
    "run": (zero_run.start, "start a run", "CONFIG", f"out resume minutes release {_RELEASE}"),
    "resume": (zero_run.resume, "resume a run", "RUN", f"minutes release {_RELEASE}"),
    "status": (_status, "show the state of a run", "RUN", "json"),
    "report": (_report, "write report.html of a run", "RUN", ""),
    "ladder": (
        *(_ladder, "play generations against each other, or a net", "RUN"),
        "games players against playouts minutes device json",
    ),
    "elo": (
        *(_elo, "play generations against an engine, in the arena", "RUN"),
        "games players against nodes time processes minutes json",
    ),
    "release": (
        *(zero_run.release, "make a Mixnet for the engine from a run", "RUN"),
        f"out minutes {_RELEASE}",
    ),
    "pack": (_pack, "pack the portable part of a run", "RUN FILE", "players json"),
    "unpack": (_unpack, "unpack a run into a new folder", "FILE RUN", ""),
    "keys": (_keys, "list all keys of a config", "", "json"),
    "list": (_list, "list the bundled configs", "", "json"),
}
