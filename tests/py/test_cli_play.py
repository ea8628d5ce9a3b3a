# SPDX-License-Identifier: MIT
"""The command `tengen play`: pipes, invalid usage, signals, and files it must not change."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tengen import Move
from tengen.cli.main import main
from tengen.game import records
from tengen.game.records import Record
from tengen.web import serve
from terminal_dialogue import names


def command(*arguments: str | Path) -> list[str]:
    """Two people at one keyboard."""
    return [sys.executable, "-m", "tengen", "play", "--human", *map(str, arguments)]


def piped(given: str | bytes, *arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    data = given.encode() if isinstance(given, str) else given
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        command(*arguments),
        input=data,
        capture_output=True,
        timeout=60,
        env=environment,
        check=False,
    )


def test_piped_session() -> None:
    done = piped(
        "h8\nnonsense\ni9\nquit\nj10\n", "--terminal", "--rule", "freestyle", "--size", "9"
    )
    output = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Tengen: freestyle on 9x9." in output
    assert "1. black h8. White to move." in output
    assert "No command or move 'nonsense'" in output
    assert "j10" not in output
    assert "\x1b" not in output, "no colours into a pipe"


def test_end_of_input_leaves_cleanly() -> None:
    for typed in (b"", b"h8", b"\xff\xfe\x00 garbage \x80\n\n"):
        done = piped(typed, "--unicode")
        assert (done.returncode, done.stderr) == (0, b"")
        assert "┌".encode() in done.stdout


def test_ascii_output_escapes_other_characters() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        command("--unicode"),
        input=b"h8\n",
        capture_output=True,
        timeout=60,
        env=environment,
        check=True,
    )
    assert b"1. black h8. White to move." in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="file names are bytes")
def test_file_names_with_invalid_characters(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff\xe9.sgf"
    done = piped(b"h8\nsave " + path + b"\nload " + path + b"\n")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Loaded" in done.stdout
    assert [os.fsencode(file.name) for file in tmp_path.iterdir()] == [b"\xff\xe9.sgf"]


@pytest.mark.parametrize(
    "arguments", [["--rule", "chess"], ["--size", "4"], ["--size", "x"], ["--ascii", "--unicode"]]
)
def test_wrong_usage(arguments: list[str]) -> None:
    done = piped("", *arguments)
    assert done.returncode == 2
    assert b"usage:" in done.stderr


def test_load_faults_are_one_line(tmp_path: Path) -> None:
    done = piped("", "--load", tmp_path / "none.sgf")
    assert done.returncode == 1
    assert done.stderr.decode().startswith("tengen play: ")
    assert done.stderr.count(b"\n") == 1


def test_save_faults_are_reported_at_once(tmp_path: Path) -> None:
    for name, message in (
        ("game.xyz", b"no format has the extension"),
        ("none/game.sgf", b"there is no folder"),
    ):
        done = piped("h8\n", "--save", tmp_path / name)
        assert (done.returncode, done.stdout) == (1, b"")
        assert message in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals of POSIX")
@pytest.mark.parametrize("plain", [False, True])
def test_a_terminal_gets_a_prompt_and_colours(plain: bool) -> None:
    keyboard, screen = os.openpty()
    environment = {key: os.environ[key] for key in os.environ if key != "NO_COLOR"}
    with subprocess.Popen(
        command(*["--no-colour"] * plain),
        stdin=screen,
        stdout=screen,
        env={**environment, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"},
    ) as process:
        os.close(screen)
        reported, typed = b"", [b"h8\n", b"\x04"]
        prompts = (b"black> ", b"white> ")
        with contextlib.suppress(OSError):  # the end of a terminal is an error on Linux
            while data := os.read(keyboard, 4096):
                reported += data
                if typed and prompts[-len(typed)] in reported:
                    os.write(keyboard, typed.pop(0))
    os.close(keyboard)
    assert process.returncode == 0
    assert "●".encode() in reported
    assert (b"\x1b[48;5;179m" in reported) != plain


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_autosave_survives_a_kill_and_the_game_resumes(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    with subprocess.Popen(
        command("--save", path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("h8\ni9\nj10\n")
        process.stdin.flush()
        for line in process.stdout:
            if line.startswith("3. black j10."):
                break
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert names(records.read(path)[0].moves) == "h8 i9 j10"
    again = piped("k11\n", "--save", path)
    assert again.returncode == 0
    assert "4. white k11. Black to move." in again.stdout.decode()
    assert names(records.read(path)[0].moves) == "h8 i9 j10 k11"


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_interrupt_leaves_cleanly(tmp_path: Path) -> None:
    with subprocess.Popen(
        command("--save", tmp_path / "game.sgf"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("h8\n")
        process.stdin.flush()
        for line in process.stdout:
            if line.startswith("1. black h8."):
                break
        process.send_signal(signal.SIGINT)
        output, fault = process.communicate(timeout=60)
    assert (process.returncode, fault) == (0, "")
    assert "The game is in" in output


def test_save_does_not_overwrite_other_games(tmp_path: Path) -> None:
    old, new = tmp_path / "old.sgf", tmp_path / "new.sgf"
    piped("h8\n", "--save", old)
    piped("a1\n", "--save", new)
    refused = piped("b2\n", "--load", old, "--save", new)
    assert refused.returncode == 1
    assert b"exists already" in refused.stderr
    assert names(records.read(new)[0].moves) == "a1"
    branch = tmp_path / "branch.sgf"
    assert piped("b2\n", "--load", old, "--save", branch).returncode == 0
    assert names(records.read(branch)[0].moves) == "h8 b2"
    assert names(records.read(old)[0].moves) == "h8"
    records.write([Record.from_moves([Move(7, 7)])] * 2, tmp_path / "many.sgf")
    assert b"holds 2 games" in piped("b2\n", "--save", tmp_path / "many.sgf").stderr
    assert b"a game on 15 lines, not 19" in piped("", "--load", old, "--size", "19").stderr


def test_a_file_keeps_its_rule(tmp_path: Path) -> None:
    """The file keeps its rule on every way to load it; another rule is rejected."""
    game = tmp_path / "game.sgf"
    game.write_text("(;GM[4]SZ[15]RU[caro];B[hh])")
    clash = piped("", "--save", str(game), "--rule", "renju")
    assert clash.returncode == 1
    assert b"a game of caro, not renju" in clash.stderr
    assert "RU[caro]" in game.read_text()
    bare = tmp_path / "moves.txt"
    bare.write_text("h8 i9")
    for option in ("--load", "--save"):
        assert b"playing freestyle" in piped("", option, str(bare)).stdout


def against(given: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """A session against the engine, by pipe."""
    message = [
        sys.executable,
        "-m",
        "tengen",
        "play",
        "--terminal",
        "--memory",
        "16",
        *map(str, arguments),
    ]
    return subprocess.run(
        message, input=given, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_game_against_the_engine(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    options: list[str | Path] = ["--depth", "2", "--rule", "freestyle", "--save", path]
    done = against("h8\nhint\nundo\nh9\nnonsense\nresign\nquit\n", *options)
    assert (done.returncode, done.stderr) == (0, "")
    assert "You are black; Tengen" in done.stdout
    assert "1. black h8. White to move." in done.stdout
    assert "would play" in done.stdout
    assert "No command or move 'nonsense'" in done.stdout
    assert "White wins: black resigned." in done.stdout
    (record,) = records.read(path)
    assert record.moves[0] == Move("h9")
    assert len(record.moves) == 2
    assert record.black == "Human"
    assert record.white.startswith("Tengen ")
    assert record.result_text() == "W+Resign"
    again = against("h8\nhint\nundo\nh9\n", *options[:-2])
    output = done.stdout.splitlines()
    assert set(again.stdout.splitlines()) - {"The game was not saved."} <= set(output)


def test_white_against_the_engine() -> None:
    done = against("quit\n", "--colour", "white", "--nodes", "500", "--preset", "policy")
    assert (done.returncode, done.stderr) == (0, "")
    assert "1. black h8. White to move." in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--engine", "--human"], "not allowed with"),
        (["--colour", "green"], "invalid choice"),
        (["--time", "-1"], "no number of seconds"),
        (["--depth", "0"], "no whole number"),
        (["--option", "nothing=1"], "no option 'nothing'"),
        (["--threads", "500"], "no threads of 500"),
    ],
)
def test_wrong_usage_of_the_engine(arguments: list[str], message: str) -> None:
    done = against("h8\n", *arguments)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "in_browser"),
    [
        ([], True),
        (["--level", "5"], True),
        (["--rule", "caro", "--size", "15", "--colour", "white", "--time", "2"], True),
        (["--level", "5", "--terminal"], False),
        (["--human"], False),
        (["--nodes", "10"], False),
        (["--ascii"], False),
    ],
)
def test_the_browser_is_the_default(
    arguments: list[str], in_browser: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[dict[str, Any]] = []
    monkeypatch.setattr(serve, "serve", lambda address, **options: served.append(options))
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    assert main(["play", "--memory", "16", *arguments]) == 0
    assert bool(served) is in_browser
    if "--level" in arguments and in_browser:
        assert served[0]["new_game"]["level"] == 5


def test_the_address_has_the_settings_of_the_new_game() -> None:
    address = serve.Address("127.0.0.1", token="secret-token")
    url = serve._url(address, 80, {"level": 5, "rule": None})
    assert url == "http://127.0.0.1:80/#level=5&token=secret-token"
    assert serve._url(serve.Address(), 80, {"level": None}) == "http://127.0.0.1:80/"
