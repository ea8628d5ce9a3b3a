# SPDX-License-Identifier: MIT
"""The FastAPI app: the files of the page and the WebSocket."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, WebSocket
from fastapi.responses import FileResponse, PlainTextResponse, Response
from starlette.types import ASGIApp

from tengen.web.connection import TRY_LATER, Connection, ServerState
from tengen.web.convert import Converter
from tengen.web.engines import Engines
from tengen.web.limits import ServerLimits, accounts
from tengen.web.security import SecurityMiddleware
from tengen.web.store import Store, StoreThread

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".json": "application/json",
    ".wasm": "application/wasm",
    ".net": "application/octet-stream",
    ".tables": "application/octet-stream",
    ".guess": "application/octet-stream",
}
_ENGINE = "engine"  # folder of the engine as WebAssembly, if the page has it
_MANIFEST = f"{_ENGINE}/manifest.json"  # the page asks for it first


def make_app(
    data: Path | None,
    *,
    token: str | None = None,
    hosts: Iterable[str] = (),
    loopback_only: bool = True,
    limits: ServerLimits | None = None,
    static: Path = Path(__file__).parent / "static",
    **engine: Any,
) -> ASGIApp:
    """The app behind its security middleware. `data`: database file (None: in memory); `token`:
    secret that pages must send; `static`: folder of the page; `engine`: options of the engines.
    """
    limits = limits or ServerLimits()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        converter = Converter(limits)
        engines, store = Engines(limits, **engine), StoreThread(data, limits)
        sessions, addresses = accounts(limits), accounts(limits, limits.address_factor)
        app.state.server = ServerState(
            limits, engines, store, converter, sessions, addresses, token
        )
        retries = asyncio.create_task(_retry(store, limits.retry_time))
        yield
        retries.cancel()
        converter.close()
        await engines.close()
        await asyncio.gather(retries, return_exceptions=True)
        await store.close()

    app = FastAPI(
        title="Tengen", lifespan=lifespan, openapi_url=None, docs_url=None, redoc_url=None
    )
    _add_files(app, static)

    @app.websocket("/ws")
    async def connect(socket: WebSocket) -> None:
        state: ServerState = app.state.server
        address = socket.client.host if socket.client else "localhost"
        if not state.has_room(address):
            await socket.close(TRY_LATER, "too many open pages")
            return
        state.connections[address] = state.connections.get(address, 0) + 1
        try:
            await socket.accept()
            await Connection(socket, state, address).run()
        finally:
            state.connections[address] -= 1
            if not state.connections[address]:
                del state.connections[address]

    return SecurityMiddleware(app, hosts, loopback_only, limits)


async def _retry(store: StoreThread, interval: float) -> None:
    """Writes what a fault of the database kept in memory, as soon as it works again."""
    while True:
        await asyncio.sleep(interval)
        await store.call(Store.retry)


# --- files ---


def _add_files(app: FastAPI, static: Path) -> None:
    """Serves the files of the page. They are listed once: no path leads outside the folder. The
    large ones, of the engine, stay on disk.
    """
    contents = {path.name: path.read_bytes() for path in static.iterdir() if _is_served(path)}
    large = {
        path.relative_to(static).as_posix(): path
        for path in (static / _ENGINE).rglob("*")
        if _is_served(path)
    }
    if _MANIFEST not in large:
        contents[_MANIFEST] = b"null\n"  # a 404 would be an error in the browser's console
    tags = {name: f'"{hashlib.sha256(data).hexdigest()[:32]}"' for name, data in contents.items()}

    @app.api_route("/{name:path}", methods=["GET", "HEAD"])
    async def file(request: Request, name: str) -> Response:
        name = name or "index.html"
        headers = {"cache-control": "no-cache"}
        known = request.headers.get("if-none-match")
        if name in contents:
            headers["etag"] = tags[name]
            if known == tags[name]:
                return Response(status_code=304, headers=headers)
            return Response(contents[name], media_type=_type(name), headers=headers)
        if name in large:
            return await _from_disk(large[name], request, headers)
        return PlainTextResponse("not found\n", 404)


def _is_served(path: Path) -> bool:
    return path.is_file() and path.suffix in _TYPES


def _type(name: str) -> str:
    return _TYPES[Path(name).suffix]


async def _from_disk(path: Path, request: Request, headers: dict[str, str]) -> Response:
    try:
        found = await asyncio.to_thread(path.stat)
    except OSError:
        return PlainTextResponse("not found\n", 404)
    headers["etag"] = f'"{found.st_mtime_ns:x}-{found.st_size:x}"'
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    # No ranges: a hundred of them, in one request, cost a hundred reads.
    request.scope["headers"] = [pair for pair in request.scope["headers"] if pair[0] != b"range"]
    headers["accept-ranges"] = "none"
    return FileResponse(path, headers=headers, media_type=_type(path.name), stat_result=found)
