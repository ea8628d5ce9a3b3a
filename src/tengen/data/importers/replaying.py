# SPDX-License-Identifier: MIT
"""Replays games on the native board and collects their positions with the move that was played and
the result. Positions that are left out are counted.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from tengen import _core
from tengen.data.importers.games import PASS, ImportedGame
from tengen.data.packing import other_side, pack
from tengen.data.rows import Batch
from tengen.game.rule import Colour, Rule

_BLACK, _WHITE = int(Colour.BLACK), int(Colour.WHITE)
_FULL = 255
# (win, loss) for black by the result of a game; unknown: a third each way.
_VALUES = {"B": (_FULL, 0), "W": (0, _FULL), "D": (0, 0), "?": (_FULL // 3, _FULL // 3)}
_WINNERS = ("D", "B", "W")  # by the number of the winner's colour
_ALL = 1 << 30  # more moves than any game has


class Positions:
    """Collects the positions of games. `counts` says what happened to every position."""

    def __init__(self, rule: Rule, size: int, skip: int, colour: Colour | None) -> None:
        """Leaves out positions after fewer than `skip` moves, and those of the other side than
        `colour`.
        """
        self.counts: Counter[str] = Counter()
        self._rule = list(Rule).index(rule)
        self._size = size
        self._skip = skip
        self._wanted = (_BLACK, _WHITE) if colour is None else (int(colour),)
        self._clear()

    def _clear(self) -> None:
        self._cells: list[bytes] = []
        self._moves: list[int] = []
        self._sides: list[int] = []
        self._plies: list[int] = []
        self._games: list[int] = []
        self._values: list[tuple[int, int]] = []

    def __len__(self) -> int:
        return len(self._moves)

    def add(self, game: ImportedGame, number: int) -> int:
        """Replay a game; returns the number of positions taken."""
        before = len(self)
        ended = self._play(game)
        result = game.result if ended is None else ended
        if ended is not None and game.result not in ("?", ended):
            self.counts["games with a wrong result"] += 1
        taken = len(self) - before
        win, loss = _VALUES[result]
        own = {_BLACK: (win, loss), _WHITE: (loss, win)}
        self._values += [own[side] for side in self._sides[before:]]
        self._games += [number] * taken
        self.counts["positions"] += taken
        return taken

    def _play(self, game: ImportedGame) -> str | None:
        """Take the positions up to the end of the game; the result if the board shows it."""
        moves = game.moves or []
        board = _core.Board(self._size, self._rule, 0)
        if game.black or game.white:
            board.set_up(game.black, game.white, _BLACK)
        ply = len(game.black) + len(game.white)
        for number, move in enumerate(moves):
            if game.colours is not None and game.colours[number] != board.side_to_move:
                board = _turned(board, game.colours[number])
            # First the outcome: other queries are invalid once the game is over.
            ending, winner, _ = board.outcome()
            if ending:
                self.counts["positions after the end"] += len(moves) - number
                return _WINNERS[winner]
            if fault := _fault(board, move):
                self.counts[fault] += 1
                self.counts["positions after an illegal move"] += len(moves) - number - 1
                return None
            self._take(board, move, ply)
            board.play(move)
            ply += 1
        ending, winner, _ = board.outcome()
        return _WINNERS[winner] if ending else None

    def _take(self, board: _core.Board, move: int, ply: int) -> None:
        """Keep a position, unless it is left out."""
        side = board.side_to_move
        if move == PASS:
            self.counts["passes"] += 1
        elif ply < self._skip:
            self.counts["opening moves"] += 1
        elif side not in self._wanted:
            self.counts["positions of the other colour"] += 1
        else:
            self._cells.append(board.cells())
            self._moves.append(move)
            self._sides.append(side)
            self._plies.append(ply)

    def rows(self) -> Batch:
        """The collected positions as rows; clears them, but not the counts."""
        count = len(self)
        area = self._size * self._size
        stones = np.frombuffer(b"".join(self._cells), np.uint8).reshape(count, area)
        sides = np.array(self._sides, np.uint8)
        boards = pack(stones, self._size)
        white = sides == _WHITE
        boards[white] = other_side(boards[white])
        rows = Batch(
            board=boards,
            move=np.array(self._moves, np.uint16).reshape(count, 1),
            prob=np.full((count, 1), _FULL, np.uint8),
            value=np.array(self._values, np.uint8).reshape(count, 2),
            to_move=sides,
            ply=np.array(self._plies, np.uint16),
            game=np.array(self._games, np.int32),
        )
        self._clear()
        return rows


def result_on_board(game: ImportedGame, rule: Rule, size: int) -> str | None:
    """How a game ended, if the board shows it."""
    return Positions(rule, size, _ALL, None)._play(game)  # keeps no position


def _fault(board: _core.Board, move: int) -> str:
    """Why a move is illegal, as the name of a count; empty if it is legal."""
    if move == PASS:
        return ""
    if board.cell(move):
        return "moves on a stone"
    return "forbidden moves" if board.side_to_move == _BLACK and board.forbidden(move) else ""


def _turned(board: _core.Board, side: int) -> _core.Board:
    """The same stones with the other side to move: one side moved twice in a row."""
    cells = board.cells()
    black, white = ([i for i, cell in enumerate(cells) if cell == c] for c in (_BLACK, _WHITE))
    turned = _core.Board(board.size, board.rule, 0)
    turned.set_up(black, white, side)
    return turned
