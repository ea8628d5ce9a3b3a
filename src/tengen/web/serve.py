# SPDX-License-Identifier: MIT
"""Starts the server: address, token, browser."""

from __future__ import annotations

import contextlib
import logging
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from tengen.game.errors import TengenError
from tengen.web.app import make_app
from tengen.web.limits import ServerLimits
from tengen.web.security import is_loopback
from tengen.web.sockets import protocols
from tengen.web.store import data_folder

_DEFAULT_PORT = 8361
_PORTS = 20  # tried from the default port on
_FILE = "games.sqlite"
_MIN_TOKEN = 8
_OTHER_FILES = 256  # that are open beside the connections
_BACKLOG = 32  # new connections that wait, and that the event loop accepts at a time


class BadAddress(TengenError, ValueError):
    """An address or a token that no server can start with."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen. `port` None: the default port, or the next free one; 0: any."""

    host: str = "127.0.0.1"
    port: int | None = None
    token: str | None = None  # None: not needed on loopback addresses, else generated

    def checked(self) -> Address:
        """Adds a token where one is needed. Raises BadAddress."""
        if self.port is not None and not 0 <= self.port <= 65535:
            raise BadAddress(f"port {self.port} is out of range: use 0 to 65535")
        if self.token is not None and len(self.token) < _MIN_TOKEN:
            raise BadAddress(f"the token is too short: use {_MIN_TOKEN} characters or more")
        if self.token is None and not is_loopback(self.host):
            return replace(self, token=secrets.token_urlsafe(16))
        return self


def serve(
    address: Address | None = None,
    *,
    browser: bool = True,
    data: Path | None = None,
    limits: ServerLimits | None = None,
    new_game: Mapping[str, object] | None = None,
    **engine: Any,
) -> None:
    """Serves the page until Ctrl-C. `data` is the folder of the database (None: the user's),
    `new_game` the initial settings of the page's form for a new game: `level`, `rule`, `size`,
    `you`, `seconds`.
    """
    where = (address or Address()).checked()
    listening = _listen(where)
    url = _url(where, listening.getsockname()[1], new_game or {})
    folder = data or data_folder()
    limits = limits or ServerLimits()
    app = make_app(
        None if folder is None else folder / _FILE,
        token=where.token,
        hosts=[] if where.host in ("0.0.0.0", "::") else [where.host],
        loopback_only=is_loopback(where.host),
        limits=limits,
        **engine,
    )
    # Silences warnings about pages that disconnect while the server writes to them.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    print(f"Tengen is running at {url}   (Ctrl-C to quit)", flush=True)
    if where.token is not None and not is_loopback(where.host):
        print("Anyone who has this address with its token can use the server.", flush=True)
    _allow_files(limits.sockets + _OTHER_FILES)
    server = uvicorn.Server(server_config(app, limits))
    if browser:
        threading.Timer(0.3, webbrowser.open, (url,)).start()
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listening])


def server_config(app: ASGIApp, limits: ServerLimits) -> uvicorn.Config:
    """How the app is served: sizes, pings and times within the limits. What a client sends wrongly
    is not logged.
    """
    http, sockets = protocols(limits)
    logging.getLogger("uvicorn.error").addFilter(_is_own_fault)
    return uvicorn.Config(
        app,
        http=http,
        backlog=_BACKLOG,
        log_level="error",
        access_log=False,
        server_header=False,
        date_header=False,
        ws=sockets,
        ws_max_size=limits.message_size,
        ws_max_queue=8,
        ws_ping_interval=20,
        ws_ping_timeout=20,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=2,
        timeout_keep_alive=max(1, round(limits.header_time)),
        h11_max_incomplete_event_size=16 << 10,
    )


def _is_own_fault(record: logging.LogRecord) -> bool:
    """Filters out the traceback of uvicorn about bytes of a client that are no UTF-8."""
    return "Invalid UTF-8" not in record.getMessage()


def _allow_files(count: int) -> None:
    """Raises the number of open files that the system allows, as far as it can be."""
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < count:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, hard), hard))


def _listen(where: Address) -> socket.socket:
    """Binds a socket. Raises BadAddress."""
    ports = [where.port] if where.port is not None else range(_DEFAULT_PORT, _DEFAULT_PORT + _PORTS)
    failure = OSError("no port is free")
    for port in ports:
        try:
            family, *_, address = socket.getaddrinfo(
                where.host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            dual = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
            return socket.create_server(address, family=family, dualstack_ipv6=dual)
        except OSError as error:
            failure = error
    tried = f"{where.host}:{ports[0]}"
    reason = failure.strerror or str(failure)
    raise BadAddress(f"cannot listen on {tried}: {reason}; choose another --port or --host")


def _url(where: Address, port: int, new_game: Mapping[str, object]) -> str:
    """The address for a browser. Settings and token are in the fragment, which is never sent."""
    host = "127.0.0.1" if where.host in ("0.0.0.0", "::") else where.host
    named = f"[{host}]" if ":" in host else host
    fields = {**new_game, "token": where.token}
    fragment = "&".join(f"{name}={value}" for name, value in fields.items() if value is not None)
    return f"http://{named}:{port}/" + (f"#{fragment}" if fragment else "")
