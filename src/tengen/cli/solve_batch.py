# SPDX-License-Identifier: MIT
"""`tengen solve` for many positions: a line for each as it is done, a bar meanwhile, a summary.

Nothing that one position does stops the others. Relies on the solver; `solve` relies on it.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from tengen.cli.common import error_text, one_line
from tengen.cli.interrupt import Interrupt
from tengen.cli.positions import Fault, Position
from tengen.cli.solve_words import Solved, as_json, row, status_of, summary, summary_lines
from tengen.game.errors import TengenError
from tengen.solver import Progress

__all__ = ["run_batch"]

_LONGEST_NAME = 24


class Work(Protocol):
    """Solves one position, and checks what it found."""

    def __call__(
        self, position: Position, interrupt: Interrupt, progress: Callable[[Progress], None]
    ) -> Solved: ...


def run_batch(items: Sequence[Position | Fault], work: Work, as_objects: bool) -> int:
    """Solve them in turn. 0 if each position was dealt with, 1 if some were broken or some proof
    did not hold, 130 after an interrupt.
    """
    width = min(max(len(item.name) for item in items), _LONGEST_NAME)
    done: list[Solved] = []
    broken = 0
    with Interrupt() as interrupt, _bar(len(items)) as tell:
        for item in items:
            try:
                solved = _one(item, work, interrupt, tell)
            except TengenError as error:
                broken += 1
                tell.fault(item, error_text(error), as_objects)
                continue
            if interrupt.happened and status_of(solved.result) == "unknown":
                break  # it was cut short: no result of this position
            done.append(solved)
            tell.line(json.dumps(as_json(solved)) if as_objects else row(solved, width))
            tell.done(solved)
            if interrupt.happened:
                break
    found = summary(done, broken, interrupt.happened)
    if as_objects:
        print(json.dumps({"summary": found}))
    else:
        print("", *summary_lines(found), sep="\n")
    if interrupt.happened:
        left = len(items) - len(done) - broken
        print(f"tengen solve: interrupted, {left} of {len(items)} not done", file=sys.stderr)
        return 130
    return 1 if broken or found["all"]["refuted"] else 0


def _one(item: Position | Fault, work: Work, interrupt: Interrupt, tell: _Bar) -> Solved:
    if isinstance(item, Fault):
        raise TengenError(item.words)
    try:
        return work(item, interrupt, tell.searching)
    except TengenError as error:
        raise TengenError(f"{item.name}: {error}") from None


class _Bar:
    """What a batch shows on the way: nothing, unless someone is looking."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def searching(self, progress: Progress) -> None:
        """A search is on its way."""

    def step(self) -> None:
        """A position is done."""

    def line(self, text: str) -> None:
        """Give an answer on stdout, at once."""
        print(text, flush=True)

    def complain(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def done(self, solved: Solved) -> None:
        self.counts[status_of(solved.result)] += 1
        self.step()

    def fault(self, item: Position | Fault, words: str, as_objects: bool) -> None:
        self.complain(f"tengen solve: {one_line(words)}")
        if as_objects:
            self.line(json.dumps({"id": item.name, "error": words}))
        self.counts["broken"] += 1
        self.step()

    def told(self) -> str:
        return ", ".join(f"{count} {name}" for name, count in self.counts.items())


@contextmanager
def _bar(total: int) -> Iterator[_Bar]:
    if not sys.stderr.isatty():
        yield _Bar()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    with Bars(
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[told]}", markup=False),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as bars:
        task = bars.add_task("", total=total, told="")

        class Shown(_Bar):
            def searching(self, progress: Progress) -> None:
                now = f"{progress.seconds:.0f} s, depth {progress.depth}"
                bars.update(task, told=", ".join(filter(None, (self.told(), now))))

            def step(self) -> None:
                bars.update(task, advance=1, told=self.told())

            def line(self, text: str) -> None:
                if sys.stdout.isatty():  # the same terminal: above the bar
                    self.complain(text)
                else:
                    super().line(text)

            def complain(self, text: str) -> None:
                bars.console.print(text, soft_wrap=True, markup=False, highlight=False, emoji=False)

        yield Shown()
