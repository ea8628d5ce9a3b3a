# SPDX-License-Identifier: MIT
"""The client session of the protocol, without a process: commands to engines, and parsing of their
output.
"""

from __future__ import annotations

import pytest

from gomocup_peer import NATIVE
from tengen import Board, Colour, Engine, Move, Rule
from tengen.engine import Info, Limit
from tengen.engine.protocol.client import (
    ClientSession,
    EngineMove,
    EngineName,
    EngineReady,
    IllegalReply,
    Rejected,
    SendLines,
)
from tengen.game.errors import BadPosition, ForbiddenMove, IllegalMove

SECOND = Limit(time=1.0)
FIRST_INFOS = (
    "INFO timeout_turn 1000",
    "INFO timeout_match 0",
    "INFO time_left 2147483647",
    "INFO game_type 1",
    "INFO rule 0",
)


def board(moves: str = "", size: int = 15, rule: str = "freestyle") -> Board:
    result = Board(size, rule)
    for move in moves.split():
        result.push(move)
    return result


def asked(client: ClientSession, position: Board, limit: Limit = SECOND) -> tuple[str, ...]:
    """The lines of a question, with the answer OK to all but the last of them."""
    lines = client.request(position, limit)
    while lines[-1].split()[0] in ("START", "RESTART"):
        reply = client.receive("OK")
        assert isinstance(reply, SendLines)
        lines += reply.lines
    return lines


def answered(client: ClientSession, line: str) -> Move:
    reply = client.receive(line)
    assert isinstance(reply, EngineMove)
    return reply.move


# --- positions ---


def test_a_game_as_white() -> None:
    client = ClientSession()
    assert asked(client, board("7,7")) == ("START 15", *FIRST_INFOS, "TURN 7,7")
    assert answered(client, "8,8") == Move(8, 8)
    assert asked(client, board("7,7 8,8 6,6")) == ("TURN 6,6",)
    assert answered(client, "5,5") == Move(5, 5)


def test_a_game_as_black() -> None:
    client = ClientSession()
    assert asked(client, board())[-1] == "BEGIN"
    answered(client, "7,7")
    assert asked(client, board("7,7 8,8")) == ("TURN 8,8",)


def test_a_position_by_board() -> None:
    client = ClientSession()
    lines = asked(client, board("7,7 8,8 6,6 5,5"))
    assert lines == (
        "START 15", *FIRST_INFOS, "BOARD", "7,7,1", "8,8,2", "6,6,1", "5,5,2", "DONE",
    )  # fmt: skip
    answered(client, "0,0")
    # On by one move, then back, then elsewhere.
    assert asked(client, board("7,7 8,8 6,6 5,5 0,0 1,1")) == ("TURN 1,1",)
    answered(client, "0,1")
    lines = asked(client, board("7,7 8,8 6,6"))
    assert lines == ("RESTART", "BOARD", "7,7,2", "8,8,1", "6,6,2", "DONE")
    answered(client, "0,0")
    assert asked(client, board("3,3")) == ("RESTART", "TURN 3,3")
    answered(client, "0,0")
    assert asked(client, board()) == ("RESTART", "BEGIN")


def test_the_same_position_twice() -> None:
    client = ClientSession()
    asked(client, board("7,7"))
    answered(client, "8,8")
    assert asked(client, board("7,7")) == ("RESTART", "TURN 7,7")


def test_two_moves_on() -> None:
    client = ClientSession()
    asked(client, board("7,7"))
    answered(client, "8,8")
    position = board("7,7 8,8 6,6 5,5 4,4")
    assert asked(client, position)[:3] == ("RESTART", "BOARD", "7,7,2")


def test_stones_that_were_set_up() -> None:
    client = ClientSession()
    position = Board.from_stones(black="c3 d4", white="h8", to_move="white")
    lines = asked(client, position)[-5:]
    assert lines == ("BOARD", "2,2,2", "3,3,2", "7,7,1", "DONE")
    answered(client, "0,0")
    position.push("a1")
    position.push("b1")
    assert asked(client, position)[-7:] == (
        "BOARD", "2,2,2", "3,3,2", "7,7,1", "0,0,1", "1,0,2", "DONE",
    )  # fmt: skip


@pytest.mark.parametrize(
    "position",
    [
        Board.from_stones(black="c3 d4", to_move="white"),
        Board.from_stones(black="c3", to_move="black"),
        Board.from_stones(white="c3", to_move="black"),
        board("7,7 pass"),
    ],
)
def test_positions_that_the_protocol_cannot_express(position: Board) -> None:
    client = ClientSession()
    with pytest.raises(BadPosition, match="colours take turns"):
        client.request(position, SECOND)
    assert asked(client, board("7,7"))[-1] == "TURN 7,7"


def test_another_size_and_another_game() -> None:
    client = ClientSession()
    asked(client, board("7,7"))
    answered(client, "8,8")
    assert asked(client, board("7,7", size=20)) == ("START 20", *FIRST_INFOS, "TURN 7,7")
    answered(client, "8,8")
    client.new_game()
    assert asked(client, board("7,7 8,8 9,9", size=20))[0] == "RESTART"


def test_the_server_understands_the_client() -> None:
    """Both ends agree on every position: each move is legal on the requested board."""
    positions = [board(), board("7,7"), board("7,7 8,8 6,6 5,5"), board("1,2 3,4 5,6")]
    positions += [board("2,2 1,1", 5), board("7,7 8,8", 22, "renju"), board("3,3", 9, "caro")]
    positions += [Board.from_stones(black="c3 d4", white="h8", to_move="white")]
    with Engine.popen(NATIVE) as engine:
        for position in positions:
            assert position.is_legal(engine.play(position, Limit(time=0.05)).move)


# --- limits and options ---


@pytest.mark.parametrize(
    ("limit", "infos"),
    [
        (Limit(time=0.5), {"timeout_turn": 500, "timeout_match": 0, "time_left": 2**31 - 1}),
        (Limit(time=0.0001), {"timeout_turn": 1}),
        (Limit(clock=60), {"timeout_turn": 60000, "timeout_match": 60000, "time_left": 60000}),
        (Limit(clock=0), {"timeout_turn": 1, "time_left": 1}),
        (Limit(time=5, clock=60, increment=2), {"timeout_turn": 5000, "time_increment": 2000}),
        (Limit(nodes=1000), {"timeout_turn": 10**9, "max_node": 1000}),
        (Limit(depth=8), {"timeout_turn": 10**9, "max_depth": 8}),
        (Limit(), {"timeout_turn": 10**9, "time_left": 2**31 - 1}),
    ],
)
def test_limits(limit: Limit, infos: dict[str, int]) -> None:
    lines = asked(ClientSession(), board(), limit)
    reported = dict(line.split()[1:] for line in lines if line.startswith("INFO"))
    assert {key: int(reported[key]) for key in infos} == infos
    for key in ("max_node", "max_depth", "time_increment"):
        assert (key in reported) == (key in infos)


def test_limits_are_sent_when_they_change() -> None:
    client = ClientSession()
    asked(client, board("7,7"), Limit(clock=60, nodes=5))
    answered(client, "8,8")
    lines = asked(client, board("7,7 8,8 9,9"), Limit(clock=50))
    assert lines == (
        "INFO timeout_turn 50000", "INFO time_left 50000", "INFO max_node 0", "TURN 9,9",
    )  # fmt: skip
    answered(client, "10,10")
    client.options["thread_num"] = "2"
    lines = asked(client, board("7,7 8,8 9,9 10,10 0,0"), Limit(clock=50))
    assert lines == ("INFO thread_num 2", "TURN 0,0")


@pytest.mark.parametrize("rule", Rule)
def test_rules(rule: Rule) -> None:
    lines = asked(ClientSession(), board(rule=rule))
    assert f"INFO rule {rule.gomocup}" in lines


# --- engine output ---


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ('name="Rex", version="2.1", author="A"', "Rex 2.1"),
        ('name="Rex"', "Rex"),
        ('Name = "Rex" , Version="x"', "Rex x"),
        ("UNKNOWN command", ""),
        ("ERROR", ""),
    ],
)
def test_names(line: str, name: str) -> None:
    client = ClientSession()
    assert client.hello() == ("ABOUT",)
    assert client.receive("MESSAGE welcome") is None
    assert client.receive("some banner") is None
    assert client.receive(line) == EngineName(name)


def test_a_late_name_does_not_matter() -> None:
    client = ClientSession()
    client.hello()
    client.request(board(), SECOND)
    assert client.receive('name="Rex"') is None
    assert isinstance(client.receive("OK"), SendLines)
    assert client.receive('name="Rex"') is None
    assert answered(client, "7,7") == Move(7, 7)


def test_messages_become_infos() -> None:
    client = ClientSession()
    client.request(board("0,0"), SECOND)
    assert client.receive("MESSAGE depth 3 ev 5") is None  # nothing is searched yet
    client.receive("OK")
    info = client.receive("MESSAGE depth 3-5 ev 17 n 10K pv H8")
    assert isinstance(info, Info)
    assert (info.depth, info.nodes, info.score.white().value) == (3, 10_000, 17)
    assert client.receive("DEBUG depth 3 ev 5") is None
    assert client.receive("MESSAGE hello") is None


@pytest.mark.parametrize("line", ["0,0", "15,15", "99,99", "7,7,7", "7,", "1000000000000,1"])
def test_wrong_moves(line: str) -> None:
    client = ClientSession()
    asked(client, board("0,0"))
    reply = client.receive(line)
    assert isinstance(reply, IllegalReply)
    assert isinstance(reply.error, IllegalMove)
    # It is out of sync: the position is sent again.
    assert asked(client, board("0,0"))[0] == "RESTART"


def test_a_forbidden_move() -> None:
    client = ClientSession()
    position = board("3,3 0,0 4,3 0,2 5,3 0,4 7,3 0,6 8,3 0,8", rule="renju")
    asked(client, position)
    reply = client.receive("6,3")
    assert isinstance(reply, IllegalReply)
    assert isinstance(reply.error, ForbiddenMove)


def test_rejections() -> None:
    client = ClientSession()
    client.request(board(size=22), SECOND)
    assert client.receive("ERROR size") == Rejected("START 22: ERROR size")
    assert client.request(board(size=22), SECOND) == ("START 22",)
    client.receive("OK")
    assert client.receive("ERROR no") == Rejected("ERROR no")


def test_a_game_is_prepared_before_its_first_position() -> None:
    client = ClientSession()
    client.options["max_memory"] = "350"
    infos = ("INFO game_type 1", "INFO rule 4", "INFO max_memory 350")
    assert client.prepare(board("7,7", rule="renju")) == ("START 15",)
    assert client.receive("OK") == EngineReady(infos)
    assert client.request(board("7,7", rule="renju"), SECOND) == (*FIRST_INFOS[:3], "TURN 7,7")
    answered(client, "8,8")
    assert client.prepare(board("7,7 8,8 9,9", rule="renju")) == ()
    client.new_game()
    assert client.prepare(board()) == ("RESTART",)
    assert client.receive("OK") == EngineReady(("INFO rule 0",))
    assert client.request(board(), SECOND) == ("BEGIN",)
    assert client.prepare(board(size=22)) == ("START 22",)
    assert client.receive("ERROR size") == Rejected("START 22: ERROR size")


def test_engines_that_do_not_know_restart() -> None:
    client = ClientSession()
    asked(client, board("7,7"))
    answered(client, "8,8")
    assert client.request(board("3,3"), SECOND) == ("RESTART",)
    assert client.receive("UNKNOWN") == SendLines(("START 15",))
    assert client.receive("OK") == SendLines(("TURN 3,3",))


def test_suggestions_are_taken() -> None:
    client = ClientSession()
    asked(client, board("7,7"))
    assert client.receive("SUGGEST 3,3") == SendLines(("PLAY 3,3",))
    assert answered(client, "3,3") == Move(3, 3)


def test_stopping() -> None:
    client = ClientSession()
    assert client.stop() == ()
    client.request(board(), Limit())
    assert client.stop() == ()  # it has not started
    client.receive("OK")
    assert client.stop() == ("STOP",)
    assert client.stop() == ()
    assert client.receive("UNKNOWN command STOP") is None
    assert answered(client, "7,7") == Move(7, 7)
    assert client.stop() == ()


def test_errors_about_info_are_ignored() -> None:
    client = ClientSession()
    asked(client, board())
    assert client.receive("UNKNOWN INFO max_node") is None
    assert answered(client, "7,7") == Move(7, 7)


def test_nothing_is_expected() -> None:
    client = ClientSession()
    for line in ("7,7", "OK", "ERROR", "MESSAGE depth 3", ""):
        assert client.receive(line) is None


def test_the_turn_of_infos() -> None:
    client = ClientSession()
    asked(client, board())
    info = client.receive("MESSAGE depth 1 ev 30")
    assert isinstance(info, Info)
    assert info.score.turn is Colour.BLACK
