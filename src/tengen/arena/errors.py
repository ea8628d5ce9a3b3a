# SPDX-License-Identifier: MIT
"""The errors of the arena. Result folders raise `BadRun` and `FolderLocked` of `tengen.util`."""

from __future__ import annotations

from tengen.util.errors import BadConfig, BadRun, FolderLocked, TengenError

__all__ = ["ArenaFailed", "BadArena", "BadRun", "FolderLocked"]


class BadArena(BadConfig):
    """A match that cannot be played: a wrong key or value, a player that does not exist."""


class ArenaFailed(TengenError, RuntimeError):
    """The match cannot continue, for a reason that is no player's fault."""
