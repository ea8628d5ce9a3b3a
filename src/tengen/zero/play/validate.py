# SPDX-License-Identifier: MIT
"""Validates the games a worker returns. A worker may be broken or run another version, so every row
is checked before it is stored: its form, its stones, and its order within the game. A bounded
sample is also checked against the rules, which costs more.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.data import BadData, Batch, unpack
from tengen.data.rows import RowFormat, check, present
from tengen.game import batch as rules
from tengen.game.rule import Rule
from tengen.zero.errors import BadResult
from tengen.zero.play.generator import SelfPlayGames
from tengen.zero.play.workers import SelfPlayTask, TaskResult

_SAMPLE = 512  # rows checked against the rules
# A result may have this many times the requested rows, and `_EXTRA_ROWS`: all games of a small task
# may end at once.
_MAX_ROWS_FACTOR = 20
_EXTRA_ROWS = 2_000_000
_MAX_PLAYOUTS = 1_000_000  # per move
Cells: TypeAlias = "npt.NDArray[np.uint8]"


def validate_games(
    result: object,
    task: SelfPlayTask,
    rule: Rule,
    size: int,
    moves: int = 0,
    *,
    columns: Set[str] = frozenset(),
) -> SelfPlayGames:
    """The games of a result, with rows of exactly the types of the format. `moves`: policy moves
    per row of this run, 0: not known yet. `columns`: columns of its rows, empty: not known yet.
    Raises BadResult.
    """
    try:
        if not isinstance(result, TaskResult) or not isinstance(result.games, SelfPlayGames):
            raise BadResult(f"expected games, got {type(result).__name__}")
        if result.task != task.name:
            raise BadResult(f"it belongs to task {result.task!r:.40}, not to {task.name}")
        games = result.games
        rows = _typed_rows(games, task, size, moves)
        _check_columns(rows, columns)
        _check_counts(games, len(rows.board), size)
        _check_order(rows, games.count)
        cells = unpack(rows.board, size).reshape(len(rows.board), -1)
        _check_stones(rows, cells)
        _check_rules(rows, cells, rule, size)
    except BadResult:
        raise
    except BadData as error:
        raise BadResult(str(error)) from None
    except Exception as error:  # invalid data can fail in any way
        raise BadResult(f"{type(error).__name__}: {error!s:.200}") from None
    return SelfPlayGames(rows, games.black, games.white, games.drawn, games.moves, games.playouts)


def _typed_rows(games: SelfPlayGames, task: SelfPlayTask, size: int, moves: int) -> Batch:
    rows = games.rows
    if not isinstance(rows, Batch):
        raise BadResult(f"expected rows in a Batch, got {type(rows).__name__}")
    for name, column in present(rows).items():
        if not isinstance(column, np.ndarray):
            raise BadResult(f"column {name!r} is not an array but {type(column).__name__}")
    if missing := {"to_move", "ply", "game"} - present(rows).keys():
        raise BadResult(f"missing column {', '.join(sorted(missing))}")
    count = len(rows.board)
    if not 0 < count <= _MAX_ROWS_FACTOR * task.positions + _EXTRA_ROWS:
        raise BadResult(f"{count:,} positions, requested were {task.positions:,}")
    if rows.move.ndim != 2 or (moves and rows.move.shape[1] != moves):
        raise BadResult(f"policies have shape {rows.move.shape}, not [{count}, {moves or 'K'}]")
    form = RowFormat(size, rows.move.shape[1])
    typed = form.fitted(rows)
    check(typed, form)
    return typed


def _check_columns(rows: Batch, columns: Set[str]) -> None:
    """The columns are those of the rows stored earlier."""
    names = present(rows).keys()
    if columns and names != columns:
        missing, added = sorted(columns - names), sorted(names - columns)
        raise BadResult(f"columns differ from the run's: missing {missing}, added {added}")


def _check_counts(games: SelfPlayGames, rows: int, size: int) -> None:
    for name in ("black", "white", "drawn", "moves", "playouts"):
        value: Any = getattr(games, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise BadResult(f"{name} is {value!r:.40}, not a count")
    if not games.count:
        raise BadResult("it has rows, but no game")
    # The last position of a game can be a row as well: one that a solver decided.
    max_moves = games.count * size * size
    if games.count > rows + _EXTRA_ROWS or not rows - games.count <= games.moves <= max_moves:
        counts = f"{games.count:,} games, {games.moves:,} moves, {rows:,} rows"
        raise BadResult(f"inconsistent counts: {counts}")
    if games.playouts > (games.moves + games.count) * _MAX_PLAYOUTS:
        raise BadResult(f"{games.playouts:,} playouts are too many for {games.moves:,} moves")


def _check_order(rows: Batch, games: int) -> None:
    """Games follow one another, each in one piece, positions in the order of play."""
    assert rows.game is not None
    assert rows.ply is not None
    game, ply = rows.game.astype(np.int64), rows.ply.astype(np.int64)
    if game.min() < 0 or game.max() >= games:
        raise BadResult(f"game number {int(game.max())}, but there are {games} games")
    starts = np.flatnonzero(np.diff(game, prepend=-1))
    if len(np.unique(game)) != len(starts):
        raise BadResult("the rows of a game are not contiguous")
    same = np.diff(game) == 0
    if (np.diff(ply)[same] <= 0).any():
        raise BadResult("two rows of a game have the same ply, or are out of order")


def _check_stones(rows: Batch, cells: Cells) -> None:
    """As many stones as plies; stones of a game never disappear."""
    assert rows.game is not None
    assert rows.ply is not None
    assert rows.to_move is not None
    stones = np.count_nonzero(cells, axis=1)
    if (wrong := stones != rows.ply).any():
        row = int(np.flatnonzero(wrong)[0])
        raise BadResult(f"row {row} has {stones[row]} stones after {rows.ply[row]} moves")
    if (rows.to_move != 1 + rows.ply % 2).any():
        raise BadResult("black is to move after an odd number of moves, or white after an even one")
    coloured = np.where((rows.to_move == 2)[:, None] & (cells > 0), 3 - cells, cells)
    before, after = coloured[:-1], coloured[1:]
    lost = ((before > 0) & (before != after)).any(axis=1) & (np.diff(rows.game) == 0)
    if lost.any():
        row = int(np.flatnonzero(lost)[0]) + 1
        raise BadResult(f"row {row} lacks a stone of the row before it")
    if (np.abs((coloured == 1).sum(1, dtype=np.int64) - (coloured == 2).sum(1)) > 1).any():
        raise BadResult("one side has two stones more than the other")


def _check_rules(rows: Batch, cells: Cells, rule: Rule, size: int) -> None:
    """In a sample of rows, no game is over and all policy moves are legal."""
    assert rows.to_move is not None
    count = len(cells)
    sample = np.unique(np.linspace(0, count - 1, min(count, _SAMPLE)).astype(np.int64))
    cells, sides = cells[sample], rows.to_move[sample]
    coloured = np.where((sides == 2)[:, None] & (cells > 0), 3 - cells, cells)
    coloured = coloured.reshape(-1, size, size)
    over = rules.outcome(coloured, rule, sides, threads=1) != 0
    if over.any():
        raise BadResult(f"the game of row {sample[np.flatnonzero(over)[0]]} is over")
    legal = rules.legal(coloured, rule, sides, threads=1).reshape(len(cells), -1)
    playable = np.take_along_axis(legal, rows.move[sample].astype(np.int64), axis=1)
    wrong = ((rows.prob[sample] > 0) & ~playable).any(axis=1)
    if wrong.any():
        row = sample[np.flatnonzero(wrong)[0]]
        raise BadResult(f"row {row} has a policy move that is illegal under {rule}")
