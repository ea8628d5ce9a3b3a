# SPDX-License-Identifier: MIT
# ruff: noqa: F403, F405 (`__all__` below is the one list of names)
"""Tengen: Gomoku and Renju.

>>> import tengen
>>> board = tengen.Board(size=15, rule="renju")
>>> board.push("h8")
<Move h8>
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tengen.game import *

if TYPE_CHECKING:
    from tengen.engine import *
    from tengen.solver import *

# The public names: those of `game` are imported now, those of `solver` and `engine` on first use,
# so that `import tengen` stays light.
__all__ = [
    "MAX_SIZE",
    "MIN_SIZE",
    "PASS",
    "Analysis",
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
    "NoProof",
    "Outcome",
    "PlayResult",
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

_RENAMED = {"Played": "tengen.engine", "Answer": "tengen.solver"}  # and where the old name is


def __getattr__(name: str) -> Any:
    if name == "__version__":  # reading package metadata is slow
        from tengen._version import version

        return version()
    if name in _RENAMED:  # deprecated: PlayResult, NoProof
        return getattr(import_module(_RENAMED[name]), name)
    for package in ("tengen.solver", "tengen.engine") if name in __all__ else ():
        module = import_module(package)
        if name in module.__all__:
            globals()[name] = getattr(module, name)
            return globals()[name]
    raise AttributeError(f"module 'tengen' has no attribute {name!r}")
