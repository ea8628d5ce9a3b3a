# SPDX-License-Identifier: MIT
"""The live display of a match and the table at its end, with a terminal and without one."""

from __future__ import annotations

import io
import sys

import pytest

from arena_samples import HOSTILE, definition, fault, game, match
from tengen.arena.elo import Elo
from tengen.arena.sprt import Sprt
from tengen.arena.standings import SprtState, standings
from tengen.cli.arena_common import MatchDisplay, summary
from tengen.cli.arena_text import aligned, detail_lines, elo_text, llr_line, status_line
from tengen.util import progress as progress_module


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    """A clock that the test advances."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(progress_module, "monotonic", made)
    return made


def make_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Replaces stderr. Not a fixture: pytest restores its own stderr before it calls a test."""
    made = Terminal()
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return made


def test_a_log_gets_a_line_every_ten_seconds(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    games = match("bwbwbbd")
    with MatchDisplay(definition(), 20) as display:
        for n in range(1, 8):
            clock.now += 4
            display.update(games[:n])
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("tengen: 3/20 games, 0.25/s, 68 s left, +3 =0 -0, ")
    assert lines[1].startswith("tengen: 6/20 games, ")


def test_games_of_an_earlier_run_do_not_count_for_the_speed(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    games = match("bwbwbbd")
    with MatchDisplay(definition(), 20, games[:5]) as display:
        clock.now += 10
        display.update(games)
    assert "7/20 games, 0.2/s, 65 s left" in capsys.readouterr().err


def test_a_terminal_gets_a_live_view(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = make_terminal(monkeypatch)
    plan = definition("one", "two", sprt=Sprt(0, 5))
    with MatchDisplay(plan, 20) as display:
        clock.now += 1
        display.update([*match("bwbwb"), fault(5, 1, 0, "crash", "x")])
    text = terminal.getvalue()
    assert "\x1b[" in text
    for part in ("one - two", "6/20 games", "LLR ", "LOS ", "pairs by points", "fault: two"):
        assert part in text


def test_the_test_is_followed_game_by_game(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = definition(sprt=Sprt(0, 50), pairs=100)
    games = match("bw" * 8)
    with MatchDisplay(plan, 200) as display:
        for n in range(2, 17, 2):
            clock.now += 10
            display.update(games[:n])
    shown = [line.split("LLR ")[1] for line in capsys.readouterr().err.splitlines()]
    state = standings(plan, games).sprt
    assert state is not None
    assert len(shown) == 8
    assert shown[-1] == f"{state.llr:+.2f}"


def test_lines_of_a_tournament() -> None:
    games = [game(0, 0, 1), game(1, 1, 0, "w"), game(2, 0, 2), game(3, 2, 0, "w")]
    table = standings(definition("best", "b", "c"), games)
    shown = detail_lines(table, None)
    assert shown[0].split() == ["player", "Elo", "±", "games", "score", "draws", "LOS"]
    assert shown[1].split()[:2] == ["1", "best"]
    assert "best leads with +" in status_line(table, None)


def test_before_the_first_game() -> None:
    for plan in (definition(), definition("a", "b", "c")):
        table = standings(plan, [])
        detail_lines(table, None)
        status_line(table, None)
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


def test_control_characters_do_not_reach_the_terminal(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = make_terminal(monkeypatch)
    # A name has no control characters, but what looks like markup must come out as it is.
    plan = definition("[bold]x[/bold]", HOSTILE[0])
    with MatchDisplay(plan, 4) as display:
        clock.now += 1
        display.update(match("bw"))
    assert "[bold]x[/bold] - </script>" in terminal.getvalue()
    assert "[bold]x[/bold]" in summary(plan, match("bw"))


def test_text() -> None:
    inf = float("inf")
    assert elo_text(Elo(10, 5, 15, 0.9)) == "Elo +10.0 ± 5.0"
    assert elo_text(Elo(inf, 60, inf, 0.9)) == "Elo > +60"
    assert aligned([("player", "n"), ("a", "10")]) == ["player   n", "a       10"]


def test_the_llr_lies_between_its_bounds() -> None:
    at = [llr_line(SprtState(llr, -2.0, 2.0, 5, None)).index("●") for llr in (-9.0, -1.0, 0.0, 9.0)]
    assert at == sorted(at)
    assert llr_line(SprtState(2.5, -2.0, 2.0, 5, "H1")).endswith("H1 accepted")
