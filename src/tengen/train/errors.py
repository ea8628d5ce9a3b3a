# SPDX-License-Identifier: MIT
"""The typed errors of training. As all errors of the package they say what is wrong, where, and
what would be right. Relies on the errors of the game.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tengen.game.errors import TengenError

__all__ = [
    "BadCheckpoint",
    "BadRun",
    "BadTraining",
    "TrainingBusy",
    "TrainingFailed",
    "writing",
]

_CURES = {
    **dict.fromkeys((errno.ENOSPC, errno.EFBIG, errno.EDQUOT), "make room"),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "make the folder writable"),
}


class BadTraining(TengenError, ValueError):
    """A run that cannot be made: a wrong key or value, data or a teacher that do not fit."""


class BadRun(TengenError, ValueError):
    """A folder whose run cannot be read, is there already, or is another one than the config's."""


class BadCheckpoint(TengenError, ValueError):
    """A checkpoint that is truncated, damaged, or of another run."""


class TrainingBusy(TengenError, RuntimeError):
    """Another process trains in the same folder."""


class TrainingFailed(TengenError, RuntimeError):
    """The run cannot go on: a loss or a gradient is no number any more."""


@contextmanager
def writing(path: Path, again: str = "--resume") -> Iterator[None]:
    """What of a run cannot be written in here is told with what to do, `again` at the end. Raises
    OSError.
    """
    try:
        yield
    except OSError as error:
        cure = _CURES.get(error.errno or 0, "put that right")
        words = f"{error.strerror or error}; the checkpoints written before are safe: {cure}"
        raise OSError(error.errno, f"{words}, then {again}", str(path)) from None
