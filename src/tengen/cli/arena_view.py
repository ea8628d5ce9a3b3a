# SPDX-License-Identifier: MIT
"""What a running match or tournament shows on stderr: a live picture on a terminal, a line now and
then elsewhere; and the table at its end.

The figures are made of plain lines (`arena_lines`), so that both, and a terminal without rich, tell
the same. Relies on standings; rich is imported only for a terminal, and need not be there.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from tengen.arena.definition import Definition
from tengen.arena.game import Game
from tengen.arena.progress import Progress
from tengen.arena.standings import SprtState, sprt_state, standings
from tengen.cli.arena_lines import State, bar, lines, one_line_of, result_table
from tengen.cli.common import one_line

if TYPE_CHECKING:
    from rich.live import Live

__all__ = ["ArenaView", "summary"]

_LIVE_PERIOD = 0.5  # seconds between two pictures
_LINE_PERIOD = 10.0  # seconds between two lines
# A picture of many games takes long to work out; this part of the time may go into it.
_SHARE = 0.05


def summary(definition: Definition, games: Sequence[Game]) -> str:
    """The result as a table of plain text, without a newline at the end."""
    return "\n".join(result_table(standings(definition, games)))


class ArenaView:
    """Follows a run. `total` games are planned, `done` of them (or their number) were there before:
    they count for the result, not for the speed.
    """

    def __init__(
        self, definition: Definition, total_games: int, done: int | Sequence[Game] = 0
    ) -> None:
        self._definition = definition
        self._total = total_games
        self._before = done if isinstance(done, int) else len(done)
        self._progress = Progress(definition)  # follows the test game by game
        self._seen = 0  # games that it has been given
        self._games: Sequence[Game] = () if isinstance(done, int) else done
        self._live: Live | None = None
        self._start = self._next = time.monotonic()
        self._period = _LINE_PERIOD

    def __enter__(self) -> Self:
        self._start = time.monotonic()
        self._live = _live()
        self._period = _LINE_PERIOD if self._live is None else _LIVE_PERIOD
        if self._live is None:
            self._next = self._start + self._period
        else:
            self._live.start()
            self._show()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def update(self, games: Sequence[Game]) -> None:
        """Tell of the games so far, in the order of their ends. Shows them if it is time."""
        self._games = games
        if time.monotonic() >= self._next:
            self._show()

    def close(self) -> None:
        """Take the picture away. The result is for `summary`."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _show(self) -> None:
        start = time.monotonic()
        state = State(
            standings(self._definition, self._games),
            self._total,
            len(self._games) - self._before,
            start - self._start,
            self._sprt(),
        )
        if self._live is None:
            print(f"tengen: {one_line(one_line_of(state))}", file=sys.stderr, flush=True)
        else:
            self._draw(state, self._live)
        now = time.monotonic()
        self._next = now + max(self._period, (now - start) / _SHARE)

    def _sprt(self) -> SprtState | None:
        """The state of the test; only the new games are looked at."""
        if self._definition.sprt is None:
            return None
        for game in self._games[self._seen :]:
            self._progress.add(game)
        self._seen = len(self._games)
        return sprt_state(self._definition.sprt, self._progress)

    def _draw(self, state: State, live: Live) -> None:
        from rich.console import Group
        from rich.text import Text

        done = len(state.standings.games)
        head = Text(bar(done, self._total, 40) + " ", style="green", no_wrap=True)
        body = [Text(line, no_wrap=True, overflow="ellipsis") for line in lines(state)]
        live.update(Group(head, *body), refresh=True)


def _live() -> Live | None:
    """The live picture of a terminal that can show one."""
    if not sys.stderr.isatty():
        return None
    try:
        from rich.console import Console
        from rich.live import Live
    except ImportError:
        return None
    return Live(
        console=Console(stderr=True),
        transient=True,
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
    )
