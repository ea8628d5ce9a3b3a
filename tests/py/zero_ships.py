# SPDX-License-Identifier: MIT
"""Small runs that are shipped in tests, and how they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tengen.export.verify import VerifyPlan
from tengen.zero.config import ShipConfig
from tengen.zero.folder import ZeroFolder
from tengen.zero.ship import Shipped, ship
from tengen.zero.ship_folder import ShipFolder
from zero_runs import AT_ONCE, config, go

TINY: dict[str, Any] = {
    "size": "s",
    "samples": 48,
    "games": 4,
    "nodes": 4,
    "openings": "empty",
    "train": {"batch": 8, "run": {"tensorboard": False}},
}
FEW = VerifyPlan(positions=1, patterns=50, quick=True)


def make_run(path: Path, **changes: Any) -> ZeroFolder:
    """A run with games and some generations."""
    gate = {"minutes": AT_ONCE, "games": 0}
    go(config(**{"ship": TINY, "gate": gate, **changes}), path, 10)
    return ZeroFolder.read(path)


def shipped(run: ZeroFolder, made: ShipConfig | None = None, **changes: Any) -> Shipped:
    return ship(run, made, **{"device": "cpu", "processes": 1, "checks": FEW, **changes})


def folder_of(run: ZeroFolder, **changes: Any) -> ShipFolder:
    """Where it is shipped by its own table, or with other values."""
    return ShipFolder(run, run.generations()[-1], replace(run.config.ship, **changes))
