# SPDX-License-Identifier: MIT
"""The typed errors of the package.

Every message says what was wrong, where, and what would be right. All derive from `TengenError`
and from the matching built-in error.
"""

from __future__ import annotations

from tengen.util.errors import TengenError

__all__ = [
    "BadLimit",
    "BadNotation",
    "BadPosition",
    "BadRecord",
    "ForbiddenMove",
    "GameOver",
    "IllegalMove",
    "TengenError",
]


class BadLimit(TengenError, ValueError):
    """A limit that no search can keep: a negative time, no memory, half a node."""


class BadNotation(TengenError, ValueError):
    """A text or number that names no point of the board, no rule, or no colour."""


class BadPosition(TengenError, ValueError):
    """A set-up that no board can hold: a bad size, a point given twice, a stone off the board."""


class IllegalMove(TengenError, ValueError):
    """A move that cannot be played: off the board, occupied, or after the end of the game."""


class ForbiddenMove(IllegalMove):
    """A renju move that black may not make. `reason` is the `Forbidden` kind."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[type[ForbiddenMove], tuple[str, str]]:
        return type(self), (str(self), self.reason)


class GameOver(IllegalMove):
    """A move after the end of the game."""


class BadRecord(TengenError, ValueError):
    """A game record that cannot be read.

    `line` and `column` (1-based, 0 where unknown) give the position of the fault in `source`.
    """

    def __init__(self, fault: str, source: str = "<text>", line: int = 0, column: int = 0) -> None:
        where = source + (f":{line}" if line else "") + (f":{column}" if line and column else "")
        super().__init__(f"{where}: {fault}")
        self.fault = fault
        self.source = source
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[type[BadRecord], tuple[str, str, int, int]]:
        return type(self), (self.fault, self.source, self.line, self.column)
