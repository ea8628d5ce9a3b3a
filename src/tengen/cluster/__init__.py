# SPDX-License-Identifier: MIT
"""A parallel map of tasks onto workers that may crash, hang or die: `Cluster` is the interface,
`LocalCluster` runs processes on this machine. Imports no other package of tengen.
"""

from __future__ import annotations

import warnings
from typing import Any

from tengen.cluster.base import Cluster, Failure, ProgressRecord, TaskOutcome, cores
from tengen.cluster.local import LocalCluster

__all__ = ["Cluster", "Failure", "LocalCluster", "ProgressRecord", "TaskOutcome", "cores"]

_RENAMED = {"Done": TaskOutcome, "Notes": ProgressRecord}  # names of version 0.1.0


def __getattr__(name: str) -> Any:
    if name not in _RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    new = f"tengen.cluster.{_RENAMED[name].__name__}"
    warnings.warn(f"{__name__}.{name} is deprecated: use {new}", DeprecationWarning, stacklevel=2)
    return _RENAMED[name]
