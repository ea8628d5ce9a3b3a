# SPDX-License-Identifier: MIT
"""Positions of the pilot of zero learning: a folder of `part_NN.npz`, freestyle 15x15.

A part holds `board` uint8 [n, 57] (packed as in our shards), `move` and `prob` uint8 [n, 8] (the
likeliest moves and their weights out of 255) and `wl` uint8 [n, 2] (win and loss out of 255). Whose
turn it is follows from the stones. Each part becomes a shard, so an import that was interrupted
goes on with the next part. Relies on the writer; the command line relies on it.
"""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

import numpy as np

from tengen.data.errors import BadData
from tengen.data.importers.base import Progress, begin, end
from tengen.data.manifest import Manifest
from tengen.data.packing import unpack
from tengen.data.rows import Batch, Column
from tengen.data.writer import DataWriter
from tengen.game.rule import Rule

__all__ = ["import_zero15"]

SIZE = 15
MOVES = 8
TERMS = "made for this project: free to use, nets trained on it may ship"
_COLUMNS = ("board", "move", "prob", "wl")


def import_zero15(
    folder: Path,
    out: Path,
    *,
    name: str = "zero15",
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Manifest:
    """Make a data set of the parts of a folder, or go on with it. `progress` counts parts.

    Raises BadData with the part and what is wrong with it, and OSError.
    """
    parts = sorted(folder.glob("part_*.npz"))
    if not parts:
        raise BadData(f"{folder} has no part_00.npz: give the folder with the parts")
    files = [[one.name, one.stat().st_size] for one in parts]
    recipe = {"importer": "zero15", "columns": "with to_move", "files": files}
    manifest = Manifest(
        name,
        Rule.FREESTYLE,
        SIZE,
        MOVES,
        source=f"self-play of the pilot of zero learning, {len(parts)} parts",
        terms=TERMS,
        ships=True,
        recipe=recipe,
    )
    with begin(out, manifest, overwrite) as writer:
        done = {shard.origin for shard in writer.manifest.shards}
        for number, part in enumerate(parts):
            if part.name not in done:
                _import_part(writer, part)
            if progress is not None:
                progress(number + 1, len(parts), writer.manifest.positions)
        return end(writer, f"{folder}: the parts hold no position")


def _import_part(writer: DataWriter, part: Path) -> None:
    columns = _read(part)
    value, corrected = _value(columns["wl"])
    board, move = columns["board"], columns["move"].astype(np.uint16)
    try:
        rows = Batch(board, move, columns["prob"], value, to_move=_to_move(board))
        writer.write(rows, part.name, {"positions": len(value), "values corrected": corrected})
    except BadData as error:
        raise BadData(f"{part}: {error}; get this part again") from None


def _to_move(board: Column) -> Column:
    """1 for black, 2 for white: players take turns, and black begins. Raises BadData."""
    cells = unpack(board, SIZE)
    own, other = ((cells == side).sum(axis=(-2, -1)) for side in (1, 2))
    return np.where(own >= other, 1, 2).astype(np.uint8)


def _read(part: Path) -> dict[str, Column]:
    try:
        with part.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            if missing := [name for name in _COLUMNS if name not in archive]:
                words = f"{part}: column {', '.join(missing)} missing"
                raise BadData(f"{words}; a part of the pilot has {', '.join(_COLUMNS)}")
            return {name: archive[name] for name in _COLUMNS}
    except BadData:
        raise
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise BadData(f"{part} cannot be read ({error}): get this part again") from None


def _value(wl: Column) -> tuple[Column, int]:
    """Win and loss, and how many rows were corrected: where both were rounded up from a half they
    make 256, and the larger gives one back.
    """
    over = np.flatnonzero(wl.astype(np.uint16).sum(axis=1) == 256)
    value = wl.copy()
    value[over, np.argmax(wl[over], axis=1)] -= 1
    return value, len(over)
