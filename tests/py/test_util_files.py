# SPDX-License-Identifier: MIT
"""Atomic writes, and the lock of a folder."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tengen.util.errors import BadText, FolderLocked
from tengen.util.files import (
    TEMPORARY_PREFIX,
    explain_write_errors,
    locked,
    replacing,
    write_bytes,
    write_text,
)


def run_python(code: str, *args: object) -> subprocess.Popen[str]:
    """A program that prints a line, then waits for the end of its input."""
    arguments = [sys.executable, "-c", code, *map(str, args)]
    return subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


# --- atomic writes ---


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write_part(path: Path, error: BaseException) -> None:
    with replacing(path) as file:
        file.write(b"a part")
        raise error


def test_a_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_text("größer\n", path)
    assert path.read_bytes() == "größer\n".encode()
    path.chmod(0o640)
    write_bytes(b"new", str(path))
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
def test_a_failed_write_leaves_the_old_file(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(type(error)) as caught:
        write_part(path, error)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]
    if isinstance(caught.value, OSError):
        assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(path))


def test_a_failed_sync_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="nothing was written"):
        write_bytes(b"new", path)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no /dev/stdout")
def test_a_pipe_behind_a_link_is_written_to() -> None:
    code = "from tengen.util.files import write_text; write_text('text', '/dev/stdout')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "text"


def test_what_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o400)
    with pytest.raises(PermissionError):
        write_bytes(b"new", path)
    with pytest.raises(FileNotFoundError):
        write_bytes(b"new", tmp_path / "none" / "file")
    with pytest.raises(BadText, match="other"):
        write_text("a \ud800", tmp_path / "other")
    assert names(tmp_path) == ["file"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "file")
    write_bytes(b"new", link)
    assert link.is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new"


def test_two_writers_at_once(tmp_path: Path) -> None:
    """The last one to finish wins; neither sees the other's part."""
    path = tmp_path / "file"
    with replacing(path) as one:
        one.write(b"one")
        with replacing(path) as two:
            two.write(b"two")
        assert path.read_bytes() == b"two"
    assert path.read_bytes() == b"one"
    assert names(tmp_path) == ["file"]


def test_leftovers_of_killed_writers_are_removed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with replacing(path):
        (left,) = names(tmp_path)
    assert left.startswith(TEMPORARY_PREFIX)
    young, old = tmp_path / left, tmp_path / left.replace(".tmp", "-old.tmp")
    other = tmp_path / f"{TEMPORARY_PREFIX}00000000-1-1.tmp"  # of another target
    for each in (young, old, other):
        each.touch()
    for each in (old, other):
        os.utime(each, (0, 0))
    write_bytes(b"new", path)
    assert names(tmp_path) == sorted(["file", young.name, other.name])


def test_write_errors_are_explained(tmp_path: Path) -> None:
    with (
        pytest.raises(OSError, match="free some disk space, then use --resume") as caught,
        explain_write_errors(tmp_path, "use --resume"),
    ):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(tmp_path))


# --- the lock ---

HOLDER = """
import sys
from pathlib import Path
from tengen.util.files import locked
with locked(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
print("done", flush=True)
"""


@pytest.mark.parametrize("killed", [False, True])
def test_two_processes(tmp_path: Path, killed: bool) -> None:
    with run_python(HOLDER, tmp_path) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        with pytest.raises(FolderLocked, match="in use by another process"), locked(tmp_path):
            raise AssertionError("two have it")
        if killed:
            holder.kill()
        holder.communicate(timeout=60)
    with locked(tmp_path), pytest.raises(FolderLocked), locked(tmp_path):
        raise AssertionError("two have it")
    with locked(tmp_path):
        pass


def test_the_lock_is_not_inherited(tmp_path: Path) -> None:
    """A process that was started meanwhile, and lives on, does not keep the folder."""
    with locked(tmp_path):
        child = run_python("import sys; print('up', flush=True); sys.stdin.read()")
        assert child.stdout is not None
        assert child.stdout.readline() == "up\n"
    with child, locked(tmp_path):
        child.communicate(timeout=60)
