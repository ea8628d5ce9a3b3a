# SPDX-License-Identifier: MIT
"""`Answer`: what a solver says when it has no proof; `Progress`: what it says on the way. Relies
on goals and moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from tengen.game.move import Move
from tengen.game.rule import Colour
from tengen.solver.goal import Goal

__all__ = ["Answer", "Progress", "Stats", "Status"]


class Status(StrEnum):
    """What is known without a proof of a win."""

    NO_WIN = "no win"
    UNKNOWN = "unknown"


class Progress(NamedTuple):
    """A search on its way."""

    nodes: int  # moves tried so far
    depth: int  # the deepest line so far, in moves of both sides
    seconds: float
    best: Move | None  # the most promising first move so far


@dataclass(frozen=True, slots=True)
class Stats:
    """What a finished search took."""

    nodes: int
    seconds: float
    depth: int


@dataclass(frozen=True, slots=True)
class Answer:
    """No proof, and why not. False, where a `Proof` is true.

    `NO_WIN` speaks of the goal alone: there may still be a win of another kind.
    """

    status: Status
    reason: str  # in words: "no win by continuous fours", "time limit of 5 s reached"
    goal: Goal
    attacker: Colour
    nodes: int
    seconds: float
    depth: int  # the deepest line looked at, in moves of both sides
    best: Move | None = None  # the most promising first move; a guess, not a result

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        work = f"{self.nodes:,} node{'s' if self.nodes != 1 else ''}, {self.seconds:.2f} s"
        if self.status is Status.NO_WIN:
            return f"{str(self.attacker).capitalize()} has {self.reason} ({work})."
        hint = f" The most promising first move is {self.best}." if self.best else ""
        who = f"whether {self.attacker} wins by {self.goal.words()}"
        return f"Unknown {who}: {self.reason} ({work}).{hint}"
