# SPDX-License-Identifier: MIT
"""The slow truth, readable and independent of the native core: the rules in plain Python (the names
below), and the integer Mixnet in NumPy (modules `mixnet`, `mixnet_bake`, `mixnet_patterns`).
"""

from tengen.reference.rules import (
    BLACK,
    DIRECTIONS,
    EMPTY,
    PASS,
    RULES,
    WHITE,
    ForbiddenMoveError,
    IllegalMoveError,
    PointReport,
    ReferenceBoard,
    ReferenceOutcome,
    symmetries,
)
from tengen.util.deprecation import deprecated_names

__all__ = [
    "BLACK",
    "DIRECTIONS",
    "EMPTY",
    "PASS",
    "RULES",
    "WHITE",
    "ForbiddenMoveError",
    "IllegalMoveError",
    "PointReport",
    "ReferenceBoard",
    "ReferenceOutcome",
    "symmetries",
]

__getattr__ = deprecated_names(__name__, {"Outcome": "ReferenceOutcome", "Verdict": "PointReport"})
