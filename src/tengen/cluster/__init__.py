# SPDX-License-Identifier: MIT
"""A parallel map of tasks onto workers that may crash, hang or die: `Cluster` is the interface,
`LocalCluster` runs processes on this machine. Imports no other package of tengen.
"""

from __future__ import annotations

from tengen.cluster.base import Cluster, Done, Failure, Notes, cores
from tengen.cluster.local import LocalCluster

__all__ = ["Cluster", "Done", "Failure", "LocalCluster", "Notes", "cores"]
