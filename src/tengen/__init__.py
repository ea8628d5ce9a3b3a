# SPDX-License-Identifier: MIT
"""Tengen: Gomoku and Renju.

>>> import tengen
>>> board = tengen.Board(size=15, rule="renju")
>>> board.push("h8")
<Move h8>
"""

from tengen.game import (
    MAX_SIZE,
    MIN_SIZE,
    PASS,
    BadNotation,
    BadPosition,
    BadRecord,
    Board,
    Colour,
    Forbidden,
    ForbiddenMove,
    GameOver,
    IllegalMove,
    Move,
    Outcome,
    Rule,
    Shape,
    TengenError,
    Threat,
)

__all__ = [
    "MAX_SIZE",
    "MIN_SIZE",
    "PASS",
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
    "__version__",
]


def __getattr__(name: str) -> str:
    if name == "__version__":  # looked up late: reading package metadata is slow
        from tengen._version import version

        return version()
    raise AttributeError(f"module 'tengen' has no attribute {name!r}")
