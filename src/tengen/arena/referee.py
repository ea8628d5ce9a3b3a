# SPDX-License-Identifier: MIT
"""One game between two engines, under the arena's own referee. Whatever an engine does, the game
has a result and a reason: a player loses by an illegal or forbidden move, a crash, no answer, an
invalid answer, or a move that comes too late.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import TypeVar

from tengen.arena.adjudicate import is_dead, is_proven_win
from tengen.arena.control import GameClock, TimeControl
from tengen.arena.game import MatchGame, MoveReport
from tengen.arena.schedule import Pairing
from tengen.cluster import Notes
from tengen.engine.base import AnyEngine
from tengen.engine.errors import EngineDied, EngineRefused, EngineSilent
from tengen.engine.info import Played
from tengen.engine.limit import Limit
from tengen.engine.process import ProcessEngine
from tengen.game.board import Board
from tengen.game.errors import ForbiddenMove, IllegalMove, TengenError
from tengen.game.move import Move
from tengen.game.rule import Colour

__all__ = ["PlayerFault", "Referee", "Seat", "fault_of"]

R = TypeVar("R")


class PlayerFault(Exception):
    """An error of a player, which loses the game. `reason` is one of `game.FAULTS`."""

    def __init__(self, reason: str, words: str) -> None:
        super().__init__(words)
        self.reason = reason


def fault_of(error: Exception) -> PlayerFault:
    """What an error of an engine means for its game."""
    words = str(error)
    if isinstance(error, EngineSilent):
        return PlayerFault("output" if error.said else "silence", words)
    if isinstance(error, ForbiddenMove):
        return PlayerFault("forbidden", words)
    if isinstance(error, IllegalMove):
        return PlayerFault("illegal", words)
    if isinstance(error, EngineRefused):
        return PlayerFault("output", words)
    known = isinstance(error, EngineDied)
    return PlayerFault("crash", words if known else f"{type(error).__name__}: {words}")


class Seat:
    """A player in one game. `slowest` is how many seconds a move may take that no time limits, so
    that one who thinks long can be told from one who never answers; None: any number.
    """

    def __init__(
        self,
        player: int,
        engine: AnyEngine,
        control: TimeControl,
        tolerance: float,
        slowest: float | None = None,
    ) -> None:
        self.player = player  # his place in the list of players
        self.hears_passes = not isinstance(engine, ProcessEngine)  # the protocol has none
        self.engine = engine
        self.claims_win = False  # whether he told so with his last move
        self._slowest = None if control.is_timed else slowest
        self._clock = GameClock(control, tolerance)

    def ask(self, question: Callable[[Limit], R]) -> tuple[R, float]:
        """Let the engine answer; the answer, and the seconds that it took. Raises PlayerFault."""
        limit = self._clock.limit()
        if self._slowest is not None:
            limit = replace(limit, time=self._slowest)
        start = perf_counter()
        try:
            answer = question(limit)
        except Exception as error:
            raise fault_of(error) from error
        seconds = perf_counter() - start
        if words := self._clock.spend(seconds):
            raise PlayerFault("time", words)
        return answer, seconds


class Referee:
    """A game on its way. The board holds the opening; the first seat is black's, or that of the one
    who begins a swap2 opening.
    """

    def __init__(
        self,
        fixture: Pairing,
        board: Board,
        seats: tuple[Seat, Seat],
        notes: Notes,
        *,
        adjudicates: bool = False,
        swap2: bool = False,
    ) -> None:
        self.at_fault: Seat | None = None  # whose error ended the game
        self._fixture = fixture
        self._board = board
        self._seats = dict(zip(Colour, seats, strict=True))
        self._notes = notes
        self._adjudicates = adjudicates
        self._swap2 = swap2
        self._opening_moves = board.ply
        self._told: list[MoveReport] = []
        self._turn = seats[0]  # who is to answer
        self._places = [move.to_index(board.size) for move in board.moves]

    def play(self) -> MatchGame:
        """Play it to its end. What an engine does wrong becomes the result."""
        start = perf_counter()
        words = ""
        try:
            for seat in self._seats.values():
                self._note(seat)
                _forget(seat.engine)
            if self._swap2:
                self._open_by_swap2()
            while (ending := self._ending()) is None:
                self._one_move()
            winner, reason = ending
        except PlayerFault as fault:
            self.at_fault = self._turn
            lost = next(colour for colour, seat in self._seats.items() if seat is self._turn)
            winner, reason, words = lost.other, fault.reason, str(fault)
        return MatchGame(
            self._fixture.number,
            self._fixture.pair,
            self._seats[Colour.BLACK].player,
            self._seats[Colour.WHITE].player,
            -1 if self._swap2 else self._fixture.opening,
            self._opening_moves,
            tuple(move.name for move in self._board.moves),
            winner,
            reason,
            words,
            tuple(self._told),
            perf_counter() - start,
        )

    def _note(self, seat: Seat) -> None:
        """Leave word of who is to answer on what board, for the case that this process dies."""
        self._turn = seat
        black, white = (self._seats[colour].player for colour in Colour)
        self._notes.write(seat.player, black, white, self._opening_moves, *self._places)

    def _ending(self) -> tuple[Colour | None, str] | None:
        """How the game has ended: by the rules, or because its end is certain."""
        if outcome := self._board.outcome():
            return outcome.winner, outcome.reason
        if self._adjudicates:
            turn = self._board.turn
            if self._seats[turn].claims_win and is_proven_win(self._board):
                return turn, "proven_win"
            if is_dead(self._board):
                return None, "dead_draw"
        return None

    def _one_move(self) -> None:
        seat = self._seats[self._board.turn]
        self._note(seat)
        shown = self._board.copy()  # the referee's board is nobody else's
        played, seconds = seat.ask(lambda limit: seat.engine.play(shown, limit))
        other = self._seats[self._board.turn.other]
        if played.move.is_pass and not other.hears_passes:
            raise PlayerFault("illegal", "a pass, which the opponent's protocol has no words for")
        self._push(played.move)
        told = _told(played, seconds)
        self._told.append(told)
        seat.claims_win = told.mate is not None and told.mate > 0

    def _push(self, move: Move) -> None:
        try:
            self._board.push(move)
        except (TengenError, TypeError) as error:
            raise fault_of(error) from error
        self._places.append(-1 if move.is_pass else move.to_index(self._board.size))

    # --- swap2 ---

    def _open_by_swap2(self) -> None:
        """The first puts three stones; the second takes black, or goes on as white, or puts two
        more stones and leaves the same choice to the first.
        """
        first, second = self._seats.values()
        self._put_stones(first, (3,))
        chooser, other = second, first
        stones = self._put_stones(second, (0, 1, 2))
        if stones == 2:
            chooser, other = first, second
            stones = self._put_stones(first, (0, 1))
        black, white = (other, chooser) if stones else (chooser, other)
        self._seats = {Colour.BLACK: black, Colour.WHITE: white}
        self._opening_moves = self._board.ply

    def _put_stones(self, seat: Seat, allowed: tuple[int, ...]) -> int:
        """Have a player answer; how many stones he put. None: he takes black."""
        self._note(seat)
        shown = self._board.copy()
        number = self._fixture.pair  # both games of a pair begin alike, where that is our choice
        choice, _ = seat.ask(lambda limit: seat.engine.swap2(shown, limit, number=number))
        stones = choice.stones
        if len(stones) not in allowed or Move.PASS in stones:
            raise PlayerFault(
                "illegal", f"{len(stones)} stones in a swap2 opening with {shown.ply}"
            )
        for stone in stones:
            self._push(stone)
        return len(stones)


def _forget(engine: AnyEngine) -> None:
    try:
        engine.new_game()
    except TengenError as error:
        raise fault_of(error) from error


def _told(played: Played, seconds: float) -> MoveReport:
    if played.info is None:
        return MoveReport(seconds)
    info = played.info
    score = info.score.relative
    value = None if score.mate is not None else score.value
    return MoveReport(seconds, value, score.mate, info.depth, info.nodes)
