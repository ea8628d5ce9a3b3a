# SPDX-License-Identifier: MIT
"""Old names of `train_state`."""

from tengen.train.train_state import TrainState as State
from tengen.train.train_state import device_name, make_optimiser, on_cpu, placed

__all__ = ["State", "device_name", "make_optimiser", "on_cpu", "placed"]
