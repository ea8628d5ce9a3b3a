# SPDX-License-Identifier: MIT
"""What `tengen data info` and `tengen data verify` say of data sets.

Relies on `tengen.data`, which is imported when there is one; `tengen data` relies on it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli.common import count, error_text, one_line, printable
from tengen.cli.data_progress import Bar
from tengen.game.errors import TengenError

if TYPE_CHECKING:
    from tengen.data.manifest import Manifest, Validation
    from tengen.data.summary import Summary

__all__ = ["configure_verify", "dataset_info", "is_dataset", "run_verify", "told_counts"]

_BAR = 30  # columns of the longest bar


def is_dataset(path: Path) -> bool:
    return (path / "manifest.json").is_file()


def told_counts(counts: Mapping[str, int]) -> Iterator[str]:
    """What an importer counted, a line each, but for what is told anyway."""
    for name, number in counts.items():
        if name != "positions":
            yield f"  {number:>12,} {printable(name)}"


def dataset_info(folder: Path) -> dict[str, Any]:
    """What a data set holds, for `--json`; `lines` are the same for people."""
    from tengen.data.dataset import Dataset
    from tengen.data.summary import summarise

    dataset = Dataset.open(folder, unfinished=True)
    with Bar("reading") as bar:
        summary = summarise(dataset, bar.update)
    told = dataset.manifest.to_dict()
    told["shards"] = len(told["shards"])
    found = {"folder": str(folder), **told, "summary": summary.to_dict()}
    found["lines"] = list(_lines(folder, dataset.manifest, summary))
    return found


def _lines(folder: Path, manifest: Manifest, summary: Summary) -> Iterator[str]:
    size = f"{manifest.size}x{manifest.size}"
    yield printable(f"{folder}: {manifest.name}, {manifest.rule} {size}")
    if not manifest.finished:
        yield "  unfinished  run the same `tengen data import` again to finish it"
    shards = count(len(manifest.shards), "shard")
    yield f"  positions   {summary.positions:,} in {shards}"
    yield f"  split       {summary.train:,} train, {summary.validation:,} validation"
    yield f"              {_split_words(manifest.validation)}"
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
    yield printable(f"  source      {manifest.source or 'not told'}")
    yield printable(f"  terms       {manifest.terms or 'not told'}")
    yield f"  ships       {'yes' if manifest.ships else 'no: no net trained on it may ship'}"
    if manifest.counts:
        yield "  counted by the import:"
        yield from told_counts(manifest.counts)


def _split_words(validation: Validation) -> str:
    if not validation.every:
        return "nothing is kept for validation"
    units = f"{validation.unit}s"
    blocks = units if validation.block == 1 else f"blocks of {validation.block:,} {units}"
    return f"of every {validation.every} {blocks} the last is for validation"


def _histogram(scores: list[int]) -> Iterator[str]:
    """Rows by expected score, as bars."""
    total, most = sum(scores), max(scores)
    yield "  score       share of positions by expected score"
    for tenth, number in enumerate(scores):
        bar = "#" * round(_BAR * number / most)
        yield f"   {tenth / 10:.1f} to {(tenth + 1) / 10:.1f} {number / total:>7.1%} {bar}".rstrip()


def configure_verify(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="data sets")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")


def run_verify(args: argparse.Namespace) -> int:
    """Check data sets; exit code 1 if one is not good."""
    found = [_verified(folder) for folder in args.folders]
    if args.json:
        print(json.dumps({"sets": found}))
    for one in () if args.json else found:
        if "error" in one:
            print(f"tengen data: {one_line(one['error'])}", file=sys.stderr)
        else:
            print(printable(f"{one['folder']}: good, {one['positions']:,} positions"))
    return 1 if any("error" in one for one in found) else 0


def _verified(folder: Path) -> dict[str, Any]:
    from tengen.data.dataset import Dataset

    try:
        dataset = Dataset.open(folder)
        with Bar("verifying") as bar:
            dataset.verify(bar.update)
    except (TengenError, OSError) as error:
        return {"folder": str(folder), "error": error_text(error)}
    return {"folder": str(folder), "positions": len(dataset)}
