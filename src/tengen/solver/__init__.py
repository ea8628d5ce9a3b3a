# SPDX-License-Identifier: MIT
"""Solving: forced wins by continuous fours (VCF) and threats (VCT), with proofs.

The search is native and runs without the GIL. What it finds is a `Proof`, which the referee can
check without the solver. Relies on `_core` and `game`; see docs/solving.md.
"""

from tengen._core import Cancel
from tengen.solver.answer import Answer, Progress, Stats, Status
from tengen.solver.defence import Defences
from tengen.solver.errors import BadLimit, BadProof, Cancelled, SolverBusy
from tengen.solver.goal import Goal
from tengen.solver.proof import Proof, ProofNode
from tengen.solver.search import Solver, defences, solve

__all__ = [
    "Answer",
    "BadLimit",
    "BadProof",
    "Cancel",
    "Cancelled",
    "Defences",
    "Goal",
    "Progress",
    "Proof",
    "ProofNode",
    "Solver",
    "SolverBusy",
    "Stats",
    "Status",
    "defences",
    "solve",
]
