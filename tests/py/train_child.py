# SPDX-License-Identifier: MIT
"""Training in a separate process, for tests that kill it. Imports no test, so that a fork server
can preload it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from tengen.train.config import TrainConfig
from tengen.train.loop import train


def run_child(table: dict[str, Any], path: str) -> None:
    """Start or resume a run on one thread."""
    torch.set_num_threads(1)
    made = TrainConfig.from_dict(table)
    train(made, Path(path), device="cpu", resume=True, line_seconds=1e9)
