# SPDX-License-Identifier: MIT
"""`solve` and `defences`: the native solver, asked about a board.

Checks what it is given, turns answers of the core into `Proof`, `Answer` and `Defences`. Relies on
`_core` for every search.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import SupportsFloat, SupportsIndex, TypeAlias

from tengen import _core
from tengen.game.board import Board
from tengen.game.errors import BadPosition, GameOver
from tengen.game.move import PASS, Move
from tengen.game.rule import Colour, Rule
from tengen.solver.answer import Answer, Progress, Stats, Status
from tengen.solver.defence import Defences
from tengen.solver.errors import BadLimit, SolverBusy
from tengen.solver.goal import Goal, Limits, memory_bytes
from tengen.solver.proof import Proof

__all__ = ["DEFAULT_MEMORY", "DEFAULT_TIME", "Solver", "defences", "solve"]

DEFAULT_TIME = 10.0  # seconds
DEFAULT_MEMORY = 64  # MiB

_NO_WIN, _WIN = 0, 1
_ENDINGS = ("finished", "time", "nodes", "cancelled", "memory")

OnProgress: TypeAlias = Callable[[Progress], object]


class Solver:
    """A solver for boards of one size and rule. Its tables stay allocated from question to
    question; its answers do not depend on earlier ones.

    `memory` is for its tables, in MiB. It does one thing at a time: a call while another one runs
    raises SolverBusy.
    """

    def __init__(
        self,
        size: SupportsIndex = 15,
        rule: Rule | str = Rule.FREESTYLE,
        memory: SupportsIndex = DEFAULT_MEMORY,
    ) -> None:
        empty = Board(size, rule)  # checks both
        room = memory_bytes(memory)
        try:
            self._core = _core.Solver(room)
        except MemoryError:
            words = f"there is no room for {room >> 20:,} MiB of memory: ask for less"
            raise BadLimit(words) from None
        self._size, self._rule, self._memory = empty.size, empty.rule, room >> 20
        self._working = threading.Lock()

    @property
    def size(self) -> int:
        return self._size

    @property
    def rule(self) -> Rule:
        return self._rule

    @property
    def memory(self) -> int:
        """The memory it may use, in MiB."""
        return self._memory

    @property
    def is_busy(self) -> bool:
        """Is it at work, in another thread or further up the stack?"""
        return self._working.locked()

    @property
    def memory_used(self) -> int:
        """The memory that its tables may take, in bytes; always within the bound."""
        return self._core.memory_used

    def solve(
        self,
        board: Board,
        goal: Goal | str = Goal.VCT,
        *,
        time: SupportsFloat | None = DEFAULT_TIME,
        nodes: SupportsIndex | None = None,
        quiet: SupportsIndex | None = None,
        cancel: _core.Cancel | None = None,
        progress: OnProgress | None = None,
    ) -> Proof | Answer:
        """As `tengen.solve`."""
        wanted = Goal.parse(goal)
        limits = Limits.checked(wanted, time, nodes, quiet)
        start = self._start(board)
        with self._at_work():
            result = self._core.solve(
                start._core,
                wanted.number,
                limits.quiet,
                *limits.core,
                cancel=cancel,
                progress=_told(progress, start.size),
            )
        return self._answer(result, start, wanted, limits)

    def defences(
        self,
        board: Board,
        goal: Goal | str = Goal.VCT,
        *,
        time: SupportsFloat | None = DEFAULT_TIME,
        nodes: SupportsIndex | None = None,
        quiet: SupportsIndex | None = None,
        cancel: _core.Cancel | None = None,
        progress: OnProgress | None = None,
    ) -> Defences:
        """As `tengen.defences`."""
        wanted = Goal.parse(goal)
        limits = Limits.checked(wanted, time, nodes, quiet)
        start = self._start(board)
        with self._at_work():
            threat, tried = self._core.defences(
                start._core,
                wanted.number,
                limits.quiet,
                *limits.core,
                cancel=cancel,
                progress=_told(progress, start.size),
            )
        passed = _after(start, PASS)
        found = Defences(start, wanted, self._answer(threat, passed, wanted, limits))
        for index, result in tried:
            move = Move.from_index(index, start.size)
            answer = self._answer(result, _after(start, move), wanted, limits)
            found.take(move, answer)
        return found

    def _start(self, board: Board) -> Board:
        """A copy of a board that can be solved: nobody else plays on it while the search runs."""
        if not isinstance(board, Board):
            raise TypeError(f"a tengen.Board is needed, not {type(board).__name__}")
        if (board.size, board.rule) != (self._size, self._rule):
            ours = f"{self._rule} on {self._size}x{self._size}"
            raise BadPosition(
                f"{board.rule} on {board.size}x{board.size}: this solver is for {ours}"
            )
        if outcome := board.outcome():
            raise GameOver(f"nothing to solve: the game is over, {outcome}")
        return board.copy()

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        if not self._working.acquire(blocking=False):
            raise SolverBusy("this solver is at work on another position: use one for each thread")
        try:
            yield
        finally:
            self._working.release()

    def _answer(
        self, result: _core.SolveResult, start: Board, goal: Goal, limits: Limits
    ) -> Proof | Answer:
        if result.status == _WIN and result.proof is not None:
            stats = Stats(result.nodes, result.seconds, result.depth)
            return Proof(start, goal, result.proof, stats)
        if result.status == _NO_WIN:
            status, reason = Status.NO_WIN, f"no win by {goal.words(limits.quiet)}"
        else:
            ending = _ENDINGS[result.ended_by]
            status, reason = Status.UNKNOWN, limits.reached(ending, self._memory)
        best = None if result.best < 0 else Move.from_index(result.best, start.size)
        work = result.nodes, result.seconds, result.depth
        return Answer(status, reason, goal, start.turn, *work, best)

    def __repr__(self) -> str:
        return f"<Solver {self._rule} {self._size}x{self._size}, {self._memory} MiB>"


def solve(
    board: Board,
    goal: Goal | str = Goal.VCT,
    *,
    time: SupportsFloat | None = DEFAULT_TIME,
    nodes: SupportsIndex | None = None,
    memory: SupportsIndex = DEFAULT_MEMORY,
    quiet: SupportsIndex | None = None,
    cancel: _core.Cancel | None = None,
    progress: OnProgress | None = None,
    solver: Solver | None = None,
) -> Proof | Answer:
    """Look for a forced win of the side to move: a `Proof` (true), or an `Answer` (false) that
    says why not.

    `goal` is "vcf" (every move makes a four), "vct" (every move makes a four, an open three, or
    another threat to win by fours) or "any" (also up to `quiet` moves in a line that threaten
    nothing at once; one if not told). The search ends after `time` seconds
    or `nodes` moves tried (None: no such limit), or when another thread or a signal handler sets
    `cancel`. It uses at most `memory` MiB. `progress` is called with a `Progress` some times a
    second; what it raises ends the search. A `solver` brings its own memory.

    Raises GameOver if the game is over already, and BadLimit or BadNotation for a limit or goal
    that makes no sense. Any other set of stones is solved as it stands.
    """
    chosen = solver if solver is not None else _solver_for(board, memory)
    return chosen.solve(
        board, goal, time=time, nodes=nodes, quiet=quiet, cancel=cancel, progress=progress
    )


def defences(
    board: Board,
    goal: Goal | str = Goal.VCT,
    *,
    time: SupportsFloat | None = DEFAULT_TIME,
    nodes: SupportsIndex | None = None,
    memory: SupportsIndex = DEFAULT_MEMORY,
    quiet: SupportsIndex | None = None,
    cancel: _core.Cancel | None = None,
    progress: OnProgress | None = None,
    solver: Solver | None = None,
) -> Defences:
    """What the opponent of the side to move threatens, and which moves refute it.

    The opponent threatens if it would win by `goal` after a pass. Only then each legal move is
    tried. `time` and `nodes` are for all of that together; the other arguments are those of
    `solve`.
    """
    chosen = solver if solver is not None else _solver_for(board, memory)
    return chosen.defences(
        board, goal, time=time, nodes=nodes, quiet=quiet, cancel=cancel, progress=progress
    )


class _Kept(threading.local):
    """The solver that a thread used last: making one costs more than an easy question."""

    solver: Solver | None = None


_kept = _Kept()


def _solver_for(board: Board, memory: SupportsIndex) -> Solver:
    if not isinstance(board, Board):
        raise TypeError(f"a tengen.Board is needed, not {type(board).__name__}")
    kept = _kept.solver
    if kept is None or kept.memory != memory or kept.is_busy:
        kept = _kept.solver = Solver(board.size, board.rule, memory)
    kept._size, kept._rule = board.size, board.rule  # its tables fit every board
    return kept


def _after(board: Board, move: Move) -> Board:
    """The position after a move. After a pass it is set up anew: a second pass in a row would end
    the game, but here it only asks what would be.
    """
    if not move.is_pass:
        after = board.copy()
        after.push(move)
        return after
    stones = board.stones()
    limit = board.move_limit
    return Board.from_stones(
        [point for point, owner in stones.items() if owner is Colour.BLACK],
        [point for point, owner in stones.items() if owner is Colour.WHITE],
        board.turn.other,
        board.size,
        board.rule,
        move_limit=None if limit is None else max(1, limit - board.ply - 1),
    )


def _told(progress: OnProgress | None, size: int) -> Callable[[int, int, float, int], None] | None:
    """The caller's progress as the core calls it."""
    if progress is None:
        return None

    def tell(nodes: int, depth: int, seconds: float, best: int) -> None:
        move = None if best < 0 else Move.from_index(best, size)
        progress(Progress(nodes, depth, seconds, move))

    return tell
