# SPDX-License-Identifier: MIT
"""ASGI middleware that checks Host and Origin before anything else, limits the rate of requests and
connections, and adds a strict content security policy to every response.

Pages of other origins cannot open the socket. A foreign name that resolves to this machine is not
an accepted Host, which stops DNS rebinding.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tengen.web.limits import Budget, RecentTable, ServerLimits

_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self';"
    " img-src 'self' data: blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    # The page is isolated from other origins, so that its engine may use threads.
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
_METHODS = ("GET", "HEAD")
_MAX_PATH = 300
_MAX_DELAY = 2.0  # s of an HTTP request, when there are too many


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class SecurityMiddleware:
    """`hosts`: names of the server that are accepted as Host, beside addresses."""

    def __init__(
        self, app: ASGIApp, hosts: Iterable[str], loopback_only: bool, limits: ServerLimits
    ) -> None:
        self._app = app
        # Here rejecting costs least.
        rate, address_rate = limits.connections_per_second, limits.address_connections_per_second
        self._arrivals = Budget(rate, 2 * rate)
        self._arrivals_from = RecentTable(lambda: Budget(address_rate, 2 * address_rate))
        self._requests = Budget(limits.requests_per_second, 2 * limits.requests_per_second)
        self._loopback_only = loopback_only
        self._names = {name.lower() for name in hosts} | {"localhost"}
        if not loopback_only:
            self._names.add(socket.gethostname().lower())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        if scope["type"] == "http" and (wait := self._requests.take()) > 0:
            await asyncio.sleep(min(wait, _MAX_DELAY))
        error = None if scope["type"] == "lifespan" else self._check(scope)
        if error is None:
            await self._app(scope, receive, with_headers)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": error[1]})
        else:
            response = PlainTextResponse(f"{error[1]}\n", error[0])
            await response(scope, receive, with_headers)

    def _check(self, scope: Scope) -> tuple[int, str] | None:
        """The status and message that reject a request; None: it is accepted."""
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self._accepts_host(hosts[0]):
            return 421, "unknown Host"
        allowed = {f"http://{hosts[0]}".lower(), f"https://{hosts[0]}".lower()}
        if any(origin.lower() not in allowed for origin in origins):
            return 403, "pages of another Origin may not use this server"
        if scope["type"] == "websocket" and len(origins) != 1:
            return 403, "a WebSocket connection needs the page's Origin"
        if scope["type"] == "websocket" and not self._admits(scope.get("client")):
            return 503, "too many connections: try again in a moment"
        if scope["type"] == "http" and scope["method"] not in _METHODS:
            return 405, "only GET and HEAD are allowed"
        if len(scope["path"]) > _MAX_PATH:
            return 414, "the path is too long"
        return None

    def _admits(self, client: tuple[str, int] | None) -> bool:
        """Whether a new connection is within the budgets. What the one of its address rejects does
        not count for the others.
        """
        address = client[0] if client else "localhost"
        if not is_loopback(address) and not self._arrivals_from.get(address).try_take():
            return False
        return self._arrivals.try_take()

    def _accepts_host(self, host: str) -> bool:
        name = _without_port(host.lower())
        if name is None:
            return False
        if name in self._names:
            return True
        try:  # an address, unlike a name, cannot be made to point here
            address = ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return address.is_loopback or not self._loopback_only


def _without_port(host: str) -> str | None:
    """The name in `name` or `name:port`; None if it is neither."""
    name, sign, port = host.rpartition(":")
    if not sign or host.endswith("]"):
        return host or None
    return name if name and port.isdecimal() and len(port) <= 5 else None
