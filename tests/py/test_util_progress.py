# SPDX-License-Identifier: MIT
"""Console progress: plain lines, and what a terminal shows."""

from __future__ import annotations

import io
import sys

import pytest

from tengen.util import progress as module
from tengen.util.progress import Progress, draw_bar, track


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(module, "monotonic", made)
    return made


def test_a_line_every_few_seconds(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("tengen x", 1000, "games", initial=100) as progress:
        assert not progress.is_live
        for second in range(25):
            clock.now = 100.0 + second
            progress.update(100 + 20 * second, text=lambda: "a\x1btext")
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "tengen x: 300/1,000 games, 20/s, 35 s left, a�text",
        "tengen x: 500/1,000 games, 20/s, 25 s left, a�text",
    ]


def test_other_shapes_of_a_line(clock: Clock) -> None:
    progress = Progress("x", unit="games")
    progress.update(5)
    assert progress.line() == "x: 5 games"
    clock.now += 10
    progress.advance(5, "text")
    assert progress.line() == "x: 10 games, 1/s, text"
    share = Progress("x", 8, share=True, rate=False)
    clock.now += 10
    share.update(2)
    assert share.line() == "x: 25%"
    share.update(total=0)
    assert share.line() == "x: 100%"
    assert Progress("x").line() == "x"


def test_no_lines_where_none_are_wanted(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    def never() -> str:
        raise AssertionError("nothing is drawn")

    with Progress("x", 10, line_seconds=None) as progress:
        clock.now += 1e6
        progress.update(5, text=never)
        progress.draw()
        progress.print("a message")
    assert capsys.readouterr().err == "a message\n"
    assert list(track([1, 2, 3], "x")) == [1, 2, 3]
    assert capsys.readouterr().err == ""


def test_a_terminal(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    calls = []

    def detail() -> list[str]:
        calls.append(1)
        return ["[b]first\x07[/b]", "second"]

    progress = Progress("tengen x", 100, "games")

    def interrupted() -> None:
        with progress:
            assert progress.is_live
            progress.update(25, text="[red]not markup", detail=detail)
            progress.update(26)  # too soon for another frame
            assert len(calls) == 1
            progress.print("[i]stays[/i]")
            clock.now += 1
            progress.update(50)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    text = terminal.getvalue()
    assert len(calls) >= 2
    for part in ("25/100 games", "[red]not markup", "[b]first�[/b]", "[i]stays[/i]", "50/100"):
        assert part in text
    assert text.rfind("\x1b[?25h") > text.rfind("\x1b[?25l") >= 0  # the cursor is back
    before = len(terminal.getvalue())
    progress.update(60)
    assert len(terminal.getvalue()) == before


def test_costly_frames_come_less_often(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    def slow() -> str:
        clock.now += 10
        return "drawn"

    with Progress("x", 10, line_seconds=1) as progress:
        for _ in range(250):
            clock.now += 1
            progress.update(1, text=slow)
    assert capsys.readouterr().err.count("drawn") == 2  # a line takes 10 s: one in 200 s


@pytest.mark.parametrize(
    ("done", "total", "full"), [(0, 10, 0), (5, 10, 4), (10, 10, 8), (20, 10, 8), (0, 0, 8)]
)
def test_bars(done: int, total: int, full: int) -> None:
    assert draw_bar(done, total, 8) == "━" * full + "─" * (8 - full)
