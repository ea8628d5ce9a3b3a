# SPDX-License-Identifier: MIT
"""The native player as the package uses it: `NativeSearch` turns the events of its searches into
values of the package. `Engine` is a facade over this module.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping

from tengen import _core
from tengen.engine.analysis import Search
from tengen.engine.errors import EngineDied
from tengen.engine.info import BOUNDS, Evaluation, Info, PlayResult, SearchProgress
from tengen.engine.nets import DATA
from tengen.engine.onnx_net import load_external
from tengen.engine.options import Value, option_texts
from tengen.engine.score import PovScore, Score
from tengen.game.board import Board
from tengen.game.move import Move

_log = logging.getLogger(__name__)


def make_player(options: Mapping[str, Value]) -> _core.Player:
    """The native player with these options. Tests replace it."""
    return _core.Player(option_texts(options), DATA, load_external)


class NativeSearch(Search):
    """A search of a player. Calls `on_end` once, when its result was read."""

    def __init__(
        self, player: _core.Player, board: Board, on_end: Callable[[NativeSearch], None]
    ) -> None:
        self.board = board
        self._player = player
        self._on_end = on_end
        self._reading = threading.Lock()

    def abandon(self) -> None:
        """End it in a forked process, where nothing searches."""
        self._error = EngineDied("the search goes on in the parent process")
        self._done = True

    def stop(self) -> None:
        if not self._done:
            self._player.stop()

    def next_info(self, timeout: float) -> Info | None:
        with self._reading:
            if self._done:
                return None
            try:
                event = self._player.next_event(timeout)
            except Exception as error:
                self._error = search_error(error)
                self._end()
                return None
            if event is None:
                # An exception, such as Ctrl-C, came between the result and here.
                if not self._player.is_searching:
                    self._error = EngineDied("the search was interrupted at its end")
                    self._end()
                return None
            if event.is_result:
                self._played = self._play_result(event)
                self._end()
                return None
            return self._info(event)

    def progress(self) -> SearchProgress | None:
        found = None if self._done else self._player.progress()
        if found is None:
            return None
        nodes, seldepth, seconds, nps = found
        return SearchProgress(nodes, seconds, nps, seldepth)

    def _end(self) -> None:
        self._done = True
        for note in self._player.take_notes():  # the net was baked, and could not be stored
            _log.info(note)
        self._on_end(self)

    def _info(self, event: _core.SearchEvent) -> Info:
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
            time=event.seconds,
            nps=event.nps,
            hashfull=event.hashfull / 1000,
            bound=BOUNDS[event.bound],
            evaluation=Evaluation(*event.evaluator),
        )

    def _play_result(self, event: _core.SearchEvent) -> PlayResult:
        size = self.board.size
        move = Move.from_index(event.move, size)
        reply = None if event.ponder is None else Move.from_index(event.ponder, size)
        return PlayResult(move, reply, self._info(event) if event.pv else None)


def search_error(error: Exception) -> Exception:
    """The error of a search as its caller gets it; errors of nets and tables stay what they are."""
    if isinstance(error, MemoryError):
        return EngineDied("the search failed: there is not enough memory")
    return EngineDied(str(error)) if type(error) is RuntimeError else error
