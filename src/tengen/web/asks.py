# SPDX-License-Identifier: MIT
"""What a page may ask: one pydantic model for each message, told apart by `type`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from tengen.web.shapes import ColourName, Id, Moves, Point, Position, RuleName, Shape, Size

__all__ = ["ASK", "Ask", "ClockAsked", "NewGame"]

Secret = Annotated[str, Field(max_length=200)]
Name = Annotated[str, Field(max_length=200)]


class Hello(Shape):
    """The first message of a connection."""

    type: Literal["hello"]
    session: Secret | None = None  # of an earlier connection; None: a new one
    token: Secret | None = None


class ClockAsked(Shape):
    main: Annotated[float, Field(ge=10, le=36000)]  # s for all moves of a side
    increment: Annotated[float, Field(ge=0, le=600)]  # s that each move adds


class NewGame(Shape):
    """A game against the engine; with `both`, of two people on one board. `level` counts, unless
    `seconds` for a move are given.
    """

    type: Literal["new_game"]
    rule: RuleName
    size: Size
    # Of swap2: who puts its stones.
    you: Literal["black", "white", "random", "swap2", "swap2_you", "both"]
    opening: Annotated[str, Field(max_length=4)] | None = None  # `4D`, of the 26 of renju
    level: Annotated[int, Field(ge=1, le=10)] = 5
    seconds: Annotated[float, Field(ge=0.1, le=60)] | None = None
    clock: ClockAsked | None = None


class Play(Shape):
    """The person's move, or stone in a swap2 opening."""

    type: Literal["play"]
    move: Point


class Choose(Shape):
    """The person's choice in a swap2 opening: a colour, or to put two more stones."""

    type: Literal["choose"]
    take: Literal["black", "white", "more"]


class GameCommand(Shape):
    type: Literal["take_back", "resign", "rematch", "hint", "move_now", "leave"]


class Games(Shape):
    """The list of the games of this session."""

    type: Literal["games"]
    id: Id


class OpenGame(Shape):
    """A game of that list, to look at."""

    type: Literal["open_game"]
    id: Id
    game: Annotated[str, Field(max_length=40)]


class Look(Shape):
    """What is to be seen of a position; of all positions on the way to it, if `every`."""

    type: Literal["look"]
    id: Id
    position: Position
    every: bool = False


class Analyse(Shape):
    """Think about a position until told to stop. A new one ends the one before."""

    type: Literal["analyse"]
    id: Id
    position: Position
    lines: Annotated[int, Field(ge=1, le=10)] = 3
    only: Moves = Field(default_factory=list)  # consider these alone, if there are any
    block: Moves = Field(default_factory=list)  # do not consider these
    seconds: Annotated[float, Field(ge=0.1, le=600)] = 120.0


class Stop(Shape):
    """End the analysis, solver or review with that number."""

    type: Literal["stop"]
    id: Id


class Solve(Shape):
    """Look for a forced win of a side, by default the one to move."""

    type: Literal["solve"]
    id: Id
    position: Position
    goal: Literal["vcf", "vct"]
    side: ColourName | None = None
    seconds: Annotated[float, Field(ge=0.1, le=30)] = 10.0


class ProofStep(Shape):
    """A step in the proof of an earlier answer `id`: what it says after these moves."""

    type: Literal["proof_step"]
    id: Id
    moves: Moves


class Load(Shape):
    """Read a record: the text of a file, or moves that somebody typed."""

    type: Literal["load"]
    id: Id
    text: Annotated[str, Field(max_length=400_000)]
    name: Name = ""
    rule: RuleName | None = None  # if the record tells none


class Review(Shape):
    """Walk through a game and mark its mistakes."""

    type: Literal["review"]
    id: Id
    position: Position  # its moves are the game
    black: Name = ""
    white: Name = ""
    result: Name = ""
    effort: Annotated[float, Field(ge=0.1, le=10)] = 1.0  # times the usual time


class StudyNode(Shape):
    """A node of the page's tree of variations, for saving: children follow their parents."""

    parent: Annotated[int, Field(ge=-1, le=20_000)]
    move: Point
    comment: Annotated[str, Field(max_length=4000)] = ""


class SaveRecord(Shape):
    """A tree of variations as the text of a file."""

    type: Literal["save_record"]
    id: Id
    position: Position  # the start: its moves are not looked at
    nodes: Annotated[list[StudyNode], Field(max_length=20_000)]
    black: Name = ""
    white: Name = ""
    result: Name = ""
    event: Name = ""
    format: Literal["sgf", "psq"] = "sgf"


class Picture(Shape):
    """A position as SVG; of all on the way to it, if `every`."""

    type: Literal["picture"]
    id: Id
    position: Position
    numbers: bool = False
    theme: Literal["wood", "paper", "dark"] = "wood"
    every: bool = False
    width: Annotated[int, Field(ge=100, le=2000)] = 720


class KeepStudy(Shape):
    """Keep the page's study for the next visit; its text is the page's own."""

    type: Literal["keep_study"]
    text: Annotated[str, Field(max_length=400_000)]


class Problem(Shape):
    """A problem to solve: a certain one, or the next of those that fit."""

    type: Literal["problem"]
    id: Id
    problem: Annotated[str, Field(max_length=40)] | None = None
    rule: RuleName | None = None
    length: Annotated[int, Field(ge=1, le=40)] | None = None  # moves of the attacker


class Attempt(Shape):
    """The moves of a try, answers included; the last one is new."""

    type: Literal["attempt"]
    id: Id
    problem: Annotated[str, Field(max_length=40)]
    moves: Moves
    shown: bool = False  # the solution is being shown: it does not count


class ProblemHint(Shape):
    type: Literal["problem_hint"]
    id: Id
    problem: Annotated[str, Field(max_length=40)]
    moves: Moves = Field(default_factory=list)


Ask: TypeAlias = Annotated[
    Hello
    | NewGame
    | Play
    | Choose
    | GameCommand
    | Games
    | OpenGame
    | Look
    | Analyse
    | Stop
    | Solve
    | ProofStep
    | Load
    | Review
    | SaveRecord
    | Picture
    | KeepStudy
    | Problem
    | Attempt
    | ProblemHint,
    Field(discriminator="type"),
]
ASK: TypeAdapter[Ask] = TypeAdapter(Ask)
