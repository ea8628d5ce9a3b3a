# SPDX-License-Identifier: MIT
"""The log of a run: event log, progress and messages on stderr, TensorBoard if installed."""

from __future__ import annotations

import sys
from typing import Any

from tengen.train.log import RunLog
from tengen.util.progress import Progress
from tengen.zero.zero_folder import ZeroFolder

_NAME = "tengen zero"


def print_message(text: str) -> None:
    """A line on stderr; stdout is for results."""
    print(f"{_NAME}: {text}", file=sys.stderr, flush=True)


class ZeroLog(RunLog):
    """The log of a session."""

    def __init__(self, folder: ZeroFolder, seconds: float) -> None:
        """`seconds`: device time of earlier sessions."""
        config = folder.config
        bar = Progress(
            *(_NAME, config.minutes, "min"), initial=seconds / 60, line_seconds=0.0, rate=False
        )
        super().__init__(_NAME, folder, bar, tensorboard=config.run.tensorboard)

    def add(self, row: dict[str, Any]) -> None:
        """Store an event. Raises OSError."""
        scalars = {
            f"{row['event']}/{name}": value
            for name, value in row.items()
            if isinstance(value, int | float) and name not in ("seconds", "step")
        }
        self.store(row, scalars, int(row["seconds"]))

    def update(self, seconds: float, text: str) -> None:
        self._bar.update(seconds / 60, text)
