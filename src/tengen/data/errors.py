# SPDX-License-Identifier: MIT
"""The errors of data sets."""

from __future__ import annotations

from tengen.util.errors import BadConfig, FolderLocked


class BadData(BadConfig):
    """A data set, a row, or a file to import that is invalid."""


class Unfinished(BadData):
    """A data set whose import was interrupted: its shards are valid but not complete."""


class DataBusy(FolderLocked):
    """Another process is writing to the data set."""
