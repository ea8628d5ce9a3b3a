# SPDX-License-Identifier: MIT
"""The log of a run: its journal, progress and messages on stderr, and TensorBoard if installed."""

from __future__ import annotations

import sys
from contextlib import ExitStack, suppress
from typing import Any

from tengen.train.log import open_tensorboard
from tengen.util.progress import Progress
from tengen.zero.zero_folder import ZeroFolder

__all__ = ["RunLog", "print_message"]

_NAME = "tengen zero"


def print_message(text: str) -> None:
    """A line on stderr; stdout is for results."""
    print(f"{_NAME}: {text}", file=sys.stderr, flush=True)


class RunLog:
    """Open during a session."""

    def __init__(self, folder: ZeroFolder, seconds: float) -> None:
        """`seconds`: device time of earlier sessions."""
        config = folder.config
        self._open = ExitStack()
        self._journal = self._open.enter_context(folder.open_journal())
        self._progress = self._open.enter_context(
            Progress(
                *(_NAME, config.minutes, "min"), initial=seconds / 60, line_seconds=0.0, rate=False
            )
        )
        wanted = config.run.tensorboard
        self._board = open_tensorboard(folder.path / "tensorboard") if wanted else None

    def add(self, row: dict[str, Any]) -> None:
        """Store an event. Raises OSError."""
        self._journal.append(row)
        if self._board is None:
            return
        try:
            for name, value in row.items():
                if isinstance(value, int | float) and name not in ("seconds", "step"):
                    self._board.add_scalar(f"{row['event']}/{name}", value, int(row["seconds"]))
        except OSError as error:  # its files are optional
            self.show(f"TensorBoard is disabled: {error.strerror or error}")
            self._board = None

    def update(self, seconds: float, text: str) -> None:
        self._progress.update(seconds / 60, text)

    def show(self, text: str) -> None:
        """Print a message above the progress bar."""
        self._progress.print(f"{_NAME}: {text}")

    def close(self) -> None:
        if self._board is not None:
            with suppress(OSError):
                self._board.close()
        self._open.close()
