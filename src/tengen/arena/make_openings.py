# SPDX-License-Identifier: MIT
"""Makes balanced openings: a cluster evaluates random positions and keeps those in which neither
side is much better. They depend on the recipe alone, not on the number of workers or their order.

A search may evaluate a position as even that one side always wins, which is useless in a match. So
a recipe can require quick games of the evaluator against itself, which both colours must win.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from tengen.arena.errors import ArenaFailed, BadArena
from tengen.arena.player import Player
from tengen.cluster import Cluster, Failure, ProgressRecord
from tengen.engine import Engine, Limit
from tengen.game.board import Board
from tengen.game.errors import TengenError
from tengen.game.move import Move
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Colour, Rule
from tengen.game.threat import Threat
from tengen.util.config import Config, setting

Opening: TypeAlias = tuple[Move, ...]
Key: TypeAlias = tuple[tuple[int, int, int], ...]

STONES = (3, 7)  # min and max of a random opening
REACH = 3  # lines from the centre
_MAX_REPEATS = 20_000  # draws in a row without a new opening: then all were drawn


def same_under_symmetry(moves: Sequence[Move], size: int) -> Key:
    """A key that is equal for rotated and mirrored openings, in any order of their stones."""
    last = size - 1
    stones = [(move.x, move.y, number % 2) for number, move in enumerate(moves)]
    images = []
    for _ in range(4):
        stones = [(last - y, x, colour) for x, y, colour in stones]
        images.append(tuple(sorted(stones)))
        images.append(tuple(sorted((last - x, y, colour) for x, y, colour in stones)))
    return min(images)


def board_after(opening: Iterable[Move], size: int, rule: Rule) -> Board:
    """The board with the opening on it. Raises IllegalMove."""
    board = Board(size, rule)
    for move in opening:
        board.push(move)
    return board


def draw_openings(
    seed: int, size: int, rule: Rule, stones: tuple[int, ...] = STONES, reach: int = REACH
) -> Iterator[Opening]:
    """Random legal openings, no two equal under symmetry, in which nobody can make an open four or
    five. Ends when there are no new ones. Raises BadArena.
    """
    middle = size // 2
    near = min(reach, middle, size - 1 - middle)
    around = range(middle - near, middle + near + 1)
    points = [Move(x, y) for x in around for y in around]
    least, most = stones
    if not 1 <= least <= most <= len(points):
        allowed = f"use 1 to {len(points)}, the points within {near} lines of the centre"
        raise BadArena(f"no opening of {least} to {most} stones: {allowed}")
    rng = random.Random(f"openings {seed} {size} {rule}")
    seen: set[Key] = set()
    repeats = 0
    while repeats < _MAX_REPEATS:
        repeats += 1
        opening = tuple(rng.sample(points, rng.randint(least, most)))
        key = same_under_symmetry(opening, size)
        if key not in seen and _is_open(opening, size, rule):
            repeats = 0
            seen.add(key)
            yield opening


def _is_open(opening: Opening, size: int, rule: Rule) -> bool:
    """Whether the opening is legal and nobody is about to win."""
    try:
        board = board_after(opening, size, rule)
    except TengenError:
        return False
    quiet = not any(board.threats(colour, Threat.OPEN_FOUR) for colour in Colour)
    return quiet and not board.is_over()


_MAX_MOVES = 100  # of a game after its opening; then it is a draw
_GROWTH = 0.25  # relative growth of the nodes per game, so that games differ


def is_open_to_both(
    engine: Engine, opening: Board, games: int, nodes: int, on_game: Callable[[], None]
) -> bool:
    """Whether each colour scores at least a third of the points, rounded down, in games with about
    `nodes` per move. Stops as soon as that is known. `on_game` is called before each game.
    """
    needed = max(1, games // 3)
    points = dict.fromkeys(Colour, 0.0)
    for number in range(games):
        if max(points.values()) > games - needed:
            return False
        if min(points.values()) >= needed:
            return True
        on_game()
        winner = trial_game(engine, opening, round(nodes * (1 + _GROWTH) ** number))
        for colour in Colour:
            points[colour] += 0.5 if winner is None else float(winner == colour)
    return min(points.values()) >= needed


def trial_game(engine: Engine, opening: Board, nodes: int) -> Colour | None:
    """The winner if the engine plays both sides; None for a draw. A win that the search finds ends
    the game.
    """
    engine.new_game()
    board = opening.copy()
    for _ in range(_MAX_MOVES):
        outcome = board.outcome()
        if outcome is not None:
            return outcome.winner
        played = engine.play(board, Limit(nodes=nodes))
        mate = None if played.info is None else played.info.score.relative.mate
        if mate is not None:
            return board.turn if mate > 0 else board.turn.other
        board.push(played.move)
    return None


EVALUATOR = Player("classical", "classical", options={"memory": 8})
_MAX_CANDIDATES = 200  # per wanted opening
_MIN_CANDIDATES = 2000
# Quick searches before the full one: each has 1/part of the nodes, and rejects an opening whose win
# rate is out of balance by more than this margin.
_QUICK_SEARCHES = ((20, 0.15), (4, 0.06))


@dataclass(frozen=True, slots=True)
class Recipe(Config):
    """How openings are drawn and evaluated."""

    ERROR = BadArena

    rule: Rule = setting(Rule.FREESTYLE, convert=Rule.parse, help="rule of the games")
    size: int = setting(15, min=MIN_SIZE, max=MAX_SIZE, help="lines of the board")
    stones: tuple[int, ...] = setting(STONES, help="fewest and most stones of an opening")
    reach: int = setting(REACH, help="lines from the centre")
    nodes: int = setting(50_000, min=1, help="nodes of the full search")
    balance: float = setting(0.1, max=0.5, help="largest distance of the win rate from one half")
    seed: int = setting(1, min=0, max=2**31 - 1, help="of the drawing")
    evaluator: Player = setting(EVALUATOR, help="a built-in preset; its limits are not used")
    games: int = setting(0, min=0, max=1000, help="quick games that both colours must win")
    game_nodes: int = setting(4000, min=1, help="nodes per move of these games")

    def validate(self) -> None:
        if self.balance <= 0:
            raise BadArena(f"{self.balance:g} is out of range, use more than 0", "balance")
        if not self.evaluator.preset:
            problem = f"{self.evaluator.name!r} cannot evaluate openings: use a preset"
            raise BadArena(problem, "evaluator")


class EvaluationTask(NamedTuple):
    """An opening to evaluate. Without `fully`, a quick search may reject it."""

    recipe: Recipe
    opening: Opening
    number: int  # in the order of drawing
    fully: bool = False


class OpeningProgress(NamedTuple):
    """Progress of making openings."""

    found: int
    wanted: int
    evaluated: int


def make_openings(
    recipe: Recipe,
    wanted: int,
    cluster: Cluster,
    *,
    known: Iterable[Opening] = (),
    stop: Callable[[], bool] = lambda: False,
    progress: Callable[[OpeningProgress], None] = lambda making: None,
) -> list[Opening]:
    """The first `wanted` balanced openings in the order of drawing, without those that are `known`.
    Fewer if it is stopped, or if there are no more. Raises ArenaFailed if the
    evaluator fails.
    """
    size, found = recipe.size, dict[int, Opening]()
    without = {same_under_symmetry(opening, size) for opening in known}
    drawn = draw_openings(recipe.seed, size, recipe.rule, recipe.stones, recipe.reach)
    fresh = (one for one in drawn if same_under_symmetry(one, size) not in without)

    def tasks() -> Iterator[EvaluationTask]:
        # All tasks are read to the end, so that the result does not depend on how long each takes.
        most = max(_MIN_CANDIDATES, _MAX_CANDIDATES * wanted)
        for number, opening in enumerate(islice(fresh, most)):
            if len(found) >= wanted:
                return
            yield EvaluationTask(recipe, opening, number)

    for evaluated, (task, rate) in enumerate(_evaluations(cluster, tasks(), stop), 1):
        if rate is not None and abs(rate - 0.5) < recipe.balance:
            found[task.number] = task.opening
        progress(OpeningProgress(min(len(found), wanted), wanted, evaluated))
    return [found[number] for number in sorted(found)[:wanted]]


def evaluate_openings(
    recipe: Recipe,
    openings: Sequence[Opening],
    cluster: Cluster,
    *,
    stop: Callable[[], bool] = lambda: False,
    progress: Callable[[OpeningProgress], None] = lambda making: None,
) -> list[float | None]:
    """Black's win rate after each opening, by the whole search; None where it was stopped before,
    or the evaluator reported nothing.
    """
    found: list[float | None] = [None] * len(openings)
    tasks = (EvaluationTask(recipe, opening, n, True) for n, opening in enumerate(openings))
    for evaluated, (task, rate) in enumerate(_evaluations(cluster, tasks, stop), 1):
        swapped = len(task.opening) % 2 == 1  # white is to move
        found[task.number] = 1.0 - rate if rate is not None and swapped else rate
        progress(OpeningProgress(evaluated, len(openings), evaluated))
    return found


def _evaluations(
    cluster: Cluster, tasks: Iterator[EvaluationTask], stop: Callable[[], bool]
) -> Iterator[tuple[EvaluationTask, float | None]]:
    for done in cluster.run(evaluate_opening, tasks, stop):
        if done is None:
            continue
        if isinstance(done.result, Failure):
            moves = " ".join(move.name for move in done.task.opening)
            problem = done.result.message.splitlines()[0]
            raise ArenaFailed(f"the evaluator failed on {moves}: {done.result.kind}, {problem}")
        yield done.task, done.result


# --- in a worker process ---

_engines: dict[str, Engine] = {}  # of this process, by options


def evaluate_opening(task: EvaluationTask, progress: ProgressRecord) -> float | None:
    """Win rate of the side to move; None if the evaluator reports none, or if a quick search or the
    games reject the opening.
    """
    recipe = task.recipe
    engine = _engine(recipe.evaluator)
    board = board_after(task.opening, recipe.size, recipe.rule)
    for part, margin in () if task.fully else _QUICK_SEARCHES:
        rate = _win_rate(engine, board, max(recipe.nodes // part, 1), progress)
        if rate is None or abs(rate - 0.5) >= recipe.balance + margin:
            return None
    rate = _win_rate(engine, board, recipe.nodes, progress)
    if task.fully or rate is None or abs(rate - 0.5) >= recipe.balance or not recipe.games:
        return rate
    both = is_open_to_both(engine, board, recipe.games, recipe.game_nodes, progress.write)
    return rate if both else None


def _win_rate(engine: Engine, board: Board, nodes: int, progress: ProgressRecord) -> float | None:
    progress.write()
    engine.new_game()  # independent of earlier evaluations
    info = engine.play(board, Limit(nodes=nodes)).info
    return None if info is None else info.score.relative.win_rate


def _engine(evaluator: Player) -> Engine:
    key = repr(sorted(evaluator.options.items()))
    if key not in _engines:
        for engine in _engines.values():
            engine.close()
        _engines.clear()
        options: dict[str, Any] = dict(evaluator.options)
        _engines[key] = Engine(**options)
    return _engines[key]
