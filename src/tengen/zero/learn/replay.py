# SPDX-License-Identifier: MIT
"""The positions of a run: `ReplayBuffer` on disk, a data set whose shards are the results of tasks,
and `ReplayWindow` in device memory, from which the learner samples.

A task's rows and its counts become part of the data set at once, when the manifest is replaced. So
a game is counted exactly if its rows are or were stored; counts stay when old shards are dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tengen.data import BadData, Batch, Dataset, DataWriter, Manifest, Validation
from tengen.game.rule import Rule
from tengen.train.source import packed
from tengen.train.unpack import PackedRows
from tengen.zero.errors import BadZero
from tengen.zero.play.generator import SelfPlayGames

GAME_COUNTS = ("black", "white", "drawn", "moves", "playouts")  # of a task: wins and sums
COUNTS = ("positions", "games", *GAME_COUNTS, "tasks")
_VALIDATION = Validation(every=20, block=1, unit="game")
_TERMS = "games of the project's own engine against itself"


class ReplayBuffer:
    """The data set while a run is active. One process owns it at a time, until `close`."""

    def __init__(self, path: Path, rule: str, size: int, redistributable: bool) -> None:
        """Raises BadZero for another rule or size, BadData if it is damaged, DataBusy."""
        self.path = path
        self._rule, self._size = Rule.parse(rule), size
        self._redistributable = redistributable
        self._writer: DataWriter | None = None
        if (path / "manifest.json").exists():
            self._writer = DataWriter.append(path)
            manifest = self._writer.manifest
            if (manifest.rule, manifest.size) != (self._rule, size):
                self.close()
                problem = f"{path} has positions of {manifest.rule} {manifest.size}x{manifest.size}"
                raise BadZero(f"{problem}, the run plays {rule} {size}x{size}: restore its replay")

    @property
    def counts(self) -> dict[str, int]:
        """Counts of all games ever, including dropped ones."""
        counts: Mapping[str, int] = self._writer.manifest.counts if self._writer else {}
        return {name: counts.get(name, 0) for name in COUNTS}

    @property
    def positions(self) -> int:
        """Rows of all games ever, including dropped ones."""
        return self.counts["positions"]

    @property
    def policy_moves(self) -> int:
        """Per row; 0 before the first game."""
        return self._writer.manifest.policy_moves if self._writer else 0

    @property
    def columns(self) -> frozenset[str]:
        """Of the rows; empty before the first game."""
        shards = self._writer.manifest.shards if self._writer else ()
        return frozenset(shards[-1].columns) if shards else frozenset()

    def tasks(self) -> set[str]:
        """Names of the tasks whose rows are on disk."""
        shards = self._writer.manifest.shards if self._writer else ()
        return {shard.origin.split()[1] for shard in shards if len(shard.origin.split()) > 1}

    def add(self, games: SelfPlayGames, task: str, origin: str = "") -> Batch:
        """Store and count the games of a task. Returns its rows with game numbers that are unique
        in the run. Raises BadData if the task was added before, and OSError.
        """
        if task in self.tasks():
            raise BadData(f"the games of task {task} are already stored")
        rows = games.rows
        assert rows.game is not None
        rows = rows._replace(game=(rows.game + self.counts["games"]).astype("<i4"))
        if self._writer is None:
            self._writer = DataWriter.create(self.path, self._manifest(rows.move.shape[1]))
        counts = {name: getattr(games, name) for name in GAME_COUNTS}
        counts |= {"positions": len(rows.board), "games": games.count, "tasks": 1}
        self._writer.write(rows, f"task {task} {origin}".strip(), counts)
        return rows

    def _manifest(self, moves: int) -> Manifest:
        return Manifest(
            "replay",
            self._rule,
            self._size,
            moves,
            validation=_VALIDATION,
            source="self-play of a zero run",
            terms=_TERMS if self._redistributable else "experiments only",
            redistributable=self._redistributable,
        )

    def restore(self, shards: Iterator[tuple[Batch, str]], head: Mapping[str, Any]) -> None:
        """Fill an empty buffer with packed shards and their counts."""
        assert self._writer is None
        self._writer = DataWriter.create(self.path, self._manifest(int(head["policy_moves"])))
        self._writer.manifest = replace(self._writer.manifest, counts=dict(head["counts"]))
        for rows, origin in shards:
            self._writer.write(rows, origin)
        self._writer.finish()

    def quarantine_damaged(self) -> list[str]:
        """Move damaged shards to `damaged` beside the buffer, so that the run can continue; returns
        what is wrong with each. Their games stay counted. Raises OSError.
        """
        if self._writer is None:
            return []
        return self._writer.quarantine(self.path.with_name("damaged"))

    def newest(self, rows: int) -> Iterator[Batch]:
        """The newest rows on disk, at least `rows` if there are, shard by shard, oldest first.
        Raises BadData.
        """
        if self._writer is None:
            return
        data = Dataset.open(self.path)
        shards = data.manifest.shards
        first, count = len(shards), 0
        while first and count < rows:
            first -= 1
            count += shards[first].positions
        begin = sum(shard.positions for shard in shards[:first])
        for shard in shards[first:]:
            yield data.rows(np.arange(begin, begin + shard.positions))  # a copy, not mapped
            begin += shard.positions

    def drop(self, keep: int) -> int:
        """Delete old shards as long as `keep` rows remain; returns the number of rows deleted."""
        if self._writer is None:
            return 0
        shards = self._writer.manifest.shards
        left = self._writer.manifest.positions
        first = 0
        while first < len(shards) and left - shards[first].positions >= keep:
            left -= shards[first].positions
            first += 1
        return self._writer.drop_first(first)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


class ReplayWindow:
    """The newest rows, at most `capacity`, as a ring of packed rows in device memory. The samples
    of a step depend on the seed, the step and the rows present: there is no state to save.
    """

    def __init__(self, capacity: int, device: torch.device) -> None:
        self._capacity = capacity
        self._device = device
        self._rows: PackedRows | None = None  # made when the shapes are known
        self._next = 0  # index of the next row
        self._size = 0  # rows present

    def __len__(self) -> int:
        """Rows present."""
        return self._size

    def add(self, batch: Batch) -> None:
        """Add rows, oldest first; they replace the oldest of the ring."""
        rows = packed(batch)
        count = min(len(rows.board), self._capacity)
        if not count:
            return
        if self._rows is None:
            self._rows = PackedRows(*(self._empty(column) for column in rows))
        indices = (torch.arange(count, device=self._device) + self._next) % self._capacity
        for stored, column in zip(self._rows, rows, strict=True):
            stored[indices] = column[-count:].to(self._device)
        self._next = (self._next + count) % self._capacity
        self._size = min(self._capacity, self._size + count)

    def _empty(self, column: Tensor) -> Tensor:
        shape = (self._capacity, *column.shape[1:])
        return torch.zeros(shape, dtype=column.dtype, device=self._device)

    def sample(self, count: int, window_size: int, random: torch.Generator) -> PackedRows:
        """Random rows of the newest `window_size`, with replacement. Must not be empty."""
        assert self._rows is not None
        available = max(1, min(window_size, self._size))
        back = torch.randint(1, available + 1, (count,), generator=random, device=self._device)
        indices = (self._next - back) % self._capacity
        return PackedRows(*(column[indices] for column in self._rows))
