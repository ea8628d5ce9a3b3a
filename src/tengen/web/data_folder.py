# SPDX-License-Identifier: MIT
"""Where games of the page are kept. The same habits as the cache of nets (docs/cache.md), but for
files that nobody can make again. Relies on the standard library alone.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["data_folder"]

_OFF = "off"


def data_folder() -> Path | None:
    """$TENGEN_DATA, else the user's folder for such things. None if there is no such folder, or
    TENGEN_DATA is `off`: then nothing outlives the server."""
    told = os.environ.get("TENGEN_DATA", "")
    if told:
        return None if told.lower() == _OFF else Path(told)
    given = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_DATA_HOME", "")
    if given and Path(given).is_absolute():
        return Path(given) / "tengen"
    try:
        return Path.home() / ".local" / "share" / "tengen"
    except RuntimeError:  # the system knows no home for this user
        return None
