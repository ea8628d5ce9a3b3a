# SPDX-License-Identifier: MIT
"""`tengen data`: what record files and data sets hold (`info`), the same games in another format
(`convert`), positions to learn from (`import`, `verify`).

All talk goes to stderr; stdout is for the answer. Relies on the record readers and writers; what
concerns data sets is in `data_import` and `data_sets`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tengen.cli.common import add_record_options, add_rule, count, error_text, one_line, printable
from tengen.cli.data_import import configure_import, run_import
from tengen.cli.data_sets import configure_verify, dataset_info, is_dataset, run_verify
from tengen.game import records
from tengen.game.errors import BadRecord
from tengen.game.records.record import Record
from tengen.game.rule import Rule

__all__ = ["configure", "run"]

# From so many files on, a progress bar is shown.
MANY_FILES = 20
# So many faults of a file are told, then only their number.
FAULTS_TOLD = 5
_EXAMPLES = """\
examples:
  tengen data info records/                 formats, sizes, rules and results of records
  tengen data convert game.psq game.sgf     another format
  tengen data import --help                 more examples, of each action
"""
_INFO_EXAMPLES = """\
examples:
  tengen data info game.sgf                 one file
  tengen data info records/                 all records of a folder
  tengen data info records/ --json          the same for a program
  tengen data info data/zero15              a data set: counts, splits, values, terms
"""
_CONVERT_EXAMPLES = """\
examples:
  tengen data convert game.psq game.sgf               by the endings of the names
  tengen data convert a.sgf b.sgf both.sgf            several into one collection
  tengen data convert records/ out/ --to sgf          a folder, file by file
  tengen data convert game.sgf moves.txt --lossy      leave out what a move list cannot hold
  tengen data convert moves.txt game.sgf --size 19 --rule renju
"""


def configure(parser: argparse.ArgumentParser) -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EXAMPLES
    parser.set_defaults(print_help=parser.print_help)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions")
    info = actions.add_parser(
        "info", help="formats, sizes, rules, lengths, results, faults", formatter_class=raw
    )
    info.epilog = _INFO_EXAMPLES
    info.add_argument(
        "files", nargs="+", metavar="FILE", help="files, folders of files, or data sets"
    )
    info.add_argument(
        "--each",
        action="store_true",
        help=f"tell of each file, not only of those with faults, from {MANY_FILES} files on",
    )
    add_record_options(info)
    info.add_argument("--json", action="store_true", help="print one JSON object instead")
    convert = actions.add_parser(
        "convert", help="write games in another format", formatter_class=raw
    )
    convert.epilog = _CONVERT_EXAMPLES
    convert.add_argument("files", nargs="+", metavar="IN", help="files, or folders of files")
    convert.add_argument("out", metavar="OUT", help="a file, or a folder (it ends with /, or is)")
    add_record_options(convert)
    convert.add_argument(
        "--to", choices=list(records.FORMATS), help="format of OUT, if its ending does not tell"
    )
    add_rule(convert, "the rule to write into the records")
    convert.add_argument("--lossy", action="store_true", help="leave out what OUT cannot hold")
    convert.add_argument("--overwrite", action="store_true", help="replace files that exist")
    configure_import(
        actions.add_parser("import", help="make a data set to learn from", formatter_class=raw)
    )
    configure_verify(actions.add_parser("verify", help="check data sets, every byte of them"))


def run(args: argparse.Namespace) -> int:
    if args.action is None:
        args.print_help()
        return 2
    actions = {"info": _info, "convert": _convert, "import": run_import, "verify": run_verify}
    return actions[args.action](args)


def _tell(message: str) -> None:
    print(f"tengen data: {one_line(message)}", file=sys.stderr)


def _expand(names: Sequence[str]) -> list[Path]:
    """The files, and for a folder all files in it whose ending is that of a record."""
    endings = {ending for form in records.FORMATS.values() for ending in form.extensions}
    found = []
    for path in map(Path, names):
        if path.is_dir():
            inside = sorted(file for file in path.iterdir() if file.suffix.lower() in endings)
            found += [file for file in inside if file.is_file()]
            if not inside:
                _tell(f"{path}: no file that ends in {', '.join(sorted(endings))}")
        else:
            found.append(path)
    return found


def _with_progress(files: Sequence[Path], what: str) -> Iterator[Path]:
    """The files; a bar on stderr follows if there are many and someone is looking."""
    if len(files) < MANY_FILES or not sys.stderr.isatty():
        yield from files
        return
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(files, what, console=console, transient=True)


def _info(args: argparse.Namespace) -> int:
    sets = [dataset_info(path) for path in map(Path, args.files) if is_dataset(path)]
    files = _expand([name for name in args.files if not is_dataset(Path(name))])
    found = [_summary(file, args) for file in _with_progress(files, "reading")]
    broken = sum("error" in summary for summary in found)
    games = sum(summary["games"] for summary in found)
    lines = [line for one in sets for line in one.pop("lines")]
    if args.json:
        told = {"sets": sets} if sets else {}
        print(json.dumps({"files": found, "games": games, "broken": broken, **told}))
    else:
        print(*lines, sep="\n", end="\n" if lines else "")
        for summary in found:
            if args.each or len(found) < MANY_FILES or "error" in summary or summary["faults"]:
                print(*_summary_lines(summary), sep="\n")
        if len(found) != 1 and not (sets and not found):
            print(f"{count(len(found), 'file')} ({broken} broken), {count(games, 'game')}")
            print(*_total_lines(found), sep="\n")
    return 1 if broken or not (files or sets) else 0


def _total_lines(found: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The counts of all files that could be read, added up."""
    for name in ("sizes", "rules", "results"):
        total: Counter[str] = Counter()
        for summary in found:
            total.update(summary.get(name, {}))
        if total:
            yield _counts_line(name, dict(total.most_common()))


def _counts_line(name: str, counts: dict[str, int]) -> str:
    listed = ", ".join(f"{value} ({count})" for value, count in counts.items())
    return f"  {name:<9}{printable(listed)[:500]}"


def _summary(file: Path, args: argparse.Namespace) -> dict[str, Any]:
    """What a file holds, or in `error` why it cannot be read."""
    try:
        games = records.read(file, args.source_format, args.size)
    except (BadRecord, OSError) as error:
        return {"file": str(file), "games": 0, "error": error_text(error)}
    lengths = [len(game.moves) for game in games]
    faults = [f"game {number}: {fault}" for number, fault in _faults(games)]
    return {
        "file": str(file),
        "format": games[0].format,
        "games": len(games),
        "sizes": _counted(str(game.size) for game in games),
        "rules": _counted(str(game.rule or "unknown") for game in games),
        "moves": {
            "min": min(lengths),
            "median": statistics.median(lengths),
            "max": max(lengths),
        },
        "results": _counted(game.result or "unknown" for game in games),
        "faults": faults,
    }


def _counted(values: Iterator[str]) -> dict[str, int]:
    return dict(Counter(values).most_common())


def _faults(games: Sequence[Record]) -> Iterator[tuple[int, str]]:
    """The games whose main line cannot be played, and why; without a rule, under none."""
    for number, game in enumerate(games, 1):
        rules = [game.rule] if game.rule else [rule for rule in Rule if rule is not Rule.RENJU]
        faults = []
        for rule in rules:
            fault = game.replay(rule=rule).fault
            if fault is None:
                break
            faults.append(fault.fault)
        else:
            yield number, faults[0]


def _summary_lines(summary: dict[str, Any]) -> Iterator[str]:
    if "error" in summary:
        yield printable(f"{summary['file']}: cannot be read\n  {summary['error']}")
        return
    games = count(summary["games"], "game")
    yield printable(f"{summary['file']}: {summary['format']}, {games}")
    for name in ("sizes", "rules", "results"):
        yield _counts_line(name, summary[name])
    moves = summary["moves"]
    yield f"  moves    min {moves['min']}, median {moves['median']:g}, max {moves['max']}"
    for fault in summary["faults"][:FAULTS_TOLD]:
        yield f"  fault    {printable(fault)}"
    if len(summary["faults"]) > FAULTS_TOLD:
        yield f"  faults   {len(summary['faults'])} in all"


def _convert(args: argparse.Namespace) -> int:
    files = _expand(args.files)
    out = Path(args.out)
    several = len(files) > 1 or any(Path(name).is_dir() for name in args.files)
    into_folder = out.is_dir() or args.out.endswith(("/", os.sep)) or (several and not out.suffix)
    if into_folder and args.to is None:
        _tell(f"{out} is a folder: name the format with --to")
        return 2
    target_format = args.to or records.format_of(args.out)
    if not files:
        return 1
    if into_folder:
        return _convert_each(files, out, target_format, args)
    games = [game for file in files for game in _read(file, args)]
    return 0 if _write(games, out, target_format, args) else 1


def _convert_each(
    files: Sequence[Path], folder: Path, target_format: str, args: argparse.Namespace
) -> int:
    """Each file by itself into the folder, going on after a failure."""
    folder.mkdir(parents=True, exist_ok=True)
    form = records.FORMATS[target_format]
    taken: set[Path] = set()
    failed = written = 0
    for file in _with_progress(files, "converting"):
        try:
            games = _read(file, args)
        except (BadRecord, OSError) as error:
            _tell(error_text(error))
            failed += 1
            continue
        parts = [games] if form.many or len(games) == 1 else [[game] for game in games]
        for number, part in enumerate(parts, 1):
            stem = file.stem if len(parts) == 1 else f"{file.stem}-{number}"
            target = folder / (stem + form.extensions[0])
            if target in taken:
                _tell(f"{file}: {target} was just written from another file of that name")
                failed += 1
            elif _write(part, target, target_format, args):
                taken.add(target)
                written += 1
            else:
                failed += 1
    _tell(f"{count(written, 'file')} written to {folder}, {failed} failed")
    return 1 if failed else 0


def _read(file: Path, args: argparse.Namespace) -> list[Record]:
    games = records.read(file, args.source_format, args.size)
    if args.rule is not None:
        for game in games:
            game.rule = Rule.parse(args.rule)
    return games


def _write(games: list[Record], target: Path, name: str, args: argparse.Namespace) -> bool:
    """Write one file, and tell what is lost or why it is not written."""
    if target.is_file() and not args.overwrite:
        _tell(f"{target} exists: --overwrite replaces it")
        return False
    if len(games) > 1 and not records.FORMATS[name].many:
        _tell(f"{target}: a {name} file holds one game, not {len(games)}: give a folder as OUT")
        return False
    refused = False
    for number, game in enumerate(games, 1):
        if lost := records.losses(game, name):
            which = f"{game.source}, game {number}" if len(games) > 1 else game.source
            refused = not args.lossy
            words = "not written, as" if refused else "written, but"
            more = "; --lossy leaves it out" if refused else ""
            _tell(f"{which}: {words} {name} cannot hold {', '.join(lost)}{more}")
    if refused:
        return False
    try:
        records.write(games, target, name, args.lossy)
    except (BadRecord, OSError) as error:  # the other files of a folder may still succeed
        _tell(error_text(error))
        return False
    return True
