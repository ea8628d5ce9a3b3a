# SPDX-License-Identifier: MIT
"""The base of all errors of the package, and the errors of `tengen.util`."""

from __future__ import annotations


class TengenError(Exception):
    """Base of every error this package raises on purpose."""


class BadConfig(TengenError, ValueError):
    """A config with an unknown key, a missing key, or a value of the wrong type or range.

    `key` is the dotted key at fault, empty if the error concerns several keys.
    """

    def __init__(self, problem: str, key: str = "") -> None:
        super().__init__(f"{key}: {problem}" if key else problem)
        self.problem = problem
        self.key = key


class BadRun(TengenError, ValueError):
    """A run folder that cannot be read, already has a run, or has a different run."""


class BadPack(TengenError, ValueError):
    """A packed file that is damaged, too large, or written by another version."""


class BadText(TengenError, ValueError):
    """Text that a UTF-8 file cannot hold: a lone surrogate."""


class FolderLocked(TengenError, RuntimeError):
    """Another process holds the lock of a folder."""
