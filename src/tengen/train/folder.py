# SPDX-License-Identifier: MIT
"""Old names of `train_folder`."""

from tengen.train.train_folder import TrainFolder as RunFolder
from tengen.util.files import locked
from tengen.util.journal import Journal as _Journal


class Journal(_Journal):
    add = _Journal.append


__all__ = ["Journal", "RunFolder", "locked"]
