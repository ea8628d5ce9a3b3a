# SPDX-License-Identifier: MIT
"""The typed errors of solving. As all errors of the package they say what is wrong, where, and
what would be right. Relies on the errors and moves of the game.
"""

from __future__ import annotations

from collections.abc import Sequence

from tengen.game.errors import BadLimit, TengenError
from tengen.game.move import Move

__all__ = ["BadLimit", "BadProof", "Cancelled", "SolverBusy"]

# So many moves of a path are told at its beginning and at its end.
_TOLD = 12


class BadProof(TengenError, ValueError):
    """A proof that does not hold, or a file that holds none.

    `path` are the moves from the start position to the fault, where the fault is one of play;
    `source` is the file, where there is one.
    """

    def __init__(self, fault: str, path: Sequence[Move] = (), source: str = "") -> None:
        place = f"{source}: " if source else ""
        super().__init__(place + (f"after {_in_words(path)}: " if path else "") + fault)
        self.fault = fault
        self.path = list(path)
        self.source = source

    def __reduce__(self) -> tuple[type[BadProof], tuple[str, list[Move], str]]:
        return type(self), (self.fault, self.path, self.source)


class Cancelled(TengenError):
    """The check of a proof was cancelled before its end."""


class SolverBusy(TengenError, RuntimeError):
    """A solver was asked to work on two positions at once."""


def _in_words(path: Sequence[Move]) -> str:
    if len(path) <= 2 * _TOLD:
        return " ".join(map(str, path))
    head, tail = path[:_TOLD], path[-_TOLD:]
    left_out = len(path) - 2 * _TOLD
    return " ".join([*map(str, head), f"({left_out} more moves)", *map(str, tail)])
