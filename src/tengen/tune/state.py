# SPDX-License-Identifier: MIT
"""How far a run has come: its values, its games, which iterations are done. A function of the plan
and of the lines of the journal in their order. Relies on `spsa`; the folder and the session rely
on it.
"""

from __future__ import annotations

from collections.abc import Iterator

from tengen.tune.plan import Plan
from tengen.tune.spsa import Walk
from tengen.tune.trial import Entry, Outcome

__all__ = ["State"]


class State:
    """A run after some iterations. Only `add` changes it."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.walk = Walk(plan.spsa)
        self.total = Outcome(0, 0, 0)  # of all games
        self._done: set[int] = set()

    @property
    def iterations(self) -> int:
        """How many are done."""
        return len(self._done)

    @property
    def is_complete(self) -> bool:
        return self.iterations == self.plan.spsa.iterations

    def open_iterations(self) -> Iterator[int]:
        """Those that are not done, first things first."""
        return (n for n in range(1, self.plan.spsa.iterations + 1) if n not in self._done)

    def fault(self, entry: Entry) -> str:
        """Why this cannot be the next line of the journal; empty if it can."""
        spsa = self.plan.spsa
        if not 1 <= entry.iteration <= spsa.iterations:
            return f"the run has no iteration {entry.iteration}"
        if entry.iteration in self._done:
            return f"iteration {entry.iteration} is there twice"
        if entry.outcome.games != 2 * self.plan.pairs:
            return f"{entry.outcome.games} games, not {2 * self.plan.pairs}"
        if not len(entry.plus) == len(entry.minus) == len(spsa.parameters):
            return f"not the values of {len(spsa.parameters)} parameters"
        return ""

    def add(self, entry: Entry) -> None:
        """Take in a line of the journal that has no fault."""
        self._done.add(entry.iteration)
        self.walk.apply(entry.iteration, entry.outcome.difference)
        old, new = self.total, entry.outcome
        self.total = Outcome(
            old.wins + new.wins,
            old.draws + new.draws,
            old.losses + new.losses,
            old.faults + new.faults,
        )
