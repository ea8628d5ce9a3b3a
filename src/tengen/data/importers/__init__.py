# SPDX-License-Identifier: MIT
"""Importers: make data sets from other files. One module per kind of source.

`start_import` and `finish_import` make every import resumable: the manifest's recipe identifies it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from tengen.data.errors import BadData
from tengen.data.manifest import MANIFEST, Manifest
from tengen.data.writer import DataWriter

__all__ = ["ImportProgress", "file_list", "finish_import", "start_import"]

# (done, total, positions so far); the unit of `done` depends on the importer.
ImportProgress: TypeAlias = Callable[[int, int, int], None]
_OLD_NAMES = {"zero15": "packed", "searches": "search-labels"}  # of importers, until 0.1.0


def file_list(files: Sequence[Path]) -> list[list[Any]]:
    """Names and sizes of files, for a recipe."""
    return [[file.name, file.stat().st_size] for file in files]


def start_import(out: Path, manifest: Manifest, overwrite: bool) -> DataWriter:
    """A writer for a new data set, or for the same one if its import was interrupted.

    Raises BadData if the folder has something else.
    """
    if overwrite or not (out / MANIFEST).exists():
        return DataWriter.create(out, replace(manifest, finished=False), overwrite=overwrite)
    before = Manifest.load(out)
    name = before.recipe.get("importer", "")
    recipe = {**before.recipe, "importer": _OLD_NAMES.get(name, name)}
    before = replace(before, recipe=recipe, source=manifest.source, terms=manifest.terms)
    if replace(before, shards=(), counts={}, finished=manifest.finished) != manifest:
        problem = f"{out} has a data set made from other files or with other options"
        raise BadData(f"{problem}: choose another folder, or --overwrite it")
    if before.finished:
        problem = f"{out} already has this data set, all {before.positions:,} positions"
        raise BadData(f"{problem}: --overwrite makes it again")
    return DataWriter.append(out)


def finish_import(
    writer: DataWriter, empty: str, counts: Mapping[str, int] | None = None
) -> Manifest:
    """Finish an import; `counts` are those since the last shard. Raises BadData with the message
    `empty` if there is no position; the folder then has no data set.
    """
    if not writer.manifest.shards:
        (writer.folder / MANIFEST).unlink()
        raise BadData(empty)
    writer.finish(counts)
    return writer.manifest
