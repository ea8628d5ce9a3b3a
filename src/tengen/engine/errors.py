# SPDX-License-Identifier: MIT
"""The typed errors of engines. As all errors of the package they say what is wrong, where, and
what would be right. Relies on the errors of the game.
"""

from __future__ import annotations

from tengen.game.errors import BadLimit, TengenError

__all__ = [
    "BadLimit",
    "BadNet",
    "BadOption",
    "BadTables",
    "EngineBusy",
    "EngineClosed",
    "EngineDied",
    "EngineRefused",
    "EngineSilent",
    "NoRoom",
    "NotPondering",
]


class BadOption(TengenError, ValueError):
    """An option that an engine does not have, or a value that the option cannot take."""


class NoRoom(BadOption):
    """There is not as much memory as an engine was told to take for its tables."""


class BadNet(TengenError, ValueError):
    """A net that cannot be used: a file that is damaged or of another kind, a net for another rule
    or board size, weights that do not fit their integers. `source` is the file, if there is one."""

    def __init__(self, fault: str, source: str = "") -> None:
        super().__init__(f"{source}: {fault}" if source else fault)
        self.fault = fault
        self.source = source

    @classmethod
    def unreadable(cls, path: object, error: OSError) -> BadNet:
        """The error of a file that the system does not let us read."""
        return cls(f"cannot be read ({error.strerror or error})", str(path))

    def __reduce__(self) -> tuple[type[BadNet], tuple[str, str]]:
        return type(self), (self.fault, self.source)


class BadTables(TengenError, ValueError):
    """The tables of an evaluation are not there, or are not what they should be."""


class EngineBusy(TengenError, RuntimeError):
    """An engine was asked for a second search while the first one runs."""


class EngineClosed(TengenError, RuntimeError):
    """An engine was used after `close`."""


class EngineDied(TengenError, RuntimeError):
    """An engine ended, or stopped answering, while an answer was due."""


class EngineSilent(EngineDied):
    """An engine did not answer in time. `said` is what it said instead, if it said anything."""

    def __init__(self, message: str, said: str = "") -> None:
        super().__init__(message)
        self.said = said

    def __reduce__(self) -> tuple[type[EngineSilent], tuple[str, str]]:
        return type(self), (str(self), self.said)


class EngineRefused(TengenError, RuntimeError):
    """An engine in another process answered that it cannot do what it was asked."""


class NotPondering(TengenError, RuntimeError):
    """A reply was said to be the expected one, but no board was given to think about."""
