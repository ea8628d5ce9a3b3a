# SPDX-License-Identifier: MIT
"""A bucket of tokens: how often something may happen. Needs the standard library alone."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

__all__ = ["Bucket"]


class Bucket:
    """Fills by `rate` tokens a second, up to `most`; `take` takes one out."""

    def __init__(self, rate: float, most: float, clock: Callable[[], float] = monotonic) -> None:
        self._rate, self._most, self._clock = rate, most, clock
        self._tokens = most
        self._then = clock()

    def take(self) -> float:
        """Take one, and tell how many seconds to wait until it is there; 0: it was."""
        now = self._clock()
        self._tokens = min(self._most, self._tokens + self._rate * (now - self._then)) - 1
        self._then = now
        return max(0.0, -self._tokens / self._rate)

    def try_take(self) -> bool:
        """Take one if it is there."""
        if self.take() > 0:
            self._tokens += 1
            return False
        return True
