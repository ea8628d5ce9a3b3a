# SPDX-License-Identifier: MIT
"""The native core as the package uses it: `NativeEngine` has options, evaluator, kind of search and
starts searches; `NativeSearch` turns the events of a search into values of the package.

`Engine` is a facade over this module.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import monotonic
from typing import NamedTuple

from tengen import _core
from tengen.engine.analysis import Search
from tengen.engine.errors import BadOption, EngineDied, OutOfMemory
from tengen.engine.evaluator import (
    ALPHABETA,
    EvaluatorChoice,
    EvaluatorLoader,
    PendingEvaluator,
    choose_search,
)
from tengen.engine.info import BOUNDS, Evaluation, Info, PlayResult, SearchProgress
from tengen.engine.limit import Limit
from tengen.engine.options import AUTO, OPTIONS, SEARCHES, Value
from tengen.engine.score import PovScore, Score
from tengen.game.board import Board
from tengen.game.move import Move

_DONE = 1  # kind of the last event of a search; 0 is an info
_NO_MOVE = -2
_BASELINE_DEPTH = 6  # of the fixed-depth baseline, if the limit has no depth


def _make_core(threads: int, memory: int) -> _core.Engine:
    """The native engine with `memory` bytes of tables. Tests replace it."""
    return _core.Engine(threads, memory)


class NativeSearch(Search):
    """A search in the core. It waits, and can be stopped, until `started` is called, perhaps from
    another thread. Calls `on_end` once, when it has ended.
    """

    def __init__(
        self, core: _core.Engine, board: Board, on_end: Callable[[NativeSearch], None]
    ) -> None:
        self.board = board
        self._core = core
        self._on_end = on_end
        self._reading = threading.Lock()
        self._failed = False  # to start
        self._begun = threading.Event()  # has started, or failed to
        self._stopped = False
        self._evaluation: Evaluation | None = None
        self._waited = 0.0

    @property
    def is_stopped(self) -> bool:
        return self._stopped

    @property
    def can_resume(self) -> bool:
        """Whether the core works on it, or holds its result."""
        return self._begun.is_set() and not (self._failed or self._done or self._stopped)

    def started(self, evaluation: Evaluation, waited: float) -> None:
        """The core has started after `waited` seconds."""
        self._evaluation, self._waited = evaluation, waited
        self._begun.set()
        if self._stopped:  # before it started
            self._core.stop()

    def failed(self, error: Exception | None) -> None:
        """The core did not start, because of an error or because nobody waits for the result."""
        self._error = error
        self._failed = True
        self._begun.set()

    def stop(self) -> None:
        self._stopped = True
        if self._begun.is_set() and not self._failed and not self._done:
            self._core.stop()

    def next_info(self, timeout: float) -> Info | None:
        with self._reading:
            if self._done or not self._begun.wait(timeout):
                return None
            if self._failed:
                self._end()
                return None
            running = self._core.is_running()
            try:
                event = self._core.next_event(timeout)
            except RuntimeError as error:
                self._fail(f"the search failed: {error}")
                return None
            if event is None:
                if not running:
                    self._fail("the search ended without a move")
                return None
            if event.kind == _DONE:
                self._played = self._play_result(event)
                self._end()
                return None
            return self._info(event)

    def progress(self) -> SearchProgress | None:
        if self._done or self._failed or not self._begun.is_set():
            return None
        if (progress := self._core.progress()) is None:
            return None
        nodes, seldepth, seconds = progress
        return SearchProgress(nodes, self._waited + seconds, _rate(nodes, seconds), seldepth)

    def _fail(self, message: str) -> None:
        self._error = EngineDied(message)
        self._end()

    def _end(self) -> None:
        self._done = True
        self._on_end(self)

    def _info(self, event: _core.EngineEvent) -> Info:
        size = self.board.size
        score = Score(event.value, event.mate or None, event.proven)
        return Info(
            score=PovScore(score, self.board.turn),
            pv=tuple(Move.from_index(point, size) for point in event.pv),
            depth=event.depth,
            seldepth=event.seldepth,
            multipv=event.multipv,
            visits=event.visits,
            nodes=event.nodes,
            vcf_nodes=event.vcf_nodes,
            solver_nodes=event.solver_nodes,
            evaluations=event.evaluations,
            time=self._waited + event.seconds,
            nps=_rate(event.nodes, event.seconds),
            hashfull=event.hashfull / 1000,
            bound=BOUNDS[event.bound],
            evaluation=self._evaluation,
        )

    def _play_result(self, event: _core.EngineEvent) -> PlayResult:
        size = self.board.size
        move = Move.from_index(event.move, size)
        reply = None if event.ponder == _NO_MOVE else Move.from_index(event.ponder, size)
        return PlayResult(move, reply, self._info(event) if event.pv else None)


class SearchRequest(NamedTuple):
    """A position to search."""

    board: Board
    limit: Limit
    multipv: int = 1
    moves: Sequence[int] = ()  # the only ones to consider; empty: all
    ponder: bool = False
    for_play: bool = False  # the search of `play`, not an analysis


class NativeEngine:
    """The core of one engine. The caller makes sure that one search runs at a time, and calls all
    but `request_evaluator` only between searches. Raises OutOfMemory, BadOption.
    """

    def __init__(self, options: dict[str, Value]) -> None:
        self.options = options
        memory = int(options["memory"])
        try:
            self.core = _make_core(int(options["threads"]), memory << 20)
        except MemoryError:
            raise _out_of_memory(memory) from None
        self._set(options)
        self._loader = EvaluatorLoader(self.core)
        self._installed: EvaluatorChoice | None = None  # the evaluator of the last search
        self._search = ALPHABETA  # the kind of search of the core

    def configure(self, options: Mapping[str, Value]) -> None:
        """Set checked options: all, or none if one raises BadOption."""
        # Options that keep their value are not set: the core resets its search with each.
        changed = {name: value for name, value in options.items() if value != self.options[name]}
        try:
            self._set(changed)
        except BadOption:
            self._set({name: self.options[name] for name in changed})
            raise
        self.options |= changed

    def evaluation(self, board: Board) -> Evaluation:
        """Describes the evaluator used for boards of this rule and size. Raises BadNet."""
        return self._loader.choose(self.options, board.rule, board.size).evaluation

    def request_evaluator(self, board: Board) -> PendingEvaluator:
        """Start loading the evaluator for boards of this rule and size. Raises BadNet."""
        return self._loader.request(self.options, board.rule, board.size)

    def root_policy(self, board: Board) -> list[tuple[int, float]]:
        """Points with their probabilities before any search, the best first."""
        self._loader.install(self.request_evaluator(board))
        return self.core.root_policy(board._core)

    def start(self, request: SearchRequest, on_end: Callable[[NativeSearch], None]) -> NativeSearch:
        """Start a search. If a net is loading, the search waits for it on another thread."""
        if self.options["preset"] == "classical-paper" and request.limit.depth is None:
            request = request._replace(limit=replace(request.limit, depth=_BASELINE_DEPTH))
        pending = self.request_evaluator(request.board)
        search = NativeSearch(self.core, request.board, on_end)
        if pending.is_ready:
            self._start(search, request, pending, 0.0)
        else:
            late = (search, request, pending)
            threading.Thread(target=self._start_when_loaded, args=late, daemon=True).start()
        return search

    def ponder_hit(self, search: NativeSearch, limit: Limit) -> bool:
        """Continue a pondering search under the time limits of the move. False if the move needs a
        new search: of another kind, or with limits of nodes or depth, which count from its start.
        """
        if not search.can_resume or limit.nodes is not None or limit.depth is not None:
            return False
        if self._installed is None:
            return False
        if choose_search(self.options, self._installed, limit) != self._search:
            return False
        limits = limit.core
        self.core.ponder_hit(
            seconds=limits["seconds"], clock=limits["clock"], increment=limits["increment"]
        )
        return True

    def new_game(self) -> None:
        self.core.new_game()
        self._loader.retry_failed()

    def _start(
        self,
        search: NativeSearch,
        request: SearchRequest,
        pending: PendingEvaluator,
        waited: float,
    ) -> None:
        self._installed = self._loader.install(pending)
        self._set_search(request, self._installed)
        try:
            self.core.start(
                request.board._core,
                **request.limit.after(waited).core,
                multipv=request.multipv,
                moves=request.moves,
                ponder=request.ponder,
            )
        except MemoryError:
            raise _out_of_memory(int(self.options["memory"])) from None
        search.started(self._installed.evaluation, waited)

    def _start_when_loaded(
        self, search: NativeSearch, request: SearchRequest, pending: PendingEvaluator
    ) -> None:
        """Wait for the nets as long as the limit allows, then start. Runs on its own thread."""
        start = monotonic()
        try:
            pending.wait_for_move(request.limit.for_move, lambda: search.is_stopped)
            if search.is_stopped and request.ponder:  # its move is not needed
                search.failed(None)
            else:
                self._start(search, request, pending, monotonic() - start)
        except Exception as error:  # raised in the thread that waits for the search
            search.failed(error)

    def _set_search(self, request: SearchRequest, choice: EvaluatorChoice) -> None:
        """Set the kind of search. With `auto`, an analysis uses alpha-beta, and pondering the kind
        of the last move.
        """
        if self.options["search"] == AUTO and request.ponder:
            return
        kind = choose_search(self.options, choice, request.limit)
        if self.options["search"] == AUTO and not request.for_play:
            kind = ALPHABETA
        if kind != self._search:
            self.core.set_option("search", SEARCHES.index(kind))
            self._search = kind

    def _set(self, values: Mapping[str, Value]) -> None:
        for name, value in values.items():
            entry = OPTIONS[name]
            if not entry.native or name == "search":  # set when a search starts
                continue
            number = entry.number(value)
            try:
                self.core.set_option(name, number << 20 if name == "memory" else number)
            except MemoryError:
                raise _out_of_memory(number) from None
            except ValueError as error:
                raise BadOption(str(error)) from None


def _out_of_memory(mebibytes: int) -> OutOfMemory:
    return OutOfMemory(f"not enough memory for tables of {mebibytes:,} MiB: use less")


def _rate(nodes: int, seconds: float) -> int:
    return round(nodes / seconds) if seconds > 0 else 0
