# SPDX-License-Identifier: MIT
"""The learning rate of each step, a pure function of the config: a resumed run needs no state for
it. Relies on the config; the loop relies on it.
"""

from __future__ import annotations

import math

from tengen.train.config import ScheduleConfig

__all__ = ["rate_share"]


def rate_share(config: ScheduleConfig, step: int, total: int) -> float:
    """The rate of step `step` (from 0) of `total`, as a share of the highest one."""
    if step < config.warmup:
        return (step + 1) / (config.warmup + 1)
    if config.name == "constant":
        return 1.0
    if config.name == "step":
        passed = sum(step >= share * total for share in config.milestones)
        return float(config.factor**passed)
    way = (step - config.warmup) / max(1, total - 1 - config.warmup)
    return config.end + (1.0 - config.end) * (1.0 + math.cos(math.pi * min(1.0, way))) / 2.0
