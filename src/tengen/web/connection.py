# SPDX-License-Identifier: MIT
"""One WebSocket connection: reads requests within the limits, hands them to the RequestHandler,
writes the events of its outbox.

Invalid input is answered with an error event or closes the connection; it never raises.
"""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress

from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from tengen.game.errors import BadRecord, TengenError
from tengen.web.events import ErrorEvent, error_event
from tengen.web.limits import TokenBucket
from tengen.web.request_handler import RequestHandler, welcome
from tengen.web.requests import REQUEST, HelloRequest, Request
from tengen.web.server_state import Outbox, PageSession, ServerState

_log = logging.getLogger(__name__)
# WebSocket close codes.
_POLICY, _TOO_BIG, TRY_LATER = 1008, 1009, 1013
_DENIED = 4401  # wrong or missing token: the page asks for it


class Connection:
    """The connection of one page."""

    def __init__(self, socket: WebSocket, state: ServerState) -> None:
        self._socket, self._state, self._limits = socket, state, state.limits
        self._outbox = Outbox(self._limits.outgoing)
        rate = self._limits.messages_per_second
        self._bucket = TokenBucket(rate, 3 * rate)
        self._invalid = 0

    async def run(self) -> None:
        """Serves the page until it disconnects."""
        try:
            session = await self._greet()
            if session is not None:
                await self._serve(session)
        except (WebSocketDisconnect, ConnectionError):
            pass
        except RuntimeError as error:  # starlette raises it for a closed socket
            _log.debug("connection lost: %s", error)

    async def _greet(self) -> PageSession | None:
        """Waits for `hello`; None if it is late, or the token is wrong."""
        try:
            async with asyncio.timeout(self._limits.hello_time):
                request = await self._next()
        except TimeoutError:
            request = None
        if not isinstance(request, HelloRequest):
            await self._close(_POLICY, "expected hello as the first message")
        elif not self._state.accepts(request.token):
            await self._close(_DENIED, "wrong or missing token")
        else:
            return self._state.session(request.session)
        return None

    async def _serve(self, session: PageSession) -> None:
        handler = RequestHandler(session, self._outbox)
        session.pages.add(self._outbox)
        writer = asyncio.create_task(self._write())
        reader = asyncio.create_task(self._read(handler))
        overrun = asyncio.create_task(self._outbox.overrun.wait())
        try:
            self._outbox.send(welcome(session))
            self._outbox.send(session.controller.to_message())
            session.controller.resume()
            await asyncio.wait({writer, reader, overrun}, return_when=asyncio.FIRST_COMPLETED)
            if overrun.done():
                await self._close(TRY_LATER, "the page does not read its events")
        finally:
            session.pages.discard(self._outbox)
            handler.close()
            for task in (writer, reader, overrun):
                task.cancel()
                with suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError, OSError):
                    await task

    async def _read(self, handler: RequestHandler) -> None:
        while True:
            request = await self._next()
            try:
                if request is not None:
                    await handler.handle(request)
            except TengenError as error:
                code = "record" if isinstance(error, BadRecord) else "invalid"
                self._outbox.send(error_event(error, code, getattr(request, "id", None)))
            if self._invalid > self._limits.invalid_messages:
                await self._close(_POLICY, "too many invalid messages")
                return

    async def _next(self) -> Request | None:
        """The next request; None for an invalid one, which is answered with an error."""
        wait = self._bucket.take()
        if wait > 0:  # a flood waits in the page's own pipe
            await asyncio.sleep(min(wait, 1.0))
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1006))
        text = message.get("text")
        id = None
        if text is None:
            problem = "expected text, got bytes"
        elif len(text) > self._limits.message_size:
            await self._close(_TOO_BIG, "the message is too long")
            raise WebSocketDisconnect(_TOO_BIG)
        else:
            try:
                return REQUEST.validate_json(text)
            except ValidationError as error:
                first = error.errors(include_url=False, include_input=False)[0]
                key = ".".join(str(part) for part in first["loc"])
                problem, id = f"{key or 'message'}: {first['msg']}"[:300], _request_id(text)
            except RecursionError:
                problem = "the message is nested too deeply"
        self._invalid += 1
        self._outbox.send(ErrorEvent(id=id, code="message", text=problem))
        return None

    async def _write(self) -> None:
        while True:
            event = await self._outbox.queue.get()
            await self._socket.send_text(event.model_dump_json())

    async def _close(self, code: int, reason: str) -> None:
        if self._socket.application_state is not WebSocketState.DISCONNECTED:
            with suppress(RuntimeError, WebSocketDisconnect, OSError):
                await self._socket.close(code, reason)


def _request_id(text: str) -> int | None:
    """The id of an invalid request, so that its sender does not wait for an answer."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    id = message.get("id") if isinstance(message, dict) else None
    return id if type(id) is int and 0 <= id < 2**31 else None
