# SPDX-License-Identifier: MIT
"""The typed errors of the arena. As all errors of the package they say what is wrong, where, and
what would be right. Relies on the errors of the game.
"""

from __future__ import annotations

from tengen.game.errors import TengenError

__all__ = ["ArenaBusy", "ArenaFailed", "BadArena", "BadState"]


class BadArena(TengenError, ValueError):
    """A match that cannot be played: a wrong key or value, a player that does not exist."""


class BadState(TengenError, ValueError):
    """A folder of results that cannot be read, or that belongs to another match."""


class ArenaBusy(TengenError, RuntimeError):
    """Another process plays in the same folder."""


class ArenaFailed(TengenError, RuntimeError):
    """The match cannot go on for a reason that is nobody's fault in a game."""
