# SPDX-License-Identifier: MIT
"""Training of nets on data sets (docs/training.md): configs, losses and metrics by name, the loop
with its checkpoints, distillation, reports.

Relies on `tengen.nets` and `tengen.data`; the command line relies on it. Configs and errors need no
torch; what does is looked up late.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tengen.train.config import TrainConfig, read_config
from tengen.train.errors import BadCheckpoint, BadRun, BadTraining, TrainingBusy, TrainingFailed

if TYPE_CHECKING:
    from tengen.train.checkpoint import Checkpoint, read_checkpoint
    from tengen.train.loop import Result, train
    from tengen.train.losses import LOSSES
    from tengen.train.metrics import METRICS

__all__ = [
    "LOSSES",
    "METRICS",
    "BadCheckpoint",
    "BadRun",
    "BadTraining",
    "Checkpoint",
    "Result",
    "TrainConfig",
    "TrainingBusy",
    "TrainingFailed",
    "read_checkpoint",
    "read_config",
    "train",
]

# Names that need torch, with the modules they are in.
_LATE = {
    "checkpoint": "Checkpoint read_checkpoint",
    "loop": "Result train",
    "losses": "LOSSES",
    "metrics": "METRICS",
}


def __getattr__(name: str) -> Any:
    for module, names in _LATE.items():
        if name in names.split():
            found = getattr(import_module(f"tengen.train.{module}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'tengen.train' has no attribute {name!r}")
