# SPDX-License-Identifier: MIT
"""Starting the server: the address, the token, the browser. Relies on the app; `tengen play`
relies on it.
"""

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

from tengen.web.app import make_app
from tengen.web.bounds import Bounds
from tengen.web.data_folder import data_folder
from tengen.web.errors import BadAddress
from tengen.web.guard import App, is_loopback

__all__ = ["DEFAULT_PORT", "Address", "serve", "server_config"]

DEFAULT_PORT = 8361
_TRIED = 20  # ports after the usual one, if it is taken
_FILE = "games.sqlite"
_SHORTEST_TOKEN = 8


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen. `port` None: the usual one, or one of the next if that is taken; 0: any."""

    host: str = "127.0.0.1"
    port: int | None = None
    token: str | None = None  # None: none on this machine's own addresses, else one is made

    def checked(self) -> Address:
        """With the token that is needed. Raises BadAddress."""
        if self.token is not None and len(self.token) < _SHORTEST_TOKEN:
            raise BadAddress(f"the token is too short: use {_SHORTEST_TOKEN} letters or more")
        if self.token is None and not is_loopback(self.host):
            return replace(self, token=secrets.token_urlsafe(16))
        return self


def serve(
    address: Address | None = None,
    *,
    browser: bool = True,
    data: Path | None = None,
    bounds: Bounds | None = None,
    new_game: Mapping[str, object] | None = None,
    **engine: Any,
) -> None:
    """Serve the page until Ctrl-C. `data` is the folder for what is kept (None: the user's).

    `new_game` are settings that the page's form for a new game starts with: `level`, `rule`,
    `size`, `you`, `seconds`.
    """
    where = (address or Address()).checked()
    listening = _listen(where)
    url = _url(where, listening.getsockname()[1], new_game or {})
    folder = data or data_folder()
    wanted = bounds or Bounds()
    app = make_app(
        None if folder is None else folder / _FILE,
        token=where.token,
        hosts=[] if where.host in ("0.0.0.0", "::") else [where.host],
        loopback_only=is_loopback(where.host),
        bounds=wanted,
        **engine,
    )
    # That a page went away while it was written to is no news.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    print(f"Tengen is at {url}   (Ctrl-C ends it)", flush=True)
    if where.token is not None and not is_loopback(where.host):
        print("Whoever has this address with its token can use it.", flush=True)
    server = uvicorn.Server(server_config(app, wanted))
    if browser:
        threading.Timer(0.3, _open, (url,)).start()
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listening])


def server_config(app: App, bounds: Bounds) -> uvicorn.Config:
    """How the app is served: sizes, pings and times within the bounds."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        ws="websockets-sansio",
        ws_max_size=bounds.message_size,
        ws_max_queue=8,
        ws_ping_interval=20,
        ws_ping_timeout=20,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=2,
        timeout_keep_alive=10,
        h11_max_incomplete_event_size=16 << 10,
        limit_concurrency=4 * bounds.connections,
    )


def _listen(where: Address) -> socket.socket:
    """A socket that listens. Raises BadAddress."""
    tried = [where.port] if where.port is not None else range(DEFAULT_PORT, DEFAULT_PORT + _TRIED)
    fault: OSError | None = None
    for port in tried:
        try:
            family, *_, address = socket.getaddrinfo(
                where.host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            listening = socket.socket(family, socket.SOCK_STREAM)
            if sys.platform != "win32":
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            return listening
        except (OSError, OverflowError) as error:
            fault = error if isinstance(error, OSError) else OSError(str(error))
    told = fault.strerror or str(fault) if fault else "no port is free"
    last = f"{where.host}:{where.port if where.port is not None else DEFAULT_PORT}"
    raise BadAddress(f"cannot listen at {last}: {told}; choose another --port or --host")


def _url(where: Address, port: int, new_game: Mapping[str, object]) -> str:
    """The address for a browser. Settings and token are in the fragment, which is never sent."""
    host = "127.0.0.1" if where.host in ("0.0.0.0", "::") else where.host
    named = f"[{host}]" if ":" in host else host
    fields = {**new_game, "token": where.token}
    fragment = "&".join(f"{name}={value}" for name, value in fields.items() if value is not None)
    return f"http://{named}:{port}/" + (f"#{fragment}" if fragment else "")


def _open(url: str) -> None:
    with contextlib.suppress(Exception):  # no browser is no reason to stop
        webbrowser.open(url)
