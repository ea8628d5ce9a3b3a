# SPDX-License-Identifier: MIT
"""Games under the referee: every behaviour of an engine leads to the correct result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from arena_fakes import FakeClock, FakeProgressRecord, Scripted, claims, small
from tengen import Board, Move
from tengen.arena import referee as referee_module
from tengen.arena.control import TimeControl
from tengen.arena.definition import ScheduledGame
from tengen.arena.game import FAULTS, MatchGame, MoveReport
from tengen.arena.game_task import GameTask, forfeited_game
from tengen.arena.referee import Participant, Referee
from tengen.engine import (
    EngineDied,
    EngineRefused,
    EngineSilent,
    Info,
    Limit,
    PlayResult,
    PovScore,
    Score,
)
from tengen.game.errors import ForbiddenMove, IllegalMove
from tengen.game.rule import Colour

FIXTURE = ScheduledGame(6, 3, 1, 0, 2)  # the second player has black
NODES = TimeControl(nodes=10)


def after(moves: str = "", size: int = 15, rule: str = "freestyle", **options: Any) -> Board:
    board = Board(size, rule, **options)
    for move in moves.split():
        board.push(move)
    return board


def play(
    black: Scripted,
    white: Scripted,
    board: Board | None = None,
    control: TimeControl = NODES,
    progress: FakeProgressRecord | None = None,
    **options: Any,
) -> MatchGame:
    participants = (Participant(1, black, control, 0.1), Participant(0, white, control, 0.1))
    board = after() if board is None else board
    referee = Referee(FIXTURE, board, participants, progress or FakeProgressRecord(), **options)
    game = referee.play()
    assert (referee.at_fault is None) == (game.reason not in FAULTS)
    if referee.at_fault is not None:
        assert referee.at_fault.player == game.loser == game.at_fault
    return game


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    result = FakeClock()
    monkeypatch.setattr(referee_module, "perf_counter", result)
    return result


# --- games that are played to their end ---


def test_five() -> None:
    black, white = Scripted("j8", "k8", "l8"), Scripted("a3", "a5")
    game = play(black, white, after("h8 a1 i8 a9"))
    assert (game.winner, game.reason, game.detail) == (Colour.BLACK, "five", "")
    assert game.moves == ("h8", "a1", "i8", "a9", "j8", "a3", "k8", "a5", "l8")
    assert (game.number, game.pair, game.black, game.white, game.opening) == (6, 3, 1, 0, 2)
    assert game.opening_moves == 4
    assert len(game.reports) == 5
    assert (game.loser, game.at_fault, game.points(1), game.points(0)) == (0, None, 1.0, 0.0)
    assert black.games == white.games == 1
    assert game.seconds > 0


def test_white_wins() -> None:
    game = play(Scripted("o1"), Scripted("l8"), after("a1 h8 a3 i8 a5 j8 a7 k8"))
    assert (game.winner, game.reason, game.loser) == (Colour.WHITE, "five", 1)


def test_a_board_that_is_over() -> None:
    black, white = Scripted(), Scripted()
    game = play(black, white, after("h8 a1 i8 a3 j8 a5 k8 a7 l8"))
    assert (game.winner, game.reason) == (Colour.BLACK, "five")
    assert black.boards == white.boards == []


def test_draws() -> None:
    game = play(Scripted(), Scripted(), after("h8", move_limit=4))
    assert (game.winner, game.reason, len(game.moves)) == (None, "move_limit", 4)
    assert game.score == 0.5
    assert game.loser is None
    text = "a1 c1 b1 d1 e1 a2 c2 b2 d2 e2 b3 a3 e3 c3 d3 a4 b4 c4 d4 e4 c5 a5 b5 d5 e5"
    rows = text.split()
    game = play(Scripted(*rows[::2]), Scripted(*rows[1::2]), after(size=5, rule="standard"))
    assert (game.winner, game.reason, len(game.moves)) == (None, "full_board", 25)


def test_passes() -> None:
    game = play(Scripted("h8", "pass"), Scripted("pass"))
    assert (game.winner, game.reason) == (None, "passes")
    assert game.moves == ("h8", "pass", "pass")


def test_scores_of_players() -> None:
    def scores(score: Score) -> Callable[[Board, Limit], PlayResult]:
        def answer(board: Board, limit: Limit) -> PlayResult:
            info = Info(PovScore(score, board.turn), depth=4, nodes=99)
            return PlayResult(board.legal_moves()[0], None, info)

        return answer

    black = Scripted(scores(Score(35)), "c1", scores(Score(0, -6)))
    white = Scripted(scores(Score(-20)), claims("d1", 3))
    game = play(black, white, after(move_limit=5))
    assert [reported[1:] for reported in game.reports] == [
        (35, None, 4, 99),
        (-20, None, 4, 99),
        (None, None, 0, 0),
        (None, 3, 7, 123),
        (None, -6, 4, 99),
    ]


def test_players_cannot_change_the_board() -> None:
    def vandal(board: Board, limit: Limit) -> str:
        board.push("pass")
        board.push("a1")
        while board.ply:
            board.pop()
        return "c3"

    game = play(Scripted(vandal), Scripted("d4"), after("h8 i9", move_limit=4))
    assert game.moves == ("h8", "i9", "c3", "d4")


def test_players_get_the_current_board() -> None:
    black, white = Scripted("c3", "d3"), Scripted("a1")
    play(black, white, after("h8 i9", rule="renju", move_limit=5))
    assert black.boards == [
        after("h8 i9", rule="renju", move_limit=5),
        after("h8 i9 c3 a1", rule="renju", move_limit=5),
    ]
    assert [board.moves for board in white.boards] == [after("h8 i9 c3").moves]


# --- errors ---

OVERLINE = "d4 a1 e4 a3 f4 a5 h4 a7 i4 a9"


@pytest.mark.parametrize(
    ("answer", "reason", "message"),
    [
        ("h8", "illegal", "h8 is occupied by black"),
        ("p16", "illegal", "off the 15x15 board"),
        (IllegalMove("x answered"), "illegal", "x answered"),
        (ForbiddenMove("x answered", "overline"), "forbidden", "x answered"),
        (EngineDied("x: exit code 3"), "crash", "x: exit code 3"),
        (EngineSilent("x: no answer"), "no_response", "x: no answer"),
        (EngineSilent("x: no answer", "hello?"), "output", "x: no answer"),
        (EngineRefused("x refused"), "output", "x refused"),
        (RuntimeError("oh"), "crash", "RuntimeError: oh"),
        (MemoryError(), "crash", "MemoryError: "),
    ],
)
@pytest.mark.parametrize("colour", Colour)
def test_faults(answer: str | Exception, reason: str, message: str, colour: Colour) -> None:
    engines = {colour: Scripted("b3", answer), colour.other: Scripted("a1", "a2", "a4")}
    game = play(engines[Colour.BLACK], engines[Colour.WHITE], after("h8 i9"))
    assert (game.winner, game.reason) == (colour.other, reason)
    assert message in game.detail
    played = "b3 a1" if colour is Colour.BLACK else "a1 b3 a2"
    assert game.moves == ("h8", "i9", *played.split())
    assert len(game.reports) == len(played.split())


def test_a_forbidden_move() -> None:
    game = play(Scripted("g4"), Scripted(), after(OVERLINE, rule="renju"))
    assert (game.winner, game.reason) == (Colour.WHITE, "forbidden")
    assert "g4 is forbidden to black: an overline" in game.detail
    game = play(Scripted("g4"), Scripted(), after(OVERLINE))
    assert (game.winner, game.reason) == (Colour.BLACK, "five")


def test_white_may_play_there() -> None:
    game = play(Scripted(), Scripted("g4"), after(f"{OVERLINE} o15", rule="renju", move_limit=12))
    assert (game.winner, game.reason) == (None, "move_limit")


def test_an_engine_that_cannot_start() -> None:
    class Broken(Scripted):
        def new_game(self) -> None:
            raise EngineDied("x: gone")

    game = play(Scripted(), Broken())
    assert (game.winner, game.reason, game.detail) == (Colour.BLACK, "crash", "x: gone")
    assert game.moves == ()


# --- time ---


def test_a_move_too_late(clock: FakeClock) -> None:
    control = TimeControl(time=1.0)
    black = Scripted(clock.think(1.05, "a1"), clock.think(1.2, "a2"))
    game = play(black, Scripted(clock.think(0.5, "b1")), control=control)
    assert (game.winner, game.reason) == (Colour.WHITE, "time")
    assert game.detail == "1.2 s for a move of 1 s"
    assert game.moves == ("a1", "b1")
    assert [reported.seconds for reported in game.reports] == pytest.approx([1.05, 0.5])
    assert {limit.time for limit in black.limits} == {1.0}


def test_a_late_illegal_move_loses_on_time(clock: FakeClock) -> None:
    game = play(Scripted(clock.think(2, "h8")), Scripted(), after("h8 i9"), TimeControl(time=1.0))
    assert game.reason == "time"


def test_the_clock_of_a_game(clock: FakeClock) -> None:
    control = TimeControl(clock=3.0)
    black = Scripted(clock.think(1, "a1"), clock.think(1.5, "a2"), clock.think(0.7, "a3"))
    white = Scripted(*(clock.think(0.1, f"c{n}") for n in range(1, 9)))
    game = play(black, white, control=control)
    assert (game.winner, game.reason) == (Colour.WHITE, "time")
    assert game.detail == "the clock of 3 s ran out"
    assert [limit.clock for limit in black.limits] == pytest.approx([3.0, 2.0, 0.5])
    assert [limit.clock for limit in white.limits] == pytest.approx([3.0, 2.9])
    assert game.moves == ("a1", "c1", "a2", "c2")


def test_an_increment(clock: FakeClock) -> None:
    control = TimeControl(clock=1.0, increment=0.5)
    black = Scripted(*(clock.think(0.6, f"a{n}") for n in (1, 3, 5, 7)))
    game = play(black, Scripted("c1", "c3", "c5", "c7"), after(move_limit=8), control)
    assert game.reason == "move_limit"
    assert [limit.clock for limit in black.limits] == pytest.approx([1.0, 0.9, 0.8, 0.7])
    assert {limit.increment for limit in black.limits} == {0.5}


def test_programs_without_a_time() -> None:
    """They get a timeout, to detect that they do not answer; a late move is no timeout."""
    engine, timed = Scripted("a1"), Scripted("a1")
    participants = (
        Participant(0, engine, TimeControl(depth=3), 0.1, untimed_move_timeout=20.0),
        Participant(1, timed, TimeControl(time=2.0, depth=3), 0.1, untimed_move_timeout=20.0),
    )
    for entry in participants:
        entry.request(lambda limit: entry.engine.play(after(), limit))  # noqa: B023
    assert engine.limits == [Limit(time=20.0, depth=3)]
    assert timed.limits == [Limit(time=2.0, depth=3)]


# --- what is left behind if the process dies ---


def test_notes() -> None:
    """Called before each move with the side to move, the player and the moves so far."""
    progress = FakeProgressRecord()
    white = Scripted("pass", EngineDied("x"))
    lost = play(Scripted("c3", "d3"), white, after("h8 i9"), progress=progress)
    places = [Move.parse(name).to_index(15) for name in ("h8", "i9", "c3")]
    assert progress.written == [
        (1, 1, 0, 2, *places[:2]),
        (0, 1, 0, 2, *places[:2]),
        (1, 1, 0, 2, *places[:2]),
        (0, 1, 0, 2, *places),
        (1, 1, 0, 2, *places, -1),
        (0, 1, 0, 2, *places, -1, Move("d3").to_index(15)),
    ]
    task = GameTask(small(size=15), FIXTURE, ("h8", "i9"))
    game = forfeited_game(task, "crash", "x", progress.written[-1])
    assert game.result() == lost.result()
    assert game.detail == "x"
    black_lost = forfeited_game(task, "no_response", "y", progress.written[-2])
    assert (black_lost.winner, black_lost.loser) == (Colour.WHITE, 1)


def test_the_arena_measures_the_time(clock: FakeClock) -> None:
    game = play(Scripted(clock.think(0.25, "a1")), Scripted(), after(move_limit=1))
    assert game.reports == (MoveReport(0.25),)


# --- black has only forbidden points left ---


def only_forbidden() -> Board:
    """A full renju board of seven lines but for d1, where black would make an overline."""
    rows = ["xxx.xxx", "oxxooxo", "xooxxoo", "oxxooxx", "xooxxoo", "oxxooxx", "xooxxox"]
    stones: dict[str, list[Move]] = {"x": [], "o": []}
    for y, row in enumerate(rows):
        for x, sign in enumerate(row):
            if sign != ".":
                stones[sign].append(Move(x, y))
    board = Board.from_stones(stones["x"], stones["o"], Colour.BLACK, 7, "renju")
    assert board.outcome() is None
    assert board.legal_moves() == []
    assert list(board.forbidden_points()) == [Move.parse("d1")]
    return board


def test_black_passes_if_every_point_is_forbidden() -> None:
    black, white = Scripted(), Scripted("d1")
    game = play(black, white, only_forbidden())
    assert (game.winner, game.reason, game.moves) == (None, "full_board", ("pass", "d1"))
    assert black.boards == []  # a forced pass: the player is not called
    assert len(game.reports) == 2


@pytest.mark.parametrize("program", [0, 1])
def test_a_program_draws_if_every_point_is_forbidden(program: int) -> None:
    """Its protocol has no pass, so the game is a draw."""
    participants = (Participant(1, Scripted(), NODES, 0.1), Participant(0, Scripted(), NODES, 0.1))
    participants[program].accepts_passes = False
    game = Referee(FIXTURE, only_forbidden(), participants, FakeProgressRecord()).play()
    assert (game.winner, game.reason, game.at_fault) == (None, "no_legal_move", None)
    assert MatchGame.from_json(game.to_json()).result() == game.result()
