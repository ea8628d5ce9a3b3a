# SPDX-License-Identifier: MIT
"""Plain move lists, format detection, and writing of files."""

from __future__ import annotations

import errno
import os
import random
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.mutate import random_record
from tengen.game import BadRecord, Colour, Move, Rule, records
from tengen.game.records import Record, plain, sgf


def one(text: str | bytes) -> Record:
    (record,) = plain.loads(text)
    return record


def names(text: str) -> str:
    return " ".join(str(move) for move in one(text).moves)


@pytest.mark.parametrize(
    "text",
    [
        "h8 i9 g7",
        "h8i9g7",
        "H8I9G7\n",
        "h8\ni9\ng7",
        "h8\r\ni9\rg7\r\n",
        "1. h8 i9 2. g7",
        "1.h8 2.i9 3.g7",
        "1) h8 2) i9 3) g7",
        "1. h8 1... i9 2. g7",
        "h8, i9, g7",
        "h8; i9; g7;",
        "7,7 8,8 6,6",
        "7,7\n8,8\n6,6\n",
        "7, 7  8 ,8  6 , 6",
        "7,7 i9 3. g7",
        "# a game\n\nh8 # tengen\ni9 g7 #",
        "size: 15\nh8 i9 g7",
        "\ufeffh8 i9 g7",
    ],
)
def test_ways_to_write_a_game(text: str) -> None:
    assert names(text) == "h8 i9 g7"
    assert records.loads(text)[0].moves == one(text.encode()).moves == one("h8 i9 g7").moves


def test_moves_without_separators() -> None:
    assert names("a10b1c11d12") == "a10 b1 c11 d12"


def test_each_spelling_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = Move.parse

    def counted(text: str, size: int) -> Move:
        parsed.append(text)
        return parse(text, size)

    monkeypatch.setattr(Move, "parse", counted)
    assert len(one("h8 i9 7,7 " * 1000).moves) == 3000
    assert sorted(parsed) == ["7,7", "h8", "i9"]


def test_pass_and_colours() -> None:
    record = one("h8 -- pass PASS g7")
    assert " ".join(map(str, record.moves)) == "h8 pass pass pass g7"
    assert [n.colour for n in record.main_line()[1:3]] == [Colour.BLACK, Colour.WHITE]


def test_header() -> None:
    record = one(
        "# mine\nSize: 19 # big\nrule: Renju\nblack: Ann #1\nwhite:  Bob \nresult: B+Time\n"
        "date: 2026\nevent: a: b\n\ns19"
    )
    assert (record.size, record.rule, record.black, record.white) == (
        19,
        Rule.RENJU,
        "Ann #1",
        "Bob",
    )
    assert (record.result, record.date, record.event) == ("B+", "2026", "a: b")
    text = plain.dumps([record])
    assert "result: B+Time\n" in text
    assert one(text) == record
    assert sgf.loads(sgf.dumps([record])) == [record]


def test_size_for_files_without_one() -> None:
    assert plain.loads("t20", size=20)[0].size == 20
    assert plain.loads("size: 9\ni9", size=20)[0].size == 9


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "no move"),
        (" # only a remark\n", 1, 1, "no move"),
        ("h8 i9 xx", 1, 7, "no move 'xx'"),
        ("h8\n  p1", 2, 3, "off the 15x15 board"),
        ("h8 z99", 1, 4, "off the 15x15 board"),
        ("h8 99,0", 1, 4, "off the 15x15 board"),
        ("h8\n  h16", 2, 3, "off the 15x15 board"),
        ("h8 15,3", 1, 4, "off the 15x15 board"),
        ("h8 h100", 1, 4, "no move 'h100'"),
        ("h8 h0", 1, 4, "no move 'h0'"),
        ("7,7,1\n8,8,2\n", 1, 5, "no move '1'"),
        ("h8 7", 1, 4, "no move '7'"),
        ("size: 99\nh8", 1, 7, "5 to 22"),
        ("size: x\nh8", 1, 7, "board size"),
        ("\nrule: go\nh8", 2, 7, "no rule 'go'"),
        ("h8\nsize: 15", 2, 1, "a header line after the first move"),
    ],
)
def test_positions_of_errors(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(BadRecord) as caught:
        plain.loads(text, "game.txt")
    error = caught.value
    assert (error.source, error.line, error.column) == ("game.txt", line, column), str(error)
    assert message in error.fault


@pytest.mark.integration
def test_round_trip_of_random_games() -> None:
    rng = random.Random(20260103)
    for _ in range(1000):
        record = random_record(rng, bare=True)
        record.result = rng.choice(["", "B+", "Draw", "free words"])
        assert one(plain.dumps([record])) == record


def test_random_games_with_more_are_rejected() -> None:
    rng = random.Random(20260104)
    refused = 0
    for _ in range(200):
        record = random_record(rng)
        lost = records.losses(record, "plain")
        counted = sum(bool(node.comment) for node in record.nodes())
        assert any(f"{counted} comment" in message for message in lost) == bool(counted)
        if lost:
            refused += 1
            with pytest.raises(BadRecord, match="plain cannot hold"):
                plain.dumps([record])
    assert refused > 190


@given(st.text(), st.text())
def test_any_name_or_an_error(black: str, event: str) -> None:
    record = Record(black=black, event=event)
    try:
        text = plain.dumps([record])
    except BadRecord:
        assert black != black.strip() or event != event.strip() or set(black + event) & {"\r", "\n"}
    else:
        assert one(text) == record


# --- formats and files --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("(;B[hh])", "sgf"),
        ("mail\n( \n;B[hh])", "sgf"),
        ("Piskvorky 15x15, 0:0, 0\n", "psq"),
        ("h8 i9", "plain"),
        ("size: 15\n", "plain"),
        ("7,7 8,8", "plain"),
        ("0,0, -1,1\n", "openings"),
        ("\n# from -7 to 7\n\n#" + "x" * 5000 + "\n0,0, -1,1\n", "openings"),
        ("# numbers\n7,7 8,8", "plain"),
    ],
)
def test_format_detection(text: str, format: str) -> None:
    for data in (text, text.encode(), "\ufeff".encode() + text.encode()):
        assert records.loads(data)[0].format == format


def test_endings() -> None:
    assert records.loads("0,0, 1,1", source="x.txt")[0].format == "plain"
    assert records.loads("0,0, -1,1", source="x.TXT")[0].format == "openings"
    assert records.loads("0,0, 1,1", source="x.openings")[0].format == "openings"
    assert records.loads("(;B[hh])", source="x.txt")[0].format == "sgf"
    assert records.loads("Piskvorky 15x15\n8,8,0", source="x.txt")[0].format == "psq"
    with pytest.raises(BadRecord, match="no move 'hello'"):
        records.loads("hello", source="x.txt")
    with pytest.raises(BadRecord, match=r"x.sgf:1:1: no game"):
        records.loads("h8", source="x.sgf")
    assert records.format_of("a.txt") == "plain"
    with pytest.raises(BadRecord, match="unknown kind of game record"):
        records.loads("hello", source="x.doc")
    with pytest.raises(BadRecord, match="no format 'pgn'"):
        records.loads("h8", "pgn")
    with pytest.raises(BadRecord, match="board size 30"):
        records.loads("h8", size=30)


def test_files(tmp_path: Path) -> None:
    games = sgf.loads("(;C[x];B[hh])(;SZ[9]PB[Ä])")
    path = tmp_path / "games.sgf"
    records.write(games, path)
    assert records.read(path) == games
    assert records.read(str(path))[0].source == str(path)
    path.chmod(0o640)
    records.write(games[1:], path)
    assert records.read(path) == games[1:]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    link = tmp_path / "link.sgf"
    link.symlink_to(path)
    records.write(games, link)
    assert link.is_symlink()
    assert records.read(path) == games
    assert sorted(file.name for file in tmp_path.iterdir()) == ["games.sgf", "link.sgf"]
    with pytest.raises(FileNotFoundError):
        records.read(tmp_path / "none.sgf")
    with pytest.raises(BadRecord, match="no format has the extension"):
        records.write(games, tmp_path / "games.doc")


def test_a_full_disk_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    games = sgf.loads("(;B[hh])")
    path = tmp_path / "game.sgf"
    path.write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device; nothing was written") as caught:
        records.write(games, path)
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(path))
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["game.sgf"]


def test_a_read_only_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match="read-only; nothing was written"):
        records.write(sgf.loads("(;B[hh])"), path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["game.sgf"]


def test_leftovers_of_a_killed_save_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(self: Path, target: Path) -> None:
        raise KeyboardInterrupt

    games = sgf.loads("(;B[hh])")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", killed)
        patch.setattr(Path, "unlink", lambda self, missing_ok: None)
        with pytest.raises(KeyboardInterrupt):
            records.write(games, tmp_path / "game.sgf")
    (left,) = tmp_path.iterdir()
    assert left.suffix == ".tmp"
    os.utime(left, (0, 0))
    records.write(games, tmp_path / "game.sgf")
    assert [file.name for file in tmp_path.iterdir()] == ["game.sgf"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device /dev/full")
def test_a_device_is_written_to() -> None:
    with pytest.raises(OSError, match="No space left on device"):
        records.write(sgf.loads("(;B[hh])"), "/dev/full", "sgf")
    assert Path("/dev/full").is_char_device()


def test_no_lone_surrogates(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="UTF-8"):
        records.write([Record(black="\ud800")], tmp_path / "x.sgf")
    assert not list(tmp_path.iterdir())
