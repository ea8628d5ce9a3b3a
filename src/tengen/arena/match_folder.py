# SPDX-License-Identifier: MIT
"""The folder of a match or tournament, in the format of docs/formats/arena.md: `arena.json` has
the definition, `games.jsonl` grows by each finished game.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tengen.arena.definition import Definition
from tengen.arena.errors import BadRun
from tengen.arena.game import MatchGame
from tengen.arena.schedule import opponents, total_games
from tengen.util.journal import read_lines
from tengen.util.run_folder import RunFolder, user_and_machine

__all__ = ["MatchFolder", "Openings"]

Openings = Sequence[tuple[str, ...]]


class MatchFolder(RunFolder):
    """A match on disk. `games` are in the order in which they ended."""

    HEAD = "arena.json"
    JOURNAL = "games.jsonl"

    def __init__(self, path: Path, definition: Definition, openings: Openings) -> None:
        super().__init__(path)
        self.definition = definition
        self.openings = openings
        self.games: list[MatchGame] = []
        self.is_ours = False  # started by this user on this machine

    @classmethod
    def create(cls, path: Path, definition: Definition, openings: Openings) -> MatchFolder:
        """Start a run. Raises BadRun if the folder has one already."""
        cls.check_free(path)
        folder = cls(path, definition, openings)
        folder.write_head(
            {
                "started_by": user_and_machine(),
                "definition": definition.to_dict(),
                "openings": [" ".join(moves) for moves in openings],
            }
        )
        folder.is_ours = True
        return folder

    @classmethod
    def read(cls, path: Path) -> MatchFolder:
        """The run of a folder, finished or not. Raises BadRun."""
        head = cls.read_head(path)
        try:
            definition = Definition.from_dict(head["definition"])
            folder = cls(path, definition, _read_openings(head["openings"]))
        except KeyError as error:
            raise BadRun(f"{path / cls.HEAD}: no {error}") from None
        except (ValueError, TypeError) as error:
            raise BadRun(f"{path / cls.HEAD}: {error}") from None
        folder.is_ours = head.get("started_by") == user_and_machine()
        folder.games = _read_games(path / cls.JOURNAL, definition)
        return folder

    def add(self, game: MatchGame) -> None:
        """Store a game, within `open_journal`. Raises OSError."""
        self.append(game.to_json())
        self.games.append(game)


def _read_openings(value: Any) -> list[tuple[str, ...]]:
    if not isinstance(value, list) or not value or not all(isinstance(m, str) for m in value):
        raise ValueError("'openings' is not a list of moves like 'h8 i9'")
    return [tuple(text.split()) for text in value]


def _read_games(path: Path, definition: Definition) -> list[MatchGame]:
    """The games of a journal. A number that occurs twice, or that the schedule does not have, is
    an error: no game counts twice.
    """
    games: dict[int, MatchGame] = {}
    total, pairings = total_games(definition), opponents(definition)
    for line_number, line in read_lines(path):
        try:
            game = MatchGame.from_json(line)
        except BadRun as error:
            raise BadRun(f"{path}, line {line_number}: {error}") from None
        fits = 0 <= game.number < total and game.pair == game.number // 2
        # With swap2 the players themselves choose who is black.
        if not fits or {game.black, game.white} != set(pairings[game.pair % len(pairings)]):
            raise BadRun(f"{path}, line {line_number}: game {game.number} is not in the schedule")
        if game.number in games:
            raise BadRun(f"{path}, line {line_number}: game {game.number} occurs twice")
        games[game.number] = game
    return list(games.values())
