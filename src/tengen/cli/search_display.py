# SPDX-License-Identifier: MIT
"""What a search shows while it runs: a line or a table on stderr, and only if someone is looking.
Relies on the solver's `SolverProgress`; rich is imported only for a terminal.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Self

from tengen.solver import SolverProgress

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

__all__ = ["SearchDisplay", "progress_words"]


def progress_words(progress: SolverProgress) -> str:
    """A search on its way, in words."""
    parts = [f"{progress.nodes:,} nodes"]
    if progress.seconds > 0:
        parts.append(f"{progress.nodes / progress.seconds:,.0f} nodes/s")
    parts.append(f"depth {progress.depth}")
    if progress.best is not None:
        parts.append(f"best {progress.best}")
    return ", ".join([*parts, f"{progress.seconds:.1f} s"])


class SearchDisplay:
    """What follows a search and goes away at its end."""

    def __init__(self) -> None:
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(
                console=Console(stderr=True),
                transient=True,
                auto_refresh=False,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def searching(self, progress: SolverProgress) -> None:
        self.show("searching: " + progress_words(progress))

    def checking(self, moves: int) -> None:
        self.show(f"checking the proof: {moves:,} moves played")

    def show(self, words: str) -> None:
        if self._live is not None:
            from rich.text import Text

            self._live.update(Text(words, no_wrap=True, overflow="ellipsis"), refresh=True)

    def draw(self, picture: Callable[[], RenderableType]) -> None:
        """Show more than a line; the picture is only made if someone is looking."""
        if self._live is not None:
            self._live.update(picture(), refresh=True)
