# SPDX-License-Identifier: MIT
"""The goal and the limits of a solver. Pure values; relies on the game's errors and limits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import SupportsFloat, SupportsIndex

from tengen.game.errors import BadLimit, BadNotation
from tengen.game.limits import seconds, whole

MAX_QUIET = 100
_MAX_NODES = 2**63 - 1
_MAX_MEBIBYTES = 2**24


class Goal(StrEnum):
    """The kind of win to search for. The order is that of the native core."""

    VCF = "vcf"
    VCT = "vct"
    ANY = "any"

    @property
    def number(self) -> int:
        return _NUMBERS[self]

    def describe(self, quiet: int | None = None) -> str:
        """`continuous fours` and so on; `quiet` is the number of quiet moves allowed."""
        if self is Goal.VCF:
            return "continuous fours"
        if self is Goal.VCT or quiet == 0:
            return "continuous threats"
        if quiet is None:
            return "threats and quiet moves"
        return f"continuous threats and {quiet} quiet move{'s' if quiet != 1 else ''}"

    @classmethod
    def parse(cls, value: Goal | str) -> Goal:
        """Accept a Goal or its name in any case."""
        try:
            return cls(value.strip().lower())
        except (ValueError, AttributeError):
            known = ", ".join(cls)
            raise BadNotation(f"no goal {value!r}: known are {known}") from None


_NUMBERS = {goal: number for number, goal in enumerate(Goal)}


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a search. None: no such limit."""

    time: float | None
    nodes: int | None
    quiet: int

    @classmethod
    def checked(
        cls,
        goal: Goal,
        time: SupportsFloat | None,
        nodes: SupportsIndex | None,
        quiet: SupportsIndex | None,
    ) -> Limits:
        """Validated limits; raises BadLimit. `quiet` None: one quiet move where the goal allows
        any.
        """
        moves = int(goal is Goal.ANY)
        if quiet is not None:
            moves = whole("number of quiet moves", quiet, 0, MAX_QUIET)
        if moves and goal is not Goal.ANY:
            raise BadLimit(f"quiet moves with goal {goal}: quiet moves go with goal 'any'")
        count = None if nodes is None else whole("number of nodes", nodes, 1, None)
        return cls(seconds(time), count, moves)

    @property
    def core(self) -> tuple[float, int]:
        """Seconds and nodes for the native core: 0 is no limit."""
        return self.time or 0.0, min(self.nodes or 0, _MAX_NODES)

    def reached(self, which: str, memory: int) -> str:
        """Why a search ended early, for a message; `memory` in MiB."""
        if which == "time" and self.time is not None:
            return f"time limit of {self.time:g} s reached"
        if which == "nodes" and self.nodes is not None:
            return f"limit of {self.nodes:,} nodes reached"
        if which == "memory":
            return f"the {memory:,} MiB of memory are full"
        return "cancelled" if which == "cancelled" else "the search ended without a decision"


def memory_bytes(memory: SupportsIndex) -> int:
    """`memory` MiB in bytes; raises BadLimit for less than one."""
    return whole("memory (in MiB)", memory, 1, _MAX_MEBIBYTES) << 20
