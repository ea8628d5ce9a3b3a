# SPDX-License-Identifier: MIT
"""The terminal game against the engine, with a fake core that plays the first free points."""

from __future__ import annotations

import itertools
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fake_core import FakePlayer, fake_engines
from tengen import Colour, Engine, Limit, Rule
from tengen.cli.terminal_common import EnginePlayer, Reply
from tengen.cli.terminal_game import TerminalGame
from tengen.game import records
from tengen.game.recorded_game import RecordedGame
from terminal_dialogue import names


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> list[FakePlayer]:
    return fake_engines(monkeypatch)


@pytest.fixture
def opponent(cores: list[FakePlayer]) -> Iterator[EnginePlayer]:
    with Engine() as engine:
        yield EnginePlayer(engine, Limit(depth=3))


def against(
    opponent: EnginePlayer, person: str = "black", autosave: Path | None = None
) -> TerminalGame:
    """A game whose clock advances by half a second per reading."""
    clock = map(float, itertools.count(0, 1))
    return TerminalGame(
        RecordedGame.new(Rule.FREESTYLE, 9),
        opponent,
        Colour.parse(person),
        autosave=autosave,
        clock=lambda: next(clock) / 2,
    )


def act(at: TerminalGame, dialogue: str) -> None:
    """As `terminal_dialogue.talk`; the engine answers after each line that is typed."""
    reported: tuple[str, ...] = ()
    for line in dialogue.strip().splitlines():
        sign, _, text = line.strip().partition(" ")
        if sign == ">":
            reported = at.handle(text).lines
            if at.engine_to_move:
                reported += at.engine_move().lines
        elif sign == "<":
            assert any(text in one for one in reported), f"no {text!r} in {reported}"
        else:
            assert sign == "<!"
            assert not any(text in one for one in reported), f"{text!r} in {reported}"


def moves(at: TerminalGame) -> str:
    return names(at.game.moves)


def test_a_game(opponent: EnginePlayer) -> None:
    at = against(opponent)
    greeting = at.greet().lines
    assert greeting[0].startswith("Tengen: freestyle on 9x9.")
    assert greeting[1] == f"You are black; {opponent.name} is white, depth 3 per move."
    assert not at.engine_to_move
    assert at.prompt == "black> "
    act(
        at,
        f"""
        > e5
        < 1. black e5. White to move.
        < {opponent.name} plays a1 (+93 for white, win rate 61.4%, depth 3).
        < 1 (O). . .
        < 2. white a1. Black to move.
        > a1
        < a1 is occupied by white
        > hint
        < {opponent.name} would play b1 (+93 for black, win rate 61.4%, depth 3).
        < Its line: b1 c1 d1.
        > e6
        > e7
        > e8
        < 7. black e8.
        < 8. white d1. Black to move.
        > e9
        < 9. black e9. Black wins: five in a row, e5 to e9.
        > e1
        < The game is over: `undo`
        > hint
        < The game is over: `undo`
        > resign
        < The game is over: `undo`
        > moves
        < 1.e5 2.a1
        """,
    )
    assert at.prompt == "game over> "
    assert not at.engine_to_move


def test_the_engine_moves_first_if_you_are_white(opponent: EnginePlayer) -> None:
    at = against(opponent, "white")
    assert at.engine_to_move
    assert at.engine_move().lines[-1] == "1. black a1. White to move."
    act(at, "> e5\n< 2. white e5. Black to move.\n< 3. black b1. White to move.")


def test_the_engine_can_win(opponent: EnginePlayer) -> None:
    at = against(opponent)
    act(at, "> e5\n> e6\n> e7\n> i1\n> i9\n< White wins: five in a row, a1 to e1.")
    act(at, "> undo\n< 8. white d1. Black to move.")


def test_undo_takes_back_both_moves(opponent: EnginePlayer) -> None:
    at = against(opponent)
    act(at, "> undo\n< There is no move of yours to take back.")
    act(at, "> e5\n> f5\n> g5\n> undo\n< 4. white b1. Black to move.")
    assert moves(at) == "e5 a1 f5 b1"
    act(at, "> undo 3\n< There are only 2 moves of yours to take back, not 3.")
    act(at, "> undo x\n< `undo` takes a number of moves from 1")
    act(at, "> undo 2\n< Black to move.")
    assert moves(at) == ""
    act(at, "> redo 2\n< 4. white b1.\n> redo 2\n< There is only 1 move of yours to play again")
    act(at, "> redo\n< 6. white c1.")
    assert moves(at) == "e5 a1 f5 b1 g5 c1"
    white = against(opponent, "white")
    white.engine_move()
    act(white, "> undo\n< There is no move of yours")
    act(white, "> e5\n> undo\n< 1. black a1. White to move.")


def test_a_last_move_without_a_reply_is_taken_back_and_redone(opponent: EnginePlayer) -> None:
    at = against(opponent)
    act(at, "> e5\n> e6\n> e7\n> e8\n> e9\n< Black wins")
    act(at, "> undo\n< 8. white d1.\n> redo\n< Black wins")


def test_resigning(opponent: EnginePlayer) -> None:
    act(
        against(opponent),
        """
        > e5
        > resign now
        < `resign` takes no argument
        > resign
        < 2. white a1. White wins: black resigned.
        > f5
        < The game is over
        > resign
        < The game is over
        > undo
        < 2. white a1. Black to move.
        > f5
        < 4. white b1. Black to move.
        """,
    )


def test_swapping_colours(opponent: EnginePlayer) -> None:
    at = against(opponent)
    act(
        at,
        f"""
        > e5
        > swap
        < You are white; {opponent.name} is black
        < 3. black b1. White to move.
        > f5
        < 5. black c1. White to move.
        """,
    )
    assert moves(at) == "e5 a1 b1 f5 c1"
    assert at.prompt == "white> "


def test_other_games(opponent: EnginePlayer, cores: list[FakePlayer], tmp_path: Path) -> None:
    at = against(opponent, "white")
    at.engine_move()
    act(at, "> new renju 7\n< A new game: renju on 7x7.\n< 1. black a1. White to move.")
    assert cores[0].games == 1
    path = tmp_path / "game.txt"
    path.write_text("h8 i9", encoding="utf-8")
    act(at, f"> load {path}\n< Loaded {path}\n< 3. black a1. White to move.")


def test_passing(opponent: EnginePlayer) -> None:
    act(
        against(opponent),
        "> pass\n< 1. black passed. White to move.\n< 2. white a1. Black to move.",
    )


def test_the_file_has_names_and_times(opponent: EnginePlayer, tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    at = against(opponent, autosave=path)
    act(at, "> e5\n> f5\n> resign")
    (record,) = records.read(path)
    assert (record.black, record.white) == ("Human", opponent.name)
    assert [node.time_ms for node in record.main_line()[1:]] == [500, 500, 500, 500]
    assert record.result == "W+"
    assert record.result_text() == "W+Resign"
    act(at, "> undo\n> swap")
    (record,) = records.read(path)
    assert (record.black, record.result) == (opponent.name, "")
    assert record.result_text() == ""


def test_names_of_a_file_stay(opponent: EnginePlayer, tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[4]SZ[15]PB[Anna];B[hh])", encoding="utf-8")
    at = TerminalGame(RecordedGame.load(path), opponent, autosave=path)
    at.engine_move()
    (record,) = records.read(path)
    assert (record.black, record.white) == ("Anna", opponent.name)


def test_help_lists_the_commands(opponent: EnginePlayer) -> None:
    reported = "\n".join(against(opponent).handle("help").lines)
    for command in ("hint", "resign", "swap", "undo", "save"):
        assert f"  {command}" in reported
    two_people = TerminalGame(RecordedGame.new(Rule.FREESTYLE, 9)).handle("help").lines
    assert not any("hint" in line or "resign" in line for line in two_people)


def test_an_interrupt_makes_it_move(cores: list[FakePlayer]) -> None:
    with Engine() as engine:
        at = against(EnginePlayer(engine, Limit()), "white")

        def press() -> None:
            while not engine.is_busy:
                pass
            signal.raise_signal(signal.SIGINT)

        threading.Thread(target=press).start()
        assert at.engine_move().lines[-1] == "1. black a1. White to move."
        assert at.greet().lines[1].endswith("is black, unlimited time per move.")


WORDS = ["pass", "undo", "redo", "hint", "resign", "swap", "moves", "new", "help", "undo 2"]
WORDS += ["e5", "a1", "b2", "c3", "board", "new 5"]


@given(st.lists(st.sampled_from(WORDS), max_size=20))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_game_is_a_game(opponent: EnginePlayer, lines: list[str]) -> None:
    """After any input and the engine's reply the human is to move, or the game is over."""
    at = against(opponent)
    for line in lines:
        assert isinstance(at.handle(line), Reply)
        if at.engine_to_move:
            at.engine_move()
        assert at.game.is_over or at.game.board.turn is at.person
