# SPDX-License-Identifier: MIT
"""Plays the games of a definition on a cluster; resumes a run that was interrupted."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tengen.arena.definition import schedule
from tengen.arena.errors import ArenaFailed
from tengen.arena.game import MatchGame
from tengen.arena.game_task import GameTask, abandoned_game, play_game
from tengen.arena.match_folder import MatchFolder
from tengen.arena.standings import MatchProgress
from tengen.cluster import Cluster, Done, Failure


def run_match(
    folder: MatchFolder,
    cluster: Cluster,
    *,
    stop: Callable[[], bool] = lambda: False,
    on_game: Callable[[MatchGame | None], None] = lambda game: None,
) -> MatchProgress:
    """Play the games that the folder lacks, until all are played, the SPRT has decided, or `stop()`
    holds. `on_game` is called with each stored game, and with None from time to time. Raises
    ArenaFailed, and OSError if a game cannot be stored.
    """
    progress = MatchProgress(folder.definition, folder.games)
    for done in cluster.run_with_retries(
        play_game,
        _missing_games(folder),
        lambda: stop() or progress.is_decided,
        is_retried=_started_no_game,
    ):
        game = None if done is None else _game_of(done)
        if game is not None:
            folder.add(game)
            progress.add(game)
        on_game(game)
    return progress


def _missing_games(folder: MatchFolder) -> Iterator[GameTask]:
    """The games that the folder lacks, in the order of the schedule."""
    known = {game.number for game in folder.games}
    for pairing in schedule(folder.definition):
        if pairing.number not in known:
            moves = folder.openings[pairing.opening % len(folder.openings)]
            yield GameTask(folder.definition, pairing, moves)


def _started_no_game(failure: Failure) -> bool:
    """Whether a worker died before its game started, which is not the fault of a player."""
    return failure.kind != "error" and not failure.notes


def _game_of(done: Done[GameTask, MatchGame]) -> MatchGame:
    """The game of a task. The player to move loses a game whose worker died."""
    result = done.result
    if isinstance(result, MatchGame):
        return result
    if result.kind == "error" or _started_no_game(result):
        number = done.task.pairing.number + 1
        raise ArenaFailed(f"game {number} cannot be played: {result.message}")
    reason = "silence" if result.kind == "hang" else "crash"
    return abandoned_game(done.task, reason, result.message, result.notes)
