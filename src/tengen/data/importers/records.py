# SPDX-License-Identifier: MIT
"""Imports game records: the policy is the move that was played, the value is the game's result.

Positions after the end of a game and illegal moves are left out and counted. An interrupted import
resumes after the last shard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from tengen.data.errors import BadData
from tengen.data.importers import ImportProgress, file_list, finish_import, start_import
from tengen.data.importers.games import ImportedGame, read_games
from tengen.data.importers.replaying import Positions, result_on_board
from tengen.data.manifest import SPLITS, Manifest, Validation
from tengen.data.packing import check_size
from tengen.data.rows import Batch, join
from tengen.data.writer import SHARD_POSITIONS, DataWriter
from tengen.game.rule import Colour, Rule
from tengen.util.config import Config, setting

_CHUNK = 20_000  # positions replayed before they are packed; bounds the memory
_MAX_FAULTS = 5
_NO_RESULT = "games without a result"


@dataclass(frozen=True, slots=True)
class RecordOptions(Config):
    """What to take of the games, and their description."""

    ERROR: ClassVar = BadData

    rule: Rule = setting(convert=Rule.parse)  # games of other rules are left out
    size: int = setting(15, convert=check_size)  # of the board; games on others are left out
    skip: int = setting(0, min=0)  # first moves of each game to leave out
    # Only positions with this side to move.
    colour: Colour | None = setting(None, convert=lambda c: None if c is None else Colour.parse(c))
    keep_unknown: bool = False  # take games without result too, as a third each way
    name: str = "records"
    source: str = ""  # default: the names of the files
    terms: str = ""
    redistributable: bool = False  # whether nets trained on them may be distributed
    # What is held out for validation: whole games, or positions, whose games are trained on.
    split: str = setting("game", choices=tuple(SPLITS))
    every: float = setting(20.0, min=0)  # one of `every` games or positions; 0: none
    shard_positions: int = setting(SHARD_POSITIONS, min=1)

    def validate(self) -> None:
        if self.redistributable and not self.terms:
            raise BadData("redistributable data need terms that allow it: give the terms")

    def recipe(self, files: Sequence[Path]) -> dict[str, Any]:
        """What identifies the import, to resume it."""
        return {
            "importer": "records",
            "files": file_list(files),
            "skip": self.skip,
            "colour": None if self.colour is None else str(self.colour),
            "keep_unknown": self.keep_unknown,
            "shard_positions": self.shard_positions,
        }

    def manifest(self, files: Sequence[Path]) -> Manifest:
        names = [file.name for file in files]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        return Manifest(
            self.name,
            self.rule,
            self.size,
            policy_moves=1,
            validation=Validation(self.every, 1, SPLITS[self.split]),
            source=self.source or ", ".join(names[:3]) + more,
            terms=self.terms,
            redistributable=self.redistributable,
            recipe=self.recipe(files),
        )


def import_records(
    files: Sequence[Path],
    out: Path,
    options: RecordOptions,
    *,
    form: str | None = None,
    overwrite: bool = False,
    progress: ImportProgress | None = None,
) -> tuple[Manifest, list[str]]:
    """Import the games of files, or resume; returns the manifest and messages: the first faults,
    and options that would take more games.

    `form` names the format of the files, if they do not state it. `progress` counts bytes. Raises
    BadData, OSError.
    """
    if not files:
        raise BadData("no file of games: give one or more")
    with start_import(out, options.manifest(files), overwrite) as writer:
        work = _Import(writer, options)
        before, total = 0, sum(file.stat().st_size for file in files)
        for file in files:
            for game in read_games(file, options.size, form):
                work.take(game)
                if progress is not None:
                    progress(before + game.read, total, work.positions)
            before += file.stat().st_size
        rest = work.end()
        manifest = finish_import(writer, work.why_empty(), rest)
        return manifest, work.faults + _advice(manifest.counts)


def _advice(counts: Mapping[str, int]) -> list[str]:
    """Options that would take more games."""
    return [f"--keep-unknown takes the {_NO_RESULT} too"] if counts.get(_NO_RESULT) else []


class _Import:
    """Buffers games and writes shards. Skips the games of existing shards."""

    def __init__(self, writer: DataWriter, options: RecordOptions) -> None:
        self.faults: list[str] = []
        self._writer = writer
        self._options = options
        self._to_skip = writer.manifest.counts.get("games", 0)
        self._number = writer.next_game()
        self._seen: set[int] = set()  # hashes of games
        self._positions = Positions(options.rule, options.size, options.skip, options.colour)
        self._buffer: list[Batch] = []
        self._rows = 0  # in `_buffer`
        self._read = self._to_skip  # games so far
        self._total: Counter[str] = Counter()
        self._rules: Counter[str] = Counter()

    @property
    def positions(self) -> int:
        return self._writer.manifest.positions + self._rows + len(self._positions)

    def take(self, game: ImportedGame) -> None:
        """Replay a game, unless it is left out; write a shard when it is full."""
        counts = self._positions.counts
        key = hash((game.black, game.white, tuple(game.moves or ())))
        if self._to_skip:
            self._to_skip -= 1
            if not self._reason(game, key):
                self._seen.add(key)
            return
        counts["games"] += 1
        self._read += 1
        if reason := self._reason(game, key):
            counts[reason] += 1
            if game.fault and len(self.faults) < _MAX_FAULTS:
                self.faults.append(f"{game.source}: {game.fault}")
            if reason == "games with another rule":
                self._rules[str(game.rule)] += 1
            return
        self._seen.add(key)
        if self._positions.add(game, self._number):
            self._number += 1
        else:
            counts["games without a position"] += 1
        if len(self._positions) >= _CHUNK:
            self._collect()
        if self._rows + len(self._positions) >= self._options.shard_positions:
            self._write()

    def _reason(self, game: ImportedGame, key: int) -> str:
        """Why a whole game is left out, as the name of a count; empty if it is not."""
        options = self._options
        if game.fault or game.moves is None:
            return "games that cannot be read"
        if game.size != options.size:
            return "games with another board size"
        if game.rule not in (None, options.rule):
            return "games with another rule"
        if key in self._seen:
            return "duplicate games"
        if game.result == "?" and not options.keep_unknown:
            return "" if result_on_board(game, options.rule, options.size) else _NO_RESULT
        return ""

    def _collect(self) -> None:
        if len(self._positions):
            self._buffer.append(self._positions.rows())
            self._rows += len(self._buffer[-1].board)

    def _write(self) -> None:
        """Write a shard of all complete games so far."""
        self._collect()
        self._total.update(self._positions.counts)  # for `why_empty`
        if self._rows:
            origin = f"up to game {self._read}"
            self._writer.write(join(self._buffer), origin, self._positions.counts)
            self._positions.counts.clear()
        self._buffer, self._rows = [], 0

    def end(self) -> dict[str, int]:
        """Write the rest; returns the counts since the last shard."""
        self._write()
        return dict(self._positions.counts)

    def why_empty(self) -> str:
        """Why the data set has no position."""
        if self._rules:
            rule = self._rules.most_common(1)[0][0]
            problem = f"no game of rule {self._options.rule}"
            return f"{problem}: {self._rules[rule]} have rule {rule}; use --rule {rule}"
        counts = ", ".join(f"{number} {name}" for name, number in self._total.items() if number)
        more = [*self.faults[:1], *_advice(self._total)]
        return "; ".join([f"no usable position: {counts or 'no game'}", *more])
