# SPDX-License-Identifier: MIT
"""The typed errors of data sets. Each says what is wrong, where, and what to do about it. Relies on
the errors of the game; every module of the package raises them.
"""

from __future__ import annotations

from tengen.game.errors import TengenError

__all__ = ["BadData", "DataBusy", "Unfinished"]


class BadData(TengenError, ValueError):
    """A data set, a row, or a source to import that makes no sense."""


class Unfinished(BadData):
    """A data set whose import was interrupted: its shards are good, but not all are there."""


class DataBusy(TengenError, RuntimeError):
    """Another process writes to the same data set."""
