# SPDX-License-Identifier: MIT
"""From values to places on a picture: linear and logarithmic scales with ticks at round numbers.

Imports nothing of ours; the charts rely on it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Scale", "linear", "logarithmic"]


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps `low..high` to `start..end`, in units of the picture."""

    low: float
    high: float
    start: float
    end: float
    logs: bool = False

    def at(self, value: float) -> float:
        """The place of a value; beyond the ends it is the end."""
        low, high, value = self.low, self.high, min(max(value, self.low), self.high)
        if self.logs:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return self.start + (self.end - self.start) * (value - low) / (high - low)

    def ticks(self, about: int = 5) -> list[float]:
        """Round values within the scale, about so many."""
        if self.logs:
            return self._powers(about)
        step = _round_step((self.high - self.low) / max(1, about))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(n * step, 12) for n in range(first, last + 1)]

    def _powers(self, about: int) -> list[float]:
        """Powers of ten; with 2 and 5 between them where there is room."""
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        digits = (1, 2, 5) if 3 * (last - first) <= 2 * about else (1,)
        values = (digit * 10.0**power for power in range(first, last + 1) for digit in digits)
        return [value for value in values if self.low * 0.999 <= value <= self.high * 1.001]


def linear(low: float, high: float, start: float, end: float) -> Scale:
    """A scale that is never of width 0."""
    if not high > low:
        low, high = low - 0.5, high + 0.5
    return Scale(low, high, start, end)


def logarithmic(low: float, high: float, start: float, end: float) -> Scale:
    """A scale by orders of magnitude; both ends are above 0."""
    if not 0 < low < high:
        raise ValueError(f"no logarithmic scale from {low} to {high}")
    return Scale(low, high, start, end, logs=True)


def _round_step(rough: float) -> float:
    """The least of 1, 2, 5, 10... times a power of ten that is not below `rough`."""
    power: float = 10.0 ** math.floor(math.log10(rough))
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= rough * 0.999)
