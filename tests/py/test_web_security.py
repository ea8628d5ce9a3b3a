# SPDX-License-Identifier: MIT
"""Hosts, origins, paths, tokens and addresses: what is foreign is rejected."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus

from tengen.web import connection, serve
from tengen.web.limits import ServerLimits
from tengen.web.security import SecurityMiddleware
from tengen.web.serve import Address, BadAddress
from web_server import RunningServer, run_server


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with run_server() as running:
        yield running


@pytest.fixture(autouse=True)
def _still_alive(server: RunningServer) -> Iterator[None]:
    yield
    assert server.get("/")[0] == 200


def test_the_page_has_a_strict_policy(server: RunningServer) -> None:
    status, text, headers = server.get("/")
    assert status == 200
    assert "<title>Tengen</title>" in text
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy.replace("'wasm-unsafe-eval'", "")
    assert "worker-src 'self'" in policy
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-embedder-policy"] == "require-corp"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "a:b:c", "10.0.0.1"]
)
def test_foreign_hosts(server: RunningServer, host: str) -> None:
    status, text, _ = server.get("/", Host=host)
    assert status in (400, 421)
    if status == 421:
        assert "Host" in text


@pytest.mark.parametrize("host", ["localhost:1", "127.0.0.1", "[::1]:9", "LOCALHOST"])
def test_hosts_of_this_machine(server: RunningServer, host: str) -> None:
    assert server.get("/", Host=host)[0] == 200


def test_foreign_origins(server: RunningServer) -> None:
    assert server.get("/", Origin="http://evil.example")[0] == 403
    for origin in ("http://evil.example", "null", f"http://{server.host}.evil.example", None):
        with pytest.raises(InvalidStatus), server.socket(origin=origin):
            pass
    named = {"Host": "evil.example"}
    with pytest.raises((InvalidStatus, InvalidMessage)), server.socket(additional_headers=named):
        pass


def test_one_address_keeps_no_other_out() -> None:
    reached: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        reached.append(scope["client"][0])

    async def nothing(*_: Any) -> Any:
        return {}

    async def connect(guard: SecurityMiddleware, address: str) -> None:
        headers = [(b"host", b"10.0.0.9"), (b"origin", b"http://10.0.0.9")]
        scope = {"type": "websocket", "path": "/ws", "client": (address, 1), "headers": headers}
        await guard(scope, nothing, nothing)

    async def arrive() -> None:
        guard = SecurityMiddleware(app, [], False, ServerLimits())
        for address in ["10.0.0.1"] * 200 + ["10.0.0.2", "::1"]:
            await connect(guard, address)

    asyncio.run(arrive())
    assert reached[-2:] == ["10.0.0.2", "::1"]
    assert reached.count("10.0.0.1") < 20


def test_a_session_never_shares_the_account_of_an_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "is_loopback", lambda host: False)
    with run_server() as server, server.client() as first:
        for name in ("address 127.0.0.1", "127.0.0.1"):
            with server.client(name) as client:
                assert client.session != name
        with server.client(first.session) as again:
            assert again.session == first.session


@pytest.mark.parametrize(
    "path",
    [
        "/../app.py",
        "/..%2f..%2fapp.py",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/static/../../app.py",
        "/app.js/..",
        "/data/problems.json",
        "/engine/../app.py",
        "/openapi.json",
        "/docs",
        "/" + "a" * 5000,
    ],
)
def test_no_path_leads_outside(server: RunningServer, path: str) -> None:
    assert server.get(path)[0] in (404, 414)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_only_get_and_head(server: RunningServer, method: str) -> None:
    assert server.get("/", method)[0] == 405


def test_a_configured_token_is_required() -> None:
    with run_server(token="open-sesame") as guarded:
        for token in (None, "", "open-sesam", "x" * 150):
            with guarded.socket() as link:
                link.send(json.dumps({"type": "hello", "token": token}))
                with pytest.raises(ConnectionClosed) as closed:
                    link.recv(timeout=10)
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == 4401
        with guarded.client() as client:
            assert client.session


def test_other_addresses_get_a_token() -> None:
    assert Address("127.0.0.1").checked().token is None
    assert Address("localhost").checked().token is None
    made = Address("0.0.0.0").checked().token
    assert made is not None
    assert len(made) >= 16
    assert Address("::").checked().token != Address("::").checked().token
    with pytest.raises(BadAddress, match="too short"):
        Address("0.0.0.0", token="abc").checked()


def test_ports_and_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BadAddress, match=str(port)):
            serve._listen(Address(port=port))
        monkeypatch.setattr(serve, "_DEFAULT_PORT", port)
        with serve._listen(Address()) as listening:
            assert listening.getsockname()[1] > port
    with pytest.raises(BadAddress, match="99999"):
        Address(port=99999).checked()
    assert serve._url(Address("::", token="secret-token"), 80, {}) == (
        "http://127.0.0.1:80/#token=secret-token"
    )
    url = serve._url(Address("::1"), 80, {"level": 5, "rule": None, "you": "white"})
    assert url == "http://[::1]:80/#level=5&you=white"


def test_serve_prints_the_address_and_opens_a_browser(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    started: list[Any] = []

    class Timer:
        def __init__(self, delay: float, function: Any, args: tuple[str]) -> None:
            started.append(args[0])

        def start(self) -> None: ...

    monkeypatch.setattr("threading.Timer", Timer)
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: sockets[0].close())
    serve.serve(Address("0.0.0.0", 0), data=tmp_path, new_game={"level": 5})
    printed = capsys.readouterr().out
    assert started[0] in printed
    assert "#level=5&token=" in printed
