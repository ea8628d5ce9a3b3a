# SPDX-License-Identifier: MIT
"""`tengen match`, `tournament`, `sprt` and `elo`: output files, invalid usage, and no loss of games
by kills.
"""

from __future__ import annotations

import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tengen.arena.definition import Definition
from tengen.cli import arena_common
from tengen.cli.main import main
from tengen.game import records
from tengen.util.config import read_toml
from tengen.util.run_folder import user_and_machine

ROOT = Path(__file__).parents[2]
LIVELY = ROOT / "tests" / "golden" / "mixnet" / "lively.net"


def command(*message: str) -> list[str]:
    return [sys.executable, "-m", "tengen", *message]


def tengen(*message: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*message), capture_output=True, text=True, check=False, timeout=500
    )


def game_numbers(folder: Path) -> list[int]:
    lines = (folder / "games.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["game"] for line in lines]


def test_a_match_leaves_its_files(tmp_path: Path) -> None:
    out = tmp_path / "match"
    players = ["classical", "classical,history=off,name=no history"]
    done = tengen("match", *players, "--games", "6", "--nodes", "200", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert "no history" in done.stdout
    assert sorted(game_numbers(out)) == list(range(6))
    result = json.loads((out / "result.json").read_text("utf-8"))
    assert [row["player"] for row in result["standings"]] == ["classical", "no history"]
    assert result["games"] == len(result["played"]) == 6
    assert sum(row["points"] for row in result["standings"]) == 6
    assert sum(result["encounters"][0]["pairs"]) == 3
    games = records.read(out / "games.sgf")
    assert len(games) == 6
    assert {game.black for game in games} == {"classical", "no history"}
    assert all("ms" in game.main_line()[-1].comment for game in games)
    assert len(list((out / "psq").iterdir())) == 6
    assert records.read(out / "psq" / "00003.psq")[0].moves == games[2].moves
    assert "<html" in (out / "report.html").read_text("utf-8")


@pytest.mark.integration
def test_pairs_swap_colours_and_openings_differ(tmp_path: Path) -> None:
    out = tmp_path / "match"
    arguments = ["classical,name=a", "classical,name=b", "--games", "8", "--nodes", "50"]
    assert tengen("match", *arguments, "--out", str(out), "--no-psq", "--no-report").returncode == 0
    played = json.loads((out / "result.json").read_text("utf-8"))["played"]
    openings = []
    for first, second in zip(played[::2], played[1::2], strict=True):
        assert (first["black"], first["white"]) == (second["white"], second["black"]) == (0, 1)
        assert first["opening"] == second["opening"]
        # Equal players without a clock play the same game twice.
        assert first["moves"] == second["moves"]
        openings.append(tuple(first["moves"].split()[: first["opening_moves"]]))
    assert len(set(openings)) == 4
    assert not (out / "psq").exists()
    assert not (out / "report.html").exists()


@pytest.mark.integration
def test_the_number_of_processes_does_not_matter(tmp_path: Path) -> None:
    arguments = ["classical", "classical,late_move_reductions=off", "random", "--games", "6"]
    arguments += ["--nodes", "150", "--no-report", "--rule", "renju"]
    results = []
    for processes in ("1", "3"):
        out = tmp_path / processes
        done = tengen("tournament", *arguments, "--processes", processes, "--out", str(out))
        assert done.returncode == 0, done.stderr
        results.append((out / "result.json").read_bytes())
    assert results[0] == results[1]


def killed(words: list[str], out: Path, games: int, delay: float) -> int:
    """Run a command and kill it once it has added so many games, and a moment later; its exit code.
    By games and not by time, so that it is in the middle of something on any machine.
    """
    before = whole_lines(out)
    process = subprocess.Popen(
        command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while process.poll() is None and whole_lines(out) < before + games:
        time.sleep(0.005)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    return process.wait()


def whole_lines(out: Path) -> int:
    event_log = out / "games.jsonl"
    return event_log.read_bytes().count(b"\n") if event_log.exists() else 0


def kill_and_resume(tmp_path: Path, games: int, nodes: int, kills: int) -> None:
    """Play a tournament undisturbed, and another one that is killed again and again."""
    arguments = ["classical", "classical,history=off", "random", "--games", str(games)]
    arguments += ["--nodes", str(nodes), "--no-psq", "--no-report"]
    calm, out = tmp_path / "calm", tmp_path / "killed"
    assert tengen("tournament", *arguments, "--out", str(calm)).returncode == 0
    rng = random.Random(kills)
    before: list[int] = []
    started = False
    for _ in range(kills):
        more = ["--resume", str(out)] if started else [*arguments, "--out", str(out)]
        more = ["tournament", *more, "--no-psq", "--no-report"]
        wanted = rng.randrange(6)
        code = killed(more, out, wanted, rng.uniform(0, 0.05 if wanted else 0.8))
        assert code == -signal.SIGKILL, "it was in the middle of something"
        started = (out / "arena.json").exists()
        if started and (out / "games.jsonl").exists():
            whole = (out / "games.jsonl").read_bytes().rpartition(b"\n")[0]
            after = [json.loads(line)["game"] for line in whole.splitlines()]
            assert after[: len(before)] == before, "what was there stays there"
            before = after
    more = ["--resume", str(out)] if started else [*arguments, "--out", str(out)]
    assert tengen("tournament", *more, "--no-psq", "--no-report").returncode == 0
    assert Counter(game_numbers(out)) == Counter(range(3 * games))
    assert (out / "result.json").read_bytes() == (calm / "result.json").read_bytes()


@pytest.mark.integration
def test_killed_and_resumed(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, games=10, nodes=10_000, kills=3)


@pytest.mark.slow
def test_killed_twenty_times_in_two_hundred_games(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, games=68, nodes=10_000, kills=20)


@pytest.mark.integration
def test_a_torn_line_is_played_again(tmp_path: Path) -> None:
    out = tmp_path / "m"
    arguments = ["match", "classical", "random", "--games", "4", "--nodes", "50", "--out", str(out)]
    assert tengen(*arguments).returncode == 0
    result = (out / "result.json").read_bytes()
    whole = (out / "games.jsonl").read_bytes()
    (out / "games.jsonl").write_bytes(whole[:-40])
    done = tengen("match", "--resume", str(out))
    assert done.returncode == 0
    assert "removed" in done.stderr
    assert sorted(game_numbers(out)) == [0, 1, 2, 3]
    assert (out / "result.json").read_bytes() == result


@pytest.mark.integration
def test_an_interrupt_keeps_the_finished_games(tmp_path: Path) -> None:
    out = tmp_path / "m"
    arguments = ["match", "classical", "classical", "--games", "200", "--time", "0.02"]
    process = subprocess.Popen(
        command(*arguments, "--out", str(out)),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if (out / "games.jsonl").exists() and len(game_numbers(out)) >= 6:  # a whole pair at least
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "--resume" in errors
    assert len(game_numbers(out)) == len(records.read(out / "games.sgf")) > 0
    assert "Elo" in output


@pytest.mark.integration
def test_a_second_manager_is_rejected(tmp_path: Path) -> None:
    out = tmp_path / "m"
    arguments = ["match", "classical", "classical", "--games", "400", "--time", "0.05"]
    process = subprocess.Popen(
        command(*arguments, "--out", str(out)), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + 60
        while not (out / "games.jsonl").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        done = tengen("match", "--resume", str(out))
        assert done.returncode == 1
        assert "in use" in done.stderr
    finally:
        process.kill()
        process.wait()


@pytest.mark.integration
def test_an_sprt_decides(tmp_path: Path) -> None:
    out = tmp_path / "m"
    arguments = ["sprt", "classical", "random", "--elo0", "0", "--elo1", "50", "--depth", "2"]
    done = tengen(*arguments, "--games", "200", "--out", str(out), "--no-psq")
    assert done.returncode == 0, done.stderr
    result = json.loads((out / "result.json").read_text("utf-8"))
    assert result["sprt"]["decision"] == "H1"
    assert 2 < result["games"] < 200
    again = tengen("sprt", "--resume", str(out), "--no-psq", "--json")
    assert again.returncode == 0
    assert json.loads(again.stdout)["games"] == result["games"], "nothing more is played"


def test_counts_from_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sprt", "--counts", "10,80,200,110,20", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["lower"] == pytest.approx(-result["upper"])
    assert result["elo_low"] < result["elo"] < result["elo_high"]
    assert main(["sprt", "--counts", "300,400,350"]) == 0
    assert "LLR" in capsys.readouterr().out


@pytest.mark.parametrize("counts", ["1,2", "a,b,c", "1,2,3,4,-5", "0,0,0", ""])
def test_invalid_counts(counts: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sprt", "--counts", counts]) == 1
    assert "counts" in capsys.readouterr().err


@pytest.mark.integration
def test_elo_of_folders_and_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "t"
    arguments = ["tournament", "classical", "policy", "random", "--games", "4", "--nodes", "200"]
    assert tengen(*arguments, "--out", str(out)).returncode == 0
    pgn, page = tmp_path / "all.pgn", tmp_path / "again.html"
    assert main(["elo", str(out), "--json", "--pgn", str(pgn), "--report", str(page)]) == 0
    rated = json.loads(capsys.readouterr().out)
    assert [row["player"] for row in rated["players"]] == ["classical", "policy", "random"]
    assert rated["games"] == 12
    assert "<html" in page.read_text("utf-8")
    for source in (out / "games.sgf", pgn):
        assert main(["elo", str(source), "--json", "--anchor", "policy"]) == 0
        again = json.loads(capsys.readouterr().out)
        assert [row["player"] for row in again["players"]] == ["classical", "policy", "random"]
        assert [row["score"] for row in again["players"]] == [r["score"] for r in rated["players"]]
        assert again["players"][1]["elo"] == 0
    assert main(["elo", str(out), str(pgn)]) == 0
    assert "classical" in capsys.readouterr().out


@pytest.mark.integration
def test_a_program_plays(tmp_path: Path) -> None:
    out = tmp_path / "m"
    program = f"cmd[name=pipe,memory=64]:{sys.executable} -m tengen gomocup"
    arguments = ["classical", program, "--games", "2", "--nodes", "300", "--openings", "swap2"]
    done = tengen("match", *arguments, "--out", str(out))
    assert done.returncode == 0, done.stderr
    result = json.loads((out / "result.json").read_text("utf-8"))
    assert {game["reason"] for game in result["played"]} == {"five"}
    assert all(game["opening"] == -1 and game["opening_moves"] >= 3 for game in result["played"])


WRONG = {
    "three players in a match": ["match", "random", "random", "random", "--games", "2"],
    "no players": ["match", "--games", "2"],
    "odd games": ["match", "random", "random", "--games", "3"],
    "no such program": ["match", "random", "./there-is-no-such-program"],
    "a net for another rule": ["match", "random", f"alphabeta,net={LIVELY}", "--rule", "renju"],
    "no such net": ["match", "random", "alphabeta,net=no-such.onnx"],
    "a net that is none": ["match", "random", f"alphabeta,net={__file__}"],
    "no such option": ["match", "random", "classical,nul_move=off"],
    "no such config": ["match", "random", "random", "--config", "no-such-config"],
    "no such openings": ["match", "random", "random", "--openings", "no-such-file"],
    "no such folder": ["match", "--resume", "no-such-folder"],
    "an increment alone": ["match", "random", "random", "--increment", "1"],
    "a board of 4 lines": ["match", "random", "random", "--size", "4"],
    "wrong bounds": ["sprt", "random", "random", "--elo0", "5", "--elo1", "5"],
    "no such rating file": ["elo", "no-such-file.sgf"],
    "an unknown anchor": ["elo", "EMPTY.sgf", "--anchor", "x"],
}


@pytest.mark.parametrize("arguments", WRONG.values(), ids=WRONG.keys())
def test_wrong_usage_is_reported(
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "EMPTY.sgf").write_text("(;GM[4]FF[4]SZ[15])", "utf-8")
    assert main(arguments) == 1
    output = capsys.readouterr().err
    assert output.startswith(f"tengen {arguments[0]}: ")
    assert "Traceback" not in output
    left = [
        path for path in tmp_path.iterdir() if path.name != "EMPTY.sgf" and list(path.iterdir())
    ]
    assert [name for path in left for name in os.listdir(path) if name != ".lock"] == []  # noqa: PTH208


@pytest.mark.integration
def test_configs_that_ship_can_be_played(tmp_path: Path) -> None:
    names = sorted(path.stem for path in (ROOT / "configs" / "arena").glob("*.toml"))
    assert {"short", "long", "nodes", "gain", "simplify", "gomocup"} <= set(names)
    for name in names:
        out = tmp_path / name
        values = read_toml(ROOT / "configs" / "arena" / f"{name}.toml")
        if values.get("players"):
            assert len(Definition.from_dict(values).players) > 2
            continue
        arguments = ["match", "random", "random", "--config", name, "--games", "2", "--depth", "1"]
        done = tengen(*arguments, "--out", str(out), "--no-report")
        assert done.returncode == 0, done.stderr


# --- resuming a run that another user may have started ---


class Answers(io.StringIO):
    """The stdin of a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def program_run(tmp_path: Path) -> Path:
    """A finished match with a program, of an unknown user."""
    out = tmp_path / "run"
    program = f"cmd[name=p]:{sys.executable} -m tengen gomocup"
    arguments = ["random,name=r", program, "--games", "2", "--time", "0.05", "--max-moves", "8"]
    assert main(["match", *arguments, "--out", str(out), "--no-psq", "--no-report"]) == 0
    head = json.loads((out / "arena.json").read_text())
    assert len(head.pop("started_by")) == 32
    (out / "arena.json").write_text(json.dumps(head))
    return out


@pytest.mark.integration
def test_resume_requires_confirmation_for_foreign_runs(
    program_run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["match", "--resume", str(program_run), "--no-psq", "--no-report"]
    played: list[object] = []
    monkeypatch.setattr(arena_common, "run_match", lambda *args, **_: played.append(args))
    monkeypatch.setattr(arena_common, "finish", lambda *args: 0)
    capsys.readouterr()
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert main(arguments) == 1  # no terminal to confirm
    output = capsys.readouterr().err
    assert "-m tengen gomocup" in output
    assert "--yes" in output
    for answer, code in (("n\n", 1), ("", 1), ("\n", 1), ("y\n", 0)):
        assert not played
        monkeypatch.setattr(sys, "stdin", Answers(answer))
        assert main(arguments) == code
        assert "-m tengen gomocup" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert main([*arguments, "--yes"]) == 0
    head = json.loads((program_run / "arena.json").read_text())
    head["started_by"] = user_and_machine()
    (program_run / "arena.json").write_text(json.dumps(head))
    assert main(arguments) == 0  # started by this user on this machine
    assert "-m tengen gomocup" in capsys.readouterr().err
    assert len(played) == 3


@pytest.mark.integration
def test_resume_shows_environment_and_folder(
    program_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head = json.loads((program_run / "arena.json").read_text())
    head["definition"]["players"][1] |= {"env": {"LD_PRELOAD": "x y"}, "folder": "/a b"}
    (program_run / "arena.json").write_text(json.dumps(head))
    capsys.readouterr()
    assert main(["match", "--resume", str(program_run)]) == 1
    assert "cd '/a b' && LD_PRELOAD='x y' " in capsys.readouterr().err
