# SPDX-License-Identifier: MIT
"""Ends long commands: after Ctrl-C or SIGTERM, or when their time is over."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from time import monotonic
from types import FrameType
from typing import Any, Self

from tengen.solver import Cancel

__all__ = ["StopSignal"]


class StopSignal:
    """True, when called, once the command should end: after a signal, or after `seconds`.

    While entered, the first Ctrl-C or SIGTERM sets `cancel` and calls `on_request`; the second
    Ctrl-C raises KeyboardInterrupt. Does nothing outside the main thread, where Python delivers no
    signals, and for signals that the shell ignores.
    """

    def __init__(
        self, seconds: float | None = None, on_request: Callable[[], None] | None = None
    ) -> None:
        self.cancel = Cancel()
        self._deadline = None if seconds is None else monotonic() + seconds
        self._on_request = on_request
        self._before: dict[int, Any] = {}

    @property
    def requested(self) -> bool:
        """Whether a signal came."""
        return self.cancel.is_set()

    def __call__(self) -> bool:
        return self.requested or (self._deadline is not None and monotonic() > self._deadline)

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.cancel.set()
        if self._on_request is not None:
            self._on_request()
