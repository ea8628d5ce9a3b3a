# SPDX-License-Identifier: MIT
"""`tengen net`: list the nets of the package, tell what a net file is, verify it, and make one of a
training run. Baking is in `net_bake`.

All talk goes to stderr; stdout is for the answer. Listing reads headers only; verifying and
exporting load torch. Relies on the registry of the engine and on tengen.export.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli import net_bake, net_guess
from tengen.cli.common import at_least, one_line
from tengen.cli.net_bake import cached_file
from tengen.cli.net_words import file_size, info_json, info_lines, list_lines
from tengen.engine.errors import BadNet
from tengen.engine.net_cache import cached_nets
from tengen.engine.nets import list_nets, net_info, net_path, net_uses
from tengen.engine.tables import lazy_tables_path
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Colour, Rule

if TYPE_CHECKING:
    from tengen.nets.mixnet import Mixnet
    from tengen.nets.weights import NetWeights

__all__ = ["configure", "run"]

_EPILOG = """\
examples:
  tengen net list                                     the nets of the package, and what they play
  tengen net info my.net                              what a file says about itself
  tengen net export runs/s my.net --rule freestyle --size 15
  tengen net export runs/teacher teacher.onnx --rule freestyle --size 15
  tengen net verify my.net --weights runs/s --data data/zero15
  tengen net guess my.net                             tables by which a search asks it less often
  tengen net bake my.net                              now, so that no program has to
  tengen net cache                                    what is baked, and where it lies

NET is the name of a net of the package or the path of a file. A run is the folder of `tengen train`
or its net.pt.
"""
_VERIFY = """\
The chain: float net ~ fake-quantised net ~ integers of the reference == native core, on random
positions and on those of a data set; baked codebooks ~ torch's mapping nets. The exit code is 1 if
one of the checks fails. See docs/export.md for the bounds.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.set_defaults(print_help=parser.print_help)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions")
    listed = actions.add_parser("list", help="the nets of the package, and what they play")
    info = actions.add_parser("info", help="what a net file says about itself")
    info.add_argument("nets", nargs="+", metavar="NET", help="names or files")
    net_bake.configure_bake(
        actions.add_parser("bake", help="make nets ready to play, and keep them so")
    )
    cache = actions.add_parser("cache", help="the baked nets: where they are; delete them")
    net_bake.configure_cache(cache)
    verify = actions.add_parser(
        "verify", help="check a net file, exit code 1 if it is wrong", formatter_class=raw
    )
    verify.epilog = _VERIFY
    _configure_verify(verify)
    net_guess.configure_guess(
        actions.add_parser("guess", help="tables by which a search asks a net less often")
    )
    for action in (listed, info, cache, verify):
        action.add_argument("--json", action="store_true", help="print JSON instead")
    _configure_export(actions.add_parser("export", help="make a net file or an ONNX file of a run"))


def _configure_verify(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("net", metavar="NET", help="name or file")
    parser.add_argument("--weights", metavar="RUN", help="the run that the net was made of")
    parser.add_argument("--data", metavar="DIR", type=Path, help="a data set: its positions too")
    parser.add_argument(
        "--positions", type=at_least(1), metavar="N", help="random positions a board size"
    )
    parser.add_argument(
        "--patterns", type=at_least(1), metavar="N", help="of the codebook (default: all)"
    )
    parser.add_argument("--seed", type=at_least(0), metavar="N", help="of what is drawn")
    parser.add_argument(
        "--quick", action="store_true", help="do not bake by the reference too, which takes longest"
    )


def _configure_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="folder of a run, or its net.pt")
    parser.add_argument("out", metavar="OUT", type=Path, help="a file that ends in .net or .onnx")
    parser.add_argument(
        "--rule",
        action="append",
        type=str.lower,
        choices=[str(rule) for rule in Rule],
        help="that the net is for; as often as needed (of an ONNX file by default all)",
    )
    parser.add_argument(
        "--size", type=_sizes, metavar="N[-M]", help="board sizes that the net is for"
    )
    parser.add_argument(
        "--colour",
        type=str.lower,
        choices=[str(colour) for colour in Colour],
        help="the side to move that the net is for, as in renju (default: both)",
    )
    parser.add_argument("--name", default="", help="of the net (default: that of the file)")
    parser.add_argument("--description", default="", help="a sentence for people")
    parser.add_argument("--overwrite", action="store_true", help="replace a file that exists")


def _sizes(text: str) -> tuple[int, ...]:
    """`15`, or `13-20`."""
    first, _, last = text.partition("-")
    try:
        found = tuple(range(int(first), int(last or first) + 1))
    except ValueError:
        found = ()
    if not found or found[0] < MIN_SIZE or found[-1] > MAX_SIZE:
        words = f"sizes go from {MIN_SIZE} to {MAX_SIZE}, as in 15 or 13-20"
        raise argparse.ArgumentTypeError(f"{text!r} is no board size: {words}")
    return found


def run(args: argparse.Namespace) -> int:
    if args.action is None:
        args.print_help()
        return 2
    actions = {
        "list": _list,
        "info": _info,
        "bake": net_bake.bake,
        "cache": net_bake.cache,
        "verify": _verify,
        "export": _export,
        "guess": net_guess.guess,
    }
    return actions[args.action](args)


def _tell(message: str) -> None:
    print(f"tengen net: {one_line(message)}", file=sys.stderr)


def _list(args: argparse.Namespace) -> int:
    nets, uses, cached = list_nets(), net_uses(), cached_nets()
    found = {net.name: cached_file(net.header.codebook_checksum, cached) for net in nets}
    baked = {name: str(entry.path) for name, entry in found.items() if entry}
    if args.json:
        rows = [{"plays": uses.get(net.name, []), "cached": baked.get(net.name)} for net in nets]
        print(json.dumps([{**info_json(net), **row} for net, row in zip(nets, rows, strict=True)]))
    else:
        print(*list_lines(nets, uses, baked), sep="\n")
    return 0


def _info(args: argparse.Namespace) -> int:
    nets = [net_info(net_path(net)) for net in args.nets]
    if args.json:
        print(json.dumps([info_json(net) for net in nets]))
    else:
        for net in nets:
            print(*info_lines(net), sep="\n")
    return 0


def _verify(args: argparse.Namespace) -> int:
    path = net_path(args.net)
    net_info(path)  # a file that is no net is told at once, before torch is loaded
    from tengen.export.verify import VerifyPlan, verify

    given = {"positions": args.positions, "patterns": args.patterns, "seed": args.seed}
    plan = VerifyPlan(
        data=args.data, quick=args.quick, **{k: v for k, v in given.items() if v is not None}
    )
    net = _mixnet(args.weights) if args.weights else None
    checks = []
    for check in verify(path, net, plan):
        checks.append(check)
        if not args.json:
            print(f"{'ok   ' if check.passed else 'WRONG'}  {check.name}: {check.detail}")
    if args.json:
        print(json.dumps([asdict(check) for check in checks]))
    wrong = [check.name for check in checks if not check.passed]
    if wrong:
        _tell(f"{path} is not right: {', '.join(wrong)}")
    return 1 if wrong else 0


def _export(args: argparse.Namespace) -> int:
    kind = args.out.suffix.lower()
    if kind not in (".net", ".onnx"):
        raise BadNet(f"OUT is {str(args.out)!r}: its name must end in .net or .onnx")
    if args.out.exists() and not args.overwrite:
        raise BadNet("the file is there already: give --overwrite to replace it", str(args.out))
    if kind == ".net" and not (args.rule and args.size):
        raise BadNet("a net file says what it is for: give --rule and --size")
    found = _weights(args.run)
    if kind == ".net":
        _export_net(args, found)
    else:
        _export_onnx(args, found)
    _tell(f"{args.out} is written, {file_size(args.out.stat().st_size)}")
    if kind == ".net":
        _tell_old_guesses(args.out)
    return 0


def _tell_old_guesses(net: Path) -> None:
    """An engine would use what lies beside a new net under its name."""
    if (guesses := lazy_tables_path(net)).exists():
        again = f"make them again with `tengen net guess {shlex.quote(str(net))} --overwrite`"
        _tell(f"{guesses} has the guesses of an older net: {again}, or delete it")


def _export_net(args: argparse.Namespace, found: NetWeights) -> None:
    from tengen.export.quantise import export_net

    export_net(
        found,
        args.out,
        tuple(rule for rule in Rule if rule in args.rule),
        args.size,
        tuple(colour for colour in Colour if args.colour in (None, str(colour))),
        name=args.name,
        description=args.description,
    )


def _export_onnx(args: argparse.Namespace, found: NetWeights) -> None:
    from tengen.export.onnx import export_onnx
    from tengen.export.quantise import run_text

    sizes: tuple[int, ...] = args.size or ()
    if args.colour:
        raise BadNet("an ONNX file is for both sides to move: leave out --colour")
    export_onnx(
        found.make(),
        args.out,
        sizes[0] if len(sizes) == 1 else None,
        rules=tuple(rule for rule in Rule if rule in (args.rule or ())),
        sizes=sizes,
        name=args.name or args.out.stem,
        about={"net": found.name, "run": run_text(found), "description": args.description},
    )


def _weights(run: str) -> NetWeights:
    from tengen.nets.weights import read_weights

    path = Path(run)
    return read_weights(path / "net.pt" if path.is_dir() else path)


def _mixnet(run: str) -> Mixnet:
    from tengen.export.quantise import require_mixnet

    return require_mixnet(_weights(run).make())
