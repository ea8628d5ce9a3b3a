# SPDX-License-Identifier: MIT
"""Validation of search limits, for solvers and engines."""

from __future__ import annotations

import math
from operator import index
from typing import SupportsFloat, SupportsIndex

from tengen.game.errors import BadLimit


def seconds(time: SupportsFloat | None) -> float | None:
    """A time limit greater than 0; None and infinity mean no limit. Raises BadLimit."""
    if time is None:
        return None
    try:
        found = float(time)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if isinstance(time, bool | str) or not found > 0:
        raise BadLimit(f"no time limit of {time!r}: use seconds greater than 0, or None for none")
    return None if math.isinf(found) else found


def whole(what: str, value: SupportsIndex, minimum: int, maximum: int | None) -> int:
    """A whole number from `minimum` to `maximum` (None: unlimited). Raises BadLimit."""
    try:
        number = None if isinstance(value, bool) else index(value)
    except TypeError:
        number = None
    if number is None or number < minimum or (maximum is not None and number > maximum):
        limits = f"{minimum} or more, or None" if maximum is None else f"{minimum} to {maximum:,}"
        raise BadLimit(f"no {what} of {value!r}: use {limits}")
    return number
