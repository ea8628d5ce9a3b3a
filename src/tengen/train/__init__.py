# SPDX-License-Identifier: MIT
"""Training of nets on data sets (docs/training.md): configs, losses, metrics, the loop with its
checkpoints, distillation, reports.

Configs and errors need no torch; what does is imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tengen.train.config import TrainConfig, read_config
from tengen.train.errors import BadCheckpoint, BadRun, BadTraining, TrainingBusy, TrainingFailed
from tengen.util.deprecation import deprecated_names

if TYPE_CHECKING:
    from tengen.train.checkpoint import Checkpoint, read_checkpoint
    from tengen.train.game_metrics import GameMetrics
    from tengen.train.loop import TrainResult, train
    from tengen.train.losses import LOSSES, METRICS

__all__ = [
    "LOSSES",
    "METRICS",
    "BadCheckpoint",
    "BadRun",
    "BadTraining",
    "Checkpoint",
    "GameMetrics",
    "TrainConfig",
    "TrainResult",
    "TrainingBusy",
    "TrainingFailed",
    "read_checkpoint",
    "read_config",
    "train",
]

# Names that need torch or NumPy, with the modules they are in.
_LATE = {
    "checkpoint": "Checkpoint read_checkpoint",
    "game_metrics": "GameMetrics",
    "loop": "TrainResult train",
    "losses": "LOSSES METRICS",
}


_renamed = deprecated_names(__name__, {"Result": "tengen.train.loop:TrainResult"})


def __getattr__(name: str) -> Any:
    for module, names in _LATE.items():
        if name in names.split():
            return getattr(import_module(f"tengen.train.{module}"), name)
    return _renamed(name)
