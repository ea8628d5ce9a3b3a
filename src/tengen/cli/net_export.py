# SPDX-License-Identifier: MIT
"""`tengen net export`: net files and ONNX files of trained nets, and folders with one net per
colour. Imports torch when it runs.
"""

from __future__ import annotations

import argparse
import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli.common import add_options, check_new, choices, log
from tengen.engine.errors import BadNet
from tengen.engine.nets import NET_SUFFIX, ONNX_SUFFIX, lazy_tables_path
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Colour, Rule

if TYPE_CHECKING:
    from tengen.nets.weights import NetWeights

_log = partial(log, "tengen net")
EXPORT_HELP = "make a net file or an ONNX file from a run"
EXPORT_EPILOG = """\
A Mixnet becomes a .net file; any net becomes an .onnx file, which needs ONNX Runtime to play. With
--black and --white, OUT is a new folder with one net per colour, .net for two Mixnets, else .onnx,
and a registry: engines take it as a net.

examples:
  tengen net export runs/s my.net --rule freestyle --size 15
  tengen net export runs/teacher teacher.onnx --rule freestyle --size 15
  tengen net export --black runs/b --white runs/w nets --rule renju --size 15
"""


def configure_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", metavar="RUN", help="folder of a run, or its net.pt")
    parser.add_argument("out", metavar="OUT", type=Path, help="a .net or .onnx file, or a folder")
    parser.add_argument(
        "--rule",
        action="append",
        type=str.lower,
        choices=[str(rule) for rule in Rule],
        help="of the net; may be repeated (default for ONNX: all rules)",
    )
    add_options(
        parser,
        ("--size N[-M]", "board sizes of the net", _sizes),
        (f"--colour {choices(Colour)}", "the side to move, as for renju (default: both)"),
        ("--black RUN", "the run of the net for black to move"),
        ("--white RUN", "the run of the net for white to move"),
        ("--name NAME", "of the net (default: that of OUT)"),
        ("--description TEXT", "a sentence for people"),
        ("--overwrite", "replace an existing file"),
    )


def run_export(args: argparse.Namespace) -> int:
    rules = tuple(rule for rule in Rule if rule in (args.rule or ()))
    if args.black or args.white:
        return _export_folder(args, rules)
    kind = args.out.suffix.lower()
    if args.run is None:
        raise BadNet("there is no RUN: give RUN and OUT, or --black RUN --white RUN and OUT")
    if kind not in (NET_SUFFIX, ONNX_SUFFIX):
        raise BadNet(f"OUT is {str(args.out)!r}: its name must end in .net or .onnx")
    check_new(args.out, args.overwrite)
    if kind == NET_SUFFIX and not (args.rule and args.size):
        raise BadNet("a net file states its rules and board sizes: give --rule and --size")
    weights = weights_of_run(args.run)
    if kind == NET_SUFFIX:
        from tengen.export.quantise import export_net

        colours = tuple(colour for colour in Colour if args.colour in (None, str(colour)))
        text = {"name": args.name or "", "description": args.description or ""}
        export_net(weights, args.out, rules, args.size, colours, **text)
    else:
        _export_onnx(args, weights, rules)
    _log(f"wrote {args.out}, {megabytes(args.out.stat().st_size)}")
    if kind == NET_SUFFIX and (tables := lazy_tables_path(args.out)).exists():
        command = f"tengen net lazy {shlex.quote(str(args.out))} --overwrite"
        _log(f"{tables} has the tables of an older net: run `{command}`, or delete it")
    return 0


def _export_onnx(args: argparse.Namespace, weights: NetWeights, rules: tuple[Rule, ...]) -> None:
    from tengen.export.net_folder import export_onnx_weights

    if args.colour:
        hint = "leave out --colour, or use --black and --white"
        raise BadNet(f"an ONNX file is for both sides to move: {hint}")
    text = {"name": args.name or args.out.stem, "description": args.description or ""}
    export_onnx_weights(weights, args.out, rules, args.size or (), **text)


def _export_folder(args: argparse.Namespace, rules: tuple[Rule, ...]) -> int:
    if not (args.black and args.white) or args.run or args.colour:
        raise BadNet("one net per colour needs --black RUN, --white RUN and OUT, and no --colour")
    if args.overwrite:
        raise BadNet("--overwrite replaces files: delete the folder, or name another one")
    from tengen.export.net_folder import export_folder

    runs = {Colour.BLACK: args.black, Colour.WHITE: args.white}
    nets = {colour: weights_of_run(run) for colour, run in runs.items()}
    text = {"name": args.name or "", "description": args.description or ""}
    export_folder(nets, args.out, rules, args.size or (), **text)
    files = sorted(path for path in args.out.iterdir() if path.suffix != ".json")
    shown = ", ".join(f"{path.name} ({megabytes(path.stat().st_size)})" for path in files)
    _log(f"wrote {args.out}: {shown}")
    return 0


def weights_of_run(run: str) -> NetWeights:
    """The weights of a run by its folder or its `net.pt`. Raises BadWeights."""
    from tengen.nets.weights import read_weights

    path = Path(run)
    return read_weights(path / "net.pt" if path.is_dir() else path)


def megabytes(size: int) -> str:
    return f"{size / 1e6:.2f} MB"


def _sizes(text: str) -> tuple[int, ...]:
    """`15`, or `13-20`."""
    first, _, last = text.partition("-")
    try:
        sizes = tuple(range(int(first), int(last or first) + 1))
    except ValueError:
        sizes = ()
    if not sizes or sizes[0] < MIN_SIZE or sizes[-1] > MAX_SIZE:
        hint = f"sizes go from {MIN_SIZE} to {MAX_SIZE}, as in 15 or 13-20"
        raise argparse.ArgumentTypeError(f"{text!r} is not a board size: {hint}")
    return sizes
