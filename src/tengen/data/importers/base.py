# SPDX-License-Identifier: MIT
"""What importers share: beginning a data set, or going on with one that was interrupted.

Relies on the writer; the importers rely on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from tengen.data.errors import BadData
from tengen.data.manifest import MANIFEST, Manifest
from tengen.data.writer import DataWriter

__all__ = ["Progress", "begin", "end"]

# (done, in all, positions so far); what is counted is the importer's matter.
Progress: TypeAlias = Callable[[int, int, int], None]


def begin(out: Path, manifest: Manifest, overwrite: bool) -> DataWriter:
    """A writer for an import: of a new data set, or of the same one where it was interrupted.

    The recipe tells whether it is the same. Raises BadData if the folder has something else.
    """
    if overwrite or not (out / MANIFEST).exists():
        return DataWriter.create(out, replace(manifest, finished=False), overwrite=overwrite)
    before = Manifest.read(out)
    if replace(before, shards=(), counts={}, finished=manifest.finished) != manifest:
        words = f"{out} has a data set made from other files or with other options"
        raise BadData(f"{words}: choose another folder, or --overwrite it")
    if before.finished:
        words = f"{out} has this data set already, all {before.positions:,} positions"
        raise BadData(f"{words}: --overwrite makes it again")
    return DataWriter.append(out)


def end(writer: DataWriter, nothing: str, counts: Mapping[str, int] | None = None) -> Manifest:
    """End an import; the counts are what came after the last shard. Raises BadData with the words
    if there is no position; then the folder has no data set.
    """
    if not writer.manifest.shards:
        (writer.folder / MANIFEST).unlink()
        raise BadData(nothing)
    writer.finish(counts)
    return writer.manifest
