# SPDX-License-Identifier: MIT
"""Analysis, solvers, records, review, pictures and problems through the socket."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tengen
from tengen.engine.errors import EngineDied
from tengen.engine.native import NativeSearch
from tengen.game import records
from web_server import RunningServer, WebClient, run_server

MOVES = ["h8", "i9", "h9", "h10", "g8"]
WON = {"black": ["g8", "h8", "i9", "i10"], "white": ["a1", "c1", "a15", "o1"], "turn": "black"}


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with run_server() as running:
        yield running


@pytest.fixture
def client(server: RunningServer) -> Iterator[WebClient]:
    with server.client() as made:
        yield made


def _position(moves: list[str] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "rule": "renju",
        "size": 15,
        "setup": None,
        "moves": MOVES if moves is None else moves,
    } | more


def test_a_failed_analysis_is_an_error(client: WebClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def take(search: NativeSearch, timeout: float) -> None:
        search.stop()
        while search._player.is_searching:
            search._player.next_event(timeout)
        search._error = EngineDied("the wires are cut")
        search._end()

    with monkeypatch.context() as patch:
        patch.setattr(NativeSearch, "next_info", take)
        client.send(type="analyse", id=911, position=_position(), lines=1)
        assert client.wait("error")["text"] == "the wires are cut"
    client.send(type="analyse", id=912, position=_position(), lines=1, seconds=0.1)
    while (event := client.wait("analysis"))["state"] != "done":
        pass
    assert event["id"] == 912


def test_all_views_of_a_line(client: WebClient) -> None:
    views = client.request("views", type="view", position=_position(), whole_line=True)["views"]
    assert [view["ply"] for view in views] == [0, 1, 2, 3, 4, 5]
    assert [view["last"] for view in views] == [None, *MOVES]
    assert views[-1]["stones"].count("b") == 3


def test_an_analysis_sends_lines_until_it_is_stopped(client: WebClient) -> None:
    client.send(type="analyse", id=901, position=_position(), lines=3)
    while True:
        event = client.wait("analysis")
        if len(event["lines"]) == 3 and event["depth"] >= 4:
            break
    assert event["state"] == "running"
    assert [line["rank"] for line in event["lines"]] == [1, 2, 3]
    assert len({line["moves"][0] for line in event["lines"]}) == 3
    assert all(0 <= line["win_rate"] <= 1 for line in event["lines"])
    shares = [spot["probability"] for spot in event["policy"]]
    assert shares == sorted(shares, reverse=True)
    assert 0.9 < sum(shares) <= 1.001  # probabilities
    assert len({spot["point"] for spot in event["policy"]}) == len(shares) > 3
    client.send(type="stop", id=901)
    while event["state"] != "done":
        event = client.wait("analysis")


def test_nodes_are_sent_between_two_depths(client: WebClient) -> None:
    client.send(type="analyse", id=902, position=_position(), lines=5)
    depths: dict[int, set[int]] = {}
    for _ in range(80):
        event = client.wait("analysis")
        if event["lines"] and event["state"] == "running":
            depths.setdefault(event["depth"], set()).add(event["nodes"])
            assert event["seldepth"] > 0
        if any(len(nodes) > 3 for nodes in depths.values()) and len(depths) > 1:
            break
    client.send(type="stop", id=902)
    while event["state"] != "done":
        event = client.wait("analysis")
    assert max(len(nodes) for nodes in depths.values()) > 3


def test_blocked_and_forced_moves(client: WebClient) -> None:
    best = _analysed(client, 1)["lines"][0]["moves"][0]
    other = _analysed(client, 2, exclude=[best])["lines"][0]["moves"][0]
    assert other != best
    assert _analysed(client, 3, only=["a1"])["lines"][0]["moves"][0] == "a1"
    client.send(type="analyse", id=4, position=_position(), only=["h8"])
    assert "occupied" in client.wait("error")["text"]


def _analysed(client: WebClient, id: int, **more: Any) -> dict[str, Any]:
    client.send(type="analyse", id=id, position=_position(), lines=1, seconds=0.3, **more)
    while True:
        event = client.wait("analysis")
        if event["id"] == id and event["state"] == "done":
            return event


def test_a_forced_win_with_its_proof_step_by_step(client: WebClient) -> None:
    position = {"rule": "freestyle", "size": 15, "setup": WON, "moves": []}
    client.send(type="solve", id=7, position=position, goal="vct")
    while (event := client.wait("solution"))["state"] == "running":
        pass
    assert event["state"] == "win"
    assert event["line"][0] == "i8"
    client.send(type="proof_step", id=7, moves=[])
    assert client.wait("proof_node")["attack"] == "i8"
    client.send(type="proof_step", id=7, moves=["i8"])
    node = client.wait("proof_node")
    assert node["replies"]
    reply = node["replies"][0]
    client.send(type="proof_step", id=7, moves=["i8", reply])
    assert client.wait("proof_node")["attack"]
    client.send(type="proof_step", id=7, moves=["a2"])
    assert "i8" in client.wait("error")["text"]
    client.send(type="proof_step", id=99, moves=[])
    assert client.wait("error")["code"] == "proof"


def test_no_forced_win(client: WebClient) -> None:
    client.send(type="solve", id=8, position=_position([]), goal="vcf", side="white")
    while (event := client.wait("solution"))["state"] == "running":
        pass
    assert event["state"] == "no_win"
    assert event["attacker"] == "white"


def test_load_and_save_a_record(client: WebClient) -> None:
    text = "(;GM[4]SZ[15]RU[renju]PB[Ann]PW[Bob];B[hh]C[first](;W[ig];B[hg])(;W[gg]))"
    result = client.request("record", type="load_record", text=text, name="game.sgf")
    assert (result["black"], result["white"]) == ("Ann", "Bob")
    assert [(n["parent"], n["move"]) for n in result["nodes"]] == [
        (-1, "h8"),
        (0, "i9"),
        (1, "h9"),
        (0, "g9"),
    ]
    assert result["nodes"][0]["comment"] == "first"
    saved = client.request(
        "saved_record",
        type="save_record",
        position=result["position"],
        nodes=result["nodes"],
        black="Ann",
        white="Bob",
    )
    assert records.loads(saved["text"], "sgf")[0].root == records.loads(text, "sgf")[0].root


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "no game"), ("(;GM[4", "the text:1"), ("hello there", "no"), ("\x00\xff", "no")],
)
def test_broken_records_are_rejected(client: WebClient, text: str, message: str) -> None:
    error = client.request("record", type="load_record", text=text)
    assert error["type"] == "error"
    assert message in error["text"]


def test_a_record_is_shown_up_to_its_first_illegal_move(client: WebClient) -> None:
    result = client.request("record", type="load_record", text="h8 i9 h9", name="")
    assert [node["move"] for node in result["nodes"]] == ["h8", "i9", "h9"]
    assert [note["code"] for note in result["notes"]] == ["rule"]
    assert "does not name its rule" in result["notes"][0]["text"]
    twice = client.request(
        "record", type="load_record", text="(;GM[4]SZ[15];B[hh];B[hg])", name="x.sgf"
    )
    assert [node["move"] for node in twice["nodes"]] == ["h8"]
    assert [(note["code"], note["number"]) for note in twice["notes"]] == [("rule", 0), ("move", 2)]
    assert "out of turn" in twice["notes"][1]["text"]
    more = client.request(
        "record", type="load_record", text="(;GM[4]RU[renju];B[hh])(;GM[4];B[gg])"
    )
    assert [(note["code"], note["number"]) for note in more["notes"]] == [("games", 2)]


def test_a_review_marks_a_missed_win_and_writes_sgf(client: WebClient) -> None:
    moves = ["h8", "d4", "h9", "e4", "h10", "f4", "h11", "h12", "o15", "h7"]  # h7 is five
    client.send(type="review", id=5, position=_position(moves, rule="freestyle"), effort=0.3)
    while (event := client.wait("review"))["state"] != "done":
        pass
    ninth = event["moves"][8]
    assert (ninth["move"], ninth["verdict"]) == ("o15", "missed_win")
    assert ninth["better"] == ["h7"]
    assert event["accuracy_black"] < 100
    record = records.loads(event["sgf"], "sgf")[0]
    assert [move.name for move in record.moves] == moves
    assert "Missed win" in record.main_line()[9].comment
    assert record.main_line()[8].children[1].move is not None


def test_pictures(client: WebClient) -> None:
    one = client.request("pictures", type="picture", position=_position(), numbers=True)["svgs"]
    assert one == [_svg(MOVES)]
    every = client.request("pictures", type="picture", position=_position(), whole_line=True)[
        "svgs"
    ]
    assert len(every) == len(MOVES) + 1


def _svg(moves: list[str]) -> str:
    board = tengen.Board(15, "renju")
    for move in moves:
        board.push(move)
    return board.svg(numbers=True, theme="wood", width=720)


def test_a_study_is_stored(server: RunningServer, client: WebClient) -> None:
    client.send(type="save_study", text='{"mine": 1}')
    client.request("views", type="view", position=_position())  # by now it is stored
    with server.client(client.session) as again:
        assert again.welcome["study"] == '{"mine": 1}'


def test_problems_attempts_and_progress(client: WebClient) -> None:
    problem = client.request("problem", type="problem", length=3)
    moves: list[str] = []
    wrong = client.request(
        "attempt_result", type="attempt", problem=problem["problem"], moves=["a1"]
    )
    assert (wrong["verdict"], wrong["reason"]) == ("wrong", "no_threat")
    for _ in range(problem["length"]):
        hinted = client.request(
            "problem_hint", type="problem_hint", problem=problem["problem"], moves=moves
        )
        result = client.request(
            "attempt_result",
            type="attempt",
            problem=problem["problem"],
            moves=[*moves, hinted["move"]],
        )
        moves = result["moves"]
        if result["verdict"] == "solved":
            break
        assert result["verdict"] == "right"
    assert result["verdict"] == "solved"
    progress = client.wait("problem_progress")["problems"]
    assert sum(entry["solved"] for entry in progress) == 1
    won = {"problem": problem["problem"], "moves": moves}
    assert client.request("problem_hint", type="problem_hint", **won)["code"] == "hint"
    late = {"type": "attempt", "problem": problem["problem"], "moves": ["a1"]}
    assert client.request("attempt_result", **late)["verdict"] == "wrong"
    again = client.request("problem", type="problem", problem=problem["problem"])
    assert again["solved"]


def test_a_problem_whose_solution_was_shown_is_not_solved(client: WebClient) -> None:
    name = client.request("problem", type="problem", length=3)["problem"]
    moves: list[str] = []
    verdict = "right"
    while verdict == "right":
        hint = client.request("problem_hint", type="problem_hint", problem=name, moves=moves)
        attempt = {"problem": name, "moves": [*moves, hint["move"]], "shown": True}
        result = client.request("attempt_result", type="attempt", **attempt)
        verdict, moves = result["verdict"], result["moves"]
    assert verdict == "solved"
    progress = client.wait("problem_progress")["problems"]
    assert sum(entry["solved"] for entry in progress) == 0
    assert not client.request("problem", type="problem", problem=name)["solved"]
