# SPDX-License-Identifier: MIT
"""Events that the server sends to a page: one pydantic model per message, distinguished by `type`.

An event with an `id` answers the request with that id.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from tengen.web.limits import RequestError
from tengen.web.messages import (
    AnalysisLine,
    ClockState,
    ColourName,
    GamePosition,
    GameResult,
    Message,
    PositionView,
    RuleName,
)
from tengen.web.requests import NewGameRequest


class OpeningInfo(Message):
    """One of the 26 openings of renju."""

    code: str
    name: str
    kanji: str
    kind: Literal["direct", "indirect"]


class ProblemCount(Message):
    rule: RuleName
    length: int
    count: int
    solved: int


class WelcomeEvent(Message):
    """Answers `hello`: the session, what the server offers, and the stored study."""

    type: Literal["welcome"] = "welcome"
    session: str
    version: str
    rules: list[RuleName]
    sizes: list[int]
    openings: list[OpeningInfo]
    stars: dict[str, list[str]]  # star points by board size
    problems: list[ProblemCount]
    study: str | None  # as `save_study` sent it


class GameEvent(Message):
    """The state of the game; sent at every change."""

    type: Literal["game"] = "game"
    game: str  # its name
    settings: NewGameRequest
    you: ColourName | None  # None: not decided yet, or two people
    stage: Literal["place", "choose", "play", "over"]
    to_place: int  # stones left to place, in stage `place`
    choices: list[Literal["black", "white", "more"]]
    your_turn: bool  # the person has to act
    opening: str | None
    moves: list[str]
    view: PositionView
    clock: ClockState | None
    result: GameResult | None
    can_take_back: bool


class NoGameEvent(Message):
    type: Literal["no_game"] = "no_game"


class HintEvent(Message):
    """The line that the engine would play for the person."""

    type: Literal["hint"] = "hint"
    line: AnalysisLine


class GameEntry(Message):
    game: str
    rule: RuleName
    you: ColourName | None
    level: int | None  # None: two people played
    moves: int
    result: GameResult | None
    changed: float  # Unix time


class GameListEvent(Message):
    type: Literal["game_list"] = "game_list"
    id: int
    games: list[GameEntry]


class OpenedGameEvent(Message):
    type: Literal["opened_game"] = "opened_game"
    id: int
    position: GamePosition


class ViewsEvent(Message):
    type: Literal["views"] = "views"
    id: int
    views: list[PositionView]  # the last shows the position itself


class PolicyPoint(Message):
    point: str
    probability: float


class AnalysisEvent(Message):
    """Progress of an analysis."""

    type: Literal["analysis"] = "analysis"
    id: int
    state: Literal["waiting", "running", "done"]
    preempted: bool  # ended early because other sessions wait for an engine
    depth: int
    seldepth: int  # of the line being searched
    nodes: int  # current, also between two depths
    nps: int
    lines: list[AnalysisLine]
    policy: list[PolicyPoint]  # of the root, most likely first
    evaluation: str  # the net, or `classical`


class SolutionEvent(Message):
    """Progress and result of a solver."""

    type: Literal["solution"] = "solution"
    id: int
    state: Literal["running", "win", "no_win", "unknown"]
    attacker: ColourName
    line: list[str]  # the main line of the win
    depth: int  # moves of the attacker in it


class ProofNodeEvent(Message):
    """A node of a proof: the attacker's move, or the refuted replies."""

    type: Literal["proof_node"] = "proof_node"
    id: int
    moves: list[str]  # from the root of the proof to this node
    attack: str | None  # the attacker's move
    replies: list[str]  # the defender's replies, longest defence first
    threat: str | None  # what follows any other reply
    over: bool


class RecordNode(Message):
    """A node of a tree; children follow their parents."""

    parent: int  # -1: the start
    move: str
    comment: str = ""


class RecordNote(Message):
    """A remark about a record; `code` selects the translation, `text` is English."""

    code: Literal["rule", "games", "max_nodes", "move", "setup"]
    number: int  # of games or moves; the number of the move; else 0
    text: str


class RecordEvent(Message):
    """A record that was read."""

    type: Literal["record"] = "record"
    id: int
    position: GamePosition  # the start: no moves
    nodes: list[RecordNode]
    black: str
    white: str
    result: str
    event: str
    notes: list[RecordNote]  # what was assumed, and what could not be shown


class MoveReview(Message):
    """The verdict on a move. Stored within studies."""

    ply: int  # from 1
    move: str
    colour: ColourName
    verdict: Literal["best", "good", "inaccuracy", "mistake", "blunder", "missed_win", "forced"]
    loss: float  # win rate lost, 0 to 1
    better: list[str]  # a better line, if there is one
    win_rate: float  # black's, after the move
    mate: int | None  # black's, after the move


class ReviewEvent(Message):
    """Progress and result of a review. Stored within studies."""

    type: Literal["review"] = "review"
    id: int
    state: Literal["waiting", "running", "done", "stopped"]
    done: int  # positions
    total: int
    start: float = 0.5  # black's win rate before the first move
    moves: list[MoveReview]  # those known so far
    accuracy_black: float | None = None  # 0 to 100
    accuracy_white: float | None = None
    turning_point: int | None = None  # the ply that lost the game for good
    sgf: str = ""  # the annotated game; empty before the end


class SavedRecordEvent(Message):
    type: Literal["saved_record"] = "saved_record"
    id: int
    text: str


class PicturesEvent(Message):
    type: Literal["pictures"] = "pictures"
    id: int
    svgs: list[str]


class ProblemEvent(Message):
    type: Literal["problem"] = "problem"
    id: int
    problem: str
    number: int  # among the matching problems, from 1
    count: int
    goal: Literal["vcf", "vct"]
    length: int  # moves of the attacker
    position: GamePosition
    view: PositionView
    solved: bool  # before
    next: str | None


class AttemptEvent(Message):
    """The verdict on an attempt."""

    type: Literal["attempt_result"] = "attempt_result"
    id: int
    verdict: Literal["right", "wrong", "solved"]
    reason: Literal["", "five", "no_threat", "defence"]  # why it is wrong
    point: str | None  # of the defender's five or defence
    moves: list[str]  # with the defender's reply
    view: PositionView


class ProblemHintEvent(Message):
    type: Literal["problem_hint"] = "problem_hint"
    id: int
    move: str


class ProblemProgressEvent(Message):
    """Numbers of solved problems; sent when they change."""

    type: Literal["problem_progress"] = "problem_progress"
    problems: list[ProblemCount]


class ErrorEvent(Message):
    """A request failed. `code` selects the translation, `text` is English."""

    type: Literal["error"] = "error"
    id: int | None  # of the request, if it had one
    code: str
    text: str


def error_event(error: BaseException, code: str, id: int | None = None) -> ErrorEvent:
    """`code` applies to errors that have none of their own."""
    code = error.code if isinstance(error, RequestError) else code
    return ErrorEvent(id=id, code=code, text=str(error) or type(error).__name__)


Event: TypeAlias = Annotated[
    WelcomeEvent
    | GameEvent
    | NoGameEvent
    | HintEvent
    | GameListEvent
    | OpenedGameEvent
    | ViewsEvent
    | AnalysisEvent
    | SolutionEvent
    | ProofNodeEvent
    | RecordEvent
    | ReviewEvent
    | SavedRecordEvent
    | PicturesEvent
    | ProblemEvent
    | AttemptEvent
    | ProblemHintEvent
    | ProblemProgressEvent
    | ErrorEvent,
    Field(discriminator="type"),
]
