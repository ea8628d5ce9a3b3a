# SPDX-License-Identifier: MIT
"""Colours of the SVG board: the themes, and shades and labels of the heat map."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tengen.game.move import Move


@dataclass(frozen=True)
class Theme:
    """The colours of one theme. Gradients are (offset, colour) stops from the lit side outwards."""

    board: tuple[str, str]  # from the top left to the bottom right corner
    patch: str  # hides the lines behind a number or mark on an empty point
    edge: str  # the rim of the board
    grain: str  # veins of the wood; empty for none
    line: str
    coordinate: str
    black: tuple[tuple[float, str], ...]
    black_rim: str
    white: tuple[tuple[float, str], ...]
    white_rim: str
    shadow: float  # opacity of the shadow under a stone; 0 for none
    on_black: str  # numbers and marks on a black stone
    on_white: str
    on_board: str  # numbers and marks on an empty point
    accent: str  # the ring of the last move
    forbidden: str
    win: str  # winning lines
    heat: tuple[str, str, str]  # low, middle, high
    heat_label: str


_SLATE = ((0.0, "#6f7276"), (0.35, "#3a3c40"), (0.75, "#191a1c"), (1.0, "#0b0b0c"))
_SHELL = ((0.0, "#ffffff"), (0.55, "#f7f5f0"), (0.85, "#dedad2"), (1.0, "#c3beb4"))

THEMES: dict[str, Theme] = {
    "wood": Theme(
        board=("#ecc98a", "#dcb06a"),
        patch="#e4bc7a",
        edge="#a97c3c",
        grain="#9a6a2a",
        line="#5a3d18",
        coordinate="#6b4a1f",
        black=_SLATE,
        black_rim="#000000",
        white=_SHELL,
        white_rim="#8f8778",
        shadow=0.42,
        on_black="#ffffff",
        on_white="#14110d",
        on_board="#33210a",
        accent="#e5342b",
        forbidden="#cf1f1f",
        win="#1f9d55",
        heat=("#fff3c0", "#f78a1d", "#c40f34"),
        heat_label="#ffffff",
    ),
    "paper": Theme(
        board=("#ffffff", "#ffffff"),
        patch="#ffffff",
        edge="#d4d4d4",
        grain="",
        line="#3c3c3c",
        coordinate="#5c5c5c",
        black=((0.0, "#1a1a1a"), (1.0, "#1a1a1a")),
        black_rim="#1a1a1a",
        white=((0.0, "#ffffff"), (1.0, "#ffffff")),
        white_rim="#1a1a1a",
        shadow=0.0,
        on_black="#ffffff",
        on_white="#111111",
        on_board="#111111",
        accent="#d7263d",
        forbidden="#d7263d",
        win="#1d8a4e",
        heat=("#8cc5f0", "#6f8df0", "#e0206a"),
        heat_label="#ffffff",
    ),
    "dark": Theme(
        board=("#34383f", "#292c32"),
        patch="#2f3238",
        edge="#17191c",
        grain="",
        line="#6d7480",
        coordinate="#9aa2ae",
        black=((0.0, "#4a4d53"), (0.4, "#1f2124"), (0.8, "#0c0d0e"), (1.0, "#050505")),
        black_rim="#6a707a",
        white=((0.0, "#ffffff"), (0.55, "#eceef0"), (0.85, "#cdd1d6"), (1.0, "#aeb4bb")),
        white_rim="#f4f5f7",
        shadow=0.5,
        on_black="#f2f4f7",
        on_white="#15171a",
        on_board="#e8ebef",
        accent="#ff5d4f",
        forbidden="#ff5a5a",
        win="#37c978",
        heat=("#3b82c4", "#7d5be0", "#ec3d83"),
        heat_label="#ffffff",
    ),
}


def heat_shades(heat: Mapping[Move, float]) -> dict[Move, float]:
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


def heat_label_texts(heat: Mapping[Move, float]) -> dict[Move, str]:
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
