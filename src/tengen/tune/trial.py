# SPDX-License-Identifier: MIT
"""An iteration of a run: what is to be played (`Trial`), what came of it (`Outcome`), and both
together as a line of the journal (`Entry`). Pure values; relies on the arena's errors alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tengen.util.errors import BadRun

__all__ = ["Entry", "Opening", "Outcome", "Trial"]

Opening = tuple[str, ...]  # names of moves, black first


@dataclass(frozen=True, slots=True)
class Trial:
    """Games between two sets of values: each opening twice, with colours swapped."""

    iteration: int  # from 1
    plus: dict[str, int]
    minus: dict[str, int]
    first_pair: int  # place of its first pair among all pairs of the run, from 0
    openings: tuple[Opening, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The games of a trial, as `plus` sees them."""

    wins: int
    draws: int
    losses: int
    faults: int = 0  # of them, how many an error ended: a move too late, a crash

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def difference(self) -> int:
        return self.wins - self.losses


@dataclass(frozen=True, slots=True)
class Entry:
    """An iteration that is done."""

    iteration: int
    outcome: Outcome
    plus: tuple[int, ...]  # what was played, in the order of the parameters
    minus: tuple[int, ...]

    def to_json(self) -> str:
        """One line, without its end."""
        done = self.outcome
        data = {
            "iteration": self.iteration,
            "wins": done.wins,
            "draws": done.draws,
            "losses": done.losses,
            "faults": done.faults,
            "plus": self.plus,
            "minus": self.minus,
        }
        return json.dumps(data, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str | bytes) -> Entry:
        """Raises BadRun."""
        try:
            data = json.loads(line)
            outcome = Outcome(*(_count(data[k]) for k in ("wins", "draws", "losses", "faults")))
            plus, minus = (tuple(_whole(v) for v in data[key]) for key in ("plus", "minus"))
            return cls(_count(data["iteration"]), outcome, plus, minus)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise BadRun(f"no iteration: {type(error).__name__}: {error}") from None


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{value!r:.40} is no whole number")
    return value


def _count(value: Any) -> int:
    if _whole(value) < 0:
        raise ValueError(f"{value} is below 0")
    return int(value)
