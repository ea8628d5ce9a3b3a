# SPDX-License-Identifier: MIT
"""Reader of positions from games of our own engine: the `.npz` files of benchmarks/selfplay.py,
one board size and one rule a file. docs/classical.md says what is in them.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scripts.classical.features import Array, Floats, Positions
from scripts.classical.write import POINTS_PER_LOGIT

from tengen.game.errors import TengenError
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Rule

CHUNK = 5000
HELD_OUT_EVERY = 20  # games; the last of each twenty is for validation
UNKNOWN = -32768  # in `value`


class BadGames(TengenError, ValueError):
    """A file that does not hold positions of games."""


@dataclass(frozen=True)
class Games:
    """The arrays of one file. A row is a position in which a move was chosen."""

    board: Array  # [n, size * size], 0 empty, 1 black, 2 white
    to_move: Array  # [n], 1 black, 2 white
    best: npt.NDArray[np.int16]  # [n], the best move found, y * size + x; -1 a pass
    result: npt.NDArray[np.int8]  # [n], of the game: 1 black won, 0 a draw, -1 white won
    value: npt.NDArray[np.int16]  # [n], points for the side to move; beyond +-29000 proven
    game: npt.NDArray[np.int32]  # [n], number of the game
    rule: Rule
    size: int


_DTYPES = {
    "board": np.uint8,
    "to_move": np.uint8,
    "best": np.int16,
    "result": np.int8,
    "value": np.int16,
    "game": np.int32,
}


def load(path: Path) -> Games:
    """Read one file; BadGames says what is wrong with it."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays: dict[str, Any] = {name: file[name] for name in _DTYPES}
            meta = json.loads(str(file["meta"]))
        games = Games(**arrays, rule=Rule.parse(meta["rule"]), size=int(meta["size"]))
    except (KeyError, ValueError, TypeError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise BadGames(f"{path} does not hold positions of games: {error}") from None
    check(games, str(path))
    return games


def check(games: Games, name: str) -> None:
    """BadGames where the arrays do not fit together."""
    if not MIN_SIZE <= games.size <= MAX_SIZE:
        raise BadGames(f"{name}: no board of size {games.size}")
    points = games.size * games.size
    for key, dtype in _DTYPES.items():
        array = getattr(games, key)
        shape = (len(games.board), points) if key == "board" else (len(games.board),)
        if array.dtype != dtype or array.shape != shape:
            raise BadGames(f"{name}: {key} is {array.dtype} {array.shape}, not {shape}")
    ranges = {"board": (0, 2), "to_move": (1, 2), "best": (-1, points - 1), "result": (-1, 1)}
    for key, (low, high) in ranges.items():
        array = getattr(games, key)
        if array.size and (array.min() < low or array.max() > high):
            raise BadGames(f"{name}: {key} holds something outside {low} to {high}")


def targets(games: Games, result_share: float) -> Floats:
    """Share of the points for the side to move: the game's result mixed with the search's value,
    or the result alone where no value is known. A proven win counts as a whole point.
    """
    sign = np.where(games.to_move == 1, 1, -1)
    result = (1 + sign * games.result) / 2
    searched = 1 / (1 + np.exp(-games.value.astype(np.float64) / POINTS_PER_LOGIT))
    mixed = result_share * result + (1 - result_share) * searched
    return np.where(games.value == UNKNOWN, result, mixed).astype(np.float32)


def read(games: Games, result_share: float) -> Iterator[Positions]:
    """The positions of one file, in chunks. Passes teach the value only."""
    value = targets(games, result_share)
    boards = games.board.reshape(-1, games.size, games.size)
    for start in range(0, len(value), CHUNK):
        rows = slice(start, start + CHUNK)
        best = games.best[rows].astype(np.int32)[:, None]
        yield Positions(
            boards=boards[rows],
            to_move=games.to_move[rows],
            value=value[rows],
            moves=np.maximum(best, 0),
            weights=(best >= 0).astype(np.float32),
            held_out=games.game[rows] % HELD_OUT_EVERY == HELD_OUT_EVERY - 1,
        )
