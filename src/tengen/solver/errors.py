# SPDX-License-Identifier: MIT
"""The typed errors of the solver."""

from __future__ import annotations

from collections.abc import Sequence

from tengen.game.errors import BadLimit, TengenError
from tengen.game.move import Move

__all__ = ["BadLimit", "BadProof", "Cancelled", "SolverBusy"]

# Moves of a path that a message shows at its beginning and at its end.
_SHOWN = 12


class BadProof(TengenError, ValueError):
    """A proof that does not hold, or a file that holds none.

    `path` are the moves from the start position to the fault, `source` is the file; both may be
    empty.
    """

    def __init__(self, fault: str, path: Sequence[Move] = (), source: str = "") -> None:
        where = f"{source}: " if source else ""
        super().__init__(where + (f"after {_path_text(path)}: " if path else "") + fault)
        self.fault = fault
        self.path = list(path)
        self.source = source

    def __reduce__(self) -> tuple[type[BadProof], tuple[str, list[Move], str]]:
        return type(self), (self.fault, self.path, self.source)


class Cancelled(TengenError):
    """The verification of a proof was cancelled before its end."""


class SolverBusy(TengenError, RuntimeError):
    """A call to a solver that is already searching."""


def _path_text(path: Sequence[Move]) -> str:
    if len(path) <= 2 * _SHOWN:
        return " ".join(map(str, path))
    gap = f"({len(path) - 2 * _SHOWN} more moves)"
    return " ".join([*map(str, path[:_SHOWN]), gap, *map(str, path[-_SHOWN:])])
