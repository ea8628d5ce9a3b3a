# SPDX-License-Identifier: MIT
"""What the server tells a page: one pydantic model for each message, told apart by `type`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from tengen.web.asks import NewGame
from tengen.web.shapes import Clock, ColourName, Line, Position, Result, RuleName, Shape, View

__all__ = ["Tell"]


class LevelAbout(Shape):
    number: int
    nodes: int | None
    depth: int | None


class OpeningAbout(Shape):
    """One of the 26 openings of renju, with its moves on 15 lines."""

    code: str
    name: str
    kanji: str
    kind: Literal["direct", "indirect"]
    moves: list[str]


class ProblemCount(Shape):
    rule: RuleName
    length: int
    count: int
    solved: int


class Welcome(Shape):
    """The answer to `hello`: who you are, what there is, and what you left."""

    type: Literal["welcome"]
    session: str
    version: str
    rules: list[RuleName]
    sizes: list[int]
    levels: list[LevelAbout]
    openings: list[OpeningAbout]
    stars: dict[str, list[str]]  # the dots of a board, by its size
    problems: list[ProblemCount]
    study: str | None  # as `keep_study` brought it
    analysis_time: float  # the most for an analysis, s


class Game(Shape):
    """The game against the engine, as it stands. Sent at every change."""

    type: Literal["game"]
    game: str  # its name
    change: int  # counts up
    asked: NewGame
    you: ColourName | None  # None: not decided yet
    stage: Literal["put", "choose", "play", "over"]
    to_put: int  # stones still to put, in stage `put`
    choices: list[Literal["black", "white", "more"]]
    yours: bool  # whether the person is to do something
    thinking: bool
    opening: str | None
    moves: list[str]
    view: View
    clock: Clock | None
    result: Result | None
    can_take_back: bool


class NoGame(Shape):
    type: Literal["no_game"]


class Hint(Shape):
    """What the engine would play in the person's place."""

    type: Literal["hint"]
    line: Line
    ply: int


class GameEntry(Shape):
    game: str
    rule: RuleName
    size: int
    you: ColourName | None
    level: int | None  # None: two people played it
    moves: int
    result: Result | None
    when: float  # s since 1970


class GameList(Shape):
    type: Literal["game_list"]
    id: int
    games: list[GameEntry]


class OpenedGame(Shape):
    type: Literal["opened_game"]
    id: int
    position: Position
    you: ColourName | None
    level: int | None  # None: two people played it
    result: Result | None


class Views(Shape):
    type: Literal["views"]
    id: int
    views: list[View]  # the last is of the position itself


class Heat(Shape):
    point: str
    share: float  # how likely it is the best one, 0 to 1


class Analysis(Shape):
    """How far an analysis is."""

    type: Literal["analysis"]
    id: int
    state: Literal["waiting", "running", "done"]
    why: str  # of the end, or of waiting, in words; empty while it runs
    depth: int
    seldepth: int  # of the line that is being searched
    nodes: int  # so far, as the next one: also between two lines
    nps: int
    seconds: float
    lines: list[Line]
    heat: list[Heat]  # the first look at the position, the likeliest point first
    evaluation: str  # where the scores come from


class ProofReply(Shape):
    move: str
    bound: int  # moves of the attacker that are left after it, at most


class Solved(Shape):
    """What a solver found."""

    type: Literal["solved"]
    id: int
    state: Literal["waiting", "running", "win", "no_win", "unknown"]
    words: str
    attacker: ColourName
    line: list[str]  # the main line of the win
    depth: int  # moves of the attacker in it
    nodes: int
    seconds: float


class ProofNode(Shape):
    """What a proof says at one place: the attacker's move, or the replies that have an answer."""

    type: Literal["proof_node"]
    id: int
    moves: list[str]  # the place
    attack: str | None  # what the attacker plays there
    replies: list[ProofReply]  # what the defender may try there
    threat: str | None  # what follows any other reply
    over: bool


class RecordNode(Shape):
    """A node of a tree: children follow their parents."""

    parent: int  # -1: the start
    move: str
    comment: str = ""


class RecordNote(Shape):
    """Something about a record that was read: `code` for programs that have words of their own."""

    code: Literal["rule", "games", "most", "move", "setup"]
    number: int  # of games or moves; of the move that it is about; else 0
    words: str


class LoadedRecord(Shape):
    """A game that was read."""

    type: Literal["record"]
    id: int
    position: Position  # the start: no moves
    nodes: list[RecordNode]
    black: str
    white: str
    result: str
    event: str
    date: str
    games: int  # in the file; this is the first
    notes: list[RecordNote]  # what was assumed, and what could not be shown


class ReviewedMove(Shape):
    """A move as the review sees it."""

    ply: int  # from 1
    move: str
    colour: ColourName
    verdict: Literal["best", "good", "inaccuracy", "mistake", "blunder", "missed_win", "forced"]
    loss: float  # win rate given away, 0 to 1
    better: list[str]  # a better line; empty if there is none worth telling
    win_rate: float  # black's, after the move
    mate: int | None  # black's, after the move


class Reviewed(Shape):
    """A review on its way, or done."""

    type: Literal["reviewed"]
    id: int
    state: Literal["waiting", "running", "done", "stopped"]
    done: int  # positions
    total: int
    start: float  # black's win rate before the first move
    moves: list[ReviewedMove]  # those that are known
    accuracy_black: float | None  # 0 to 100
    accuracy_white: float | None
    turning_point: int | None  # the ply after which the game was lost for good
    sgf: str  # the game with the analysis; empty before the end


class SavedRecord(Shape):
    type: Literal["saved_record"]
    id: int
    text: str
    format: Literal["sgf", "psq"]


class Pictures(Shape):
    type: Literal["pictures"]
    id: int
    svgs: list[str]


class ProblemPosed(Shape):
    type: Literal["problem_posed"]
    id: int
    problem: str
    number: int  # among those that were asked for, from 1
    count: int
    goal: Literal["vcf", "vct"]
    length: int  # moves of the attacker
    position: Position
    view: View
    solved: bool  # before
    next: str | None  # the one after it


class Attempted(Shape):
    type: Literal["attempted"]
    id: int
    problem: str
    verdict: Literal["right", "wrong", "solved"]
    why: Literal["", "five", "nothing", "answer"]  # of a wrong one: what the other side has
    point: str | None  # of its five or its answer
    words: str
    moves: list[str]  # with the defender's answer
    view: View


class ProblemHinted(Shape):
    type: Literal["problem_hinted"]
    id: int
    problem: str
    move: str
    words: str


class Progress(Shape):
    """How many problems are solved; sent when that changes."""

    type: Literal["progress"]
    problems: list[ProblemCount]


class Fault(Shape):
    """Something could not be done."""

    type: Literal["fault"]
    id: int | None  # of the question, if it had one
    code: str
    words: str


Tell: TypeAlias = Annotated[
    Welcome
    | Game
    | NoGame
    | Hint
    | GameList
    | OpenedGame
    | Views
    | Analysis
    | Solved
    | ProofNode
    | LoadedRecord
    | Reviewed
    | SavedRecord
    | Pictures
    | ProblemPosed
    | Attempted
    | ProblemHinted
    | Progress
    | Fault,
    Field(discriminator="type"),
]
