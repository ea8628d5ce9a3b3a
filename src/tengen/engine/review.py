# SPDX-License-Identifier: MIT
"""Review of a whole game: what each move lost, a better line, the accuracy of both sides; also as a
record with comments and variations. See docs/review.md.

The native core names the positions to search, and rates the moves; the engine may be any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from tengen import _core
from tengen.engine.base import AnyEngine
from tengen.engine.limit import Limit
from tengen.engine.score import PovScore, Score
from tengen.game.board import Board
from tengen.game.move import Move
from tengen.game.records import Node, Record
from tengen.game.rule import Colour
from tengen.util.deprecation import deprecated_names

__getattr__ = deprecated_names(__name__, {"Verdict": "MoveVerdict", "Opinion": "Assessment"})

DEFAULT_TIME = 0.25  # seconds per position


class MoveVerdict(StrEnum):
    """The quality of a move."""

    BEST = "best"
    GOOD = "good"
    FORCED = "forced"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"
    MISSED_WIN = "missed_win"

    @property
    def is_error(self) -> bool:
        return self in (MoveVerdict.MISTAKE, MoveVerdict.BLUNDER, MoveVerdict.MISSED_WIN)


@dataclass(frozen=True, slots=True)
class Assessment:
    """The search result of a position, or the outcome of a finished game."""

    score: PovScore
    line: tuple[Move, ...] = ()
    depth: int = 0


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """A move of the game with its verdict."""

    ply: int  # from 1
    move: Move
    colour: Colour
    verdict: MoveVerdict
    loss: float  # of win rate, 0 to 1
    before: Assessment  # of the position before the move
    after: Assessment
    better: tuple[Move, ...] = ()  # a better line, for errors and inaccuracies


@dataclass(frozen=True, slots=True)
class Review:
    """A reviewed game. `moves` are fewer than those of the game if the review was stopped."""

    start: Board
    first: Assessment  # of the position before the first move
    moves: tuple[ReviewedMove, ...]

    accuracies: Mapping[Colour, float | None] = field(default_factory=dict)
    turning_ply: int | None = None

    def accuracy(self, colour: Colour) -> float | None:
        """The accuracy of a side, 0 to 100; None if all its moves were forced."""
        return self.accuracies.get(colour)

    @property
    def turning_point(self) -> ReviewedMove | None:
        """The error that lost the game: the loser's last one in a position that was not lost yet.
        None if there is no error.
        """
        return next((move for move in self.moves if move.ply == self.turning_ply), None)


ReviewProgress = Callable[[int, int, Sequence[ReviewedMove]], bool]


def review(
    engine: AnyEngine,
    start: Board,
    moves: Sequence[Move],
    time: float = DEFAULT_TIME,
    progress: ReviewProgress | None = None,
) -> Review:
    """Review a game that starts on the board `start`, with `time` seconds per position.

    Calls `progress` with the number of steps done, their total, and the moves reviewed so far; if
    it returns False, the review ends with these. Raises IllegalMove.
    """
    boards = [start.copy()]
    for move in moves:
        boards.append(boards[-1].copy())
        boards[-1].push(move)
    core = _core.Review(start._core, [move.to_index(start.size) for move in moves], time)
    turns = [board.turn for board in boards]
    done = 0
    while (task := core.next()) is not None:
        if not _report(core, done, turns, progress):
            break
        done = core.done
        ply, line, seconds = task
        board = boards[ply].copy()
        for index in line:
            board.push(Move.from_index(index, board.size))
        found = _search(engine, board, seconds)
        score = found.score.relative
        pv = [move.to_index(board.size) for move in found.line]
        core.put(score.value, score.mate or 0, score.proven, pv, found.depth)
    else:
        _report(core, done, turns, progress)
    return Review(
        boards[0],
        _assessment(core.first(), turns[0], start.size),
        tuple(_moves(core, turns)),
        {colour: core.accuracy(colour) for colour in Colour},
        core.turning_point(),
    )


def _report(
    core: _core.Review, done: int, turns: Sequence[Colour], progress: ReviewProgress | None
) -> bool:
    """Call `progress` after a step; whether the review goes on."""
    if progress is None or core.done == done:
        return True
    return progress(core.done, core.total, list(_moves(core, turns)))


def _search(engine: AnyEngine, board: Board, time: float) -> Assessment:
    with engine.analyse(board, Limit(time=time), multipv=1) as analysis:
        played = analysis.wait()
    if played.info is None:
        return Assessment(PovScore(Score(0), board.turn), (played.move,))
    return Assessment(played.info.score, played.info.pv or (played.move,), played.info.depth)


_CoreAssessment: TypeAlias = tuple[int, int, bool, list[int], int]


def _assessment(found: _CoreAssessment, turn: Colour, size: int) -> Assessment:
    value, mate, proven, line, depth = found
    score = PovScore(Score(value, mate or None, proven), turn)
    return Assessment(score, tuple(Move.from_index(index, size) for index in line), depth)


def _moves(core: _core.Review, turns: Sequence[Colour]) -> Iterator[ReviewedMove]:
    size = core.size
    for ply, move, colour, verdict, loss, before, after, better in core.moves():
        yield ReviewedMove(
            ply,
            Move.from_index(move, size),
            Colour(colour),
            MoveVerdict(verdict),
            loss,
            _assessment(before, turns[ply - 1], size),
            _assessment(after, turns[ply], size),
            tuple(Move.from_index(index, size) for index in better),
        )


# --- the review as a record ---

_VERDICT_TEXT = {
    MoveVerdict.BEST: "best move",
    MoveVerdict.GOOD: "good move",
    MoveVerdict.FORCED: "forced",
    MoveVerdict.INACCURACY: "inaccuracy",
    MoveVerdict.MISTAKE: "mistake",
    MoveVerdict.BLUNDER: "blunder",
    MoveVerdict.MISSED_WIN: "missed win",
}
# SGF properties of bad and doubtful moves.
_MARKS = {
    MoveVerdict.INACCURACY: ("DO", ""),
    MoveVerdict.MISTAKE: ("BM", "1"),
    MoveVerdict.MISSED_WIN: ("BM", "1"),
    MoveVerdict.BLUNDER: ("BM", "2"),
}
_MARK_NAMES = ("BM", "DO", "IT", "TE")


def move_comment(move: ReviewedMove) -> str:
    """The comment on a move, a sentence or two."""
    rate = move.after.score.black().win_rate
    text = f"{_VERDICT_TEXT[move.verdict].capitalize()}. Black's win rate: {100 * rate:.0f}%."
    if move.better:
        line = " ".join(point.name for point in move.better)
        text = f"{text} It gives away {100 * move.loss:.0f}%; better was {line}."
    return text


def annotate_record(record: Record, review: Review) -> Record:
    """A copy of the record with the review on its main line. Keeps its comments."""
    annotated = deepcopy(record)
    nodes = [node for node in annotated.main_line() if node.move is not None]
    parents = {id(child): node for node in annotated.main_line() for child in node.children[:1]}
    for move in review.moves:
        if move.ply > len(nodes) or nodes[move.ply - 1].move != move.move:
            continue
        node = nodes[move.ply - 1]
        _add_comment(node, move_comment(move))
        for name in _MARK_NAMES:
            node.properties.pop(name, None)
        if mark := _MARKS.get(move.verdict):
            node.properties[mark[0]] = [mark[1]]
        parent = parents.get(id(node))
        if move.better and parent is not None:
            _add_line(parent, move)
    _add_accuracy(annotated, review)
    return annotated


def _add_line(parent: Node, move: ReviewedMove) -> None:
    """Add the better line as a variation, unless one starts with the same move."""
    first, *rest = move.better
    if any(child.move == first for child in parent.children):
        return
    node = Node(first, move.colour)
    node.extend(rest, move.colour.other)
    parent.children.append(node)


def _add_accuracy(record: Record, review: Review) -> None:
    accuracies = [
        f"{str(colour).capitalize()}'s accuracy: {accuracy:.0f}%."
        for colour in Colour
        if (accuracy := review.accuracy(colour)) is not None
    ]
    _add_comment(record.root, " ".join(["Reviewed by Tengen.", *accuracies]))


def _add_comment(node: Node, text: str) -> None:
    node.comment = f"{node.comment}\n{text}" if node.comment else text
