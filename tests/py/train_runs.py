# SPDX-License-Identifier: MIT
"""Small training runs for tests: started, stopped and compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from tengen.train.checkpoint import checkpoints, read_checkpoint
from tengen.train.config import TrainConfig
from tengen.train.loop import TrainResult, train


def go(table: dict[str, Any], path: Path, **options: Any) -> TrainResult:
    made = TrainConfig.from_dict(table)
    return train(made, path, device="cpu", line_seconds=0.0, **options)


def stop_after(calls: int) -> Callable[[], bool]:
    """Stops a run after this many steps."""
    left = iter(range(calls))
    return lambda: next(left, None) is None


def weights(path: Path) -> dict[str, torch.Tensor]:
    """Of the newest checkpoint of a run."""
    return read_checkpoint(checkpoints(path / "checkpoints")[0]).weights


def same(one: dict[str, torch.Tensor], two: dict[str, torch.Tensor]) -> bool:
    return one.keys() == two.keys() and all(torch.equal(one[name], two[name]) for name in one)
