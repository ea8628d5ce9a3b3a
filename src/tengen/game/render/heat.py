# SPDX-License-Identifier: MIT
"""The arithmetic of the heat map: values to shades and short labels.

Relies on moves only; `svg` relies on it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from tengen.game.move import Move

__all__ = ["blend", "labels", "shades"]


def shades(heat: Mapping[Move, float]) -> dict[Move, float]:
    """The values scaled to 0..1: by the maximum, or by the range if some are negative."""
    for move, value in heat.items():
        if not math.isfinite(value):
            raise ValueError(
                f"the heat of {move.name} is {value}: only finite numbers can be drawn"
            )
    scale = max((abs(value) for value in heat.values()), default=0.0)
    if scale == 0:
        return dict.fromkeys(heat, 0.0)
    # Scaled before subtracting, so that the span of huge values does not overflow.
    parts = {move: value / scale for move, value in heat.items()}
    low, high = min(parts.values()), max(parts.values())
    if low > 0:
        low = 0.0
    return {m: (part - low) / (high - low) if high > low else 1.0 for m, part in parts.items()}


def labels(heat: Mapping[Move, float]) -> dict[Move, str]:
    """A label of a few characters for each value, all in one format.

    Values within 0..1 are probabilities, shown in percent; those that round to 0 get no label.
    """
    scale = max((abs(value) for value in heat.values()), default=0.0)
    if all(value >= 0 for value in heat.values()) and scale <= 1:
        return {m: f"{100 * value:.0f}" for m, value in heat.items() if 100 * value >= 0.5}
    if scale >= 10_000 or scale < 0.01:
        form = ".0e"
    else:
        form = ".0f" if scale >= 20 else ".1f" if scale >= 1 else ".2f"
    return {m: f"{value:{form}}".replace("-", "\N{MINUS SIGN}") for m, value in heat.items()}


def blend(colours: tuple[str, str, str], at: float) -> str:
    """The colour at 0..1 on the way from the first (`#rrggbb`) through the second to the third."""
    first, second = colours[:2] if at < 0.5 else colours[1:]
    part = 2 * at if at < 0.5 else 2 * at - 1
    channels = (
        round(int(first[i : i + 2], 16) * (1 - part) + int(second[i : i + 2], 16) * part)
        for i in (1, 3, 5)
    )
    return "#" + "".join(f"{channel:02x}" for channel in channels)
