# SPDX-License-Identifier: MIT
from __future__ import annotations
from tengen.zero.folder import ZeroFolder
__all__ = ["write_report"]
def write_report(folder: ZeroFolder) -> None:
    pass
