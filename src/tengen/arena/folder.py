# SPDX-License-Identifier: MIT
"""The folder of a run: its definition, the games as they end, and what is made of them. The format
is that of docs/formats/arena.md.

`arena.json` is written once, `games.jsonl` only grows; both together are the whole state. Relies on
the journal and on the definition; the runner, `tengen elo` and the report rely on it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tengen._version import version
from tengen.arena.definition import Definition
from tengen.arena.errors import BadState
from tengen.arena.game import Game
from tengen.arena.schedule import couples, games_in_all
from tengen.arena.store import Journal, read_head
from tengen.game import records

__all__ = ["Folder", "Openings"]

Openings = Sequence[tuple[str, ...]]

_FORMAT = 1
_DEFINITION, _GAMES = "arena.json", "games.jsonl"


class Folder:
    """What a run has written. `games` are in the order of their ends."""

    def __init__(self, path: Path, definition: Definition, openings: Openings) -> None:
        self.path = path
        self.definition = definition
        self.openings = openings
        self.games: list[Game] = []
        self._journal: Journal | None = None

    @classmethod
    def create(cls, path: Path, definition: Definition, openings: Openings) -> Folder:
        """Begin a run. Raises BadState if the folder has one already."""
        path.mkdir(parents=True, exist_ok=True)
        cls.check_free(path)
        head = {
            "format": _FORMAT,
            "tengen": version(),
            "definition": definition.to_dict(),
            "openings": [" ".join(moves) for moves in openings],
        }
        records.write_text(json.dumps(head, indent=1) + "\n", path / _DEFINITION)
        return cls(path, definition, openings)

    @staticmethod
    def check_free(path: Path) -> None:
        """Raises BadState if the folder has a run already."""
        if (path / _DEFINITION).exists() or (path / _GAMES).exists():
            raise BadState(f"{path} has a run already: go on with --resume, or use another folder")

    @classmethod
    def read(cls, path: Path) -> Folder:
        """The run of a folder. Raises BadState, with what is wrong and where."""
        head = read_head(path / _DEFINITION, _FORMAT)
        try:
            definition = Definition.from_dict(head["definition"])
            openings = _openings(head["openings"])
        except KeyError as error:
            raise BadState(f"{path / _DEFINITION}: no {error}") from None
        except (ValueError, TypeError) as error:
            raise BadState(f"{path / _DEFINITION}: {error}") from None
        folder = cls(path, definition, openings)
        if (path / _GAMES).exists():
            folder.games = _read_games(path / _GAMES, definition)
        return folder

    @contextmanager
    def writing(self) -> Iterator[int]:
        """Within it games can be added. Gives how many bytes of a torn last line were cut off."""
        self._journal = Journal(self.path / _GAMES)
        try:
            yield self._journal.cut
        finally:
            self._journal.close()
            self._journal = None

    def add(self, game: Game) -> None:
        """Keep a game: from here on it is safe."""
        if self._journal is None:
            raise ValueError("games are added within `writing`")
        self._journal.append(game.to_json())
        self.games.append(game)


def _openings(found: Any) -> list[tuple[str, ...]]:
    if not isinstance(found, list) or not found or not all(isinstance(m, str) for m in found):
        raise ValueError("'openings' is not a list of moves like 'h8 i9'")
    return [tuple(text.split()) for text in found]


def _read_games(path: Path, definition: Definition) -> list[Game]:
    """The games of a journal; what follows its last line break is not one. A number that comes
    twice, or that the schedule does not have, is an error: nothing is counted twice.
    """
    found: dict[int, Game] = {}
    most, meetings = games_in_all(definition), couples(definition)
    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], 1):
        try:
            game = Game.from_json(line)
        except BadState as error:
            raise BadState(f"{path}, line {number}: {error}") from None
        fits = 0 <= game.number < most and game.pair == game.number // 2
        # Who is black is the players' own choice in a swap2 opening.
        if not fits or {game.black, game.white} != set(meetings[game.pair % len(meetings)]):
            raise BadState(f"{path}, line {number}: game {game.number} is not in the schedule")
        if game.number in found:
            raise BadState(f"{path}, line {number}: game {game.number} is there twice")
        found[game.number] = game
    return list(found.values())
