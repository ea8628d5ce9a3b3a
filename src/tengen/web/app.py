# SPDX-License-Identifier: MIT
"""The FastAPI app: the files of the page, and the socket. Relies on the house; `serve` and the
tests rely on it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, WebSocket
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from tengen._version import version
from tengen.web.bounds import Bounds
from tengen.web.connection import Connection
from tengen.web.guard import App, Guard
from tengen.web.pool import Pool
from tengen.web.rates import Bucket
from tengen.web.session import House
from tengen.web.store import Store

__all__ = ["make_app"]

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
_TRY_LATER = 1013


def make_app(
    data: Path | None,
    *,
    token: str | None = None,
    hosts: Iterable[str] = (),
    loopback_only: bool = True,
    bounds: Bounds | None = None,
    **engine: Any,
) -> App:
    """The app, with its guard. `data` is the file for what is kept (None: in memory), `token` what
    a page must know, `engine` options of the engines.
    """
    wanted = bounds or Bounds()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        house = House(wanted, Pool(wanted, **engine), Store(data, wanted), token)
        app.state.house = house
        yield
        await house.close()

    app = FastAPI(
        title="Tengen", lifespan=lifespan, openapi_url=None, docs_url=None, redoc_url=None
    )
    _add_files(app)
    _add_socket(app, wanted)
    arrivals = Bucket(wanted.connections_a_second, 2 * wanted.connections_a_second)
    return Guard(app, hosts, loopback_only, arrivals)


def _add_files(app: FastAPI) -> None:
    """The page. Its files are listed once, so that no path leads anywhere else."""
    found = _static_files()

    @app.get("/health")
    def health() -> JSONResponse:
        return JSONResponse({"tengen": version()})

    @app.api_route("/{name:path}", methods=["GET", "HEAD"])
    def file(name: str) -> Response:
        content = found.get(name or "index.html")
        if content is None:
            return PlainTextResponse("there is nothing here\n", 404)
        kind = _TYPES[Path(name or "index.html").suffix]
        return Response(content, media_type=kind, headers={"cache-control": "no-cache"})


def _static_files() -> dict[str, bytes]:
    folder = files("tengen.web").joinpath("static")
    return {
        entry.name: entry.read_bytes()
        for entry in folder.iterdir()
        if entry.is_file() and Path(entry.name).suffix in _TYPES
    }


def _add_socket(app: FastAPI, bounds: Bounds) -> None:
    @app.websocket("/ws")
    async def connect(socket: WebSocket) -> None:
        house: House = app.state.house
        if house.pages >= bounds.connections:
            await socket.close(_TRY_LATER, "too many pages are open")
            return
        house.pages += 1
        try:
            await socket.accept()
            await Connection(socket, house).run()
        finally:
            house.pages -= 1
