# SPDX-License-Identifier: MIT
"""Parts of the Gomocup protocol: parsing, lines, settings, details, openings, and what dialogues
cannot test of the session.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gomocup_fakes import ABOUT, info_of, played_of
from tengen import Board, Colour, Move, Rule
from tengen.engine import Info, Limit, PlayResult, PovScore, Score, swap2
from tengen.engine.protocol import gomocup_session as session_module
from tengen.engine.protocol.actions import Quit, SendLine, StartGame, StartSearch, StopSearch
from tengen.engine.protocol.gomocup_position import GomocupPosition
from tengen.engine.protocol.gomocup_session import GomocupSession
from tengen.engine.protocol.gomocup_settings import KEYS, GomocupSettings
from tengen.engine.protocol.search_messages import format_info, parse_info
from tengen.engine.protocol.syntax import (
    MAX_LINE,
    GomocupCommand,
    LineSplitter,
    parse,
    parse_number,
    parse_point,
    quoted,
)
from tengen.game.errors import BadNotation, BadPosition, IllegalMove
from tengen.game.records import psq


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("START 15", GomocupCommand("START", "15")),
        ("  turn\t7,7  ", GomocupCommand("TURN", "7,7")),
        ("INFO folder C:\\a b", GomocupCommand("INFO", "folder C:\\a b")),
        ("DONE", GomocupCommand("DONE")),
        ("\ufeffSTART 15", GomocupCommand("START", "15")),
        ("\x00", GomocupCommand("\x00")),
        ("", None),
        ("   ", None),
    ],
)
def test_parse(line: str, command: GomocupCommand | None) -> None:
    assert parse(line) == command


def test_numbers() -> None:
    result = {text: parse_number(text) for text in ("7", "-3", "+4", "007", "", "x", "1.0", "٣")}
    assert result == {
        "7": 7,
        "-3": -3,
        "+4": 4,
        "007": 7,
        "": None,
        "x": None,
        "1.0": None,
        "٣": None,
    }


def test_points_are_those_of_psq_files() -> None:
    """`0,0` is the point `1,1` of a file, so a game looks the same in both."""
    (record,) = psq.loads("Piskvorky 15x15, 0:0, 0\n1,1,0\n15,2,0\n")
    assert record.moves == [parse_point("0,0", 15), parse_point("14,1", 15)]
    assert [move.gomocup for move in record.moves] == ["0,0", "14,1"]
    with pytest.raises(BadNotation, match="15,0 is off the board: both numbers are 0 to 14"):
        parse_point("15,0", 15)


def test_quoted_text() -> None:
    assert quoted("a\nb\0ü") == "a?b??"
    assert len(quoted("x" * 500)) == 60


def test_lines_are_bounded() -> None:
    lines = LineSplitter()
    assert lines.feed(b"x" * 10_000_000) == []
    assert lines.feed(b"y" * 10_000_000 + b"\nSTART 15\n") == ["x" * MAX_LINE, "START 15"]
    assert lines.feed(b"a\r\n\r\n\n b \rc") == ["a", "b"]
    assert lines.end() == ["c"]
    assert lines.end() == []


# --- settings ---


def test_every_key_has_a_setting() -> None:
    for name in KEYS:
        assert hasattr(GomocupSettings(), name)
        assert GomocupSettings().with_info(name) is not None
        assert GomocupSettings().with_info(f"{name} ~") in (
            GomocupSettings(),
            GomocupSettings(evaluate="~"),
            GomocupSettings(folder="~"),
        )


def test_limits_never_exceed_the_settings() -> None:
    for turn in [*range(1, 400), 1000, 5000, 30_000, 10**6]:
        limit = GomocupSettings(timeout_turn=turn, timeout_match=turn, time_left=turn).limit()
        assert limit.time is not None
        assert limit.clock is not None
        assert 0 < limit.time * 1000 <= turn
        assert 0 <= limit.clock * 1000 <= turn
        assert limit.time * 1000 >= turn / 2


@pytest.mark.parametrize(
    ("expected", "depth", "nodes"),
    [
        (["max_depth 63", "max_node 999999999"], 63, 999_999_999),
        (["max_depth 64", "max_node 1000000000"], None, None),
        (["max_depth 99", "max_node 2147483647"], None, None),
        (["max_depth 225"], None, None),
        (["timeout_turn 2147483647", "max_depth 225", "max_node 2147483647"], 225, 2**31 - 1),
        (["timeout_turn 1000000000", "max_depth 99"], 99, None),
        (["timeout_turn 2147483647", "time_left 60000", "max_depth 225"], None, None),
    ],
)
def test_large_numbers_are_no_limit_beside_a_time(
    expected: list[str], depth: int | None, nodes: int | None
) -> None:
    settings = GomocupSettings()
    for line in expected:
        settings = settings.with_info(line)
    assert (settings.limit().depth, settings.limit().nodes) == (depth, nodes)


def test_tables_are_well_below_the_memory() -> None:
    for mebibytes in range(80, 4000, 37):
        tables = GomocupSettings(max_memory=mebibytes << 20).options(1, 128)["memory"]
        assert 4 <= tables <= (mebibytes - 64) * 0.75


# --- details ---


def test_details_round_trip() -> None:
    board = Board()
    board.push("h8")
    for score in (Score(0), Score(-35), Score(20, 9), Score(-20, -4)):
        info = info_of(board, score, 7, 1.25)
        result = parse_info(format_info(info), board)
        assert result is not None
        if score.is_mate():
            assert result.score.relative.mate == score.mate
        else:
            assert result == info


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("depth 21-38 ev 6 n 5117K n/ms 1674 tm 3056 pv K5 L4",
         "21-38 +6 5117000 1674000 3.056 10,10 11,11"),
        ("DEPTH 12-20 | EVAL -M8 | NODES 1.5M | SPEED 900K | TIME 2s | PV h8 i9",
         "12-20 -M8 1500000 900000 2 7,7 8,6"),
        ("Depth: 5, Score: -12, Nodes: 400", "5-5 -12 400 0 0"),
        ("depth=9/14 eval=+33 time=120ms line=[7,8 9,9]", "9-14 +33 0 0 0.12 7,8 9,9"),
        ("Evaluation 5 done at depth 3", "3-3 +0 0 0 0"),
        ("ev 12.7", "0-0 +12 0 0 0"),
        ("depth 3 pv 7,7 7,7 8,8", "3-3 +0 0 0 0 7,7"),
        ("depth 3 pv 0,0 7,7", "3-3 +0 0 0 0"),
        ("depth 3 pv 99,99", "3-3 +0 0 0 0"),
    ],
)  # fmt: skip
def test_details_of_other_engines(text: str, expected: str) -> None:
    """Depths, score, nodes, nodes per second, seconds, line; for white, since 0,0 is black's."""
    board = Board()
    board.push("0,0")
    info = parse_info(text, board)
    assert info is not None
    assert info.score.turn is Colour.WHITE
    line = " ".join(move.gomocup for move in info.pv)
    score = info.score.relative
    result = f"{info.depth}-{info.seldepth} {score} {info.nodes} {info.nps} {info.time:g} {line}"
    assert result.strip() == expected


@pytest.mark.parametrize("text", ["", "hello", "nodes 500", "loading config.toml", "ev", "depth"])
def test_no_details(text: str) -> None:
    assert parse_info(text, Board()) is None


# --- swap2 ---


def test_openings_fit_on_every_board() -> None:
    for size in range(5, 23):
        result = {swap2.opening(size, number).stones for number in range(200)}
        assert len(result) >= 20
        for stones in result:
            assert len(set(stones)) == 3
            position = GomocupPosition.from_order(size, Rule.STANDARD, stones)
            assert position.board.turn is Colour.WHITE


def test_a_choice_without_a_score_is_a_move() -> None:
    assert swap2.choose(PlayResult(Move(7, 7)), 3).line == "7,7"


def test_two_stones_need_a_line_of_two() -> None:
    info = Info(PovScore(Score(0), Colour.WHITE), (Move(7, 7),))
    assert swap2.choose(PlayResult(Move(7, 7), None, info), 3).line == "7,7"
    info = Info(PovScore(Score(0), Colour.WHITE), (Move(7, 7), Move.PASS))
    assert swap2.choose(PlayResult(Move(7, 7), None, info), 3).line == "7,7"


# --- positions ---


def test_a_position_keeps_the_order_of_moves() -> None:
    stones = [Move(7, 7), Move(8, 8), Move(6, 6)]
    position = GomocupPosition.from_owners(15, Rule.RENJU, stones[1:2], [stones[0], stones[2]])
    assert position.board.moves == stones
    position.use(Rule.CARO)
    assert position.board.moves == stones
    assert position.board.rule is Rule.CARO


def test_copies_of_a_position_are_independent() -> None:
    position = GomocupPosition(15, Rule.FREESTYLE)
    position.put(Move(7, 7))
    twin = position.copy()
    twin.put(Move(8, 8))
    position.take_back(Move(7, 7))
    assert position.is_empty
    assert len(twin.board.stones()) == 2
    with pytest.raises(IllegalMove, match="occupied"):
        twin.put(Move(7, 7))
    with pytest.raises(BadPosition, match="twice"):
        GomocupPosition.from_order(15, Rule.FREESTYLE, [Move(1, 1), Move(1, 1)])


# --- the session ---


def test_a_session_handles_parsed_commands() -> None:
    session = GomocupSession(lambda: ABOUT)
    assert session.handle(GomocupCommand("ABOUT")) == [SendLine(ABOUT)]
    assert session.handle(GomocupCommand("START", "15"))[0] == SendLine("OK")


def test_inputs_of_a_search() -> None:
    session = GomocupSession(lambda: ABOUT, settings=GomocupSettings(timeout_turn=1000), memory=32)
    options = {"threads": 1, "memory": 32, "level": 10}
    assert session.handle("START 9") == [SendLine("OK"), StartGame(options, Board(9))]
    (think,) = session.handle("TURN 4,4")
    board = Board(9)
    board.push("4,4")
    assert think == StartSearch(board, Limit(time=0.96), options)
    assert session._search is not None


def test_the_board_of_a_search_is_a_copy() -> None:
    session = GomocupSession(lambda: ABOUT)
    session.handle("START 15")
    (think,) = session.handle("BEGIN")
    assert isinstance(think, StartSearch)
    session.search_event(played_of(think.board))
    assert think.board == Board(15)


def test_events_without_a_search_are_ignored() -> None:
    session = GomocupSession(lambda: ABOUT)
    session.handle("START 15")
    assert session.search_event(PlayResult(Move(7, 7))) == []
    assert session.position is not None
    assert session.position.is_empty


def test_not_too_many_commands_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "_MAX_WAITING", 3)
    session = GomocupSession(lambda: ABOUT)
    session.handle("START 15")
    session.handle("BEGIN")
    assert [session.handle("ABOUT") for _ in range(3)] == [[], [], []]
    (refusal,) = session.handle("ABOUT")
    assert isinstance(refusal, SendLine)
    assert refusal.line.startswith("ERROR too many")
    assert session.handle("STOP") == [StopSearch()]
    reported = session.search_event(PlayResult(Move(7, 7)))
    assert reported == [SendLine("7,7"), SendLine(ABOUT), SendLine(ABOUT), SendLine(ABOUT)]


def test_commands_can_be_added_to_the_table() -> None:
    """How extensions of the protocol are added (docs/protocol.md)."""
    session = GomocupSession(lambda: ABOUT)
    session.commands["YXHASHCLEAR"] = lambda session, command: [StartGame({})]
    session.at_once["YXQUIT"] = lambda session, command: [Quit()]
    assert session.handle("yxhashclear") == [StartGame({})]
    assert session.handle("YXQUIT") == [Quit()]
    assert GomocupSession(lambda: ABOUT).handle("YXQUIT") == [SendLine("UNKNOWN command 'YXQUIT'")]


def test_the_page_has_every_command_and_key() -> None:
    page = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
    session = GomocupSession(lambda: ABOUT)
    for word in (*session.commands, *session.at_once, *KEYS):
        assert re.search(rf"`{word}\b", page), f"docs/protocol.md does not tell of {word}"


def test_tables_are_no_larger_than_a_game_can_fill() -> None:
    reported = GomocupSettings().with_info(f"max_memory {350 << 20}")
    assert reported.options(cores=2, memory=128)["memory"] == 214
    assert reported.with_info("timeout_turn 20").options(cores=2, memory=128)["memory"] == 16
    assert reported.with_info("timeout_turn 100").options(cores=2, memory=128)["memory"] == 70
    many = reported.with_info("timeout_turn 100").with_info("thread_num 2")
    assert many.options(cores=2, memory=128)["memory"] == 140
    requested = reported.with_info("timeout_turn 20").with_info("hash_size 65536")
    assert requested.options(cores=2, memory=128)["memory"] == 64


def test_no_more_threads_and_memory_than_the_machine_can_use() -> None:
    reported = (
        GomocupSettings().with_info("thread_num 999999").with_info("hash_size 99999999999999")
    )
    options = reported.options(cores=2, memory=128, machine=4096)
    assert options["threads"] == 8
    assert options["memory"] == 3072
    assert GomocupSettings().with_info("thread_num 3").options(cores=2, memory=128)["threads"] == 3


@pytest.mark.parametrize(
    ("value", "level"), [("35", 4), ("0", 1), ("100", 10), ("101", 10), ("x", 10)]
)
def test_strength_is_a_level(value: str, level: int) -> None:
    session = GomocupSession(lambda: ABOUT)
    session.handle(f"INFO strength {value}")
    _, started = session.handle("START 15")
    assert isinstance(started, StartGame)
    assert started.options["level"] == level


def test_only_time_left_resets_the_time_spent() -> None:
    session = GomocupSession(lambda: ABOUT)
    for line in ("INFO timeout_match 60000", "INFO timeout_turn 60000", "START 15"):
        session.handle(line)
    session.handle("INFO time_left 60000")

    def clock(line: str) -> float:
        """Seconds left for the search that a line starts."""
        (think,) = [one for one in session.handle(line) if isinstance(one, StartSearch)]
        info = info_of(think.board, Score(10), seconds=7.0)
        session.search_event(played_of(think.board, info))
        assert think.limit.clock is not None
        return think.limit.clock

    whole, later = clock("BEGIN"), clock("TURN 0,0")
    assert whole - 7.5 < later < whole - 6.5
    for line in ("INFO time_left", "INFO time_left soon", "INFO time_leftover 1", "INFO"):
        session.handle(line)
    assert clock("TURN 0,2") < whole - 13
    session.handle("INFO time_left 60000")
    assert clock("TURN 0,4") == whole
