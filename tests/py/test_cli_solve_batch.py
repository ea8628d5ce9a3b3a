# SPDX-License-Identifier: MIT
"""`tengen solve` for many positions: lines, summary, faults, Ctrl-C, terminal output."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tengen import BadProof, Proof
from tengen.cli.main import main

Capture = pytest.CaptureFixture[str]

THREE = {"black": ["h8", "h9", "h10"], "white": ["a1", "a3", "a5"], "side": "black"}
WIN = THREE | {"id": "win", "goal": "vcf"}
TWOS = {
    "id": "twos", "goal": "vct_3moves", "side": "black",
    "black": ["g8", "h8", "i9", "i10"], "white": ["a1", "c1", "a15", "o1"],
}  # fmt: skip
NO_WIN = {"id": "none", "goal": "vcf", "black": ["h8"], "white": ["i9"]}
OVER = {"id": "over", "black": ["a1", "b1", "c1", "d1", "e1"], "white": []}
RENJU = WIN | {"id": "renju", "rule": "renju", "size": 19}
ENDLESS = {"id": "endless", "goal": "any", "size": 20, "black": ["k10"], "white": ["l11"]}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(*lines: dict[str, Any] | str) -> str:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    Path("many.jsonl").write_text("\n".join(texts) + "\n")
    return "many.jsonl"


def test_many(capsys: Capture) -> None:
    assert main(["solve", write(WIN, TWOS, NO_WIN, RENJU)]) == 0
    caught = capsys.readouterr()
    assert caught.err == ""
    rows = [line.split() for line in caught.out.splitlines()]
    assert [row[:3] for row in rows[:4]] == [
        ["win", "vcf", "win"],
        ["twos", "vct_3moves", "win"],
        ["none", "vcf", "no"],
        ["renju", "vcf", "win"],
    ]
    assert rows[0][-4:-2] == [rows[0][-4], "in"]
    assert rows[0][-1] == "verified"
    heading, vcf, vct, together = rows[5:]
    assert heading[:6] == ["goal", "problems", "win", "no", "win", "unknown"]
    assert vcf[:6] == ["vcf", "3", "2", "1", "0", "2"]
    assert vct[:6] == ["vct_3moves", "1", "1", "0", "0", "1"]
    assert together[:6] == ["all", "4", "3", "1", "0", "3"]


def test_many_as_json(capsys: Capture) -> None:
    assert main(["solve", write(WIN, NO_WIN, TWOS), "--json", "--no-verify"]) == 0
    *objects, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert [result["id"] for result in objects] == ["win", "none", "twos"]
    assert [result["status"] for result in objects] == ["win", "no win", "win"]
    assert objects[0]["verified"] is None
    summary = last["summary"]
    assert summary["goals"]["vcf"]["problems"] == 2
    assert summary["all"]["win"] == 2
    assert (summary["all"]["verified"], summary["all"]["broken"]) == (0, 0)
    assert set(summary["all"]["seconds"]) == {"total", "median", "worst"}
    assert summary["interrupted"] is False


def test_one_goal_for_all(capsys: Capture) -> None:
    assert main(["solve", write(TWOS, WIN), "--goal", "vcf", "--json"]) == 0
    statuses = [json.loads(line).get("status") for line in capsys.readouterr().out.splitlines()]
    assert statuses == ["no win", "win", None]


def test_unknown_is_counted(capsys: Capture) -> None:
    many = write(ENDLESS, WIN)
    assert main(["solve", many, "--nodes", "3000", "--quiet", "5"]) == 0
    out = capsys.readouterr().out
    assert "limit of 3,000 nodes reached" in out
    assert out.splitlines()[-1].split()[:6] == ["all", "2", "1", "0", "1", "1"]


def test_broken_lines_are_reported_and_skipped(capsys: Capture) -> None:
    many = write(WIN, "{no", OVER, '{"black": ["z9"]}', WIN | {"goal": "mate"}, NO_WIN)
    assert main(["solve", many]) == 1
    caught = capsys.readouterr()
    assert [line.split(": ")[1] for line in caught.err.splitlines()] == [
        "many.jsonl:2",
        "over",
        "many.jsonl:4",
        "win",
    ]
    assert "over: nothing to solve: the game is over, black wins (five)" in caught.err
    last = caught.out.splitlines()[-1].split()
    assert last[:7] == ["all", "2", "1", "1", "0", "1", "4"]
    assert main(["solve", many, "--json"]) == 1
    objects = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert objects[1]["id"] == "line 2"
    assert "no JSON" in objects[1]["error"]
    assert objects[-1]["summary"]["all"]["broken"] == 4


def test_nothing_but_broken_lines(capsys: Capture) -> None:
    assert main(["solve", write("{", "{")]) == 1
    assert capsys.readouterr().out.splitlines()[-1].split()[:2] == ["all", "0"]


def test_an_invalid_proof_is_counted(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Proof, *_: object) -> bool:
        raise BadProof("no five is made", [self.move])

    monkeypatch.setattr(Proof, "verify", refuse)
    assert main(["solve", write(WIN, NO_WIN)]) == 1
    out = capsys.readouterr().out
    assert "INVALID: after h" in out
    assert "invalid" in out


def test_games_of_a_collection(capsys: Capture) -> None:
    three = ";B[hh];W[ao];B[hg];W[am];B[hf];W[ak]"
    Path("games.sgf").write_text(f"(;SZ[15]{three})(;SZ[15];B[hh])(;SZ[15];B[hh];W[hh])")
    assert main(["solve", "games.sgf", "--goal", "vcf"]) == 1
    caught = capsys.readouterr()
    assert caught.out.splitlines()[0].startswith("game 1  vcf         win")
    assert "move 2: h8 is occupied" in caught.err
    assert main(["solve", "games.sgf", "--goal", "vcf", "--game", "1"]) == 0


@pytest.mark.parametrize("option", [["--defences"], ["--proof", "x.json"], ["--svg", "x.svg"]])
def test_what_is_for_one_position_only(option: list[str], capsys: Capture) -> None:
    assert main(["solve", write(WIN, NO_WIN), *option]) == 2
    assert "2 positions: --proof, --svg and --defences are for one" in capsys.readouterr().err
    assert not list(Path().glob("x.*"))


# --- Ctrl-C -----------------------------------------------------------------------------------

START = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from tengen.cli.main import main; sys.exit(main(sys.argv[1:]))"
)


@pytest.mark.parametrize("as_objects", [False, True])
def test_ctrl_c_prints_the_summary_so_far(as_objects: bool) -> None:
    arguments = ["solve", write(WIN, ENDLESS, WIN), "--time", "0", "--quiet", "5"]
    process = subprocess.Popen(
        [sys.executable, "-c", START, *arguments, *(["--json"] if as_objects else [])],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    first = process.stdout.readline()  # flushed as soon as it is done
    assert "win" in first
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "tengen solve: interrupted, 2 of 3 not done\n"
    if as_objects:
        summary = json.loads(out)["summary"]
        assert (summary["interrupted"], summary["all"]["problems"]) == (True, 1)
    else:
        assert out.splitlines()[-1].split()[:3] == ["vcf", "1", "1"]


# --- with a terminal --------------------------------------------------------------------------


def on_a_terminal(*arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout, and what a terminal gets on stderr."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", START, "solve", *arguments],
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"},
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    out, _ = process.communicate(timeout=60)
    return process.returncode, out, shown.decode()


def test_a_terminal_shows_the_search() -> None:
    arguments = ("k10 l11", "--size", "20", "--goal", "any", "--quiet", "5", "--time", "0.5")
    code, out, shown = on_a_terminal(*arguments)
    assert code == 4
    assert "searching: " in shown
    assert "nodes/s" in shown
    assert out.count("\n") == 1
    assert "\x1b" not in out


def test_a_terminal_shows_a_progress_bar() -> None:
    code, out, shown = on_a_terminal(write(WIN, ENDLESS, "{"), "--time", "0.5", "--quiet", "5")
    assert code == 1
    assert "/3" in shown
    assert "1 win" in shown
    assert "no JSON" in shown
    assert "\x1b" not in out
    assert out.splitlines()[0].startswith("win ")
