# SPDX-License-Identifier: MIT
"""The FastAPI app: the files of the page and the WebSocket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, WebSocket
from fastapi.responses import PlainTextResponse, Response
from starlette.types import ASGIApp

from tengen.web.connection import TRY_LATER, Connection
from tengen.web.engine_pool import EnginePool
from tengen.web.limits import ServerLimits, TokenBucket
from tengen.web.security import SecurityMiddleware
from tengen.web.server_state import ServerState
from tengen.web.store import Store

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}


def make_app(
    data: Path | None,
    *,
    token: str | None = None,
    hosts: Iterable[str] = (),
    loopback_only: bool = True,
    limits: ServerLimits | None = None,
    **engine: Any,
) -> ASGIApp:
    """The app behind its security middleware. `data`: database file (None: in memory); `token`:
    secret that pages must send; `engine`: options of the engines.
    """
    limits = limits or ServerLimits()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        state = ServerState(limits, EnginePool(limits, **engine), Store(data, limits), token)
        app.state.server = state
        yield
        await state.close()

    app = FastAPI(
        title="Tengen", lifespan=lifespan, openapi_url=None, docs_url=None, redoc_url=None
    )
    _add_files(app)

    @app.websocket("/ws")
    async def connect(socket: WebSocket) -> None:
        state: ServerState = app.state.server
        if state.connections >= limits.connections:
            await socket.close(TRY_LATER, "too many open pages")
            return
        state.connections += 1
        try:
            await socket.accept()
            await Connection(socket, state).run()
        finally:
            state.connections -= 1

    arrivals = TokenBucket(limits.connections_per_second, 2 * limits.connections_per_second)
    return SecurityMiddleware(app, hosts, loopback_only, arrivals)


def _add_files(app: FastAPI) -> None:
    """Serves the files of the page. They are listed once: no path leads outside the folder."""
    contents = {
        entry.name: entry.read_bytes()
        for entry in files("tengen.web").joinpath("static").iterdir()
        if entry.is_file() and Path(entry.name).suffix in _TYPES
    }

    @app.api_route("/{name:path}", methods=["GET", "HEAD"])
    def file(name: str) -> Response:
        name = name or "index.html"
        if name not in contents:
            return PlainTextResponse("not found\n", 404)
        kind = _TYPES[Path(name).suffix]
        return Response(contents[name], media_type=kind, headers={"cache-control": "no-cache"})
