# SPDX-License-Identifier: MIT
"""`DataWriter`: makes a data set, or adds to one. Whatever kills the process, what is named in the
manifest is whole.

Relies on shards and the manifest; importers and self-play rely on it.
"""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Self

from tengen.data.errors import BadData, DataBusy
from tengen.data.manifest import MANIFEST, Manifest, Shard
from tengen.data.rows import Batch, check, join, present
from tengen.data.shards import clear_leftovers, is_ours, map_column, verify_column, write_shard

__all__ = ["SHARD_POSITIONS", "DataWriter"]

SHARD_POSITIONS = 500_000  # rows of a shard of `add`, unless told otherwise
_LOCK = ".lock"


class DataWriter:
    """Writes shards to a folder, which no other process may write to meanwhile.

        with DataWriter.create(folder, Manifest("mine", Rule.RENJU, 15, policy_moves=8)) as writer:
            writer.add(rows)            # any number of rows; shards of `shard_positions`
            writer.write(rows)          # exactly these rows, on the disk when it returns

    Leaving the block writes the rest of what was added; leaving it by an error drops that rest.
    """

    def __init__(self, folder: Path, manifest: Manifest, shard_positions: int, lock: int) -> None:
        """Use `create` or `append`."""
        if shard_positions < 1:
            raise BadData(f"no shards of {shard_positions} rows: use 1 or more")
        self.folder = folder
        self.manifest = manifest
        self._most = shard_positions
        self._lock = lock
        self._waiting: list[Batch] = []
        self._rows = 0  # in `_waiting`

    @classmethod
    def create(
        cls,
        folder: str | os.PathLike[str],
        manifest: Manifest,
        *,
        shard_positions: int = SHARD_POSITIONS,
        overwrite: bool = False,
    ) -> DataWriter:
        """Begin a data set. Raises BadData if the folder has one (unless `overwrite`) or anything
        else, and DataBusy.
        """
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        has_set = (path / MANIFEST).exists()
        if has_set and not overwrite:
            raise BadData(f"{path} has a data set already: add to it, or overwrite it")
        foreign = [one.name for one in path.iterdir() if not _belongs(one)]
        if foreign and not has_set:
            words = f"{path} holds other files ({', '.join(sorted(foreign)[:3])})"
            raise BadData(f"{words}: choose a folder of its own")
        lock = _locked(path)
        try:
            (path / MANIFEST).unlink(missing_ok=True)  # first: no moment with half a data set
            clear_leftovers(path, ())
            empty = replace(manifest, shards=())
            empty.write(path)
            return cls(path, empty, shard_positions, lock)
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def append(
        cls, folder: str | os.PathLike[str], *, shard_positions: int = SHARD_POSITIONS
    ) -> DataWriter:
        """Go on with a data set. What a killed process left behind is taken away. Raises BadData
        and DataBusy.
        """
        path = Path(folder)
        Manifest.read(path)  # before a lock is made in a folder that has none
        lock = _locked(path)
        try:
            manifest = Manifest.read(path)
            clear_leftovers(path, manifest.shards)
            return cls(path, manifest, shard_positions, lock)
        except BaseException:
            os.close(lock)
            raise

    def add(self, rows: Batch) -> None:
        """Add rows; whole shards of them are written. Raises BadData for rows that make no sense,
        and OSError.
        """
        good = self._checked(rows)
        # A copy: the caller may fill its arrays anew.
        self._waiting.append(Batch(**{name: c.copy() for name, c in present(good).items()}))
        self._rows += len(good.board)
        if self._rows >= self._most:
            everything = join(self._waiting)
            whole = self._rows - self._rows % self._most
            self._waiting, self._rows = [_part(everything, whole, self._rows)], self._rows - whole
            for start in range(0, whole, self._most):
                self._put(_part(everything, start, start + self._most), "", {})

    def write(self, rows: Batch, origin: str = "", counts: Mapping[str, int] | None = None) -> None:
        """Write a shard of exactly these rows, after what was added before. `counts` are added to
        those of the manifest in the same moment. Errors as of `add`.
        """
        good = self._checked(rows)
        self.flush()
        self._put(good, origin, counts or {})

    def flush(self) -> None:
        """Write what was added and is not yet in a shard."""
        if self._rows:
            rows = join(self._waiting)
            self._waiting, self._rows = [], 0
            self._put(rows, "", {})

    def finish(self, counts: Mapping[str, int] | None = None) -> None:
        """Write the rest, add to the counts, and say that the set is whole (`finished`)."""
        self.flush()
        self._replace(replace(self.manifest, finished=True, counts=self._counted(counts or {})))

    def drop_first(self, count: int) -> int:
        """Take the oldest shards out of the set, then their files; at least one stays. The counts
        stay as they are. Returns how many rows went. Raises OSError.
        """
        shards = self.manifest.shards
        gone, kept = shards[: min(count, len(shards) - 1)], shards[min(count, len(shards) - 1) :]
        if not gone:
            return 0
        self._replace(replace(self.manifest, shards=kept))
        clear_leftovers(self.folder, kept)
        return sum(shard.positions for shard in gone)

    def set_aside(self, folder: Path) -> list[str]:
        """Take damaged shards out of the set and move their files to `folder`; what is wrong with
        each. The counts stay as they are. Raises OSError.
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
        """What is wrong with the files of a shard; nothing: they are as they were written."""
        try:
            for column in shard.columns:
                verify_column(self.folder, shard, column)
                map_column(self.folder, shard, column, self.manifest.form)
        except BadData as error:
            return str(error)
        return ""

    def next_game(self) -> int:
        """A number that no game of the set has, nor any before it: one more than the largest."""
        largest = -1
        for shard in self.manifest.shards:
            if "game" in shard.columns:
                games = map_column(self.folder, shard, "game", self.manifest.form)
                largest = max(largest, int(games.max()))
        return largest + 1

    def close(self) -> None:
        """Let the folder go. What was added and not written is dropped."""
        self._waiting, self._rows = [], 0
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
        good = self.manifest.form.fitted(rows)
        held = self.manifest.columns or (present(self._waiting[0]) if self._waiting else ())
        if held and set(present(good)) != set(held):
            words = f"rows with columns {', '.join(present(good))}"
            raise BadData(f"{words}: the data set has {', '.join(held)}")
        if self.manifest.validation.unit == "game" and good.game is None:
            raise BadData("validation is by game: rows need the column 'game'")
        check(good, self.manifest.form)
        return good

    def _put(self, rows: Batch, origin: str, counts: Mapping[str, int]) -> None:
        """A shard of rows that are checked: its files, then the manifest."""
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
            safe = f"{self.manifest.positions:,} positions written before are safe"
            words = f"{error.strerror or error}; shard {name} was not written, {safe}"
            if error.errno == errno.ENOSPC:
                words += ": free some space, then go on"
            raise OSError(error.errno, words, os.fspath(self.folder)) from error

    def _counted(self, counts: Mapping[str, int]) -> dict[str, int]:
        """The counts of the manifest and these."""
        return dict(Counter(self.manifest.counts) + Counter(counts))

    def _replace(self, manifest: Manifest) -> None:
        manifest.write(self.folder)
        self.manifest = manifest


def _part(rows: Batch, start: int, stop: int) -> Batch:
    return Batch(**{name: column[start:stop] for name, column in present(rows).items()})


def _belongs(path: Path) -> bool:
    """Whether a file may lie in the folder of a data set."""
    return is_ours(path) or path.name in (MANIFEST, _LOCK) or path.name.startswith(".tengen-")


def _locked(folder: Path) -> int:
    """Keep the folder for this process until the number is closed, or the process ends."""
    file = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            import fcntl
        except ImportError:  # Windows: the file itself is locked
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        words = f"{folder} is being written by another process"
        raise DataBusy(f"{words}: wait for its end, or use another folder") from None
    return file
