# SPDX-License-Identifier: MIT
"""Which of the things that a search tells are passed on to the manager: some a second, and the
last. Time is that of the search, so that the same search gives the same lines. The server session
relies on it.
"""

from __future__ import annotations

from tengen.engine.info import Info
from tengen.engine.protocol.details import format_info

__all__ = ["Report"]

# Seconds of search from one line to the next, by show_detail; 0 tells nothing.
_PERIODS = {1: 0.5, 2: 0.1}


class Report:
    """The lines about one search."""

    def __init__(self) -> None:
        self._next = 0.0  # when the next line may be told, in s of the search
        self._told: Info | None = None

    def tell(self, info: Info, detail: int) -> str | None:
        """The line for this info, or None if it is too early for one, or not wanted."""
        if detail == 0 or info.time < self._next:
            return None
        if info.multipv == 1:
            self._next = info.time + _PERIODS[min(detail, max(_PERIODS))]
            self._told = info
        return format_info(info)

    def end(self, info: Info | None, detail: int) -> str | None:
        """The last line, unless it was told already."""
        if detail == 0 or info is None or info == self._told:
            return None
        return format_info(info)
