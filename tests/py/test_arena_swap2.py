# SPDX-License-Identifier: MIT
"""Swap2 openings: all branches in the referee, by engines in this process and in others, and in
protocol lines.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import pytest

from arena_fakes import FakeClock, FakeProgressRecord, Scripted
from gomocup_peer import REAL
from tengen import Board, Move
from tengen.arena import referee as referee_module
from tengen.arena.control import TimeControl
from tengen.arena.definition import ScheduledGame
from tengen.arena.game import MatchGame
from tengen.arena.referee import Participant, Referee
from tengen.engine import AnyEngine, Engine, EngineRefused, EngineSilent, Limit
from tengen.engine.protocol.client import (
    ClientSession,
    EngineSwap2Choice,
    IllegalReply,
    Rejected,
    SendLines,
)
from tengen.engine.swap2 import Swap2Choice
from tengen.game.errors import BadPosition, IllegalMove
from tengen.game.rule import Colour

THREE = "c3 d4 e5"
FIRST, SECOND = 4, 7  # the players: first and second
QUICK = Limit(time=0.05)
SURE = Limit(nodes=5000)  # the same choice on a busy machine


def play(first: Scripted, second: Scripted, control: TimeControl | None = None) -> MatchGame:
    control = control or TimeControl(nodes=10)
    participants = (
        Participant(FIRST, first, control, 0.1),
        Participant(SECOND, second, control, 0.1),
    )
    board = Board(9, move_limit=9)
    return Referee(
        ScheduledGame(12, 6, FIRST, SECOND, 3),
        board,
        participants,
        FakeProgressRecord(),
        swap2=True,
    ).play()


def after(moves: str, size: int = 9) -> Board:
    board = Board(size)
    for move in moves.split():
        board.push(move)
    return board


# --- the referee ---


@pytest.mark.parametrize(
    ("first", "second", "opening", "black"),
    [
        ([THREE], [""], THREE, SECOND),
        ([THREE], ["f6"], f"{THREE} f6", FIRST),
        ([THREE, ""], ["f6 g7"], f"{THREE} f6 g7", FIRST),
        ([THREE, "a1"], ["f6 g7"], f"{THREE} f6 g7 a1", SECOND),
    ],
)
def test_every_branch(first: list[str], second: list[str], opening: str, black: int) -> None:
    one, two = Scripted(choices=first), Scripted(choices=second)
    game = play(one, two)
    stones = len(opening.split())
    assert game.moves[:stones] == tuple(opening.split())
    assert game.opening_moves == stones
    assert game.opening == -1
    assert {game.black, game.white} == {FIRST, SECOND}
    assert game.black == black
    assert (game.reason, len(game.moves), len(game.reports)) == ("move_limit", 9, 9 - stones)
    # Whose turn it was is whose colour it is.
    for player, engine in ((FIRST, one), (SECOND, two)):
        turns = {board.turn for board in engine.boards[-2:] if board.ply >= stones}
        assert turns == {Colour.BLACK if player == black else Colour.WHITE}
    assert one.numbers == [6] * len(first)  # that of the pair: both games have the same opening
    assert two.numbers == [6]


@pytest.mark.parametrize(
    ("first", "second", "loser", "moves"),
    [
        ([""], [], FIRST, ""),
        (["c3 d4"], [], FIRST, ""),
        (["c3 d4 e5 f6"], [], FIRST, ""),
        (["c3 d4 pass"], [], FIRST, ""),
        (["c3 d4 c3"], [], FIRST, "c3 d4"),
        (["c3 d4 p16"], [], FIRST, "c3 d4"),
        ([THREE], ["f6 g7 h8"], SECOND, THREE),
        ([THREE], ["c3"], SECOND, THREE),
        ([THREE], ["f6 f6"], SECOND, f"{THREE} f6"),
        ([THREE, "a1 b1"], ["f6 g7"], FIRST, f"{THREE} f6 g7"),
        ([THREE, "f6"], ["f6 g7"], FIRST, f"{THREE} f6 g7"),
    ],
)
def test_wrong_stones(first: list[str], second: list[str], loser: int, moves: str) -> None:
    game = play(Scripted(choices=first), Scripted(choices=second))
    assert game.reason == "illegal"
    assert game.detail
    assert game.at_fault == loser
    assert game.moves == tuple(moves.split())


def test_errors_in_an_opening() -> None:
    game = play(Scripted(choices=[THREE]), Scripted(choices=[EngineSilent("x", "SWOP")]))
    assert (game.reason, game.at_fault, game.detail) == ("output", SECOND, "x")


def test_the_clock_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeClock()
    monkeypatch.setattr(referee_module, "perf_counter", clock)

    class Slow(Scripted):
        def swap2(self, board: Board, limit: Limit, *, number: int = 0) -> Swap2Choice:
            clock.now += 2.0
            return super().swap2(board, limit, number=number)

    first = Scripted(choices=[THREE, ""])
    game = play(first, Slow(choices=["f6 g7"]), TimeControl(clock=5.0))
    assert game.reason == "move_limit"
    game = play(
        first := Slow(choices=[THREE, ""]), Scripted(choices=["f6 g7"]), TimeControl(clock=3)
    )
    assert (game.reason, game.at_fault) == ("time", FIRST)
    assert [limit.clock for limit in first.limits] == [3.0, 1.0]


# --- engines ---


@pytest.fixture(params=["in this process", "in another"])
def engine(request: pytest.FixtureRequest) -> Iterator[AnyEngine]:
    made = request.param == "in this process"
    with Engine(memory=4) if made else Engine.popen(REAL) as result:
        yield result


def test_engines_choose(engine: AnyEngine) -> None:
    """A valid swap2 answer for every position."""
    board = Board(15, "standard")
    choice = engine.swap2(board, QUICK)
    assert len(set(choice.stones)) == 3
    assert board.ply == 0
    for stone in choice.stones:
        board.push(stone)
    for allowed in ((0, 1, 2), (0, 1)):
        choice = engine.swap2(board, QUICK)
        assert len(choice.stones) in allowed
        assert not set(choice.stones) & set(board.stones())
        board = after("c3 d4 e5 k11 a1", 15)
    assert engine.play(after("c3 d4 e5 k11 a1", 15), QUICK).move  # a game follows


@pytest.mark.integration
def test_engines_evaluate_the_opening(engine: AnyEngine) -> None:
    """The engine takes the winning colour; it stays white if white wins."""
    assert engine.swap2(after("h8 a1 i8", 15), SURE).stones == ()
    white_wins = Board(15)
    for move in ["a1", "h8", "o15", "i8", "a15"]:
        white_wins.push(move)
    assert len(engine.swap2(white_wins, SURE).stones) == 1


ANSWERS = """
import sys
for line in sys.stdin:
    verb = line.split()[0]
    if verb == "ABOUT":
        print('name="One"', flush=True)
    elif verb in ("START", "RESTART"):
        print("OK", flush=True)
    elif verb == "DONE":
        print(sys.argv[1], flush=True)
"""


def program(answer: str) -> Sequence[str]:
    return [sys.executable, "-c", ANSWERS, answer]


def test_programs_choose() -> None:
    with Engine.popen(program("SWAP")) as engine:
        assert engine.swap2(after(THREE), QUICK) == Swap2Choice(())
        assert engine.swap2(after(f"{THREE} f6 g7"), QUICK) == Swap2Choice(())
        with pytest.raises(IllegalMove, match="One answered 'SWAP'"):
            engine.swap2(after(""), QUICK)
        with pytest.raises(BadPosition, match="swap2 with 2 stones"):
            engine.swap2(after("c3 d4"), QUICK)
    with Engine.popen(program("0,0 8,8 3,3")) as engine:
        assert engine.swap2(after(""), QUICK) == Swap2Choice((Move(0, 0), Move(8, 8), Move(3, 3)))
    with Engine.popen(program("ERROR what?")) as engine, pytest.raises(EngineRefused, match="what"):
        engine.swap2(after(""), QUICK)
    with Engine.popen(program("well..."), timeout=3.0) as engine:
        with pytest.raises(EngineSilent) as caught:
            engine.swap2(after(""), QUICK)
        assert caught.value.said == "well..."


# --- the lines of the protocol ---


def asked(moves: str) -> tuple[ClientSession, tuple[str, ...]]:
    client = ClientSession()
    assert client.request(after(moves), QUICK, swap2=True) == ("START 9",)
    reply = client.receive("OK")
    assert isinstance(reply, SendLines)
    return client, tuple(line for line in reply.lines if not line.startswith("INFO"))


@pytest.mark.parametrize(
    ("moves", "lines"),
    [
        ("", ("SWAP2BOARD", "DONE")),
        (THREE, ("SWAP2BOARD", "2,2", "3,3", "4,4", "DONE")),
        (f"{THREE} f6 g7", ("SWAP2BOARD", "2,2", "3,3", "4,4", "5,5", "6,6", "DONE")),
    ],
)
def test_swap2_commands(moves: str, lines: tuple[str, ...]) -> None:
    assert asked(moves)[1] == lines


@pytest.mark.parametrize(
    ("moves", "line", "stones"),
    [
        ("", "0,0 1,1 2,2", "a1 b2 c3"),
        (THREE, "SWAP", ""),
        (THREE, "swap", ""),
        (THREE, "0,0", "a1"),
        (THREE, "0,0 1,1", "a1 b2"),
        (f"{THREE} f6 g7", "SWAP", ""),
        (f"{THREE} f6 g7", "0,0", "a1"),
    ],
)
def test_answers(moves: str, line: str, stones: str) -> None:
    client, _ = asked(moves)
    assert client.receive("MESSAGE thinking") is None
    assert client.receive("UNKNOWN INFO game_type") is None
    assert client.receive("hm") is None
    assert client.receive(line) == EngineSwap2Choice(
        Swap2Choice(tuple(map(Move.parse, stones.split())))
    )
    assert client.receive(line) is None  # nothing is expected any more


@pytest.mark.parametrize(
    ("moves", "line"),
    [
        ("", "SWAP"),
        ("", "0,0"),
        ("", "0,0 1,1 0,0"),
        ("", "0,0 1,1 9,9"),
        ("", "0,0 1,1 2,2 3,3"),
        ("", "0,0 1,1 2,"),
        (THREE, "2,2"),
        (THREE, "0,0 1,1 5,5"),
        (f"{THREE} f6 g7", "0,0 1,1"),
    ],
)
def test_wrong_answers(moves: str, line: str) -> None:
    reply = asked(moves)[0].receive(line)
    assert isinstance(reply, IllegalReply)
    assert isinstance(reply.error, IllegalMove)


def test_rejections() -> None:
    assert asked(THREE)[0].receive("UNKNOWN command SWAP2BOARD") == Rejected(
        "UNKNOWN command SWAP2BOARD"
    )


def test_the_game_that_follows() -> None:
    """The engine gets the whole position, regardless of its answer."""
    client, _ = asked(THREE)
    client.receive("5,5")
    assert client.request(after(f"{THREE} f6 g7"), QUICK) == ("RESTART",)
    reply = client.receive("OK")
    assert isinstance(reply, SendLines)
    assert reply.lines == ("BOARD", "2,2,2", "3,3,1", "4,4,2", "5,5,1", "6,6,2", "DONE")
