# SPDX-License-Identifier: MIT
"""The errors of zero runs. Messages say what is wrong, where, and what to do."""

from __future__ import annotations

from tengen.util.errors import BadConfig, BadPack, TengenError

__all__ = ["BadPack", "BadResult", "BadZero", "SelfPlayFailed"]


class BadZero(BadConfig):
    """A run that cannot be made or read: a wrong key, a folder with another run, a damaged file."""


class BadResult(TengenError, ValueError):
    """The result of a self-play worker is invalid; all of it is rejected."""


class SelfPlayFailed(TengenError, RuntimeError):
    """No worker returns valid games."""
