# SPDX-License-Identifier: MIT
"""Old names of `train_folder`."""

from contextlib import AbstractContextManager
from pathlib import Path

from tengen.train.train_folder import TrainFolder as RunFolder
from tengen.train.train_folder import check_writable
from tengen.util import files
from tengen.util.journal import Journal as _Journal


def locked(folder: Path) -> AbstractContextManager[None]:
    check_writable(folder)
    return files.locked(folder)


class Journal(_Journal):
    add = _Journal.append


__all__ = ["Journal", "RunFolder", "locked"]
