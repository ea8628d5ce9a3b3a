# SPDX-License-Identifier: MIT
"""Positions of a net's own searches with what it says of them: games of an engine against itself,
of whose searches a share of the positions is kept. Relies on the engine and the cluster;
`guess_fit` learns from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random

import numpy as np
import numpy.typing as npt

from tengen.cluster import Cluster, Failure, Notes
from tengen.engine.engine import Engine
from tengen.engine.errors import BadNet
from tengen.engine.limit import Limit
from tengen.game.board import Board
from tengen.game.rule import Rule

__all__ = ["SampleTask", "Samples", "collect", "play_game"]

_SHARE = 16  # of 1024 positions that a value is asked of
_NODES = (3_000, 8_000, 20_000)  # of a search, by chance
_FIRST_STONES = (2, 6)  # of an opening, near the centre


@dataclass(frozen=True)
class SampleTask:
    """A game to be played."""

    net: str
    rule: str
    size: int
    seed: int


@dataclass(frozen=True)
class Samples:
    """Positions and values."""

    boards: npt.NDArray[np.uint8]  # [n, size, size]: 0 empty, 1 black, 2 white
    to_move: npt.NDArray[np.uint8]  # [n]: 1 black, 2 white
    values: npt.NDArray[np.int32]  # [n]: points for the side to move

    def __len__(self) -> int:
        return len(self.values)


@lru_cache(maxsize=1)
def _engine(net: str) -> Engine:
    """A worker's engine, kept from game to game."""
    return Engine("alphabeta", net=net, memory=16)


def play_game(task: SampleTask, notes: Notes) -> Samples:
    """One game of the net against itself; what its searches looked at."""
    engine, chance = _engine(task.net), Random(task.seed)
    engine.new_game()
    board = _opening(task, chance)
    engine.keep_samples(_SHARE)
    while not board.is_over():
        notes.write(board.ply)
        move = engine.play(board, Limit(nodes=chance.choice(_NODES))).move
        board.push(move)
    boards, to_move, values = engine.take_samples()
    return Samples(boards.reshape(-1, task.size, task.size), to_move, values)


def _opening(task: SampleTask, chance: Random) -> Board:
    """A board with a few stones near its centre, each within two points of another one."""
    board = Board(task.size, Rule.parse(task.rule))
    middle, stones = task.size // 2, chance.randint(*_FIRST_STONES)
    while board.ply < stones and not board.is_over():
        near = board.moves[chance.randrange(board.ply)] if board.ply else None
        x, y = (near.x, near.y) if near is not None else (middle, middle)
        spot = x + chance.randint(-2, 2), y + chance.randint(-2, 2)
        inside = all(0 <= part < task.size for part in spot)
        if inside and board.is_legal(spot):
            board.push(spot)
    return board


def collect(
    net: str, rule: Rule, size: int, games: int, cluster: Cluster, *, seed: int = 1
) -> Iterator[Samples]:
    """The samples of so many games, as they come. Raises BadNet if a game failed."""
    tasks = (SampleTask(net, str(rule), size, seed * 1_000_003 + game) for game in range(games))
    for done in cluster.run(play_game, tasks):
        if done is None:
            continue
        if isinstance(done.result, Failure):
            raise BadNet(f"a game failed: {done.result.words}", net)
        yield done.result
