# SPDX-License-Identifier: MIT
"""The errors of engines. Messages say what is wrong, where, and what would be right."""

from __future__ import annotations

from tengen import _core
from tengen.game.errors import BadLimit, TengenError
from tengen.util.deprecation import renamed_fields

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
    "NotPondering",
    "OutOfMemory",
]


class BadOption(TengenError, ValueError):
    """An unknown option, or a value that it does not allow."""


class OutOfMemory(BadOption):
    """Not enough memory for the engine's tables."""


@renamed_fields(fault="reason")
class BadNet(TengenError, ValueError):
    """A net that cannot be used: a damaged or other file, a net for another rule or board size,
    weights out of range. `source` is the file, if there is one."""

    def __init__(self, reason: str, source: str = "") -> None:
        super().__init__(f"{source}: {reason}" if source else reason)
        self.reason = reason
        self.source = source

    @classmethod
    def unreadable(cls, path: object, error: OSError) -> BadNet:
        """The error of a file that the system does not let us read."""
        return cls(f"cannot be read ({error.strerror or error})", str(path))

    def __reduce__(self) -> tuple[type[BadNet], tuple[str, str]]:
        return type(self), (self.reason, self.source)


class BadTables(TengenError, ValueError):
    """Evaluation tables are missing or invalid."""


class EngineBusy(TengenError, RuntimeError):
    """A second search while the first one runs."""


class EngineClosed(TengenError, RuntimeError):
    """An engine was used after `close`."""


class EngineDied(TengenError, RuntimeError):
    """An engine ended, or stopped answering, while an answer was due."""


class EngineSilent(EngineDied):
    """An engine did not answer in time. `said` is the line it sent instead, if any."""

    def __init__(self, message: str, said: str = "") -> None:
        super().__init__(message)
        self.said = said

    def __reduce__(self) -> tuple[type[EngineSilent], tuple[str, str]]:
        return type(self), (str(self), self.said)


class EngineRefused(TengenError, RuntimeError):
    """An engine in another process rejected a request."""


class NotPondering(TengenError, RuntimeError):
    """`ponder_hit` without `ponder`."""


_core.set_error_types(BadNet, BadTables, OutOfMemory)
