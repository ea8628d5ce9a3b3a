# SPDX-License-Identifier: MIT
"""`Limit`: how long an engine may search for a move."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypedDict

from tengen.game.errors import BadLimit
from tengen.game.limits import seconds, whole

_MAX_NODES = 2**63 - 1
_MAX_DEPTH = 2**31 - 1
# The native core takes 0 for "no limit": a clock that has run out has this many seconds left.
_NO_TIME = 0.001


class CoreLimits(TypedDict):
    """The limits as the native core takes them: 0 is no limit."""

    seconds: float
    nodes: int
    depth: int
    clock: float
    increment: float


@dataclass(frozen=True, slots=True)
class Limit:
    """A search ends at the first of these; with `Limit()`, at `stop`. Raises BadLimit."""

    time: float | None = None  # seconds for this move
    nodes: int | None = None
    depth: int | None = None  # plies
    clock: float | None = None  # seconds left on the match clock
    increment: float = 0.0  # seconds that the clock gains per move

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "time", seconds(self.time))
        if self.nodes is not None:
            put(self, "nodes", whole("number of nodes", self.nodes, 1, None))
        if self.depth is not None:
            put(self, "depth", whole("depth", self.depth, 1, None))
        if self.clock is not None:
            put(self, "clock", _not_negative("clock", self.clock))
        put(self, "increment", _not_negative("increment", self.increment))
        if self.increment and self.clock is None:
            raise BadLimit("an increment without a clock: give the seconds left as `clock`")

    @property
    def is_endless(self) -> bool:
        """Whether only `stop` ends the search."""
        return (self.time, self.nodes, self.depth, self.clock) == (None, None, None, None)

    @property
    def core(self) -> CoreLimits:
        """The limits as the native core takes them."""
        return {
            "seconds": self.time or 0.0,
            "nodes": min(self.nodes or 0, _MAX_NODES),
            "depth": min(self.depth or 0, _MAX_DEPTH),
            "clock": 0.0 if self.clock is None else max(self.clock, _NO_TIME),
            "increment": self.increment,
        }


def _not_negative(what: str, value: float) -> float:
    try:
        number = math.nan if isinstance(value, bool | str) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0 <= number < math.inf:
        raise BadLimit(f"no {what} of {value!r}: use seconds, 0 or more")
    return number
