# SPDX-License-Identifier: MIT
"""Match runs: the result does not depend on the order of completion or on interruptions. A failure
is a lost game, a retry, or an error.
"""

from __future__ import annotations

import errno
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena_fakes import RANDOM, FakeCluster, crash, game_of, games_of, small
from tengen.arena.definition import Definition, ScheduledGame, schedule, total_games
from tengen.arena.errors import ArenaFailed
from tengen.arena.game import MatchGame
from tengen.arena.game_task import GameTask
from tengen.arena.match_folder import MatchFolder, result
from tengen.arena.match_runner import run_match
from tengen.arena.player import Player
from tengen.arena.standings import MatchProgress, counted
from tengen.cluster import Failure
from tengen.game.rule import Colour
from tengen.util.event_log import EventLog

OPENINGS = [("d4",), ("c3", "d4")]
Results = Callable[[GameTask], MatchGame | Failure]


def played(task: GameTask) -> MatchGame:
    """A game with a result that follows from its number."""
    winner = [Colour.BLACK, None, Colour.WHITE, Colour.WHITE][task.scheduled.number % 4]
    return game_of(task.scheduled, winner)


def begin(path: Path, definition: Definition | None = None) -> MatchFolder:
    return MatchFolder.create(path, definition or small(pairs=5), OPENINGS)


def play(folder: MatchFolder, cluster: FakeCluster, **options: Any) -> MatchProgress:
    with folder.open_event_log():
        return run_match(folder, cluster, **options)


def result_of(folder: MatchFolder) -> str:
    return result(folder.definition, folder.openings, folder.games)


def numbers(cluster: FakeCluster) -> list[int]:
    return [task.scheduled.number for task in cluster.done]


# --- games ---


def test_all_games_are_played(tmp_path: Path) -> None:
    folder = begin(tmp_path)
    cluster = FakeCluster(results=played)
    heard: list[MatchGame | None] = []
    progress = play(folder, cluster, on_game=heard.append)
    assert numbers(cluster) == list(range(10))
    assert [task.moves for task in cluster.done[:5]] == [
        ("d4",), ("d4",), ("c3", "d4"), ("c3", "d4"), ("d4",),
    ]  # fmt: skip
    assert [game for game in heard if game is not None] == folder.games
    assert None in heard
    assert MatchFolder.read(tmp_path).games == folder.games
    assert (progress.decision, progress.is_decided) == (None, False)


def test_all_opponents_get_the_same_openings(tmp_path: Path) -> None:
    players = [RANDOM, RANDOM.named("b"), RANDOM.named("c")]
    definition = small(*players, kind="round-robin", pairs=2)
    folder = begin(tmp_path, definition)
    cluster = FakeCluster(results=played)
    play(folder, cluster)
    by_opening = Counter((task.scheduled.opening, task.moves) for task in cluster.done)
    assert by_opening == {(0, ("d4",)): 6, (1, ("c3", "d4")): 6}


def test_a_game_is_stored_before_it_is_reported(tmp_path: Path) -> None:
    folder = begin(tmp_path)

    def on_game(game: MatchGame | None) -> None:
        if game is not None:
            assert MatchFolder.read(tmp_path).games[-1] == game

    play(folder, FakeCluster(2, results=played), on_game=on_game)


@pytest.mark.parametrize("preset", ["random", "random,seed=3", "policy", "classical"])
def test_the_order_of_completion_does_not_matter(tmp_path: Path, preset: str) -> None:
    """Real games, on one worker and on many, by engines that have played before: the same bytes."""
    results, orders = set(), set()
    players = RANDOM, Player.parse(f"{preset},memory=4,name=Other")
    for seed, workers in enumerate((1, 2, 5, 20)):
        definition = small(*players, pairs=4, limit={"nodes": 20}, size=6)
        folder = begin(tmp_path / str(seed), definition)
        play(folder, FakeCluster(workers, seed))
        results.add(result_of(folder))
        orders.add(tuple(game.number for game in folder.games))
        assert Counter(game.number for game in folder.games) == Counter(range(8))
    assert len(results) == 1
    assert len(orders) > 1


def test_resuming(tmp_path: Path) -> None:
    """Only missing games are played, however often the run is interrupted."""
    whole = begin(tmp_path / "whole")
    play(whole, FakeCluster(results=played))
    begin(tmp_path / "parts")
    done: list[int] = []
    for seed in range(20):
        folder = MatchFolder.read(tmp_path / "parts")
        if len(folder.games) == 10:
            break
        cluster = FakeCluster(3, seed, played)
        before = len(folder.games)
        play(folder, cluster, stop=lambda: len(folder.games) > before + 2)  # noqa: B023
        done += numbers(cluster)
    assert sorted(done) == list(range(10))
    assert result_of(MatchFolder.read(tmp_path / "parts")) == result_of(whole)
    cluster = FakeCluster(results=played)
    play(MatchFolder.read(tmp_path / "parts"), cluster)
    assert cluster.done == []


def test_resuming_after_a_gap(tmp_path: Path) -> None:
    folder = begin(tmp_path)
    with folder.open_event_log():
        for game in games_of(folder.definition, lambda f: 0.5 if f.number in (0, 7, 8) else None):
            folder.add(game)
    cluster = FakeCluster(results=played)
    play(MatchFolder.read(tmp_path), cluster)
    assert numbers(cluster) == [1, 2, 3, 4, 5, 6, 9]


# --- failures ---


@pytest.mark.parametrize(("kind", "reason"), [("crash", "crash"), ("hang", "no_response")])
def test_a_worker_that_dies_is_a_lost_game(tmp_path: Path, kind: str, reason: str) -> None:
    def results(task: GameTask) -> MatchGame | Failure:
        if task.scheduled.number != 3:
            return played(task)
        loser, black, white = 0, task.scheduled.black, task.scheduled.white
        return Failure(kind, "it died", (loser, black, white, 1, 24, 0, -1))

    folder = begin(tmp_path)
    cluster = FakeCluster(2, results=results)
    play(folder, cluster)
    assert sorted(numbers(cluster)) == list(range(10))  # it is not played again
    (game,) = (game for game in folder.games if game.number == 3)
    assert (game.reason, game.detail, game.loser, game.at_fault) == (reason, "it died", 0, 0)
    assert (game.black, game.white, game.winner) == (1, 0, Colour.BLACK)
    assert (game.moves, game.opening_moves, game.opening) == (("d4", "a1", "pass"), 1, 1)


@pytest.mark.parametrize("number", [0, 4, 9])
@pytest.mark.parametrize("workers", [1, 3, 10])
def test_a_worker_that_dies_before_the_first_move_is_retried(
    tmp_path: Path, number: int, workers: int
) -> None:
    """Its game is played again, also if it was one of the last."""
    failures = 0

    def results(task: GameTask) -> MatchGame | Failure:
        nonlocal failures
        if task.scheduled.number == number and failures < 2:
            failures += 1
            return crash(task)
        return played(task)

    folder = begin(tmp_path)
    cluster = FakeCluster(workers, number, results)
    play(folder, cluster)
    assert Counter(numbers(cluster)) == Counter({n: 3 if n == number else 1 for n in range(10)})
    assert sorted(game.number for game in folder.games) == list(range(10))


def test_at_most_three_retries(tmp_path: Path) -> None:
    def results(task: GameTask) -> MatchGame | Failure:
        return crash(task) if task.scheduled.number == 9 else played(task)

    folder = begin(tmp_path)
    cluster = FakeCluster(2, results=results)
    with pytest.raises(ArenaFailed, match="game 10 cannot be played: the process ended with"):
        play(folder, cluster)
    assert Counter(numbers(cluster))[9] == 3
    assert len(MatchFolder.read(tmp_path).games) == 9


def test_errors_of_the_work(tmp_path: Path) -> None:
    def results(task: GameTask) -> MatchGame | Failure:
        failure = Failure("error", "BadArena: needs the tuning build", (1, 0, 1, 0))
        return failure if task.scheduled.number == 2 else played(task)

    folder = begin(tmp_path)
    with pytest.raises(ArenaFailed, match=r"game 3 .*BadArena: needs the tuning build"):
        play(folder, FakeCluster(results=results))
    assert len(MatchFolder.read(tmp_path).games) == 2


def test_an_event_log_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, room = EventLog.append, 4

    def full(event_log: EventLog, line: str) -> None:
        nonlocal room
        room -= 1
        if room < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        append(event_log, line)

    folder = begin(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(EventLog, "append", full)
        with pytest.raises(OSError, match="No space left"):
            play(folder, FakeCluster(3, results=played))
    assert len(folder.games) == 4
    again = MatchFolder.read(tmp_path)
    assert again.games == folder.games
    play(again, FakeCluster(3, results=played))
    whole = begin(tmp_path / "whole")
    play(whole, FakeCluster(results=played))
    assert result_of(again) == result_of(whole)


# --- sequential tests ---

TEST = {"elo0": 0, "elo1": 50}


def clear(fixture: ScheduledGame) -> float:
    """Player 0 wins most pairs."""
    if fixture.pair % 4 == 3:
        return 0.5
    return 1.0 if fixture.black == 0 else 0.0


def test_a_sequential_test_follows_the_schedule(tmp_path: Path) -> None:
    """However many games are under way and whichever end first: the same decision with the same
    pair, and the same result. What ended beside is kept, but not counted.
    """
    definition = small(pairs=200, sprt=TEST)
    games = {game.number: game for game in games_of(definition, clear)}
    results, extra = set(), []
    for seed, workers in enumerate((1, 2, 7, 30, 100)):
        folder = begin(tmp_path / str(seed), definition)
        cluster = FakeCluster(workers, seed, lambda task: games[task.scheduled.number])
        progress = play(folder, cluster)
        assert progress.decision == "H1"
        assert progress.sprt is not None
        assert progress.sprt.decide(progress.counts) == "H1"
        assert sum(progress.counts) == progress.pairs
        result = counted(definition, folder.games)
        assert [game.number for game in result] == list(range(2 * progress.pairs))
        results.add((progress.pairs, tuple(progress.counts), result_of(folder)))
        extra.append(len(folder.games) - len(result))
        assert len(folder.games) < total_games(definition)
    assert len(results) == 1
    assert extra[0] == 0
    assert max(extra) > 0


def test_a_decided_test_ends_the_run(tmp_path: Path) -> None:
    definition = small(pairs=200, sprt=TEST)
    folder = begin(tmp_path, definition)
    play(folder, FakeCluster(4, 1, lambda task: game_of(task.scheduled, won_by(1, task.scheduled))))
    again = MatchFolder.read(tmp_path)
    cluster = FakeCluster(4, results=played)
    assert play(again, cluster).decision == "H0"
    assert cluster.done == []


def won_by(player: int, fixture: ScheduledGame) -> Colour:
    return Colour.BLACK if fixture.black == player else Colour.WHITE


def test_progress_is_independent_of_the_order() -> None:
    definition = small(pairs=200, sprt=TEST)
    games = games_of(definition, clear)
    whole = MatchProgress(definition, games)
    assert 0 < whole.pairs < 200
    for seed in range(5):
        shuffled = games.copy()
        random.Random(seed).shuffle(shuffled)
        progress = MatchProgress(definition, shuffled)
        assert (progress.pairs, progress.counts) == (whole.pairs, whole.counts)
        assert counted(definition, shuffled) == games[: 2 * whole.pairs]


def test_a_pair_that_is_missing_is_waited_for() -> None:
    definition = small(pairs=200, sprt=TEST)
    games = [game for game in games_of(definition, clear) if game.number != 5]
    progress = MatchProgress(definition, games)
    assert (progress.pairs, progress.decision) == (2, None)
    assert counted(definition, games) == games
    progress.add(game_of(list(schedule(definition))[5], Colour.WHITE))
    assert progress.decision == "H1"


def test_without_a_test_all_games_count() -> None:
    definition = small(pairs=20)
    games = games_of(definition, clear)
    assert counted(definition, games[::-1]) == games
    assert MatchProgress(definition, games).decision is None
