# SPDX-License-Identifier: MIT
"""Openings of matches: random, from files, of the package, generated; those of a definition."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tengen import Board, Colour, Move, Rule, Threat
from tengen.arena import make_openings as making
from tengen.arena.definition import Definition
from tengen.arena.errors import ArenaFailed, BadArena
from tengen.arena.make_openings import (
    EvaluationTask,
    Opening,
    OpeningProgress,
    Recipe,
    board_after,
    draw_openings,
    evaluate_openings,
    make_openings,
    same_under_symmetry,
)
from tengen.arena.openings import (
    bundled_openings,
    even_openings,
    file_openings,
    openings_for,
    renju26,
)
from tengen.arena.player import Player
from tengen.cluster import Cluster, Failure, ProgressRecord, TaskOutcome
from tengen.game import records
from tengen.util.config import config_folder, find_config
from tengen.util.errors import BadConfig

T = TypeVar("T")
R = TypeVar("R")
PLAYERS = (Player.parse("classical"), Player.parse("random"))


class NoProgressRecord:
    def write(self, *numbers: int) -> None:
        pass


class HereCluster(Cluster):
    """Runs the tasks in this process and completes pending ones in random order."""

    def __init__(self, workers: int = 1, seed: int = 1) -> None:
        self._workers, self._random = workers, random.Random(seed)

    @property
    def workers(self) -> int:
        return self._workers

    def run(
        self,
        work: Callable[[T, ProgressRecord], R],
        tasks: Iterable[T | None],
        stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[TaskOutcome[T, R] | None]:
        waiting = (task for task in tasks if task is not None)
        busy = list(islice(waiting, self._workers))
        while busy and not stop():
            task = busy.pop(self._random.randrange(len(busy)))
            yield TaskOutcome(task, work(task, NoProgressRecord()))
            yield None
            busy += islice(waiting, self._workers - len(busy))

    def dismiss(self, worker: str) -> None:
        raise AssertionError(f"nobody here dismisses workers, but {worker} was")

    def close(self) -> None:
        pass


def opening(text: str) -> Opening:
    return tuple(Move(name) for name in text.split())


# --- symmetry and drawing ---


def test_symmetric_openings_share_a_key() -> None:
    moves = opening("h8 i9 j7 k12")
    key = same_under_symmetry(moves, 15)
    turned = [Move(14 - move.y, move.x) for move in moves]
    mirrored = [Move(14 - move.x, move.y) for move in moves]
    assert same_under_symmetry(turned, 15) == same_under_symmetry(mirrored, 15) == key
    assert same_under_symmetry([moves[2], moves[1], moves[0], moves[3]], 15) == key
    assert same_under_symmetry([moves[1], moves[0], *moves[2:]], 15) != key  # colours swapped
    assert same_under_symmetry(moves[:3], 15) != key


@pytest.mark.parametrize("rule", list(Rule))
@pytest.mark.parametrize("size", [9, 15, 20])
def test_random_openings(rule: Rule, size: int) -> None:
    result = list(islice(draw_openings(7, size, rule), 60))
    assert result == list(islice(draw_openings(7, size, rule), 60))
    assert result != list(islice(draw_openings(8, size, rule), 60))
    assert len({same_under_symmetry(one, size) for one in result}) == 60
    assert {len(one) for one in result} == {3, 4, 5, 6, 7}
    for one in result:
        board = board_after(one, size, rule)
        assert not board.is_over()
        assert all(abs(move.x - size // 2) <= 3 >= abs(move.y - size // 2) for move in one)
        for colour in Colour:
            assert not board.threats(colour, Threat.OPEN_FOUR)


def test_generation_ends_when_all_are_found() -> None:
    result = list(draw_openings(1, 5, Rule.FREESTYLE, stones=(1, 1)))
    assert len(result) == 6  # of 25 points, under symmetry
    assert len(list(draw_openings(1, 15, Rule.FREESTYLE, stones=(1, 1), reach=1))) == 3


@pytest.mark.parametrize("stones", [(0, 3), (4, 3), (3, 50)])
def test_impossible_numbers_of_stones(stones: tuple[int, int]) -> None:
    with pytest.raises(BadArena, match="use 1 to 49, the points within 3 lines"):
        next(draw_openings(1, 15, Rule.FREESTYLE, stones))


# --- files ---


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_a_file_of_offsets(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", "# remark\n0,0, 1,-1, 2,0\n-1,0, 0,1\n")
    result = file_openings(path, 15, Rule.FREESTYLE)
    assert result.openings == [opening("h8 i7 j8"), opening("g8 h9")]
    assert result.summary() == ""
    assert file_openings(path, 20, Rule.RENJU, 2).openings[0] == opening("k11 l10")


def test_games_of_every_format(tmp_path: Path) -> None:
    game = records.Record.from_moves(opening("h8 i9 j7 g7 f6"), 15, Rule.RENJU)
    for name in ("a.sgf", "b.psq", "c.moves"):
        records.write(game, tmp_path / name, lossy=True)
        result = file_openings(tmp_path / name, 15, Rule.RENJU, 3)
        assert result.openings == [opening("h8 i9 j7")], name
    assert file_openings(tmp_path / "a.sgf", 15, Rule.RENJU).openings == [tuple(game.moves)]


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    games = [
        "(;SZ[15];B[hh];W[ii];B[jj])",
        "(;SZ[15];B[hh];W[gg];B[ff])",  # the same, turned
        "(;SZ[19];B[jj];W[kk];B[ll])",
        "(;SZ[15]AB[hh];W[ii];B[jj])",
        "(;SZ[15];B[hh];W[];B[jj])",
        "(;SZ[15];W[hh];B[ii];W[jj])",
        "(;SZ[15];B[hh];W[hh];B[jj])",
        "(;SZ[15];B[hh];W[ii])",
        "(;SZ[15];B[hh]AW[aa];W[ii];B[jj])",
    ]
    path = write(tmp_path, "a.sgf", "\n".join(games))
    result = file_openings(path, 15, Rule.FREESTYLE, 3)
    assert len(result.openings) == 1
    assert dict(result.left_out) == {
        "the same as another one, rotated or mirrored": 1,
        "for another board size": 1,
        "with stones that were set up": 2,
        "with a pass": 1,
        "with a move out of turn": 1,
        "against the rule": 1,
        "of fewer than 3 moves": 1,
    }
    assert result.summary().startswith("8 of 9 records left out: 2 with stones that were set up, ")


def test_finished_and_forbidden_openings(tmp_path: Path) -> None:
    five = "0,0, 0,5, 1,0, 1,5, 2,0, 2,5, 3,0, 3,5, -1,0\n"
    double_three = "-1,0, -3,5, -2,0, -3,3, 0,1, 3,-3, 0,2, 5,5, 0,0\n"
    path = write(tmp_path, "a.txt", five + double_three)
    assert len(file_openings(path, 15, Rule.FREESTYLE).openings) == 1
    assert file_openings(path, 15, Rule.FREESTYLE).left_out == {"with a finished game": 1}
    with pytest.raises(BadArena, match=r"no opening for renju 15x15: 2 of 2 records left out"):
        file_openings(path, 15, Rule.RENJU)


def test_a_later_set_up_does_not_matter(tmp_path: Path) -> None:
    path = write(tmp_path, "a.sgf", "(;SZ[15];B[hh];W[ii];B[jj];AB[aa];W[])")
    assert len(file_openings(path, 15, Rule.FREESTYLE, 3).openings) == 1


# --- the package ---


@pytest.mark.integration
def test_bundled_files_are_valid() -> None:
    files = sorted((config_folder() / "openings").glob("*.txt"))
    assert {f"{rule}15" for rule in Rule} <= {file.stem for file in files}
    for file in files:
        size, rule = int(file.stem[-2:]), Rule(file.stem[:-2])
        result = file_openings(file, size, rule)
        assert not result.left_out, file
        assert result.openings == bundled_openings(rule, size)
        assert len(result.openings) >= (300 if size == 15 else 100), file
        assert file.read_text("utf-8").startswith(f"# Balanced openings for {rule}, {size}x{size}")


def test_even_openings_are_valid() -> None:
    files = sorted((config_folder() / "openings" / "even").glob("*.txt"))
    assert [file.stem for file in files] == [
        "freestyle15",
        "freestyle20",
        "renju15",
        "standard15",
    ]
    for file in files:
        size, rule = int(file.stem[-2:]), Rule(file.stem[:-2])
        result = file_openings(file, size, rule)
        assert not result.left_out, file
        assert result.openings == even_openings(rule, size)
        assert len(result.openings) >= 150, file
        assert "--games 6" in file.read_text("utf-8").partition("\n-")[0]


def test_no_bundled_file() -> None:
    assert bundled_openings(Rule.CARO, 7) == []


def test_configs_by_name(tmp_path: Path) -> None:
    path = write(tmp_path, "my.toml", "pairs = 3\n")
    assert find_config(str(path), "arena") == path
    assert find_config("short", "arena") == config_folder() / "arena" / "short.toml"
    assert find_config("short.toml", "arena") == config_folder() / "arena" / "short.toml"
    with pytest.raises(BadConfig, match=r"'nope'.*short"):
        find_config("nope", "arena")
    with pytest.raises(BadConfig, match=r"'\.\./arena/short'"):
        find_config("../arena/short", "arena")


def test_renju26_fits_the_board() -> None:
    assert len(renju26(15)) == 26
    assert renju26(20)[0] == opening("k11 k12 k13")


# --- making ---


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[Opening]:
    """The openings evaluated so far; one in four, by its stones, is balanced."""
    requests: list[Opening] = []

    def evaluate(task: EvaluationTask, progress: ProgressRecord) -> float | None:
        requests.append(task.opening)
        return (0.5, 0.2, 0.95, None)[sum(move.x + move.y for move in task.opening) % 4]

    monkeypatch.setattr(making, "evaluate_opening", evaluate)
    return requests


def test_any_number_of_workers_finds_the_same(evaluated: list[Opening]) -> None:
    recipe = Recipe(Rule.RENJU, seed=5)
    expected = make_openings(recipe, 20, HereCluster())
    assert len(expected) == 20
    for workers in (2, 3, 16):
        for seed in range(3):
            assert make_openings(recipe, 20, HereCluster(workers, seed)) == expected
    order = list(islice(draw_openings(5, 15, Rule.RENJU), 400))
    assert sorted(expected, key=order.index) == expected


def test_no_more_is_evaluated_than_needed(evaluated: list[Opening]) -> None:
    steps: list[OpeningProgress] = []
    result = make_openings(Recipe(), 5, HereCluster(), progress=steps.append)
    assert evaluated[-1] == result[-1]
    assert steps[-1] == OpeningProgress(5, 5, len(evaluated))
    assert [step.evaluated for step in steps] == list(range(1, len(evaluated) + 1))


def test_known_openings_are_not_found_again(evaluated: list[Opening]) -> None:
    first = make_openings(Recipe(), 5, HereCluster())
    turned = [tuple(Move(14 - move.y, move.x) for move in one) for one in first]
    more = make_openings(Recipe(), 5, HereCluster(), known=turned)
    assert make_openings(Recipe(), 10, HereCluster()) == first + more


def test_making_can_be_stopped(evaluated: list[Opening]) -> None:
    result = make_openings(Recipe(), 1000, HereCluster(), stop=lambda: len(evaluated) >= 40)
    assert 0 < len(result) < 40
    assert make_openings(Recipe(), 9, HereCluster(), stop=lambda: True) == []


def test_making_ends_when_nothing_is_balanced(monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[EvaluationTask] = []
    monkeypatch.setattr(making, "evaluate_opening", lambda task, progress: requests.append(task))
    assert make_openings(Recipe(), 1, HereCluster()) == []
    assert len(requests) == 2000


def test_a_broken_evaluator_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Failure("crash", "the process ended with code -11")
    monkeypatch.setattr(making, "evaluate_opening", lambda task, progress: broken)
    with pytest.raises(ArenaFailed, match=r"the evaluator failed on .*: crash, the process ended"):
        make_openings(Recipe(), 1, HereCluster())


def test_the_evaluator_gets_the_position() -> None:
    recipe = Recipe(nodes=5000)
    won = opening("h8 a1 i8 a3 j8 a5")  # black to move has an open four
    made = (*won, Move("k8"))  # white to move cannot stop it
    quiet = opening("h8 i9")
    for task, low, high in ((won, 1.0, 1.0), (made, 1.0, 1.0), (quiet, 0.2, 0.95)):
        (rate,) = evaluate_openings(recipe, [task], HereCluster())
        assert rate is not None
        assert low <= rate <= high  # black's
    assert making.evaluate_opening(EvaluationTask(recipe, won, 0), NoProgressRecord()) is None


def test_evaluations_are_independent() -> None:
    recipe = Recipe(nodes=3000)
    several = list(islice(draw_openings(3, 15, Rule.FREESTYLE), 5))
    rates = evaluate_openings(recipe, several, HereCluster())
    assert rates[::-1] == evaluate_openings(recipe, several[::-1], HereCluster())


def test_made_by_the_engine() -> None:
    recipe = Recipe(Rule.STANDARD, nodes=2000)
    result = make_openings(recipe, 4, HereCluster())
    rates = evaluate_openings(recipe, result, HereCluster())
    assert len(result) == 4
    assert all(rate is not None and abs(rate - 0.5) < recipe.balance for rate in rates)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"size": 4}, "size: "),
        ({"nodes": 0}, "^nodes: "),
        ({"balance": 0.0}, "balance: "),
        ({"balance": 0.6}, "balance: "),
        ({"seed": -1}, "seed: "),
        ({"rule": "chess"}, "no rule 'chess'"),
        ({"games": -1}, "games: "),
        ({"game_nodes": 0}, "game_nodes: "),
        ({"evaluator": Player.parse("./program")}, "cannot evaluate openings"),
    ],
)
def test_bad_recipes(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(BadArena, match=message):
        Recipe(**wrong)


# --- what a definition gets ---


def names(openings: str, **more: Any) -> list[tuple[str, ...]]:
    return openings_for(Definition(PLAYERS, openings=openings, **more), HereCluster())


@pytest.mark.integration
def test_bundled_openings_by_seed() -> None:
    result = names("balanced", pairs=20)
    assert len(result) == len(set(result)) == 20
    assert result == names("balanced", pairs=20)
    assert result == names("balanced", pairs=40)[:20]
    assert result != names("balanced", pairs=20, seed=2)
    for moves in result:
        board = Board()
        for move in moves:
            board.push(move)


def test_even_openings_by_seed() -> None:
    result = names("even", pairs=20)
    assert len(set(result)) == 20
    assert result == names("even", pairs=40)[:20]
    assert result != names("even", pairs=20, seed=2)
    even = {tuple(move.name for move in one) for one in even_openings(Rule.FREESTYLE, 15)}
    assert set(result) < even


def test_no_even_openings() -> None:
    with pytest.raises(BadArena, match="even openings for caro 15x15: use balanced, or make"):
        names("even", pairs=2, rule=Rule.CARO)


def test_more_are_made_than_are_bundled(evaluated: list[Opening]) -> None:
    bundled = bundled_openings(Rule.CARO, 15)
    pairs = len(bundled) + 6
    messages: list[str] = []
    definition = Definition(PLAYERS, rule=Rule.CARO, pairs=pairs)
    result = openings_for(definition, HereCluster(), warn=messages.append)
    assert messages == ["making 6 balanced openings for caro 15x15"]
    assert len(result) == len(set(result)) == pairs
    assert {tuple(move.name for move in one) for one in bundled} < set(result)


def test_nothing_bundled_and_nothing_balanced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "evaluate_opening", lambda task, progress: None)
    with pytest.raises(BadArena, match="no balanced opening was found for freestyle 8x8"):
        names("balanced", pairs=2, size=8)


def test_stopped_before_the_first_opening(evaluated: list[Opening]) -> None:
    definition = Definition(PLAYERS, pairs=2, size=8)
    assert openings_for(definition, HereCluster(), stop=lambda: True) == []


@pytest.mark.parametrize("kind", ["empty", "swap2"])
def test_one_empty_opening(kind: str) -> None:
    assert names(kind, pairs=30) == [()]


def test_classical_openings_repeat() -> None:
    messages: list[str] = []
    definition = Definition(PLAYERS, openings="renju26", pairs=60, rule=Rule.RENJU)
    result = openings_for(definition, HereCluster(), warn=messages.append)
    assert messages == ["26 openings for 60 pairs: they repeat"]
    assert len(result) == 60
    assert result[:26] == result[26:52]
    assert len(set(result)) == 26
    assert result[0] != ("h8", "h9", "h10")  # shuffled


def test_openings_of_a_file(tmp_path: Path) -> None:
    path = write(tmp_path, "a.sgf", "(;SZ[15];B[hh];W[ii];B[jj])(;SZ[19];B[hh])")
    messages: list[str] = []
    definition = Definition(PLAYERS, openings=str(path), opening_moves=2, pairs=3)
    result = openings_for(definition, HereCluster(), warn=messages.append)
    assert result == [("h8", "i7")] * 3
    assert messages == [
        f"{path}: 1 of 2 records left out: 1 for another board size",
        "1 openings for 3 pairs: they repeat",
    ]
    with pytest.raises(BadArena, match="no openings 'nowhere': use balanced, even, renju26"):
        names("nowhere")
