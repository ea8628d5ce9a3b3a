# SPDX-License-Identifier: MIT
"""`solve` and `defences`: the Python interface of the native solver.

Validates arguments, and turns results of the core into `Proof`, `NoProof` and `Defences`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import SupportsFloat, SupportsIndex, TypeAlias, TypedDict, TypeVar, Unpack

from tengen import _core
from tengen.game.board import Board
from tengen.game.errors import BadPosition, GameOver
from tengen.game.move import PASS, Move
from tengen.game.rule import Rule
from tengen.solver.errors import BadLimit, SolverBusy
from tengen.solver.goal import Goal, Limits, memory_bytes
from tengen.solver.proof import Proof
from tengen.solver.result import NoProof, SolverProgress, Stats, Status

DEFAULT_TIME = 10.0  # seconds
DEFAULT_MEMORY = 64  # MiB

_NO_WIN, _WIN = 0, 1
_STOP_REASONS = ("finished", "time", "nodes", "cancelled", "memory")
_SHOWN_MOVES = 20  # in a sentence of `Defences`

OnProgress: TypeAlias = Callable[[SolverProgress], object]
_Result = TypeVar("_Result")


@dataclass(slots=True)
class Defences:
    """The opponent's threat, and the effect of each legal move on it. Truthy if there is a threat.

    Without a threat, or if that is unknown, no move was tried and the three lists are empty. (In
    renju not every move is safe then: a black stone may make a point that black needs forbidden.)
    """

    board: Board  # the side to move defends
    goal: Goal
    threat: Proof | NoProof  # the opponent's win after a pass
    moves: list[Move] = field(default_factory=list)  # that refute the threat, by index
    losing: dict[Move, Proof] = field(default_factory=dict)  # with the opponent's win after each
    unknown: list[Move] = field(default_factory=list)  # for which the limits did not suffice

    def __bool__(self) -> bool:
        return isinstance(self.threat, Proof)

    def _add(self, move: Move, result: Proof | NoProof) -> None:
        """Record what the opponent can do after a move."""
        if isinstance(result, Proof):
            self.losing[move] = result
        elif result.status is Status.NO_WIN:
            self.moves.append(move)
        else:
            self.unknown.append(move)

    def __str__(self) -> str:
        opponent = str(self.board.turn.other).capitalize()
        how = self.goal.describe()
        if isinstance(self.threat, NoProof):
            if self.threat.status is Status.NO_WIN:
                return f"{opponent} threatens no win by {how}."
            return f"Unknown whether {opponent.lower()} threatens to win: {self.threat.reason}."
        text = f"{opponent} threatens to win by {how}, starting with {self.threat.move}."
        if self.moves:
            verb = "refutes" if len(self.moves) == 1 else "refute"
            text += f" {_names(self.moves)} {verb} it."
        elif not self.unknown:
            text += " No move refutes it."
        if self.unknown:
            text += f" Unknown: {_names(self.unknown)}."
        return text


def _names(moves: list[Move]) -> str:
    named = ", ".join(map(str, moves[:_SHOWN_MOVES]))
    more = len(moves) - _SHOWN_MOVES
    return named if more <= 0 else f"{named} and {more} more"


class SolverOptions(TypedDict, total=False):
    """Keyword arguments of a `Solver`'s methods, as those of `tengen.solve`."""

    time: SupportsFloat | None
    nodes: SupportsIndex | None
    quiet: SupportsIndex | None
    cancel: _core.Cancel | None
    progress: OnProgress | None


class Solver:
    """A solver for boards of one size and rule. Its tables stay allocated between searches; results
    do not depend on earlier searches.

    `memory` is for its tables, in MiB. A call while another one runs raises SolverBusy.
    """

    def __init__(
        self,
        size: SupportsIndex = 15,
        rule: Rule | str = Rule.FREESTYLE,
        memory: SupportsIndex = DEFAULT_MEMORY,
    ) -> None:
        empty = Board(size, rule)  # validates both
        available = memory_bytes(memory)
        try:
            self._core = _core.Solver(available)
        except MemoryError:
            raise BadLimit(
                f"{available >> 20:,} MiB of memory are not available: use less"
            ) from None
        self._size, self._rule, self._memory = empty.size, empty.rule, available >> 20
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        return self._size

    @property
    def rule(self) -> Rule:
        return self._rule

    @property
    def memory(self) -> int:
        """The memory limit, in MiB."""
        return self._memory

    @property
    def is_busy(self) -> bool:
        """Whether a search runs, in another thread or further up the stack."""
        return self._lock.locked()

    @property
    def memory_used(self) -> int:
        """The memory of its tables, in bytes; never more than the limit."""
        return self._core.memory_used

    def solve(
        self, board: Board, goal: Goal | str = Goal.VCT, **options: Unpack[SolverOptions]
    ) -> Proof | NoProof:
        """As `tengen.solve`."""
        start, wanted, limits, result = self._search(self._core.solve, board, goal, options)
        return self._to_result(result, start, wanted, limits)

    def defences(
        self, board: Board, goal: Goal | str = Goal.VCT, **options: Unpack[SolverOptions]
    ) -> Defences:
        """As `tengen.defences`."""
        start, wanted, limits, result = self._search(self._core.defences, board, goal, options)
        threat, tried = result
        found = Defences(
            start, wanted, self._to_result(threat, _after(start, PASS), wanted, limits)
        )
        for index, solution in tried:
            move = Move.from_index(index, start.size)
            found._add(move, self._to_result(solution, _after(start, move), wanted, limits))
        return found

    def _search(
        self,
        search: Callable[..., _Result],
        board: Board,
        goal: Goal | str,
        options: SolverOptions,
    ) -> tuple[Board, Goal, Limits, _Result]:
        """Run a search of the core on a copy of the board."""
        if unknown := options.keys() - SolverOptions.__annotations__.keys():
            raise TypeError(f"no option {', '.join(sorted(unknown))}")
        wanted = Goal.parse(goal)
        time = options.get("time", DEFAULT_TIME)
        limits = Limits.checked(wanted, time, options.get("nodes"), options.get("quiet"))
        _check_board(board)
        if (board.size, board.rule) != (self._size, self._rule):
            supported = f"{self._rule} on {self._size}x{self._size}"
            raise BadPosition(
                f"{board.rule} on {board.size}x{board.size}: this solver is for {supported}"
            )
        if outcome := board.outcome():
            raise GameOver(f"nothing to solve: the game is over, {outcome}")
        start = board.copy()
        if not self._lock.acquire(blocking=False):
            raise SolverBusy("this solver is searching already: use one for each thread")
        try:
            result = search(
                start._core,
                wanted.number,
                limits.quiet,
                *limits.core,
                cancel=options.get("cancel"),
                progress=_core_progress(options.get("progress"), start.size),
            )
        finally:
            self._lock.release()
        return start, wanted, limits, result

    def _to_result(
        self, result: _core.SolveResult, start: Board, goal: Goal, limits: Limits
    ) -> Proof | NoProof:
        if result.status == _WIN and result.proof is not None:
            stats = Stats(result.nodes, result.seconds, result.depth)
            return Proof(start, goal, result.proof, stats)
        if result.status == _NO_WIN:
            status, reason = Status.NO_WIN, f"no win by {goal.describe(limits.quiet)}"
        else:
            stop_reason = _STOP_REASONS[result.stop_reason]
            status, reason = Status.UNKNOWN, limits.reached(stop_reason, self._memory)
        best = None if result.best < 0 else Move.from_index(result.best, start.size)
        work = result.nodes, result.seconds, result.depth
        return NoProof(status, reason, goal, start.turn, *work, best)

    def __repr__(self) -> str:
        return f"<Solver {self._rule} {self._size}x{self._size}, {self._memory} MiB>"


def solve(
    board: Board,
    goal: Goal | str = Goal.VCT,
    *,
    memory: SupportsIndex = DEFAULT_MEMORY,
    solver: Solver | None = None,
    **options: Unpack[SolverOptions],
) -> Proof | NoProof:
    """Search for a forced win of the side to move: a `Proof` (truthy), or a `NoProof` (falsy) with
    the reason.

    `goal` is "vcf" (every move makes a four), "vct" (every move makes a four, an open three, or
    another threat to win by fours) or "any" (also up to `quiet` moves in a line without a direct
    threat; one by default). The search ends after `time` seconds (10 by default) or `nodes` moves
    tried (None: no limit), or when another thread or a signal handler sets `cancel`. It uses at
    most `memory` MiB. `progress` is called with a `SolverProgress` a few times per second; an
    exception it raises ends the search. A `solver` has its own memory.

    Raises GameOver if the game is over, and BadLimit or BadNotation for an invalid limit or goal.
    Any other set of stones is solved as it stands.
    """
    return (solver or _solver_for(board, memory)).solve(board, goal, **options)


def defences(
    board: Board,
    goal: Goal | str = Goal.VCT,
    *,
    memory: SupportsIndex = DEFAULT_MEMORY,
    solver: Solver | None = None,
    **options: Unpack[SolverOptions],
) -> Defences:
    """The threat of the opponent of the side to move, and the moves that refute it.

    There is a threat if the opponent would win by `goal` after a pass. Only then each legal move
    is tried. `time` and `nodes` are for all searches together; the arguments are those of `solve`.
    """
    return (solver or _solver_for(board, memory)).defences(board, goal, **options)


class _LastSolver(threading.local):
    """The solver that a thread used last: making one costs more than an easy search."""

    solver: Solver | None = None


_last = _LastSolver()


def _solver_for(board: Board, memory: SupportsIndex) -> Solver:
    _check_board(board)
    solver = _last.solver
    if solver is None or solver.memory != memory or solver.is_busy:
        solver = _last.solver = Solver(board.size, board.rule, memory)
    solver._size, solver._rule = board.size, board.rule  # its tables fit every board
    return solver


def _check_board(board: Board) -> None:
    if not isinstance(board, Board):
        raise TypeError(f"a tengen.Board is needed, not {type(board).__name__}")


def _after(board: Board, move: Move) -> Board:
    """The position after a move. After a pass it is set up anew: a second pass in a row would end
    the game.
    """
    if not move.is_pass:
        after = board.copy()
        after.push(move)
        return after
    limit = board.move_limit
    left = None if limit is None else max(1, limit - board.ply - 1)
    return board.with_stones(board.stones(), board.turn.other, move_limit=left)


def _core_progress(
    progress: OnProgress | None, size: int
) -> Callable[[int, int, float, int], None] | None:
    """The caller's progress function with the arguments of the core."""
    if progress is None:
        return None

    def report(nodes: int, depth: int, seconds: float, best: int) -> None:
        move = None if best < 0 else Move.from_index(best, size)
        progress(SolverProgress(nodes, depth, seconds, move))

    return report
