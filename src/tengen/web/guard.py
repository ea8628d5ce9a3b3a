# SPDX-License-Identifier: MIT
"""Who may speak to the server: Host and Origin are checked before anything else, and every answer
carries a strict content security policy. A plain ASGI layer around the app.

A page from elsewhere cannot open the socket (its Origin is foreign), and a name that somebody
points at this machine is no Host of ours (so that DNS rebinding ends here).
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from tengen.web.rates import Bucket

__all__ = ["App", "Guard", "is_loopback"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:;"
    " connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
_REPLACED = frozenset(name for name, _ in _HEADERS)
_METHODS = ("GET", "HEAD")
_LONGEST_PATH = 300


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach such an address."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """The layer. `hosts` are names under which the server may be called, beside addresses."""

    def __init__(
        self, app: App, hosts: Iterable[str], loopback_only: bool, arrivals: Bucket
    ) -> None:
        self._app = app
        self._arrivals = arrivals  # of connections: a storm ends here, where it costs least
        self._loopback_only = loopback_only
        self._names = {name.lower() for name in hosts} | {"localhost"}
        if not loopback_only:
            self._names.add(socket.gethostname().lower())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        fault = self._fault(scope)
        if fault is not None:
            await _refuse(scope, receive, send, *fault)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [pair for pair in message.get("headers", []) if pair[0] not in _REPLACED]
                message["headers"] = [*kept, *_HEADERS]
            await send(message)

        await self._app(scope, receive, with_headers)

    def _fault(self, scope: Scope) -> tuple[int, str] | None:
        """What is wrong with a request, as a status and in words."""
        given = [value for name, value in scope["headers"] if name == b"host"]
        if len(given) != 1 or not self._is_ours(given[0].decode("latin-1")):
            return 421, "this server is not known under that Host"
        host = given[0].decode("latin-1")
        origins = [value for name, value in scope["headers"] if name == b"origin"]
        allowed = {f"http://{host}".lower(), f"https://{host}".lower()}
        if any(origin.decode("latin-1").lower() not in allowed for origin in origins):
            return 403, "a page from elsewhere may not use this server"
        if scope["type"] == "websocket" and len(origins) != 1:
            return 403, "a connection needs the Origin of the page"
        if scope["type"] == "websocket" and not self._arrivals.try_take():
            return 503, "too many connections at once: try again in a moment"
        if scope["type"] == "http" and scope["method"] not in _METHODS:
            return 405, "there is only something to read here"
        if len(scope["path"]) > _LONGEST_PATH:
            return 414, "no address here is that long"
        return None

    def _is_ours(self, host: str) -> bool:
        name = _without_port(host.lower())
        if name is None:
            return False
        if name in self._names:
            return True
        try:  # an address is no name that somebody else could point here
            address = ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return address.is_loopback or not self._loopback_only


def _without_port(host: str) -> str | None:
    """The name of `name:port`; None if it is neither."""
    name, sign, port = host.rpartition(":")
    if not sign or host.endswith("]"):
        return host or None
    return name if name and port.isdecimal() and len(port) <= 5 else None


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, words: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": words})
        return
    body = f"{words}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *_HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
