# SPDX-License-Identifier: MIT
"""Small runs that are released in tests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tengen.export.verify import VerifyPlan
from tengen.zero.config import ReleaseConfig
from tengen.zero.release.release import ReleaseResult, make_release
from tengen.zero.release.release_folder import ReleaseFolder
from tengen.zero.zero_folder import ZeroFolder
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
    go(config(**{"release": TINY, "gate": gate, **changes}), path, 10)
    return ZeroFolder.read(path)


def release(run: ZeroFolder, made: ReleaseConfig | None = None, **changes: Any) -> ReleaseResult:
    return make_release(run, made, **{"device": "cpu", "processes": 1, "checks": FEW, **changes})


def folder_of(run: ZeroFolder, **changes: Any) -> ReleaseFolder:
    """Where it is shipped by its own table, or with other values."""
    return ReleaseFolder(run, run.generations()[-1], replace(run.config.release, **changes))
