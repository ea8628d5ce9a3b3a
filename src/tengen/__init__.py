# SPDX-License-Identifier: MIT
"""Tengen: Gomoku and Renju.

>>> import tengen
>>> board = tengen.Board(size=15, rule="renju")
>>> board.push("h8")
<Move h8>
"""

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from tengen.solver import (
        Answer,
        BadLimit,
        BadProof,
        Cancel,
        Cancelled,
        Defences,
        Goal,
        Proof,
        ProofNode,
        Solver,
        SolverBusy,
        defences,
        solve,
    )

__all__ = [
    "MAX_SIZE",
    "MIN_SIZE",
    "PASS",
    "Answer",
    "BadLimit",
    "BadNotation",
    "BadPosition",
    "BadProof",
    "BadRecord",
    "Board",
    "Cancel",
    "Cancelled",
    "Colour",
    "Defences",
    "Forbidden",
    "ForbiddenMove",
    "GameOver",
    "Goal",
    "IllegalMove",
    "Move",
    "Outcome",
    "Proof",
    "ProofNode",
    "Rule",
    "Shape",
    "Solver",
    "SolverBusy",
    "TengenError",
    "Threat",
    "__version__",
    "defences",
    "solve",
]


def __getattr__(name: str) -> Any:
    if name in __all__ and name != "__version__":  # only the names of the solver are not here yet
        from tengen import solver

        globals()[name] = found = getattr(solver, name)
        return found
    if name == "__version__":  # looked up late: reading package metadata is slow
        from tengen._version import version

        return version()
    raise AttributeError(f"module 'tengen' has no attribute {name!r}")
