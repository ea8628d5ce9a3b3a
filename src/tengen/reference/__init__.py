# SPDX-License-Identifier: MIT
"""The plain Python reference of the rules: slow, readable, and independent of the native core."""

from tengen.reference.rules import (
    BLACK,
    DIRECTIONS,
    EMPTY,
    PASS,
    RULES,
    WHITE,
    ForbiddenMoveError,
    IllegalMoveError,
    Outcome,
    ReferenceBoard,
    Verdict,
    symmetries,
)

__all__ = [
    "BLACK",
    "DIRECTIONS",
    "EMPTY",
    "PASS",
    "RULES",
    "WHITE",
    "ForbiddenMoveError",
    "IllegalMoveError",
    "Outcome",
    "ReferenceBoard",
    "Verdict",
    "symmetries",
]
