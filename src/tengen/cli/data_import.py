# SPDX-License-Identifier: MIT
"""`tengen data import`: makes data sets from records and `.npz` files."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tengen.cli import common
from tengen.cli.common import (
    Subcommands,
    add_options,
    add_record_options,
    add_rule,
    at_least,
    path_argument,
    printable,
)
from tengen.game import records
from tengen.game.rule import Colour, Rule
from tengen.util.deprecation import add_deprecated_command, add_deprecated_option
from tengen.util.progress import Progress

_EXAMPLES = """\
examples:
  tengen data import records games/ --out data/mine --rule freestyle
  tengen data import records games.txt.xz --out data/human --rule renju --skip 6 \\
      --split position --validation-share 0.1
  tengen data import search-labels games/*.npz --out data/engine
  tengen data import packed parts/ --out data/packed
Run the same command again to resume an interrupted import.
"""
log = partial(common.log, "tengen data")
_COMPRESSED = (".xz", ".gz", ".bz2")


def configure_import(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    kinds = Subcommands(parser)

    def add(name: str, help: str, files: dict[str, Any]) -> argparse.ArgumentParser:
        kind = kinds.add(name, partial(run_import, name), help, _EXAMPLES)
        kind.add_argument("files", type=path_argument, **files)
        kind.add_argument(
            "--out", type=path_argument, required=True, metavar="DIR", help="data set"
        )
        add_options(
            kind,
            ("--name NAME", "of the data set (default: that of DIR)"),
            ("--overwrite", "replace an existing data set"),
            ("--json", "print one JSON object at the end"),
        )
        return kind

    parts = {"metavar": "FOLDER", "help": "with the parts"}
    packed = add("packed", "packed rows: a folder of part_NN.npz", parts)
    add_rule(packed, "of the positions (default: freestyle)")
    add_options(packed, ("--size N", "board size", int, 15))
    files = {"nargs": "+", "metavar": "FILE", "help": ".npz files"}
    labels = add("search-labels", "self-play games of an engine with search values (.npz)", files)
    share = "share of the game's result in the value, 0 to 1; the search has the rest"
    add_options(labels, ("--result-share S", share, float, 0.4))
    scale = "evaluation units of a search per logit of the win rate (default: fitted)"
    labels.add_argument("--scale", type=float, default=0.0, metavar="N", help=scale)
    files |= {"help": "or folders"}
    _add_record_choices(add("records", "game records: any format, or one game per line", files))
    for old, new in (("zero15", "packed"), ("searches", "search-labels")):
        add_deprecated_command(kinds.parsers, old, new)


def _add_record_choices(games: argparse.ArgumentParser) -> None:
    add_record_options(games)
    add_rule(games, "of the games")
    add_options(
        games,
        ("--skip N", "leave out the first N moves of each game", at_least(0), 0),
        ("--colour {black,white}", "only positions with this side to move"),
        ("--keep-unknown", "take games without result too, with a value of a third each way"),
        ("--split {game,position}", "what is held out: whole games, or positions", str, "game"),
        ("--validation-share S", "share of them that is held out; 0: none", _share, 0.05),
        ("--source TEXT", "where the games come from"),
        ("--terms TEXT", "what may be done with them"),
    )
    redistributable = games.add_argument(
        "--redistributable",
        action="store_true",
        help="the terms allow distributing nets trained on them (needs --terms)",
    )
    add_deprecated_option(games, redistributable, "--ships")


def run_import(kind: str, args: argparse.Namespace) -> int:
    if kind == "records" and args.rule is None:
        log("give the rule of the games with --rule")
        return 2
    name = str(args.name or args.out.resolve().name)
    importers = {"packed": _packed, "search-labels": _search_labels, "records": _records}
    try:
        with Progress("importing", share=True, rate=False) as progress:

            def update(done: int, total: int, positions: int) -> None:
                progress.update(done, f"{positions:,} positions", total=total)

            shared = {"overwrite": args.overwrite, "progress": update}
            manifest, messages = importers[kind](args, name, shared)
    except KeyboardInterrupt:
        log("interrupted; run the same command again to resume")
        return 130
    for message in messages:
        log(message)
    if args.json:
        result = {"folder": str(args.out), "positions": manifest.positions}
        print(json.dumps({**result, "counts": dict(manifest.counts)}))
        return 0
    print(f"{args.out}: {manifest.positions:,} positions")
    print(*count_lines(manifest.counts), sep="\n")
    return 0


def _packed(args: argparse.Namespace, name: str, shared: dict[str, Any]) -> tuple[Any, list[str]]:
    from tengen.data.importers.npz import import_packed

    rule = Rule.parse(args.rule or Rule.FREESTYLE)
    return import_packed(args.files, args.out, name=name, rule=rule, size=args.size, **shared), []


def _search_labels(
    args: argparse.Namespace, name: str, shared: dict[str, Any]
) -> tuple[Any, list[str]]:
    from tengen.data.importers.npz import SearchLabelOptions, import_search_labels

    options = SearchLabelOptions(name, args.result_share, args.scale)
    return import_search_labels(args.files, args.out, options, **shared), []


def _records(args: argparse.Namespace, name: str, shared: dict[str, Any]) -> tuple[Any, list[str]]:
    from tengen.data.importers.records import RecordOptions, import_records

    options = RecordOptions(
        rule=Rule.parse(args.rule),
        size=args.size,
        skip=args.skip,
        colour=None if args.colour is None else Colour.parse(args.colour),
        keep_unknown=args.keep_unknown,
        split=args.split,
        every=1 / args.validation_share if args.validation_share else 0.0,
        name=name,
        source=args.source or "",
        terms=args.terms or "",
        redistributable=args.redistributable,
    )
    files = expand(args.files, recursive=True)
    return import_records(files, args.out, options, form=args.source_format, **shared)


def _share(text: str) -> float:
    """Argument type: a share that leaves something."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to below 1")
    return value


def count_lines(counts: Mapping[str, int]) -> Iterator[str]:
    """The counts of an importer, one line each, without the positions."""
    for name, number in counts.items():
        if name != "positions":
            yield f"  {number:>12,} {printable(name)}"


def expand(paths: Sequence[Path], *, recursive: bool = False) -> list[Path]:
    """The files, and the files of folders that have the extension of a record format; with
    `recursive` at any depth, and compressed ones.
    """
    suffixes = {suffix for form in records.FORMATS.values() for suffix in form.extensions}
    files: list[Path] = []
    for path in paths:
        if not path.is_dir():
            files.append(path)
            continue
        inside = sorted(path.rglob("*") if recursive else path.iterdir())
        inside = [
            file for file in inside if _suffix(file, recursive) in suffixes and file.is_file()
        ]
        if not inside:
            log(f"{path}: no file with the extension {', '.join(sorted(suffixes))}")
        files += inside
    return files


def _suffix(path: Path, compressed: bool) -> str:
    suffix = path.suffix.lower()
    return path.with_suffix("").suffix.lower() if compressed and suffix in _COMPRESSED else suffix
