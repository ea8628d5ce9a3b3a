# SPDX-License-Identifier: MIT
"""What a tuning run shows on stderr: a bar if someone is looking, else a line now and then. It also
keeps `values.json` fresh. Relies on the folder; rich is imported only for a terminal.
"""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING, Self

from tengen.cli.common import one_line
from tengen.tune.tune_folder import TuneFolder

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["TuneView", "progress_words", "tell"]

_EVERY = 10.0  # seconds between two lines, and between two writings of the values


def tell(words: str) -> None:
    """A line beside the result."""
    print(f"tengen tune: {one_line(words)}", file=sys.stderr, flush=True)


def progress_words(folder: TuneFolder, played: int, seconds: float) -> str:
    """Where a run stands; `played` iterations were played in the last `seconds`."""
    state, total = folder.state, folder.state.total
    parts = [f"{total.games:,} games +{total.wins:,} ={total.draws:,} -{total.losses:,}"]
    if total.faults:
        parts.append(f"{total.faults:,} ended by errors")
    if played and seconds > 0:
        speed = played / seconds
        left = (folder.plan.spsa.iterations - state.iterations) / speed
        parts.append(f"{speed * 2 * folder.plan.pairs:.3g} games/s")
        parts += [f"{_span(left)} left"] if left else []
    return ", ".join(parts)


def _span(seconds: float) -> str:
    for size, unit in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.0f} s"


class TuneView:
    """The progress of a run, while entered."""

    def __init__(self, folder: TuneFolder) -> None:
        self._folder = folder
        self._before = folder.state.iterations
        self._began = self._told = monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._bar = _bar()
            total, done = self._folder.plan.spsa.iterations, self._before
            self._task = self._bar.add_task("tuning", total=total, completed=done, words="")
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif self._folder.state.iterations > self._before:
            self._line()

    def update(self) -> None:
        """Something may have changed."""
        now = monotonic()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._folder.state.iterations, words=self._words)
        if now - self._told >= _EVERY:
            self._told = now
            self._folder.write_values()
            if self._bar is None:
                self._line()

    @property
    def _words(self) -> str:
        played = self._folder.state.iterations - self._before
        return progress_words(self._folder, played, monotonic() - self._began)

    def _line(self) -> None:
        done, total = self._folder.state.iterations, self._folder.plan.spsa.iterations
        tell(f"{done:,} of {total:,} iterations, {self._words}")


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[words]}", markup=False),
        console=Console(stderr=True),
        redirect_stdout=False,
        redirect_stderr=False,
        transient=True,
    )
