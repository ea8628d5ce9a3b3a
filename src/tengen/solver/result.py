# SPDX-License-Identifier: MIT
"""`NoProof`: the result of a search that found no proof; `SolverProgress`, `Stats`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from tengen.game.move import Move
from tengen.game.rule import Colour
from tengen.solver.goal import Goal


class Status(StrEnum):
    """The result of a search that found no win."""

    NO_WIN = "no win"
    UNKNOWN = "unknown"


class SolverProgress(NamedTuple):
    """The state of a running search."""

    nodes: int  # moves tried so far
    depth: int  # the deepest line so far, in moves of both sides
    seconds: float
    best: Move | None  # the most promising first move so far


@dataclass(frozen=True, slots=True)
class Stats:
    """The cost of a finished search."""

    nodes: int
    seconds: float
    depth: int


@dataclass(frozen=True, slots=True)
class NoProof:
    """A search that found no proof, with the reason. Falsy, where a `Proof` is truthy.

    `NO_WIN` is about the goal alone: there may still be a win of another kind.
    """

    status: Status
    reason: str  # "no win by continuous fours", "time limit of 5 s reached"
    goal: Goal
    attacker: Colour
    nodes: int
    seconds: float
    depth: int  # the deepest line searched, in moves of both sides
    best: Move | None = None  # the most promising first move, not proven

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        work = f"{self.nodes:,} node{'s' if self.nodes != 1 else ''}, {self.seconds:.2f} s"
        if self.status is Status.NO_WIN:
            return f"{str(self.attacker).capitalize()} has {self.reason} ({work})."
        hint = f" The most promising first move is {self.best}." if self.best else ""
        who = f"whether {self.attacker} wins by {self.goal.describe()}"
        return f"Unknown {who}: {self.reason} ({work}).{hint}"
