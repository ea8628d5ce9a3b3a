# SPDX-License-Identifier: MIT
"""Self-play for tests of the learning loop: random legal games with artificial policies, and
workers that return garbage. A separate module, so that worker processes find them by name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np

from tengen.data import Batch, own_view, pack
from tengen.data.rows import join
from tengen.game import batch as rules
from tengen.zero.play.generator import GameGenerator, SelfPlayGames, StopPlaying

MOVES = 4  # of a policy


class RandomGames:
    """Games of random legal moves. The policy is the move that was made, the value the
    result."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._rule, self._size = settings["rule"], settings["size"]
        self._chance = np.random.default_rng(settings["seed"])
        self.uses = 0

    def set_nets(self, *nets: Any) -> None:
        self.uses += 1

    def play(self, positions: int, heartbeat: Callable[[], None] = lambda: None) -> SelfPlayGames:
        parts: list[Batch] = []
        ends: list[int] = []
        rows = 0
        while rows < positions:
            part, winner = self._game(len(parts))
            parts.append(part)
            ends.append(winner)
            rows += len(part.board)
            try:
                heartbeat()
            except StopPlaying:  # a game has ended by now
                break
        counts = [ends.count(winner) for winner in (1, 2, 0)]
        return SelfPlayGames(join(parts), counts[0], counts[1], counts[2], rows, 2 * rows)

    def _game(self, number: int) -> tuple[Batch, int]:
        size = self._size
        board = np.zeros((1, size, size), np.uint8)
        boards: list[Any] = []
        points: list[int] = []
        winner = 0
        while True:
            side = 1 + len(boards) % 2
            legal = np.flatnonzero(rules.legal(board, self._rule, [side], threads=1))
            if not len(legal):
                break
            point = int(self._chance.choice(legal))
            boards.append(own_view(board[0], side).reshape(-1))
            points.append(point)
            board[0, point // size, point % size] = side
            result = int(rules.outcome(board, self._rule, [3 - side], threads=1)[0])
            if result:
                winner = result if result < 3 else 0
                break
        return self._rows(boards, points, winner, number), winner

    def _rows(self, boards: list[Any], points: list[int], winner: int, number: int) -> Batch:
        count = len(boards)
        move = np.zeros((count, MOVES), np.uint16)
        prob = np.zeros((count, MOVES), np.uint8)
        move[:, 0], prob[:, 0] = points, 255
        ply = np.arange(count, dtype=np.uint16)
        to_move = (1 + ply % 2).astype(np.uint8)
        won = np.where(winner == 0, 0, np.where(to_move == winner, 1, 2))
        value = np.stack([255 * (won == 1), 255 * (won == 2)], 1).astype(np.uint8)
        return Batch(
            pack(np.stack(boards), self._size),
            move,
            prob,
            value,
            to_move=to_move,
            ply=ply,
            game=np.full(count, number, np.int32),
            source=np.zeros(count, np.uint8),
        )

    def close(self) -> None:
        pass


def make_generator(settings: Mapping[str, Any], device: str) -> GameGenerator:
    return RandomGames(settings)


# --- garbage ---


def _changed(**columns: Callable[[Any], Any]) -> Callable[[SelfPlayGames], Any]:
    def change(games: SelfPlayGames) -> SelfPlayGames:
        made = {name: make(games.rows) for name, make in columns.items()}
        return replace(games, rows=games.rows._replace(**made))

    return change


def _with(column: Any, place: Any, value: Any) -> Any:
    made = np.array(column)
    made[place] = value
    return made


GARBAGE: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda games: None,
    "words": lambda games: "rubbish",
    "no rows": lambda games: replace(games, rows=None),
    "shape": _changed(board=lambda rows: rows.board[:, :-1]),
    "fewer values": _changed(value=lambda rows: rows.value[:-1]),
    "other policy": _changed(
        move=lambda rows: rows.move[:, :2], prob=lambda rows: rows.prob[:, :2]
    ),
    "no number": _changed(value=lambda rows: np.full(rows.value.shape, np.nan)),
    "huge": _changed(ply=lambda rows: rows.ply.astype(np.int64) + 2**40),
    "list": _changed(value=lambda rows: rows.value.tolist()),
    "stone three": _changed(board=lambda rows: _with(rows.board, (0, 0), 0xFF)),
    "off the board": _changed(move=lambda rows: _with(rows.move, (3, 0), 60_000)),
    "on a stone": _changed(move=lambda rows: _with(rows.move, (3, 0), rows.move[0, 0])),
    "values": _changed(value=lambda rows: np.full_like(rows.value, 200)),
    "game twice": _changed(game=lambda rows: _with(rows.game, -1, rows.game[0])),
    "game too high": _changed(game=lambda rows: rows.game + 1_000_000),
    "order": _changed(ply=lambda rows: rows.ply[::-1].copy()),
    "side": _changed(to_move=lambda rows: (3 - rows.to_move).astype(np.uint8)),
    "no column": _changed(to_move=lambda rows: None),
    "no source": _changed(source=lambda rows: None),
    "swapped rows": lambda games: replace(
        games,
        rows=games.rows._replace(
            board=np.concatenate([games.rows.board[:4][::-1], games.rows.board[4:]])
        ),
    ),
    "wins": lambda games: replace(games, black=-1),
    "moves": lambda games: replace(games, moves=10**15),
    "playouts": lambda games: replace(games, playouts=10**18),
    "half a game": lambda games: replace(games, white=0.5),
    "no game": lambda games: replace(games, black=0, white=0, drawn=0),
}


class Garbage(RandomGames):
    """Returns one kind of garbage; every `every`-th result is valid."""

    def __init__(self, settings: Mapping[str, Any], kind: str, every: int = 0) -> None:
        super().__init__(settings)
        self._kind, self._every = kind, every
        self._played = 0

    def play(self, positions: int, heartbeat: Callable[[], None] = lambda: None) -> Any:
        games = super().play(positions, heartbeat)
        self._played += 1
        if self._every and self._played % self._every == 0:
            return games
        return GARBAGE[self._kind](games)


def make_garbage(settings: Mapping[str, Any], device: str) -> Any:
    """Garbage of the kind that the settings name; from one worker alone if they name it, too."""
    from multiprocessing import current_process

    only = settings.get("only", "")
    if only and current_process().name != only:
        return RandomGames(settings)
    return Garbage(settings, settings["kind"], settings.get("every", 0))


class Slow(RandomGames):
    """Slow, with heartbeats."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self._seconds = settings["seconds"]

    def play(self, positions: int, heartbeat: Callable[[], None] = lambda: None) -> SelfPlayGames:
        end = monotonic() + self._seconds
        while monotonic() < end:
            sleep(0.05)
            heartbeat()
        return super().play(positions, heartbeat)


def make_slow(settings: Mapping[str, Any], device: str) -> GameGenerator:
    return Slow(settings)


class Dying(RandomGames):
    """The first one dies in the middle of its second task, and leaves a file as a mark."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self._mark = Path(settings["mark"])
        self._played = 0

    def play(self, positions: int, heartbeat: Callable[[], None] = lambda: None) -> SelfPlayGames:
        self._played += 1
        if self._played == 2 and not self._mark.exists():
            self._mark.touch()
            os._exit(3)
        return super().play(positions, heartbeat)


def make_dying(settings: Mapping[str, Any], device: str) -> GameGenerator:
    return Dying(settings)
