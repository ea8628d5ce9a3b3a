# SPDX-License-Identifier: MIT
"""What `main` does for every command: broken and missing streams, error messages, interrupts.

Runs subprocesses with buffered output, because the final flush is what fails.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tengen.cli import play
from tengen.cli.main import main

posix = pytest.mark.skipif(os.name != "posix", reason="shell of POSIX")
full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device /dev/full")


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a line with `$T` for tengen; it ends with the exit code of tengen, not of the pipe."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    environment["PYTHON"] = sys.executable
    return subprocess.run(
        ["bash", "-c", "set -o pipefail; " + line.replace("$T", '"$PYTHON" -m tengen')],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "x.sgf").write_text("(;SZ[15];B[hh])")
    # More than the pipe buffer, so that the writer notices the closed reader.
    (tmp_path / "long.sgf").write_text("(;SZ[15];B[hh]C[" + "word\n" * 40_000 + "])")
    return tmp_path


@posix
@pytest.mark.parametrize("line", ["show x.sgf", "show long.sgf", "--help", "show --help"])
def test_a_closed_pipe_is_no_error(folder: Path, line: str) -> None:
    # The reader is closed before tengen writes.
    done = shell(f"(sleep 0.3; $T {line}) | true", folder)
    assert (done.returncode, done.stderr) == (0, b"")


@posix
def test_a_closed_stderr_does_not_end_the_work(folder: Path) -> None:
    match = "$T match random random --nodes 1 --games 4 --processes 1 --out m"
    done = shell(f"(sleep 0.3; {match} 2>&1 >&3) 3>/dev/null | true", folder)
    assert done.returncode == 0
    assert (folder / "m" / "result.json").exists()


@pytest.mark.parametrize(
    ("package", "message", "command"),
    [
        ("torch", "train mixnet-s --set data.path=x --out y", 'pip install "tengen-gomoku[nets]"'),
        ("torch", "zero freestyle15 --out y", 'pip install "tengen-gomoku[nets]"'),
        (
            "torch",
            "net export x y.net --rule freestyle --size 15",
            'pip install "tengen-gomoku[nets]"',
        ),
        ("torch", "net verify mixnet-m-freestyle --quick", 'pip install "tengen-gomoku[nets]"'),
        ("torch", "net lazy mixnet-m-freestyle --out y.guess", 'pip install "tengen-gomoku[nets]"'),
        ("numpy", "experiment list", "pip install numpy"),
    ],
)
def test_without_a_package(package: str, message: str, command: str, tmp_path: Path) -> None:
    """In a separate process in which the package cannot be imported."""
    program = f"import sys; sys.modules[{package!r}] = None; from tengen.cli.main import main"
    done = subprocess.run(
        [sys.executable, "-c", f"{program}; sys.exit(main({message.split()}))"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    reported = f"tengen {message.split(maxsplit=1)[0]}: this needs {package}: {command}\n"
    assert (done.returncode, done.stderr) == (1, reported)
    assert not list(tmp_path.iterdir())


@posix
@full
@pytest.mark.parametrize("line", ["show x.sgf", "show long.sgf", "--help", "--version"])
def test_a_full_disk_is_reported_once(folder: Path, line: str) -> None:
    done = shell(f"$T {line} > /dev/full", folder)
    name = b"tengen show" if line.startswith("show") else b"tengen"
    assert (done.returncode, done.stderr) == (1, name + b": No space left on device\n")


@posix
@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-", "<&- >&- 2>&-"])
def test_closed_streams(folder: Path, closed: str) -> None:
    done = shell(f"$T play --terminal {closed}", folder)
    assert (done.returncode, done.stderr) == (0, b"")


def test_version_and_interrupt(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith("tengen ")

    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    module = SimpleNamespace(run=interrupted, configure=lambda parser: None)
    monkeypatch.setattr(importlib, "import_module", lambda _: module)
    assert main(["show"]) == 130
    assert capsys.readouterr().err == "\ntengen show: interrupted\n"


def test_the_version_is_looked_up_on_demand() -> None:
    code = (
        "import sys; from tengen.cli.main import main; main([]); print(*sys.modules, sep=chr(10))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=True)
    assert b"tengen._version" not in done.stdout


def test_error_messages_are_safe_to_print(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["show", "none.sgf"]) == 1
    assert capsys.readouterr().err == "tengen show: none.sgf: No such file or directory\n"
    name = "a\x1b[2J\nb.sgf"
    (tmp_path / name).write_text("(;B[zz])")
    assert main(["show", name]) == 1
    output = capsys.readouterr().err
    assert output.startswith(
        "tengen show: a\N{REPLACEMENT CHARACTER}[2J b.sgf:1:4: B[zz] is no point"
    )
    assert output.count("\n") == 1


def test_plain_text_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(isatty=lambda: True, encoding="utf-8"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert play._can_colour()
    monkeypatch.setenv("NO_COLOR", "")
    assert not play._can_colour()
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not play._can_colour()
    monkeypatch.delenv("TERM")
    assert not play._can_colour()
