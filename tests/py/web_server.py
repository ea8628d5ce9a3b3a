# SPDX-License-Identifier: MIT
"""A real server of the page on a free port, and a plain client of its socket, for tests."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import uvicorn
from websockets.sync.client import ClientConnection, connect

from tengen.web.app import make_app
from tengen.web.bounds import Bounds
from tengen.web.serve import server_config

__all__ = ["Page", "Served", "served"]

PATIENCE = 60.0  # s that a test waits for a message before it fails


class Served:
    """A server that runs."""

    def __init__(self, port: int, token: str | None) -> None:
        self.port, self.token = port, token
        self.host = f"127.0.0.1:{port}"
        self.url = f"http://{self.host}/"

    def get(
        self, path: str, method: str = "GET", **headers: str
    ) -> tuple[int, str, dict[str, str]]:
        """Status, text and headers of an answer; header names in keyword style."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            link.putrequest(method, path, skip_host="Host" in named, skip_accept_encoding=True)
            for name, value in named.items():
                link.putheader(name, value)
            link.endheaders()
            answer = link.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, answer.read().decode("utf-8", "replace"), found
        finally:
            link.close()

    def page(self, session: str | None = None, token: str | None = None) -> Page:
        return Page(self, session, token or self.token)

    def socket(self, **options: Any) -> ClientConnection:
        """A bare connection: nothing was said yet."""
        options.setdefault("origin", f"http://{self.host}")
        found: ClientConnection = connect(f"ws://{self.host}/ws", open_timeout=PATIENCE, **options)
        return found


class Page:
    """A page without a browser."""

    def __init__(self, server: Served, session: str | None, token: str | None) -> None:
        self._socket = server.socket(max_size=8 << 20).__enter__()
        self.send(type="hello", session=session, token=token)
        self.welcome = self.wait("welcome")
        self.session: str = self.welcome["session"]
        self._id = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.__exit__(None, None, None)

    def send(self, **message: Any) -> None:
        self._socket.send(json.dumps(message))

    def send_raw(self, data: str | bytes) -> None:
        self._socket.send(data)

    def receive(self) -> dict[str, Any]:
        found = json.loads(self._socket.recv(timeout=PATIENCE))
        assert isinstance(found, dict)
        return found

    def wait(self, *kinds: str) -> dict[str, Any]:
        """The next message of one of these kinds; others are passed over, faults are not."""
        while True:
            message = self.receive()
            if message["type"] in kinds:
                return message
            assert message["type"] != "fault", message

    def ask(self, answer: str, **message: Any) -> dict[str, Any]:
        """Ask something, and wait for its answer, which may be a fault."""
        self._id += 1
        self.send(id=self._id, **message)
        while True:
            found = self.wait(answer, "fault")
            if found.get("id") == self._id:
                return found

    def game(self, **wanted: Any) -> dict[str, Any]:
        """The first state of the game in which all these hold."""
        while True:
            found = self.wait("game")
            if all(found[name] == value for name, value in wanted.items()):
                return found


@contextmanager
def served(
    data: Path | None = None,
    *,
    token: str | None = None,
    bounds: Bounds | None = None,
    port: int = 0,
) -> Iterator[Served]:
    """A server in a thread of this process, ended with the block."""
    wanted = bounds or Bounds(engines=1, memory=8)
    listening = socket.create_server(("127.0.0.1", port))
    server = uvicorn.Server(server_config(make_app(data, token=token, bounds=wanted), wanted))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield Served(listening.getsockname()[1], token)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()
