# SPDX-License-Identifier: MIT
"""What people see of a run: a progress bar where rich is installed and stderr is a terminal, plain
lines elsewhere; TensorBoard where it is installed. The numbers also go to the run's journal. Relies
on the run's folder; the loop relies on it.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from tengen.train.folder import Journal, RunFolder

__all__ = [
    "BarView",
    "Log",
    "Meanwhile",
    "PlainView",
    "View",
    "default_view",
    "open_tensorboard",
    "tell",
]

_SHOWN = {
    "value": "value {:.4f}",
    "policy": "policy {:.4f}",
    "policy_top1": "top1 {:.1%}",
    "win_mse": "win mse {:.4f}",
    "rate": "rate {:.2e}",
    "samples_per_second": "{:,.0f} samples/s",
    "matrix_share": "{:.1%} of matrix rate",
}
_BRIEF = ("value", "policy", "samples_per_second")  # beside a bar
_TOLD_EVERY = 10.0  # seconds between two lines about something long


def tell(text: str) -> None:
    """A line for the person at the terminal; stdout is for results."""
    print(f"tengen train: {text}", file=sys.stderr, flush=True)


class Meanwhile:
    """To be called between the parts of something long, with the share of it that is done: tells
    it now and then, and whether to go on.
    """

    def __init__(self, text: str, stop: Callable[[], bool], show: Callable[[str], None]) -> None:
        self._text = text  # with a place for the share
        self._stop = stop
        self._show = show
        self._told = monotonic()

    def __call__(self, share: float) -> bool:
        if self._stop():
            return False
        if monotonic() - self._told >= _TOLD_EVERY:
            self._told = monotonic()
            self._show(self._text.format(share))
        return True


def words(row: Mapping[str, Any]) -> str:
    """A row of the journal as people read it."""
    kind = f"validation ({row['weights']})" if row.get("event") == "validate" else "train"
    return f"step {row['step']:,} {kind}: {numbers(row, tuple(_SHOWN))}"


def numbers(row: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """Those of the numbers named that a row has."""
    there = [name for name in names if isinstance(row.get(name), int | float)]
    return ", ".join(_SHOWN[name].format(row[name]) for name in there)


class View(Protocol):
    """Where rows are shown."""

    def advance(self, step: int) -> None:
        """The run has come so far; called for each step."""

    def row(self, row: Mapping[str, Any]) -> None:
        """A row of the journal, of training or validation."""

    def show(self, text: str) -> None:
        """A line of words."""

    def close(self) -> None: ...


class PlainView:
    """Lines on stderr, training rows no oftener than every few seconds."""

    def __init__(self, pause: float = 0.0) -> None:
        self._pause = pause
        self._last = -1e9

    def advance(self, step: int) -> None:
        pass

    def row(self, row: Mapping[str, Any]) -> None:
        if row["event"] != "train" or monotonic() - self._last >= self._pause:
            self._last = monotonic()
            tell(words(row))

    def show(self, text: str) -> None:
        tell(text)

    def close(self) -> None:
        pass


class BarView:
    """A bar with the time left, lines above it. Needs rich."""

    def __init__(self, start: int, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._last = -1e9
        self._bar = Progress(
            TextColumn("[bold]{task.completed:,}/{task.total:,}"),
            BarColumn(bar_width=16),
            TimeRemainingColumn(),
            TextColumn("{task.description}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("", total=total, completed=start)
        self._bar.start()

    def advance(self, step: int) -> None:
        if monotonic() - self._last > 0.2:  # a bar needs no more, and steps may be fast
            self._last = monotonic()
            self._bar.update(self._task, completed=step)

    def row(self, row: Mapping[str, Any]) -> None:
        if row["event"] == "train":
            self._bar.update(self._task, description=numbers(row, _BRIEF))
        else:
            self.show(words(row))

    def show(self, text: str) -> None:
        self._bar.console.print(f"tengen train: {text}", markup=False, highlight=False)

    def close(self) -> None:
        self._bar.stop()


def default_view(start: int, total: int) -> View:
    """A bar if there can be one, else lines."""
    if sys.stderr.isatty():
        try:
            return BarView(start, total)
        except ImportError:
            pass
    return PlainView(2.0)


class Log:
    """Takes the rows of a run to all places where they go."""

    def __init__(self, folder: RunFolder, view: View) -> None:
        self.view = view
        self._journal = Journal(folder.metrics)
        wanted = folder.config.run.tensorboard
        self._board = open_tensorboard(folder.path / "tensorboard") if wanted else None

    def add(self, row: Mapping[str, Any]) -> None:
        """Keep a row and show it."""
        self._journal.add(row)
        if row["event"] not in ("train", "validate"):
            return
        self.view.row(row)
        if self._board is not None:
            try:
                _add_scalars(self._board, row)
            except OSError as error:  # its files are an extra
                tell(f"goes on without TensorBoard: {error.strerror or error}")
                self._board = None

    def close(self) -> None:
        self._journal.close()
        if self._board is not None:
            with suppress(OSError):
                self._board.close()
        self.view.close()


def _add_scalars(board: Any, row: Mapping[str, Any]) -> None:
    part = row.get("weights", "train")
    for name, value in row.items():
        if isinstance(value, float):
            board.add_scalar(f"{name}/{part}", value, row["step"])


def open_tensorboard(path: Path) -> Any:
    """A writer for TensorBoard, or None where it is not installed or cannot write."""
    try:
        from torch.utils.tensorboard import SummaryWriter

        return SummaryWriter(str(path))
    except Exception as error:  # it imports much; whatever ails it shall not stop a training
        logging.getLogger(__name__).debug("no TensorBoard: %s", error)
        return None
