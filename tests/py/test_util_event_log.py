# SPDX-License-Identifier: MIT
"""The event log: torn lines, full disks, rows that are not JSON."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tengen.util.event_log import EventLog, read_lines, read_rows


def run_python(code: str, *args: object) -> subprocess.Popen[str]:
    """A program that prints a line, then waits for the end of its input."""
    arguments = [sys.executable, "-c", code, *map(str, args)]
    return subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def lines_of(path: Path) -> list[bytes]:
    return [line for _, line in read_lines(path)]


@pytest.mark.parametrize(
    ("data", "lines", "cut"),
    [
        (b"", [], 0),
        (b"one\n", [b"one"], 0),
        (b"one\ntwo\n", [b"one", b"two"], 0),
        (b"one\ntw", [b"one"], 2),
        (b"torn", [], 4),
        (b"\n", [b""], 0),
        (b"\nx", [b""], 1),
        (b"a" * 5000, [], 5000),
        (b"a" * 4095 + b"\n", [b"a" * 4095], 0),
        (b"a" * 4096 + b"\n", [b"a" * 4096], 0),
        (b"one\n" + b"b" * 4095, [b"one"], 4095),
        (b"one\n" + b"b" * 4096, [b"one"], 4096),
        (b"one\n" + b"b" * 20_000, [b"one"], 20_000),
        (b"a" * 20_000 + b"\n" + b"b" * 9000, [b"a" * 20_000], 9000),
        (b"ab\r\ncd\x00\n\xff", [b"ab\r", b"cd\x00"], 1),
    ],
)
def test_torn_lines_are_cut(tmp_path: Path, data: bytes, lines: list[bytes], cut: int) -> None:
    path = tmp_path / "events"
    path.write_bytes(data)
    event_log = EventLog(path)
    assert event_log.torn_bytes == cut
    assert lines_of(path) == lines
    event_log.append("more")
    event_log.close()
    assert path.read_bytes() == data[: len(data) - cut] + b"more\n"
    again = EventLog(path)
    assert again.torn_bytes == 0
    assert lines_of(path) == [*lines, b"more"]
    again.close()


def test_a_kill_at_every_byte(tmp_path: Path) -> None:
    """A kill may truncate the last line; earlier lines are complete."""
    path = tmp_path / "events"
    whole = b"first\nsecond\nthird\n"
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        event_log = EventLog(path)
        kept = whole[:length].count(b"\n")
        assert lines_of(path) == [b"first", b"second", b"third"][:kept]
        assert event_log.torn_bytes == length - len(b"\n".join(whole.split(b"\n")[:kept])) - (
            kept > 0
        )
        event_log.close()


def test_a_new_event_log(tmp_path: Path) -> None:
    event_log = EventLog(tmp_path / "events")
    event_log.append("größer")
    assert (tmp_path / "events").read_bytes() == "größer\n".encode()  # at once
    with pytest.raises(ValueError, match="line break"):
        event_log.append("two\nlines")
    event_log.append("")
    assert lines_of(tmp_path / "events") == ["größer".encode(), b""]
    event_log.close()
    event_log.close()
    with pytest.raises(OSError):
        EventLog(tmp_path / "no folder" / "events")


FULL = """
import resource, sys
from pathlib import Path
from tengen.util.event_log import EventLog
event_log = EventLog(Path(sys.argv[1]))
event_log.append("x" * 900)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
for length in (90, 200, 100_000):
    try:
        event_log.append("y" * length)
    except OSError as error:
        print(error.errno, error.filename)
event_log.append("z" * 3)
event_log.close()
"""


def test_a_full_disk(tmp_path: Path) -> None:
    """A line that does not fit leaves nothing behind, and a shorter one may still come."""
    path = tmp_path / "events"
    program = run_python(FULL, path)
    output, _ = program.communicate(timeout=60)
    assert program.returncode == 0
    assert output.splitlines() == [f"{errno.EFBIG} {path}"] * 2
    assert path.read_bytes() == b"x" * 900 + b"\n" + b"y" * 90 + b"\nzzz\n"


def test_writing_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that takes a few bytes at a time gets all of them; a line is never a part of one."""
    event_log = EventLog(tmp_path / "events")
    event_log.append("before")
    write, room = os.write, 1000

    def slow_write(file: int, data: bytes) -> int:
        nonlocal room
        if not room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = write(file, data[: min(7, room)])
        room -= written
        return written

    monkeypatch.setattr(os, "write", slow_write)
    event_log.append("x" * 100)
    room = 15
    with pytest.raises(OSError, match="No space left") as caught:
        event_log.append("y" * 100)
    assert caught.value.filename == str(tmp_path / "events")
    assert lines_of(tmp_path / "events") == [b"before", b"x" * 100]
    event_log.close()


def test_rows_that_are_no_objects_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "events"
    assert list(read_rows(path)) == []
    with EventLog(path) as event_log:
        event_log.append({"step": 1, "name": "größer"})
        event_log.append("[1]")
        event_log.append("no JSON")
        event_log.append({"step": 2})
    with path.open("ab") as file:
        file.write(b"\xff\xff\n" + b"[" * 100_000 + b'\n{"step": 3}')
    assert list(read_rows(path)) == [{"step": 1, "name": "größer"}, {"step": 2}]
    assert [number for number, _ in read_lines(path)] == [1, 2, 3, 4, 5, 6]


def test_a_closed_event_log_takes_no_rows(tmp_path: Path) -> None:
    event_log = EventLog(tmp_path / "events")
    event_log.close()
    with pytest.raises(ValueError, match="closed"):
        event_log.append({})


@pytest.mark.parametrize(("seconds", "syncs"), [(0.0, 3), (1e9, 0)])
def test_the_sync_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, syncs: int
) -> None:
    called: list[int] = []
    monkeypatch.setattr(os, "fsync", called.append)
    event_log = EventLog(tmp_path / "events", sync_seconds=seconds)
    for _ in range(3):
        event_log.append({})
    assert len(called) == syncs
    event_log.close()
    assert len(called) == syncs + 1
