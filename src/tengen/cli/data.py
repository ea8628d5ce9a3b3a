# SPDX-License-Identifier: MIT
"""`tengen data`: describe records and data sets (`info`), write games in another format
(`convert`), make and check training data (`import`, `verify`).

Messages go to stderr, results to stdout. `import` is in `data_import`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli.common import (
    Subcommands,
    add_options,
    add_record_options,
    add_rule,
    choices,
    error_text,
    plural,
    printable,
    run_subcommand,
)
from tengen.cli.data_import import configure_import, count_lines, expand, log
from tengen.game import records
from tengen.game.errors import BadRecord, TengenError
from tengen.game.records.record import Record
from tengen.game.rule import Rule
from tengen.util.progress import Progress, track

if TYPE_CHECKING:
    from tengen.data.manifest import Manifest, Validation
    from tengen.data.summary import Summary

MANY_FILES = 20  # from this number on, only files with faults are listed
MAX_FAULTS = 5  # printed per file; of the others only the number
_HISTOGRAM_WIDTH = 30  # columns
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
  tengen data info data/games               a data set: counts, splits, values, terms
"""
_CONVERT_EXAMPLES = """\
examples:
  tengen data convert game.psq game.sgf               by the extensions of the names
  tengen data convert a.sgf b.sgf both.sgf            several into one collection
  tengen data convert records/ out/ --to sgf          a folder, file by file
  tengen data convert game.sgf moves.txt --lossy      leave out what a move list cannot hold
  tengen data convert moves.txt game.sgf --size 19 --rule renju
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    actions = Subcommands(parser)
    about = "formats, sizes, rules, lengths, results, faults"
    info = actions.add("info", _info, about, _INFO_EXAMPLES)
    info.add_argument(
        "files", nargs="+", metavar="FILE", help="files, folders of files, or data sets"
    )
    add_record_options(info)
    each = f"list every file, not only those with faults, from {MANY_FILES} files on"
    add_options(info, ("--each", each), ("--json", "print one JSON object instead"))
    convert = actions.add("convert", _convert, "write games in another format", _CONVERT_EXAMPLES)
    convert.add_argument("files", nargs="+", metavar="IN", help="files, or folders of files")
    convert.add_argument(
        "out", metavar="OUT", help="a file, or a folder (existing, or ending with /)"
    )
    add_record_options(convert)
    add_rule(convert, "the rule to write into the records")
    add_options(
        convert,
        (f"--to {choices(records.FORMATS)}", "format of OUT (default: by its extension)"),
        ("--lossy", "leave out what OUT cannot hold"),
        ("--overwrite", "replace files that exist"),
    )
    raw = argparse.RawDescriptionHelpFormatter
    configure_import(
        actions.parsers.add_parser("import", help="make training data", formatter_class=raw)
    )
    verify = actions.add("verify", _verify, "check every byte of data sets")
    verify.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="data sets")
    add_options(verify, ("--json", "print one JSON object instead"))


run = run_subcommand


def _info(args: argparse.Namespace) -> int:
    paths = [Path(name) for name in args.files]
    sets = [_dataset_info(path) for path in paths if _is_dataset(path)]
    files = expand([path for path in paths if not _is_dataset(path)])
    summaries = [_summary(file, args) for file in track(files, "reading", "files")]
    broken = sum("error" in summary for summary in summaries)
    games = sum(summary["games"] for summary in summaries)
    lines = [line for one in sets for line in one.pop("lines")]
    if args.json:
        more = {"sets": sets} if sets else {}
        print(json.dumps({"files": summaries, "games": games, "broken": broken, **more}))
    else:
        print(*lines, sep="\n", end="\n" if lines else "")
        for summary in summaries:
            if args.each or len(summaries) < MANY_FILES or "error" in summary or summary["faults"]:
                print(*_summary_lines(summary), sep="\n")
        if len(summaries) != 1 and not (sets and not summaries):
            print(f"{plural(len(summaries), 'file')} ({broken} broken), {plural(games, 'game')}")
            print(*_total_lines(summaries), sep="\n")
    return 1 if broken or not (files or sets) else 0


def _total_lines(summaries: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The sums of the counts of all readable files."""
    for name in ("sizes", "rules", "results"):
        total: Counter[str] = Counter()
        for summary in summaries:
            total.update(summary.get(name, {}))
        if total:
            yield _counts_line(name, dict(total.most_common()))


def _counts_line(name: str, counts: dict[str, int]) -> str:
    listed = ", ".join(f"{value} ({count})" for value, count in counts.items())
    return f"  {name:<9}{printable(listed)[:500]}"


def _summary(file: Path, args: argparse.Namespace) -> dict[str, Any]:
    """Statistics of a file, or in `error` why it cannot be read."""
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
    """The games whose main line is illegal, and why; games without a rule under all rules."""
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
    games = plural(summary["games"], "game")
    yield printable(f"{summary['file']}: {summary['format']}, {games}")
    for name in ("sizes", "rules", "results"):
        yield _counts_line(name, summary[name])
    moves = summary["moves"]
    yield f"  moves    min {moves['min']}, median {moves['median']:g}, max {moves['max']}"
    for fault in summary["faults"][:MAX_FAULTS]:
        yield f"  fault    {printable(fault)}"
    if len(summary["faults"]) > MAX_FAULTS:
        yield f"  faults   {len(summary['faults'])} in all"


def _convert(args: argparse.Namespace) -> int:
    files = expand([Path(name) for name in args.files])
    out = Path(args.out)
    several = len(files) > 1 or any(Path(name).is_dir() for name in args.files)
    into_folder = out.is_dir() or args.out.endswith(("/", os.sep)) or (several and not out.suffix)
    if into_folder and args.to is None:
        log(f"{out} is a folder: give the format with --to")
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
    """Convert each file separately; continues after a failure."""
    folder.mkdir(parents=True, exist_ok=True)
    form = records.FORMATS[target_format]
    taken: set[Path] = set()
    failed = written = 0
    for file in track(files, "converting", "files"):
        try:
            games = _read(file, args)
        except (BadRecord, OSError) as error:
            log(error_text(error))
            failed += 1
            continue
        parts = [games] if form.many or len(games) == 1 else [[game] for game in games]
        for number, part in enumerate(parts, 1):
            stem = file.stem if len(parts) == 1 else f"{file.stem}-{number}"
            target = folder / (stem + form.extensions[0])
            if target in taken:
                log(f"{file}: {target} was written from another file of the same name")
                failed += 1
            elif _write(part, target, target_format, args):
                taken.add(target)
                written += 1
            else:
                failed += 1
    log(f"{plural(written, 'file')} written to {folder}, {failed} failed")
    return 1 if failed else 0


def _read(file: Path, args: argparse.Namespace) -> list[Record]:
    games = records.read(file, args.source_format, args.size)
    if args.rule is not None:
        for game in games:
            game.rule = Rule.parse(args.rule)
    return games


def _write(games: list[Record], target: Path, name: str, args: argparse.Namespace) -> bool:
    """Write one file; logs what is lost or why it is not written."""
    if target.is_file() and not args.overwrite:
        log(f"{target} exists: use --overwrite to replace it")
        return False
    if len(games) > 1 and not records.FORMATS[name].many:
        log(f"{target}: a {name} file holds one game, not {len(games)}: give a folder as OUT")
        return False
    refused = False
    for number, game in enumerate(games, 1):
        if lost := records.losses(game, name):
            which = f"{game.source}, game {number}" if len(games) > 1 else game.source
            refused = not args.lossy
            state = "not written" if refused else "written"
            more = "; --lossy leaves it out" if refused else ""
            log(f"{which}: {state}, {name} cannot hold {', '.join(lost)}{more}")
    if refused:
        return False
    try:
        records.write(games, target, name, args.lossy)
    except (BadRecord, OSError) as error:  # the other files of a folder may still succeed
        log(error_text(error))
        return False
    return True


# --- data sets ---


def _is_dataset(path: Path) -> bool:
    return (path / "manifest.json").is_file()


def _dataset_info(folder: Path) -> dict[str, Any]:
    """Description of a data set for `--json`; `lines` are the same as text."""
    from tengen.data.dataset import Dataset
    from tengen.data.summary import summarise

    dataset = Dataset.open(folder, unfinished=True)
    with Progress("reading", unit="positions") as progress:
        summary = summarise(dataset, lambda done, total: progress.update(done, total=total))
    manifest = dataset.manifest.to_dict()
    manifest["shards"] = len(manifest["shards"])
    lines = list(_lines(folder, dataset.manifest, summary))
    return {"folder": str(folder), **manifest, "summary": summary.to_dict(), "lines": lines}


def _lines(folder: Path, manifest: Manifest, summary: Summary) -> Iterator[str]:
    size = f"{manifest.size}x{manifest.size}"
    yield printable(f"{folder}: {manifest.name}, {manifest.rule} {size}")
    if not manifest.finished:
        yield "  unfinished  run the same `tengen data import` again to finish it"
    shards = plural(len(manifest.shards), "shard")
    yield f"  positions   {summary.positions:,} in {shards}"
    yield f"  split       {summary.train:,} train, {summary.validation:,} validation"
    yield f"              {_split_text(manifest.validation)}"
    yield f"  columns     {', '.join(manifest.columns)}"
    if summary.games is not None:
        yield f"  games       {summary.games:,}"
    if summary.black is not None:
        white = summary.positions - summary.black
        yield f"  to move     {summary.black:,} black, {white:,} white"
    if summary.positions:
        means = f"{summary.win:.3f} win, {summary.draw:.3f} draw, {summary.loss:.3f} loss"
        yield f"  value       {means}"
        yield from _histogram(summary.scores)
        best = f"the best has {summary.best_weight:.0%} of the weight"
        yield f"  policy      {summary.policy_moves:.1f} moves of {manifest.policy_moves}; {best}"
    yield printable(f"  source      {manifest.source or 'unknown'}")
    yield printable(f"  terms       {manifest.terms or 'unknown'}")
    allowed = "yes" if manifest.redistributable else "no: do not distribute nets trained on it"
    yield f"  redistributable  {allowed}"
    if manifest.counts:
        yield "  counted by the import:"
        yield from count_lines(manifest.counts)


def _split_text(validation: Validation) -> str:
    if not validation.every:
        return "no rows for validation"
    units = f"{validation.unit}s"
    blocks = units if validation.block == 1 else f"blocks of {validation.block:,} {units}"
    if not validation.every.is_integer():
        return f"one of {validation.every:g} {blocks} is for validation"
    return f"of every {validation.every:g} {blocks} the last is for validation"


def _histogram(scores: list[int]) -> Iterator[str]:
    """Histogram of the expected score."""
    total, largest = sum(scores), max(scores)
    yield "  score       share of positions by expected score"
    for tenth, number in enumerate(scores):
        bar = "#" * round(_HISTOGRAM_WIDTH * number / largest)
        yield f"   {tenth / 10:.1f} to {(tenth + 1) / 10:.1f} {number / total:>7.1%} {bar}".rstrip()


def _verify(args: argparse.Namespace) -> int:
    """Check data sets; exit code 1 if one is invalid."""
    results = [_verified(folder) for folder in args.folders]
    if args.json:
        print(json.dumps({"sets": results}))
    for one in () if args.json else results:
        if "error" in one:
            log(one["error"])
        else:
            print(printable(f"{one['folder']}: valid, {one['positions']:,} positions"))
    return 1 if any("error" in one for one in results) else 0


def _verified(folder: Path) -> dict[str, Any]:
    from tengen.data.dataset import Dataset

    try:
        dataset = Dataset.open(folder)
        with Progress("verifying", share=True, rate=False) as progress:
            dataset.verify(lambda done, total: progress.update(done, total=total))
    except (TengenError, OSError) as error:
        return {"folder": str(folder), "error": error_text(error)}
    return {"folder": str(folder), "positions": len(dataset)}
