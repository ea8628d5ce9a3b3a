# SPDX-License-Identifier: MIT
"""Solver: forced wins by continuous fours (VCF) and threats (VCT), with proofs.

The search is native and runs without the GIL. Its result is a `Proof`, which the referee verifies
without the solver. Relies on `_core` and `game`; see docs/solving.md.
"""

from tengen._core import Cancel
from tengen.solver.errors import BadLimit, BadProof, Cancelled, SolverBusy
from tengen.solver.goal import Goal
from tengen.solver.proof import Proof, ProofNode
from tengen.solver.result import NoProof, SolverProgress, Stats, Status
from tengen.solver.search import Defences, Solver, defences, solve
from tengen.util.deprecation import deprecated_names

__all__ = [
    "BadLimit",
    "BadProof",
    "Cancel",
    "Cancelled",
    "Defences",
    "Goal",
    "NoProof",
    "Proof",
    "ProofNode",
    "Solver",
    "SolverBusy",
    "SolverProgress",
    "Stats",
    "Status",
    "defences",
    "solve",
]

__getattr__ = deprecated_names(__name__, {"Answer": "NoProof", "Progress": "SolverProgress"})
