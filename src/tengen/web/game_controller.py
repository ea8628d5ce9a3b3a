# SPDX-License-Identifier: MIT
"""Runs the game of a session: gets the engine's moves from the pool, stores the game, sends its
state to the pages. Runs on the event loop; engines run on threads of the pool.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Coroutine
from typing import Any

from tengen.engine import Engine, Limit, PlayResult
from tengen.engine.levels import FULL
from tengen.engine.swap2 import Swap2Choice
from tengen.game.errors import TengenError
from tengen.web import events
from tengen.web.conversions import to_line
from tengen.web.engine_pool import EngineLane, EnginePool, JobHandle
from tengen.web.limits import RequestError, ServerLimits
from tengen.web.live_game import EngineTask, LiveGame, SwapChoice
from tengen.web.requests import NewGameRequest
from tengen.web.store import Store

_FULL_TIME = 4.0  # s per move at full strength, without other settings
_HINT_TIME = 1.0
_SWAP2_TIME = 1.0
_MAX_QUICK_LEVEL = 6  # levels up to this take hundredths of a second per move
_GRACE = 0.05  # s between a clock's end and the check of it

_REMATCH = {"black": "white", "white": "black", "swap2": "swap2_you", "swap2_you": "swap2"}


class GameController:
    """The game of one session. `send` sends to all its pages."""

    def __init__(
        self,
        session: str,
        pool: EnginePool,
        store: Store,
        limits: ServerLimits,
        send: Callable[[events.Event], None],
    ) -> None:
        self._session, self._pool, self._store, self._limits = session, pool, store, limits
        self._send = send
        self.game: LiveGame | None = self._stored_game()
        self._thinking: JobHandle | None = None
        self._hinting: JobHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._flag_timer: asyncio.TimerHandle | None = None

    def _stored_game(self) -> LiveGame | None:
        """The last game of this session, if it is readable."""
        for row in self._store.games(self._session)[:1]:
            try:
                return LiveGame.from_json(row.state)
            except ValueError:
                return None
        return None

    def to_message(self) -> events.Event:
        return events.NoGameEvent() if self.game is None else self.game.to_message()

    # --- requests ---

    def new_game(self, settings: NewGameRequest) -> None:
        self._stop()
        self.game = LiveGame.new(settings)
        self._changed()

    def play(self, move: str) -> None:
        game = self._require_game()
        if not game.check_flag():
            game.person_plays(move)
        self._changed()

    def choose(self, choice: SwapChoice) -> None:
        self._require_game().person_chooses(choice)
        self._changed()

    def take_back(self) -> None:
        self._require_game().take_back()
        self._stop()
        self._changed()

    def resign(self) -> None:
        self._require_game().resign()
        self._stop()
        self._changed()

    def rematch(self) -> None:
        """Starts the same game with the sides exchanged."""
        settings = self._require_game().settings
        you = _REMATCH.get(settings.you, settings.you)
        self.new_game(settings.model_copy(update={"you": you}))

    def move_now(self) -> None:
        if self._thinking is not None:
            self._thinking.stop()

    def hint(self) -> None:
        game = self._require_game()
        if game.stage != "play" or not game.is_your_turn:
            raise RequestError("turn", "hints are available on your turn only")
        if game.is_between_people:
            raise RequestError("people", "there are no hints in a game of two people")
        if self._hinting is not None:
            raise RequestError("busy", "a hint is already being computed")
        self._hinting = JobHandle(self._pool.slow)
        self._spawn(self._find_hint(game, self._hinting))

    def _require_game(self) -> LiveGame:
        if self.game is None:
            raise RequestError("no_game", "there is no game: start one")
        return self.game

    # --- the engine ---

    def _changed(self) -> None:
        """Stores the game, lets the engine continue, and informs the pages."""
        game = self._require_game()
        self._store.save_game(self._session, game.game, game.to_json())
        if self._hinting is not None:
            self._hinting.stop()
        self.resume()
        self._send(self.to_message())

    def resume(self) -> None:
        """Starts the clock and the engine, if it is their turn."""
        game = self.game
        if game is None:
            return
        self._set_flag_timer(game)
        if self._thinking is None and (task := game.engine_task):
            self._thinking = JobHandle(self._lane(game))
            self._spawn(self._think(game, task, self._thinking))

    def _lane(self, game: LiveGame) -> EngineLane:
        quick = game.settings.seconds is None and game.settings.level <= _MAX_QUICK_LEVEL
        return self._pool.quick if quick and game.stage == "play" else self._pool.slow

    async def _think(self, game: LiveGame, task: EngineTask, handle: JobHandle) -> None:
        board, limit = game.board.copy(), self._limit(game)
        level = FULL if game.settings.seconds is not None else game.settings.level

        def work(engine: Engine, handle: JobHandle) -> PlayResult | Swap2Choice:
            engine.configure(level=level, seed=game.seed)
            engine.new_game()  # nothing carries over from games of other sessions
            if task == "move":
                with engine.search(board, limit) as analysis:
                    return handle.result(analysis)
            number = secrets.randbelow(1 << 16) if task == "place" else 0
            return engine.swap2(board, limit, number=number)

        try:
            answer = await self._lane(game).submit(self._session, handle, work)
        except (TengenError, asyncio.CancelledError) as error:
            if self._thinking is handle:
                self._thinking = None
                self._send(events.error_event(error, "engine"))
                self._send(self.to_message())
            return
        if self._thinking is not handle or self.game is not game:
            return  # taken back, or another game
        self._thinking = None
        if not game.check_flag():
            if isinstance(answer, Swap2Choice):
                game.engine_chooses(answer)
            else:
                game.play(answer.move)
        self._changed()

    def _limit(self, game: LiveGame) -> Limit:
        """Limit of the engine's next move; a level limits the search further."""
        if game.stage != "play":
            return Limit(time=_SWAP2_TIME)
        settings = game.settings
        if game.clocks is None or settings.clock is None:
            return Limit(time=min(settings.seconds or _FULL_TIME, self._limits.move_time))
        clock = max(0.0, game.time_left(game.board.turn) - _GRACE)
        max_time = settings.seconds or self._limits.move_time
        return Limit(time=max_time, clock=clock, increment=settings.clock.increment)

    async def _find_hint(self, game: LiveGame, handle: JobHandle) -> None:
        board = game.board.copy()

        def work(engine: Engine, handle: JobHandle) -> PlayResult:
            with engine.analyse(board, Limit(time=_HINT_TIME), multipv=1) as analysis:
                return handle.result(analysis)

        try:
            played = await self._pool.slow.submit(self._session, handle, work)
            if played.info is not None and not handle.is_stopped:
                self._send(events.HintEvent(line=to_line(played.info)))
        except TengenError as error:
            self._send(events.error_event(error, "hint"))
        finally:
            if self._hinting is handle:
                self._hinting = None

    # --- clocks, tasks ---

    def _set_flag_timer(self, game: LiveGame) -> None:
        if self._flag_timer is not None:
            self._flag_timer.cancel()
            self._flag_timer = None
        colour = game.running_clock
        if colour is not None:
            left = game.time_left(colour) + _GRACE
            loop = asyncio.get_running_loop()
            self._flag_timer = loop.call_later(left, self._check_flag, game)

    def _check_flag(self, game: LiveGame) -> None:
        if self.game is game and game.check_flag():
            self._stop()
            self._changed()
        elif self.game is game:
            self._set_flag_timer(game)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _stop(self) -> None:
        """Stops the engine's work for this game."""
        for handle in (self._thinking, self._hinting):
            if handle is not None:
                handle.stop()
        self._thinking = None

    def close(self) -> None:
        self._stop()
        if self._flag_timer is not None:
            self._flag_timer.cancel()
        for task in self._tasks:
            task.cancel()

    @property
    def is_idle(self) -> bool:
        return self._thinking is None and not self._tasks
