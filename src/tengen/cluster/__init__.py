# SPDX-License-Identifier: MIT
"""A parallel map of tasks onto workers that may crash, hang or die: `Cluster` is the interface,
`LocalCluster` runs processes on this machine. Imports no other package of tengen.
"""

from __future__ import annotations

import warnings
from typing import Any

from tengen.cluster.base import Cluster, Done, Failure, ProgressRecord, cores
from tengen.cluster.local import LocalCluster

__all__ = ["Cluster", "Done", "Failure", "LocalCluster", "ProgressRecord", "cores"]


def __getattr__(name: str) -> Any:
    if name != "Notes":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    new = "tengen.cluster.ProgressRecord"
    warnings.warn(f"{__name__}.{name} is deprecated: use {new}", DeprecationWarning, stacklevel=2)
    return ProgressRecord
