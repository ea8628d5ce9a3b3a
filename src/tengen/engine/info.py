# SPDX-License-Identifier: MIT
"""What an engine tells: `Info` while it searches, `Played` when it is done. Pure values; relies on
scores and moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tengen.engine.score import PovScore
from tengen.game.move import Move

__all__ = ["BOUNDS", "Bound", "Evaluation", "Info", "Played", "SearchProgress"]

Bound: TypeAlias = Literal["exact", "lower", "upper"]
# In the order of the native core.
BOUNDS: tuple[Bound, ...] = ("exact", "lower", "upper")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an engine values positions with; `str` is all of it in words."""

    name: str  # as `mixnet-m`, `classical`, `onnx`
    about: str = ""  # the net, or why there is none
    bytes: int = 0  # of memory that its nets take, once for all engines of a process

    def __str__(self) -> str:
        return f"{self.name} ({self.about})" if self.about else self.name


@dataclass(frozen=True, slots=True)
class Info:
    """A line of play that a search found, and what the search took so far. What an engine does not
    tell is 0.
    """

    score: PovScore
    pv: tuple[Move, ...] = ()  # the line of play, the move to make first
    depth: int = 0  # of the search, in moves of both sides
    seldepth: int = 0  # of the deepest line looked at
    multipv: int = 1  # the place of this line among the best ones; 1: the best
    visits: int = 0  # of tree search: playouts that began with this line's move
    nodes: int = 0  # positions visited, those of `vcf_nodes` included
    vcf_nodes: int = 0  # of them by the search for continuous fours
    solver_nodes: int = 0  # positions visited by the solvers, beside `nodes`
    evaluations: int = 0
    time: float = 0.0  # seconds, those that it waited for a net included
    nps: int = 0  # nodes a second
    hashfull: float = 0.0  # share of the table that is in use, 0 to 1
    bound: Bound = "exact"  # whether the score is what it is, at least that, or at most that
    evaluation: Evaluation | None = None  # where the scores come from


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """How far a search is, between the lines that it tells."""

    nodes: int
    time: float  # seconds, those that it waited for a net included
    nps: int  # nodes a second
    seldepth: int  # of the line that is being searched


@dataclass(frozen=True, slots=True)
class Played:
    """What a search ended with."""

    move: Move
    ponder: Move | None = None  # the reply that is expected
    info: Info | None = None  # the last that was told about the move
