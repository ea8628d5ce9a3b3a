# SPDX-License-Identifier: MIT
"""What people see of a run: lines on stderr, or a bar of minutes where rich is installed and stderr
is a terminal; TensorBoard where it is installed. Relies on the journal of training; the loop relies
on it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from tengen.train.folder import Journal
from tengen.train.log import open_tensorboard

__all__ = ["BarView", "Log", "PlainView", "View", "default_view", "tell"]


def tell(text: str) -> None:
    """A line for the person at the terminal; stdout is for results."""
    print(f"tengen zero: {text}", file=sys.stderr, flush=True)


class View(Protocol):
    """Where a run is shown."""

    def advance(self, seconds: float, words: str) -> None:
        """So far the run has come; `words` say how it does."""

    def show(self, text: str) -> None:
        """A line of words that stays."""

    def close(self) -> None: ...


class PlainView:
    """Lines on stderr."""

    def advance(self, seconds: float, words: str) -> None:
        tell(words)

    def show(self, text: str) -> None:
        tell(text)

    def close(self) -> None:
        pass


class BarView:
    """A bar of the plan's minutes, lines above it. Needs rich."""

    def __init__(self, seconds: float, total: float) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._bar = Progress(
            TextColumn("[bold]{task.completed:.1f}/{task.total:.0f} min"),
            BarColumn(bar_width=16),
            TextColumn("{task.description}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("", total=total / 60, completed=0)
        self._bar.update(self._task, completed=seconds / 60)
        self._bar.start()

    def advance(self, seconds: float, words: str) -> None:
        self._bar.update(self._task, completed=seconds / 60, description=words.split(": ", 1)[-1])

    def show(self, text: str) -> None:
        self._bar.console.print(f"tengen zero: {text}", markup=False, highlight=False)

    def close(self) -> None:
        self._bar.stop()


def default_view(seconds: float, total: float) -> View:
    """A bar if there can be one, else lines."""
    if sys.stderr.isatty():
        try:
            return BarView(seconds, total)
        except ImportError:
            pass
    return PlainView()


class Log:
    """Takes the rows of a run to all places where they go."""

    def __init__(self, journal: Path, tensorboard: Path | None, view: View) -> None:
        self.view = view
        self._journal = Journal(journal)
        self._board = open_tensorboard(tensorboard) if tensorboard is not None else None

    def add(self, row: Mapping[str, Any]) -> None:
        """Keep a row. Raises OSError."""
        self._journal.add(row)
        if self._board is None:
            return
        try:
            for name, value in row.items():
                if isinstance(value, int | float) and name not in ("seconds", "step"):
                    self._board.add_scalar(f"{row['event']}/{name}", value, int(row["seconds"]))
        except OSError as error:  # its files are an extra
            self.view.show(f"goes on without TensorBoard: {error.strerror or error}")
            self._board = None

    def close(self) -> None:
        self._journal.close()
        if self._board is not None:
            with suppress(OSError):
                self._board.close()
        self.view.close()
