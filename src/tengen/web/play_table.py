# SPDX-License-Identifier: MIT
"""Drives the game of a session: asks the pool for the engine's moves, keeps the game, tells the
pages. One event loop; the engine's work runs on threads of the pool.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Coroutine
from typing import Any

from tengen.engine import LEVELS, Engine, Limit, Played
from tengen.engine.swap2 import Swap2Choice
from tengen.game.board import Board
from tengen.game.errors import TengenError
from tengen.game.rule import Colour
from tengen.web import tells
from tengen.web.asks import NewGame
from tengen.web.bounds import Bounds
from tengen.web.errors import Refused
from tengen.web.play import PlayGame
from tengen.web.pool import Lane, Pool, Ticket
from tengen.web.positions import line_of
from tengen.web.store import Store

__all__ = ["PlayTable"]

_FULL_TIME = 4.0  # s for a move at full strength, if nothing else is said
_HINT_TIME = 1.0
_SWAP2_TIME = 1.0
_QUICK = 6  # levels up to this take hundredths of a second
_GRACE = 0.05  # s between a clock's end and the look at it

Answer = Played | Swap2Choice


class PlayTable:
    """The game of one session. `tell` sends to all its pages."""

    def __init__(
        self,
        who: str,
        pool: Pool,
        store: Store,
        bounds: Bounds,
        tell: Callable[[tells.Tell], None],
    ) -> None:
        self._who, self._pool, self._store, self._bounds = who, pool, store, bounds
        self._tell = tell
        self.game: PlayGame | None = self._kept()
        self._thinking: Ticket | None = None
        self._hinting: Ticket | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._flag: asyncio.TimerHandle | None = None

    def _kept(self) -> PlayGame | None:
        """The game that this session left, if it left one."""
        for kept in self._store.games(self._who)[:1]:
            try:
                game = PlayGame.of_state(kept.state)
            except ValueError:  # of an older version: not worth an error
                return None
            return game
        return None

    def wake(self) -> None:
        """A page is there: tell it the game, and see that the engine is at work."""
        self._tell(self.told())
        self._go_on()

    def told(self) -> tells.Tell:
        if self.game is None:
            return tells.NoGame(type="no_game")
        return self.game.told(self._thinking is not None)

    # --- what the page asks ---

    def new(self, asked: NewGame) -> None:
        self._stop()
        self.game = PlayGame.new(asked)
        self._changed()

    def play(self, move: str) -> None:
        game = self._there()
        if game.flag():
            self._changed()
            return
        game.person_plays(move)
        self._changed()

    def choose(self, take: str) -> None:
        self._there().person_chooses(take)  # type: ignore[arg-type]
        self._changed()

    def command(self, what: str) -> None:
        game = self._there()
        if what == "take_back":
            if not game.can_take_back:
                raise Refused("nothing", "there is no move of yours to take back")
            self._stop()
            game.take_back()
        elif what == "resign":
            game.resign()
            self._stop()
        elif what == "rematch":
            self._rematch(game)
            return
        elif what == "hint":
            self._hint(game)
            return
        elif what == "move_now":
            if self._thinking is not None:
                self._thinking.stop()
            return
        elif what == "leave":
            self._stop()
            self.game = None
            self._tell(self.told())
            return
        self._changed()

    def _there(self) -> PlayGame:
        if self.game is None:
            raise Refused("no_game", "there is no game: begin one")
        return self.game

    def _rematch(self, game: PlayGame) -> None:
        """The same game with the colours changed."""
        asked = game.asked
        if asked.you in ("black", "white"):
            asked = asked.model_copy(update={"you": "white" if asked.you == "black" else "black"})
        elif asked.you in ("swap2", "swap2_you"):
            other = "swap2" if asked.you == "swap2_you" else "swap2_you"
            asked = asked.model_copy(update={"you": other})
        self.new(asked)

    # --- the engine ---

    def _changed(self) -> None:
        """Keep the game, have the engine go on, tell the pages."""
        game = self._there()
        game.change += 1
        self._store.keep_game(self._who, game.game, game.state())
        if self._hinting is not None:
            self._hinting.stop()
        self._go_on()
        self._tell(self.told())

    def _go_on(self) -> None:
        game = self.game
        if game is None:
            return
        self._set_flag(game)
        if self._thinking is None and game.engine_is_to != "nothing":
            ticket = self._lane(game).ticket()
            self._thinking = ticket
            self._spawn(self._think(game, ticket))

    def _lane(self, game: PlayGame) -> Lane:
        quick = game.asked.seconds is None and game.asked.level <= _QUICK
        return self._pool.quick if quick and game.stage == "play" else self._pool.slow

    async def _think(self, game: PlayGame, ticket: Ticket) -> None:
        what, board, limit = game.engine_is_to, game.board.copy(), self._limit(game)
        level = LEVELS[10 if game.asked.seconds is not None else game.asked.level]

        def work(engine: Engine, ticket: Ticket) -> Answer:
            engine.configure(level=level.number, seed=game.seed)
            engine.new_game()  # what others have taught it is not this game's
            return _answer(engine, what, board, limit, ticket)

        try:
            answer = await self._lane(game).submit(self._who, ticket, work)
        except (TengenError, asyncio.CancelledError) as error:
            if self._thinking is ticket:
                self._thinking = None
                code = error.code if isinstance(error, Refused) else "engine"
                words = str(error) or "the server is closing"
                self._tell(tells.Fault(type="fault", id=None, code=code, words=words))
                self._tell(self.told())
            return
        if self._thinking is not ticket or self.game is not game:
            return  # taken back, or another game
        self._thinking = None
        if not game.flag():
            if isinstance(answer, Swap2Choice):
                game.engine_chooses(answer)
            else:
                game.engine_plays(answer.move)
        self._changed()

    def _limit(self, game: PlayGame) -> Limit:
        """For the next move of the engine; a level has limits of its own."""
        if game.stage != "play":
            return Limit(time=_SWAP2_TIME)
        most = game.asked.seconds or _FULL_TIME
        if game.left is None or game.asked.clock is None:
            return Limit(time=min(most, self._bounds.move_time))
        most = self._bounds.move_time if game.asked.seconds is None else most
        clock = max(0.0, game.left_now(game.board.turn) - _GRACE)
        return Limit(time=most, clock=clock, increment=game.asked.clock.increment)

    def _hint(self, game: PlayGame) -> None:
        if game.stage != "play" or not game.yours:
            raise Refused("turn", "a hint is for your own move")
        if game.of_two_people:
            raise Refused("people", "there are no hints in a game of two people")
        if self._hinting is not None:
            raise Refused("busy", "the hint is on its way")
        self._hinting = self._pool.slow.ticket()
        self._spawn(self._find_hint(game, self._hinting))

    async def _find_hint(self, game: PlayGame, ticket: Ticket) -> None:
        board = game.board.copy()

        def work(engine: Engine, ticket: Ticket) -> Played:
            with engine.analyse(board, Limit(time=_HINT_TIME), multipv=1) as analysis:
                if ticket.is_stopped:
                    analysis.stop()
                return analysis.wait()

        try:
            played = await self._pool.slow.submit(self._who, ticket, work)
            info = played.info
            if info is not None and not ticket.is_stopped:
                self._tell(tells.Hint(type="hint", line=line_of(info), ply=board.ply))
        except TengenError as error:
            self._tell(tells.Fault(type="fault", id=None, code="hint", words=str(error)))
        finally:
            if self._hinting is ticket:
                self._hinting = None

    # --- clocks, tasks ---

    def _set_flag(self, game: PlayGame) -> None:
        if self._flag is not None:
            self._flag.cancel()
            self._flag = None
        colour: Colour | None = game.running
        if colour is not None:
            left = game.left_now(colour) + _GRACE
            self._flag = asyncio.get_running_loop().call_later(left, self._look_at_clock, game)

    def _look_at_clock(self, game: PlayGame) -> None:
        if self.game is game and game.flag():
            self._stop()
            self._changed()
        elif self.game is game:
            self._set_flag(game)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _stop(self) -> None:
        """End what the engine does for this game."""
        for ticket in (self._thinking, self._hinting):
            if ticket is not None:
                ticket.stop()
        self._thinking = None

    def close(self) -> None:
        self._stop()
        if self._flag is not None:
            self._flag.cancel()
        for task in self._tasks:
            task.cancel()

    @property
    def is_idle(self) -> bool:
        return self._thinking is None and not self._tasks


def _answer(engine: Engine, what: str, board: Board, limit: Limit, ticket: Ticket) -> Answer:
    if what == "move":
        with engine.thinking(board, limit) as analysis:
            if ticket.is_stopped:
                analysis.stop()
            return analysis.wait()
    number = secrets.randbelow(1 << 16) if what == "open" else 0
    return engine.swap2(board, limit, number=number)
