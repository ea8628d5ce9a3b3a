# SPDX-License-Identifier: MIT
"""`Engine`: the engine in this process, in the habits of python-chess.

Relies on the native core through `native`, and on the tables of the package.
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from tengen import _core
from tengen.engine.analysis import Analysis, Search
from tengen.engine.base import ENDLESS, AnyEngine, position
from tengen.engine.errors import BadOption, EngineBusy, EngineClosed, NoRoom, NotPondering
from tengen.engine.info import Evaluation, Played
from tengen.engine.kinds import ALPHABETA, means_tree, search_for
from tengen.engine.knowledge import Knowledge, Wanted
from tengen.engine.levels import LEVELS, LevelSearch, narrowed
from tengen.engine.limit import Limit
from tengen.engine.native import Core, NativeSearch
from tengen.engine.options import (
    AUTO,
    DEFAULT_PRESET,
    OPTIONS,
    SEARCHES,
    Value,
    checked,
    defaults,
)
from tengen.game.board import Board
from tengen.game.errors import IllegalMove
from tengen.game.move import Move, MoveLike

if TYPE_CHECKING:
    from tengen.engine.process import ProcessEngine

__all__ = ["Engine"]

# The paper's player searches one depth at once, without iterations. Unless told it is the paper's.
_PAPER_DEPTH = 6

# Engines that were not closed. A thread that still waits for a search when Python shuts down would
# take the whole process with it, so that all searches are ended before.
_open: weakref.WeakSet[Engine] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for engine in list(_open):
        engine.close()


def _make_core(threads: int, memory: int) -> Core:
    """The native engine, with so many bytes for its tables. Tests put another one here."""
    return _core.Engine(threads, memory)


class _Question(NamedTuple):
    """What the core is to search."""

    board: Board
    limit: Limit
    multipv: int
    moves: Sequence[int]
    ponder: bool
    is_move: bool  # to be played, and not an analysis


class Engine(AnyEngine):
    """The engine in this process. Every rule and size; several engines share nothing but nets.

    `preset` is how it plays: "alphabeta" at its best, with the evaluation that `net` names (a net
    of the package, a .net or .onnx file, "classical"; by default the net of the package for the
    rule and the size, else classical); "classical" always without a net; "classical-paper" as the
    paper's player; "policy" by the first look; "random". Whoever names no preset means alphabeta,
    with the search that is the better one for the move (`search="auto"`); whoever names one,
    alpha-beta, if `search` does not say otherwise. `memory` is for its tables, in MiB. With `level`
    1 to 9 `play` is weaker than it could be; `analyse` never is. The other options are those of
    `tengen.engine.options`. The search runs in threads of its own, without the GIL.
    """

    def __init__(
        self,
        preset: str | None = None,
        *,
        threads: int = 1,
        memory: int = 128,
        **options: object,
    ) -> None:
        self._core: Core | None = None
        given = {
            "preset": DEFAULT_PRESET if preset is None else preset,
            "threads": threads,
            "memory": memory,
            **options,
        }
        if preset is not None:  # whoever names one means the search that it is named after
            given.setdefault("search", ALPHABETA)
        self._options = defaults() | checked(given)
        self._kind = ALPHABETA  # of search, that the core is set to
        self._guard = threading.Lock()  # held for moments, while a search starts or ends
        self._search: NativeSearch | None = None
        self._pondering: NativeSearch | None = None  # the search, if it has no limit yet
        room = int(self._options["memory"])
        try:
            self._core = _make_core(int(self._options["threads"]), room << 20)
        except MemoryError:
            raise _no_room(room) from None
        self._set(self._core, self._options)
        self._knowledge = Knowledge(self._core)
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
        """An engine in a process of its own, which talks as Gomocup's engines do."""
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
        """What it values such boards with, by their rule and size. Raises BadNet if it cannot."""
        return self._knowledge.choice(self._options, board.rule, board.size).evaluation

    def prepare(self, board: Board, *, seconds: float | None = 0.0) -> bool:
        with self._guard:
            if self._core is None:
                raise EngineClosed("this engine is closed: it cannot prepare for a search")
            wanted = self._knowledge.want(self._options, board.rule, board.size)
        return wanted.wait(seconds)

    def policy(self, board: Board) -> dict[Move, float]:
        """How likely each move is the best one at first sight, before any search: the softmax of
        what the evaluation says of moves, a net's own policy. Moves that a search would look at,
        the likeliest first; together 1. Waits for a net that is being loaded. Raises GameOver,
        BadNet, EngineBusy.
        """
        start = position(board)
        self.prepare(start, seconds=None)
        with self._guard:
            core = self._idle("look at a position")
            self._knowledge.give(self._knowledge.want(self._options, start.rule, start.size))
            found = core.likely_moves(start._core)
        return {Move.from_index(place, start.size): chance for place, chance in found}

    def configure(self, **options: object) -> None:
        given = checked(options)
        with self._guard:
            core = self._idle("set options")
            # What stays as it is, the core is not told: it forgets with each option that it is.
            wanted = {name: given[name] for name in given if given[name] != self._options[name]}
            try:
                self._set(core, wanted)
            except BadOption:
                self._set(core, {name: self._options[name] for name in wanted})
                raise
            self._options |= wanted

    def play(self, board: Board, limit: Limit, *, ponder: bool | None = None) -> Played:
        start = position(board)
        played = self._begin_move(start, limit).result()
        if self._options["ponder"] if ponder is None else ponder:
            self._think_on(start, played)
        return played

    def thinking(self, board: Board, limit: Limit) -> Analysis:
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
        lines = self._options["multipv"] if multipv is None else multipv
        only = [] if moves is None else _choices(start, moves)
        return Analysis(self._begin(start, limit, checked({"multipv": lines})["multipv"], only))

    def ponder(self, board: Board) -> None:
        start = position(board)
        self._begin(start, ENDLESS, ponder=True)

    def ponder_hit(self, limit: Limit) -> Played:
        pondering = self._pondering
        if pondering is None:
            raise NotPondering("no board was given to think about: `ponder` comes first")
        return self._begin_move(pondering.board, limit).result()

    def stop(self) -> None:
        search = self._search
        if search is not None:
            search.stop()

    def new_game(self) -> None:
        with self._guard:
            self._idle("begin a new game").new_game()
            self._knowledge.forget_failures()

    def keep_samples(self, share: int) -> None:
        """Let searches with a net keep `share` of 1024 of the positions that they ask a value of,
        for learning guesses (tengen.export); 0: none.
        """
        with self._guard:
            self._idle("keep samples").collect_samples(share)

    def take_samples(self) -> tuple[Any, Any, Any]:
        """What was kept since the last call, as NumPy arrays: stones `[n, points]` (0 empty, 1
        black, 2 white), sides to move `[n]`, values in points for them `[n]`.
        """
        with self._guard:
            return self._idle("take samples").take_samples()

    def close(self) -> None:
        with self._guard:
            search, self._search, self._pondering = self._search, None, None
            self._core = None
        if search is not None:
            search.finish()

    # --- inside ---

    def _begin_move(self, start: Board, limit: Limit) -> Search:
        """Start the search for a move, as well as the level allows."""
        level = LEVELS[int(self._options["level"])]
        if not isinstance(limit, Limit) or level.number == max(LEVELS):
            return self._begin(start, limit, is_move=True)
        within = narrowed(level, limit, is_tree=means_tree(self._options))
        search = self._begin(start, within, level.lines, is_move=True)
        if level.is_full:
            return search
        # The same board, seed and level give the same move, as everywhere in the engine.
        random = Random(f"{self._options['seed']}/{level.number}/{start._core.hash}")
        return LevelSearch(search, level, random)

    def _begin(
        self,
        start: Board,
        limit: Limit,
        multipv: Value = 1,
        only: Sequence[int] = (),
        *,
        ponder: bool = False,
        is_move: bool = False,
    ) -> NativeSearch:
        """Start a search."""
        if not isinstance(limit, Limit):
            raise TypeError(f"a tengen.Limit is needed, not {type(limit).__name__}")
        with self._guard:
            core = self._idle("search")
            if self._options["preset"] == "classical-paper" and limit.depth is None:
                limit = replace(limit, depth=_PAPER_DEPTH)
            question = _Question(start, limit, int(multipv), only, ponder, is_move)
            wanted = self._knowledge.want(self._options, start.rule, start.size)
            search = NativeSearch(core, start, self._ended)
            if wanted.is_ready:
                self._start(core, search, question, wanted, 0.0)
            else:
                late = (core, search, question, wanted)
                threading.Thread(target=self._start_late, args=late, daemon=True).start()
            self._search = search
            self._pondering = search if ponder else None
        return search

    def _start(
        self,
        core: Core,
        search: NativeSearch,
        question: _Question,
        wanted: Wanted,
        waited: float,
    ) -> None:
        """Start the core: with what is wanted, if that is ready, else without it."""
        known = self._knowledge
        evaluation = known.give(wanted) if wanted.is_ready else known.give_instead(wanted)
        board, limit, multipv, moves, ponder, _ = question
        self._choose_search(core, question, wanted if known.has(wanted) else None)
        left = limit.after(waited).core
        try:
            core.start(board._core, **left, multipv=multipv, moves=moves, ponder=ponder)
        except MemoryError:
            raise _no_room(int(self._options["memory"])) from None
        search.started(evaluation, waited)

    def _choose_search(self, core: Core, question: _Question, wanted: Wanted | None) -> None:
        """Set the core to the kind of search that the question is for. Without the nets that are
        wanted (None), and in an analysis, alpha-beta stands for `auto`; a search that ponders has
        the kind of the move before.
        """
        kind = str(self._options["search"])
        if kind == AUTO and question.ponder:
            return
        if kind == AUTO and question.is_move and wanted is not None:
            kind = search_for(self._options, wanted.choice, question.limit)
        elif kind == AUTO:
            kind = ALPHABETA
        if kind != self._kind:
            core.set_option("search", SEARCHES.index(kind))
            self._kind = kind

    def _start_late(
        self, core: Core, search: NativeSearch, question: _Question, wanted: Wanted
    ) -> None:
        """Wait for the nets, as long as the limit allows and nobody stops the search; then start
        it. Runs on a thread of its own.
        """
        began = monotonic()
        try:
            wanted.wait_for_move(question.limit.for_move, lambda: search.is_stopped)
            if search.is_stopped and question.ponder:  # its move would be of no use
                search.failed(None)
            else:
                self._start(core, search, question, wanted, monotonic() - began)
        except Exception as error:  # whoever waits for the search is told
            search.failed(error)

    def _ended(self, search: NativeSearch) -> None:
        if self._search is search:
            self._search = None

    def _idle(self, what: str) -> Core:
        """The core, if it can do something else now; pondering ends for that."""
        core = self._core
        if core is None:
            raise EngineClosed(f"this engine is closed: it cannot {what}")
        if self.is_busy:
            words = "the engine is searching: wait for its end or `stop` it"
            raise EngineBusy(f"cannot {what}: {words}, and read or close its analysis")
        if self._pondering is not None:
            self._pondering.finish()
            self._pondering = None
        return core

    def _think_on(self, start: Board, played: Played) -> None:
        """Ponder on the reply that is expected, if there is one."""
        start.push(played.move)
        if played.ponder is None or not start.is_legal(played.ponder):
            return
        start.push(played.ponder)
        if not start.is_over():
            with suppress(EngineBusy, EngineClosed):  # by another thread, in the meantime
                self._begin(start, ENDLESS, ponder=True)

    def _set(self, core: Core, values: Mapping[str, Value]) -> None:
        for name, value in values.items():
            entry = OPTIONS[name]
            if not entry.native or name == "search":  # that is set when a search begins
                continue
            number = entry.number(value)
            try:
                core.set_option(name, number << 20 if name == "memory" else number)
            except MemoryError:
                raise _no_room(number) from None
            except ValueError as error:
                raise BadOption(str(error)) from None

    def __repr__(self) -> str:
        state = "closed" if self._core is None else "busy" if self.is_busy else "idle"
        return f"<Engine {self._options['preset']}, {self._options['threads']} threads, {state}>"


def _choices(board: Board, moves: Iterable[MoveLike]) -> list[int]:
    """The points to choose from, each once."""
    found = dict.fromkeys(board._check(move) for move in moves)
    if not found:
        raise BadOption("no moves to consider: give some, or None for all")
    if Move.PASS in found:
        raise IllegalMove("a pass among the moves to consider: the engine looks at points alone")
    return [move.to_index(board.size) for move in found]


def _no_room(mebibytes: int) -> NoRoom:
    return NoRoom(f"there is no room for {mebibytes:,} MiB of memory: ask for less")
