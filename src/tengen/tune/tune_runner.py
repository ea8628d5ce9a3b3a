# SPDX-License-Identifier: MIT
"""Plays the iterations of a run on a cluster, each with the newest values; resumes a run.

Iterations run in parallel, so one starts before the running ones have finished: with W workers its
values are up to W results old. The gains depend on the iteration's own number, hence a
result counts the same whenever it arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tengen.arena.definition import Definition, ScheduledGame
from tengen.arena.errors import ArenaFailed
from tengen.arena.game import MatchGame
from tengen.arena.game_task import GameTask, play_game
from tengen.cluster import Cluster, Failure, ProgressRecord, TaskOutcome
from tengen.cluster.base import Work
from tengen.tune.plan import TrialResult, TuneIteration, TuneTrial, with_values
from tengen.tune.tune_folder import TuneFolder

_PLUS, _MINUS = 0, 1  # player indices in the match


@dataclass(frozen=True, slots=True)
class PlayTrial:
    """Plays trials by the rules of a match. Needs the tuning build."""

    definition: Definition

    def __call__(self, trial: TuneTrial, progress: ProgressRecord) -> TrialResult:
        definition = with_values(self.definition, trial.plus, trial.minus)
        games = []
        for n, moves in enumerate(trial.openings):
            pair = trial.first_pair + n
            for swapped, (black, white) in enumerate(((_PLUS, _MINUS), (_MINUS, _PLUS))):
                scheduled = ScheduledGame(2 * pair + swapped, pair, black, white, pair)
                games.append(play_game(GameTask(definition, scheduled, moves), progress))
        return outcome_of(games)


def outcome_of(games: list[MatchGame]) -> TrialResult:
    """The games as the first player of the match sees them."""
    points = [game.points(_PLUS) for game in games]
    faults = sum(game.at_fault is not None for game in games)
    return TrialResult(points.count(1.0), points.count(0.5), points.count(0.0), faults)


def run_tuning(
    folder: TuneFolder,
    cluster: Cluster,
    work: Work[TuneTrial, TrialResult],
    *,
    stop: Callable[[], bool] = lambda: False,
    on_step: Callable[[TuneIteration | None], None] = lambda entry: None,
) -> None:
    """Play the iterations that an opened folder lacks, until all are played or `stop()` holds.
    `on_step` is called with each stored iteration, and with None from time to time. Raises
    ArenaFailed if an iteration cannot be played, and OSError if one cannot be stored.
    """
    for done in cluster.run_with_retries(work, _missing_trials(folder), stop):
        entry = None if done is None else _iteration(done, folder)
        if entry is not None:
            folder.add(entry)
        on_step(entry)


def _missing_trials(folder: TuneFolder) -> Iterator[TuneTrial]:
    """Each is made when a worker is free for it, from the newest values."""
    plan, state = folder.plan, folder.state
    for iteration in state.open_iterations():
        yield plan.trial(iteration, *plan.spsa.sides(state.spsa_state.theta, iteration))


def _iteration(done: TaskOutcome[TuneTrial, TrialResult], folder: TuneFolder) -> TuneIteration:
    """The line for the event log."""
    trial, result = done.task, done.result
    if isinstance(result, Failure):
        problem = f"iteration {trial.iteration} cannot be played: {result.message}"
        raise ArenaFailed(f"{problem} (between {trial.plus} and {trial.minus})")
    values = tuple(trial.plus.values()), tuple(trial.minus.values())
    entry = TuneIteration(trial.iteration, result, *values)
    if fault := folder.state.fault(entry):
        raise ArenaFailed(f"iteration {trial.iteration}: {fault}")
    return entry
