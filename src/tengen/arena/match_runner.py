# SPDX-License-Identifier: MIT
"""Plays the games of a match or tournament on a cluster of workers; resumes an interrupted run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tengen.arena.definition import schedule
from tengen.arena.errors import ArenaFailed
from tengen.arena.game import MatchGame
from tengen.arena.game_task import GameTask, forfeited_game, play_game
from tengen.arena.match_folder import MatchFolder
from tengen.arena.standings import MatchProgress
from tengen.cluster import Cluster, Failure, TaskOutcome


def run_match(
    folder: MatchFolder,
    cluster: Cluster,
    *,
    stop: Callable[[], bool] = lambda: False,
    on_game: Callable[[MatchGame | None], None] = lambda game: None,
) -> MatchProgress:
    """Play the games that are still to play, until all are done, the SPRT has decided, or `stop()`
    returns true. `on_game` is called with each stored game, and periodically with None (idle tick).
    Raises ArenaFailed, and OSError if a game cannot be stored.
    """
    progress = MatchProgress(folder.definition, folder.games)
    for done in cluster.run_with_retries(
        play_game,
        _missing_games(folder),
        lambda: stop() or progress.is_decided,
        should_retry=_failed_before_start,
    ):
        game = None if done is None else _to_game(done)
        if game is not None:
            folder.add(game)
            progress.add(game)
        on_game(game)
    return progress


def _missing_games(folder: MatchFolder) -> Iterator[GameTask]:
    """The games that are still to play, in the order of the schedule."""
    known = {game.number for game in folder.games}
    for scheduled in schedule(folder.definition):
        if scheduled.number not in known:
            moves = folder.openings[scheduled.opening % len(folder.openings)]
            yield GameTask(folder.definition, scheduled, moves)


def _failed_before_start(failure: Failure) -> bool:
    """Whether a worker died before its game started, which is not the fault of a player."""
    return failure.kind != "error" and not failure.progress


def _to_game(done: TaskOutcome[GameTask, MatchGame]) -> MatchGame:
    """The game of a task. The player to move loses a game whose worker died."""
    result = done.result
    if isinstance(result, MatchGame):
        return result
    if result.kind == "error" or _failed_before_start(result):
        number = done.task.scheduled.number + 1
        raise ArenaFailed(f"game {number} cannot be played: {result.message}")
    reason = "no_response" if result.kind == "hang" else "crash"
    return forfeited_game(done.task, reason, result.message, result.progress)
