# SPDX-License-Identifier: MIT
"""The typed errors of training. As all errors of the package they say what is wrong, where, and
what would be right. Relies on the errors of the game.
"""

from __future__ import annotations

from tengen.game.errors import TengenError

__all__ = ["BadCheckpoint", "BadRun", "BadTraining", "TrainingBusy", "TrainingFailed"]


class BadTraining(TengenError, ValueError):
    """A run that cannot be made: a wrong key or value, data or a teacher that do not fit."""


class BadRun(TengenError, ValueError):
    """A folder whose run cannot be read, is there already, or is another one than the config's."""


class BadCheckpoint(TengenError, ValueError):
    """A checkpoint that is truncated, damaged, or of another run."""


class TrainingBusy(TengenError, RuntimeError):
    """Another process trains in the same folder."""


class TrainingFailed(TengenError, RuntimeError):
    """The run cannot go on: a loss or a gradient is no number any more."""
