# SPDX-License-Identifier: MIT
"""A game against the engine through the socket: moves, swap2, openings, clocks, restarts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import tengen
from web_server import Page, Served, served


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served() as running:
        yield running


@pytest.fixture
def page(server: Served) -> Iterator[Page]:
    with server.page() as made:
        yield made


def _new(page: Page, **wanted: object) -> None:
    page.send(
        **{"type": "new_game", "rule": "renju", "size": 15, "you": "black", "level": 1} | wanted
    )


def test_a_person_and_the_engine_take_turns(page: Page) -> None:
    _new(page)
    page.game(yours=True)
    page.send(type="play", move="h8")
    game = page.game(yours=True)
    assert game["moves"][0] == "h8"
    assert len(game["moves"]) == 2
    board = tengen.Board(15, "renju")
    for move in game["moves"]:
        board.push(move)
    assert game["view"]["stones"] == "".join(".bw"[cell] for cell in board.to_array().ravel())


def test_the_engine_begins_as_black(page: Page) -> None:
    _new(page, you="white")
    game = page.game(yours=True)
    assert game["moves"] == ["h8"]
    assert game["you"] == "white"


def test_refusals_are_in_words_and_change_nothing(page: Page) -> None:
    _new(page)
    page.game(yours=True)
    page.send(type="play", move="z99")
    assert "z99" in page.wait("fault")["words"]
    page.send(type="play", move="h8")
    game = page.game(yours=True)
    page.send(type="play", move="h8")
    assert "occupied" in page.wait("fault")["words"]
    page.send(type="play", move="pass")
    assert "passing" in page.wait("fault")["words"]
    page.send(type="take_back")
    assert page.game(yours=True)["moves"] == game["moves"][:0]


def test_forbidden_points_come_with_their_reason(page: Page) -> None:
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
    seen = page.ask("views", type="look", position=position)["views"][0]
    assert {"point": "g7", "reason": "overline"} in seen["forbidden"]
    refused = page.ask("views", type="look", position=position | {"moves": ["g7"]})
    assert refused["type"] == "fault"
    assert "overline" in refused["words"]


def test_take_back_hint_resign_and_rematch(page: Page) -> None:
    _new(page)
    page.game(yours=True)
    page.send(type="play", move="h8")
    page.game(yours=True)
    page.send(type="hint")
    hint = page.wait("hint")
    assert hint["ply"] == 2
    assert hint["line"]["moves"]
    page.send(type="take_back")
    assert page.game(yours=True)["moves"] == []
    page.send(type="resign")
    over = page.game(stage="over")
    assert over["result"] == {"winner": "white", "reason": "resign", "lines": []}
    page.send(type="rematch")
    assert page.game(yours=True)["you"] == "white"


def test_a_won_game_tells_its_line(page: Page) -> None:
    """The engine at level 1 on a tiny board is beaten by playing the engine's own best moves."""
    _new(page, rule="freestyle", size=9, level=1)
    game = page.game(yours=True)
    with tengen.Engine(memory=8) as engine:
        while not game["result"]:
            board = tengen.Board(9, "freestyle")
            for move in game["moves"]:
                board.push(move)
            page.send(type="play", move=engine.play(board, tengen.Limit(nodes=30_000)).move.name)
            game = page.wait("game")
            while not game["yours"] and not game["result"]:
                game = page.wait("game")
    assert game["result"]["winner"] == "black"
    assert game["result"]["reason"] == "five"
    assert len(game["result"]["lines"][0]) >= 5
    page.send(type="play", move="a1")
    assert "over" in page.wait("fault")["words"]


def test_renju_openings(page: Page) -> None:
    _new(page, you="black", opening="4D")
    game = page.game(yours=True)
    assert game["moves"][:3] == ["h8", "h9", "i9"]
    assert game["opening"].startswith("4D Kagetsu")
    assert not game["can_take_back"]
    _new(page, rule="freestyle", opening="4D")
    assert "renju" in page.wait("fault")["words"]
    _new(page, opening="99X")
    assert "99X" in page.wait("fault")["words"]


def test_swap2_that_the_engine_opens(page: Page) -> None:
    _new(page, rule="standard", you="swap2")
    game = page.game(yours=True, stage="choose")
    assert len(game["moves"]) == 3
    assert game["choices"] == ["black", "white", "more"]
    page.send(type="choose", take="white")
    game = page.game(yours=True, stage="play")
    assert game["you"] == "white"
    assert len(game["moves"]) == 3


def test_swap2_with_two_more_stones(page: Page) -> None:
    _new(page, rule="standard", you="swap2")
    game = page.game(yours=True, stage="choose")
    page.send(type="choose", take="more")
    assert page.game(stage="put")["to_put"] == 2
    free = [name for name in ("h8", "h7", "i8", "i7", "j8") if name not in game["moves"]]
    page.send(type="play", move=free[0])
    page.send(type="play", move=free[1])
    game = page.game(yours=True, stage="play")
    assert game["you"] in ("black", "white")
    assert len(game["moves"]) >= 5


def test_swap2_that_the_person_opens(page: Page) -> None:
    _new(page, rule="standard", you="swap2_you")
    assert page.game(yours=True)["to_put"] == 3
    for move in ("h8", "i9", "g7"):
        page.send(type="play", move=move)
    while True:  # the engine takes a colour, or puts two more and lets us choose
        game = page.wait("game")
        if game["yours"] and len(game["moves"]) >= 3 and game["stage"] != "put":
            break
    if game["stage"] == "choose":
        assert len(game["moves"]) == 5
        assert game["choices"] == ["black", "white"]
    else:
        assert game["you"] in ("black", "white")


def test_clocks_run_for_the_side_to_move(page: Page) -> None:
    _new(page, clock={"main": 100.0, "increment": 2.0})
    assert page.game(yours=True)["clock"]["running"] is None  # nobody has moved
    page.send(type="play", move="h8")
    clock = page.game(yours=True)["clock"]
    assert clock["running"] == "black"
    assert clock["black"] >= 101
    assert 0 < clock["white"] <= 102


def test_a_reload_and_a_restart_keep_the_game(tmp_path: Path) -> None:
    data = tmp_path / "games.sqlite"
    with served(data) as server, server.page() as page:
        session = page.session
        _new(page)
        page.game(yours=True)
        page.send(type="play", move="h8")
        moves = page.game(yours=True)["moves"]
        with server.page(session) as reloaded:
            assert reloaded.session == session
            assert reloaded.wait("game")["moves"] == moves
    with served(data) as server, server.page(session) as page:
        game = page.wait("game")
        assert page.session == session
        assert game["moves"] == moves
        assert game["yours"]
        page.send(type="play", move="a1")
        assert len(page.game(yours=True)["moves"]) == 4
        listed = page.ask("game_list", type="games")["games"]
        assert [entry["moves"] for entry in listed] == [4]
        opened = page.ask("opened_game", type="open_game", game=listed[0]["game"])
        assert opened["position"]["moves"][:2] == moves


def test_sessions_do_not_see_one_another(server: Served, page: Page) -> None:
    _new(page)
    page.game(yours=True)
    with server.page() as other:
        assert other.session != page.session
        assert other.receive()["type"] == "no_game"
        assert other.ask("game_list", type="games")["games"] == []
    with server.page("no-such-session") as other:
        assert other.session != "no-such-session"


def test_two_people_take_turns_without_the_engine(page: Page) -> None:
    _new(page, you="both", opening="4D")
    game = page.game(yours=True)
    assert (game["you"], game["thinking"], len(game["moves"])) == (None, False, 3)
    assert not game["can_take_back"]  # the opening is fixed
    for move in ("a1", "b1"):
        page.send(type="play", move=move)
        game = page.game(yours=True)
    assert game["moves"][3:] == ["a1", "b1"]
    page.send(type="hint")
    assert "two people" in page.wait("fault")["words"]
    page.send(type="take_back")
    game = page.game(yours=True)
    assert game["moves"][3:] == ["a1"]
    page.send(type="resign")
    game = page.game(stage="over")
    assert game["result"]["winner"] == "white"  # it was black's turn
    entry = page.ask("game_list", type="games")["games"][0]
    assert (entry["level"], entry["you"], entry["moves"]) == (None, None, 4)
    page.send(type="rematch")
    assert len(page.game(yours=True)["moves"]) == 3
