# SPDX-License-Identifier: MIT
"""The games of a run on disk: a data set whose shards are the results of tasks, and whose counts
are those of all games ever. Relies on `tengen.data`; the loop and packing rely on it.

A task's rows and its counts become part of the set in one moment, the replacement of the manifest.
So a game is counted exactly if its rows are there or were there: counts stay when old shards are
dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tengen.data import BadData, Batch, Dataset, DataWriter, Manifest, Validation
from tengen.game.rule import Rule
from tengen.zero.errors import BadZero
from tengen.zero.generator import Games

__all__ = ["COUNTS", "Replay"]

COUNTS = ("positions", "games", "black", "white", "drawn", "moves", "playouts", "tasks")
_VALIDATION = Validation(every=20, block=1, unit="game")
_TERMS = "games of the project's own engine against itself"


class Replay:
    """The data set while the loop has it. One process has it at a time; `close` lets it go."""

    def __init__(self, path: Path, rule: str, size: int, ships: bool) -> None:
        """Raises BadZero if it is of another rule or size, BadData if it is damaged, DataBusy."""
        self.path = path
        self._rule, self._size, self._ships = Rule.parse(rule), size, ships
        self._writer: DataWriter | None = None
        if (path / "manifest.json").exists():
            self._writer = DataWriter.append(path)
            held = self._writer.manifest
            if (held.rule, held.size) != (self._rule, size):
                self.close()
                words = f"{path} is of {held.rule} on {held.size} lines"
                raise BadZero(f"{words}, the run of {rule} on {size}: bring its own replay back")

    @property
    def counts(self) -> dict[str, int]:
        """Of all games ever."""
        held: Mapping[str, int] = self._writer.manifest.counts if self._writer else {}
        return {name: held.get(name, 0) for name in COUNTS}

    @property
    def positions(self) -> int:
        """Rows of all games ever, those dropped from the disk too."""
        return self.counts["positions"]

    @property
    def policy_moves(self) -> int:
        """Of a row; 0 before the first game."""
        return self._writer.manifest.policy_moves if self._writer else 0

    @property
    def columns(self) -> frozenset[str]:
        """Of the rows; none before the first game."""
        shards = self._writer.manifest.shards if self._writer else ()
        return frozenset(shards[-1].columns) if shards else frozenset()

    def tasks(self) -> set[str]:
        """The names of the tasks whose rows are here."""
        shards = self._writer.manifest.shards if self._writer else ()
        return {shard.origin.split()[1] for shard in shards if len(shard.origin.split()) > 1}

    def adopt(self, games: Games, task: str, words: str = "") -> Batch:
        """Keep the games of a task and count them; their rows as they were kept, with numbers that
        no other game has. Raises BadData if the task was adopted before, and OSError.
        """
        if task in self.tasks():
            raise BadData(f"the games of task {task} are here already")
        rows = games.rows
        assert rows.game is not None
        rows = rows._replace(game=(rows.game + self.counts["games"]).astype("<i4"))
        if self._writer is None:
            self._writer = DataWriter.create(self.path, self._manifest(rows.move.shape[1]))
        counts = {
            "positions": len(rows.board),
            "games": games.count,
            "black": games.black,
            "white": games.white,
            "drawn": games.drawn,
            "moves": games.moves,
            "playouts": games.playouts,
            "tasks": 1,
        }
        self._writer.write(rows, f"task {task} {words}".strip(), counts)
        return rows

    def _manifest(self, moves: int) -> Manifest:
        return Manifest(
            "replay",
            self._rule,
            self._size,
            moves,
            validation=_VALIDATION,
            source="self-play of a zero run",
            terms=_TERMS if self._ships else "only for experiments: the run began with other data",
            redistributable=self._ships,
        )

    def restore(self, shards: Iterator[tuple[Batch, str]], head: Mapping[str, Any]) -> None:
        """Fill an empty replay with shards that were packed, and the counts of then."""
        assert self._writer is None
        self._writer = DataWriter.create(self.path, self._manifest(int(head["policy_moves"])))
        self._writer.manifest = replace(self._writer.manifest, counts=dict(head["counts"]))
        for rows, origin in shards:
            self._writer.write(rows, origin)
        self._writer.finish()

    def set_aside_damaged(self) -> list[str]:
        """Move shards whose files are damaged to `damaged` beside the replay, so that the run can
        go on with the others; what is wrong with each. Their games stay counted. Raises OSError.
        """
        if self._writer is None:
            return []
        return self._writer.quarantine(self.path.with_name("damaged"))

    def newest(self, rows: int) -> Iterator[Batch]:
        """The newest rows on disk, at least so many if there are, shard by shard, the oldest
        first. Raises BadData.
        """
        if self._writer is None:
            return
        data = Dataset.open(self.path)
        shards = data.manifest.shards
        first, held = len(shards), 0
        while first and held < rows:
            first -= 1
            held += shards[first].positions
        begin = sum(shard.positions for shard in shards[:first])
        for shard in shards[first:]:
            yield data.rows(np.arange(begin, begin + shard.positions))  # not mapped: a copy
            begin += shard.positions

    def drop(self, keep: int) -> int:
        """Take old shards from the disk as long as `keep` rows stay; how many rows went."""
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
