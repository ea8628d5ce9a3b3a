# SPDX-License-Identifier: MIT
"""One WebSocket connection: reads requests within its budgets, passes them to the engines, the
store or the converter, and writes their events.

Invalid input is answered with an error event or closes the connection; it never raises.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from tengen._version import version
from tengen.web.convert import ConversionError, Converter
from tengen.web.engines import Engines
from tengen.web.lanes import Job
from tengen.web.limits import Account, Budget, RecentTable, RequestError, ServerLimits
from tengen.web.messages import (
    ConvertedEvent,
    ConvertRecordRequest,
    EngineRequest,
    HelloRequest,
    InvalidMessage,
    ListGamesRequest,
    SavedEvent,
    SaveGameRequest,
    SaveSolvedRequest,
    SaveStudyRequest,
    ServerRequest,
    StopRequest,
    WelcomeEvent,
    error_text,
    parse,
)
from tengen.web.security import is_loopback
from tengen.web.sockets import CHARGE, LOST
from tengen.web.store import Store, StoreThread

_log = logging.getLogger(__name__)
# WebSocket close codes.
_POLICY, TRY_LATER = 1008, 1013
_DENIED = 4401  # wrong or missing token: the page asks for it
_MAX_STORAGE = 2  # storage requests of a connection that wait
_MAX_WAIT = 30.0  # s that requests of a connection in debt wait at most
_OVERRUN = 4  # times `outgoing`: the page does not read at all

_StorageRequest = ListGamesRequest | SaveGameRequest | SaveStudyRequest | SaveSolvedRequest


@dataclass(slots=True)
class ServerState:
    """What all connections share."""

    limits: ServerLimits
    engines: Engines
    store: StoreThread
    converter: Converter
    sessions: RecentTable[Account]
    addresses: RecentTable[Account]
    token: str | None
    connections: dict[str, int] = field(default_factory=dict)  # open ones by address

    def accepts(self, token: str | None) -> bool:
        expected = self.token
        return not expected or secrets.compare_digest((token or "").encode(), expected.encode())

    def has_room(self, address: str) -> bool:
        """Whether a connection from there may be opened."""
        limits = self.limits
        if sum(self.connections.values()) >= limits.connections:
            return False
        count = self.connections.get(address, 0)
        return is_loopback(address) or count < limits.connections_per_address


class Connection:
    """The connection of one page."""

    def __init__(self, socket: WebSocket, state: ServerState, address: str) -> None:
        self._socket, self._state, self._limits = socket, state, state.limits
        limits, extensions = state.limits, socket.scope["extensions"]
        self._lost: asyncio.Event = extensions[LOST]
        self._charge_parsing: Callable[[float], None] = extensions[CHARGE]
        self._messages = Budget(
            limits.messages_per_second, limits.message_burst, start=limits.message_start
        )
        self._cpu = Budget(limits.cpu_rate, limits.cpu_burst, start=limits.cpu_start)
        self._budgets = [self._cpu]
        if not is_loopback(address):  # behind it there may be a proxy, or several pages
            self._budgets.append(state.addresses.get(address).cpu)
        self._session = ""
        self._account: Account | None = None
        self._jobs: list[Job] = []
        self._views = 0  # in progress
        self._invalid = 0
        self._outbox: deque[str] = deque()
        self._size = 0  # of the events in it
        self._wakes_writer = asyncio.Event()
        self._wakes_reader = asyncio.Event()
        self._overrun = asyncio.Event()  # the page does not read: give it up
        self._storage: asyncio.Queue[_StorageRequest] = asyncio.Queue(_MAX_STORAGE)

    async def run(self) -> None:
        """Serves the page until it disconnects."""
        try:
            hello = await self._greet()
            if hello is not None:
                await self._serve(hello)
        except (WebSocketDisconnect, ConnectionError):
            pass
        except RuntimeError as error:  # starlette raises it for a closed socket
            _log.debug("connection lost: %s", error)

    async def _greet(self) -> HelloRequest | None:
        """Waits for `hello`; None if it is late, or the token is wrong."""
        request: ServerRequest | EngineRequest | None = None
        with suppress(TimeoutError, InvalidMessage):
            async with asyncio.timeout(self._limits.hello_time):
                request = await self._receive()
        if not isinstance(request, HelloRequest):
            await self._close(_POLICY, "expected hello as the first message")
        elif not self._state.accepts(request.token):
            await self._close(_DENIED, "wrong or missing token")
        else:
            return request
        return None

    async def _serve(self, hello: HelloRequest) -> None:
        state, name = self._state, hello.session
        is_known = name is not None and name in state.sessions

        def read(store: Store) -> WelcomeEvent:
            found = store.hello(name, is_known=is_known)
            return WelcomeEvent(
                session=found.name,
                version=version(),
                study=found.study,
                solved=found.solved,
                storage=store.note,
            )

        welcome, _ = await state.store.call(read)
        self._session = welcome.session
        self._account = state.sessions.get(self._session)
        self._budgets.append(self._account.cpu)
        self.send(welcome.model_dump_json())
        ends = (self._overrun.wait(), self._lost.wait())
        work = [self._write(), self._read(), self._store(), *ends]
        tasks = [asyncio.ensure_future(task) for task in work]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if self._overrun.is_set():
                await self._close(TRY_LATER, "the page does not read its events")
        finally:
            state.engines.leave(self)
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError, OSError):
                    await task

    # --- Page, for the engines ---

    @property
    def session(self) -> str:
        return self._session

    @property
    def account(self) -> Account:
        assert self._account is not None
        return self._account

    @property
    def credit(self) -> float:
        return min(budget.credit for budget in self._budgets)

    @property
    def is_behind(self) -> bool:
        return self._size > self._limits.outgoing // 4

    def charge(self, seconds: float) -> None:
        for budget in self._budgets:
            budget.take(seconds)

    def send(self, text: str) -> None:
        self._outbox.append(text)
        self._size += len(text)
        self._wakes_writer.set()
        if len(self._outbox) > 1 and self._size > _OVERRUN * self._limits.outgoing:
            self._overrun.set()

    def ended(self, job: Job) -> None:
        self._views -= job.type == "view"
        if job in self._jobs:
            self._jobs.remove(job)
        self._wakes_reader.set()

    # --- reading ---

    async def _read(self) -> None:
        while self._invalid <= self._limits.invalid_messages:
            try:
                request = await self._receive()
            except InvalidMessage as error:
                self._invalid += 1
                self.send(error_text("message", str(error), error.id))
                await self._wait_for_budgets()
                continue
            if not isinstance(request, StopRequest):
                await self._wait_for_budgets()
            try:
                await self._handle(request)
            except RequestError as error:
                self.send(error_text(error.code, str(error), getattr(request, "id", None)))
        await self._close(_POLICY, "too many invalid messages")

    async def _wait_for_budgets(self) -> None:
        """Waits while the connection is in debt, its page does not read, or views are in progress.
        What it sends meanwhile waits in its own pipe.
        """
        wait = max(budget.wait for budget in self._budgets)
        if wait > 0:
            await asyncio.sleep(min(wait, _MAX_WAIT))
        while self._views >= self._limits.views or self._size > self._limits.outgoing:
            self._wakes_reader.clear()
            await self._wakes_reader.wait()

    async def _receive(self) -> ServerRequest | EngineRequest:
        """The next message, in its time. Raises InvalidMessage."""
        if (wait := self._messages.wait) > 0:
            await asyncio.sleep(min(wait, _MAX_WAIT))
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1006))
        text: str | None = message.get("text")
        size = len(text or message.get("bytes") or "")
        self._messages.take(1 + size / self._limits.size_per_message)
        if text is None:
            raise InvalidMessage("expected text, got bytes", None)
        start = time.thread_time()
        try:
            return parse(text, self._limits.request_size)
        finally:
            self._charge_parsing(time.thread_time() - start)

    async def _handle(self, request: ServerRequest | EngineRequest) -> None:
        """Raises RequestError."""
        if isinstance(request, EngineRequest):
            self._start_engine_request(request)
        elif isinstance(request, StopRequest):
            for job in [job for job in self._jobs if job.id == request.id]:
                self._state.engines.stop(job)
        elif isinstance(request, ConvertRecordRequest):
            self._convert(request)
        elif isinstance(request, HelloRequest):
            raise RequestError("hello", "hello was already sent")
        else:
            await self._storage.put(request)

    def _start_engine_request(self, request: EngineRequest) -> None:
        if any(job.id == request.id for job in self._jobs) and request.type != "proof_step":
            raise RequestError("id", f"request {request.id} is still running: use another id")
        job = self._state.engines.request(self, request)
        self._jobs.append(job)
        self._views += request.type == "view"

    def _convert(self, request: ConvertRecordRequest) -> None:
        limit, converter = self._limits.record_length, self._state.converter
        if len(request.text) > limit:
            raise RequestError("record", f"the record is longer than {limit:,} characters")

        def convert() -> tuple[str, float]:
            try:
                games, seconds = converter.convert(request.text, request.name)
            except ConversionError as error:
                return error_text("record", str(error), request.id), error.seconds
            return ConvertedEvent(id=request.id, games=games).model_dump_json(), seconds

        self._state.engines.convert(self, request.id, convert)

    # --- storage ---

    async def _store(self) -> None:
        """Answers the storage requests in their order."""
        while True:
            request = await self._storage.get()
            try:
                event, seconds = await self._state.store.call(_method(request, self._session))
                self.charge(seconds)
                self.send(event)
            except RequestError as error:
                self.send(error_text(error.code, str(error), request.id))

    # --- writing ---

    async def _write(self) -> None:
        while True:
            while not self._outbox:
                self._wakes_writer.clear()
                await self._wakes_writer.wait()
            text = self._outbox.popleft()
            await self._socket.send_text(text)
            self._size -= len(text)
            self._wakes_reader.set()

    async def _close(self, code: int, reason: str) -> None:
        if self._socket.application_state is not WebSocketState.DISCONNECTED:
            with suppress(RuntimeError, WebSocketDisconnect, OSError):
                await self._socket.close(code, reason)


def _method(request: _StorageRequest, session: str) -> Callable[[Store], str]:
    """What a storage request does; returns its event."""

    def run(store: Store) -> str:
        if isinstance(request, ListGamesRequest):
            return store.games_event(session, request.id)
        if isinstance(request, SaveGameRequest):
            store.save_game(session, request.game, request.state)
        elif isinstance(request, SaveStudyRequest):
            store.save_study(session, request.text)
        else:
            store.save_solved(session, request.problem)
        return SavedEvent(id=request.id).model_dump_json()

    return run
