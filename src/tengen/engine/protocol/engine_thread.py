# SPDX-License-Identifier: MIT
"""An engine on a thread of its own, for adapters: what it is asked is done one after the other, and
what a search tells is reported as it comes. Relies on the interface of engines alone.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping
from queue import SimpleQueue
from time import monotonic
from typing import TypeAlias

from tengen.engine.analysis import Analysis
from tengen.engine.base import AnyEngine
from tengen.engine.errors import NoRoom
from tengen.engine.info import Info, Played
from tengen.engine.options import OPTIONS
from tengen.engine.protocol.actions import SearchFailed, Think
from tengen.game.board import Board
from tengen.game.errors import TengenError

__all__ = ["EngineThread", "Event"]

Event: TypeAlias = Info | Played | SearchFailed

_MEMORY = "memory"  # the option: MiB of tables


class _Job:
    """A search that was asked for. It can be stopped before it has begun."""

    def __init__(self, think: Think, since: float) -> None:
        self.think = think
        self.since = since
        self._lock = threading.Lock()
        self._analysis: Analysis | None = None
        self._stopped = False

    def begin(self, engine: AnyEngine) -> Analysis:
        limit = self.think.limit.after(monotonic() - self.since)
        analysis = engine.search(self.think.board, limit)
        with self._lock:
            self._analysis = analysis
            if self._stopped:
                analysis.stop()
        return analysis

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._analysis is not None:
                self._analysis.stop()


class EngineThread:
    """Runs an engine, which is made when it is first needed. `report` is called on the worker's
    thread. All methods return at once.
    """

    def __init__(
        self,
        make_engine: Callable[[Mapping[str, int]], AnyEngine],
        report: Callable[[Event], None],
    ) -> None:
        self._make_engine = make_engine
        self._report = report
        self._engine: AnyEngine | None = None
        self._options: dict[str, int] = {}  # that the engine has
        self._room: int | None = None  # MiB that there is room for in this game; None: any number
        self._job: _Job | None = None
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()

    def new_game(self, options: Mapping[str, int], board: Board | None = None) -> None:
        """Have the engine ready, for such boards, and let it forget the last game."""
        self._tasks.put(lambda: self._new_game(options, board))

    def prepare(self, board: Board, options: Mapping[str, int]) -> None:
        """Begin to load what such boards need."""
        self._tasks.put(lambda: self._prepare(board, options))

    def think(self, think: Think, since: float) -> None:
        """Search; the limit counts from the time `since`, of `time.monotonic`."""
        self._job = job = _Job(think, since)
        self._tasks.put(lambda: self._think(job))

    def ponder(self, board: Board) -> None:
        self._tasks.put(lambda: self._ponder(board))

    def halt(self) -> None:
        """End the search that was asked for last, or the pondering."""
        if self._job is not None:
            self._job.stop()
        self._tasks.put(self._stop)

    def close(self, timeout: float) -> bool:
        """End everything; whether that was done within so many seconds."""
        self.halt()
        self._tasks.put(None)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    # --- on the worker's thread ---

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            task()
        if self._engine is not None:
            self._engine.close()

    def _ready(self, options: Mapping[str, int]) -> AnyEngine:
        """The engine with these options, but smaller tables if there is no room for those."""
        while True:
            try:
                return self._with_options(self._fitting(options))
            except NoRoom:
                if not self._take_less(options):
                    raise

    def _with_options(self, options: dict[str, int]) -> AnyEngine:
        if self._engine is None:
            self._engine = self._make_engine(options)
        elif changed := {k: v for k, v in options.items() if self._options.get(k) != v}:
            self._engine.configure(**changed)
        self._options = options
        return self._engine

    def _fitting(self, options: Mapping[str, int]) -> dict[str, int]:
        if self._room is None or _MEMORY not in options:
            return dict(options)
        return {**options, _MEMORY: min(options[_MEMORY], self._room)}

    def _take_less(self, options: Mapping[str, int]) -> bool:
        """There is no room for the tables: halve them, for the rest of the game. False if they are
        as small as can be.
        """
        least, had = OPTIONS[_MEMORY].low, self._fitting(options).get(_MEMORY, 0)
        if had <= least:
            return False
        self._room = max(least, had // 2)
        return True

    def _new_game(self, options: Mapping[str, int], board: Board | None) -> None:
        self._room = None  # there may be more of it now
        with contextlib.suppress(Exception):  # the first search meets the fault again, and tells it
            engine = self._ready(options)
            engine.new_game()
            if board is not None:
                engine.prepare(board)

    def _prepare(self, board: Board, options: Mapping[str, int]) -> None:
        with contextlib.suppress(Exception):  # as above
            self._ready(options).prepare(board)

    def _think(self, job: _Job) -> None:
        result: Event
        try:
            result = self._search(job)
        except TengenError as error:
            result = SearchFailed(str(error))
        except Exception as error:  # whatever it is, the manager waits for an answer
            result = SearchFailed(f"the engine failed: {type(error).__name__}: {error}")
        self._report(result)

    def _search(self, job: _Job) -> Played:
        """The tables are made when a search begins: that there is no room for them may turn out
        only then.
        """
        while True:
            try:
                analysis = job.begin(self._ready(job.think.options))
                for info in analysis:
                    self._report(info)
                return analysis.played
            except NoRoom:
                if not self._take_less(job.think.options):
                    raise

    def _ponder(self, board: Board) -> None:
        if self._engine is not None:
            with contextlib.suppress(TengenError):
                self._engine.ponder(board)

    def _stop(self) -> None:
        if self._engine is not None:
            self._engine.stop()
