# SPDX-License-Identifier: MIT
"""Requests that the server rejects, and limits that it enforces."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tengen.game.rule import Colour
from tengen.web import events, live_game, serve
from tengen.web.engine_pool import EnginePool
from tengen.web.limits import ServerLimits
from tengen.web.live_game import LiveGame
from tengen.web.messages import GamePosition
from tengen.web.record_trees import load_record
from tengen.web.requests import LoadRecordRequest, NewGameRequest
from tengen.web.serve import Address, BadAddress
from tengen.web.server_state import Outbox, ServerState
from tengen.web.store import Store
from web_server import RunningServer, WebClient, run_server

LIMITS = ServerLimits(
    engines=1, memory=8, slice_time=0.2, review_moves=5, study_size=100, sessions_in_memory=1
)
ROW = ["h8", "a1", "h9", "a3", "h10", "a5", "h11", "a7", "h12"]  # black has five


GAME = {"type": "new_game", "rule": "renju", "size": 15, "you": "black"}


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with run_server(limits=LIMITS) as running:
        yield running


@pytest.fixture
def client(server: RunningServer) -> Iterator[WebClient]:
    with server.client() as made:
        yield made


def _position(*moves: str, rule: str = "freestyle", size: int = 15) -> dict[str, Any]:
    return {"rule": rule, "size": size, "setup": None, "moves": list(moves)}


ANALYSE = {"type": "analyse", "id": 1, "position": _position()}


@pytest.mark.parametrize(
    ("code", "request_"),
    [
        ("no_game", {"type": "take_back"}),
        ("no_game", {"type": "hint"}),
        ("no_game", {"type": "play", "move": "h8"}),
        ("hello", {"type": "hello"}),
        ("opening", {**GAME, "you": "swap2", "opening": "4D"}),
        ("game", {"type": "open_game", "id": 1, "game": "none"}),
        ("over", {"type": "analyse", "id": 1, "position": _position(*ROW)}),
        ("blocked", {**ANALYSE, "only": ["h8"], "exclude": ["h8"]}),
        ("length", {"type": "review", "id": 1, "position": _position()}),
        ("length", {"type": "review", "id": 1, "position": _position(*ROW)}),
        ("size", {"type": "save_study", "text": "x" * 101}),
        ("problem", {"type": "problem", "id": 1, "problem": "none"}),
        ("problem", {"type": "problem", "id": 1, "length": 40}),
        ("invalid", {"type": "view", "id": 1, "position": _position("h8", "h8")}),
        ("record", {**ANALYSE, "type": "save_record", "nodes": [{"parent": 3, "move": "h8"}]}),
        ("proof", {"type": "proof_step", "id": 1, "moves": []}),
    ],
)
def test_rejected_requests(client: WebClient, code: str, request_: dict[str, Any]) -> None:
    client.send(**request_)
    error = client.wait("error")
    assert error["code"] == code
    assert error["id"] == request_.get("id")
    assert error["text"]


def test_requests_out_of_turn(client: WebClient) -> None:
    client.send(type="new_game", rule="standard", size=15, you="swap2_you", level=1)
    client.game(your_turn=True)
    for request in ({"type": "hint"}, {"type": "choose", "choice": "black"}):
        client.send(**request)
        assert client.wait("error")["code"] == "turn"
    client.send(type="take_back")
    assert client.wait("error")["code"] == "nothing"
    client.send(type="resign")
    client.game(stage="over")
    client.send(type="resign")
    assert client.wait("error")["code"] == "invalid"
    client.send(type="rematch")
    assert client.game(stage="choose")["settings"]["you"] == "swap2"  # the sides are exchanged


def test_move_now_ends_the_search(client: WebClient) -> None:
    client.send(type="new_game", rule="freestyle", size=15, you="black", seconds=60.0)
    client.game(your_turn=True)
    client.send(type="play", move="h8")
    client.game(your_turn=False)
    client.send(type="move_now")
    assert len(client.game(your_turn=True)["moves"]) == 2


def test_an_id_in_use_and_a_stopped_review(client: WebClient) -> None:
    client.send(type="review", id=3, position=_position("h8", "i9", "h9", "a1"), effort=10.0)
    client.send(type="analyse", id=3, position=_position())
    assert client.wait("error")["code"] == "id"
    client.send(type="stop", id=3)
    while (review := client.wait("review"))["state"] == "running":
        pass
    assert review["state"] == "stopped"


def test_an_analysis_yields_to_other_sessions(server: RunningServer, client: WebClient) -> None:
    client.send(type="analyse", id=1, position=_position("h8"), seconds=60.0)
    while client.wait("analysis")["state"] != "running":
        pass
    with server.client() as other:
        other.send(type="analyse", id=2, position=_position(), seconds=0.1)
        while (first := client.wait("analysis"))["state"] != "done":
            pass
        assert first["preempted"]
        while (second := other.wait("analysis"))["state"] != "done":
            pass
        assert not second["preempted"]


def test_an_attempt_ends_with_a_move_of_the_attacker(client: WebClient) -> None:
    problem = client.request("problem", type="problem")["problem"]
    error = client.request("attempt_result", type="attempt", problem=problem, moves=["a1", "a2"])
    assert error["code"] == "turn"


def test_unreadable_games_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    store = Store(path, LIMITS)
    store.save_game("session", "broken", "{}")
    store.close()
    with run_server(path) as server, server.client("session") as client:
        assert client.wait("no_game")
        assert client.request("game_list", type="list_games")["games"] == []
        assert client.request("opened_game", type="open_game", game="broken")["code"] == "game"


def test_a_clock_that_runs_out_ends_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(live_game, "monotonic", lambda: now[0])
    clock = {"main": 60.0, "increment": 2.0}
    game = LiveGame.new(NewGameRequest.model_validate(GAME | {"clock": clock}))
    game.clock_started = now[0]
    game.person_plays("h8")
    now[0] += 10
    assert game.time_left(Colour.WHITE) == 50
    assert not game.check_flag()
    saved = LiveGame.from_json(game.to_json())
    assert saved.clocks == {Colour.BLACK: 62.0, Colour.WHITE: 50.0}
    now[0] += 51
    assert game.check_flag()
    assert game.result is not None
    assert (game.result.winner, game.result.reason) == ("black", "time")


def test_a_page_that_does_not_read_is_disconnected() -> None:
    async def run() -> None:
        outbox = Outbox(8)
        review = events.ReviewEvent(id=1, state="running", done=0, total=1, moves=[])
        for _ in range(20):
            outbox.send(review)
        assert outbox.is_behind
        assert not outbox.overrun.is_set()  # the next review event replaces the lost ones
        outbox.send(events.NoGameEvent())
        assert outbox.overrun.is_set()

    asyncio.run(run())


def test_idle_sessions_are_unloaded() -> None:
    async def run() -> None:
        state = ServerState(LIMITS, EnginePool(LIMITS), Store(None, LIMITS))
        first = state.session(None)
        state.store.save_study(first.name, "text")
        state.session(None)
        assert list(state._sessions) != [first.name]
        assert state.session(first.name) is not first
        assert state.session(first.name).name == first.name
        await state.close()

    asyncio.run(run())


def test_long_records_and_set_up_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tengen.web.record_trees._MAX_NODES", 2)
    text = "(;GM[4]SZ[15]RU[renju];B[hh];W[ig];B[hg])"
    record = load_record(LoadRecordRequest(type="load_record", id=1, text=text))
    assert [node.move for node in record.nodes] == ["h8", "i9"]
    assert [note.code for note in record.notes] == ["max_nodes"]
    text = "(;GM[4]SZ[15]RU[renju];B[hh];AB[aa]AW[bb])"
    record = load_record(LoadRecordRequest(type="load_record", id=1, text=text))
    assert [note.code for note in record.notes] == ["setup"]
    text = "(;GM[4]SZ[15]RU[freestyle]AB[hh]AW[ig]PL[W];W[aa])"
    record = load_record(LoadRecordRequest(type="load_record", id=1, text=text))
    assert record.position.setup is not None
    assert record.position.setup.turn == "white"
    assert record.position == GamePosition(setup=record.position.setup)


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
