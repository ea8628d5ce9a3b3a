# SPDX-License-Identifier: MIT
"""Games of people and programs as positions: the policy is the move that was played, the value is
the result of the game. The split is by game.

Positions after the end of a game and moves that the rule does not allow are left out and counted.
An import that was interrupted goes on after the last shard. Relies on `games`, `replaying` and the
writer; the command line relies on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.data.errors import BadData
from tengen.data.importers.base import Progress, begin, end
from tengen.data.importers.games import Game, read_games
from tengen.data.importers.replaying import Positions, result_on_board
from tengen.data.manifest import Manifest, Validation
from tengen.data.packing import check_size
from tengen.data.rows import Batch, join
from tengen.data.writer import SHARD_POSITIONS, DataWriter
from tengen.game.rule import Colour, Rule

__all__ = ["RecordOptions", "import_records"]

_AT_ONCE = 20_000  # positions played before they are packed; bounds the memory
_FAULTS_KEPT = 5
_NO_RESULT = "games without a result"


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """What is taken of the games, and what is said of it."""

    rule: Rule  # games that tell another rule are left out
    size: int = 15  # of the board; games on others are left out
    skip: int = 0  # moves at the beginning of each game that are not learnt
    colour: Colour | None = None  # only positions with this side to move
    # Games too of which neither the record nor the board tells a result, as a third each way.
    keep_unknown: bool = False
    name: str = "records"
    source: str = ""  # default: the names of the files
    terms: str = ""
    ships: bool = False  # whether a net trained on them may ship
    every: int = 20  # of so many games one is for validation; 0: none
    shard_positions: int = SHARD_POSITIONS

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "rule", Rule.parse(self.rule))
        put(self, "size", check_size(self.size))
        put(self, "colour", None if self.colour is None else Colour.parse(self.colour))
        if self.skip < 0 or self.shard_positions < 1:
            words = f"no skip of {self.skip} and shards of {self.shard_positions}"
            raise BadData(f"{words}: use 0 or more moves, 1 or more positions")
        if self.ships and not self.terms:
            raise BadData("nets may ship only from data whose terms allow it: give the terms")

    def recipe(self, files: Sequence[Path]) -> dict[str, Any]:
        """What an import that goes on must have in common with the one before."""
        return {
            "importer": "records",
            "files": [[file.name, file.stat().st_size] for file in files],
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
            validation=Validation(self.every, 1, "game"),
            source=self.source or ", ".join(names[:3]) + more,
            terms=self.terms,
            ships=self.ships,
            recipe=self.recipe(files),
        )


def import_records(
    files: Sequence[Path],
    out: Path,
    options: RecordOptions,
    *,
    form: str | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> tuple[Manifest, list[str]]:
    """Make a data set of the games of files, or go on with it; also what is to be told of it in
    words: the first faults, and what would take more games.

    `form` names the format of the files, if they do not tell it. `progress` counts bytes of
    the files. Raises BadData and OSError.
    """
    if not files:
        raise BadData("no file of games: give one or more")
    with begin(out, options.manifest(files), overwrite) as writer:
        work = _Import(writer, options)
        before, total = 0, sum(file.stat().st_size for file in files)
        for file in files:
            for game in read_games(file, options.size, form):
                work.take(game)
                if progress is not None:
                    progress(before + game.read, total, work.positions)
            before += file.stat().st_size
        rest = work.end()
        made = end(writer, work.nothing(), rest)
        return made, work.faults + _advice(made.counts)


def _advice(counts: Mapping[str, int]) -> list[str]:
    """What would take more of the games."""
    return [f"--keep-unknown takes the {_NO_RESULT} too"] if counts.get(_NO_RESULT) else []


class _Import:
    """Games on their way to shards. Those of shards that are there are passed over."""

    def __init__(self, writer: DataWriter, options: RecordOptions) -> None:
        self.faults: list[str] = []
        self._writer = writer
        self._options = options
        self._passed = writer.manifest.counts.get("games", 0)
        self._number = writer.next_game()
        self._seen: set[int] = set()  # hashes of games
        self._positions = Positions(options.rule, options.size, options.skip, options.colour)
        self._waiting: list[Batch] = []
        self._rows = 0  # in `_waiting`
        self._read = self._passed  # games so far
        self._total: Counter[str] = Counter()
        self._rules: Counter[str] = Counter()

    @property
    def positions(self) -> int:
        return self._writer.manifest.positions + self._rows + len(self._positions)

    def take(self, game: Game) -> None:
        """Play a game, if it is one to learn from; write a shard when it is full."""
        counts = self._positions.counts
        known = hash((game.black, game.white, tuple(game.moves or ())))
        if self._passed:
            self._passed -= 1
            if not self._reason(game, known):
                self._seen.add(known)
            return
        counts["games"] += 1
        self._read += 1
        if reason := self._reason(game, known):
            counts[reason] += 1
            if game.fault and len(self.faults) < _FAULTS_KEPT:
                self.faults.append(f"{game.place}: {game.fault}")
            if reason == "games of another rule":
                self._rules[str(game.rule)] += 1
            return
        self._seen.add(known)
        if self._positions.add(game, self._number):
            self._number += 1
        else:
            counts["games without a position"] += 1
        if len(self._positions) >= _AT_ONCE:
            self._collect()
        if self._rows + len(self._positions) >= self._options.shard_positions:
            self._write()

    def _reason(self, game: Game, known: int) -> str:
        """Why a whole game is left out, as a name to count; empty if it is not."""
        options = self._options
        if game.fault or game.moves is None:
            return "games that cannot be read"
        if game.size != options.size:
            return "games of another size"
        if game.rule not in (None, options.rule):
            return "games of another rule"
        if known in self._seen:
            return "games that came before"
        if game.result == "?" and not options.keep_unknown:
            return "" if result_on_board(game, options.rule, options.size) else _NO_RESULT
        return ""

    def _collect(self) -> None:
        if len(self._positions):
            self._waiting.append(self._positions.rows())
            self._rows += len(self._waiting[-1].board)

    def _write(self) -> None:
        """A shard of all whole games so far."""
        self._collect()
        self._total.update(self._positions.counts)  # for `nothing`, when there are no shards
        if self._rows:
            origin = f"up to game {self._read}"
            self._writer.write(join(self._waiting), origin, self._positions.counts)
            self._positions.counts.clear()
        self._waiting, self._rows = [], 0

    def end(self) -> dict[str, int]:
        """Write the rest; returns what was counted after the last position."""
        self._write()
        return dict(self._positions.counts)

    def nothing(self) -> str:
        """Why there is no position at all."""
        if self._rules:
            rule = self._rules.most_common(1)[0][0]
            words = f"no game of rule {self._options.rule}"
            return f"{words}: {self._rules[rule]} are of rule {rule}; use --rule {rule}"
        told = ", ".join(f"{number} {name}" for name, number in self._total.items() if number)
        more = [*self.faults[:1], *_advice(self._total)]
        return "; ".join([f"no position to learn from: {told or 'no game'}", *more])
