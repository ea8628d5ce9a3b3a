# SPDX-License-Identifier: MIT
"""The limits of the server in one table, the budgets that enforce them, and the error of a rejected
request.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Generic, TypeVar

from tengen.game.errors import TengenError

_T = TypeVar("_T")

_HALF_LIFE = 60.0  # s in which an account forgets half of its engine time


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """The limits of one server. Times are in seconds, sizes in bytes, tables of engines in MiB."""

    # Connections.
    sockets: int = 512  # open TCP connections
    sockets_per_address: int = 64  # of these; this machine's own address has no such limit
    header_time: float = 5.0  # for a complete HTTP request
    requests_per_second: float = 200.0  # HTTP requests of all clients; more are delayed
    connections: int = 128  # open WebSockets
    connections_per_address: int = 32
    connections_per_second: float = 20.0  # accepted, after a burst of twice as many
    address_connections_per_second: float = 5.0  # of one address beyond this machine, likewise
    hello_time: float = 5.0  # for the first message of a connection
    # Messages.
    message_size: int = 512 << 10  # of one message from a page
    fragments: int = 64  # of one message; browsers send parts of tens of kilobytes
    request_size: int = 64 << 10  # of one engine request
    messages_per_second: float = 40.0  # per connection
    message_burst: float = 600.0  # saved up at most
    message_start: float = 120.0  # of a new connection
    size_per_message: int = 4096  # a long message counts as one more per so many bytes
    invalid_messages: int = 40  # per connection, before it is closed
    outgoing: int = 256 << 10  # unread events of a page, before its requests wait
    # CPU time. A connection in debt waits; others do not.
    cpu_rate: float = 0.25  # s per second of quick requests and conversions
    cpu_burst: float = 2.0  # s saved up at most
    cpu_start: float = 0.5  # s of a new connection or session
    address_factor: float = 4.0  # an address has so many times the budget of a session
    loop_rate: float = 0.01  # s per second for parsing frames and messages of a connection
    loop_burst: float = 0.03
    loop_start: float = 0.01  # s of a new connection
    flood_time: float = 10.0  # that parsing waits for this budget, before the connection is closed
    # Engines.
    engines: int = field(default_factory=lambda: max(2, os.cpu_count() or 1))  # per lane
    memory: int = 32  # MiB for the tables of an engine
    quick_memory: int = 8  # MiB, for engines that play weak levels
    engine_memory: int = 512  # MiB for the engines of all pages, beside those that search
    views: int = 4  # view requests of a connection in progress
    session_jobs: int = 4  # other requests of a session in a lane, the running ones included
    slice_time: float = 10.0  # maximum of a search while other sessions wait for an engine
    review_time: float = 120.0  # maximum of a review while other sessions wait for one
    # Records that Python converts.
    record_length: int = 400_000  # characters
    convert_cpu: float = 3.0  # s of CPU time
    convert_time: float = 15.0  # s in all
    convert_memory: int = 256 << 20  # address space of the process that converts
    converted_size: int = 4 << 20
    # Storage.
    sessions: int = 20_000
    session_days: int = 30  # a session in use by then is never deleted to make room
    games: int = 200  # per session; older ones are deleted
    games_size: int = 2 << 20  # of all games of a session
    game_size: int = 64 << 10
    study_size: int = 400 << 10
    solved: int = 2_000  # problems per session
    database_size: int = 2 << 30
    unsaved_size: int = 64 << 20  # kept in memory while the database cannot be written
    retry_time: float = 5.0  # until a database with a fault is tried again


class Budget:
    """An allowance of CPU time or messages: gains `rate` per second, holds `burst` at most, and may
    be overdrawn.
    """

    def __init__(
        self,
        rate: float,
        burst: float,
        clock: Callable[[], float] = monotonic,
        *,
        start: float | None = None,
    ) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._credit = burst if start is None else start
        self._updated = clock()

    @property
    def credit(self) -> float:
        """What is left; negative: debt."""
        now = self._clock()
        gained = self._rate * (now - self._updated)
        self._credit = min(self._burst, self._credit + gained)
        self._updated = now
        return self._credit

    @property
    def wait(self) -> float:
        """Seconds until the debt is paid; 0: there is none."""
        return max(0.0, -self.credit / self._rate)

    def take(self, amount: float = 1.0) -> float:
        """Takes an amount, and returns `wait`."""
        self._credit = self.credit - amount
        return self.wait

    def try_take(self) -> bool:
        """Takes 1 if that leaves no debt."""
        if self.credit < 1:
            return False
        self._credit -= 1
        return True


class Account:
    """What a session or an address uses, over all of its connections."""

    def __init__(self, cpu: Budget, clock: Callable[[], float] = monotonic) -> None:
        self.cpu = cpu
        self._clock = clock
        self._thinking = 0.0
        self._updated = clock()

    @property
    def thinking(self) -> float:
        """Recent engine time in seconds; who has less comes first."""
        now = self._clock()
        self._thinking *= 0.5 ** ((now - self._updated) / _HALF_LIFE)
        self._updated = now
        return self._thinking

    def add_thinking(self, seconds: float) -> None:
        self._thinking = self.thinking + seconds


class RecentTable(Generic[_T]):
    """The values of the last sessions or addresses, made when they are first needed. A page that
    reconnects keeps its debt.
    """

    _MAX = 2000

    def __init__(self, make: Callable[[], _T]) -> None:
        self._make = make
        self._values: OrderedDict[str, _T] = OrderedDict()

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def get(self, name: str) -> _T:
        if name not in self._values:
            self._values[name] = self._make()
            if len(self._values) > self._MAX:
                self._values.popitem(last=False)
        self._values.move_to_end(name)
        return self._values[name]


def accounts(limits: ServerLimits, factor: float = 1.0) -> RecentTable[Account]:
    """A table of accounts with `factor` times the budget of a session each."""
    rate, burst, start = limits.cpu_rate, limits.cpu_burst, limits.cpu_start
    return RecentTable(lambda: Account(Budget(factor * rate, factor * burst, start=factor * start)))


class RequestError(TengenError):
    """A request that the server rejects. `code` identifies the reason for the page."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
