# SPDX-License-Identifier: MIT
"""Tengen: Gomoku and Renju.

>>> import tengen
>>> board = tengen.Board(size=15, rule="renju")
>>> board.push("h8")
<Move h8>
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tengen.game import (
    MAX_SIZE,
    MIN_SIZE,
    PASS,
    BadLimit,
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
    from tengen.engine import (
        Analysis,
        AnyEngine,
        BadNet,
        BadOption,
        BadTables,
        Engine,
        EngineBusy,
        EngineClosed,
        EngineDied,
        EngineRefused,
        EngineSilent,
        Info,
        Limit,
        Played,
        PovScore,
        Score,
    )
    from tengen.solver import (
        Answer,
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
    "Analysis",
    "Answer",
    "AnyEngine",
    "BadLimit",
    "BadNet",
    "BadNotation",
    "BadOption",
    "BadPosition",
    "BadProof",
    "BadRecord",
    "BadTables",
    "Board",
    "Cancel",
    "Cancelled",
    "Colour",
    "Defences",
    "Engine",
    "EngineBusy",
    "EngineClosed",
    "EngineDied",
    "EngineRefused",
    "EngineSilent",
    "Forbidden",
    "ForbiddenMove",
    "GameOver",
    "Goal",
    "IllegalMove",
    "Info",
    "Limit",
    "Move",
    "Outcome",
    "Played",
    "PovScore",
    "Proof",
    "ProofNode",
    "Rule",
    "Score",
    "Shape",
    "Solver",
    "SolverBusy",
    "TengenError",
    "Threat",
    "__version__",
    "defences",
    "solve",
]


# Names that are looked up late, with the package they are in: `import tengen` stays light.
_LATE = {
    "engine": "Analysis AnyEngine BadNet BadOption BadTables Engine EngineBusy EngineClosed"
    " EngineDied EngineRefused EngineSilent Info Limit Played PovScore Score",
    "solver": "Answer BadProof Cancel Cancelled Defences Goal Proof ProofNode Solver SolverBusy"
    " defences solve",
}


def __getattr__(name: str) -> Any:
    for package, names in _LATE.items():
        if name in names.split():
            found = getattr(import_module(f"tengen.{package}"), name)
            globals()[name] = found
            return found
    if name == "__version__":  # reading package metadata is slow
        from tengen._version import version

        return version()
    raise AttributeError(f"module 'tengen' has no attribute {name!r}")
