# SPDX-License-Identifier: MIT
"""The protocols of TCP connections, guarded: a time limit for requests, limits on open connections,
and a CPU budget for parsing what each of them sends.

uvicorn parses HTTP and WebSocket frames on the event loop. Here it gets the data in small pieces,
and reading pauses while a connection is in debt, so that floods of tiny frames, pings or requests
delay only their sender.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from typing import Any, ClassVar, TypeAlias, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from tengen.web.limits import Budget, ServerLimits
from tengen.web.security import is_loopback

_log = logging.getLogger(__name__)
# Extensions of the scope of a WebSocket, for the app.
LOST = "tengen.lost"  # event of its end, which an app that does not receive would not notice
CHARGE = "tengen.charge"  # takes CPU time in seconds from the budget for parsing
_PIECE = 1024  # bytes that are parsed at a time; of the smallest frames, in a few milliseconds
_TURN = 0.002  # s of CPU time after which other connections have their turn
_INCOMPLETE = (h11.IDLE, h11.SEND_BODY)  # states of a client whose request is not complete

_Protocol: TypeAlias = "GuardedHttp | GuardedSocket"


class SocketTable:
    """The open TCP connections of a server, by protocol. Beyond the limit the oldest HTTP
    connection is closed, preferably one without a complete request: half-sent requests never keep
    others out.
    """

    def __init__(self, limits: ServerLimits) -> None:
        self.limits = limits
        self._open: dict[_Protocol, str] = {}  # in the order of their arrival, with the address
        self._per_address: Counter[str] = Counter()

    def add(self, protocol: _Protocol, address: str) -> None:
        limits = self.limits
        if len(self._open) >= limits.sockets:
            self._close_one(protocol, "")
        if not is_loopback(address) and self._per_address[address] >= limits.sockets_per_address:
            self._close_one(protocol, address)
        if not protocol.transport.is_closing():
            self._open[protocol] = address
            self._per_address[address] += 1

    def _close_one(self, protocol: _Protocol, address: str) -> None:
        """Closes the oldest HTTP connection of the address (empty: of all), or the new one."""
        oldest: _Protocol | None = None
        for other, where in self._open.items():
            if isinstance(other, GuardedHttp) and address in ("", where):
                oldest = oldest or other
                if other.is_incomplete:
                    oldest = other
                    break
        victim = oldest or protocol
        self.remove(victim)
        victim.transport.abort()

    def remove(self, protocol: _Protocol) -> None:
        address = self._open.pop(protocol, None)
        if address is not None:
            self._per_address[address] -= 1
            if not self._per_address[address]:
                del self._per_address[address]


class _Gate:
    """Wraps a transport: gives its data to the protocol in pieces, as fast as the budget allows."""

    def __init__(self, protocol: _Protocol, transport: asyncio.Transport) -> None:
        limits = protocol.table.limits
        self.transport = transport
        self.protocol = protocol
        self._budget = Budget(limits.loop_rate, limits.loop_burst, start=limits.loop_start)
        self._pending = bytearray()
        self._is_paused = False  # by the protocol
        self._is_full = False  # the peer does not read what the protocol writes
        self._timer: asyncio.Handle | None = None
        self._waited = 0.0  # s for the budget, since all data was parsed

    def __getattr__(self, name: str) -> Any:
        return getattr(self.transport, name)

    def pause_reading(self) -> None:
        self._is_paused = True
        self._apply()

    def resume_reading(self) -> None:
        self._is_paused = False
        self._continue(0)

    def set_full(self, is_full: bool) -> None:
        self._is_full = is_full
        self._continue(0)

    def feed(self, data: bytes) -> None:
        self._pending += data
        if self._timer is None:
            self._pump()

    def charge(self, seconds: float) -> None:
        self._budget.take(seconds)

    def take_pending(self) -> bytes:
        data, self._pending = bytes(self._pending), bytearray()
        return data

    def _continue(self, seconds: float) -> None:
        if self._timer is None:
            self._timer = self.protocol.loop.call_later(seconds, self._wake)

    def _wake(self) -> None:
        self._timer = None
        wait = self._budget.wait
        if wait > 0:
            self._continue(wait)
        else:
            self._pump()

    def _pump(self) -> None:
        spent = 0.0
        while self._pending and not (self._is_paused or self._is_full or self._timer):
            if self.transport.is_closing():
                self._pending.clear()
                break
            piece = bytes(self._pending[:_PIECE])
            del self._pending[:_PIECE]
            start = time.thread_time()
            try:
                self.protocol.deliver(piece)
            except Exception as error:  # of the parser, about what the peer sent
                _log.debug("invalid data: %r", error)
                self.transport.abort()
            seconds = time.thread_time() - start
            spent += seconds
            wait = self._budget.take(seconds)
            if wait > 0 or spent > _TURN:
                self._waited += wait
                self._continue(wait)
        if not self._pending:
            self._waited = 0.0
        elif self._waited > self.protocol.table.limits.flood_time:
            self.transport.abort()
        self._apply()

    def _apply(self) -> None:
        if self._pending or self._is_paused or self._is_full or self._timer:
            self.transport.pause_reading()
        elif not self.transport.is_closing():
            self.transport.resume_reading()


class _Guarded(asyncio.Protocol):
    """Puts a gate between the transport and the protocol that is the next base class."""

    table: ClassVar[SocketTable]
    _gate: _Gate

    def data_received(self, data: bytes) -> None:
        self._gate.feed(data)

    def deliver(self, data: bytes) -> None:
        """Parses data."""
        super().data_received(data)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._gate.set_full(True)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._gate.set_full(False)


class GuardedHttp(_Guarded, H11Protocol):
    """HTTP. A connection without a complete request in time is closed."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._gate = _Gate(self, transport)
        self._late: asyncio.TimerHandle | None = None
        super().connection_made(cast(asyncio.Transport, self._gate))
        self.table.add(self, _address(self.client))
        self._expect_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self.table.remove(self)
        self._stop_timer()
        super().connection_lost(exc)

    @property
    def is_incomplete(self) -> bool:
        return self.conn.their_state in _INCOMPLETE

    def deliver(self, data: bytes) -> None:
        """Parses data; a WebSocket gets what follows its handshake."""
        super().deliver(data)
        protocol = self._gate.transport.get_protocol()
        if protocol is not self:
            self.table.remove(self)
            self._stop_timer()
            if rest := self._gate.take_pending():
                cast(asyncio.Protocol, protocol).data_received(rest)
        elif not self.is_incomplete:
            self._stop_timer()
        elif self.conn.their_state is h11.SEND_BODY or self.conn.trailing_data[0]:
            self._expect_request()

    def _expect_request(self) -> None:
        if self._late is None:
            seconds = self.table.limits.header_time
            self._late = self.loop.call_later(seconds, self._gate.transport.abort)

    def _stop_timer(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


class GuardedSocket(_Guarded, WebSocketsSansIOProtocol):
    """A WebSocket. Its scope has the extensions LOST and CHARGE."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, _Gate):  # of the handshake
            self.table.remove(transport.protocol)
            transport = transport.transport
        self._gate = _Gate(self, cast(asyncio.Transport, transport))
        self._lost = asyncio.Event()
        super().connection_made(cast(asyncio.Transport, self._gate))
        self.table.add(self, _address(self.client))

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost.set()
        self.table.remove(self)
        super().connection_lost(exc)

    def deliver(self, data: bytes) -> None:
        super().deliver(data)
        if self.handshake_initiated and not self.handshake_complete:  # the app has not begun
            extensions = cast(dict[str, Any], self.scope.get("extensions") or {})
            extensions = extensions | {LOST: self._lost, CHARGE: self._gate.charge}
            cast(dict[str, Any], self.scope)["extensions"] = extensions

    def handle_cont(self, event: Frame) -> None:
        """Limits the parts of a message, which may be empty: its size does not limit them."""
        if len(self.frames) < self.table.limits.fragments:
            super().handle_cont(event)
        else:
            self.transport.abort()


def protocols(limits: ServerLimits) -> tuple[type[asyncio.Protocol], type[asyncio.Protocol]]:
    """The protocols of one server, for HTTP and for WebSockets."""
    table = {"table": SocketTable(limits)}
    return type("Http", (GuardedHttp,), table), type("Socket", (GuardedSocket,), table)


def _address(client: tuple[str, int] | None) -> str:
    return client[0] if client else "localhost"
