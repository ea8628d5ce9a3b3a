# SPDX-License-Identifier: MIT
"""The errors of training."""

from __future__ import annotations

from tengen.game.errors import TengenError
from tengen.util.errors import BadConfig, BadRun, FolderLocked

__all__ = ["RESUME", "BadCheckpoint", "BadRun", "BadTraining", "TrainingBusy", "TrainingFailed"]

RESUME = "resume with --resume: the checkpoints written before are safe"
TrainingBusy = FolderLocked  # another process trains in the folder


class BadTraining(BadConfig):
    """A run that cannot be made: a wrong key or value, data or a teacher that do not match."""


class BadCheckpoint(TengenError, ValueError):
    """A checkpoint that is truncated, damaged, or belongs to another run."""


class TrainingFailed(TengenError, RuntimeError):
    """The run cannot continue: a loss or a gradient is not a finite number."""
