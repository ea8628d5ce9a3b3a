# SPDX-License-Identifier: MIT
"""`TimeControl`, and the clock of one player in one game. Pure values."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tengen.arena.errors import BadArena
from tengen.engine.errors import BadLimit
from tengen.engine.limit import Limit


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The limits of a player, at least one. The first one that is reached ends a search."""

    time: float | None = None  # seconds per move
    nodes: int | None = None  # nodes per move
    depth: int | None = None  # search depth, in moves
    clock: float | None = None  # seconds per game
    increment: float = 0.0  # seconds added to the clock per move

    def __post_init__(self) -> None:
        try:
            limit = Limit(self.time, self.nodes, self.depth, self.clock, self.increment)
        except BadLimit as error:
            raise BadArena(str(error)) from None
        if limit.is_endless:
            raise BadArena("no limit: give a time, a clock, nodes or a depth")
        if self.clock == 0:
            raise BadArena("a clock of 0 is too short: a game needs time")
        object.__setattr__(self, "time", limit.time)  # an infinite time is no limit

    @classmethod
    def from_table(cls, table: Any) -> TimeControl:
        """From a table of a file. Raises BadArena."""
        if isinstance(table, cls):
            return table
        try:
            return cls(**table)
        except (TypeError, AttributeError) as error:
            raise BadArena(str(error)) from None

    @property
    def is_timed(self) -> bool:
        """Whether a player can be too late."""
        return self.time is not None or self.clock is not None

    def to_dict(self) -> dict[str, Any]:
        """The limits that are set, by name."""
        return {name: value for name, value in asdict(self).items() if value}

    def __str__(self) -> str:
        parts = []
        if self.time is not None:
            parts.append(f"{_seconds(self.time)} per move")
        if self.clock is not None:
            plus = f" + {_seconds(self.increment)}" if self.increment else ""
            parts.append(f"{_seconds(self.clock)}{plus} per game")
        if self.nodes is not None:
            parts.append(f"{self.nodes:,} nodes")
        if self.depth is not None:
            parts.append(f"depth {self.depth}")
        return ", ".join(parts)


class GameClock:
    """The time of one player in one game. `tolerance`: seconds per move allowed for delays of the
    machine; they do not accumulate.
    """

    def __init__(self, control: TimeControl, tolerance: float) -> None:
        self._control = control
        self._tolerance = tolerance
        self.left = control.clock

    def limit(self) -> Limit:
        """The limit of the next move."""
        control = self._control
        left = None if self.left is None else max(self.left, 0.0)
        return Limit(control.time, control.nodes, control.depth, left, control.increment)

    def spend(self, seconds: float) -> str:
        """Subtract the time of a move; returns why it is too late, empty if it is not."""
        control, problem = self._control, ""
        if control.time is not None and seconds > control.time + self._tolerance:
            problem = f"{_seconds(seconds)} for a move of {_seconds(control.time)}"
        if self.left is not None:
            self.left -= seconds
            if self.left < -self._tolerance:
                problem = f"the clock of {_seconds(control.clock or 0)} ran out"
            self.left = max(self.left, 0.0) + control.increment
        return problem


def _seconds(number: float) -> str:
    return f"{number:g} s" if number >= 1 else f"{number * 1000:g} ms"
