# SPDX-License-Identifier: MIT
"""Numbers and foreign text as the report writes them. Pure functions of plain values."""

from __future__ import annotations

import math

from tengen.arena.elo import Elo

_MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"  # for missing values
PAIR_POINTS = ("0", "½", "1", "1½", "2")  # of a player in the two games of a pair


def signed(value: float, digits: int = 1) -> str:
    """A number with its sign; a typographic minus, and no sign before a zero."""
    if math.isinf(value):
        return "+∞" if value > 0 else f"{_MINUS}∞"
    rounded = round(value, digits)
    sign = "+" if rounded > 0 else ""
    return f"{sign}{rounded + 0.0:.{digits}f}".replace("-", _MINUS)


def number(value: float) -> str:
    """Points: a whole number, or one with a half."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f}%"


def seconds(value: float) -> str:
    """A time with three digits in the unit that fits."""
    if value <= 0:
        return "0 ms"
    for least, unit, size in ((60.0, "min", 60.0), (0.9995, "s", 1.0), (9.995e-4, "ms", 1e-3)):
        if value >= least:
            return f"{_three(value / size)} {unit}"
    return f"{_three(value / 1e-6)} µs"


def _three(value: float) -> str:
    digits = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def results(wins: int, draws: int, losses: int) -> str:
    return f"+{wins:,} ={draws:,} {_MINUS}{losses:,}"


def elo_text(elo: Elo) -> str:
    """A difference with its interval of 95%."""
    if math.isinf(elo.low) and math.isinf(elo.high):
        return "unknown"
    if math.isinf(elo.elo):
        return f"above {signed(elo.low, 0)}" if elo.elo > 0 else f"below {signed(elo.high, 0)}"
    return f"{signed(elo.elo)} [{signed(elo.low)}, {signed(elo.high)}]"
