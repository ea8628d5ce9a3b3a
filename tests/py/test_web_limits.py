# SPDX-License-Identifier: MIT
"""Floods, hostile frames and half-sent requests: they delay or end only their own connection."""

from __future__ import annotations

import contextlib
import json
import logging
import struct
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tengen.web import messages
from tengen.web.convert import ConversionError, Converter
from tengen.web.limits import ServerLimits
from tengen.web.messages import (
    EngineRequest,
    HelloRequest,
    InvalidMessage,
    SaveStudyRequest,
    parse,
)
from web_server import RunningServer, WebClient, position, run_server

LIMITS = ServerLimits(
    engines=1,
    memory=8,
    hello_time=0.4,
    header_time=0.5,
    flood_time=1.0,
    invalid_messages=5,
    connections=6,
    sockets=16,
    message_size=300_000,
    study_size=100,
)
LONG = position(*(f"{column}{row}" for row in range(1, 9) for column in "abcdefghijklmno"))


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with run_server(limits=LIMITS) as running:
        yield running


@pytest.fixture(autouse=True)
def _still_alive(server: RunningServer, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """The server still serves, and has logged no traceback."""
    yield
    assert server.get("/")[0] == 200
    assert [entry for entry in caplog.records if entry.levelno >= logging.ERROR] == []


@pytest.fixture
def client(server: RunningServer) -> Iterator[WebClient]:
    with server.client() as made:
        yield made


def _closed(client: WebClient) -> int:
    """The code with which the server closes a connection."""
    try:
        while True:
            client.receive()
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else 1006


# --- messages ---


def test_garbage_is_an_error_and_closes_the_connection(client: WebClient) -> None:
    for data in ("}{", "[]", '{"type": "nothing"}', b"\x00\x01", '{"type": "stop"}'):
        client.send_raw(data)
        assert client.wait("error")["code"] == "message"
    client.send_raw("[" * 9_000)
    assert _closed(client) == 1008


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "view"}',
        '{"type": "view", "id": "7"}',
        '{"type": "view", "id": 7.0}',
        '{"type": "view", "id": true}',
        '{"type": "view", "id": -1}',
        '{"type": "view", "id": 2147483648}',
        '{"type": ["view"], "id": 1}',
        '{"type": "stop", "id": 1, "more": 1}',
        '{"type": "save_game", "id": 1, "game": "", "state": ""}',
        '{"type": "save_game", "id": 1, "game": "g", "state": 1}',
        '{"type": "save_study", "id": 1, "text": "\\ud800"}',
        '{"type": "hello", "token": 5}',
        "1" * 5000,
        "nan",
        "",
    ],
)
def test_invalid_messages(text: str) -> None:
    with pytest.raises(InvalidMessage):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "save_study", "id": 1, "text": "", "x": [' + "[]," * 30_000 + "[]]}",
        '{"type": "save_study", ' + '"id": 1, ' * 10_000 + '"text": ""}',
        '{"type": "save_study", "id": 1 "text": "' + "x" * 70_000 + '"}',
        '{"type": "save_study", "id": 1, "text": "' + "x" * 70_000 + '"',
        '{"type": "save_study", "id": 1, "text": "' + "x" * 70_000 + '"}}',
        '{"type": "save_study"' + " " * 70_000,
        "{" + ", ".join(f'"{number}": 1' for number in range(5_000)) + "}",
    ],
    ids=["brackets", "members", "no comma", "no end", "more", "spaces", "unknown members"],
)
def test_long_messages_are_not_read_to_their_end(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a message costs is bounded before objects are made of it."""
    if len(text) > 64 << 10:
        monkeypatch.setattr(messages, "json", None)
    else:
        monkeypatch.setattr(messages, "_SERVER_REQUEST", None)
    with pytest.raises(InvalidMessage):
        parse(text)


def test_long_messages_in_other_spellings() -> None:
    request = parse('  {"type":"save_study" , "id" : 7,"text" : "\\"é' + "x" * 70_000 + '" } \n')
    assert isinstance(request, SaveStudyRequest)
    assert (request.id, request.text[:3]) == (7, '"éx')


def test_valid_messages() -> None:
    text = '{"type": "move", "id": 3, "level": 2, "position": {}}'
    assert parse(text) == EngineRequest("move", 3, 2, text)
    text = '{"type": "move", "id": 3, "level": "2"}'  # for the core to reject
    assert parse(text) == EngineRequest("move", 3, None, text)
    assert isinstance(parse('{"type": "hello"}'), HelloRequest)


def test_an_invalid_request_is_answered_with_its_id(client: WebClient) -> None:
    client.send(type="save_solved", id=7, problem=5)
    assert client.wait("error")["id"] == 7
    client.send(type="view", id="7", position={})
    assert client.wait("error")["id"] is None


def test_long_requests(client: WebClient) -> None:
    error = client.request("view", position=position(), more="x" * 70_000)
    assert error["code"] == "message"
    error = client.request("save_study", text="x" * 101)
    assert error["code"] == "size"
    text = '"é\n' + "x" * 70_000
    assert client.request("save_study", text=text)["code"] == "size"  # it was read
    assert client.request("save_study", text=[text])["code"] == "message"
    client.send_raw(json.dumps({"type": "convert_record", "id": 1, "text": "x" * 300_000}))
    assert _closed(client) == 1009


def test_hello_comes_first_and_in_time(server: RunningServer) -> None:
    with server.socket() as silent, pytest.raises(ConnectionClosed) as closed:
        silent.recv(timeout=10)
    assert closed.value.rcvd is not None
    assert "hello" in closed.value.rcvd.reason
    for text in ('{"type": "stop", "id": 1}', "}{", '{"type": "view", "id": 1}'):
        with server.socket() as rude:
            rude.send(text)
            with pytest.raises(ConnectionClosed):
                rude.recv(timeout=10)


# --- frames ---


def _frame(opcode: int, data: bytes, is_last: bool = True) -> bytes:
    """A frame of a client, with an empty mask."""
    length = bytes([0x80 | len(data)]) if len(data) < 126 else struct.pack("!BH", 0xFE, len(data))
    return bytes([opcode | (0x80 if is_last else 0)]) + length + bytes(4) + data


def test_bad_utf_8_closes_the_connection_with_its_code(server: RunningServer) -> None:
    for data in (b"\xff\xfe", b'{"type": "\xc3"}', b"\xed\xa0\x80"):
        with server.client() as client:
            client.raw.sendall(_frame(1, data))
            assert _closed(client) == 1007
    with server.client() as client:  # in two parts
        client.raw.sendall(_frame(1, b'{"\xc3', False) + _frame(0, b"\x28"))
        assert _closed(client) == 1007


@pytest.mark.parametrize(
    "data",
    [
        b"\xff" * 64,  # reserved bits and opcode
        b"\x81\x05hello",  # no mask
        _frame(0, b"no start"),
        _frame(9, b"x" * 126),  # a ping that is too long
        _frame(8, b"\x00"),  # half a close code
        b"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff",  # 2^64 bytes
    ],
)
def test_invalid_frames(server: RunningServer, data: bytes) -> None:
    with server.client() as client:
        client.raw.sendall(data)
        assert _closed(client) in (1002, 1006, 1009)


def test_the_fragments_of_a_message_are_limited(server: RunningServer) -> None:
    """Empty ones too, sent slowly enough for every budget."""
    with server.client() as client:
        for count in (LIMITS.fragments, LIMITS.fragments + 1):
            parts = [
                _frame(1, b"[]", False),
                *[_frame(0, b"", False)] * (count - 2),
                _frame(0, b""),
            ]
            with contextlib.suppress(OSError):
                for part in parts:
                    client.raw.sendall(part)
                    time.sleep(0.002)
            if count == LIMITS.fragments:
                assert client.receive()["code"] == "message"
        with pytest.raises(ConnectionClosed):
            client.receive()


@pytest.mark.parametrize(
    ("start", "frame"),
    [
        (b"", _frame(9, b"")),
        (b"", _frame(10, b"")),
        (b"", _frame(1, b"{}")),
        (_frame(1, b"", False), _frame(0, b"", False)),
    ],
    ids=["ping", "pong", "text", "continuation"],
)
def test_a_flood_of_tiny_frames_delays_only_its_connection(
    server: RunningServer, client: WebClient, start: bytes, frame: bytes
) -> None:
    with server.client() as rude:
        rude.raw.settimeout(0.5)  # the server stops reading
        with contextlib.suppress(OSError):
            rude.raw.sendall(start + frame * 400_000)
        for _ in range(5):
            assert client.request("view", position=position())["type"] == "views"
        assert _closed(rude) in (1006, 1008)


# --- half-sent requests ---


def test_half_sent_requests_end_in_time(server: RunningServer) -> None:
    parts = (
        b"",
        b"GET / HTTP/1.1\r\nHost: 127",
        b"\x16\x03\x01",
        b"GET /ws HTTP/1.1\r\nUpgrade",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nhalf",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET / HT",  # the second one
    )
    links = [server.half_open(part) for part in parts]
    for part, link in zip(parts, links, strict=True):
        with link, contextlib.suppress(ConnectionResetError):
            while link.recv(1 << 16):  # until the server closes it
                pass
        assert link.fileno() == -1, part


def test_many_half_sent_requests_keep_nobody_out(server: RunningServer) -> None:
    links = [server.half_open(b"GET / HTTP/1.1\r\nHost: ") for _ in range(100)]
    with server.client() as client:
        assert client.request("view", position=position())["type"] == "views"
    assert server.get("/")[0] == 200
    for link in links:
        link.close()


def test_a_request_that_trickles_in(server: RunningServer) -> None:
    link = server.half_open(b"GET / HTTP/1.1\r\n")
    with pytest.raises(OSError), link:  # noqa: PT012
        for _ in range(100):
            link.sendall(b"X: y\r\n")
            time.sleep(0.05)


def test_invalid_http(server: RunningServer) -> None:
    for data in (b"\x00" * 5000, b"GET\r\n\r\n", b"A" * 40_000, b"GET / HTTP/1.1\r\n: x\r\n\r\n"):
        with server.half_open(data) as link, contextlib.suppress(ConnectionResetError):
            assert b" 200 " not in link.recv(1 << 16)


# --- connections ---


def test_connections_are_bounded() -> None:
    with run_server(limits=LIMITS) as server:
        pages = [server.client() for _ in range(LIMITS.connections)]
        with pytest.raises(InvalidStatus), server.socket():
            pass
        for client in pages:
            client.__exit__()
        for _ in range(100):  # the server notices the end of each in its own time
            with contextlib.suppress(InvalidStatus, ConnectionClosed), server.client():
                return
            time.sleep(0.05)
    pytest.fail("no page can be opened any more")


# --- budgets ---

SPARSE = ServerLimits(engines=1, memory=8, cpu_rate=1e-6, cpu_start=0.01, cpu_burst=0.01)


def test_who_is_in_debt_waits_and_others_do_not() -> None:
    with run_server(limits=SPARSE) as server, server.client() as rude, server.client() as polite:
        for id in range(200):
            rude.send(type="view", id=id, position=LONG, whole_line=True)
        answered = 0
        with contextlib.suppress(TimeoutError):
            while True:
                rude.socket.recv(timeout=0.5)
                answered += 1
        assert 0 < answered < 200
        for _ in range(5):
            assert polite.request("view", position=position())["type"] == "views"
        with server.client(rude.session) as again:  # the debt is the session's
            again.start("view", position=position())
            with pytest.raises(TimeoutError):
                again.socket.recv(timeout=0.3)
            again.abort()
        rude.abort()


def test_a_long_message_counts_more_even_if_it_is_no_text() -> None:
    limits = ServerLimits(engines=1, memory=8, messages_per_second=1e-6, message_start=20)
    with run_server(limits=limits) as server, server.client() as client:
        client.send_raw(bytes(100_000))
        assert client.wait("error")["code"] == "message"
        client.start("view", position=position())
        with pytest.raises(TimeoutError):
            client.socket.recv(timeout=0.3)
        client.abort()


def test_conversions_count_too() -> None:
    with run_server(limits=SPARSE) as server, server.client() as client:
        text = "(;GM[4]SZ[15]" + ";B[hh];W[ig]" * 8_000 + ")"
        assert client.request("convert_record", text=text)["type"] == "converted"
        client.start("view", position=position())
        with pytest.raises(TimeoutError):
            client.socket.recv(timeout=0.3)
        client.abort()


def test_a_page_that_does_not_read_is_not_read_from(server: RunningServer) -> None:
    with server.client() as rude, server.client() as polite:
        rude.raw.settimeout(0.5)
        request = {"type": "view", "id": 1, "position": LONG, "whole_line": True}
        frame = _frame(1, json.dumps(request).encode())
        with pytest.raises(TimeoutError):
            rude.raw.sendall(frame * 20_000)
        assert polite.request("view", position=position())["type"] == "views"
        rude.abort()


# --- the converter ---


CONVERTER = ServerLimits(
    convert_cpu=5.0, convert_time=20.0, convert_memory=512 << 20, converted_size=1 << 20
)


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        ({"convert_cpu": 0.02}, "(;GM[4]SZ[15]" + ";B[hh];W[ig]" * 20_000 + ")"),
        ({"convert_time": 0.0}, "h8 i9"),
        ({"converted_size": 100}, "(;GM[4]SZ[15]" + ";B[hh];W[ig]" * 100 + ")"),
        ({"convert_memory": 48 << 20}, "(;GM[4]SZ[15]" + ";B[hh]" * 150_000 + ")"),
        ({}, "(;GM[4]SZ[15];B[hh])" * 2_001),
    ],
)
def test_a_conversion_beyond_its_limits(limit: dict[str, Any], text: str) -> None:
    converter = Converter(replace(CONVERTER, **limit))
    with contextlib.closing(converter):
        with pytest.raises(ConversionError):
            converter.convert(text, "")
        converter._limits = CONVERTER
        assert len(converter.convert("h8 i9", "")[0]) == 1  # by the same process, or a new one


def test_the_files_of_the_engine_are_served_from_disk(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<title>Tengen</title>", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("no", encoding="utf-8")
    (tmp_path / "engine" / "nets").mkdir(parents=True)
    (tmp_path / "engine" / "page-engine.wasm").write_bytes(b"\x00asm" * 200_000)
    (tmp_path / "engine" / "nets" / "s.net").write_bytes(b"net")
    with run_server(static=tmp_path) as server:
        status, text, headers = server.get("/engine/page-engine.wasm")
        assert (status, len(text)) == (200, 800_000)
        assert headers["content-type"] == "application/wasm"
        assert headers["cross-origin-embedder-policy"] == "require-corp"
        assert server.get("/engine/page-engine.wasm", "HEAD")[2]["content-length"] == "800000"
        assert len(server.get("/engine/page-engine.wasm", Range="bytes=0-1,4-5")[1]) == 800_000
        same = {"If-None-Match": headers["etag"]}
        assert server.get("/engine/page-engine.wasm", **same)[0] == 304
        assert server.get("/engine/nets/s.net")[1] == "net"
        for path in ("/secret.txt", "/engine", "/engine/", "/engine/../secret.txt", "/engine/none"):
            assert server.get(path)[0] == 404
        (tmp_path / "engine" / "nets" / "s.net").unlink()
        assert server.get("/engine/nets/s.net")[0] == 404
