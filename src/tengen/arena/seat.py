# SPDX-License-Identifier: MIT
"""A player at the board: his engine, his clock, and what his errors mean for the game.

Relies on the engine's interface; the referee relies on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import TypeVar

from tengen.arena.control import Clock, TimeControl
from tengen.engine.base import AnyEngine
from tengen.engine.errors import EngineDied, EngineRefused, EngineSilent
from tengen.engine.limit import Limit
from tengen.engine.process import ProcessEngine
from tengen.game.errors import ForbiddenMove, IllegalMove

__all__ = ["Fault", "Seat", "fault_of"]

R = TypeVar("R")


class Fault(Exception):
    """An error of a player, which loses the game. `reason` is one of `game.FAULTS`."""

    def __init__(self, reason: str, words: str) -> None:
        super().__init__(words)
        self.reason = reason


def fault_of(error: Exception) -> Fault:
    """What an error of an engine means for its game."""
    words = str(error)
    if isinstance(error, EngineSilent):
        return Fault("output" if error.said else "silence", words)
    if isinstance(error, ForbiddenMove):
        return Fault("forbidden", words)
    if isinstance(error, IllegalMove):
        return Fault("illegal", words)
    if isinstance(error, EngineRefused):
        return Fault("output", words)
    known = isinstance(error, EngineDied)
    return Fault("crash", words if known else f"{type(error).__name__}: {words}")


class Seat:
    """A player in one game. `slowest` is how many seconds a move may take that no time limits, so
    that one who thinks long can be told from one who never answers; None: any number.
    """

    def __init__(
        self,
        player: int,
        engine: AnyEngine,
        control: TimeControl,
        tolerance: float,
        slowest: float | None = None,
    ) -> None:
        self.player = player  # his place in the list of players
        self.hears_passes = not isinstance(engine, ProcessEngine)  # the protocol has none
        self.engine = engine
        self.claims_win = False  # whether he told so with his last move
        self._slowest = None if control.is_timed else slowest
        self._clock = Clock(control, tolerance)

    def ask(self, question: Callable[[Limit], R]) -> tuple[R, float]:
        """Let the engine answer; the answer, and the seconds that it took. Raises Fault."""
        limit = self._clock.limit()
        if self._slowest is not None:
            limit = replace(limit, time=self._slowest)
        start = perf_counter()
        try:
            answer = question(limit)
        except Exception as error:
            raise fault_of(error) from error
        seconds = perf_counter() - start
        if words := self._clock.spend(seconds):
            raise Fault("time", words)
        return answer, seconds
