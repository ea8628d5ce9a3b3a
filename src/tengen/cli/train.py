# SPDX-License-Identifier: MIT
"""`tengen train`: train a net on data sets, from a config. Relies on `tengen.train`, whose parts
that need torch are imported when a run begins.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli.common import duration, one_line
from tengen.cli.signals import StopSignal
from tengen.train.config import config_keys, read_config
from tengen.train.errors import BadTraining
from tengen.util.config import config_folder

if TYPE_CHECKING:
    from tengen.train.loop import Result

__all__ = ["configure", "run"]

_INTERRUPTED = 130
_EPILOG = """\
examples:
  tengen train resnet-6b128f --set data.path=data/zero15 --out runs/teacher
  tengen train mixnet-s --set data.path=data/zero15 --out runs/s
  tengen train mixnet-s-distilled --set data.path=data/zero15 \\
      --set distillation.checkpoint=runs/teacher --out runs/s-distilled
  tengen train mixnet-m --set start=mixnet-m-standard --set data.path=data/mine --out runs/m
  tengen train --out runs/s --resume                  go on, however it ended
  tengen train mixnet-m --set batch=512 --set steps=2000 --device cpu --out runs/try ...
  tengen train --keys                                 every key of a config, and what it means
  tengen train --list                                 the configs that come with the package

CONFIG is a TOML file, or the name of one that comes with the package. Keys are changed by
--set KEY=VALUE, as often as needed: dotted keys, values as in TOML, texts without quotes. An
unknown key is refused, with the one that was probably meant.

DIR gets run.json (the whole config), metrics.jsonl (a line for each row of the log), report.html
(the curves), checkpoints/, net.pt (the averaged weights: what `tengen net export` and distillation
take), and tensorboard/ where that is installed.

Stop it whenever you like: Ctrl-C, SIGTERM and --max-seconds write a checkpoint first, and a kill
costs what was done since the last one. With --resume a run goes on to the same losses; in a folder
without a run it begins one, so a script can always say --resume.

exit code: 0 the run is complete, or its time is over; 130 interrupted; 1 an error; 2 wrong usage
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("config", nargs="?", metavar="CONFIG", help="what to train, and how")
    parser.add_argument("--out", metavar="DIR", help="folder of the run")
    parser.add_argument("--resume", action="store_true", help="go on with the run of DIR")
    parser.add_argument(
        "--set",
        dest="changes",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a key of the config to change",
    )
    parser.add_argument(
        "--max-seconds", type=duration("seconds"), metavar="S", help="stop then; --resume goes on"
    )
    parser.add_argument(
        "--device", default="", metavar="NAME", help="cpu or cuda (default: cuda if there is one)"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--keys", action="store_true", help="list the keys of a config, and end")
    parser.add_argument("--list", action="store_true", help="list the configs, and end")


def run(args: argparse.Namespace) -> int:
    if args.keys:
        return _keys(args)
    if args.list:
        return _list(args)
    if not args.out:
        raise BadTraining("where to? Name a folder for the run with --out")
    if args.config is None and not args.resume:
        raise BadTraining("what shall be trained? Name a config; `tengen train --list` has some")
    if args.config is None and args.changes:
        raise BadTraining("--set changes a config: name the config of the run too")
    config = None if args.config is None else read_config(_find(args.config), args.changes)
    from tengen.train.loop import train

    with StopSignal(args.max_seconds) as stop:
        result = train(config, Path(args.out), device=args.device, resume=args.resume, stop=stop)
    return _finish(args, result, stop.requested)


def _finish(args: argparse.Namespace, result: Result, asked: bool) -> int:
    if args.json:
        found = asdict(result) | {"folder": str(result.folder), "done": result.is_done}
        print(json.dumps(found, indent=1))
    else:
        for kind, means in result.validation.items():
            numbers = "  ".join(f"{name} {value:.4f}" for name, value in means.items())
            print(f"{kind:9} {numbers}")
    if not result.is_done:
        left = f"{result.total - result.step:,} of {result.total:,} steps are left"
        if result.broken_off:
            left = "the last validation is left"
        where = one_line(shlex.quote(str(result.folder)))
        _tell(f"{left}: go on with `tengen train --out {where} --resume`")
    _tell(f"net, curves and checkpoints are in {result.folder}")
    return _INTERRUPTED if asked and not result.is_done else 0


def _tell(text: str) -> None:
    print(f"tengen train: {text}", file=sys.stderr)


def _find(name: str) -> Path:
    """A config by its path, or by the name that it has in `configs/train`."""
    given = Path(name)
    if given.is_file():
        return given
    shipped = config_folder() / "train"
    plain = bool(name) and given.name == name
    for wanted in (name, f"{name}.toml") if plain else ():
        if (shipped / wanted).is_file():
            return shipped / wanted
    known = ", ".join(_names()) or "none"
    raise BadTraining(f"no file {name!r}, and no config of that name: there are {known}")


def _names() -> list[str]:
    return sorted(path.stem for path in (config_folder() / "train").glob("*.toml"))


def _list(args: argparse.Namespace) -> int:
    names = _names()
    print(json.dumps(names, indent=1) if args.json else "\n".join(names))
    return 0


def _keys(args: argparse.Namespace) -> int:
    rows = [(name, _shown(default), meaning) for name, meaning, default in config_keys()]
    if args.json:
        told = [dict(zip(("key", "default", "meaning"), row, strict=True)) for row in rows]
        print(json.dumps(told, indent=1))
        return 0
    wide, deep = (max(len(row[n]) for row in rows) for n in (0, 1))
    for name, default, meaning in rows:
        print(f"{name:{wide}}  {default:{deep}}  {meaning}")
    return 0


def _shown(default: object) -> str:
    """A default value as TOML has it."""
    if isinstance(default, dict):
        return "{ " + ", ".join(f"{name} = {value}" for name, value in default.items()) + " }"
    return json.dumps(list(default) if isinstance(default, tuple) else default)
