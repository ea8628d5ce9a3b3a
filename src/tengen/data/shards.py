# SPDX-License-Identifier: MIT
"""The files of a shard: written completely or not at all, memory-mapped, verified.

Each column is a `.npy` file. All files of a new shard are written under temporary names, synced and
renamed; the manifest names them last.
"""

from __future__ import annotations

import io
import os
import re
import tokenize
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import numpy as np

from tengen.data.errors import BadData
from tengen.data.manifest import REPAIR, Shard
from tengen.data.rows import Batch, Column, RowFormat, present
from tengen.util.files import sync_folder

_PART = ".part"  # suffix of a file that is being written
_COLUMN_FILE = re.compile(r"\d{5,9}\.[a-z_]+\.npy(\.part)?", re.ASCII)
_PIECE = 1 << 22  # bytes per read or write


def is_column_file(path: Path) -> bool:
    """Whether a file has the name of a column file, complete or not."""
    return _COLUMN_FILE.fullmatch(path.name) is not None


def remove_leftovers(folder: Path, shards: tuple[Shard, ...]) -> None:
    """Remove column files that no shard names: leftovers of a killed writer."""
    named = {shard.file(folder, column).name for shard in shards for column in shard.columns}
    for path in folder.iterdir():
        if is_column_file(path) and path.name not in named:
            path.unlink()


def write_shard(folder: Path, name: str, rows: Batch, origin: str = "") -> Shard:
    """Write the files of a shard, all or none; returns its entry for the manifest.

    `rows` have the types of the format. Raises OSError and leaves nothing behind.
    """
    crcs: dict[str, str] = {}
    written: list[Path] = []
    columns = present(rows)
    try:
        for column, data in columns.items():
            path = folder / f"{name}.{column}.npy{_PART}"
            written.append(path)
            crcs[column] = _write_column(path, data)
        for path in written:
            path.replace(path.with_suffix(""))
        sync_folder(folder)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
            path.with_suffix("").unlink(missing_ok=True)
        raise
    return Shard(name, len(rows.board), crcs, origin)


def _write_column(path: Path, data: Column) -> str:
    """Write a column and sync it; returns its CRC."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(data))
    crc = 0
    with path.open("wb", buffering=0) as file:
        for piece in (header.getvalue(), *_pieces(data)):
            crc = zlib.crc32(piece, crc)
            _write_all(file.write, piece)
        os.fsync(file.fileno())
    return f"{crc:08x}"


def _pieces(data: Column) -> Iterator[bytes]:
    """The bytes of an array in pieces."""
    step = max(1, _PIECE // max(1, data.itemsize * int(np.prod(data.shape[1:]))))
    for start in range(0, len(data), step):
        yield data[start : start + step].tobytes()


def _write_all(write: Callable[[bytes], int | None], data: bytes) -> None:
    """A nearly full disk accepts a part first, and fails at the rest."""
    while data:
        data = data[write(data) or 0 :]


def map_column(folder: Path, shard: Shard, column: str, form: RowFormat) -> Column:
    """A column of a shard, memory-mapped read-only. Raises BadData if the file does not have the
    size and type of the manifest: reading past its end would kill the process.
    """
    path = shard.file(folder, column)
    try:
        with path.open("rb") as file:
            offset = _check_header(file, path, shard, column, form)
        mapped = np.memmap(
            path, form.dtype(column), "r", offset, form.shape(column, shard.positions)
        )
    except FileNotFoundError:
        raise BadData(f"{path} is missing: {REPAIR}") from None
    return mapped.view(np.ndarray)


def _check_header(file: IO[bytes], path: Path, shard: Shard, column: str, form: RowFormat) -> int:
    """The offset of the data in the file, which is checked."""
    shape, dtype = form.shape(column, shard.positions), form.dtype(column)
    try:
        np.lib.format.read_magic(file)
        actual, fortran, kind = np.lib.format.read_array_header_1_0(file)
    except (ValueError, SyntaxError, tokenize.TokenError) as error:  # NumPy lets its parser's out
        raise BadData(f"{path} is not a column of numbers ({error}): {REPAIR}") from None
    if actual != shape or kind != dtype or (fortran and len(shape) > 1):
        problem = f"{path} has {kind} {list(actual)}, the manifest says {dtype} {list(shape)}"
        raise BadData(f"{problem}: {REPAIR}")
    begin = file.tell()
    wanted = begin + dtype.itemsize * int(np.prod(shape))
    size = os.fstat(file.fileno()).st_size
    if size != wanted:
        problem = "is cut off" if size < wanted else "is too long"
        raise BadData(f"{path} {problem}: it has {size:,} of {wanted:,} bytes; {REPAIR}")
    return begin


def verify_column(
    folder: Path, shard: Shard, column: str, on_read: Callable[[int], None] | None = None
) -> None:
    """Check the CRC of a column file. `on_read` gets the number of bytes read. Raises BadData."""
    path = shard.file(folder, column)
    crc = 0
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                crc = zlib.crc32(piece, crc)
                if on_read is not None:
                    on_read(len(piece))
    except FileNotFoundError:
        raise BadData(f"{path} is missing: {REPAIR}") from None
    if f"{crc:08x}" != shard.columns[column]:
        problem = f"{path} is damaged: its CRC is {crc:08x}, the manifest says"
        raise BadData(f"{problem} {shard.columns[column]}; {REPAIR}")
