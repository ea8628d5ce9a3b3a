# SPDX-License-Identifier: MIT
"""A progress bar on stderr for work on data sets: a bar with speed on a terminal, a line now and
then elsewhere. rich is imported only for a terminal.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["Bar"]

_SHOWN = 0.1  # seconds between two pictures
_TOLD = 10.0  # seconds between two lines


class Bar:
    """Follows work that is done to a share, and tells of things made on the way, `what`."""

    def __init__(self, title: str, what: str = "positions") -> None:
        self._title = title
        self._what = what
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._start = self._last = time.monotonic()
        self._first: int | None = None  # made before we began

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[told]}"),
            )
            console = Console(stderr=True)
            self._progress = Progress(
                *columns, TimeRemainingColumn(), console=console, transient=True
            )
            self._task = self._progress.add_task(self._title, told="")
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def update(self, done: int, total: int, made: int | None = None) -> None:
        """Show where the work is; cheap to call often."""
        if made is not None and self._first is None:
            self._first = made
        now = time.monotonic()
        if now - self._last < (_TOLD if self._progress is None else _SHOWN):
            return
        self._last = now
        told = "" if made is None else self._words(made, now)
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=done, total=total, told=told)
        else:
            share = 100 * done / total if total else 100.0
            print(f"{self._title}: {share:.0f}% {told}".rstrip(), file=sys.stderr)

    def _words(self, made: int, now: float) -> str:
        speed = (made - (self._first or 0)) / max(now - self._start, 1e-9)
        return f"{made:,} {self._what}, {speed:,.0f} a second"
