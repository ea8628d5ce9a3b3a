# SPDX-License-Identifier: MIT
"""The game: boards, rules, moves, notation, records and drawing.

`tengen.game.batch` (NumPy arrays of positions) and `tengen.game.records` (game files) are imported
only when they are used.
"""

from tengen.game.board import Board, Outcome
from tengen.game.errors import (
    BadLimit,
    BadNotation,
    BadPosition,
    BadRecord,
    ForbiddenMove,
    GameOver,
    IllegalMove,
    TengenError,
)
from tengen.game.move import PASS, Move
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Colour, Forbidden, Rule
from tengen.game.threat import Shape, Threat

__all__ = [
    "MAX_SIZE",
    "MIN_SIZE",
    "PASS",
    "BadLimit",
    "BadNotation",
    "BadPosition",
    "BadRecord",
    "Board",
    "Colour",
    "Forbidden",
    "ForbiddenMove",
    "GameOver",
    "IllegalMove",
    "Move",
    "Outcome",
    "Rule",
    "Shape",
    "TengenError",
    "Threat",
]
