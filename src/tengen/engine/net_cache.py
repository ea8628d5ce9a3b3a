# SPDX-License-Identifier: MIT
"""The folder of baked nets: where it is, what lies in it, and how to empty it (docs/cache.md).

The native core reads and writes the files; here are only their names and headers
(docs/formats/codebook.md). Relies on the standard library alone. `native_net` and the command line
rely on it.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import sys
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CachedNet", "cache_folder", "cached_nets", "clear_cache"]

_ENDING = ".codebook"
# A baked net, the lock of a process that bakes, and an unfinished file.
_OURS = re.compile(r".+\.codebook(\.lock)?|\..+\.codebook\.[0-9a-f]+\.tmp", re.DOTALL)
_OFF = "off"
_HEAD = struct.Struct("<8sIIIIQIIQQII")
_MAGIC = b"TENGENC1"
_FORMAT = 1
_FIRST_BOOK = 4096
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True)
class CachedNet:
    """A file of the cache. `name` is that of the net, and `key` that of its weights: the end of the
    file's name, the same for nets whose codebooks are the same."""

    path: Path
    name: str
    key: str
    bytes: int
    used: float  # when it was last used, as of time.time()
    channels: int
    checksum: int  # of the codebooks, as a net file has it


def cache_folder() -> Path | None:
    """Where baked nets are kept: $TENGEN_CACHE, else the user's folder for such things, else, if
    that is of no use, one of the user's own among the temporary files, which is made if need be.
    None if that cannot be had either, or TENGEN_CACHE is `off`: nets are then baked by every
    process."""
    told = os.environ.get("TENGEN_CACHE", "")
    if told:
        return None if told.lower() == _OFF else Path(told)
    folder = _user_folder()
    return folder if folder is not None and _is_of_use(folder) else _temporary_folder()


def cached_nets(folder: Path | None = None) -> list[CachedNet]:
    """What the cache holds, the last used first. Files that are none are left out."""
    where = cache_folder() if folder is None else folder
    found = [_entry(path) for path in _files(where) if path.suffix == _ENDING]
    return sorted((entry for entry in found if entry), key=lambda entry: -entry.used)


def clear_cache(folder: Path | None = None) -> list[Path]:
    """Delete all files of the cache, unfinished ones too, and tell which. What else lies in the
    folder stays. Raises OSError if one cannot be deleted."""
    where = cache_folder() if folder is None else folder
    found = [path for path in _files(where) if _OURS.fullmatch(path.name)]
    for path in found:
        path.unlink(missing_ok=True)
    return found


def _user_folder() -> Path | None:
    given = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    if given and Path(given).is_absolute():
        return Path(given) / "tengen"
    try:
        return Path.home() / ".cache" / "tengen"
    except RuntimeError:  # the system knows no home for this user
        return None


def _is_of_use(folder: Path) -> bool:
    """Whether it can be written to, or made; or was filled by somebody else, to be read."""
    there = next((place for place in (folder, *folder.parents) if os.path.lexists(place)), None)
    if there is not None and there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return True
    return any(path.suffix == _ENDING for path in _files(folder))


def _temporary_folder() -> Path | None:
    """Where others may write, too, a folder counts only if it is of this user and closed to them:
    else they could put nets into it."""
    import tempfile  # late: it is rarely needed, and loads much

    try:
        above = Path(tempfile.gettempdir())
        if sys.platform == "win32":  # which has a temporary folder for each user
            return above / "tengen"
        folder = above / f"tengen-{os.geteuid()}"
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        state = folder.lstat()
    except OSError:
        return None
    is_own = stat.S_ISDIR(state.st_mode) and state.st_uid == os.geteuid()
    return folder if is_own and not state.st_mode & _WRITABLE_BY_OTHERS else None


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
    name, _, key = path.name.removesuffix(_ENDING).rpartition("-")
    return CachedNet(path, name, key, state.st_size, state.st_mtime, channels, checksum)
