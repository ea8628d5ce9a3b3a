# SPDX-License-Identifier: MIT
"""The nets of the Go paper by their names there: `width x depth` of its mobile nets with
squeeze-and-excitation, and `residual.20.256`.
"""

from __future__ import annotations

from typing import Any

from tengen.experiments.experiment import Setup
from tengen.experiments.papers import paper

RESIDUAL = ("residual.20.256", "residual.40.256")
TINY = ("64 x 16", "64 x 32", "96 x 16")  # cells of the matrices at that scale
# Of speeds: positions in a batch, and seconds of each net per round.
BATCH = {"tiny": 2, "small": 32, "paper": 32}
SECONDS = {"tiny": 0.02, "small": 0.1, "paper": 0.5}
# Depth and width of a scale over the paper's.
_SHRINK = {"tiny": (0.0, 0.0), "small": (0.25, 0.5), "paper": (1.0, 1.0)}


def residual(blocks: int, filters: int, planes: int = 2) -> dict[str, Any]:
    """A residual net of Table III: a plain 1x1 stem, blocks with biases and one norm."""
    return {
        "kind": "resnet", "blocks": blocks, "filters": filters, "heads": "polygames",
        "stem": "1x1", "norms": 1, "planes": planes,
    }  # fmt: skip


def mobile(blocks: int, filters: int, planes: int = 2, *, se: bool = True) -> dict[str, Any]:
    """A mobile net of Table IV: expansion 6, squeeze-and-excitation."""
    return {
        "kind": "mobilenet", "blocks": blocks, "filters": filters, "se": se, "planes": planes,
    }  # fmt: skip


def width_depth(label: str) -> tuple[int, int]:
    """Of a mobile net."""
    width, depth = map(int, label.split(" x "))
    return width, depth


def blocks_filters(label: str) -> tuple[int, int]:
    """Of a residual net."""
    _, blocks, filters = label.split(".")
    return int(blocks), int(filters)


def net_of(setup: Setup, label: str) -> dict[str, Any]:
    """The net of a label at a scale, whose depth and width are in proportion to the paper's."""
    depth_share, width_share = _SHRINK[setup.scale]
    if label in RESIDUAL:
        blocks, filters = blocks_filters(label)
        return residual(max(1, round(blocks * depth_share)), max(8, round(filters * width_share)))
    width, depth = width_depth(label)
    return mobile(max(depth // 16, round(depth * depth_share)), max(16, round(width * width_share)))


def trained_labels(setup: Setup) -> list[str]:
    """The nets of Tables VII and VIII, and the residual ones."""
    cells = list(paper("mobilenet").named("Table VII").matrix())
    if setup.scale == "tiny":
        return [*(name for name in cells if name in (*TINY, "96 x 32")), RESIDUAL[0]]
    return [*cells, *RESIDUAL]


def tournament_name(label: str) -> str:
    """The name of a net in the paper's tournaments: se.DEPTH.6WIDTH.WIDTH."""
    if label in RESIDUAL:
        return label
    width, depth = width_depth(label)
    return f"se.{depth}.{6 * width}.{width}"
