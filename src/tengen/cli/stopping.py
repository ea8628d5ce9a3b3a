# SPDX-License-Identifier: MIT
"""When a long job ends: after Ctrl-C or SIGTERM, or when its time is over. The second Ctrl-C ends
the command at once. Needs only the standard library; matches and tuning rely on it.
"""

from __future__ import annotations

import signal
import threading
from time import monotonic
from types import FrameType
from typing import Any, Self

__all__ = ["Stop"]


class Stop:
    """True, when called, once the job shall end. Signals count while it is entered."""

    def __init__(self, seconds: float | None = None) -> None:
        self.asked = False  # by a signal
        self._deadline = None if seconds is None else monotonic() + seconds
        self._before: dict[int, Any] = {}

    def __call__(self) -> bool:
        return self.asked or (self._deadline is not None and monotonic() > self._deadline)

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._ask)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self.asked and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.asked = True
