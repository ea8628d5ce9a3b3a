# SPDX-License-Identifier: MIT
"""`tengen data import`: data sets to learn from, made of other files.

Relies on the importers of `tengen.data`; `tengen data` adds it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tengen.cli.common import add_record_options, add_rule, at_least, one_line, path_argument
from tengen.cli.data_progress import Bar
from tengen.cli.data_sets import told_counts
from tengen.game import records
from tengen.game.rule import Colour, Rule

__all__ = ["configure_import", "run_import"]

_EXAMPLES = """\
examples:
  tengen data import zero15 parts/ --out data/zero15
  tengen data import searches games/*.npz --out data/own
  tengen data import records games/ --out data/mine --rule freestyle
  tengen data import records games.txt.xz --out data/human --rule renju --skip 6 --colour black
An import that was interrupted goes on when the same command is run again.
"""
_COMPRESSED = (".xz", ".gz", ".bz2")


def configure_import(parser: argparse.ArgumentParser) -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EXAMPLES
    parser.set_defaults(print_import_help=parser.print_help)
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", title="kinds")
    zero = kinds.add_parser(
        "zero15", help="a folder of part_NN.npz: the pilot of zero learning", formatter_class=raw
    )
    zero.add_argument("folder", type=path_argument, metavar="FOLDER", help="where the parts are")
    _add_common(zero)
    searches = kinds.add_parser(
        "searches",
        help="games of an engine against itself with its searches' values (.npz)",
        formatter_class=raw,
    )
    searches.add_argument(
        "files", nargs="+", type=path_argument, metavar="FILE", help="the .npz files"
    )
    searches.add_argument(
        "--result-share",
        type=float,
        default=0.4,
        metavar="S",
        help="part of the value that is the game's result, 0 to 1; the rest is the search's"
        " (default: 0.4)",
    )
    searches.add_argument(
        "--scale",
        type=float,
        default=0.0,
        metavar="POINTS",
        help="points of a search that are a logit of the win rate (default: what fits the results)",
    )
    _add_common(searches)
    games = kinds.add_parser(
        "records", help="games: any record format, or one game a line", formatter_class=raw
    )
    games.epilog = _EXAMPLES
    games.add_argument(
        "files", nargs="+", type=path_argument, metavar="FILE", help="files or folders"
    )
    _add_common(games)
    _add_choice(games)


def _add_choice(games: argparse.ArgumentParser) -> None:
    """What is taken of games, and what is said of it."""
    add_record_options(games)
    add_rule(games, "the rule that the games were played under")
    games.add_argument(
        "--skip",
        type=at_least(0),
        default=0,
        metavar="N",
        help="leave out the first N moves of each game (default: 0)",
    )
    games.add_argument(
        "--colour", choices=("black", "white"), help="only positions with this side to move"
    )
    games.add_argument(
        "--keep-unknown",
        action="store_true",
        help="take games without a result too, with a value of a third each way",
    )
    games.add_argument("--source", default="", metavar="TEXT", help="where the games come from")
    games.add_argument("--terms", default="", metavar="TEXT", help="what may be done with them")
    games.add_argument(
        "--ships",
        action="store_true",
        help="the terms allow it to give away nets trained on them (needs --terms)",
    )


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", type=path_argument, required=True, metavar="DIR", help="the folder of the data set"
    )
    parser.add_argument("--name", metavar="NAME", help="default: the name of DIR")
    parser.add_argument(
        "--overwrite", action="store_true", help="replace the data set that is there"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")


def run_import(args: argparse.Namespace) -> int:
    if args.kind is None:
        args.print_import_help()
        return 2
    if args.kind == "records" and args.rule is None:
        _tell("name the rule of the games with --rule")
        return 2
    try:
        return {"zero15": _zero15, "searches": _searches, "records": _records}[args.kind](args)
    except KeyboardInterrupt:
        _tell("interrupted; the same command goes on where it stopped")
        return 130


def _tell(message: str) -> None:
    print(f"tengen data: {one_line(message)}", file=sys.stderr)


def _name(args: argparse.Namespace) -> str:
    return str(args.name or args.out.resolve().name)


def _zero15(args: argparse.Namespace) -> int:
    from tengen.data.importers.zero15 import import_zero15

    with Bar("importing") as bar:
        manifest = import_zero15(
            args.folder,
            args.out,
            name=_name(args),
            overwrite=args.overwrite,
            progress=bar.update,
        )
    return _done(args, manifest.positions, manifest.counts)


def _searches(args: argparse.Namespace) -> int:
    from tengen.data.importers.searches import SearchOptions, import_searches

    options = SearchOptions(_name(args), args.result_share, args.scale)
    with Bar("importing") as bar:
        manifest = import_searches(
            args.files, args.out, options, overwrite=args.overwrite, progress=bar.update
        )
    return _done(args, manifest.positions, manifest.counts)


def _records(args: argparse.Namespace) -> int:
    from tengen.data.importers.records import RecordOptions, import_records

    options = RecordOptions(
        rule=Rule.parse(args.rule),
        size=args.size,
        skip=args.skip,
        colour=None if args.colour is None else Colour.parse(args.colour),
        keep_unknown=args.keep_unknown,
        name=_name(args),
        source=args.source,
        terms=args.terms,
        ships=args.ships,
    )
    with Bar("importing") as bar:
        manifest, faults = import_records(
            _expand(args.files),
            args.out,
            options,
            form=args.source_format,
            overwrite=args.overwrite,
            progress=bar.update,
        )
    for fault in faults:
        _tell(fault)
    return _done(args, manifest.positions, manifest.counts)


def _expand(names: Sequence[Path]) -> list[Path]:
    """The files, and for a folder all files in it, at any depth, that may hold games."""
    endings = {ending for form in records.FORMATS.values() for ending in form.extensions}
    found: list[Path] = []
    for path in names:
        if not path.is_dir():
            found.append(path)
            continue
        inside = [file for file in sorted(path.rglob("*")) if _ending(file) in endings]
        if not inside:
            _tell(f"{path}: no file that ends in {', '.join(sorted(endings))}")
        found += [file for file in inside if file.is_file()]
    return found


def _ending(path: Path) -> str:
    ending = path.suffix.lower()
    return path.with_suffix("").suffix.lower() if ending in _COMPRESSED else ending


def _done(args: argparse.Namespace, positions: int, counts: Mapping[str, int]) -> int:
    if args.json:
        print(json.dumps({"folder": str(args.out), "positions": positions, "counts": dict(counts)}))
        return 0
    print(f"{args.out}: {positions:,} positions")
    for line in told_counts(counts):
        print(line)
    return 0
