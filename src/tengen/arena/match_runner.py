# SPDX-License-Identifier: MIT
"""Plays the games of a definition on a cluster; resumes a run that was interrupted."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator

from tengen.arena.definition import schedule
from tengen.arena.errors import ArenaFailed
from tengen.arena.game import MatchGame
from tengen.arena.game_task import GameTask, abandoned_game, play_game
from tengen.arena.match_folder import MatchFolder
from tengen.arena.standings import MatchProgress
from tengen.cluster import Cluster, Done, Failure

__all__ = ["run_match"]

# A worker that dies is the fault of the player to move, and so a result. One that dies before it
# has begun is nobody's; then the game is played again, so many times.
_TRIES = 3


def run_match(
    folder: MatchFolder,
    cluster: Cluster,
    *,
    stop: Callable[[], bool] = lambda: False,
    on_game: Callable[[MatchGame | None], None] = lambda game: None,
) -> MatchProgress:
    """Play the games that the folder does not have yet, until all are there, the SPRT has decided,
    or `stop()` holds. `on_game` is called with each game when it is safe, and with None now and
    then. Raises ArenaFailed, and OSError if a game cannot be kept.
    """
    progress = MatchProgress(folder.definition, folder.games)
    queue = _GameQueue(folder)
    tasks = queue.scheduled()
    while True:
        for done in cluster.run(play_game, tasks, lambda: stop() or progress.is_decided):
            game = None if done is None else _game_of(done, queue)
            if game is not None:
                folder.add(game)
                progress.add(game)
            on_game(game)
        # Those that failed when all others had begun.
        if not queue.has_more or stop() or progress.is_decided:
            return progress
        tasks = queue.again()


class _GameQueue:
    """The games to be played, in the order of the schedule; those that must be played again come
    first.
    """

    def __init__(self, folder: MatchFolder) -> None:
        self._folder = folder
        self._again: deque[GameTask] = deque()
        self._failures: Counter[int] = Counter()

    @property
    def has_more(self) -> bool:
        """Whether games must be played again."""
        return bool(self._again)

    def scheduled(self) -> Iterator[GameTask]:
        folder = self._folder
        known = {game.number for game in folder.games}
        for pairing in schedule(folder.definition):
            yield from self.again()
            if pairing.number not in known:
                moves = folder.openings[pairing.opening % len(folder.openings)]
                yield GameTask(folder.definition, pairing, moves)
        yield from self.again()

    def again(self) -> Iterator[GameTask]:
        while self._again:
            yield self._again.popleft()

    def put_back(self, task: GameTask, failure: Failure) -> None:
        self._failures[task.pairing.number] += 1
        if self._failures[task.pairing.number] >= _TRIES:
            raise ArenaFailed(f"game {task.pairing.number + 1} cannot be played: {failure.message}")
        self._again.append(task)


def _game_of(done: Done[GameTask, MatchGame], queue: _GameQueue) -> MatchGame | None:
    """The game of a task; None if it has to be played again."""
    result = done.result
    if isinstance(result, MatchGame):
        return result
    if result.kind == "error":
        raise ArenaFailed(f"game {done.task.pairing.number + 1}: {result.message}")
    if not result.notes:
        queue.put_back(done.task, result)
        return None
    reason = "silence" if result.kind == "hang" else "crash"
    return abandoned_game(done.task, reason, result.message, result.notes)
