# SPDX-License-Identifier: MIT
"""Ctrl-C for commands that search: the first one asks the search for what it has, the second one
ends the command. Relies on the solver's `Cancel` alone.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

from tengen.solver import Cancel

__all__ = ["Interrupt"]


class Interrupt:
    """While entered, the first Ctrl-C sets `cancel` and calls `stop`, if there is one; the second
    raises KeyboardInterrupt.

    Does nothing outside the main thread, where Python delivers no signals, and where the shell
    has Ctrl-C ignored.
    """

    def __init__(self, stop: Callable[[], None] | None = None) -> None:
        self.cancel = Cancel()
        self._stop = stop
        self._before: Any = None

    @property
    def happened(self) -> bool:
        return self.cancel.is_set()

    def __enter__(self) -> Self:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.cancel.is_set():
            raise KeyboardInterrupt
        self.cancel.set()
        if self._stop is not None:
            self._stop()
