# SPDX-License-Identifier: MIT
"""One page's connection: reads messages within the bounds, hands them on, writes what is told.

Whatever a page sends, the answer is a message in words or the end of the connection, never an
error of the server. Relies on the handlers; the app relies on it.
"""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from tengen.game.errors import BadRecord, TengenError
from tengen.web import tells
from tengen.web.asks import ASK, Ask, Hello
from tengen.web.errors import Refused
from tengen.web.handlers import Desk, welcome
from tengen.web.rates import Bucket

if TYPE_CHECKING:
    from tengen.web.session import House, Session

__all__ = ["Connection"]

_log = logging.getLogger(__name__)
# Codes of the end: as the standard has them.
_POLICY, _TOO_MUCH, _TRY_LATER = 1008, 1009, 1013
_DENIED = 4401  # wrong or no token: the page asks for it
_OVERWRITE = ("analysis", "reviewed")  # of which only the last is worth sending


class Connection:
    """A page. `tell` may be called from the event loop's thread alone."""

    def __init__(self, socket: WebSocket, house: House) -> None:
        self._socket, self._house = socket, house
        self._bounds = house.bounds
        self._out: asyncio.Queue[tells.Tell] = asyncio.Queue(house.bounds.outgoing)
        self._bucket = Bucket(self._bounds.messages_a_second, 3 * self._bounds.messages_a_second)
        self._faults = 0
        self._overrun = asyncio.Event()

    async def run(self) -> None:
        """From the first message to the end."""
        try:
            session = await self._greeted()
            if session is not None:
                await self._talk(session)
        except (WebSocketDisconnect, ConnectionError):
            pass  # the page is gone
        except RuntimeError as error:  # starlette's word for a socket that is gone
            _log.debug("connection lost: %s", error)

    async def _greeted(self) -> Session | None:
        """Wait for `hello`; None if it did not come, or not with the token."""
        try:
            async with asyncio.timeout(self._bounds.hello_time):
                ask = await self._next()
        except TimeoutError:
            await self._end(_POLICY, "no hello came")
            return None
        if not isinstance(ask, Hello):
            await self._end(_POLICY, "hello comes first")
            return None
        if not self._house.accepts(ask.token):
            await self._end(_DENIED, "a token is needed, or another one")
            return None
        return self._house.session(ask.session)

    async def _talk(self, session: Session) -> None:
        desk = Desk(session, self)
        session.pages.add(self)
        writer = asyncio.create_task(self._write())
        reader = asyncio.create_task(self._read(desk))
        overrun = asyncio.create_task(self._overrun.wait())
        try:
            self.tell(welcome(session))
            self.tell(session.table.told())
            session.table._go_on()
            await asyncio.wait({writer, reader, overrun}, return_when=asyncio.FIRST_COMPLETED)
            if overrun.done():
                await self._end(_TRY_LATER, "the page does not read what it is told")
        finally:
            session.pages.discard(self)
            desk.close()
            for task in (writer, reader, overrun):
                task.cancel()
                with suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError, OSError):
                    await task

    async def _read(self, desk: Desk) -> None:
        while True:
            try:
                ask = await self._next()
                if ask is not None:
                    await desk.handle(ask)
            except Refused as error:
                self._fault(error.code, str(error), _id(ask))
            except TengenError as error:
                code = "record" if isinstance(error, BadRecord) else "wrong"
                self._fault(code, str(error), _id(ask))
            if self._faults > self._bounds.faults:
                await self._end(_POLICY, "too many messages that make no sense")
                return

    async def _next(self) -> Ask | None:
        """The next message; None for one that makes no sense, which is told."""
        wait = self._bucket.take()
        if wait > 0:  # it is read when its time comes: whoever floods fills its own pipe
            await asyncio.sleep(min(wait, 1.0))
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1006))
        text = message.get("text")
        if text is None:
            self._wrong("a message that is no text: the page speaks JSON")
            return None
        if len(text) > self._bounds.message_size:
            await self._end(_TOO_MUCH, "a message that is too long")
            raise WebSocketDisconnect(_TOO_MUCH)
        try:
            return ASK.validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            self._wrong(f"{place or 'the message'}: {first['msg']}"[:300], _number(text))
            return None
        except RecursionError:
            self._wrong("a message that is nested too deeply")
            return None

    def _wrong(self, words: str, id: int | None = None) -> None:
        self._faults += 1
        self._fault("message", words, id)

    def _fault(self, code: str, words: str, id: int | None) -> None:
        self.tell(tells.Fault(type="fault", id=id, code=code, words=words))

    # --- writing ---

    def tell(self, message: tells.Tell) -> None:
        """Have a message sent; a page that does not read is given up."""
        try:
            self._out.put_nowait(message)
        except asyncio.QueueFull:
            if message.type not in _OVERWRITE:
                self._overrun.set()

    @property
    def is_behind(self) -> bool:
        """Whether the page has not read what it was told: news may be left out."""
        return self._out.qsize() > self._bounds.outgoing // 8

    async def _write(self) -> None:
        while True:
            message = await self._out.get()
            await self._socket.send_text(message.model_dump_json())

    async def _end(self, code: int, words: str) -> None:
        if self._socket.application_state is not WebSocketState.DISCONNECTED:
            with suppress(RuntimeError, WebSocketDisconnect, OSError):
                await self._socket.close(code, words)


def _number(text: str) -> int | None:
    """The number of a question that makes no sense, so that whoever asked need not wait."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    number = found.get("id") if isinstance(found, dict) else None
    return number if type(number) is int and 0 <= number < 2**31 else None


def _id(ask: Ask | None) -> int | None:
    return getattr(ask, "id", None)
