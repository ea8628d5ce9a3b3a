# SPDX-License-Identifier: MIT
"""`Engine`: the engine in this process, in the style of python-chess. A facade over `native`."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tengen.engine.analysis import Analysis, Search
from tengen.engine.base import ENDLESS, AnyEngine, position
from tengen.engine.errors import BadOption, EngineBusy, EngineClosed, NotPondering
from tengen.engine.evaluator import ALPHABETA, uses_mcts
from tengen.engine.info import Evaluation, PlayResult
from tengen.engine.levels import LEVELS, LevelSearch, narrowed
from tengen.engine.limit import Limit
from tengen.engine.native import NativeEngine, NativeSearch, SearchRequest
from tengen.engine.options import Value, checked, defaults
from tengen.game.board import Board
from tengen.game.errors import IllegalMove
from tengen.game.move import Move, MoveLike

if TYPE_CHECKING:
    from tengen.engine.process import ProcessEngine

# Engines that are not closed. A thread that waits for a search when Python shuts down would abort
# the process, so all searches end before.
_open: weakref.WeakSet[Engine] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for engine in list(_open):
        engine.close()


class Engine(AnyEngine):
    """The engine in this process, for every rule and board size. Engines share nothing but nets.

    `preset` is how it plays: "alphabeta" at full strength, with the evaluation that `net` names (a
    bundled net, a .net or .onnx file, "classical"; default: the bundled net for the
    rule and size, else classical); "classical" without a net; "classical-paper" as the player of
    the paper; "policy" without search, by the policy of `net` or of the classical tables; "random".
    Without a preset it is alphabeta with the stronger search for the move (`search="auto"`); with
    one, alpha-beta unless `search` says otherwise. `memory` is for tables, in MiB. `level` 1 to 9
    weakens `play`, never `analyse`. The other options are those of `tengen.engine.options`. The
    search runs in its own threads, without the GIL.
    """

    def __init__(
        self,
        preset: str | None = None,
        *,
        threads: int = 1,
        memory: int = 128,
        **options: object,
    ) -> None:
        self._native: NativeEngine | None = None  # None: closed
        options |= {"threads": threads, "memory": memory}
        if preset is not None:
            options = {"preset": preset, "search": ALPHABETA} | options
        self._options = defaults() | checked(options)
        self._guard = threading.Lock()  # held briefly, while a search starts or ends
        self._search: NativeSearch | None = None
        self._pondering: NativeSearch | None = None  # the search, while it has no limit
        self._native = NativeEngine(self._options)
        _open.add(self)

    @classmethod
    def popen(
        cls,
        command: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        options: Mapping[str, object] | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        timeout: float = 10.0,
    ) -> ProcessEngine:
        """An engine of the Gomocup protocol in its own process."""
        from tengen.engine.process import ProcessEngine

        return ProcessEngine(command, options=options, env=env, cwd=cwd, timeout=timeout)

    @property
    def name(self) -> str:
        from tengen._version import version

        return f"Tengen {version()}"

    @property
    def options(self) -> Mapping[str, Value]:
        """The options with their values, by name. Set them with `configure`."""
        return MappingProxyType(self._options)

    @property
    def is_busy(self) -> bool:
        """Whether a search with a limit runs, or an analysis was not read to its end."""
        return self._search is not None and self._search is not self._pondering

    def evaluation(self, board: Board) -> Evaluation:
        """What evaluates boards of this rule and size. Raises BadNet."""
        return self._require("choose an evaluator").evaluation(board)

    def prepare(self, board: Board, *, seconds: float | None = 0.0) -> bool:
        with self._guard:
            pending = self._require("prepare for a search").request_evaluator(board)
        return pending.wait(seconds)

    def policy(self, board: Board) -> dict[Move, float]:
        """The root policy: the probability of each move before any search, the best first. It is
        the net's policy, or the softmax of the classical move scores, over the moves that a search
        considers. Waits for a net that is loading. Raises GameOver, BadNet, EngineBusy.
        """
        start = position(board)
        self.prepare(start, seconds=None)
        with self._guard:
            points = self._idle("evaluate a position").root_policy(start)
        return {Move.from_index(point, start.size): p for point, p in points} or {Move.PASS: 1.0}

    def configure(self, **options: object) -> None:
        values = checked(options)
        with self._guard:
            self._idle("set options").configure(values)

    def play(self, board: Board, limit: Limit, *, ponder: bool | None = None) -> PlayResult:
        start = position(board)
        played = self._begin_move(start, limit).result()
        if self._options["ponder"] if ponder is None else ponder:
            self._ponder_reply(start, played)
        return played

    def search(self, board: Board, limit: Limit) -> Analysis:
        return Analysis(self._begin_move(position(board), limit))

    def analyse(
        self,
        board: Board,
        limit: Limit = ENDLESS,
        *,
        multipv: int | None = None,
        moves: Iterable[MoveLike] | None = None,
    ) -> Analysis:
        start = position(board)
        lines = checked({"multipv": self._options["multipv"] if multipv is None else multipv})
        only = [] if moves is None else _points(start, moves)
        return Analysis(self._begin(SearchRequest(start, limit, int(lines["multipv"]), only)))

    def ponder(self, board: Board) -> None:
        self._begin(SearchRequest(position(board), ENDLESS, ponder=True))

    def ponder_hit(self, limit: Limit) -> PlayResult:
        pondering = self._pondering
        if pondering is None:
            raise NotPondering("the engine does not ponder: call `ponder` first")
        return self._begin_move(pondering.board, limit).result()

    def stop(self) -> None:
        search = self._search
        if search is not None:
            search.stop()

    def new_game(self) -> None:
        with self._guard:
            self._idle("start a new game").new_game()

    def keep_samples(self, share: int) -> None:
        """Let searches with a net keep `share` of 1024 of the positions that they evaluate, to fit
        lazy tables to them (tengen.export); 0: none.
        """
        with self._guard:
            self._idle("keep samples").core.collect_samples(share)

    def take_samples(self) -> tuple[Any, Any, Any]:
        """The positions kept since the last call, as NumPy arrays: stones `[n, points]` (0 empty, 1
        black, 2 white), sides to move `[n]`, values for them in evaluation units `[n]`.
        """
        with self._guard:
            return self._idle("take samples").core.take_samples()

    def close(self) -> None:
        with self._guard:
            search, self._search, self._pondering = self._search, None, None
            self._native = None
        if search is not None:
            search.finish()

    # --- internals ---

    def _begin_move(self, start: Board, limit: Limit) -> Search:
        """Start, or continue, the search for a move at the level of the options."""
        level = LEVELS[int(self._options["level"])]
        if not isinstance(limit, Limit) or level.number == max(LEVELS):
            search = self._resume(start, limit)
            return search or self._begin(SearchRequest(start, limit, is_move=True))
        within = narrowed(level, limit, is_mcts=uses_mcts(self._options))
        search = self._begin(SearchRequest(start, within, level.lines, is_move=True))
        if level.is_full:
            return search
        # The same board, seed and level give the same move, as everywhere in the engine.
        random = Random(f"{self._options['seed']}/{level.number}/{start._core.hash}")
        return LevelSearch(search, level, random)

    def _resume(self, start: Board, limit: Limit) -> NativeSearch | None:
        """The pondering search, if it is of this board and can continue under the limit."""
        with self._guard:
            search, native = self._pondering, self._native
            if search is None or native is None or search.board != start:
                return None
            if not isinstance(limit, Limit) or not native.ponder_hit(search, limit):
                return None
            self._pondering = None
            return search

    def _begin(self, request: SearchRequest) -> NativeSearch:
        if not isinstance(request.limit, Limit):
            raise TypeError(f"expected a tengen.Limit, got {type(request.limit).__name__}")
        with self._guard:
            search = self._idle("search").start(request, self._ended)
            self._search = search
            self._pondering = search if request.ponder else None
        return search

    def _ended(self, search: NativeSearch) -> None:
        if self._search is search:
            self._search = None

    def _require(self, action: str) -> NativeEngine:
        if self._native is None:
            raise EngineClosed(f"this engine is closed: it cannot {action}")
        return self._native

    def _idle(self, action: str) -> NativeEngine:
        """The native engine, if no search runs. Ends pondering."""
        native = self._require(action)
        if self.is_busy:
            message = "the engine is searching: wait for its end or `stop` it"
            raise EngineBusy(f"cannot {action}: {message}, and read or close its analysis")
        if self._pondering is not None:
            self._pondering.finish()
            self._pondering = None
        return native

    def _ponder_reply(self, start: Board, played: PlayResult) -> None:
        """Ponder on the expected reply, if there is one."""
        start.push(played.move)
        if played.ponder is None or not start.is_legal(played.ponder):
            return
        start.push(played.ponder)
        if not start.is_over():
            with suppress(EngineBusy, EngineClosed):  # another thread uses the engine
                self._begin(SearchRequest(start, ENDLESS, ponder=True))

    def __repr__(self) -> str:
        state = "closed" if self._native is None else "busy" if self.is_busy else "idle"
        return f"<Engine {self._options['preset']}, {self._options['threads']} threads, {state}>"


def _points(board: Board, moves: Iterable[MoveLike]) -> list[int]:
    """The points of the moves to consider, each once."""
    unique = dict.fromkeys(board._check(move) for move in moves)
    if not unique:
        raise BadOption("no moves to consider: give some, or None for all")
    if Move.PASS in unique:
        raise IllegalMove("a pass among the moves to consider: use points")
    return [move.to_index(board.size) for move in unique]
