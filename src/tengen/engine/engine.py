# SPDX-License-Identifier: MIT
"""`Engine`: the engine in this process, in the style of python-chess. A facade over the native
player.
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tengen._core import SearchPurpose
from tengen.engine.analysis import Analysis
from tengen.engine.base import NO_LIMIT, AnyEngine, copy_to_search
from tengen.engine.errors import (
    BadOption,
    EngineBusy,
    EngineClosed,
    NotPondering,
)
from tengen.engine.info import Evaluation, PlayResult
from tengen.engine.limit import Limit
from tengen.engine.native import NativeSearch, make_player, search_error
from tengen.engine.native_net import poll
from tengen.engine.options import SEARCHES, Value, check_options, defaults, option_texts
from tengen.game.board import Board
from tengen.game.errors import IllegalMove
from tengen.game.move import Move, MoveLike
from tengen.game.rule import Rule
from tengen.util.deprecation import renamed_keywords

if TYPE_CHECKING:
    from tengen import _core
    from tengen.engine.process import ProcessEngine

_RULES = list(Rule)

# Engines that are not closed. They are closed before Python shuts down: a thread that still waited
# for a search would abort the process.
_open: weakref.WeakSet[Engine] = weakref.WeakSet()


# The players of engines that were closed at the end. The main thread frees them: a daemon thread
# that freed the last reference would wait for Python, which is gone, and abort the process.
_kept: list[_core.Player | None] = []


@atexit.register
def _close_all() -> None:
    for engine in list(_open):
        _kept.append(engine._player)
        engine.close()


def _renew_all() -> None:
    """In a forked child, which has no search threads: give all engines new players."""
    for engine in list(_open):
        engine._renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)


class Engine(AnyEngine):
    """The engine in this process, for every rule and board size. Engines share nothing but nets.

    `preset` selects how it plays:

    - "alphabeta": full strength, with the evaluation that `net` names (a bundled net, a .net or
      .onnx file, "classical"; default: the bundled net for the rule and size, else classical);
    - "classical": the same search with learned pattern tables as its evaluation, without a net;
    - "classical-paper": the fixed-depth baseline of Zhang and Du (2020);
    - "policy": no search, the best move of the policy of `net` or of the pattern tables;
    - "random": a random move.

    If no preset is given, it is "alphabeta", and for each move the engine selects alpha-beta or
    Monte-Carlo tree search (`search="auto"`). If one is given, the search is alpha-beta unless
    `search` names another. `memory` is for tables, in MiB. `level` 1 to 9 weakens `play`, never
    `analyse`. The other options are those of `tengen.engine.options`. The search runs in its own
    threads, without the GIL.
    """

    def __init__(
        self,
        preset: str | None = None,
        *,
        threads: int = 1,
        memory: int = 128,
        **options: object,
    ) -> None:
        self._player: _core.Player | None = None  # None: closed
        options |= {"threads": threads, "memory": memory}
        if preset is not None:
            options = {"preset": preset, "search": SEARCHES[0]} | options
        self._options = defaults() | check_options(options)
        self._lock = threading.Lock()  # held briefly, while a search starts or ends
        self._search: NativeSearch | None = None
        self._pondering: NativeSearch | None = None  # `_search`, while it ponders
        self._player = make_player(self._options)
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
        """An engine in its own process that speaks the Gomocup protocol."""
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
        """Whether a search with a limit runs, or an analysis has unread infos."""
        return self._search is not None and self._search is not self._pondering

    def evaluation(self, board: Board) -> Evaluation:
        """Describes the evaluator used for boards of this rule and size. Raises BadNet."""
        player = self._open_player("choose an evaluator")
        return Evaluation(*player.evaluator(_RULES.index(board.rule), board.size))

    def prepare(self, board: Board, *, seconds: float | None = 0.0) -> bool:
        pending = self._prepared(board)
        return poll(lambda: pending.is_ready, seconds)

    def policy(self, board: Board) -> dict[Move, float]:
        """The root policy: the probability of each move before any search, the best first. It is
        the net's policy, or the softmax of the classical move scores, over the moves that a search
        considers. Waits for a net that is loading. Raises GameOver, BadNet, EngineBusy.
        """
        position = copy_to_search(board)
        pending = self._prepared(position)
        poll(lambda: pending.is_ready, None)
        with self._lock:
            player = self._idle_player("evaluate a position")
            points = player.root_policy(position._core, pending)
        return {Move.from_index(point, position.size): p for point, p in points} or {Move.PASS: 1.0}

    def configure(self, **options: object) -> None:
        values = check_options(options)
        with self._lock:
            self._idle_player("set options").configure(option_texts(self._options | values))
            self._options |= values

    def play(self, board: Board, limit: Limit, *, ponder: bool | None = None) -> PlayResult:
        position = copy_to_search(board)
        played = self._begin(position, limit).result()
        if self._options["ponder"] if ponder is None else ponder:
            self._ponder_reply(position, played)
        return played

    def search(self, board: Board, limit: Limit) -> Analysis:
        return Analysis(self._begin(copy_to_search(board), limit))

    def analyse(
        self,
        board: Board,
        limit: Limit = NO_LIMIT,
        *,
        multipv: int | None = None,
        moves: Iterable[MoveLike] | None = None,
    ) -> Analysis:
        position = copy_to_search(board)
        lines = check_options({"multipv": self._options["multipv"] if multipv is None else multipv})
        only = [] if moves is None else _points(position, moves)
        search = self._begin(
            position, limit, SearchPurpose.ANALYSIS, multipv=int(lines["multipv"]), moves=only
        )
        return Analysis(search)

    def ponder(self, board: Board) -> None:
        self._begin(copy_to_search(board), NO_LIMIT, SearchPurpose.PONDER)

    def ponder_hit(self, limit: Limit) -> PlayResult:
        pondering = self._pondering
        if pondering is None:
            raise NotPondering("the engine does not ponder: call `ponder` first")
        return self._begin(pondering.board, limit).result()

    def stop(self) -> None:
        search = self._search
        if search is not None:
            search.stop()

    def new_game(self) -> None:
        with self._lock:
            self._idle_player("start a new game").new_game()

    @renamed_keywords(share="per_1024")
    def keep_samples(self, per_1024: int) -> None:
        """Let searches with a net keep `per_1024` of every 1024 positions that they evaluate; 0:
        none. The tables of the lazy evaluation are fitted to them (docs/evaluation.md).
        """
        with self._lock:
            self._idle_player("keep samples").collect_samples(per_1024)

    def take_samples(self) -> tuple[Any, Any, Any]:
        """The positions kept since the last call, as NumPy arrays: stones `[n, points]` (0 empty, 1
        black, 2 white), sides to move `[n]`, values for them in evaluation units `[n]`.
        """
        with self._lock:
            return self._idle_player("take samples").take_samples()

    def close(self) -> None:
        with self._lock:
            search, self._search, self._pondering = self._search, None, None
            self._player = None
        if search is not None:
            search.stop_and_wait()

    # --- internals ---

    def _renew(self) -> None:
        """Start anew, without the search that may have been running."""
        self._lock = threading.Lock()
        if self._search is not None:
            self._search.abandon()
        self._search = self._pondering = None
        if self._player is not None:
            self._player = make_player(self._options)

    def _begin(
        self,
        position: Board,
        limit: Limit,
        purpose: SearchPurpose = SearchPurpose.MOVE,
        **request: Any,
    ) -> NativeSearch:
        """Start a search. The search of a move continues pondering on its position."""
        if not isinstance(limit, Limit):
            raise TypeError(f"expected a tengen.Limit, got {type(limit).__name__}")
        with self._lock:
            if purpose == SearchPurpose.MOVE and (pondering := self._pondering) is not None:  # noqa: SIM102
                if self._open_player("search").ponder_hit(position._core, **limit.core):
                    self._pondering = None
                    return pondering
            player = self._idle_player("search")
            search = NativeSearch(player, position, self._ended)
            try:
                player.start(position._core, **limit.core, purpose=purpose, **request)
            except Exception as error:
                raise search_error(error) from None
            self._search = search
            self._pondering = search if purpose == SearchPurpose.PONDER else None
        return search

    def _prepared(self, board: Board) -> _core.PendingEvaluator:
        """The evaluator of the board, which is loading. Raises EngineClosed, BadNet."""
        player = self._open_player("prepare for a search")
        return player.prepare(_RULES.index(board.rule), board.size)

    def _ended(self, search: NativeSearch) -> None:
        if self._search is search:
            self._search = None

    def _open_player(self, action: str) -> _core.Player:
        """The native player. Raises EngineClosed."""
        if self._player is None:
            raise EngineClosed(f"this engine is closed: it cannot {action}")
        return self._player

    def _idle_player(self, action: str) -> _core.Player:
        """The native player, which must not be searching; pondering is ended. Requires the lock.
        Raises EngineClosed, EngineBusy.
        """
        player = self._open_player(action)
        if self.is_busy:
            message = "the engine is searching: wait for its end or `stop` it"
            raise EngineBusy(f"cannot {action}: {message}, and read or close its analysis")
        if self._pondering is not None:
            self._pondering.stop_and_wait()
            self._pondering = None
        return player

    def _ponder_reply(self, position: Board, played: PlayResult) -> None:
        """Ponder on the expected reply, if there is one."""
        position.push(played.move)
        if played.ponder is None or not position.is_legal(played.ponder):
            return
        position.push(played.ponder)
        if not position.is_over():
            with suppress(EngineBusy, EngineClosed):  # another thread uses the engine
                self._begin(position, NO_LIMIT, SearchPurpose.PONDER)

    def __repr__(self) -> str:
        state = "closed" if self._player is None else "busy" if self.is_busy else "idle"
        return f"<Engine {self._options['preset']}, {self._options['threads']} threads, {state}>"


def _points(board: Board, moves: Iterable[MoveLike]) -> list[int]:
    """The moves to consider as point indices, each once. Raises BadOption, IllegalMove."""
    unique = dict.fromkeys(board._check(move) for move in moves)
    if not unique:
        raise BadOption("no moves to consider: give some, or None for all")
    if Move.PASS in unique:
        raise IllegalMove("a pass is one of the moves to consider: use points only")
    return [move.to_index(board.size) for move in unique]
