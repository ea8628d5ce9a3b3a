# SPDX-License-Identifier: MIT
"""An engine on its own thread, for adapters: it runs tasks in order and reports the events of its
searches.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from queue import SimpleQueue
from time import monotonic
from typing import TypeAlias

from tengen.engine.analysis import Analysis
from tengen.engine.base import AnyEngine
from tengen.engine.errors import OutOfMemory
from tengen.engine.info import Info, PlayResult
from tengen.engine.options import OPTIONS
from tengen.engine.protocol.actions import SearchFailed, StartSearch
from tengen.game.board import Board
from tengen.game.errors import TengenError

Event: TypeAlias = Info | PlayResult | SearchFailed

_MEMORY = "memory"  # the option: MiB of tables


class _SearchJob:
    """A requested search. It can be stopped before it starts."""

    def __init__(self, think: StartSearch, since: float) -> None:
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

    def on_own_time(self, info: Info) -> Info:
        """An info without the time of the search before the command: of pondering."""
        return replace(info, time=min(info.time, monotonic() - self.since))

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._analysis is not None:
                self._analysis.stop()


class EngineThread:
    """Runs an engine, which is created when it is first needed. Calls `report` on its thread. All
    methods return at once.
    """

    def __init__(
        self,
        make_engine: Callable[[Mapping[str, int]], AnyEngine],
        report: Callable[[Event], None],
    ) -> None:
        self._make_engine = make_engine
        self._report = report
        self._engine: AnyEngine | None = None
        self._options: dict[str, int] = {}  # of the engine
        self._max_memory: int | None = None  # MiB of tables in this game; None: no limit
        self._job: _SearchJob | None = None
        self._pondered: Board | None = None  # the board of the last `ponder`, until a search
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()

    def new_game(self, options: Mapping[str, int], board: Board | None = None) -> None:
        """Prepare the engine for such boards, and clear the last game."""
        self._tasks.put(lambda: self._new_game(options, board))

    def prepare(self, board: Board, options: Mapping[str, int]) -> None:
        """Start loading what such boards need."""
        self._tasks.put(lambda: self._prepare(board, options))

    def think(self, think: StartSearch, since: float) -> None:
        """Search; the limit counts from `since`, a time of `time.monotonic`."""
        self._job = job = _SearchJob(think, since)
        self._tasks.put(lambda: self._think(job))

    def ponder(self, board: Board) -> None:
        self._tasks.put(lambda: self._ponder(board))

    def halt(self) -> None:
        """End the last search, or pondering."""
        if self._job is not None:
            self._job.stop()
        self._tasks.put(self._stop)

    def close(self, timeout: float) -> bool:
        """End the thread; whether that took at most `timeout` seconds."""
        self.halt()
        self._tasks.put(None)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    # --- on the engine's thread ---

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            task()
        if self._engine is not None:
            self._engine.close()

    def _ready(self, options: Mapping[str, int]) -> AnyEngine:
        """The engine with these options, and smaller tables if memory is short."""
        while True:
            try:
                return self._with_options(self._limited(options))
            except OutOfMemory:
                if not self._halve_tables(options):
                    raise

    def _with_options(self, options: dict[str, int]) -> AnyEngine:
        if self._engine is None:
            self._engine = self._make_engine(options)
        elif changed := {k: v for k, v in options.items() if self._options.get(k) != v}:
            self._engine.configure(**changed)
        self._options = options
        return self._engine

    def _limited(self, options: Mapping[str, int]) -> dict[str, int]:
        if self._max_memory is None or _MEMORY not in options:
            return dict(options)
        return {**options, _MEMORY: min(options[_MEMORY], self._max_memory)}

    def _halve_tables(self, options: Mapping[str, int]) -> bool:
        """Halve the tables for the rest of the game. False if they have their minimum size."""
        minimum, had = OPTIONS[_MEMORY].low, self._limited(options).get(_MEMORY, 0)
        if had <= minimum:
            return False
        self._max_memory = max(minimum, had // 2)
        return True

    def _new_game(self, options: Mapping[str, int], board: Board | None) -> None:
        self._max_memory = None  # there may be more memory now
        with contextlib.suppress(Exception):  # the first search fails again, and reports it
            engine = self._ready(options)
            engine.new_game()
            if board is not None:
                engine.prepare(board)

    def _prepare(self, board: Board, options: Mapping[str, int]) -> None:
        with contextlib.suppress(Exception):  # as above
            self._ready(options).prepare(board)

    def _think(self, job: _SearchJob) -> None:
        result: Event
        try:
            result = self._search(job)
        except TengenError as error:
            result = SearchFailed(str(error))
        except Exception as error:  # the manager waits for an answer
            result = SearchFailed(f"the engine failed: {type(error).__name__}: {error}")
        self._report(result)

    def _search(self, job: _SearchJob) -> PlayResult:
        """Tables are allocated when a search starts, so that memory may run out only then."""
        while True:
            try:
                analysis = job.begin(self._ready(job.think.options))
                pondered, self._pondered = self._pondered == job.think.board, None
                for info in analysis:
                    self._report(job.on_own_time(info) if pondered else info)
                result = analysis.played
                if pondered and result.info is not None:
                    return replace(result, info=job.on_own_time(result.info))
                return result
            except OutOfMemory:
                if not self._halve_tables(job.think.options):
                    raise

    def _ponder(self, board: Board) -> None:
        if self._engine is not None:
            with contextlib.suppress(TengenError):
                self._engine.ponder(board)
                self._pondered = board

    def _stop(self) -> None:
        if self._engine is not None:
            self._engine.stop()
