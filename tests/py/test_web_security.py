# SPDX-License-Identifier: MIT
"""Hostile pages and broken clients: every request is rejected, and the server stays alive."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator

import pytest
from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus

from tengen.web.limits import ServerLimits
from tengen.web.serve import Address, BadAddress
from web_server import RunningServer, WebClient, run_server

SMALL = ServerLimits(
    engines=1, memory=8, hello_time=0.3, invalid_messages=5, connections=6, message_size=20_000
)


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with run_server(limits=SMALL) as running:
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
    assert "unsafe" not in policy
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


def test_garbage_is_an_error_and_closes_the_connection(server: RunningServer) -> None:
    with server.client() as client:
        client.wait("no_game")
        for data in ("}{", "[]", '{"type": "nothing"}', b"\x00\x01", '{"type": "play"}'):
            client.send_raw(data)
            assert client.wait("error")["code"] == "message"
        client.send_raw("[" * 9_000)
        with pytest.raises(ConnectionClosed):
            _drain(client)


def _drain(client: WebClient) -> None:
    for _ in range(10):
        client.receive()


@pytest.mark.parametrize(
    "message",
    [
        {"type": "play", "move": "h8", "more": 1},
        {"type": "play", "move": 5},
        {"type": "new_game", "rule": "chess", "size": 15, "you": "black"},
        {"type": "new_game", "rule": "renju", "size": 4000, "you": "black"},
        {"type": "analyse", "id": 1, "position": {}, "seconds": 1e9},
        {"type": "analyse", "id": 1, "position": {}, "lines": 10_000},
        {"type": "view", "id": 1, "position": {"moves": ["h8"] * 1000}},
        {"type": "view", "id": -1, "position": {}},
    ],
)
def test_values_out_of_bounds(server: RunningServer, message: dict[str, object]) -> None:
    with server.client() as client:
        client.wait("no_game")
        client.send_raw(json.dumps(message))
        assert client.wait("error")["text"]


def test_an_invalid_request_is_answered_with_its_id(server: RunningServer) -> None:
    with server.client() as client:
        client.wait("no_game")
        client.send_raw(json.dumps({"type": "view", "id": 7, "position": {"size": 99}}))
        assert client.wait("error")["id"] == 7
        client.send_raw(json.dumps({"type": "view", "id": "7", "position": {}}))
        assert client.wait("error")["id"] is None


def test_oversized_messages_end_the_connection(server: RunningServer) -> None:
    with server.client() as client:
        client.wait("no_game")
        client.send_raw(json.dumps({"type": "load_record", "id": 1, "text": "h8 " * 20_000}))
        with pytest.raises(ConnectionClosed):
            client.receive()


def test_hello_comes_first_and_in_time(server: RunningServer) -> None:
    with server.socket() as silent, pytest.raises(ConnectionClosed) as closed:
        silent.recv(timeout=10)
    assert closed.value.rcvd is not None
    assert "hello" in closed.value.rcvd.reason
    with server.socket() as rude:
        rude.send('{"type": "resign"}')
        with pytest.raises(ConnectionClosed):
            rude.recv(timeout=10)


def test_connections_are_bounded(server: RunningServer) -> None:
    pages = [server.client() for _ in range(SMALL.connections)]
    with pytest.raises(InvalidStatus), server.socket():
        pass
    for client in pages:
        client.__exit__()
    for _ in range(100):  # the server notices the end of each in its own time
        try:
            with server.client():
                return
        except (InvalidStatus, ConnectionClosed):
            time.sleep(0.05)
    pytest.fail("no page can be opened any more")


def test_an_incomplete_request_is_harmless(server: RunningServer) -> None:
    held = []
    for head in (b"GET / HTTP/1.1\r\nHost: 127", b"\x16\x03\x01", b"GET /ws HTTP/1.1\r\nUpgrade"):
        link = socket.create_connection(("127.0.0.1", server.port))
        link.sendall(head)
        held.append(link)
    assert server.get("/")[0] == 200
    for link in held:
        link.close()


@pytest.mark.integration
def test_a_flood_delays_only_its_connection(server: RunningServer) -> None:
    with server.client() as flooder, server.client() as polite:
        for _ in range(400):
            flooder.send(type="view", id=1, position={})
        polite.send(type="new_game", rule="renju", size=15, you="white", level=1)
        assert polite.game(your_turn=True)["moves"]


def test_too_many_requests_are_rejected(server: RunningServer) -> None:
    with server.client() as client:
        for id in range(1, 12):
            client.send(type="analyse", id=id, position={}, seconds=5)
        while True:
            event = client.receive()
            if event["type"] == "error":
                break
        assert event["code"] == "busy"


def test_a_configured_token_is_required() -> None:
    with run_server(token="open-sesame", limits=SMALL) as guarded:
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
