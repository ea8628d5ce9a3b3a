# SPDX-License-Identifier: MIT
"""Requests of a page: one pydantic model per message, distinguished by `type`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from tengen.web.messages import ColourName, GamePosition, Id, Message, Moves, Point, RuleName, Size

Text = Annotated[str, Field(max_length=200)]
Name = Annotated[str, Field(max_length=40)]  # of a game or a problem


class HelloRequest(Message):
    """The first message of a connection."""

    type: Literal["hello"]
    session: Text | None = None  # of an earlier connection; None: a new session
    token: Text | None = None


class ClockSettings(Message):
    main: Annotated[float, Field(ge=10, le=36000)]  # s for all moves of a side
    increment: Annotated[float, Field(ge=0, le=600)]  # s per move


class NewGameRequest(Message):
    """Start a game against the engine (`both`: of two people on one board). The engine plays
    `level`, or `seconds` per move if they are set. Stored with each game.
    """

    type: Literal["new_game"]
    rule: RuleName
    size: Size
    # `swap2`: the engine places the first stones; `swap2_you`: the person does.
    you: Literal["black", "white", "random", "swap2", "swap2_you", "both"]
    opening: Annotated[str, Field(max_length=4)] | None = None  # one of renju's 26, such as `4D`
    level: Annotated[int, Field(ge=1, le=10)] = 5
    seconds: Annotated[float, Field(ge=0.1, le=60)] | None = None
    clock: ClockSettings | None = None


class PlayRequest(Message):
    """The person's move, or stone in a swap2 opening."""

    type: Literal["play"]
    move: Point


class ChooseRequest(Message):
    """The person's choice in a swap2 opening: a colour, or two more stones."""

    type: Literal["choose"]
    choice: Literal["black", "white", "more"]


class GameCommandRequest(Message):
    type: Literal["take_back", "resign", "rematch", "hint", "move_now"]


class ListGamesRequest(Message):
    """List the games of this session."""

    type: Literal["list_games"]
    id: Id


class OpenGameRequest(Message):
    """Open a game of that list."""

    type: Literal["open_game"]
    id: Id
    game: Name


class ViewRequest(Message):
    """View a position; with `whole_line`, also every position before it."""

    type: Literal["view"]
    id: Id
    position: GamePosition
    whole_line: bool = False


class AnalyseRequest(Message):
    """Analyse a position until `stop` or the time limit."""

    type: Literal["analyse"]
    id: Id
    position: GamePosition
    lines: Annotated[int, Field(ge=1, le=10)] = 3
    only: Moves = Field(default_factory=list)  # root moves to consider; empty: all
    exclude: Moves = Field(default_factory=list)  # root moves to leave out
    seconds: Annotated[float, Field(ge=0.1, le=600)] = 120.0


class StopRequest(Message):
    """Stop the analysis, solver or review with that id."""

    type: Literal["stop"]
    id: Id


class SolveRequest(Message):
    """Search a forced win of a side, by default the side to move."""

    type: Literal["solve"]
    id: Id
    position: GamePosition
    goal: Literal["vcf", "vct"]
    side: ColourName | None = None
    seconds: Annotated[float, Field(ge=0.1, le=30)] = 10.0


class ProofStepRequest(Message):
    """The node of the proof with that id after these moves."""

    type: Literal["proof_step"]
    id: Id
    moves: Moves


class LoadRecordRequest(Message):
    """Read a record: the text of a file, or moves that the person typed."""

    type: Literal["load_record"]
    id: Id
    text: Annotated[str, Field(max_length=400_000)]
    name: Text = ""
    rule: RuleName | None = None  # of a record that names none


class ReviewRequest(Message):
    """Review a game: rate its moves and mark its mistakes."""

    type: Literal["review"]
    id: Id
    position: GamePosition  # its moves are the game
    black: Text = ""
    white: Text = ""
    result: Text = ""
    effort: Annotated[float, Field(ge=0.1, le=10)] = 1.0  # multiple of the default time


class StudyNode(Message):
    """A node of a variation tree; children follow their parents."""

    parent: Annotated[int, Field(ge=-1, le=20_000)]  # -1: the start
    move: Point
    comment: Annotated[str, Field(max_length=4000)] = ""


class SaveRecordRequest(Message):
    """Write a variation tree as SGF."""

    type: Literal["save_record"]
    id: Id
    position: GamePosition  # the start; its moves are ignored
    nodes: Annotated[list[StudyNode], Field(max_length=20_000)]
    black: Text = ""
    white: Text = ""
    result: Text = ""
    event: Text = ""


class PictureRequest(Message):
    """Draw a position as SVG; with `whole_line`, also every position before it."""

    type: Literal["picture"]
    id: Id
    position: GamePosition
    numbers: bool = False
    whole_line: bool = False
    width: Annotated[int, Field(ge=100, le=2000)] = 720


class SaveStudyRequest(Message):
    """Store the page's study for the next visit; the server does not interpret the text."""

    type: Literal["save_study"]
    text: Annotated[str, Field(max_length=400_000)]


class ProblemRequest(Message):
    """Pose a problem: the named one, or the next that matches."""

    type: Literal["problem"]
    id: Id
    problem: Name | None = None
    rule: RuleName | None = None
    length: Annotated[int, Field(ge=1, le=40)] | None = None  # moves of the attacker


class AttemptRequest(Message):
    """The moves of an attempt, replies included; the last one is new."""

    type: Literal["attempt"]
    id: Id
    problem: Name
    moves: Moves
    shown: bool = False  # the page plays the solution: it does not count as solved


class ProblemHintRequest(Message):
    type: Literal["problem_hint"]
    id: Id
    problem: Name
    moves: Moves = Field(default_factory=list)


Request: TypeAlias = Annotated[
    HelloRequest
    | NewGameRequest
    | PlayRequest
    | ChooseRequest
    | GameCommandRequest
    | ListGamesRequest
    | OpenGameRequest
    | ViewRequest
    | AnalyseRequest
    | StopRequest
    | SolveRequest
    | ProofStepRequest
    | LoadRecordRequest
    | ReviewRequest
    | SaveRecordRequest
    | PictureRequest
    | SaveStudyRequest
    | ProblemRequest
    | AttemptRequest
    | ProblemHintRequest,
    Field(discriminator="type"),
]
REQUEST: TypeAdapter[Request] = TypeAdapter(Request)
