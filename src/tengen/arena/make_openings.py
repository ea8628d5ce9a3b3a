# SPDX-License-Identifier: MIT
"""Balanced openings, made by our own engine: drawn at random, judged by a search on a cluster, and
kept where neither side is much better. They depend on the recipe alone, not on the number of
workers or their order.

A search can judge a position even that one side wins again and again; a match learns nothing from
it. So quick games of the judge against itself may be required, which both colours must win.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from tengen.arena.errors import ArenaFailed, BadArena
from tengen.arena.player import Player
from tengen.cluster import Cluster, Failure, Notes
from tengen.engine import Engine, Limit
from tengen.game.board import Board
from tengen.game.errors import TengenError
from tengen.game.move import Move
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Colour, Rule
from tengen.game.threat import Threat
from tengen.util.config import Config, setting

__all__ = [
    "JUDGE",
    "STONES",
    "Key",
    "Making",
    "Opening",
    "Recipe",
    "board_after",
    "draw_openings",
    "judge_openings",
    "make_openings",
    "same_under_symmetry",
]

Opening: TypeAlias = tuple[Move, ...]
Key: TypeAlias = tuple[tuple[int, int, int], ...]

STONES = (3, 7)  # the least and the most of a drawn opening
REACH = 3  # lines from the centre
_TRIES = 20_000  # in a row without anything new: then all there is was drawn


def same_under_symmetry(moves: Sequence[Move], size: int) -> Key:
    """A key that openings share if one is the other turned or mirrored, in whatever order their
    stones were played.
    """
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
    """Openings from a seed: all different under symmetry, legal, and nobody can make an open four
    or five. Ends when nothing new can be found. Raises BadArena.
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
    tries = 0
    while tries < _TRIES:
        tries += 1
        opening = tuple(rng.sample(points, rng.randint(least, most)))
        key = same_under_symmetry(opening, size)
        if key not in seen and _is_open(opening, size, rule):
            tries = 0
            seen.add(key)
            yield opening


def _is_open(opening: Opening, size: int, rule: Rule) -> bool:
    """Whether a game can begin there: the rule allows it, and nobody is about to win."""
    try:
        board = board_after(opening, size, rule)
    except TengenError:
        return False
    quiet = not any(board.threats(colour, Threat.OPEN_FOUR) for colour in Colour)
    return quiet and not board.is_over()


_LONGEST = 100  # moves of a game after its opening: then it is a draw
_GROWTH = 0.25  # nodes of each further game, as a share more than before: so that games differ


def is_open_to_both(
    engine: Engine, opening: Board, games: int, nodes: int, on_game: Callable[[], None]
) -> bool:
    """Whether each colour has a third of the points at least, rounded down, of so many games with
    about this many nodes per move. Ends as soon as that is known. `on_game` is called for each.
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
    """Who wins if the engine plays both sides; None for a draw. A win that the search sees ends
    the game.
    """
    engine.new_game()
    board = opening.copy()
    for _ in range(_LONGEST):
        outcome = board.outcome()
        if outcome is not None:
            return outcome.winner
        played = engine.play(board, Limit(nodes=nodes))
        mate = None if played.info is None else played.info.score.relative.mate
        if mate is not None:
            return board.turn if mate > 0 else board.turn.other
        board.push(played.move)
    return None


JUDGE = Player("classical", "classical", options={"memory": 8})
_MAX_PER_OPENING = 200  # candidates for one opening that is wanted; then there are too few
_MAX_AT_LEAST = 2000
# Quick looks before the whole search: each takes one part in so many of the nodes, and rejects
# an opening that is less balanced than required by more than this win rate.
_LOOKS = ((20, 0.15), (4, 0.06))


@dataclass(frozen=True, slots=True)
class Recipe(Config):
    """How openings are drawn and judged."""

    ERROR = BadArena

    rule: Rule = setting(Rule.FREESTYLE, convert=Rule.parse, help="rule of the games")
    size: int = setting(15, min=MIN_SIZE, max=MAX_SIZE, help="lines of the board")
    stones: tuple[int, ...] = setting(STONES, help="fewest and most stones of an opening")
    reach: int = setting(REACH, help="lines from the centre")
    nodes: int = setting(50_000, min=1, help="nodes of the search that judges")
    balance: float = setting(0.1, max=0.5, help="largest distance of the win rate from one half")
    seed: int = setting(1, min=0, max=2**31 - 1, help="of the drawing")
    judge: Player = setting(JUDGE, help="a preset of ours; its limits are not used")
    games: int = setting(0, min=0, max=1000, help="games of the judge that both colours must win")
    game_nodes: int = setting(4000, min=1, help="nodes per move of these games")

    def validate(self) -> None:
        if self.balance <= 0:
            raise BadArena(f"{self.balance:g} is out of range, use more than 0", "balance")
        if not self.judge.is_ours:
            raise BadArena(f"{self.judge.name!r} cannot judge openings: use a preset", "judge")


class JudgeTask(NamedTuple):
    """An opening to be judged. Without `fully`, a quick look may be enough to turn it down."""

    recipe: Recipe
    opening: Opening
    number: int  # in the order of drawing
    fully: bool = False


class Making(NamedTuple):
    """How far the making of openings is."""

    found: int
    wanted: int
    judged: int


def make_openings(
    recipe: Recipe,
    wanted: int,
    cluster: Cluster,
    *,
    known: Iterable[Opening] = (),
    stop: Callable[[], bool] = lambda: False,
    progress: Callable[[Making], None] = lambda making: None,
) -> list[Opening]:
    """The first `wanted` balanced openings in the order of drawing, without those that are `known`.
    Fewer if it is stopped, or if there are no more. Raises ArenaFailed if the judge does.
    """
    size, found = recipe.size, dict[int, Opening]()
    without = {same_under_symmetry(opening, size) for opening in known}
    drawn = draw_openings(recipe.seed, size, recipe.rule, recipe.stones, recipe.reach)
    fresh = (one for one in drawn if same_under_symmetry(one, size) not in without)

    def tasks() -> Iterator[JudgeTask]:
        # All that is given out will be read: the openings found are those of a beginning of the
        # drawing that holds enough of them, however long each judgement takes.
        most = max(_MAX_AT_LEAST, _MAX_PER_OPENING * wanted)
        for number, opening in enumerate(islice(fresh, most)):
            if len(found) >= wanted:
                return
            yield JudgeTask(recipe, opening, number)

    for judged, (task, rate) in enumerate(_judgements(cluster, tasks(), stop), 1):
        if rate is not None and abs(rate - 0.5) < recipe.balance:
            found[task.number] = task.opening
        progress(Making(min(len(found), wanted), wanted, judged))
    return [found[number] for number in sorted(found)[:wanted]]


def judge_openings(
    recipe: Recipe,
    openings: Sequence[Opening],
    cluster: Cluster,
    *,
    stop: Callable[[], bool] = lambda: False,
    progress: Callable[[Making], None] = lambda making: None,
) -> list[float | None]:
    """Black's win rate after each opening, by the whole search; None where it was stopped before,
    or the judge reported nothing.
    """
    found: list[float | None] = [None] * len(openings)
    tasks = (JudgeTask(recipe, opening, n, True) for n, opening in enumerate(openings))
    for judged, (task, rate) in enumerate(_judgements(cluster, tasks, stop), 1):
        swapped = len(task.opening) % 2 == 1  # white is to move
        found[task.number] = 1.0 - rate if rate is not None and swapped else rate
        progress(Making(judged, len(openings), judged))
    return found


def _judgements(
    cluster: Cluster, tasks: Iterator[JudgeTask], stop: Callable[[], bool]
) -> Iterator[tuple[JudgeTask, float | None]]:
    for done in cluster.run(judge_opening, tasks, stop):
        if done is None:
            continue
        if isinstance(done.result, Failure):
            moves = " ".join(move.name for move in done.task.opening)
            problem = done.result.message.splitlines()[0]
            raise ArenaFailed(f"the judge failed on {moves}: {done.result.kind}, {problem}")
        yield done.task, done.result


# --- in a worker ---

_engines: dict[str, Engine] = {}  # of this process, by what they are


def judge_opening(task: JudgeTask, notes: Notes) -> float | None:
    """The win rate that the judge gives the side to move; None if it has none, or rejects the
    opening after a quick look or its games.
    """
    recipe = task.recipe
    engine = _engine(recipe.judge)
    board = board_after(task.opening, recipe.size, recipe.rule)
    for part, margin in () if task.fully else _LOOKS:
        rate = _win_rate(engine, board, max(recipe.nodes // part, 1), notes)
        if rate is None or abs(rate - 0.5) >= recipe.balance + margin:
            return None
    rate = _win_rate(engine, board, recipe.nodes, notes)
    if task.fully or rate is None or abs(rate - 0.5) >= recipe.balance or not recipe.games:
        return rate
    both = is_open_to_both(engine, board, recipe.games, recipe.game_nodes, notes.write)
    return rate if both else None


def _win_rate(engine: Engine, board: Board, nodes: int, notes: Notes) -> float | None:
    notes.write()
    engine.new_game()  # what it judged before must not matter
    info = engine.play(board, Limit(nodes=nodes)).info
    return None if info is None else info.score.relative.win_rate


def _engine(judge: Player) -> Engine:
    key = repr(sorted(judge.options.items()))
    if key not in _engines:
        for engine in _engines.values():
            engine.close()
        _engines.clear()
        options: dict[str, Any] = dict(judge.options)
        _engines[key] = Engine(**options)
    return _engines[key]
