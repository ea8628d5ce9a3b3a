# SPDX-License-Identifier: MIT
"""Games against faulty engines in real workers: each loses for the right reason, harmless faults
lose nothing, and no process is left.
"""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import count, islice, product
from pathlib import Path
from typing import Any

import pytest

from arena_fakes import RANDOM, FakeProgressRecord, small
from faulty_engine import LOSING
from left_processes import TOKEN, alive, all_gone, new_token
from tengen.arena.definition import Definition, ScheduledGame
from tengen.arena.game import FAULTS, MatchGame
from tengen.arena.game_task import GameTask, play_game
from tengen.arena.match_folder import MatchFolder
from tengen.arena.match_runner import run_match
from tengen.arena.player import Player
from tengen.cluster import LocalCluster
from tengen.game.rule import Colour

NASTY = Path(__file__).with_name("faulty_engine.py")
# Odd, but no reason to lose.
FINE = [
    "",
    "flood",
    "bytes",
    "complains",
    "no about",
    "nameless",
    "no restart",
    "suggests",
    "has a child",
    "stays",
    "long line",
]
SLOW = ("no_response", "output")  # end only after the grace period


@pytest.fixture
def token() -> Iterator[str]:
    """Marks the nasty programs and what they start; none of them is left at the end."""
    result = new_token()
    yield result
    assert all_gone(result)


def nasty(token: str, *message: str) -> Player:
    command = shlex.join([sys.executable, str(NASTY), *message])
    return Player("Nasty", command=command, env={TOKEN: token})


def match(player: Player, **values: Any) -> Definition:
    """A short match against a nasty player: he is the second one."""
    defaults = {"size": 15, "limit": {"time": 0.05}, "tolerance": 0.75}
    return small(RANDOM, player, **(defaults | values))


def losing_tasks(token: str) -> Iterator[GameTask]:
    """A game for each fault that loses; the longest ones first."""
    faults = sorted(LOSING, key=lambda fault: LOSING[fault] not in SLOW)
    for number, fault in enumerate(faults):
        grace = 1.5 if LOSING[fault] in SLOW else 20.0
        definition = match(nasty(token, fault), response_grace=grace)
        colours = (0, 1) if number % 2 else (1, 0)
        yield GameTask(definition, ScheduledGame(0, 0, *colours, 0), ("h8", "i9"))


def manner_of(task: GameTask) -> str:
    return shlex.split(task.definition.players[1].command)[2]


@pytest.mark.integration
def test_faulty_engines_lose(token: str) -> None:
    games: dict[str, MatchGame] = {}
    with LocalCluster(2) as cluster:
        for done in cluster.run(play_game, losing_tasks(token)):
            if done is not None:
                assert isinstance(done.result, MatchGame), done.result
                games[manner_of(done.task)] = done.result
    assert {fault: game.reason for fault, game in games.items()} == LOSING
    for game in games.values():
        assert game.loser == game.at_fault == 1
        assert game.detail
        assert game.moves[:2] == ("h8", "i9")
        assert game.opening_moves == 2
    assert "out of luck" in games["crash"].detail
    assert "I resign" in games["garbage"].detail
    assert games["illegal"].moves.count("a1") == 1


@pytest.mark.integration
def test_harmless_faults_do_not_lose(token: str) -> None:
    """Three games each, so that one of the two workers has the program play twice."""
    players = [nasty(token, fault) for fault in FINE]
    limits = {"limit": {"time": 20}, "response_grace": 2.0, "max_moves": 4}
    games: dict[str, list[MatchGame]] = {fault: [] for fault in FINE}
    with LocalCluster(2) as cluster:
        tasks = (
            GameTask(
                match(player, **limits), ScheduledGame(number, number // 2, 1, 0, 0), ("h8", "i9")
            )
            for player, number in product(players, range(3))
        )
        for done in cluster.run(play_game, tasks):
            if done is not None:
                assert isinstance(done.result, MatchGame), done.result
                games[manner_of(done.task)].append(done.result)
        assert alive(token)
    for fault, actual in games.items():
        assert [game.reason for game in actual] == ["move_limit"] * 3, fault
        assert {game.moves[2] for game in actual} == {"d4" if fault == "suggests" else "b2"}


def test_a_slow_start_takes_no_time_of_a_move(token: str) -> None:
    definition = match(nasty(token, "slow start"), max_moves=4)
    tasks = [
        GameTask(definition, ScheduledGame(n, 0, *colours, 0), ("h8", "i9"))
        for n, colours in enumerate(((0, 1), (1, 0)))
    ]
    with LocalCluster(2) as cluster:
        games = [done.result for done in cluster.run(play_game, tasks) if done is not None]
    assert [game.reason for game in games if isinstance(game, MatchGame)] == ["move_limit"] * 2


def test_a_program_that_does_not_start() -> None:
    definition = match(Player("None", command="/no/such/program"))
    for colours, winner in (((1, 0), Colour.WHITE), ((0, 1), Colour.BLACK)):
        task = GameTask(definition, ScheduledGame(0, 0, *colours, 0), ("h8",))
        game = play_game(task, FakeProgressRecord())
        assert (game.winner, game.reason, game.moves) == (winner, "crash", ("h8",))
        assert "cannot be started" in game.detail
        assert game.loser == 1


def test_a_new_process_for_each_game(token: str, tmp_path: Path) -> None:
    """A player with `restart`, or after an error, gets a new process; others keep theirs."""
    for restart, fault, expected in ((False, "", 1), (True, "", 2), (False, "odd", 2)):
        starts = tmp_path / f"{restart} {fault}"
        command = f"exec {nasty(token, fault).command}"
        counting = f"echo start >> {shlex.quote(str(starts))}; {command}"
        player = Player(
            f"Nasty {restart} {fault}",
            command=shlex.join(["sh", "-c", counting]),
            env={TOKEN: token},
            restart=restart,
        )
        with LocalCluster(1) as cluster:
            definition = match(player, max_moves=2, limit={"time": 20})
            tasks = (GameTask(definition, ScheduledGame(n, 0, 1, 0, 0)) for n in range(2))
            assert len([done for done in cluster.run(play_game, tasks) if done is not None]) == 2
        assert starts.read_text().count("start") == expected


@pytest.mark.slow
def test_a_hundred_games(token: str, tmp_path: Path) -> None:
    """A whole match against a program that has another fault each time it is started."""
    player = nasty(token, "--each", str(tmp_path / "starts"))
    definition = match(player, pairs=50, response_grace=3.0)
    folder = MatchFolder.create(tmp_path / "run", definition, [("h8", "i9")])
    with folder.open_event_log(), LocalCluster(2) as cluster:
        run_match(folder, cluster)
    assert sorted(game.number for game in folder.games) == list(range(100))
    faults = [list(LOSING)[n % len(LOSING)] for n in islice(count(), 100)]
    assert Counter(game.reason for game in folder.games) == Counter(LOSING[m] for m in faults)
    assert all(game.at_fault == 1 for game in folder.games)
    assert {game.reason for game in folder.games} <= set(FAULTS)
    again = MatchFolder.read(tmp_path / "run")
    assert [game.result() for game in again.games] == [game.result() for game in folder.games]
