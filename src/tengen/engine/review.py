# SPDX-License-Identifier: MIT
"""A walk through a whole game: what each move gave away, what would have been better, how well
both sides played.

Every position is searched once, from the last to the first: what a search learns of the end is in
the table when it comes to the moves that led there. Moves that seem to give something away are
looked at again for longer, before and after the move, and only what holds is marked. Better lines
that the table cut short are searched on from their ends. Relies on the interface of engines alone;
`tengen review` and the page rely on it. See docs/review.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from tengen.engine.base import AnyEngine
from tengen.engine.limit import Limit
from tengen.engine.score import PovScore, Score
from tengen.game.board import Board
from tengen.game.move import Move
from tengen.game.rule import Colour
from tengen.game.threat import Threat

__all__ = ["DEFAULT_TIME", "Opinion", "Review", "ReviewedMove", "Verdict", "review"]

DEFAULT_TIME = 0.25  # s for a position
DEEPER = 5  # times as long for moves that seem to be mistakes
_SHARE = 2.0  # of the time of the first walk that looking again may take
# Win rate that a move gives away, from which on it has the name.
INACCURACY, MISTAKE, BLUNDER = 0.08, 0.15, 0.30
_DOUBT = 0.06  # from which on a move is looked at again
_WON = 0.95  # a won game stays won: who has so much after the move has missed nothing
_DECAY = 4.5  # how fast accuracy falls with the win rate given away
_LONGEST_LINE = 12  # moves of a better line
_SHORTEST_LINE = 6  # that is told as it is; lines that win are followed to their ends
_LENGTHENING = 0.25  # of the time of the first walk that making lines longer may take,
_LENGTHENINGS = 6  # or so many searches, if the game is a short one


class Verdict(StrEnum):
    """What is to be said of a move."""

    BEST = "best"
    GOOD = "good"
    FORCED = "forced"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"
    MISSED_WIN = "missed_win"

    @property
    def is_error(self) -> bool:
        return self in (Verdict.MISTAKE, Verdict.BLUNDER, Verdict.MISSED_WIN)


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a search thinks of a position, or the referee of a finished one."""

    score: PovScore
    line: tuple[Move, ...] = ()
    depth: int = 0


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """A move of the game; scores know their side."""

    ply: int  # from 1
    move: Move
    colour: Colour
    verdict: Verdict
    loss: float  # win rate given away, 0 to 1
    before: Opinion  # of the position that the mover had
    after: Opinion
    better: tuple[Move, ...] = ()  # a better line, where one is worth telling


@dataclass(frozen=True, slots=True)
class Review:
    """A game looked through. `moves` may be fewer than the game has, if it was stopped."""

    start: Board
    first: Opinion  # of the position before the first move
    moves: tuple[ReviewedMove, ...]

    def accuracy(self, colour: Colour) -> float | None:
        """How well a side played, 0 to 100; None if it had nothing to decide."""
        losses = [
            move.loss
            for move in self.moves
            if move.colour is colour and move.verdict is not Verdict.FORCED
        ]
        if not losses:
            return None
        return 100 * sum(math.exp(-_DECAY * loss) for loss in losses) / len(losses)

    @property
    def turning_point(self) -> ReviewedMove | None:
        """The error after which the game was lost for good: the last one from a game that was not
        lost yet. None if nobody lost by an error.
        """
        if not self.moves:
            return None
        end = self.moves[-1].after.score
        loser = Colour.BLACK if end.black().win_rate < 0.5 else Colour.WHITE
        errors = [move for move in self.moves if move.colour is loser and move.verdict.is_error]
        alive = [move for move in errors if move.before.score.pov(loser).win_rate >= 0.35]
        found = alive or errors
        return found[-1] if found else None


Progress = Callable[[int, int, Sequence[ReviewedMove]], bool]


def review(
    engine: AnyEngine,
    start: Board,
    moves: Sequence[Move],
    time: float = DEFAULT_TIME,
    progress: Progress | None = None,
) -> Review:
    """Look through a game that begins on `start`. `time` is for a position, in s.

    `progress` is told the steps done, their number, and the moves that are known; if it returns
    False, the review ends with these. Raises IllegalMove for a move that cannot be played.
    """
    return _Walk(engine, start, moves, time, progress).run()


class _Stopped(Exception):
    """Progress has said that it is enough."""


class _Walk:
    """One review on its way."""

    def __init__(
        self,
        engine: AnyEngine,
        start: Board,
        moves: Sequence[Move],
        time: float,
        progress: Progress | None,
    ) -> None:
        self._engine, self._time, self._progress = engine, time, progress
        self._boards = [start.copy()]
        for move in moves:
            board = self._boards[-1].copy()
            board.push(move)
            self._boards.append(board)
        self._moves = list(moves)
        self._opinions: dict[int, Opinion] = {}  # by ply
        self._found: dict[int, ReviewedMove] = {}
        self._done = 0
        self._total = len(self._boards)

    def run(self) -> Review:
        try:
            for ply in reversed(range(len(self._boards))):
                self._opinions[ply] = self._think(ply, self._time)
                if ply < len(self._moves):
                    self._judge(ply)
                self._step()
            self._look_again()
            self._lengthen()
        except _Stopped:
            pass
        first = self._opinions.get(0, Opinion(PovScore(Score(0), self._boards[0].turn)))
        known = tuple(move for _, move in sorted(self._found.items()))
        return Review(self._boards[0], first, known)

    def _step(self) -> None:
        self._done += 1
        known = [move for _, move in sorted(self._found.items())]
        if self._progress is not None and not self._progress(self._done, self._total, known):
            raise _Stopped

    def _look_again(self) -> None:
        """Search for longer where a move seems to be wrong, and say so only if it still does."""
        doubtful = [ply for ply, move in self._found.items() if move.loss >= _DOUBT]
        self._total += len(doubtful)
        budget = _SHARE * self._time * len(self._boards)
        time = max(self._time, min(DEEPER * self._time, budget / max(1, 2 * len(doubtful))))
        for ply in sorted(doubtful, reverse=True):
            for place in (ply + 1, ply):
                self._opinions[place] = self._think(place, time)
            for place in (ply + 1, ply, ply - 1):
                if place in self._found:
                    self._judge(place)
            self._step()

    def _lengthen(self) -> None:
        """Search on where better lines end too early, wins and great losses first, as long as
        there is time for it.
        """
        short = [move for move in self._found.values() if _is_short(move)]
        short.sort(key=lambda move: (move.verdict is not Verdict.MISSED_WIN, -move.loss))
        self._total += len(short)
        searches = max(_LENGTHENINGS, int(_LENGTHENING * len(self._boards)))
        for move in short:
            searches = self._lengthen_one(move.ply - 1, searches)
            self._step()

    def _lengthen_one(self, ply: int, searches: int) -> int:
        """At most so many searches; those that are left."""
        board = self._boards[ply].copy()
        for move in self._found[ply].better:
            board.push(move)
        while searches > 0 and _is_short(self._found[ply]) and not board.is_over():
            searches -= 1
            found = self._found[ply]
            more = self._search(board, self._time).line[: _LONGEST_LINE - len(found.better)]
            for move in more:
                board.push(move)
            self._found[ply] = replace(found, better=(*found.better, *more))
        return searches

    def _think(self, ply: int, time: float) -> Opinion:
        return self._search(self._boards[ply], time)

    def _search(self, board: Board, time: float) -> Opinion:
        if outcome := board.outcome():
            if outcome.winner is None:
                return Opinion(PovScore(Score(0, None, True), board.turn))
            value = 1 if outcome.winner is board.turn else -1
            return Opinion(PovScore(Score(10_000 * value, value, True), board.turn))
        with self._engine.analyse(board, Limit(time=time), multipv=1) as analysis:
            played = analysis.wait()
        if played.info is None:
            return Opinion(PovScore(Score(0), board.turn), (played.move,))
        return Opinion(played.info.score, played.info.pv or (played.move,), played.info.depth)

    def _judge(self, ply: int) -> None:
        """Compare the positions before and after a move."""
        board, move = self._boards[ply], self._moves[ply]
        mover = board.turn
        before, after = self._opinions[ply], self._opinions[ply + 1]
        is_best = before.line[:1] == (move,)
        mine, then = before.score.pov(mover), after.score.pov(mover)
        loss = 0.0 if is_best else max(0.0, mine.win_rate - then.win_rate)
        verdict = _verdict(mine, then, loss, is_best)
        if _is_forced(board, move):
            verdict, loss = Verdict.FORCED, 0.0
        told = verdict.is_error or verdict is Verdict.INACCURACY
        better = before.line[:_LONGEST_LINE] if told else ()
        self._found[ply] = ReviewedMove(
            ply + 1, move, mover, verdict, loss, before, after, tuple(better)
        )


def _is_short(move: ReviewedMove) -> bool:
    """Whether more of its better line is worth a search."""
    mate = move.before.score.pov(move.colour).mate
    wanted = _LONGEST_LINE if mate is not None and mate > 0 else _SHORTEST_LINE
    wanted = wanted if mate is None else min(wanted, abs(mate))
    return 0 < len(move.better) < wanted


def _verdict(mine: Score, then: Score, loss: float, is_best: bool) -> Verdict:
    """`mine` is the mover's score before the move, `then` after it."""
    if is_best:
        return Verdict.BEST
    had_win = mine.mate is not None and mine.mate > 0
    has_win = then.mate is not None and then.mate > 0
    if had_win and not has_win and then.win_rate < _WON:
        return Verdict.MISSED_WIN
    for least, verdict in (
        (BLUNDER, Verdict.BLUNDER),
        (MISTAKE, Verdict.MISTAKE),
        (INACCURACY, Verdict.INACCURACY),
    ):
        if loss >= least:
            return verdict
    return Verdict.GOOD


def _is_forced(board: Board, move: Move) -> bool:
    """Whether the move was the only one: the answer to a four, with no five of one's own."""
    if board.threats(board.turn, Threat.FIVE):
        return False
    fours = board.threats(board.turn.other, Threat.FIVE)
    return list(fours) == [move]
