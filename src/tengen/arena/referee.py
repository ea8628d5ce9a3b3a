# SPDX-License-Identifier: MIT
"""One game between two engines, under the arena's own referee. Whatever an engine does, the game
has a result and a reason: a player loses by an illegal or forbidden move, a crash, no answer, an
invalid answer, or a move that comes too late.

Adjudication ends a game early: as a win, if the player to move has claimed it and the solver proves
it; as a draw, if neither side can make five any more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from time import perf_counter
from typing import TypeVar

from tengen.arena.control import GameClock, TimeControl
from tengen.arena.definition import ScheduledGame
from tengen.arena.game import MatchGame, MoveReport
from tengen.cluster import ProgressRecord
from tengen.engine.base import AnyEngine
from tengen.engine.errors import EngineDied, EngineRefused, EngineSilent
from tengen.engine.info import PlayResult
from tengen.engine.limit import Limit
from tengen.engine.process import ProcessEngine
from tengen.game.board import Board
from tengen.game.errors import ForbiddenMove, IllegalMove, TengenError
from tengen.game.move import Move
from tengen.game.rule import Colour, Rule
from tengen.solver import solve

# Nodes of a proof, some milliseconds. A limit of time would make results depend on the machine.
_NODES = 20_000
_MEMORY = 16  # MiB
_DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


def is_proven_win(board: Board) -> bool:
    """Whether a VCT search proves a win of the side to move."""
    return bool(solve(board, "vct", time=None, nodes=_NODES, memory=_MEMORY))


def is_dead_draw(board: Board) -> bool:
    """Whether neither side can make five any more, whatever is played."""
    stones = board.stones()
    # A row has size // 5 disjoint windows, and a dead window has a stone of each colour.
    if len(stones) < 2 * board.size * (board.size // 5):
        return False
    colours = {move.to_index(board.size): colour for move, colour in stones.items()}
    for window in _windows(board.size):
        found = {colours[point] for point in window if point in colours}
        if len(found) < len(Colour):
            return False  # one side can still fill this window
    return True


@cache
def _windows(size: int) -> tuple[tuple[int, ...], ...]:
    """All sets of five adjacent points on a line, as indices."""
    found = []
    for dx, dy in _DIRECTIONS:
        for y in range(size):
            for x in range(size):
                end_x, end_y = x + 4 * dx, y + 4 * dy
                if 0 <= end_x < size and 0 <= end_y < size:
                    found.append(tuple((y + i * dy) * size + x + i * dx for i in range(5)))
    return tuple(found)


R = TypeVar("R")


class PlayerFault(Exception):
    """An error of a player, who loses the game by it. `reason` is one of `game.FAULTS`."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


def fault_of(error: Exception) -> PlayerFault:
    """The fault for an error of an engine."""
    text = str(error)
    if isinstance(error, EngineSilent):
        return PlayerFault("output" if error.said else "no_response", text)
    if isinstance(error, ForbiddenMove):
        return PlayerFault("forbidden", text)
    if isinstance(error, IllegalMove):
        return PlayerFault("illegal", text)
    if isinstance(error, EngineRefused):
        return PlayerFault("output", text)
    known = isinstance(error, EngineDied)
    return PlayerFault("crash", text if known else f"{type(error).__name__}: {text}")


class Participant:
    """A player in one game: its engine and its clock. `untimed_move_timeout`: seconds in which it
    must answer if its control limits only nodes or depth; None: no limit.
    """

    def __init__(
        self,
        player: int,
        engine: AnyEngine,
        control: TimeControl,
        tolerance: float,
        untimed_move_timeout: float | None = None,
    ) -> None:
        self.player = player  # index in the list of players
        self.accepts_passes = not isinstance(engine, ProcessEngine)  # the protocol has no pass
        self.engine = engine
        self.claims_win = False  # whether it reported a mate with its last move
        self._timeout = None if control.is_timed else untimed_move_timeout
        self._clock = GameClock(control, tolerance)

    def request(self, call: Callable[[Limit], R]) -> tuple[R, float]:
        """Call the engine within its limit; returns the answer and its seconds. Raises
        PlayerFault.
        """
        limit = self._clock.limit()
        if self._timeout is not None:
            limit = replace(limit, time=self._timeout)
        start = perf_counter()
        try:
            answer = call(limit)
        except Exception as error:
            raise fault_of(error) from error
        seconds = perf_counter() - start
        if problem := self._clock.spend(seconds):
            raise PlayerFault("time", problem)
        return answer, seconds


class Referee:
    """Referees one game. The board holds the opening; the first participant is black, or starts
    a swap2 opening.
    """

    def __init__(
        self,
        scheduled: ScheduledGame,
        board: Board,
        participants: tuple[Participant, Participant],
        progress: ProgressRecord,
        *,
        adjudicates: bool = False,
        swap2: bool = False,
    ) -> None:
        self.at_fault: Participant | None = None  # whose error ended the game
        self._scheduled = scheduled
        self._board = board
        self._participants = dict(zip(Colour, participants, strict=True))
        self._progress = progress
        self._adjudicates = adjudicates
        self._swap2 = swap2
        self._opening_moves = board.ply
        self._reports: list[MoveReport] = []
        self._turn = participants[0]  # who is to move
        self._points = [move.to_index(board.size) for move in board.moves]

    def play(self) -> MatchGame:
        """Play the game. An error of an engine becomes its result."""
        start = perf_counter()
        detail = ""
        try:
            for participant in self._participants.values():
                self._record_progress(participant)
                self._start_game(participant.engine)
            if self._swap2:
                self._open_by_swap2()
            while (ending := self._ending()) is None:
                self._one_move()
            winner, reason = ending
        except PlayerFault as fault:
            self.at_fault = self._turn
            lost = next(colour for colour, p in self._participants.items() if p is self._turn)
            winner, reason, detail = lost.other, fault.reason, str(fault)
        return MatchGame(
            self._scheduled.number,
            self._scheduled.pair,
            self._participants[Colour.BLACK].player,
            self._participants[Colour.WHITE].player,
            -1 if self._swap2 else self._scheduled.opening,
            self._opening_moves,
            tuple(move.name for move in self._board.moves),
            winner,
            reason,
            detail,
            tuple(self._reports),
            perf_counter() - start,
        )

    def _start_game(self, engine: AnyEngine) -> None:
        """All that takes no time of the player's clock: nets, START."""
        try:
            engine.new_game()
            engine.prepare(self._board, seconds=None)
        except TengenError as error:
            raise fault_of(error) from error

    def _record_progress(self, to_move: Participant) -> None:
        """Write who is to move on which board, for `forfeited_game` if this process dies."""
        self._turn = to_move
        black, white = (self._participants[colour].player for colour in Colour)
        self._progress.write(to_move.player, black, white, self._opening_moves, *self._points)

    def _ending(self) -> tuple[Colour | None, str] | None:
        """(winner, reason) if the game is over, by the rules or by adjudication."""
        if outcome := self._board.outcome():
            return outcome.winner, outcome.reason
        if self._must_pass() and not all(p.accepts_passes for p in self._participants.values()):
            return None, "no_legal_move"
        if self._adjudicates:
            turn = self._board.turn
            if self._participants[turn].claims_win and is_proven_win(self._board):
                return turn, "proven_win"
            if is_dead_draw(self._board):
                return None, "dead_draw"
        return None

    def _must_pass(self) -> bool:
        """Whether black has only forbidden points left, which leaves the pass (docs/rules.md)."""
        board = self._board
        return board.rule is Rule.RENJU and board.turn is Colour.BLACK and not board.legal_moves()

    def _one_move(self) -> None:
        participant = self._participants[self._board.turn]
        if self._must_pass():  # there is no choice
            self._push(Move.PASS)
            self._reports.append(MoveReport(0.0))
            return
        self._record_progress(participant)
        shown = self._board.copy()  # an engine must not change the referee's board
        played, seconds = participant.request(lambda limit: participant.engine.play(shown, limit))
        other = self._participants[self._board.turn.other]
        if played.move.is_pass and not other.accepts_passes:
            raise PlayerFault("illegal", "a pass, which the opponent's protocol does not have")
        self._push(played.move)
        report = _report(played, seconds)
        self._reports.append(report)
        participant.claims_win = report.mate is not None and report.mate > 0

    def _push(self, move: Move) -> None:
        try:
            self._board.push(move)
        except (TengenError, TypeError) as error:
            raise fault_of(error) from error
        self._points.append(-1 if move.is_pass else move.to_index(self._board.size))

    # --- swap2 ---

    def _open_by_swap2(self) -> None:
        """The first player puts three stones; the second takes black, or white with a fourth stone,
        or puts two more and leaves the choice to the first.
        """
        first, second = self._participants.values()
        self._put_stones(first, (3,))
        chooser, other = second, first
        stones = self._put_stones(second, (0, 1, 2))
        if stones == 2:
            chooser, other = first, second
            stones = self._put_stones(first, (0, 1))
        black, white = (other, chooser) if stones else (chooser, other)
        self._participants = {Colour.BLACK: black, Colour.WHITE: white}
        self._opening_moves = self._board.ply

    def _put_stones(self, player: Participant, allowed: tuple[int, ...]) -> int:
        """Request stones from a player; returns how many it put. 0: it takes black."""
        self._record_progress(player)
        shown = self._board.copy()
        number = self._scheduled.pair  # a preset opens both games of a pair alike
        choice, _ = player.request(lambda limit: player.engine.swap2(shown, limit, number=number))
        stones = choice.stones
        if len(stones) not in allowed or Move.PASS in stones:
            raise PlayerFault(
                "illegal", f"{len(stones)} stones in a swap2 opening with {shown.ply}"
            )
        for stone in stones:
            self._push(stone)
        return len(stones)


def _report(played: PlayResult, seconds: float) -> MoveReport:
    if played.info is None:
        return MoveReport(seconds)
    info = played.info
    score = info.score.relative
    value = None if score.mate is not None else score.value
    return MoveReport(seconds, value, score.mate, info.depth, info.nodes)
