# SPDX-License-Identifier: MIT
"""Review of a whole game: what each move lost, a better line, the accuracy of both sides; also as a
record with comments and variations. See docs/review.md.

Every position is searched once, from the last to the first, so that the transposition table knows
the end of the game when it comes to the moves that led there. Moves that seem to lose something are
searched again for longer, before and after the move, and only what holds is marked. Better lines
that the table cut short are searched on from their ends. `tengen review` and the page use it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from enum import StrEnum

from tengen.engine.base import AnyEngine
from tengen.engine.limit import Limit
from tengen.engine.score import PovScore, Score
from tengen.game.board import Board
from tengen.game.move import Move
from tengen.game.records import Node, Record
from tengen.game.rule import Colour
from tengen.game.threat import Threat
from tengen.util.deprecation import deprecated_names

__getattr__ = deprecated_names(__name__, {"Verdict": "MoveVerdict", "Opinion": "Assessment"})

DEFAULT_TIME = 0.25  # seconds per position
DEEPER = 5  # factor of the time for moves that seem to be mistakes
_DEEPER_SHARE = 2.0  # of the time of the first pass: limit of these searches
# Loss of win rate from which on a move has the name.
INACCURACY, MISTAKE, BLUNDER = 0.08, 0.15, 0.30
_DOUBT = 0.06  # loss from which on a move is searched again
_WON = 0.95  # win rate after a move from which on no win was missed
_DECAY = 4.5  # how fast accuracy falls with the loss
_MAX_LINE = 12  # moves of a better line
_MIN_LINE = 6  # moves below which a line is searched on; winning lines always are
_EXTENSION_SHARE = 0.25  # of the searches of the first pass: limit of searches that extend lines,
_MIN_EXTENSIONS = 6  # or this many in a short game


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

    def accuracy(self, colour: Colour) -> float | None:
        """The accuracy of a side, 0 to 100; None if all its moves were forced."""
        losses = [
            move.loss
            for move in self.moves
            if move.colour is colour and move.verdict is not MoveVerdict.FORCED
        ]
        if not losses:
            return None
        return 100 * sum(math.exp(-_DECAY * loss) for loss in losses) / len(losses)

    @property
    def turning_point(self) -> ReviewedMove | None:
        """The error that lost the game: the loser's last one in a position that was not lost yet.
        None if there is no error.
        """
        if not self.moves:
            return None
        end = self.moves[-1].after.score
        loser = Colour.BLACK if end.black().win_rate < 0.5 else Colour.WHITE
        errors = [move for move in self.moves if move.colour is loser and move.verdict.is_error]
        alive = [move for move in errors if move.before.score.pov(loser).win_rate >= 0.35]
        candidates = alive or errors
        return candidates[-1] if candidates else None


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
    return _Reviewer(engine, start, moves, time, progress).run()


class _Stopped(Exception):
    """`progress` returned False."""


class _Reviewer:
    """A review in progress."""

    def __init__(
        self,
        engine: AnyEngine,
        start: Board,
        moves: Sequence[Move],
        time: float,
        progress: ReviewProgress | None,
    ) -> None:
        self._engine, self._time, self._progress = engine, time, progress
        self._boards = [start.copy()]
        for move in moves:
            board = self._boards[-1].copy()
            board.push(move)
            self._boards.append(board)
        self._moves = list(moves)
        self._assessments: dict[int, Assessment] = {}  # by ply
        self._reviewed: dict[int, ReviewedMove] = {}
        self._done = 0
        self._total = len(self._boards)

    def run(self) -> Review:
        try:
            for ply in reversed(range(len(self._boards))):
                self._assessments[ply] = self._search(self._boards[ply], self._time)
                if ply < len(self._moves):
                    self._assess_move(ply)
                self._step()
            self._verify_losses()
            self._extend_lines()
        except _Stopped:
            pass
        first = self._assessments.get(0, Assessment(PovScore(Score(0), self._boards[0].turn)))
        known = tuple(move for _, move in sorted(self._reviewed.items()))
        return Review(self._boards[0], first, known)

    def _step(self) -> None:
        self._done += 1
        known = [move for _, move in sorted(self._reviewed.items())]
        if self._progress is not None and not self._progress(self._done, self._total, known):
            raise _Stopped

    def _verify_losses(self) -> None:
        """Search again, for longer, before and after moves that seem to lose something."""
        doubtful = [ply for ply, move in self._reviewed.items() if move.loss >= _DOUBT]
        self._total += len(doubtful)
        budget = _DEEPER_SHARE * self._time * len(self._boards)
        time = max(self._time, min(DEEPER * self._time, budget / max(1, 2 * len(doubtful))))
        for ply in sorted(doubtful, reverse=True):
            for n in (ply + 1, ply):
                self._assessments[n] = self._search(self._boards[n], time)
            for n in (ply + 1, ply, ply - 1):
                if n in self._reviewed:
                    self._assess_move(n)
            self._step()

    def _extend_lines(self) -> None:
        """Extend short better lines, missed wins and large losses first."""
        short = [move for move in self._reviewed.values() if _is_short(move)]
        short.sort(key=lambda move: (move.verdict is not MoveVerdict.MISSED_WIN, -move.loss))
        self._total += len(short)
        searches = max(_MIN_EXTENSIONS, int(_EXTENSION_SHARE * len(self._boards)))
        for move in short:
            searches = self._extend_line(move.ply - 1, searches)
            self._step()

    def _extend_line(self, ply: int, searches: int) -> int:
        """Use at most `searches`; returns the number left."""
        board = self._boards[ply].copy()
        for move in self._reviewed[ply].better:
            board.push(move)
        while searches > 0 and _is_short(self._reviewed[ply]) and not board.is_over():
            searches -= 1
            reviewed = self._reviewed[ply]
            more = self._search(board, self._time).line[: _MAX_LINE - len(reviewed.better)]
            for move in more:
                board.push(move)
            self._reviewed[ply] = replace(reviewed, better=(*reviewed.better, *more))
        return searches

    def _search(self, board: Board, time: float) -> Assessment:
        if outcome := board.outcome():
            if outcome.winner is None:
                return Assessment(PovScore(Score(0, None, True), board.turn))
            value = 1 if outcome.winner is board.turn else -1
            return Assessment(PovScore(Score(10_000 * value, value, True), board.turn))
        with self._engine.analyse(board, Limit(time=time), multipv=1) as analysis:
            played = analysis.wait()
        if played.info is None:
            return Assessment(PovScore(Score(0), board.turn), (played.move,))
        return Assessment(played.info.score, played.info.pv or (played.move,), played.info.depth)

    def _assess_move(self, ply: int) -> None:
        """Compare the positions before and after a move."""
        board, move = self._boards[ply], self._moves[ply]
        mover = board.turn
        before, after = self._assessments[ply], self._assessments[ply + 1]
        is_best = before.line[:1] == (move,)
        mine, then = before.score.pov(mover), after.score.pov(mover)
        loss = 0.0 if is_best else max(0.0, mine.win_rate - then.win_rate)
        verdict = _verdict(mine, then, loss, is_best)
        if _is_forced(board, move):
            verdict, loss = MoveVerdict.FORCED, 0.0
        has_line = verdict.is_error or verdict is MoveVerdict.INACCURACY
        better = before.line[:_MAX_LINE] if has_line else ()
        self._reviewed[ply] = ReviewedMove(
            ply + 1, move, mover, verdict, loss, before, after, tuple(better)
        )


def _is_short(move: ReviewedMove) -> bool:
    """Whether its better line should be extended."""
    mate = move.before.score.pov(move.colour).mate
    wanted = _MAX_LINE if mate is not None and mate > 0 else _MIN_LINE
    wanted = wanted if mate is None else min(wanted, abs(mate))
    return 0 < len(move.better) < wanted


def _verdict(mine: Score, then: Score, loss: float, is_best: bool) -> MoveVerdict:
    """`mine` is the mover's score before the move, `then` after it."""
    if is_best:
        return MoveVerdict.BEST
    had_win = mine.mate is not None and mine.mate > 0
    has_win = then.mate is not None and then.mate > 0
    if had_win and not has_win and then.win_rate < _WON:
        return MoveVerdict.MISSED_WIN
    for threshold, verdict in (
        (BLUNDER, MoveVerdict.BLUNDER),
        (MISTAKE, MoveVerdict.MISTAKE),
        (INACCURACY, MoveVerdict.INACCURACY),
    ):
        if loss >= threshold:
            return verdict
    return MoveVerdict.GOOD


def _is_forced(board: Board, move: Move) -> bool:
    """Whether the move was the only one: the answer to a four, without an own five."""
    if board.threats(board.turn, Threat.FIVE):
        return False
    fours = board.threats(board.turn.other, Threat.FIVE)
    return list(fours) == [move]


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
