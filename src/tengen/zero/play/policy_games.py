# SPDX-License-Identifier: MIT
"""Games of two nets without search, many at once: `PolicyGames` plays the move with the best prior
as the engine's `policy` preset does, with priority for an own five, the opponent's five and an own
open four. It has the methods of `SelfPlay` that a match uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch

from tengen.data.packing import own_view, pack
from tengen.game import batch as rules
from tengen.game.rule import Rule
from tengen.game.threat import Threat
from tengen.train.errors import TrainingFailed
from tengen.zero.errors import BadZero
from tengen.zero.play.inference import BatchBuffer, Evaluator
from tengen.zero.play.selfplay import PlayedGame

_REACH = 3  # lines from a stone at which moves are considered, as in cpp/search/position.cpp
# A square of two points around a stone, and three along its lines.
_NEAR = [
    (dy, dx)
    for dy in range(-_REACH, _REACH + 1)
    for dx in range(-_REACH, _REACH + 1)
    if max(abs(dy), abs(dx)) < _REACH or dy == 0 or dx == 0 or abs(dy) == abs(dx)
]
_DECISIVE = 1 << 17  # more than two logits can differ by

Array: TypeAlias = "npt.NDArray[Any]"


class PolicyGames:
    """One game from each opening, all advanced together. Not thread-safe."""

    def __init__(
        self, rule: str, size: int, games: int, evaluator: Evaluator, threads: int = 0
    ) -> None:
        """`evaluator`: of black's and white's net, which are set already; it reads and writes
        buffers in host memory. `threads`: for rules and threats; 0: one per core.
        """
        self._rule, self._size, self._threads = Rule.parse(rule), size, threads
        self._inference = evaluator
        self._buffer = BatchBuffer(games, size, torch.device("cpu"))
        self._boards = np.zeros((games, size, size), np.uint8)
        self._moves: list[list[int]] = []
        self._opening: list[int] = []  # stones of each opening
        self._winners = np.zeros(games, np.uint8)
        # The games in progress, those with black to move first, as in the buffer; legal points.
        self._batch: Array = np.zeros(0, np.intp)
        self._legal: Array = np.zeros((0, size, size), np.bool_)

    def start_games(self, openings: Sequence[Sequence[int]]) -> None:
        """Start a game from each opening (points); as many as there are games. Raises BadZero."""
        if not self._inference.is_ready:
            raise BadZero("no net to play with")
        if len(openings) != len(self._boards):
            raise BadZero(f"{len(openings)} openings for {len(self._boards)} games")
        self._boards[:] = 0
        for board, opening in zip(self._boards.reshape(len(openings), -1), openings, strict=True):
            if len(set(opening)) < len(opening) or not all(0 <= p < board.size for p in opening):
                raise BadZero("stones of an opening are on different points of the board")
            for ply, point in enumerate(opening):
                board[point] = 1 + ply % 2
        self._moves = [list(opening) for opening in openings]
        self._opening = [len(opening) for opening in openings]
        self._start_batch(np.arange(len(openings)))

    def advance_games(self) -> bool:
        """Play a move in each game; whether any of them is unfinished. Raises TrainingFailed if a
        net returns NaN.
        """
        games = self._batch
        if not len(games):
            return False
        self._buffer.wait()
        if not np.isfinite(self._buffer.values[: len(games)]).all():
            raise TrainingFailed("the net returns NaN: its weights are unusable")
        moves = self._choose(self._buffer.policies[: len(games)])
        self._boards.reshape(len(self._boards), -1)[games, moves] = self._sides(games)
        for game, move in zip(games, moves, strict=True):
            self._moves[game].append(int(move))
        self._start_batch(games)
        return len(self._batch) > 0

    def finished_games(self) -> list[PlayedGame]:
        """The games in the order of their openings, once all are finished."""
        return [
            PlayedGame(tuple(moves), opening, int(winner), "five" if winner else "draw")
            for moves, opening, winner in zip(
                self._moves, self._opening, self._winners, strict=True
            )
        ]

    def close(self) -> None:
        """Free memory. May be called more than once."""
        self._inference.close()

    def __enter__(self) -> PolicyGames:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _sides(self, games: Array) -> Array:
        return np.array([1 + len(self._moves[game]) % 2 for game in games], np.uint8)

    def _start_batch(self, games: Array) -> None:
        """Store the results of the games that are over, and start the evaluation of the others.
        Without a legal point, as for black in renju, the game is a draw.
        """
        boards, sides = self._boards[games], self._sides(games)
        outcome = rules.outcome(boards, self._rule, sides, threads=self._threads)
        legal = rules.legal(boards, self._rule, sides, threads=self._threads)
        over = (outcome != 0) | ~legal.any((1, 2))
        self._winners[games[over]] = np.where(outcome[over] < 3, outcome[over], 0)
        left = np.flatnonzero(~over)
        left = left[np.argsort(sides[left], kind="stable")]
        self._batch, self._legal = games[left], legal[left]
        if len(left):
            view = own_view(boards[left], sides[left])
            self._buffer.boards[: len(left)] = pack(view, self._size)
            black = int(np.count_nonzero(sides[left] == 1))
            self._inference.start(self._buffer, black, len(left) - black)

    def _choose(self, policies: Array) -> Array:
        """The moves, as points, by the logits [B, P] of the games in progress."""
        boards, sides = self._boards[self._batch], self._sides(self._batch)
        candidates = self._legal & _near_stones(boards)
        alone = ~candidates.any((1, 2))
        candidates[alone] = self._legal[alone]
        threats = rules.threats(boards, self._rule, threads=self._threads)
        order = np.arange(len(boards))
        own, other = threats[order, sides - 1], threats[order, 2 - sides]
        priority = np.where(own == Threat.OPEN_FOUR, 1, 0)
        priority = np.where(other == Threat.FIVE, 2, priority)
        priority = np.where(own == Threat.FIVE, 3, priority)
        score = policies.astype(np.int64) + _DECISIVE * priority.reshape(len(boards), -1)
        score[~candidates.reshape(len(boards), -1)] = -_DECISIVE
        moves: Array = score.argmax(1)
        return moves


def _near_stones(boards: Array) -> Array:
    """The points [B, size, size] near a stone; on an empty board the centre."""
    size = boards.shape[1]
    stones = np.pad(boards > 0, ((0, 0), (_REACH, _REACH), (_REACH, _REACH)))
    near = np.zeros(boards.shape, np.bool_)
    for dy, dx in _NEAR:
        near |= stones[:, _REACH + dy : _REACH + dy + size, _REACH + dx : _REACH + dx + size]
    near[~near.any((1, 2)), size // 2, size // 2] = True
    return near
