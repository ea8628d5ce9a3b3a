# SPDX-License-Identifier: MIT
"""Games of the arena in a folder of a run: begun, or gone on with where they were broken off.
Relies on the arena; matches of generations and of nets that ship rely on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from tengen.arena import Definition, MatchFolder, openings_for, run_match
from tengen.arena.definition import total_games
from tengen.arena.game import MatchGame
from tengen.cluster import LocalCluster

__all__ = ["MatchView", "Watch", "no_view", "play_in"]

_GRACE = 60.0  # seconds for a worker beyond the slowest move


class MatchView(Protocol):
    """Where a match is shown."""

    def update(self, games: Sequence[MatchGame]) -> None:
        """The games so far."""


# Of the definition, the number of all games, and those that are there already.
Watch = Callable[[Definition, int, Sequence[MatchGame]], AbstractContextManager[MatchView]]


class _Unseen:
    def __enter__(self) -> MatchView:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self, games: Sequence[MatchGame]) -> None:
        pass


def no_view(
    definition: Definition, total: int, games: Sequence[MatchGame]
) -> AbstractContextManager[MatchView]:
    """For nobody."""
    return _Unseen()


def play_in(
    path: Path,
    definition: Definition,
    processes: int,
    *,
    stop: Callable[[], bool] = lambda: False,
    watch: Watch = no_view,
    tell: Callable[[str], None] = lambda words: None,
) -> MatchFolder | None:
    """Play what the folder lacks of a definition's games, until `stop` says so; None: it did
    before there were openings. A folder that was moved goes on with the players as they are named
    now. Raises BadArena, BadRun, ArenaFailed, OSError.
    """
    patience = definition.slowest + definition.patience + _GRACE
    total = total_games(definition)
    with LocalCluster(processes, patience) as cluster:
        if (path / "arena.json").exists():
            arena = MatchFolder.read(path)
            arena.definition = definition
        else:
            openings = openings_for(definition, cluster, stop=stop, tell=tell)
            if stop():
                return None
            arena = MatchFolder.create(path, definition, openings)
        with arena.open_journal(), watch(definition, total, arena.games) as view:
            run_match(arena, cluster, stop=stop, on_game=lambda _: view.update(arena.games))
    return arena
