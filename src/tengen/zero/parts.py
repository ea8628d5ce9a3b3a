# SPDX-License-Identifier: MIT
"""What of a run can be another one (`Parts`), and how far it has come (`Result`). Relies on the
kinds of matches and on views; the session and the loop rely on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tengen.cluster import Cluster, LocalCluster
from tengen.zero.duel import gate_match
from tengen.zero.factory import FACTORY
from tengen.zero.gate import MatchMaker
from tengen.zero.log import View, default_view

__all__ = ["Parts", "Result"]


@dataclass(frozen=True)
class Parts:
    """What of a run can be another one: for tests, and for other machines."""

    factory: str = FACTORY  # of generators, as "module:function"
    match: MatchMaker = gate_match
    cluster: Callable[[int, float], Cluster] = LocalCluster  # of workers and patience
    view: Callable[[float, float], View] = default_view


@dataclass(frozen=True)
class Result:
    """How far a run has come, over all sessions."""

    folder: Path
    seconds: float
    planned: float
    step: int
    generation: int
    counts: dict[str, int]
    is_done: bool  # the plan is at its end, and its last match was held
