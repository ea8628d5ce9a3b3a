# SPDX-License-Identifier: MIT
"""The error of tuning runs that make no sense; what goes wrong with their files and their games is
told by the arena's errors. Relies on the errors of the game.
"""

from __future__ import annotations

from tengen.game.errors import TengenError

__all__ = ["BadTuning"]


class BadTuning(TengenError, ValueError):
    """A run that cannot be made: an unknown number, a range it has not, a wrong setting."""
