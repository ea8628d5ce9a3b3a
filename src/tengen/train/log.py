# SPDX-License-Identifier: MIT
"""Where the metrics of a run go: the event log, stderr (a bar on a terminal, lines elsewhere), and
TensorBoard if it is installed.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from time import monotonic
from typing import Any, Self

from tengen.train.errors import RESUME
from tengen.train.train_folder import TrainFolder
from tengen.util.files import explain_write_errors
from tengen.util.progress import Progress
from tengen.util.run_folder import RunFolder

_FORMATS = {
    "value": "value {:.4f}",
    "policy": "policy {:.4f}",
    "policy_top1": "top1 {:.1%}",
    "win_mse": "win mse {:.4f}",
    "rate": "rate {:.2e}",
    "samples_per_second": "{:,.0f} samples/s",
    "matrix_share": "{:.1%} of matrix rate",
}
_BRIEF = ("value", "policy", "samples_per_second")  # beside the bar
_REPORT_SECONDS = 10.0  # between two lines about a long task


def print_message(text: str) -> None:
    """A line on stderr; stdout is for results."""
    print(f"tengen train: {text}", file=sys.stderr, flush=True)


class StopCheck:
    """Called between the parts of a long task with the share that is done: reports it now and
    then, and returns whether to continue.
    """

    def __init__(self, text: str, stop: Callable[[], bool], show: Callable[[str], None]) -> None:
        self._text = text  # with a placeholder for the share
        self._stop = stop
        self._show = show
        self._reported = monotonic()

    def __call__(self, share: float) -> bool:
        if self._stop():
            return False
        if monotonic() - self._reported >= _REPORT_SECONDS:
            self._reported = monotonic()
            self._show(self._text.format(share))
        return True


def _metrics(row: Mapping[str, Any], names: tuple[str, ...]) -> str:
    present = [name for name in names if isinstance(row.get(name), int | float)]
    return ", ".join(_FORMATS[name].format(row[name]) for name in present)


class RunLog:
    """The log of a run: its event log, a progress bar with messages, and TensorBoard if it is
    installed. A context manager.
    """

    def __init__(
        self, name: str, folder: RunFolder, bar: Progress, *, tensorboard: bool, advice: str = ""
    ) -> None:
        """`name` starts every message; `advice`: what to do after a write error."""
        self._name = name
        self._folder = folder
        self._bar = bar
        self._wants_board = tensorboard
        self._advice = advice
        self._board: Any = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(self._folder.open_event_log())
        if self._wants_board:
            self._board = open_tensorboard(self._folder.path / "tensorboard")
        self._stack.enter_context(self._bar)
        return self

    def __exit__(self, *_: object) -> None:
        if self._board is not None:
            with suppress(OSError):
                self._board.close()
        with suppress(OSError):  # of a row that could not be written: `add` has raised it
            self._stack.close()

    def print(self, text: str) -> None:
        """Print a message above the bar."""
        self._bar.print(f"{self._name}: {text}")

    def store(self, row: Mapping[str, Any], scalars: Mapping[str, Any], step: int) -> None:
        """Add a row to the event log and scalars to TensorBoard. Raises OSError."""
        with explain_write_errors(self._folder.path / self._folder.EVENT_LOG, self._advice):
            self._folder.append(row)
        if self._board is None:
            return
        try:
            for name, value in scalars.items():
                self._board.add_scalar(name, value, step)
        except OSError as error:  # its files are optional
            self.print(f"continues without TensorBoard: {error.strerror or error}")
            self._board = None


class TrainLog(RunLog):
    """The log of a training run. `line_seconds`: minimum time between two lines of training rows
    where stderr is no terminal.
    """

    def __init__(self, folder: TrainFolder, step: int, line_seconds: float = 2.0) -> None:
        config = folder.config
        bar = Progress("", folder.steps, "steps", initial=step, line_seconds=None)
        super().__init__(
            "tengen train", folder, bar, tensorboard=config.run.tensorboard, advice=RESUME
        )
        self._line_seconds = line_seconds
        self._last_line = -1e9

    def advance(self, step: int) -> None:
        """The run has done `step` steps; cheap to call for each."""
        self._bar.update(step)

    def add(self, row: Mapping[str, Any]) -> None:
        """Store a row and show it. Raises OSError."""
        is_shown = row["event"] in ("train", "validate")
        part = row.get("weights", "train")
        floats = {name: value for name, value in row.items() if isinstance(value, float)}
        scalars = {f"{name}/{part}": value for name, value in floats.items() if is_shown}
        self.store(row, scalars, row["step"])
        if is_shown:
            self._show(row)

    def _show(self, row: Mapping[str, Any]) -> None:
        is_training = row["event"] == "train"
        if is_training and self._bar.is_live:
            self._bar.update(text=_metrics(row, _BRIEF))
            return
        if not is_training or monotonic() - self._last_line >= self._line_seconds:
            self._last_line = monotonic()
            kind = "train" if is_training else f"validation ({row['weights']})"
            self.print(f"step {row['step']:,} {kind}: {_metrics(row, tuple(_FORMATS))}")


def open_tensorboard(path: Path) -> Any:
    """A TensorBoard writer, or None if it is not installed or cannot write."""
    try:
        from torch.utils.tensorboard import SummaryWriter

        return SummaryWriter(str(path))
    except Exception as error:  # it imports much; its errors must not stop a training run
        logging.getLogger(__name__).debug("no TensorBoard: %s", error)
        return None
