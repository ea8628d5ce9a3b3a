# SPDX-License-Identifier: MIT
"""The version, read from the installed package: it is written once, in pyproject.toml."""

from __future__ import annotations


def version() -> str:
    """The version of the installed package, or `0+unknown` in a bare source tree."""
    from importlib import metadata  # imported late: it costs more than the rest of the package

    try:
        return metadata.version("tengen-gomoku")
    except metadata.PackageNotFoundError:
        return "0+unknown"
