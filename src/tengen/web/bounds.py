# SPDX-License-Identifier: MIT
"""Every bound of the server in one table: sizes, rates, times, numbers at once. Pure values."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

__all__ = ["Bounds"]


def _cores() -> int:
    return max(1, os.cpu_count() or 1)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of one server. Times are in seconds, sizes in bytes."""

    # Connections.
    connections: int = 128  # open at once
    connections_a_second: float = 20.0  # accepted, after a burst of twice as many
    hello_time: float = 5.0  # for the first message of a connection
    # Messages.
    message_size: int = 512 << 10  # of one message from a page; a record comes in one
    messages_a_second: float = 40.0  # of one connection, after a burst of three times as many
    faults: int = 40  # messages that make no sense, before a connection is closed
    outgoing: int = 256  # messages that wait for a page that does not read
    # Thinking.
    engines: int = field(default_factory=lambda: max(2, _cores()))  # in each lane of the pool
    memory: int = 32  # MiB for the tables of an engine
    quick_memory: int = 8  # for those that play weak levels
    waiting: int = 4  # jobs of one session in a lane, the one at work included
    queue: int = 256  # jobs in a lane
    move_time: float = 60.0  # most for a move of the engine
    analysis_time: float = 600.0  # most for an analysis
    slice_time: float = 10.0  # of an analysis, while others wait for an engine
    solve_time: float = 30.0  # most for a solver
    review_moves: int = 400  # of a game to review
    # What is kept.
    sessions: int = 20_000
    sessions_in_memory: int = 1_000
    games: int = 200  # of a session; older ones are dropped
    study_size: int = 400 << 10  # the tree of variations of a session
