# SPDX-License-Identifier: MIT
"""The live view of a run and the table at its end: with a terminal, without one, without rich."""

from __future__ import annotations

import io
import sys
import time

import pytest

from arena_samples import HOSTILE, definition, fault, game, match
from tengen.arena.elo import Elo
from tengen.arena.sprt import Sprt
from tengen.arena.standings import SprtState, standings
from tengen.cli import arena_view
from tengen.cli.arena_lines import (
    State,
    aligned,
    bar,
    duration,
    elo_words,
    lines,
    llr_line,
    one_line_of,
)
from tengen.cli.arena_view import ArenaView, summary


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    """Time that passes only when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(arena_view, "time", found)
    return found


def terminal_of(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """What stands for the terminal from now on. No fixture: pytest puts its own stderr back before
    it calls a test.
    """
    found = Terminal()
    monkeypatch.setattr(sys, "stderr", found)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return found


def test_a_log_gets_a_line_every_ten_seconds(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    games = match("bwbwbbd")
    with ArenaView(definition(), 20) as view:
        for n in range(1, 8):
            clock.now += 4
            view.update(games[:n])
    lines_ = capsys.readouterr().err.splitlines()
    assert len(lines_) == 2
    assert lines_[0].startswith("tengen: 3/20 games, 0:12, 1:08 left, 0.25 games/s, +3 =0 -0, ")
    assert lines_[1].startswith("tengen: 6/20 games, 0:24, ")


def test_games_of_an_earlier_run_are_not_of_this_speed(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    games = match("bwbwbbd")
    for done in (5, games[:5]):
        with ArenaView(definition(), 20, done) as view:
            clock.now += 10
            view.update(games)
        assert "7/20 games, 0:10, 1:05 left, 0.20 games/s" in capsys.readouterr().err


def test_a_terminal_gets_a_picture(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    plan = definition("one", "two", sprt=Sprt(0, 5))
    with ArenaView(plan, 20) as view:
        clock.now += 1
        view.update([*match("bwbwb"), fault(5, 1, 0, "crash", "x")])
    text = terminal.getvalue()
    assert "\x1b[" in text
    for part in ("one - two", "6/20 games", "LLR ", "LOS ", "pairs by points", "fault: two"):
        assert part in text
    assert "█" in text


def test_a_terminal_without_rich_gets_lines(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.setitem(sys.modules, "rich.live", None)
    with ArenaView(definition(), 20) as view:
        clock.now += 11
        view.update(match("bw"))
    assert terminal.getvalue().startswith("tengen: 2/20 games")
    assert "\x1b[" not in terminal.getvalue()


def test_pictures_are_not_drawn_too_often(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    with ArenaView(definition(), 20) as view:
        clock.now += 0.6
        view.update(match("b"))
        seen = len(terminal.getvalue())
        clock.now += 0.4
        view.update(match("bw"))
        assert len(terminal.getvalue()) == seen
        clock.now += 0.2
        view.update(match("bwb"))
        assert len(terminal.getvalue()) > seen


def test_a_slow_picture_is_drawn_less_often(
    clock: Clock, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*args: object) -> object:
        clock.now += 2
        return standings(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(arena_view, "standings", slow)
    with ArenaView(definition(), 20) as view:
        for _ in range(60):
            clock.now += 1
            view.update(match("b"))
    assert len(capsys.readouterr().err.splitlines()) == 2  # at 10 s, then 40 s later


def test_an_update_in_between_is_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal_of(monkeypatch)
    games = match("bw" * 500)
    with ArenaView(definition(pairs=1000), 2000) as view:
        view.update(games)
        view._next = time.monotonic() + 60
        start = time.perf_counter()
        for _ in range(1000):
            view.update(games)
        assert time.perf_counter() - start < 1


def test_the_test_is_followed_game_by_game(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = definition(sprt=Sprt(0, 50), pairs=100)
    games = match("bw" * 8)
    with ArenaView(plan, 200) as view:
        for n in range(2, 17, 2):
            clock.now += 10
            view.update(games[:n])
    told = [line.split("LLR ")[1] for line in capsys.readouterr().err.splitlines()]
    state = standings(plan, games).sprt
    assert state is not None
    assert len(told) == 8
    assert told[-1] == f"{state.llr:+.2f}"


def test_lines_of_a_tournament() -> None:
    games = [game(0, 0, 1), game(1, 1, 0, "w"), game(2, 0, 2), game(3, 2, 0, "w")]
    table = standings(definition("best", "b", "c"), games)
    shown = lines(State(table, 60, 4, 8.0))
    assert shown[0] == "4/60 games, 0:08, 1:52 left, 0.50 games/s"
    assert shown[1].split() == ["player", "Elo", "±", "games", "score", "draws", "LOS"]
    assert shown[2].split()[:2] == ["1", "best"]
    assert "best leads with +" in one_line_of(State(table, 60, 4, 8.0))


def test_before_the_first_game() -> None:
    for plan in (definition(), definition("a", "b", "c")):
        state = State(standings(plan, []), 60, 0, 0.0)
        assert lines(state)[0] == "0/60 games, 0:00"
        assert one_line_of(state).startswith("0/60 games, 0:00")
    assert summary(definition(), []) == "no game was finished"


def test_summary_of_a_match() -> None:
    plan = definition("one", "a much longer name than fits into it", sprt=Sprt(0, 5))
    text = summary(plan, [*match("bwbbd"), fault(5, 1, 0, "time", "late")])
    rows = text.splitlines()
    assert rows[0].split() == ["player", "games", "won", "drawn", "lost", "score", "as", "black"]
    assert rows[1].split() == ["one", "6", "4", "1", "1", "75.0%", "83.3%"]
    assert rows[2].startswith("a much longer name than fit…  ")
    assert len({len(row) for row in rows[:3]}) == 1
    assert "Elo +190.8 ± " in text
    assert "pairs by points  0: 0  1/2: 0  1: 1  3/2: 1  2: 1" in text
    assert "LLR +" in text
    assert rows[-1] == "fault: a much longer name than fits into it, out of time: 1"


def test_summary_of_a_tournament() -> None:
    games = [game(0, 0, 1), game(1, 1, 0, "w")]
    rows = summary(definition("a", "b", "c"), games).splitlines()
    assert len(rows) == 4
    assert [row.split()[1] for row in rows[1:]] == ["a", "c", "b"]
    assert rows[2].split()[2:] == ["-", "-", "0", "-", "-"]


def test_foreign_text_does_not_reach_the_terminal(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = terminal_of(monkeypatch)
    # A name has no control characters, but what looks like markup must come out as it is.
    plan = definition("[bold]x[/bold]", HOSTILE[0])
    with ArenaView(plan, 4) as view:
        clock.now += 1
        view.update(match("bw"))
    assert "[bold]x[/bold] - </script>" in terminal.getvalue()
    assert "[bold]x[/bold]" in summary(plan, match("bw"))


def test_words() -> None:
    inf = float("inf")
    assert [duration(s) for s in (0, 59.6, 3723)] == ["0:00", "1:00", "1:02:03"]
    assert bar(1, 4, 8) == "██░░░░░░"
    assert bar(9, 4, 4) == "████"
    assert bar(0, 0, 4) == "░░░░"
    assert elo_words(Elo(10, 5, 15, 0.9)) == "Elo +10.0 ± 5.0"
    assert elo_words(Elo(inf, 60, inf, 0.9)) == "Elo > +60"
    assert aligned([("player", "n"), ("a", "10")]) == ["player   n", "a       10"]


def test_the_llr_lies_between_its_bounds() -> None:
    at = [llr_line(SprtState(llr, -2.0, 2.0, 5, None)).index("●") for llr in (-9.0, -1.0, 0.0, 9.0)]
    assert at == sorted(at)
    assert llr_line(SprtState(2.5, -2.0, 2.0, 5, "H1")).endswith("H1 accepted")
