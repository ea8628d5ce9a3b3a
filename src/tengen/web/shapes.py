# SPDX-License-Identifier: MIT
"""Values that messages of both directions share: positions, what is to be seen of them, scores.

pydantic models; web/src/lib/asks.ts and tells.ts are generated from them (scripts/web_types.py).
Points are names as `h8`; scores and win rates are black's.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from tengen.game.rule import MAX_SIZE, MIN_SIZE

__all__ = [
    "Clock",
    "ColourName",
    "ForbiddenPoint",
    "Id",
    "Line",
    "Moves",
    "Point",
    "Position",
    "Result",
    "RuleName",
    "Setup",
    "Shape",
    "Size",
    "View",
]

MOST_MOVES = MAX_SIZE * MAX_SIZE + 2  # a full board, and two passes

RuleName = Literal["freestyle", "standard", "renju", "caro", "caro6"]
ColourName = Literal["black", "white"]
Point = Annotated[str, Field(min_length=2, max_length=4)]
Moves = Annotated[list[Point], Field(max_length=MOST_MOVES)]
Size = Annotated[int, Field(ge=MIN_SIZE, le=MAX_SIZE)]
Id = Annotated[int, Field(ge=0, le=2**31 - 1)]  # of a question; its answers carry it


class Shape(BaseModel):
    """The ground of all messages: no field that nobody knows, no silent conversion."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Setup(Shape):
    """Stones that were put before the first move."""

    black: Moves = Field(default_factory=list)
    white: Moves = Field(default_factory=list)
    turn: ColourName | None = None  # None: black's, unless black has more stones


class Position(Shape):
    """A position, by how it came about."""

    rule: RuleName = "freestyle"
    size: Size = 15
    setup: Setup | None = None
    moves: Moves = Field(default_factory=list)


class ForbiddenPoint(Shape):
    point: str
    reason: Literal["overline", "double_four", "double_three"]


class Result(Shape):
    """How a game ended; no winner is a draw. `lines` are the winning rows."""

    winner: ColourName | None
    reason: Literal["five", "full_board", "passes", "move_limit", "resign", "time"]
    lines: list[list[str]] = Field(default_factory=list)


class View(Shape):
    """What is to be seen of a position."""

    ply: int
    stones: str  # `.`, `b`, `w` by point, row by row from a1
    turn: ColourName
    last: str | None  # the last stone played
    forbidden: list[ForbiddenPoint]  # to the side to move
    outcome: Result | None


class Clock(Shape):
    """Seconds left, at the moment of the message; and whose clock runs."""

    black: float
    white: float
    increment: float
    running: ColourName | None


class Line(Shape):
    """A line of play that a search found."""

    rank: int  # 1 is the best
    moves: list[str]
    score: int  # black's, in points
    win_rate: float  # black's, 0 to 1
    mate: int | None  # moves of both sides to the end; positive: black wins
    depth: int
    exact: bool  # False: a bound only
