# SPDX-License-Identifier: MIT
"""`tengen openings`: making, listing, checking and showing openings; Ctrl-C; wrong usage."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tengen import Rule
from tengen.arena.openings import file_openings
from tengen.cli.main import main

Capture = pytest.CaptureFixture[str]
QUICK = ("--nodes", "500", "--balance", "0.2", "--processes", "1")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tengen.cli.main", "openings", *arguments]


# --- make ---


@pytest.mark.parametrize("more", [(), ("--overwrite",)])
def test_a_folder_as_output_is_rejected_before_the_work(
    more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    Path("d").mkdir()
    monkeypatch.setattr("tengen.cli.openings.make_openings", None)
    assert main(["openings", "make", "--number", "2", *QUICK, "--out", "d", *more]) == 1
    assert "d: Is a directory" in capsys.readouterr().err


def test_make_a_file(capsys: Capture) -> None:
    wanted = ("--rule", "renju", "--size", "13", "--number", "6", "--stones", "4-5", "--seed", "3")
    assert main(["openings", "make", *wanted, *QUICK, "--out", "my.txt"]) == 0
    caught = capsys.readouterr()
    assert caught.out == ""
    reported = re.fullmatch(
        r"tengen openings: 6 balanced openings of (\d+) evaluated, to my.txt\n", caught.err
    )
    assert reported is not None
    assert int(reported[1]) >= 6
    text = Path("my.txt").read_text("utf-8")
    assert text.startswith("# Balanced openings for renju, 13x13")
    assert "--stones 4-5 --nodes 500 --balance 0.2 --seed 3\n" in text
    result = file_openings("my.txt", 13, Rule.RENJU)
    assert not result.left_out
    assert sorted({len(one) for one in result.openings}) in ([4], [5], [4, 5])
    assert len(result.openings) == 6


@pytest.mark.parametrize(
    "more", [(), ("--evaluator", "classical", "--games", "2", "--game-nodes", "50")]
)
def test_the_command_in_the_head_makes_them_again(more: tuple[str, ...], capsys: Capture) -> None:
    given = ("--rule", "standard", "--size", "9", "--number", "3", "--stones", "3-4", "--seed", "5")
    assert main(["openings", "make", *given, *QUICK, *more]) == 0
    text = capsys.readouterr().out
    head = "".join(line.lstrip("# ") + "\n" for line in text.splitlines() if line.startswith("#"))
    requested = re.search(r"^tengen (openings(?:.*\\\n)+.*)$", head, re.MULTILINE)
    assert requested is not None
    assert main(shlex.split(requested[1].replace("\\\n", " "))) == 0
    assert capsys.readouterr().out == text


def test_two_processes_make_the_same(capsys: Capture) -> None:
    texts = []
    for processes in ("1", "2"):
        given = ("--number", "5", "--nodes", "300", "--processes", processes)
        assert main(["openings", "make", *given]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    assert len([line for line in texts[0].splitlines() if not line.startswith("#")]) == 5


def test_a_file_is_replaced_only_on_request(capsys: Capture) -> None:
    Path("my.txt").write_text("precious")
    given = ["openings", "make", "--number", "1", *QUICK, "--out", "my.txt"]
    assert main(given) == 1
    assert "my.txt: the file exists: --overwrite replaces it" in capsys.readouterr().err
    assert Path("my.txt").read_text() == "precious"
    assert main([*given, "--overwrite"]) == 0
    assert "Balanced" in Path("my.txt").read_text()


def test_fewer_than_requested(capsys: Capture) -> None:
    given = ("--size", "5", "--stones", "1", "--balance", "0.5", "--nodes", "50", "--number", "30")
    assert main(["openings", "make", *given, "--processes", "1"]) == 1
    caught = capsys.readouterr()
    assert "of 30 openings: there are no more" in caught.err
    assert "# It ended before all were found: " in caught.out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--stones", "x"], "'x' is no range like 3-7"),
        (["--stones", "7-3"], "no opening of 7 to 3 stones"),
        (["--balance", "0.7"], "balance: "),
        (["--number", "0"], "'0' is no whole number of 1 or more"),
        (["--size", "40"], "size: "),
        (["--nodes", "0"], "'0' is no whole number of 1 or more"),
    ],
)
def test_wrong_numbers(given: list[str], message: str, capsys: Capture) -> None:
    try:
        code = main(["openings", "make", "--processes", "1", *given])
    except SystemExit as left:
        code = int(str(left.code))
    assert code in (1, 2)
    assert message in capsys.readouterr().err


def test_an_interrupt_writes_the_openings_so_far(folder: Path) -> None:
    given = ("--number", "100000", "--nodes", "2000", "--processes", "1", "--out", "my.txt")
    master, slave = pty.openpty()
    try:
        process = subprocess.Popen(command("make", *given), cwd=folder, stderr=slave)
        os.close(slave)
        shown = b""
        deadline = time.monotonic() + 60
        while not re.search(rb"[1-9]\d* evaluated", shown) or not re.search(
            rb"[1-9]\d*/100,000", shown
        ):
            assert time.monotonic() < deadline
            shown += os.read(master, 4096)
        process.send_signal(signal.SIGINT)
        shown = b""
        while True:
            try:
                shown += os.read(master, 4096)
            except OSError:  # the other end is closed
                break
        assert process.wait(30) == 130
    finally:
        os.close(master)
    assert b"of 100000 openings: interrupted" in shown
    result = file_openings(folder / "my.txt", 15, Rule.FREESTYLE)
    assert result.openings
    ended = f"# It ended before all were found: {len(result.openings)} of 100000."
    assert ended in (folder / "my.txt").read_text("utf-8")


# --- list ---


@pytest.mark.integration
def test_list(capsys: Capture) -> None:
    assert main(["openings", "list"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^  freestyle15 +\d+  freestyle, 15x15$", out, re.MULTILINE)
    assert re.search(r"^   7I  Hogetsu +浦月  h8 i9 i7$", out, re.MULTILINE)
    assert main(["openings", "list", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert len(result["renju26"]) == 26
    entry = next(entry for entry in result["files"] if entry["name"] == "freestyle15")
    assert (entry["rule"], entry["size"]) == ("freestyle", 15)
    assert entry["openings"] >= 300


# --- check ---


def test_check_reports_each_fault(capsys: Capture) -> None:
    Path("my.sgf").write_text(
        "(;SZ[15];B[hh];W[ii];B[jg])(;SZ[15];B[hh];W[gi];B[fg])(;SZ[19];B[hh])"
        "(;SZ[15];B[hh];W[aa];B[ih];W[ca];B[jh];W[ea])"
    )
    assert main(["openings", "check", "my.sgf", *QUICK]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["no", "stones", "black", "wins", "verdict,", "moves"]
    assert re.search(r"1 +3 +\d+\.\d% +(balanced|better for \w+): h8 i7 j9", lines[1])
    assert re.search(r"2 +3 +- +the same as another one, rotated or mirrored: h8", lines[2])
    assert re.search(r"3 +0 +- +for another board size$", lines[3])
    assert re.search(r"4 +6 +100\.0% +better for black: h8", lines[4])
    assert lines[-1].startswith("4 openings: ")


def test_check_without_an_evaluator(capsys: Capture) -> None:
    Path("renju13.txt").write_text("0,0, 1,-1, 2,0\n0,0, -1,0, -2,1\n")
    assert main(["openings", "check", "renju13.txt", "--nodes", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "rule": "renju",
        "size": 13,
        "openings": [
            {"moves": "g7 h6 i7", "verdict": "good", "black_wins": None},
            {"moves": "g7 f7 e8", "verdict": "good", "black_wins": None},
        ],
    }
    assert main(["openings", "check", "renju13.txt", "--nodes", "0", "--moves", "5"]) == 1
    assert "of fewer than 5 moves" in capsys.readouterr().out


def test_check_what_is_bundled_by_its_name(capsys: Capture) -> None:
    assert main(["openings", "check", "freestyle15", "--nodes", "0"]) == 0
    assert re.search(r"\n\n[\d,]+ openings: \d+ good\n$", capsys.readouterr().out)


@pytest.mark.parametrize("action", ["check", "show"])
def test_no_such_file(action: str, capsys: Capture) -> None:
    assert main(["openings", action, "nope"]) == 1
    text = "'nope': bundled are "
    assert text in capsys.readouterr().err
    assert main(["openings", action, "no/nope.txt"]) == 1
    assert "no/nope.txt: No such file" in capsys.readouterr().err
    Path("bad.txt").write_text("0,0, 1\n")
    assert main(["openings", action, "bad.txt"]) == 1
    assert "bad.txt:1:" in capsys.readouterr().err


# --- show ---


def test_show_boards(capsys: Capture) -> None:
    Path("my.txt").write_text("0,0, 1,-1, 2,0\n-1,0, 0,1\n")
    assert main(["openings", "show", "my.txt", "2"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("opening 2 of 2: g8 h9 (black to move)\n    a b c")
    assert "\n 9  . . . . . . .(O). . . . . . .  9\n" in out
    assert main(["openings", "show", "my.txt"]) == 0
    assert capsys.readouterr().out.count("opening ") == 2
    assert main(["openings", "show", "my.txt", "3"]) == 1
    assert "no opening 3: my.txt has 2" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["7I", "hogetsu", "浦月"])
def test_show_a_classical_opening(name: str, capsys: Capture) -> None:
    assert main(["openings", "show", name]) == 0
    assert capsys.readouterr().out.startswith("7I Hogetsu 浦月: h8 i9 i7 (white to move)\n")


def test_show_all_classical_openings(capsys: Capture) -> None:
    assert main(["openings", "show", "renju26", "--size", "9"]) == 0
    out = capsys.readouterr().out
    assert out.count("(white to move)") == 26
    assert "1D Kansei 寒星: e5 e6 e7" in out


# --- usage ---


def test_help(capsys: Capture) -> None:
    assert main(["openings"]) == 2
    assert "tengen openings make --rule renju --out my.txt" in capsys.readouterr().out
    for action in ("make", "list", "check", "show"):
        with pytest.raises(SystemExit) as left:
            main(["openings", action, "--help"])
        assert left.value.code == 0
        assert len(capsys.readouterr().out.splitlines()) > 4
