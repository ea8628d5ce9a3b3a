# SPDX-License-Identifier: MIT
"""What a worker does with a trial: it plays the games. Relies on the arena's worker; the session
takes it as its work, tests take others.
"""

from __future__ import annotations

from dataclasses import dataclass

from tengen.arena.definition import Definition
from tengen.arena.game import Game
from tengen.arena.schedule import Fixture
from tengen.arena.worker import GameTask, play_task
from tengen.cluster import Notes
from tengen.tune.plan import with_values
from tengen.tune.trial import Outcome, Trial

__all__ = ["PlayTrial", "outcome_of"]

_PLUS, _MINUS = 0, 1  # their places in the match


@dataclass(frozen=True, slots=True)
class PlayTrial:
    """Plays trials by the rules of a match. Needs the tuning build."""

    definition: Definition

    def __call__(self, trial: Trial, notes: Notes) -> Outcome:
        definition = with_values(self.definition, trial.plus, trial.minus)
        games = []
        for n, moves in enumerate(trial.openings):
            pair = trial.first_pair + n
            for swapped, (black, white) in enumerate(((_PLUS, _MINUS), (_MINUS, _PLUS))):
                fixture = Fixture(2 * pair + swapped, pair, black, white, pair)
                games.append(play_task(GameTask(definition, fixture, moves), notes))
        return outcome_of(games)


def outcome_of(games: list[Game]) -> Outcome:
    """The games as the first player of the match sees them."""
    points = [game.points(_PLUS) for game in games]
    faults = sum(game.at_fault is not None for game in games)
    return Outcome(points.count(1.0), points.count(0.5), points.count(0.0), faults)
