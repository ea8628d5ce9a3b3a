# SPDX-License-Identifier: MIT
"""`tengen train`: train a net on data sets, from a config. Imports torch when a run starts."""

from __future__ import annotations

import argparse
import json
import shlex
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli.common import INTERRUPTED, StopSignal, add_options, duration, log, one_line
from tengen.train.config import TrainConfig, read_config
from tengen.train.errors import BadTraining
from tengen.util.config import config_names, find_config

if TYPE_CHECKING:
    from tengen.train.loop import TrainResult

_log = partial(log, "tengen train")
_EPILOG = """\
examples:
  tengen train resnet-6b128f --set data.path=data/games --out runs/teacher
  tengen train mixnet-s --set data.path=data/games --out runs/s
  tengen train mixnet-s-distilled --set data.path=data/games \\
      --set distillation.checkpoint=runs/teacher --out runs/s-distilled
  tengen train mixnet-m --set start=mixnet-m-standard --set data.path=data/mine --out runs/m
  tengen train --out runs/s --resume                  resume a run that was stopped or killed
  tengen train mixnet-m --set batch=512 --set steps=2000 --device cpu --out runs/try ...
  tengen train --keys                                 every key of a config
  tengen train --list                                 the bundled configs

CONFIG is a TOML file or the name of a bundled config. --set KEY=VALUE changes a key and may
be repeated: dotted keys, TOML values, strings without quotes.

DIR contains run.json (the whole config), metrics.jsonl (one line per row of the log), report.html
(charts), checkpoints/, net.pt (the averaged weights, for `tengen net export` and distillation), and
tensorboard/ if that is installed.

Ctrl-C, SIGTERM and --max-seconds write a checkpoint and stop; a kill loses the steps since the last
checkpoint. --resume continues a run to the same losses; without a run it starts one.

exit code: 0 complete, or out of time; 130 interrupted; 1 an error; 2 wrong usage
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("config", nargs="?", metavar="CONFIG", help="net, data and hyperparameters")
    parser.add_argument(
        "--set",
        dest="changes",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="change a key of the config",
    )
    add_options(
        parser,
        ("--out DIR", "folder of the run"),
        ("--resume", "resume the run of DIR"),
        ("--max-seconds S", "stop after S seconds", duration("seconds")),
        ("--device NAME", "cpu or cuda (default: cuda if available)"),
        ("--json", "print the result as JSON"),
        ("--keys", "list the keys of a config"),
        ("--list", "list the bundled configs"),
    )


def run(args: argparse.Namespace) -> int:
    if args.keys:
        return _keys(args)
    if args.list:
        return _list(args)
    if not args.out:
        raise BadTraining("give the folder of the run with --out")
    if args.config is None and not args.resume:
        raise BadTraining("give a config; `tengen train --list` lists the bundled ones")
    if args.config is None and args.changes:
        raise BadTraining("--set needs the config of the run too")
    config = None
    if args.config is not None:
        config = read_config(find_config(args.config, "train"), args.changes)
    from tengen.train.loop import train

    with StopSignal(args.max_seconds) as stop:
        result = train(
            config, Path(args.out), device=args.device or "", resume=args.resume, stop=stop
        )
    return _finish(args, result, stop.requested)


def _finish(args: argparse.Namespace, result: TrainResult, interrupted: bool) -> int:
    if args.json:
        values = asdict(result) | {"folder": str(result.folder), "done": result.is_done}
        print(json.dumps(values, indent=1))
    else:
        width = max(map(len, result.validation), default=0)
        for kind, means in result.validation.items():
            numbers = "  ".join(f"{name} {value:.4f}" for name, value in means.items())
            print(f"{kind:{width}} {numbers}")
    if not result.is_done:
        left = f"{result.total - result.step:,} of {result.total:,} steps"
        if result.validation_missing:
            left = "the last validation"
        where = one_line(shlex.quote(str(result.folder)))
        _log(f"not done: {left}; resume with `tengen train --out {where} --resume`")
    _log(f"net, report and checkpoints are in {result.folder}")
    return INTERRUPTED if interrupted and not result.is_done else 0


def _list(args: argparse.Namespace) -> int:
    names = config_names("train")
    print(json.dumps(names, indent=1) if args.json else "\n".join(names))
    return 0


def _keys(args: argparse.Namespace) -> int:
    if args.json:
        names = ("key", "default", "help", "allowed")
        rows = [(one.name, one.default, one.help, one.allowed) for one in TrainConfig.settings()]
        print(json.dumps([dict(zip(names, row, strict=True)) for row in rows], indent=1))
    else:
        print(TrainConfig.settings_table())
    return 0
