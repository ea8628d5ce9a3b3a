# SPDX-License-Identifier: MIT
"""For tests of the arena: scripted engines, a fake clock, a cluster in this process, and small
definitions.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from tengen import Board, Move
from tengen.arena.definition import Definition, ScheduledGame, schedule
from tengen.arena.game import MatchGame, MoveReport
from tengen.arena.game_task import GameTask
from tengen.arena.player import Player
from tengen.cluster import Cluster, Failure, TaskOutcome
from tengen.cluster.base import Work
from tengen.engine import Analysis, AnyEngine, Info, Limit, PlayResult, PovScore, Score
from tengen.engine.swap2 import Swap2Choice
from tengen.game.move import MoveLike
from tengen.game.rule import Colour

T = TypeVar("T")
R = TypeVar("R")

# A move, or an error to be raised, or what finds one of them.
Answer = str | Exception | PlayResult | Callable[[Board, Limit], PlayResult | str]


class FakeClock:
    """Replaces `perf_counter`: the test advances the time."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def think(self, seconds: float, move: str) -> Callable[[Board, Limit], str]:
        """An answer that takes so long."""

        def answer(board: Board, limit: Limit) -> str:
            self.now += seconds
            return move

        return answer


class Scripted(AnyEngine):
    """Gives one answer after another; then it plays the first legal point. `choices` are for
    swap2: points to put in words, as "a1 b2", or "" to take black.
    """

    def __init__(self, *answers: Answer, choices: Iterable[str | Exception] = ()) -> None:
        self.answers = list(answers)
        self.choices = list(choices)
        self.limits: list[Limit] = []
        self.boards: list[Board] = []  # as they were shown
        self.numbers: list[int] = []  # of swap2 openings
        self.games = 0
        self.closed = False

    @property
    def name(self) -> str:
        return "Scripted"

    @property
    def options(self) -> Mapping[str, object]:
        return {}

    def configure(self, **options: object) -> None:
        pass

    def play(self, board: Board, limit: Limit, *, ponder: bool | None = None) -> PlayResult:
        self.limits.append(limit)
        self.boards.append(board.copy())
        answer: Any = self.answers.pop(0) if self.answers else board.legal_moves()[0]
        if isinstance(answer, Exception):
            raise answer
        if callable(answer):
            answer = answer(board, limit)
        return answer if isinstance(answer, PlayResult) else PlayResult(Move.parse(answer))

    def swap2(self, board: Board, limit: Limit, *, number: int = 0) -> Swap2Choice:
        self.limits.append(limit)
        self.boards.append(board.copy())
        self.numbers.append(number)
        answer = self.choices.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Swap2Choice(tuple(map(Move.parse, answer.split())))

    def analyse(
        self,
        board: Board,
        limit: Limit = Limit(),  # noqa: B008
        *,
        multipv: int | None = None,
        moves: Iterable[MoveLike] | None = None,
    ) -> Analysis:
        raise NotImplementedError

    def ponder(self, board: Board) -> None:
        raise NotImplementedError

    def ponder_hit(self, limit: Limit) -> PlayResult:
        raise NotImplementedError

    def stop(self) -> None:
        pass

    def new_game(self) -> None:
        self.games += 1

    def close(self) -> None:
        self.closed = True


def claims(move: str, mate: int = 5) -> Callable[[Board, Limit], PlayResult]:
    """An answer that claims to win, or with a negative number to lose."""

    def answer(board: Board, limit: Limit) -> PlayResult:
        info = Info(PovScore(Score(0, mate), board.turn), depth=7, nodes=123)
        return PlayResult(Move.parse(move), None, info)

    return answer


class FakeProgressRecord:
    """Remembers all that was written."""

    def __init__(self) -> None:
        self.written: list[tuple[int, ...]] = []

    def write(self, *numbers: int) -> None:
        self.written.append(numbers)


class FakeCluster(Cluster):
    """Does tasks in this process, in an order of its own: of those under way a random one ends
    next. `results` may say how a task ends, instead of its work.
    """

    def __init__(
        self,
        workers: int = 1,
        seed: int = 0,
        results: Callable[[Any], Any] | None = None,
    ) -> None:
        self._workers = workers
        self._random = random.Random(seed)
        self._results = results
        self.done: list[Any] = []  # the tasks, in the order of their ends

    @property
    def workers(self) -> int:
        return self._workers

    def dismiss(self, worker: str) -> None:
        raise AssertionError(f"nobody here dismisses workers, but {worker} was")

    def close(self) -> None:
        pass

    def run(
        self,
        work: Work[T, R],
        tasks: Iterable[T | None],
        stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[TaskOutcome[T, R] | None]:
        waiting, flying = (task for task in tasks if task is not None), list[T]()
        more = self._feed(waiting, flying)
        while flying and not stop():
            task = flying.pop(self._random.randrange(len(flying)))
            result = (
                work(task, FakeProgressRecord()) if self._results is None else self._results(task)
            )
            self.done.append(task)
            more = more and self._feed(waiting, flying)
            yield TaskOutcome(task, result)
            yield None

    def _feed(self, waiting: Iterator[T], flying: list[T]) -> bool:
        while len(flying) < self._workers:
            try:
                flying.append(next(waiting))
            except StopIteration:
                return False
        return True


# --- small values ---

RANDOM = Player("Random", "random", options={"memory": 4})
POLICY = Player("Policy", "policy", options={"memory": 4})


def small(*players: Player, **values: Any) -> Definition:
    """A match of few nodes on a small board, by default."""
    defaults = {"pairs": 2, "size": 7, "openings": "empty", "limit": {"nodes": 50}}
    result = list(players or (RANDOM, POLICY))
    return Definition.from_dict(defaults | {"players": [p.to_dict() for p in result]} | values)


def game_of(fixture: ScheduledGame, winner: Colour | None = None, **values: Any) -> MatchGame:
    """A short game of a fixture."""
    defaults: dict[str, Any] = {
        "opening_moves": 1,
        "moves": ("d4", "a1", "b7"),
        "winner": winner,
        "reason": "move_limit" if winner is None else "five",
        "reports": (MoveReport(0.25, 30, None, 5, 100), MoveReport(0.5, None, -4, 6, 0)),
        "seconds": 1.5,
    }
    return MatchGame(*fixture, **(defaults | values))


def games_of(
    definition: Definition, scores: Callable[[ScheduledGame], float | None]
) -> list[MatchGame]:
    """All games of a definition; `scores` are black's points, None for a game not played."""
    winners = {1.0: Colour.BLACK, 0.5: None, 0.0: Colour.WHITE}
    result = []
    for fixture in schedule(definition):
        score = scores(fixture)
        if score is not None:
            result.append(game_of(fixture, winners[score]))
    return result


def crash(task: GameTask) -> Failure:
    return Failure("crash", "the process ended with code -11")
