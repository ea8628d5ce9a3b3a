# SPDX-License-Identifier: MIT
"""The limits of the server in one table, the rate limiter, and the error of a rejected request."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from tengen.game.errors import TengenError


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """The limits of one server. Times are in seconds, sizes in bytes."""

    # Connections.
    connections: int = 128  # open at once
    connections_per_second: float = 20.0  # accepted, after a burst of twice as many
    hello_time: float = 5.0  # for the first message of a connection
    # Messages.
    message_size: int = 512 << 10  # of one message from a page; a record comes in one
    messages_per_second: float = 40.0  # per connection, after a burst of three times as many
    invalid_messages: int = 40  # per connection, before it is closed
    outgoing: int = 256  # events queued for a page that does not read
    # Thinking.
    engines: int = field(default_factory=lambda: max(2, os.cpu_count() or 1))  # per lane
    memory: int = 32  # MiB for the transposition table of an engine
    quick_memory: int = 8  # MiB, for engines that play weak levels
    session_jobs: int = 4  # jobs of one session in a lane, the running ones included
    queue: int = 256  # waiting jobs per lane
    move_time: float = 60.0  # maximum for a move of the engine
    analysis_time: float = 600.0  # maximum for an analysis
    slice_time: float = 10.0  # maximum for an analysis while other sessions wait for an engine
    solve_time: float = 30.0  # maximum for a solver
    review_moves: int = 400  # maximum length of a game to review
    # Storage.
    sessions: int = 20_000
    sessions_in_memory: int = 1_000
    games: int = 200  # per session; older ones are deleted
    study_size: int = 400 << 10  # the variation tree of a session


class TokenBucket:
    """Rate limiter: gains `rate` tokens per second, holds `burst` at most."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._tokens = burst
        self._updated = clock()

    def take(self) -> float:
        """Takes a token and returns the seconds until it is available (0: now)."""
        now = self._clock()
        gained = self._rate * (now - self._updated)
        self._tokens = min(self._burst, self._tokens + gained) - 1
        self._updated = now
        return max(0.0, -self._tokens / self._rate)

    def try_take(self) -> bool:
        """Takes a token if one is available."""
        if self.take() > 0:
            self._tokens += 1
            return False
        return True


class RequestError(TengenError):
    """A request that the server rejects. `code` identifies the reason for the page."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
