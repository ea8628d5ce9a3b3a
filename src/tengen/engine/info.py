# SPDX-License-Identifier: MIT
"""Results of searches: `Info` during a search, `PlayResult` at its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tengen.engine.score import PovScore
from tengen.game.move import Move

Bound: TypeAlias = Literal["exact", "lower", "upper"]
# In the order of the native core.
BOUNDS: tuple[Bound, ...] = ("exact", "lower", "upper")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What evaluates positions; `str` has name and description."""

    name: str  # as `mixnet-m`, `classical`, `onnx`
    about: str = ""  # the net, or why there is none
    bytes: int = 0  # memory of its nets, shared by all engines of a process

    def __str__(self) -> str:
        return f"{self.name} ({self.about})" if self.about else self.name


@dataclass(frozen=True, slots=True)
class Info:
    """A line of play and the statistics of the search so far; 0 where an engine reports none."""

    score: PovScore
    pv: tuple[Move, ...] = ()  # principal variation
    depth: int = 0  # in plies
    seldepth: int = 0  # selective depth: of the deepest line
    multipv: int = 1  # rank of this line; 1 is the best
    visits: int = 0  # tree search: playouts that started with this move
    nodes: int = 0  # including `vcf_nodes`
    vcf_nodes: int = 0  # nodes of VCF quiescence
    solver_nodes: int = 0  # nodes of the root solver, not among `nodes`
    evaluations: int = 0
    time: float = 0.0  # seconds, including waiting for a net and pondering
    nps: int = 0  # nodes per second
    hashfull: float = 0.0  # used share of the transposition table, 0 to 1
    bound: Bound = "exact"
    evaluation: Evaluation | None = None


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """How far a search is, between two infos."""

    nodes: int
    time: float  # seconds, including waiting for a net
    nps: int  # nodes per second
    seldepth: int  # of the current line


@dataclass(frozen=True, slots=True)
class PlayResult:
    """The result of a search."""

    move: Move
    ponder: Move | None = None  # the expected reply
    info: Info | None = None  # the last info of the move
