# SPDX-License-Identifier: MIT
"""The protocol of the server: hello, engine requests of each type, records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tengen.game import records
from tengen.solver import Proof, solve
from web_server import RunningServer, WebClient, position, run_server

ROOT = Path(__file__).parents[2]
MOVES = ("h8", "i9", "h9", "h10", "g8")
THREE = position("h8", "a1", "i8", "a3", "j8", "a5")  # black wins by fours
ROW = ["h8", "a1", "h9", "a3", "h10", "a5", "h11", "a7", "h12"]  # black has five


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with run_server() as running:
        yield running


@pytest.fixture
def client(server: RunningServer) -> Iterator[WebClient]:
    with server.client() as made:
        yield made


# --- hello ---


def test_hello_starts_a_session_that_others_cannot_guess(server: RunningServer) -> None:
    with server.client() as one, server.client() as two:
        assert one.session != two.session
        assert len(one.session) >= 32
        assert one.welcome["solved"] == []
        assert one.welcome["study"] is None
        assert "no data folder" in one.welcome["storage"]
    with server.client("no-such-session-but-as-long-as-one") as other:
        assert other.session != "no-such-session-but-as-long-as-one"


def test_a_page_that_reconnects_keeps_its_session(server: RunningServer) -> None:
    with server.client() as page:
        session = page.session
    with server.client(session) as again:  # though nothing was stored
        assert again.session == session


def test_hello_comes_once(client: WebClient) -> None:
    client.send(type="hello")
    assert client.wait("error")["code"] == "hello"


# --- requests of the engine ---


def test_views(client: WebClient) -> None:
    views = client.request("view", position=position(*MOVES), whole_line=True)["views"]
    assert [view["ply"] for view in views] == [0, 1, 2, 3, 4, 5]
    assert [view["last"] for view in views] == [None, *MOVES]


def test_moves_and_a_new_game(client: WebClient) -> None:
    assert client.request("new_game")["type"] == "ready"
    for level in (1, 5, 8):
        event = client.request("move", position=position("h8"), level=level)
        assert event["type"] == "move"
        assert event["move"] != "h8"
    assert client.request("move", position=position(), seconds=0.05)["move"]
    clock = {"left": 10.0, "increment": 0.1}
    assert client.request("move", position=position("h8"), level=3, clock=clock)["move"]


def test_swap2(client: WebClient) -> None:
    event = client.request("swap2", position=position(rule="standard"), number=3)
    assert event["type"] == "swap2"
    assert len(event["stones"]) == 3
    event = client.request("swap2", position=position(*event["stones"]), level=2)
    assert len(event["stones"]) in (0, 1, 2)


def test_an_analysis_streams_until_it_is_stopped(client: WebClient) -> None:
    id = client.start("analyse", position=position(*MOVES, rule="renju"), lines=3)
    nodes = set[int]()
    while len(nodes) < 8:  # also between two depths
        event = client.wait("analysis")
        assert (event["id"], event["state"]) == (id, "running")
        nodes.add(event["nodes"])
    client.stop(id)
    done = client.last(id)
    assert done["state"] == "done"
    assert [line["rank"] for line in done["lines"]] == [1, 2, 3]


def test_a_solution_with_its_proof(client: WebClient) -> None:
    id = client.start("solve", position=THREE, goal="vcf")
    event = client.last(id)
    assert event["state"] == "win"
    client.send(type="proof_step", id=id, moves=[])
    assert client.last(id)["attack"] == event["line"][0]
    client.send(type="proof_step", id=id, moves=event["line"][:1])
    client.send(type="proof_step", id=id, moves=[])  # before the answer
    assert client.last(id)["moves"] == event["line"][:1]
    assert client.last(id)["moves"] == []
    client.send(type="proof_step", id=999, moves=[])
    assert client.wait("error")["code"] == "proof"


def test_proofs_of_two_pages_are_not_mixed_up(server: RunningServer) -> None:
    with server.client() as one, server.client() as two:
        for client in (one, two):
            client.send(type="solve", id=7, position=THREE, goal="vcf")
        assert one.last(7)["state"] == "win"
        assert two.last(7)["state"] == "win"
        with server.client(one.session) as other:  # of the same session, with its own numbers
            other.send(type="proof_step", id=7, moves=[])
            assert other.last(7)["code"] == "proof"
        one.send(type="proof_step", id=7, moves=[])
        assert one.last(7)["type"] == "proof_node"


def test_attempts(client: WebClient) -> None:
    right = client.request("attempt", position=position(*THREE["moves"], "k8"), goal="vcf")
    assert right["verdict"] == "right"
    wrong = client.request("attempt", position=position(*THREE["moves"], "a15"), goal="vcf")
    assert wrong["verdict"] == "wrong"


def test_the_bundled_problems_are_solved_by_their_first_move(client: WebClient) -> None:
    text = (ROOT / "src/tengen/web/static/problems.json").read_text(encoding="utf-8")
    problems = json.loads(text)["problems"]
    assert len(problems) >= 200
    assert {problem["rule"] for problem in problems} == {
        "freestyle",
        "standard",
        "renju",
        "caro",
        "caro6",
    }
    for problem in problems[:: len(problems) // 12]:
        setup = {key: problem[key] for key in ("black", "white", "turn")}
        where = {"rule": problem["rule"], "size": problem["size"], "setup": setup}
        start = where | {"moves": [problem["first"]]}
        event = client.request("attempt", position=start, goal=problem["goal"])
        assert event["verdict"] in ("right", "solved"), problem["name"]


def test_a_review(client: WebClient) -> None:
    moves = ["h8", "d4", "h9", "e4", "h10", "f4", "h11", "h12", "o15", "h7"]  # h7 is five
    event = client.request("review", position=position(*moves), effort=0.1)
    assert event["state"] == "done"
    ninth = event["moves"][8]
    assert (ninth["verdict"], ninth["better"]) == ("missed_win", ["h7"])


@pytest.mark.parametrize(
    ("code", "type", "more"),
    [
        ("over", "analyse", {"position": position(*ROW)}),
        ("blocked", "analyse", {"position": position(), "only": ["h8"], "exclude": ["h8"]}),
        ("length", "review", {"position": position()}),
        ("invalid", "view", {"position": position("h8", "h8")}),
        ("invalid", "view", {"position": {"size": 4000}}),
        ("invalid", "view", {"position": {"rule": "chess"}}),
        ("invalid", "view", {"position": {"moves": ["h8"] * 1000}}),
        ("invalid", "view", {}),
        ("invalid", "analyse", {"position": position(), "seconds": 1e9}),
        ("invalid", "move", {"position": position(), "level": 99}),
    ],
)
def test_the_core_rejects_what_is_invalid(
    client: WebClient, code: str, type: str, more: dict[str, Any]
) -> None:
    error = client.request(type, **more)
    assert (error["type"], error["code"]) == ("error", code)
    assert error["text"]


# --- records ---

PSQ = "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,7,100\n8,7,200\nann\nbob\n"


@pytest.mark.parametrize(
    ("name", "text", "moves"),
    [
        ("moves.txt", "h8 i9 h9", [["h8", "i9", "h9"]]),
        ("", "h8 i9 h9", [["h8", "i9", "h9"]]),
        ("", "(;GM[4]SZ[15];B[hh];W[ig])(;GM[4]SZ[15];B[aa])", [["h8", "i9"], ["a15"]]),
    ],
)
def test_records_are_converted(
    client: WebClient, name: str, text: str, moves: list[list[str]]
) -> None:
    event = client.request("convert_record", text=text, name=name)
    assert event["type"] == "converted"
    games = [records.loads(game, "sgf")[0] for game in event["games"]]
    assert [[move.name for move in game.moves] for game in games] == moves


def test_a_piskvork_record_is_converted(client: WebClient) -> None:
    event = client.request("convert_record", text=PSQ, name="game.psq")
    (game,) = (records.loads(game, "sgf")[0] for game in event["games"])
    assert [move.name for move in game.moves] == [
        move.name for move in records.loads(PSQ, "psq")[0].moves
    ]
    assert len(game.moves) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no game"),
        ("(;GM[4", "the text:1"),
        ("hello there", "unknown"),
        ("\x00\xff", "unknown"),
    ],
)
def test_broken_records_are_rejected(client: WebClient, text: str, message: str) -> None:
    error = client.request("convert_record", text=text)
    assert (error["type"], error["code"]) == ("error", "record")
    assert message in error["text"]


def test_a_record_that_is_too_long(client: WebClient) -> None:
    error = client.request("convert_record", text="h8 " * 140_000)
    assert error["code"] == "record"
    assert "longer" in error["text"]


# --- the page ---


def test_the_page_refers_to_no_other_host() -> None:
    """The bundled files have no address of another host, except names of XML and of the licence."""
    for path in (ROOT / "src/tengen/web/static").glob("*.*"):
        text = path.read_text(encoding="utf-8")
        result = {part.split('"')[0].split("`")[0] for part in text.split("://")[1:]}
        allowed = ("www.w3.org/", "svelte.dev/e/", "${")
        assert all(name.startswith(allowed) for name in result), (path.name, result)


def test_the_bundled_problems_have_one_winning_first_move() -> None:
    from tengen.game.board import Board

    text = (ROOT / "src/tengen/web/static/problems.json").read_text(encoding="utf-8")
    problems = json.loads(text)["problems"]
    for problem in problems[:: len(problems) // 12]:
        stones = (problem["black"], problem["white"], problem["turn"])
        board = Board.from_stones(*stones, size=problem["size"], rule=problem["rule"])
        result = solve(board, problem["goal"], time=20)
        assert isinstance(result, Proof)
        assert result.move.name == problem["first"]
        assert result.verify()
