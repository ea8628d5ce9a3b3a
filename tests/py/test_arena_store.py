# SPDX-License-Identifier: MIT
"""Files that survive: the journal and its torn lines, full disks, the lock, and folders whose files
make no sense.
"""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena_fakes import RANDOM, game_of, games_of, small
from tengen.arena.definition import Definition
from tengen.arena.errors import ArenaBusy, BadState
from tengen.arena.folder import Folder
from tengen.arena.schedule import schedule
from tengen.arena.store import Journal, locked
from tengen.game.rule import Colour

OPENINGS = [("h8", "i9"), ("h8",), ()]


def run_python(code: str, *args: object) -> subprocess.Popen[str]:
    """A program that says something, and then waits for the end of its input."""
    words = [sys.executable, "-c", code, *map(str, args)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


# --- journals ---


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
    path = tmp_path / "journal"
    path.write_bytes(data)
    journal = Journal(path)
    assert journal.cut == cut
    assert list(journal.lines()) == lines
    journal.append("more")
    journal.close()
    assert path.read_bytes() == data[: len(data) - cut] + b"more\n"
    again = Journal(path)
    assert again.cut == 0
    assert list(again.lines()) == [*lines, b"more"]
    again.close()


def test_every_place_of_a_kill(tmp_path: Path) -> None:
    """Whatever a kill leaves of a line, those before it are whole."""
    path = tmp_path / "journal"
    whole = b"first\nsecond\nthird\n"
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        journal = Journal(path)
        kept = whole[:length].count(b"\n")
        assert list(journal.lines()) == [b"first", b"second", b"third"][:kept]
        assert journal.cut == length - len(b"\n".join(whole.split(b"\n")[:kept])) - (kept > 0)
        journal.close()


def test_a_journal_that_is_made(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    journal.append("größer")
    assert (tmp_path / "journal").read_bytes() == "größer\n".encode()  # at once
    with pytest.raises(ValueError, match="no line breaks"):
        journal.append("two\nlines")
    journal.append("")
    assert list(journal.lines()) == ["größer".encode(), b""]
    journal.close()
    journal.close()
    with pytest.raises(OSError):
        Journal(tmp_path / "no folder" / "journal")


FULL = """
import resource, sys
from pathlib import Path
from tengen.arena.store import Journal
journal = Journal(Path(sys.argv[1]))
journal.append("x" * 900)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
for length in (90, 200, 100_000):
    try:
        journal.append("y" * length)
    except OSError as error:
        print(error.errno, error.filename)
journal.append("z" * 3)
journal.close()
"""


def test_a_full_disk(tmp_path: Path) -> None:
    """A line that does not fit leaves nothing behind, and a shorter one may still come."""
    path = tmp_path / "journal"
    program = run_python(FULL, path)
    said, _ = program.communicate(timeout=60)
    assert program.returncode == 0
    assert said.splitlines() == [f"{errno.EFBIG} {path}"] * 2
    assert path.read_bytes() == b"x" * 900 + b"\n" + b"y" * 90 + b"\nzzz\n"


def test_writing_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that takes a few bytes at a time gets all of them; a line is never a part of one."""
    journal = Journal(tmp_path / "journal")
    journal.append("before")
    write, room = os.write, 1000

    def slow_write(file: int, data: bytes) -> int:
        nonlocal room
        if not room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = write(file, data[: min(7, room)])
        room -= written
        return written

    monkeypatch.setattr(os, "write", slow_write)
    journal.append("x" * 100)
    room = 15
    with pytest.raises(OSError, match="No space left") as caught:
        journal.append("y" * 100)
    assert caught.value.filename == str(tmp_path / "journal")
    assert list(journal.lines()) == [b"before", b"x" * 100]
    journal.close()


# --- the lock ---

HOLDER = """
import sys
from pathlib import Path
from tengen.arena.store import locked
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
        with pytest.raises(ArenaBusy, match="in use by another process"), locked(tmp_path):
            raise AssertionError("two have it")
        if killed:
            holder.kill()
        holder.communicate(timeout=60)
    with locked(tmp_path), pytest.raises(ArenaBusy), locked(tmp_path):
        raise AssertionError("two have it")
    with locked(tmp_path):
        pass


def test_the_lock_is_not_handed_on(tmp_path: Path) -> None:
    """A process that was started meanwhile, and lives on, does not keep the folder."""
    with locked(tmp_path):
        child = run_python("import sys; print('up', flush=True); sys.stdin.read()")
        assert child.stdout is not None
        assert child.stdout.readline() == "up\n"
    with child, locked(tmp_path):
        child.communicate(timeout=60)


# --- folders ---


def begin(path: Path, definition: Definition | None = None) -> Folder:
    return Folder.create(path, definition or small(), OPENINGS)


def test_a_folder_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "run"
    definition = small(RANDOM, RANDOM, kind="gauntlet", rule="renju", sprt=None)
    folder = begin(path, definition)
    games = games_of(definition, lambda fixture: 0.5 * (fixture.number % 3))[::-1]
    with folder.writing() as cut:
        assert cut == 0
        for game in games:
            folder.add(game)
    with pytest.raises(ValueError, match="within `writing`"):
        folder.add(games[0])
    again = Folder.read(path)
    assert (again.definition, again.openings) == (definition, OPENINGS)
    assert again.games == folder.games == games
    assert json.loads((path / "arena.json").read_text())["format"] == 1


def test_one_run_for_each_folder(tmp_path: Path) -> None:
    begin(tmp_path)
    with pytest.raises(BadState, match="has a run already: go on with --resume"):
        begin(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    (other / "games.jsonl").touch()  # of a run whose head was lost
    with pytest.raises(BadState, match="has a run already"):
        begin(other)


def test_a_torn_line_is_no_game(tmp_path: Path) -> None:
    folder = begin(tmp_path)
    first, second = (game_of(fixture) for fixture in list(schedule(folder.definition))[:2])
    line = second.to_json()
    text = f"{first.to_json()}\n{line[: len(line) // 2]}"
    (tmp_path / "games.jsonl").write_text(text)
    again = Folder.read(tmp_path)
    assert again.games == [first]
    with again.writing() as cut:
        assert cut == len(line) // 2
        again.add(second)
    assert Folder.read(tmp_path).games == [first, second]


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (None, "has no run: there is no arena.json"),
        (b"", "arena.json: Expecting value: line 1"),
        (b'{\n"format": 1,\n}', "line 3"),
        (b"\xff\xff", "arena.json"),
        (b"[]", "not a run of this format"),
        (b"[" * 100_000, "arena.json"),
        ({"format": 2}, "not a run of this format"),
        ({"format": None}, "not a run of this format"),
        ({"definition": {"size": 3}}, "arena.json: "),
        ({"definition": {"players": [{}, {}]}}, "arena.json: "),
        ({"definition": {"colour": 3}}, "unknown: colour"),
        ({"definition": 5}, "arena.json: "),
        ({"definition": "abc"}, "arena.json: "),
        ({"definition": None}, "arena.json: "),
        ({"openings": 5}, "arena.json: .*openings"),
        ({"openings": []}, "arena.json: .*openings"),
        ({"openings": "h8 i9"}, "arena.json: .*openings"),
        ({"openings": [None]}, "arena.json: .*openings"),
        ({"openings": {"h8": 1}}, "arena.json: .*openings"),
    ],
)
def test_heads_that_make_no_sense(tmp_path: Path, head: Any, words: str) -> None:
    begin(tmp_path)
    path = tmp_path / "arena.json"
    if head is None:
        path.unlink()
    elif isinstance(head, bytes):
        path.write_bytes(head)
    else:
        path.write_text(json.dumps(json.loads(path.read_text()) | head))
    with pytest.raises(BadState, match=words):
        Folder.read(tmp_path)


@pytest.mark.parametrize("key", ["definition", "openings"])
def test_heads_that_lack_something(tmp_path: Path, key: str) -> None:
    begin(tmp_path)
    path = tmp_path / "arena.json"
    head = json.loads(path.read_text())
    del head[key]
    path.write_text(json.dumps(head))
    with pytest.raises(BadState, match=rf"arena.json: no '{key}'"):
        Folder.read(tmp_path)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (b"{", "no game"),
        (b"", "no game"),
        ({"reason": "sleep"}, "the reason 'sleep' is unknown"),
        ({"game": 0, "pair": 0, "white": 1}, "game 0 is there twice"),
        ({"game": 12, "pair": 6}, "game 12 is not in the schedule"),
        ({"game": -1, "pair": -1}, "not in the schedule"),
        ({"pair": 2}, "not in the schedule"),
        ({"black": 3}, "not in the schedule"),
        ({"white": -1}, "not in the schedule"),
        ({"black": 0, "white": 0}, "not in the schedule"),
        ({"black": 1, "white": 2}, "not in the schedule"),
    ],
)
def test_games_that_make_no_sense(tmp_path: Path, values: Any, words: str) -> None:
    """The file and the line are told: nothing is passed over, and nothing counted twice."""
    definition = small(RANDOM, RANDOM, RANDOM, kind="round-robin")
    begin(tmp_path, definition)
    games = games_of(definition, lambda fixture: 0.5)[:3]
    lines = [game.to_json().encode() for game in games]
    third = values if isinstance(values, bytes) else json.dumps(json.loads(lines[2]) | values)
    lines[2] = third if isinstance(third, bytes) else third.encode()
    (tmp_path / "games.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    with pytest.raises(BadState, match=words) as caught:
        Folder.read(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / 'games.jsonl'}, line 3: ")


def test_colours_may_be_swapped_by_the_players(tmp_path: Path) -> None:
    definition = small(openings="swap2")
    folder = begin(tmp_path, definition)
    fixture = next(schedule(definition))
    with folder.writing():
        folder.add(game_of(fixture._replace(black=1, white=0, opening=-1), Colour.BLACK))
    assert Folder.read(tmp_path).games == folder.games
