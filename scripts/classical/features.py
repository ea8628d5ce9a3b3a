# SPDX-License-Identifier: MIT
"""Training positions and their features in the `classical` evaluation: a combo for each empty point
and colour, and a mask of the threats on the board (tengen.export.combos).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tengen.export.combos import Array, Floats, Words, combos, masks
from tengen.game import batch
from tengen.game.rule import Rule
from tengen.game.threat import Threat

__all__ = ["Array", "Floats", "Positions", "View", "Words", "pick", "view"]


@dataclass(frozen=True)
class Positions:
    """Positions of one board size with their training targets."""

    boards: Array  # [n, size, size], 0 empty, 1 black, 2 white
    to_move: Array  # [n], 1 black, 2 white
    value: Floats  # [n], share of the points that the side to move gets, 0..1; nan: unknown
    moves: npt.NDArray[np.int32]  # [n, k], points y * size + x
    weights: Floats  # [n, k], of the moves, 0 where there is none


@dataclass(frozen=True)
class View:
    """Features of positions, seen by the side to move."""

    own: Words  # [n, points], combo of the side to move; undefined where a stone is
    opponent: Words  # [n, points]
    mask: Words  # [n]
    empty: npt.NDArray[np.bool_]  # [n, points]
    has_five: npt.NDArray[np.bool_]  # [n], some point makes five for either side


Rows = TypeVar("Rows", Positions, View)


def pick(rows: Rows, chosen: npt.NDArray[np.bool_]) -> Rows:
    """Some of the rows."""
    return type(rows)(**{part.name: getattr(rows, part.name)[chosen] for part in fields(rows)})


def view(boards: Array, to_move: Array, rule: Rule) -> View:
    """Combos, masks and empty points of positions, seen by the side to move."""
    both = combos(boards, rule, threads=1)
    threats = batch.threats(boards, rule, threads=1)
    rows = np.arange(len(boards))
    return View(
        own=both[rows, to_move - 1],
        opponent=both[rows, 2 - to_move],
        mask=masks(threats, to_move),
        empty=boards.reshape(len(boards), -1) == 0,
        has_five=(threats == Threat.FIVE).any(axis=(1, 2, 3)),
    )
