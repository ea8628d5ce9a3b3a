# SPDX-License-Identifier: MIT
"""The typed errors of zero learning. As all errors of the package they say what is wrong, where,
and what to do. Relies on the errors of the game.
"""

from __future__ import annotations

from tengen.game.errors import TengenError

__all__ = ["BadPack", "BadResult", "BadZero", "SelfPlayFailed"]


class BadZero(TengenError, ValueError):
    """A run that cannot be made or read: a wrong key, a folder with another run, a damaged file."""


class BadResult(TengenError, ValueError):
    """What a self-play worker gave back cannot be games: it is rejected whole."""


class SelfPlayFailed(TengenError, RuntimeError):
    """No worker is left that gives good games."""


class BadPack(TengenError, ValueError):
    """A packed run that is damaged, of another version, or too large to be made."""
