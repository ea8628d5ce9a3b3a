# SPDX-License-Identifier: MIT
"""Files that survive a kill at any moment, and locks on folders.

`replacing`, `write_bytes` and `write_text` write beside the target, sync and rename: at any moment
the path holds the old file or the whole new one. Relies on the standard library alone.
"""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import stat
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from tengen.util.errors import BadText, FolderLocked

TEMPORARY_PREFIX = ".tengen-"  # of the name of every file that is not complete yet
_LOCK_FILE = ".lock"
_LEFTOVER_AGE = 600.0  # seconds after which a temporary file belongs to a process that was killed
_ADVICE = {
    **dict.fromkeys((errno.ENOSPC, errno.EFBIG, errno.EDQUOT), "free some disk space"),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "make the folder writable"),
}
_serial = itertools.count()


def files_of(path: Path) -> list[Path]:
    """All files of a folder, or the file itself."""
    return sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """Write a UTF-8 file atomically. Raises OSError, and BadText for lone surrogates."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        bad = text[error.start]
        raise BadText(f"UTF-8 cannot encode the character {bad!r} of {os.fspath(path)}") from None
    write_bytes(data, path)


def write_bytes(data: bytes, path: str | os.PathLike[str]) -> None:
    """Write a file atomically. Raises OSError; the old file is then untouched."""
    with replacing(path) as file:
        file.write(data)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file that replaces `path` when the block ends without an error.

    A symbolic link stays a link to the new file; the file keeps its permissions; a read-only file
    is not replaced; pipes and devices are written to directly.

        with replacing("net.pt") as file:
            torch.save(weights, file)
    """
    try:
        # The path as given: a link such as /dev/stdout may lead to a pipe, which has no real path.
        mode = _writable_mode(Path(path))
        if mode is not None and not stat.S_ISREG(mode):
            with Path(path).open("wb") as file:
                yield file
            return
        target = Path(os.path.realpath(path))
        _remove_leftovers(target)
        temporary = target.with_name(f"{_prefix(target)}{os.getpid():x}-{next(_serial):x}.tmp")
        try:
            with temporary.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if mode is not None:
                temporary.chmod(stat.S_IMODE(mode))
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_folder(target.parent)
    except OSError as error:
        problem = f"{error.strerror or error}; nothing was written"
        raise OSError(error.errno, problem, os.fspath(path)) from error


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """A new folder that gets the name `path`, which must not exist, when the block ends without an
    error; otherwise it is removed.
    """
    part = path.with_name(f".{path.name}.part")
    shutil.rmtree(part, ignore_errors=True)  # left by a kill
    try:
        part.mkdir(parents=True)
        yield part
        part.replace(path)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder to the disk, where the system supports it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def explain_write_errors(path: Path, then: str = "") -> Iterator[None]:
    """Adds advice to an OSError: what to do about a full disk or a read-only folder, and what to
    do `then` ("resume with --resume").
    """
    try:
        yield
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0, "fix this")
        advice += f", then {then}" if then else ""
        raise OSError(error.errno, f"{error.strerror or error}: {advice}", str(path)) from None


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, see `lock_folder`."""
    handle = lock_folder(folder)
    try:
        yield
    finally:
        os.close(handle)


def lock_folder(folder: Path) -> int:
    """Lock a folder for this process, on POSIX and Windows; returns a handle for `os.close`.

    The system releases the lock when the process ends, however it ends. Raises FolderLocked if
    another process holds it, OSError if this process cannot write to the folder.
    """
    if not os.access(folder, os.W_OK | os.X_OK) and folder.exists():
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
    handle = os.open(folder / _LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _lock(handle)
    except OSError as error:
        os.close(handle)
        if error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
            problem = f"{folder} is in use by another process: wait until it ends"
            raise FolderLocked(problem) from None
        raise OSError(error.errno, f"cannot lock: {error.strerror}", str(folder)) from None
    return handle


def _lock(handle: int) -> None:
    try:
        import fcntl
    except ImportError:
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _writable_mode(target: Path) -> int | None:
    """The mode of a file, None if there is none. Renaming needs no permission on the file itself,
    so a read-only file must be checked for.
    """
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if not (mode & 0o222 and os.access(target, os.W_OK)):
        raise PermissionError(errno.EACCES, "the file is read-only")
    return mode


def _prefix(target: Path) -> str:
    return f"{TEMPORARY_PREFIX}{zlib.crc32(os.fsencode(target.name)):08x}-"


def _remove_leftovers(target: Path) -> None:
    """Remove what killed writers of the same target left behind."""
    for path in target.parent.glob(f"{_prefix(target)}*.tmp"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _LEFTOVER_AGE:
                path.unlink()
