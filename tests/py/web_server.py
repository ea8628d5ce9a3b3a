# SPDX-License-Identifier: MIT
"""A real server of the page on a free port, and a WebSocket client without a browser, for tests."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypeAlias

import uvicorn
from websockets.sync.client import ClientConnection, connect

from tengen.web.app import make_app
from tengen.web.limits import ServerLimits
from tengen.web.serve import server_config

Link: TypeAlias = socket.socket

TIMEOUT = 60.0  # s
SESSION_0_1_0 = "JLO9inwjrszaIDtARsmbdEGLQMS7Xo4_"  # in tests/golden/web-0.1.0.sql
SMALL = ServerLimits(engines=1, memory=8)


class RunningServer:
    """The address of a running server."""

    def __init__(self, port: int, token: str | None) -> None:
        self.port, self.token = port, token
        self.host = f"127.0.0.1:{port}"
        self.url = f"http://{self.host}/"

    def get(
        self, path: str, method: str = "GET", **headers: str
    ) -> tuple[int, str, dict[str, str]]:
        """Status, text and headers of a response; header names as keywords."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            link.putrequest(method, path, skip_host="Host" in named, skip_accept_encoding=True)
            for name, value in named.items():
                link.putheader(name, value)
            link.endheaders()
            response = link.getresponse()
            result = {name.lower(): value for name, value in response.getheaders()}
            return response.status, response.read().decode("utf-8", "replace"), result
        finally:
            link.close()

    def client(self, session: str | None = None, token: str | None = None) -> WebClient:
        return WebClient(self, session, token or self.token)

    def socket(self, **options: Any) -> ClientConnection:
        """A connection before `hello`."""
        options.setdefault("origin", f"http://{self.host}")
        result: ClientConnection = connect(f"ws://{self.host}/ws", open_timeout=TIMEOUT, **options)
        return result

    def half_open(self, data: bytes) -> Link:
        """A TCP connection that has sent some bytes."""
        link = socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT)
        link.sendall(data)
        return link


class WebClient:
    """A client of the WebSocket that speaks the page's protocol."""

    def __init__(self, server: RunningServer, session: str | None, token: str | None) -> None:
        self.socket = server.socket(max_size=16 << 20).__enter__()
        self.send(type="hello", session=session, token=token)
        self.welcome = self.wait("welcome")
        self.session: str = self.welcome["session"]
        self._id = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.__exit__(None, None, None)

    @property
    def raw(self) -> Link:
        link: Link = self.socket.socket
        return link

    def abort(self) -> None:
        """Ends the connection without the closing handshake."""
        with contextlib.suppress(OSError):
            self.raw.shutdown(socket.SHUT_RDWR)

    def send(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def send_raw(self, data: str | bytes) -> None:
        self.socket.send(data)

    def receive(self) -> dict[str, Any]:
        result = json.loads(self.socket.recv(timeout=TIMEOUT))
        assert isinstance(result, dict)
        return result

    def wait(self, *types: str) -> dict[str, Any]:
        """The next event of one of these types; others are skipped, except errors."""
        while True:
            message = self.receive()
            if message["type"] in types:
                return message
            assert message["type"] != "error", message

    def start(self, type: str, **message: Any) -> int:
        """Sends a request; returns its id."""
        self._id += 1
        self.send(type=type, id=self._id, **message)
        return self._id

    def last(self, id: int) -> dict[str, Any]:
        """The last event of that request, which may be an error. Skips other events."""
        while True:
            event = self.receive()
            if event.get("id") == id and is_last(event):
                return event

    def ends(self, *ids: int) -> dict[int, dict[str, Any]]:
        """The last events of these requests, in any order."""
        events: dict[int, dict[str, Any]] = {}
        while events.keys() != set(ids):
            event = self.receive()
            if event.get("id") in ids and is_last(event):
                events[event["id"]] = event
        return events

    def request(self, type: str, **message: Any) -> dict[str, Any]:
        """Sends a request and waits for its last event, which may be an error."""
        return self.last(self.start(type, **message))

    def stop(self, id: int) -> None:
        self.send(type="stop", id=id)


def is_last(event: dict[str, Any]) -> bool:
    """Whether no event of the request follows."""
    return event["type"] != "queued" and event.get("state") != "running"


def position(*moves: str, rule: str = "freestyle", size: int = 15, **more: Any) -> dict[str, Any]:
    return {"rule": rule, "size": size, "setup": None, "moves": list(moves)} | more


@contextmanager
def run_server(
    data: Path | None = None,
    *,
    token: str | None = None,
    limits: ServerLimits = SMALL,
    port: int = 0,
    **options: Any,
) -> Iterator[RunningServer]:
    """Runs a server in a thread of this process until the block ends. Its engines play with the
    classical evaluation, unless `options` say otherwise.
    """
    listening = socket.create_server(("127.0.0.1", port))
    app = make_app(data, token=token, limits=limits, **{"preset": "classical"} | options)
    server = uvicorn.Server(server_config(app, limits))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield RunningServer(listening.getsockname()[1], token)
    finally:
        server.should_exit = True
        thread.join(TIMEOUT)
        assert not thread.is_alive()


def database_0_1_0(folder: Path) -> Path:
    """A database that version 0.1.0 wrote: four games, a solved problem, a reviewed study."""
    path = folder / "games.sqlite"
    dump = Path(__file__).parents[1] / "golden" / "web-0.1.0.sql"
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript(dump.read_text(encoding="utf-8"))
    return path
