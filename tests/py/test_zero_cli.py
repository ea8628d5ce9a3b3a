# SPDX-License-Identifier: MIT
"""`tengen zero`: subcommands, output, error messages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from tengen.cli.main import main, make_parser
from zero_runs import check_folder, config, go

pytestmark = pytest.mark.usefixtures("one_thread")
HERE = Path(__file__).parent


@pytest.fixture
def run(tmp_path: Path) -> Path:
    go(config(), tmp_path / "run", 10)
    return tmp_path / "run"


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    """Self-play of the tests, since the command has no option for it."""
    from tengen.zero import loop
    from zero_runs import make_factories

    monkeypatch.setattr(loop, "RunFactories", make_factories)


def toml(path: Path, **changes: Any) -> Path:
    """A config file of a small run."""
    made = config(**changes).to_dict()
    lines: list[str] = []

    def write(table: dict[str, Any], name: str) -> None:
        if name:
            lines.append(f"[{name}]")
        for key, value in table.items():
            if not isinstance(value, dict):
                lines.append(f"{key} = {json.dumps(value)}")
        for key, value in table.items():
            if isinstance(value, dict):
                write(value, f"{name}.{key}" if name else key)

    write(made, "")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.mark.usefixtures("fake")
def test_start_and_resume(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, file = tmp_path / "run", toml(tmp_path / "a.toml", minutes=0.005)
    assert main(["zero", str(file), "--out", str(path), "--device", "cpu", "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output["done"] is True
    assert output["counts"]["games"] == check_folder(path).get("games", 0)
    assert main(["zero", "resume", str(path), "--device", "cpu"]) == 0
    assert "generation" in capsys.readouterr().out
    again = ["zero", str(file), "--out", str(path), "--device", "cpu"]
    assert main(again) == 1
    assert "already has a run" in capsys.readouterr().err
    assert main([*again, "--resume"]) == 0
    assert main([*again, "--resume", "--set", "size=9"]) == 1
    assert "other values of size" in capsys.readouterr().err


@pytest.mark.usefixtures("fake")
def test_minutes_of_a_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = toml(tmp_path / "a.toml")
    out = str(tmp_path / "run")
    args = ["zero", str(file), "--out", out, "--device", "cpu", "--minutes", "0.002"]
    assert main(args) == 0
    assert f"`tengen zero resume {out}`" in capsys.readouterr().err


def test_commands(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["zero", "status", str(run)]) == 0
    assert "games" in capsys.readouterr().out
    assert main(["zero", "status", str(run), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["size"] == 7
    assert main(["zero", "report", str(run)]) == 0
    assert capsys.readouterr().out.strip() == str(run / "report.html")
    assert main(["zero", "pack", str(run), str(tmp_path / "a.tar")]) == 0
    assert "MiB" in capsys.readouterr().out
    assert main(["zero", "unpack", str(tmp_path / "a.tar"), str(tmp_path / "there")]) == 0
    assert check_folder(tmp_path / "there") == check_folder(run)
    assert main(["zero", "ladder", str(run), "--device", "cpu"]) == 1
    assert "nothing to compare" in capsys.readouterr().err


def test_lists(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["zero", "list"]) == 0
    assert "renju15" in capsys.readouterr().out.split()
    assert main(["zero", "keys", "--json"]) == 0
    names = [row["key"] for row in json.loads(capsys.readouterr().out)]
    assert {"rule", "gate.games", "learn.ratio"} <= set(names)
    assert main(["zero", "keys"]) == 0


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (["freestyle16", "--out", "x"], "caro15, freestyle15"),
        (["freestyle15", "--out", "x", "--set", "learn.bach=3"], "did you mean 'batch'"),
        (["freestyle15", "--out", "x", "--set", "net=6"], "net"),
        (["freestyle15", "--out", "x", "--set", f"learn.batch={10**400}"], "learn.batch: "),
        (["freestyle15", "--out", "x", "--set", f"learn.batch=1{'0' * 5000}"], "learn.batch: "),
        (["resume", "nowhere"], "nowhere has no run"),
        (["status", "nowhere"], "has no run"),
        (["freestyle15", "--out", "x", "--processes", "5"], "play.workers"),
        (["freestyle15", "--out", "x", "--games", "8"], "--release"),
    ],
)
def test_errors(
    arguments: list[str],
    fact: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["zero", *arguments]) == 1
    output = capsys.readouterr().err
    assert fact in output
    assert output.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        ([], "COMMAND"),
        (["freestyle15"], "--out"),
        (["resume"], "RUN"),
        (["pack", "a"], "FILE"),
        (["keys", "more"], "more"),
        (["freestyle15", "--out", "x", "--release", "--playouts", "8"], "--playouts"),
        (["elo", "x", "--playouts", "8"], "--playouts"),
        (["ladder", "x", "--processes", "2"], "--processes"),
        (["pack", "x", "y", "--time", "1"], "--time"),
    ],
)
def test_wrong_usage(arguments: list[str], fact: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["zero", *arguments])
    assert stopped.value.code == 2
    assert fact in capsys.readouterr().err


def test_run_may_be_omitted() -> None:
    parser = make_parser("zero")
    for message in (["run", "renju15"], ["renju15"]):
        args = parser.parse_args(["zero", *message, "--out", "x", "--set", "size=9"])
        assert (args.action, args.config, args.out) == ("run", "renju15", "x")


def test_an_unknown_command_is_reported_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["zero", "nonsense"]) == 1
    error = capsys.readouterr().err
    assert "no command 'nonsense'" in error
    assert "renju15" in error
    assert "--out" not in error


def test_deprecated_names(capsys: pytest.CaptureFixture[str]) -> None:
    parser = make_parser("zero")
    assert parser.parse_args(["zero", "ship", "x"]).action == "release"
    assert "tengen zero: ship is deprecated: use release" in capsys.readouterr().err
    assert parser.parse_args(["zero", "resume", "x", "--ship"]).release is True
    assert "--release" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        parser.parse_args(["zero", "--help"])
    assert "ship" not in capsys.readouterr().out


def test_without_torch() -> None:
    """In a separate process without torch: keys can still be listed."""
    program = (
        "import sys; sys.modules['torch'] = None\n"
        "from tengen.cli.main import main\n"
        "sys.exit(main(['zero', 'keys']))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (result.returncode, result.stderr) == (0, b"")


@pytest.mark.integration
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)]
)
def test_a_signal_keeps_everything(number: int, tmp_path: Path) -> None:
    path, file = tmp_path / "run", toml(tmp_path / "a.toml")
    program = (
        f"import sys; sys.path.insert(0, {str(HERE)!r})\n"
        "import torch; torch.set_num_threads(1)\n"
        "from tengen.zero import loop; from zero_runs import make_factories\n"
        "loop.RunFactories = make_factories\n"
        "from tengen.cli.main import main\n"
        f"sys.exit(main(['zero', {str(file)!r}, '--out', {str(path)!r}, '--device', 'cpu']))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    end = monotonic() + 100
    event_log = path / "journal.jsonl"
    while not event_log.exists() or event_log.read_text("utf-8").count("learn") < 2:
        assert process.poll() is None, process.communicate()[1]
        assert monotonic() < end
        sleep(0.02)
    os.kill(process.pid, number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "`tengen zero resume" in err
    assert "games" in out
    counts = check_folder(path)
    assert go(None, path, 0, resume=True).counts["games"] == counts["games"]
