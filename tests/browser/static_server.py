# SPDX-License-Identifier: MIT
"""Serves a folder as `python -m http.server` does, for tests of the static edition."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

SITE = Path(__file__).parents[2] / "build" / "static"
needs_static = pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="needs `make static`")


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, *args: Any, server_state: StaticServer, **more: Any) -> None:
        self.state = server_state
        super().__init__(*args, **more)

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def log_request(self, code: Any = "-", size: Any = "-") -> None:
        self.state.requests.append(self.path.split("?")[0])

    def end_headers(self) -> None:
        if self.state.isolates:
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()

    def copyfile(self, source: Any, outputfile: Any) -> None:
        data = source.read()
        self.state.sent += len(data)
        outputfile.write(data)


class StaticServer:
    """A running server."""

    address: str

    def __init__(self) -> None:
        self.requests: list[str] = []  # paths
        self.sent = 0  # bytes of files
        self.isolates = False  # whether it sends the headers for shared memory


@contextmanager
def serve(folder: Path) -> Iterator[StaticServer]:
    state = StaticServer()
    handler = partial(_Handler, directory=str(folder), server_state=state)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        state.address = f"http://127.0.0.1:{server.server_address[1]}/"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()
