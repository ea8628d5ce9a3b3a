# SPDX-License-Identifier: MIT
"""Results to rate, from match folders, game records of any format, and PGN of other managers.
Players with the same name are the same player.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tengen.arena.errors import BadArena
from tengen.arena.match_folder import MatchFolder
from tengen.arena.ratings import GameScore
from tengen.arena.standings import counted
from tengen.game import records
from tengen.game.records.text import MAX_BYTES, decode

_TAG = re.compile(r'^\s*\[(\w{1,40})\s+"((?:[^"\\]|\\.){0,200})"\s*\]\s*$', re.MULTILINE)
_PGN_SCORES = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
_RECORD_SCORES = {"B+": 1.0, "W+": 0.0, "Draw": 0.5}


@dataclass(slots=True)
class Results:
    """Games of named players, as `rate` takes them."""

    names: list[str] = field(default_factory=list)
    games: list[GameScore] = field(default_factory=list)
    left_out: int = 0  # games without a result or without names
    _pairs: int = 0  # pair numbers in use

    def player(self, name: str) -> int:
        if name not in self.names:
            self.names.append(name)
        return self.names.index(name)

    def add(self, first: str, second: str, score: float | None, pair: int = -1) -> None:
        if score is None or not first or not second or first == second:
            self.left_out += 1
        else:
            self.games.append(GameScore(self.player(first), self.player(second), score, pair))

    def add_folder(self, path: Path) -> None:
        folder = MatchFolder.read(path)
        names = [player.name for player in folder.definition.players]
        start = self._pairs
        for game in counted(folder.definition, folder.games):
            self.add(names[game.black], names[game.white], game.score, start + game.pair)
            self._pairs = max(self._pairs, start + game.pair + 1)


def read_results(paths: Iterable[str | Path]) -> Results:
    """The results of folders and files. Raises BadArena, BadRun, BadRecord and OSError."""
    found = Results()
    for path in map(Path, paths):
        if path.is_dir():
            found.add_folder(path)
        elif path.suffix.lower() == ".pgn":
            for first, second, score in _pgn_games(path):
                found.add(first, second, score)
        else:
            for record in records.read(path):
                found.add(record.black, record.white, _RECORD_SCORES.get(record.result))
    if not found.games:
        raise BadArena("no finished game between two named players was found")
    return found


def _pgn_games(path: Path) -> Iterator[tuple[str, str, float | None]]:
    """Black, white and black's score of each game, from the headers of a PGN file. Its White moves
    first, so it is the player with black.
    """
    with path.open("rb") as file:
        text = decode(file.read(MAX_BYTES + 1), str(path))
    games: list[dict[str, str]] = []
    tags: dict[str, str] = {}
    for found in _TAG.finditer(text):
        name, value = found[1].lower(), re.sub(r"\\(.)", r"\1", found[2])
        if name in tags:  # the next game
            games.append(tags)
            tags = {}
        tags[name] = value
    for game in [*games, tags] if tags else games:
        score = _PGN_SCORES.get(game.get("result", ""))
        yield game.get("white", ""), game.get("black", ""), score
