# SPDX-License-Identifier: MIT
"""`DataWriter`: creates a data set or appends to one. If the process is killed, every shard that
the manifest names is complete. Importers and self-play use it.
"""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Self

from tengen.data.canonical import is_hash_file
from tengen.data.errors import BadData, DataBusy
from tengen.data.manifest import MANIFEST, Manifest, Shard
from tengen.data.rows import Batch, check, join, present
from tengen.data.shards import (
    is_column_file,
    map_column,
    remove_leftovers,
    verify_column,
    write_shard,
)
from tengen.util.errors import FolderLocked
from tengen.util.files import TEMPORARY_PREFIX, lock_folder

SHARD_POSITIONS = 500_000  # rows per shard of `add`, by default


class DataWriter:
    """Writes shards to a folder and locks it for other writers.

        with DataWriter.create(folder, Manifest("mine", Rule.RENJU, 15, policy_moves=8)) as writer:
            writer.add(rows)            # any number of rows, in shards of `shard_positions`
            writer.write(rows)          # one shard of exactly these rows, on disk on return

    Leaving the block writes rows that are still buffered; an exception drops them.
    """

    def __init__(self, folder: Path, manifest: Manifest, shard_positions: int, lock: int) -> None:
        """Use `create` or `append`."""
        if shard_positions < 1:
            raise BadData(f"no shards of {shard_positions} rows: use 1 or more")
        self.folder = folder
        self.manifest = manifest
        self._shard_positions = shard_positions
        self._lock = lock
        self._buffer: list[Batch] = []
        self._rows = 0  # in `_buffer`

    @classmethod
    def create(
        cls,
        folder: str | os.PathLike[str],
        manifest: Manifest,
        *,
        shard_positions: int = SHARD_POSITIONS,
        overwrite: bool = False,
    ) -> DataWriter:
        """Create a data set. Raises BadData if the folder has one (unless `overwrite`) or other
        files, and DataBusy.
        """
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        has_set = (path / MANIFEST).exists()
        if has_set and not overwrite:
            raise BadData(f"{path} already has a data set: append to it, or overwrite it")
        foreign = [one.name for one in path.iterdir() if not _belongs(one)]
        if foreign and not has_set:
            names = ", ".join(sorted(foreign)[:3])
            raise BadData(f"{path} has other files ({names}): choose an empty folder")
        lock = _lock(path)
        try:
            (path / MANIFEST).unlink(missing_ok=True)  # first: there is never half a data set
            remove_leftovers(path, ())
            empty = replace(manifest, shards=())
            empty.save(path)
            return cls(path, empty, shard_positions, lock)
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def append(
        cls, folder: str | os.PathLike[str], *, shard_positions: int = SHARD_POSITIONS
    ) -> DataWriter:
        """Append to a data set. Removes leftovers of killed writers. Raises BadData, DataBusy."""
        path = Path(folder)
        Manifest.load(path)  # before a lock file is created in a folder without data set
        lock = _lock(path)
        try:
            manifest = Manifest.load(path)
            remove_leftovers(path, manifest.shards)
            return cls(path, manifest, shard_positions, lock)
        except BaseException:
            os.close(lock)
            raise

    def add(self, rows: Batch) -> None:
        """Add rows; writes shards when they are full. Raises BadData for invalid rows, and
        OSError.
        """
        good = self._checked(rows)
        # A copy: the caller may reuse its arrays.
        self._buffer.append(Batch(**{name: c.copy() for name, c in present(good).items()}))
        self._rows += len(good.board)
        if self._rows >= self._shard_positions:
            everything = join(self._buffer)
            whole = self._rows - self._rows % self._shard_positions
            self._buffer, self._rows = [_part(everything, whole, self._rows)], self._rows - whole
            for start in range(0, whole, self._shard_positions):
                self._put(_part(everything, start, start + self._shard_positions), "", {})

    def write(self, rows: Batch, origin: str = "", counts: Mapping[str, int] | None = None) -> None:
        """Write a shard of exactly these rows, after those added before. `counts` are added to
        those of the manifest in the same atomic step. Raises as `add`.
        """
        good = self._checked(rows)
        self.flush()
        self._put(good, origin, counts or {})

    def flush(self) -> None:
        """Write the rows that are still buffered."""
        if self._rows:
            rows = join(self._buffer)
            self._buffer, self._rows = [], 0
            self._put(rows, "", {})

    def finish(self, counts: Mapping[str, int] | None = None) -> None:
        """Write the buffered rows, add to the counts, and mark the set `finished`."""
        self.flush()
        self._replace(replace(self.manifest, finished=True, counts=self._counted(counts or {})))

    def drop_first(self, count: int) -> int:
        """Remove the oldest shards and their files, but never the last one. Counts do not change.
        Returns the number of removed rows. Raises OSError.
        """
        shards = self.manifest.shards
        gone, kept = shards[: min(count, len(shards) - 1)], shards[min(count, len(shards) - 1) :]
        if not gone:
            return 0
        self._replace(replace(self.manifest, shards=kept))
        remove_leftovers(self.folder, kept)
        return sum(shard.positions for shard in gone)

    def quarantine(self, folder: Path) -> list[str]:
        """Remove damaged shards from the set and move their files to `folder`. Counts do not
        change. Returns what is wrong with each. Raises OSError.
        """
        faults = {shard.name: self._fault(shard) for shard in self.manifest.shards}
        bad = [shard for shard in self.manifest.shards if faults[shard.name]]
        if not bad:
            return []
        folder.mkdir(parents=True, exist_ok=True)
        for shard in bad:
            for column in shard.columns:
                path = shard.file(self.folder, column)
                if path.exists():
                    path.replace(folder / path.name)
        kept = tuple(shard for shard in self.manifest.shards if not faults[shard.name])
        self._replace(replace(self.manifest, shards=kept))
        return [fault for fault in faults.values() if fault]

    def _fault(self, shard: Shard) -> str:
        """What is wrong with the files of a shard; empty if nothing is."""
        try:
            for column in shard.columns:
                verify_column(self.folder, shard, column)
                map_column(self.folder, shard, column, self.manifest.row_format)
        except BadData as error:
            return str(error)
        return ""

    def next_game(self) -> int:
        """One more than the largest game number of the set."""
        largest = -1
        for shard in self.manifest.shards:
            if "game" in shard.columns:
                games = map_column(self.folder, shard, "game", self.manifest.row_format)
                largest = max(largest, int(games.max()))
        return largest + 1

    def close(self) -> None:
        """Release the folder. Drops buffered rows."""
        self._buffer, self._rows = [], 0
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self.flush()
        finally:
            self.close()

    def _checked(self, rows: Batch) -> Batch:
        good = self.manifest.row_format.fitted(rows)
        columns = self.manifest.columns or (present(self._buffer[0]) if self._buffer else ())
        if columns and set(present(good)) != set(columns):
            problem = f"rows with columns {', '.join(present(good))}"
            raise BadData(f"{problem}: the data set has {', '.join(columns)}")
        if self.manifest.validation.unit == "game" and good.game is None:
            raise BadData("validation is by game: rows need the column 'game'")
        check(good, self.manifest.row_format)
        return good

    def _put(self, rows: Batch, origin: str, counts: Mapping[str, int]) -> None:
        """Write a shard of checked rows: its files, then the manifest."""
        if self._lock < 0:
            raise BadData(f"{self.folder}: the writer is closed")
        if not len(rows.board):
            return
        shards = self.manifest.shards
        name = f"{int(shards[-1].name) + 1 if shards else 0:05d}"
        try:
            shard = write_shard(self.folder, name, rows, origin)
            total = self._counted(counts)
            self._replace(replace(self.manifest, shards=(*shards, shard), counts=total))
        except OSError as error:
            safe = f"the {self.manifest.positions:,} positions written before are safe"
            problem = f"{error.strerror or error}; shard {name} was not written, {safe}"
            if error.errno == errno.ENOSPC:
                problem += ": free some disk space, then resume"
            raise OSError(error.errno, problem, os.fspath(self.folder)) from error

    def _counted(self, counts: Mapping[str, int]) -> dict[str, int]:
        """The counts of the manifest plus these."""
        return dict(Counter(self.manifest.counts) + Counter(counts))

    def _replace(self, manifest: Manifest) -> None:
        manifest.save(self.folder)
        self.manifest = manifest


def _part(rows: Batch, start: int, stop: int) -> Batch:
    return Batch(**{name: column[start:stop] for name, column in present(rows).items()})


def _belongs(path: Path) -> bool:
    """Whether a file may be in the folder of a data set."""
    return (
        is_column_file(path)
        or is_hash_file(path)
        or path.name in (MANIFEST, ".lock")
        or path.name.startswith(TEMPORARY_PREFIX)
    )


def _lock(folder: Path) -> int:
    try:
        return lock_folder(folder)
    except FolderLocked as error:
        raise DataBusy(f"{error}, or use another folder") from None
