# SPDX-License-Identifier: MIT
"""A search in the native core: its events, turned into the values of the package.

`Core` is what the package asks of the native engine, `_core.Engine`. Relies on `analysis`; `Engine`
relies on it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from tengen import _core
from tengen.engine.analysis import Search
from tengen.engine.errors import EngineDied
from tengen.engine.info import BOUNDS, Evaluation, Info, Played, Progress
from tengen.engine.score import PovScore, Score
from tengen.game.board import Board
from tengen.game.move import Move

__all__ = ["Core", "Event", "NativeSearch"]

_DONE = 1  # the kind of the last event; 0 is an info
_NO_MOVE = -2


class Event(Protocol):
    """What the core tells: a line, or the end with the line of its move. Points are indices, -1 is
    the pass, -2 (of `ponder`) no move.
    """

    @property
    def kind(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def seldepth(self) -> int: ...
    @property
    def multipv(self) -> int: ...
    @property
    def value(self) -> int: ...
    @property
    def mate(self) -> int: ...
    @property
    def proven(self) -> bool: ...
    @property
    def bound(self) -> int: ...
    @property
    def visits(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def vcf_nodes(self) -> int: ...
    @property
    def solver_nodes(self) -> int: ...
    @property
    def evaluations(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def hashfull(self) -> int: ...  # in thousandths
    @property
    def pv(self) -> Sequence[int]: ...
    @property
    def move(self) -> int: ...
    @property
    def ponder(self) -> int: ...


class Core(Protocol):
    """The native engine."""

    def load_tables(self, rule: int, data: bytes) -> None: ...
    def set_classical(self) -> None: ...
    def set_nets(self, black: _core.Net, white: _core.Net) -> None: ...
    def load_guesses(self, rule: int, data: bytes) -> None: ...
    def collect_samples(self, share: int) -> None: ...
    def take_samples(self) -> tuple[Any, Any, Any]: ...
    def set_called(self, ask: Callable[[Any], tuple[Any, Any]], sizes: int) -> None: ...
    def set_option(self, name: str, value: int) -> None: ...
    def start(
        self,
        board: _core.Board,
        *,
        seconds: float = 0,
        nodes: int = 0,
        depth: int = 0,
        clock: float = 0,
        increment: float = 0,
        multipv: int = 1,
        moves: Sequence[int] = (),
        ponder: bool = False,
    ) -> None: ...
    def next_event(self, timeout: float) -> Event | None: ...
    def likely_moves(self, board: _core.Board) -> list[tuple[int, float]]: ...
    def progress(self) -> tuple[int, int, float] | None: ...  # nodes, seldepth, seconds
    def stop(self) -> None: ...
    def is_running(self) -> bool: ...
    def new_game(self) -> None: ...


class NativeSearch(Search):
    """A search. It begins when the core was started on it and `started` was called, perhaps from
    another thread: until then it waits, and can already be stopped. `on_end` is called once, when
    it is over.
    """

    def __init__(self, core: Core, board: Board, on_end: Callable[[NativeSearch], None]) -> None:
        self.board = board
        self._core = core
        self._on_end = on_end
        self._reading = threading.Lock()
        self._done = False
        self._played: Played | None = None
        self._failed = False  # it will never begin
        self._error: Exception | None = None  # why that is, or why it broke down
        self._begun = threading.Event()  # or never will
        self._stopped = False
        self._evaluation: Evaluation | None = None
        self._waited = 0.0

    @property
    def is_done(self) -> bool:
        return self._done

    @property
    def played(self) -> Played | None:
        return self._played

    @property
    def is_stopped(self) -> bool:
        """Whether somebody has asked for its end."""
        return self._stopped

    def started(self, evaluation: Evaluation, waited: float) -> None:
        """The core searches now, after so many seconds."""
        self._evaluation, self._waited = evaluation, waited
        self._begun.set()
        if self._stopped:  # before there was anything to stop
            self._core.stop()

    def failed(self, error: Exception | None) -> None:
        """The core was not started, because of that, or because nobody wants to know any more."""
        self._error = error
        self._failed = True
        self._begun.set()

    def stop(self) -> None:
        self._stopped = True
        if self._begun.is_set() and not self._failed and not self._done:
            self._core.stop()

    def take(self, timeout: float) -> Info | None:
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
                self._break_down(f"the search broke down: {error}")
                return None
            if event is None:
                if not running:  # and nothing was left to tell
                    self._break_down("the search ended without a move")
                return None
            if event.kind == _DONE:
                self._played = self._of_end(event)
                self._end()
                return None
            return self._of_info(event)

    def progress(self) -> Progress | None:
        if self._done or self._failed or not self._begun.is_set():
            return None
        found = self._core.progress()
        if found is None:
            return None
        nodes, seldepth, seconds = found
        nps = round(nodes / seconds) if seconds > 0 else 0
        return Progress(nodes, self._waited + seconds, nps, seldepth)

    def fault(self) -> Exception | None:
        return self._error if self._done else None

    def _break_down(self, words: str) -> None:
        self._error = EngineDied(words)
        self._end()

    def _end(self) -> None:
        self._done = True
        self._on_end(self)

    def _of_info(self, event: Event) -> Info:
        size = self.board.size
        score = Score(event.value, event.mate or None, event.proven)
        return Info(
            score=PovScore(score, self.board.turn),
            pv=tuple(Move.from_index(place, size) for place in event.pv),
            depth=event.depth,
            seldepth=event.seldepth,
            multipv=event.multipv,
            visits=event.visits,
            nodes=event.nodes,
            vcf_nodes=event.vcf_nodes,
            solver_nodes=event.solver_nodes,
            evaluations=event.evaluations,
            time=self._waited + event.seconds,
            nps=round(event.nodes / event.seconds) if event.seconds > 0 else 0,
            hashfull=event.hashfull / 1000,
            bound=BOUNDS[event.bound],
            evaluation=self._evaluation,
        )

    def _of_end(self, event: Event) -> Played:
        size = self.board.size
        move = Move.from_index(event.move, size)
        reply = None if event.ponder == _NO_MOVE else Move.from_index(event.ponder, size)
        return Played(move, reply, self._of_info(event) if event.pv else None)
