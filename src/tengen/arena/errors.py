# SPDX-License-Identifier: MIT
"""The errors of the arena. Folders of results raise `BadRun` and `FolderBusy` of `tengen.util`."""

from __future__ import annotations

from tengen.util.errors import BadConfig, BadRun, FolderBusy, TengenError

__all__ = ["ArenaFailed", "BadArena", "BadRun", "FolderBusy"]


class BadArena(BadConfig):
    """A match that cannot be played: a wrong key or value, a player that does not exist."""


class ArenaFailed(TengenError, RuntimeError):
    """The match cannot continue, for a reason that is no player's fault."""
