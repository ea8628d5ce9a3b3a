# SPDX-License-Identifier: MIT
"""Shared by the benchmarks that play games: openings, matches that resume, progress messages."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tengen import Board, Rule
from tengen.arena import Definition, MatchFolder, openings_for, run_match
from tengen.arena.game import MatchGame
from tengen.arena.make_openings import Opening, draw_openings
from tengen.cluster import Cluster
from tengen.util.files import locked

__all__ = ["Every", "draw_opening", "limited_board", "play_match", "random_board", "say"]


class Every:
    """True at most once in `seconds`, and not at first."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._last = time.monotonic()

    def __call__(self) -> bool:
        due = time.monotonic() - self._last >= self._seconds
        if due:
            self._last = time.monotonic()
        return due


def say(message: str) -> None:
    """Print a progress message."""
    print(message, file=sys.stderr, flush=True)


def draw_opening(rng: random.Random, size: int, rule: Rule) -> Opening:
    return next(draw_openings(rng.getrandbits(31), size, rule))


def limited_board(opening: Opening, size: int, rule: Rule) -> Board:
    """A board with an opening, and a draw after four fifths of its points."""
    board = Board(size, rule, move_limit=size * size * 4 // 5)
    for move in opening:
        board.push(move)
    return board


def random_board(rng: random.Random, size: int, rule: Rule) -> Board:
    return limited_board(draw_opening(rng, size, rule), size, rule)


def play_match(
    path: Path,
    definition: Definition,
    cluster: Cluster,
    stop: Callable[[], bool],
    players: Cluster | None = None,
) -> MatchFolder:
    """Play the games that the folder lacks, and return it. `players` replaces the cluster for the
    games. Raises SystemExit if the folder has another definition.
    """
    path.mkdir(parents=True, exist_ok=True)
    with locked(path):
        if (path / "arena.json").exists():
            folder = MatchFolder.read(path)
            if folder.definition != definition:
                raise SystemExit(f"{path} has other options: use another --out")
        else:
            folder = MatchFolder.create(path, definition, openings_for(definition, cluster))
        due = Every(20)

        def on_game(_: MatchGame | None) -> None:
            if due():
                say(f"{definition.event}: {len(folder.games)} games")

        with folder.open_journal():
            run_match(folder, players or cluster, stop=stop, on_game=on_game)
    return folder
