# SPDX-License-Identifier: MIT
"""Base class of all messages, and the values that requests and events share.

scripts/web_types.py generates web/src/lib/messages.ts from these models. Points are names such as
`h8`; scores and win rates are black's.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from tengen.game.rule import MAX_SIZE, MIN_SIZE

MAX_MOVES = MAX_SIZE * MAX_SIZE + 2  # a full board, and two passes

RuleName = Literal["freestyle", "standard", "renju", "caro", "caro6"]
ColourName = Literal["black", "white"]
Point = Annotated[str, Field(min_length=2, max_length=4)]
Moves = Annotated[list[Point], Field(max_length=MAX_MOVES)]
Size = Annotated[int, Field(ge=MIN_SIZE, le=MAX_SIZE)]
Id = Annotated[int, Field(ge=0, le=2**31 - 1)]  # of a request; its events carry it


class Message(BaseModel):
    """Base of all messages: no unknown fields, no implicit conversions."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class SetupStones(Message):
    """Stones on the board before the first move."""

    black: Moves = Field(default_factory=list)
    white: Moves = Field(default_factory=list)
    turn: ColourName | None = None  # None: black's, unless black has more stones


class GamePosition(Message):
    """A position as a start and the moves that lead to it."""

    rule: RuleName = "freestyle"
    size: Size = 15
    setup: SetupStones | None = None
    moves: Moves = Field(default_factory=list)


class ForbiddenPoint(Message):
    point: str
    reason: Literal["overline", "double_four", "double_three"]


class GameResult(Message):
    """How a game ended; no winner is a draw. `lines` are the winning rows."""

    winner: ColourName | None
    reason: Literal["five", "full_board", "passes", "move_limit", "resign", "time"]
    lines: list[list[str]] = Field(default_factory=list)


class PositionView(Message):
    """What the board shows of a position."""

    ply: int
    stones: str  # `.`, `b`, `w` per point, row by row from a1
    turn: ColourName
    last: str | None  # the last stone played
    forbidden: list[ForbiddenPoint]  # to the side to move
    outcome: GameResult | None


class ClockState(Message):
    """Seconds left when the message was sent, and whose clock runs."""

    black: float
    white: float
    increment: float
    running: ColourName | None


class AnalysisLine(Message):
    """A principal variation of a search."""

    rank: int  # 1 is the best
    moves: list[str]
    win_rate: float  # black's, 0 to 1
    mate: int | None  # plies to the end; positive: black wins
    depth: int
