# SPDX-License-Identifier: MIT
"""The files of a shard: written so that it is complete or absent, mapped into memory, verified.

Each column is a `.npy` file. All files of a new shard are written under other names, brought to the
disk, and only then renamed; the manifest names them last. Relies on the manifest; the writer and
the reader of data sets rely on it.
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
from tengen.data.rows import Batch, Column, Form, present

__all__ = ["clear_leftovers", "is_ours", "map_column", "verify_column", "write_shard"]

_PART = ".part"  # the ending of a file that is being written
_OURS = re.compile(r"\d{5,9}\.[a-z_]+\.npy(\.part)?", re.ASCII)
_PIECE = 1 << 22  # bytes read or written at once


def is_ours(path: Path) -> bool:
    """Whether a file has the name of a column, finished or not."""
    return _OURS.fullmatch(path.name) is not None


def clear_leftovers(folder: Path, shards: tuple[Shard, ...]) -> None:
    """Take away the files of columns that no shard names: what a kill has left behind."""
    named = {shard.file(folder, column).name for shard in shards for column in shard.columns}
    for path in folder.iterdir():
        if is_ours(path) and path.name not in named:
            path.unlink()


def write_shard(folder: Path, name: str, rows: Batch, origin: str = "") -> Shard:
    """Write the files of a shard, all or none, and tell what the manifest shall say of it.

    `rows` are fitted to the format. Raises OSError, and then nothing is left behind.
    """
    crcs: dict[str, str] = {}
    begun: list[Path] = []
    columns = present(rows)
    try:
        for column, data in columns.items():
            path = folder / f"{name}.{column}.npy{_PART}"
            begun.append(path)
            crcs[column] = _write_column(path, data)
        for path in begun:
            path.replace(path.with_suffix(""))
        _sync_names(folder)
    except BaseException:
        for path in begun:
            path.unlink(missing_ok=True)
            path.with_suffix("").unlink(missing_ok=True)
        raise
    return Shard(name, len(rows.board), crcs, origin)


def _write_column(path: Path, data: Column) -> str:
    """Write a column to the disk itself; returns its CRC."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(data))
    crc = 0
    with path.open("wb", buffering=0) as file:
        for piece in (header.getvalue(), *_pieces(data)):
            crc = zlib.crc32(piece, crc)
            _write_all(file.write, piece)
        os.fsync(file.fileno())
    return f"{crc:08x}"


def _sync_names(folder: Path) -> None:
    """Bring the names of a folder to the disk, before the manifest relies on them."""
    if os.name == "posix":
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)


def _pieces(data: Column) -> Iterator[bytes]:
    """The bytes of an array, some at a time."""
    step = max(1, _PIECE // max(1, data.itemsize * int(np.prod(data.shape[1:]))))
    for start in range(0, len(data), step):
        yield data[start : start + step].tobytes()


def _write_all(write: Callable[[bytes], int | None], data: bytes) -> None:
    """A disk that is nearly full takes a part; the rest tells why."""
    while data:
        data = data[write(data) or 0 :]


def map_column(folder: Path, shard: Shard, column: str, form: Form) -> Column:
    """A column of a shard, mapped into memory, not writable. Raises BadData if the file is not of
    the size and type that the manifest tells: reading past its end would kill the process.
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


def _check_header(file: IO[bytes], path: Path, shard: Shard, column: str, form: Form) -> int:
    """Where the numbers of the file begin, if it is what it should be."""
    shape, dtype = form.shape(column, shard.positions), form.dtype(column)
    try:
        np.lib.format.read_magic(file)
        found, fortran, kind = np.lib.format.read_array_header_1_0(file)
    except (ValueError, SyntaxError, tokenize.TokenError) as error:  # NumPy lets its parser's out
        raise BadData(f"{path} is no column of numbers ({error}): {REPAIR}") from None
    if found != shape or kind != dtype or (fortran and len(shape) > 1):
        words = f"{path} holds {kind} {list(found)}, but the manifest says {dtype} {list(shape)}"
        raise BadData(f"{words}: {REPAIR}")
    begin = file.tell()
    wanted = begin + dtype.itemsize * int(np.prod(shape))
    size = os.fstat(file.fileno()).st_size
    if size != wanted:
        what = "is cut off: it has" if size < wanted else "is too long: it has"
        raise BadData(f"{path} {what} {size:,} of {wanted:,} bytes; {REPAIR}")
    return begin


def verify_column(
    folder: Path, shard: Shard, column: str, seen: Callable[[int], None] | None = None
) -> None:
    """That a file is the one that was written. `seen` is told of bytes read. Raises BadData."""
    path = shard.file(folder, column)
    crc = 0
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                crc = zlib.crc32(piece, crc)
                if seen is not None:
                    seen(len(piece))
    except FileNotFoundError:
        raise BadData(f"{path} is missing: {REPAIR}") from None
    if f"{crc:08x}" != shard.columns[column]:
        words = f"{path} is damaged: its CRC is {crc:08x}, the manifest says"
        raise BadData(f"{words} {shard.columns[column]}; {REPAIR}")
