# SPDX-License-Identifier: MIT
"""Whether what a worker gave back can be games. A worker may be broken, of another version, or on a
machine with bad memory: nothing that it says is believed before it was looked at. Relies on the
checks of rows and on the board's rules; the loop relies on it.

All rows are checked for their form, their stones and their order within a game; a bounded sample
for what the rule says of them, since that costs more.
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
from tengen.zero.generator import Games
from tengen.zero.worker import Played, Task

__all__ = ["judge"]

_SAMPLE = 512  # rows whose moves are asked of the rules
_MOST_ROWS = 20  # times the rows that were asked for, and as much for the games of a small task
_ROOM = 2_000_000
_MOST_PLAYOUTS = 1_000_000  # for a move
Cells: TypeAlias = "npt.NDArray[np.uint8]"


def judge(
    found: object,
    task: Task,
    rule: Rule,
    size: int,
    moves: int = 0,
    *,
    columns: Set[str] = frozenset(),
) -> Games:
    """The games, with rows of exactly the types of the format, if they are good. `moves` is what
    the rows of the run have a policy of, 0: not known yet; `columns` what they consist of, none:
    not known yet. Raises BadResult.
    """
    try:
        if not isinstance(found, Played) or not isinstance(found.games, Games):
            raise BadResult(f"it is no games but {type(found).__name__}")
        if found.task != task.name:
            raise BadResult(f"it is of task {found.task!r:.40}, not of {task.name}")
        games = found.games
        rows = _formed(games, task, size, moves)
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
    except Exception as error:  # garbage fails in any way it likes
        raise BadResult(f"{type(error).__name__}: {error!s:.200}") from None
    return Games(rows, games.black, games.white, games.drawn, games.moves, games.playouts)


def _formed(games: Games, task: Task, size: int, moves: int) -> Batch:
    """The rows, with the types of the format."""
    rows = games.rows
    if not isinstance(rows, Batch):
        raise BadResult(f"its rows are no batch but {type(rows).__name__}")
    for name, column in present(rows).items():
        if not isinstance(column, np.ndarray):
            raise BadResult(f"its column {name!r} is no array but {type(column).__name__}")
    if missing := {"to_move", "ply", "game"} - present(rows).keys():
        raise BadResult(f"it has no column {', '.join(sorted(missing))}")
    count = len(rows.board)
    if not 0 < count <= _MOST_ROWS * task.rows + _ROOM:
        raise BadResult(f"it has {count:,} rows where {task.rows:,} were asked for")
    if rows.move.ndim != 2 or (moves and rows.move.shape[1] != moves):
        raise BadResult(f"its policies have shape {rows.move.shape}, not [{count}, {moves or 'K'}]")
    form = RowFormat(size, rows.move.shape[1])
    fitted = form.fitted(rows)
    check(fitted, form)
    return fitted


def _check_columns(rows: Batch, columns: Set[str]) -> None:
    """That they are those of the rows that are kept already."""
    found = present(rows).keys()
    if columns and found != columns:
        changes = {"lacks": columns - found, "adds": found - columns}
        words = [f"{verb} {', '.join(sorted(names))}" for verb, names in changes.items() if names]
        raise BadResult(f"it has not the columns of the run's rows: it {' and '.join(words)}")


def _check_counts(games: Games, rows: int, size: int) -> None:
    for name in ("black", "white", "drawn", "moves", "playouts"):
        value: Any = getattr(games, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise BadResult(f"its {name} is {value!r:.40}, no number of games or moves")
    if not games.count:
        raise BadResult("it has rows, but no game")
    # The last position of a game may be a row, too: one that a solver has decided.
    most = games.count * size * size
    if games.count > rows + _ROOM or not rows - games.count <= games.moves <= most:
        words = f"{games.count:,} games with {games.moves:,} moves and {rows:,} rows"
        raise BadResult(f"{words} cannot be")
    if games.playouts > (games.moves + games.count) * _MOST_PLAYOUTS:
        raise BadResult(f"{games.playouts:,} playouts for {games.moves:,} moves cannot be")


def _check_order(rows: Batch, games: int) -> None:
    """Games one after the other, none in two places, positions in the order they were reached."""
    assert rows.game is not None
    assert rows.ply is not None
    game, ply = rows.game.astype(np.int64), rows.ply.astype(np.int64)
    if game.min() < 0 or game.max() >= games:
        raise BadResult(f"a game is numbered {int(game.max())}, but there are {games}")
    begins = np.flatnonzero(np.diff(game, prepend=-1))
    if len(np.unique(game)) != len(begins):
        raise BadResult("the rows of a game are in two places: a number was given twice")
    same = np.diff(game) == 0
    if (np.diff(ply)[same] <= 0).any():
        raise BadResult("two rows of a game are of the same move, or in the wrong order")


def _check_stones(rows: Batch, cells: Cells) -> None:
    """As many stones as moves; of a game's next row all those of the one before, and new ones."""
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
        raise BadResult(f"row {row} lacks a stone that its game had before")
    if (np.abs((coloured == 1).sum(1, dtype=np.int64) - (coloured == 2).sum(1)) > 1).any():
        raise BadResult("a side has two stones more than the other")


def _check_rules(rows: Batch, cells: Cells, rule: Rule, size: int) -> None:
    """Of a sample: nobody has won yet, and the moves of the policy may be played."""
    assert rows.to_move is not None
    count = len(cells)
    places = np.unique(np.linspace(0, count - 1, min(count, _SAMPLE)).astype(np.int64))
    few, sides = cells[places], rows.to_move[places]
    coloured = np.where((sides == 2)[:, None] & (few > 0), 3 - few, few).reshape(-1, size, size)
    over = rules.outcome(coloured, rule, sides, threads=1) != 0
    if over.any():
        raise BadResult(f"row {places[np.flatnonzero(over)[0]]} is of a game that is over")
    legal = rules.legal(coloured, rule, sides, threads=1).reshape(len(few), -1)
    played = np.take_along_axis(legal, rows.move[places].astype(np.int64), axis=1)
    wrong = ((rows.prob[places] > 0) & ~played).any(axis=1)
    if wrong.any():
        row = places[np.flatnonzero(wrong)[0]]
        raise BadResult(f"row {row} has a policy move that the rule of {rule} forbids")
