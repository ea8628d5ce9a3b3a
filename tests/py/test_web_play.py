# SPDX-License-Identifier: MIT
"""A game against the engine through the socket: moves, swap2, openings, clocks, restarts."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import tengen
from tengen.game.rule import Colour
from tengen.web.live_game import LiveGame
from tengen.web.requests import NewGameRequest
from web_server import SESSION_0_1_0, RunningServer, WebClient, database_0_1_0, run_server


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with run_server() as running:
        yield running


@pytest.fixture
def client(server: RunningServer) -> Iterator[WebClient]:
    with server.client() as made:
        yield made


def _new(client: WebClient, **wanted: object) -> None:
    client.send(
        **{"type": "new_game", "rule": "renju", "size": 15, "you": "black", "level": 1} | wanted
    )


def test_a_person_and_the_engine_take_turns(client: WebClient) -> None:
    _new(client)
    client.game(your_turn=True)
    client.send(type="play", move="h8")
    game = client.game(your_turn=True)
    assert game["moves"][0] == "h8"
    assert len(game["moves"]) == 2
    board = tengen.Board(15, "renju")
    for move in game["moves"]:
        board.push(move)
    assert game["view"]["stones"] == "".join(".bw"[cell] for cell in board.to_array().ravel())


def test_the_engine_moves_first_as_black(client: WebClient) -> None:
    _new(client, you="white")
    game = client.game(your_turn=True)
    assert game["moves"] == ["h8"]
    assert game["you"] == "white"


def test_rejected_moves_change_nothing(client: WebClient) -> None:
    _new(client)
    client.game(your_turn=True)
    client.send(type="play", move="z99")
    assert "z99" in client.wait("error")["text"]
    client.send(type="play", move="h8")
    game = client.game(your_turn=True)
    client.send(type="play", move="h8")
    assert "occupied" in client.wait("error")["text"]
    client.send(type="play", move="pass")
    assert "passing" in client.wait("error")["text"]
    client.send(type="take_back")
    assert client.game(your_turn=True)["moves"] == game["moves"][:0]


def test_forbidden_points_come_with_their_reason(client: WebClient) -> None:
    position = {
        "rule": "renju",
        "size": 15,
        "setup": {
            "black": ["d7", "e7", "f7", "h7", "i7"],
            "white": ["d8", "e8", "f8"],
            "turn": "black",
        },
        "moves": [],
    }
    seen = client.request("views", type="view", position=position)["views"][0]
    assert {"point": "g7", "reason": "overline"} in seen["forbidden"]
    error = client.request("views", type="view", position=position | {"moves": ["g7"]})
    assert error["type"] == "error"
    assert "overline" in error["text"]


def test_take_back_hint_resign_and_rematch(client: WebClient) -> None:
    _new(client)
    client.game(your_turn=True)
    client.send(type="play", move="h8")
    client.game(your_turn=True)
    client.send(type="hint")
    hint = client.wait("hint")
    assert hint["line"]["moves"]
    client.send(type="take_back")
    assert client.game(your_turn=True)["moves"] == []
    client.send(type="resign")
    over = client.game(stage="over")
    assert over["result"] == {"winner": "white", "reason": "resign", "lines": []}
    client.send(type="rematch")
    assert client.game(your_turn=True)["you"] == "white"


def test_a_take_back_ends_the_search_for_the_position_that_is_gone(client: WebClient) -> None:
    _new(client, seconds=30)  # per move
    client.game(your_turn=True)
    client.send(type="play", move="h8")
    assert client.game(your_turn=False)["moves"] == ["h8"]
    client.send(type="take_back")
    assert client.game(your_turn=True)["moves"] == []
    client.send(type="move_now")  # there is no search that could answer
    time.sleep(0.5)
    client.send(type="play", move="a1")
    assert client.game(your_turn=False)["moves"] == ["a1"]
    client.send(type="move_now")
    moves = client.game(your_turn=True)["moves"]
    assert moves[0] == "a1"
    assert len(moves) == 2


def test_a_won_game_has_its_line(client: WebClient) -> None:
    """The engine at level 1 on a tiny board is beaten by playing the engine's own best moves."""
    _new(client, rule="freestyle", size=9, level=1)
    game = client.game(your_turn=True)
    with tengen.Engine(memory=8) as engine:
        while not game["result"]:
            board = tengen.Board(9, "freestyle")
            for move in game["moves"]:
                board.push(move)
            client.send(type="play", move=engine.play(board, tengen.Limit(nodes=30_000)).move.name)
            game = client.wait("game")
            while not game["your_turn"] and not game["result"]:
                game = client.wait("game")
    assert game["result"]["winner"] == "black"
    assert game["result"]["reason"] == "five"
    assert len(game["result"]["lines"][0]) >= 5
    client.send(type="play", move="a1")
    assert "over" in client.wait("error")["text"]


def test_renju_openings(client: WebClient) -> None:
    _new(client, you="black", opening="4D")
    game = client.game(your_turn=True)
    assert game["moves"][:3] == ["h8", "h9", "i9"]
    assert game["opening"].startswith("4D Kagetsu")
    assert not game["can_take_back"]
    _new(client, rule="freestyle", opening="4D")
    assert "renju" in client.wait("error")["text"]
    _new(client, opening="99X")
    assert "99X" in client.wait("error")["text"]


def test_swap2_that_the_engine_opens(client: WebClient) -> None:
    _new(client, rule="standard", you="swap2")
    game = client.game(your_turn=True, stage="choose")
    assert len(game["moves"]) == 3
    assert game["choices"] == ["black", "white", "more"]
    client.send(type="choose", choice="white")
    game = client.game(your_turn=True, stage="play")
    assert game["you"] == "white"
    assert len(game["moves"]) == 3


def test_swap2_with_two_more_stones(client: WebClient) -> None:
    _new(client, rule="standard", you="swap2")
    game = client.game(your_turn=True, stage="choose")
    client.send(type="choose", choice="more")
    assert client.game(stage="place")["to_place"] == 2
    free = [name for name in ("h8", "h7", "i8", "i7", "j8") if name not in game["moves"]]
    client.send(type="play", move=free[0])
    client.send(type="play", move=free[1])
    game = client.game(your_turn=True, stage="play")
    assert game["you"] in ("black", "white")
    assert len(game["moves"]) >= 5


def test_swap2_that_the_person_opens(client: WebClient) -> None:
    _new(client, rule="standard", you="swap2_you")
    assert client.game(your_turn=True)["to_place"] == 3
    for move in ("h8", "i9", "g7"):
        client.send(type="play", move=move)
    while True:  # the engine takes a colour, or puts two more and lets us choose
        game = client.wait("game")
        if game["your_turn"] and len(game["moves"]) >= 3 and game["stage"] != "place":
            break
    if game["stage"] == "choose":
        assert len(game["moves"]) == 5
        assert game["choices"] == ["black", "white"]
    else:
        assert game["you"] in ("black", "white")


def test_clocks_run_for_the_side_to_move(client: WebClient) -> None:
    _new(client, clock={"main": 100.0, "increment": 2.0})
    assert client.game(your_turn=True)["clock"]["running"] is None  # no move yet
    client.send(type="play", move="h8")
    clock = client.game(your_turn=True)["clock"]
    assert clock["running"] == "black"
    assert clock["black"] >= 101
    assert 0 < clock["white"] <= 102


def test_a_take_back_charges_the_time_since_the_last_move(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("tengen.web.live_game.monotonic", lambda: now)
    wanted = {"rule": "renju", "size": 15, "clock": {"main": 100.0, "increment": 2.0}}
    game = LiveGame.new(NewGameRequest.model_validate({"type": "new_game", "you": "both"} | wanted))
    game.person_plays("h8")  # the first move is free
    now += 10
    game.person_plays("i9")
    now += 7
    game.take_back()
    assert game.running_clock is Colour.WHITE
    assert (game.time_left(Colour.BLACK), game.time_left(Colour.WHITE)) == (95, 92)
    now += 3
    assert (game.time_left(Colour.BLACK), game.time_left(Colour.WHITE)) == (95, 89)


def test_a_reload_and_a_restart_keep_the_game(tmp_path: Path) -> None:
    data = tmp_path / "games.sqlite"
    with run_server(data) as server, server.client() as client:
        session = client.session
        _new(client)
        client.game(your_turn=True)
        client.send(type="play", move="h8")
        moves = client.game(your_turn=True)["moves"]
        with server.client(session) as reloaded:
            assert reloaded.session == session
            assert reloaded.wait("game")["moves"] == moves
    with run_server(data) as server, server.client(session) as client:
        game = client.wait("game")
        assert client.session == session
        assert game["moves"] == moves
        assert game["your_turn"]
        client.send(type="play", move="a1")
        assert len(client.game(your_turn=True)["moves"]) == 4
        listed = client.request("game_list", type="list_games")["games"]
        assert [entry["moves"] for entry in listed] == [4]
        opened = client.request("opened_game", type="open_game", game=listed[0]["game"])
        assert opened["position"]["moves"][:2] == moves


def test_a_database_of_version_0_1_0_still_opens(tmp_path: Path) -> None:
    """Games, solved problems and the study of a session; tests/browser opens the study."""
    with run_server(database_0_1_0(tmp_path)) as server, server.client(SESSION_0_1_0) as client:
        assert client.session == SESSION_0_1_0
        game = client.wait("game")
        assert game["moves"] == ["h8", "g7"]
        assert game["clock"]["running"] == "black"
        assert 0 < game["clock"]["black"] <= 303
        listed = client.request("game_list", type="list_games")["games"]
        assert [(entry["level"], entry["moves"]) for entry in listed] == [
            (1, 2),
            (1, 3),
            (None, 2),
            (1, 6),
        ]
        assert listed[3]["result"]["reason"] == "resign"
        opened = client.request("opened_game", type="open_game", game=listed[3]["game"])
        assert opened["position"]["moves"][:3] == ["h8", "h9", "i9"]
        assert sum(entry["solved"] for entry in client.welcome["problems"]) == 1
        assert "turning_point" in client.welcome["study"]
        client.send(type="play", move="a1")
        assert len(client.game(your_turn=True)["moves"]) == 4


def test_a_swap2_game_of_version_0_1_0_continues() -> None:
    """Its stage `put` is now `place`."""
    settings = {"type": "new_game", "rule": "standard", "size": 15, "you": "swap2_you"}
    state = {
        "game": "a",
        "asked": settings,
        "you": None,
        "stage": "put",
        "person_acts": True,
        "to_put": 1,
        "more": False,
        "moves": ["h8", "i9"],
        "result": None,
        "left": None,
        "fixed": 0,
        "seed": 1,
    }
    game = LiveGame.from_json(json.dumps(state))
    assert (game.stage, game.to_place, game.is_your_turn) == ("place", 1, True)
    game.person_plays("g7")
    assert game.engine_task == "choose"
    assert LiveGame.from_json(game.to_json()).to_message() == game.to_message()


def test_sessions_are_isolated(server: RunningServer, client: WebClient) -> None:
    _new(client)
    client.game(your_turn=True)
    with server.client() as other:
        assert other.session != client.session
        assert other.receive()["type"] == "no_game"
        assert other.request("game_list", type="list_games")["games"] == []
    with server.client("no-such-session") as other:
        assert other.session != "no-such-session"


def test_two_people_take_turns_without_the_engine(client: WebClient) -> None:
    _new(client, you="both", opening="4D")
    game = client.game(your_turn=True)
    assert (game["you"], len(game["moves"])) == (None, 3)
    assert not game["can_take_back"]  # the opening is fixed
    for move in ("a1", "b1"):
        client.send(type="play", move=move)
        game = client.game(your_turn=True)
    assert game["moves"][3:] == ["a1", "b1"]
    client.send(type="hint")
    assert "two people" in client.wait("error")["text"]
    client.send(type="take_back")
    game = client.game(your_turn=True)
    assert game["moves"][3:] == ["a1"]
    client.send(type="resign")
    game = client.game(stage="over")
    assert game["result"]["winner"] == "white"  # it was black's turn
    entry = client.request("game_list", type="list_games")["games"][0]
    assert (entry["level"], entry["you"], entry["moves"]) == (None, None, 4)
    client.send(type="rematch")
    assert len(client.game(your_turn=True)["moves"]) == 3
