# SPDX-License-Identifier: MIT
"""The cache of baked nets: its folder, its files, clearing it (docs/cache.md). The native core
reads and writes the files; this module reads only their headers (docs/formats/codebook.md).
"""

from __future__ import annotations

import os
import re
import struct
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tengen import _core

_SUFFIX = ".codebook"
# A baked net, the lock of a process that bakes, and an unfinished file.
_CACHE_FILE = re.compile(r".+\.codebook(\.lock)?|\..+\.codebook\.[0-9a-f]+\.tmp", re.DOTALL)
_HEAD = struct.Struct("<8sIIIIQIIQQII")
_MAGIC = b"TENGENC1"
_FORMAT = 1
_FIRST_BOOK = 4096


@dataclass(frozen=True)
class CachedNet:
    """A file of the cache. `key`, the end of the file name, is the same for nets with the same
    codebooks."""

    path: Path
    name: str
    key: str
    bytes: int
    used: float  # time of the last use, as of time.time()
    channels: int
    checksum: int  # of the codebooks, as a net file has it


def cache_folder() -> Path | None:
    """The folder of baked nets: $TENGEN_CACHE, else the user's cache folder, else, if that is not
    usable, a private folder among the temporary files. None if there is none, or TENGEN_CACHE is
    `off`: then every process bakes its nets."""
    return _core.cache_folder()


def cached_nets(folder: Path | None = None) -> list[CachedNet]:
    """The valid files of the cache, the last used first."""
    where = cache_folder() if folder is None else folder
    entries = [_entry(path) for path in _files(where) if path.suffix == _SUFFIX]
    return sorted((entry for entry in entries if entry), key=lambda entry: -entry.used)


def clear_cache(folder: Path | None = None) -> list[Path]:
    """Delete all files of the cache, also unfinished ones, and return them. Keeps other files.
    Raises OSError if one cannot be deleted."""
    where = cache_folder() if folder is None else folder
    deleted = [path for path in _files(where) if _CACHE_FILE.fullmatch(path.name)]
    for path in deleted:
        path.unlink(missing_ok=True)
    return deleted


def _files(folder: Path | None) -> list[Path]:
    if folder is None:
        return []
    with suppress(OSError):
        return sorted(path for path in folder.iterdir() if path.is_file())
    return []


def _entry(path: Path) -> CachedNet | None:
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD.size)
            state = os.fstat(file.fileno())
    except OSError:
        return None
    if len(head) < _HEAD.size or zlib.crc32(head[:-4]) != int.from_bytes(head[-4:], "little"):
        return None
    magic, version, channels, _, _, _, _, _, book, checksum, _, _ = _HEAD.unpack(head)
    if magic != _MAGIC or version != _FORMAT or state.st_size != _FIRST_BOOK + 2 * book:
        return None
    name, _, key = path.name.removesuffix(_SUFFIX).rpartition("-")
    return CachedNet(path, name, key, state.st_size, state.st_mtime, channels, checksum)
