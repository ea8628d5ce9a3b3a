# SPDX-License-Identifier: MIT
"""Many tasks, played somewhere: a map of tasks onto workers that may crash, hang or die.

What is played is no matter here, and where is no matter to those who play: `Cluster` is the
interface, `LocalCluster` the one of processes on this machine. Imports nothing of ours.
"""

from __future__ import annotations

from tengen.cluster.base import Cluster, Done, Failure, Notes, cores
from tengen.cluster.local import LocalCluster

__all__ = ["Cluster", "Done", "Failure", "LocalCluster", "Notes", "cores"]
