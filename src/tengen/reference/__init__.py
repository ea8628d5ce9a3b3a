# SPDX-License-Identifier: MIT
"""Reference implementations, independent of the native core: the rules in plain Python (the names
below), and the integer Mixnet in NumPy (modules `mixnet`, `mixnet_bake`, `mixnet_patterns`).
"""

import warnings

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

_RENAMED = {"Outcome": ReferenceOutcome, "Verdict": PointReport}  # names of version 0.1.0


def __getattr__(name: str) -> object:
    # Not `tengen.util.deprecation`: this package imports nothing of the others.
    if name not in _RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    new = _RENAMED[name].__name__
    warnings.warn(f"{__name__}.{name} is deprecated: use {new}", DeprecationWarning, stacklevel=2)
    return _RENAMED[name]
