# SPDX-License-Identifier: MIT
"""Text and numbers as people read them: safe for a terminal, with units. Pure functions."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_UNITS = ((86_400.0, "days"), (3_600.0, "h"), (60.0, "min"))


def printable(text: str) -> str:
    """Text that is safe to print: control characters other than tab and newline are replaced."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str) -> str:
    """As `printable`, with line breaks replaced by spaces."""
    return printable(" ".join(text.splitlines()))


def plural(number: int, noun: str) -> str:
    """`1 game`, `2,000 games`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def duration(seconds: float) -> str:
    """`45 s`, `3.5 min`, `12.2 h`, `2.08 days`."""
    for size, unit in _UNITS:
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.0f} s"
