# SPDX-License-Identifier: MIT
"""`tengen analyse` with a fake core: text and JSON, one position and many, invalid input."""

from __future__ import annotations

import json
import re
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from fake_core import FakeEvent, FakePlayer, fake_engines
from tengen.cli.analyse import short
from tengen.cli.main import main


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> list[FakePlayer]:
    return fake_engines(monkeypatch)


def analyse(capsys: pytest.CaptureFixture[str], *message: str) -> tuple[int, list[str], str]:
    code = main(["analyse", *message])
    output = capsys.readouterr()
    return code, output.out.splitlines(), output.err


def objects(lines: list[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines]


def test_text(cores: list[FakePlayer], capsys: pytest.CaptureFixture[str]) -> None:
    code, lines, fault = analyse(capsys, "h8 i9", "--depth", "2", "--multipv", "2")
    assert (code, fault) == (0, "")
    header, *rows, reported, last = lines
    assert re.fullmatch(r"evaluation: \S+( \(.*\))?", reported)
    assert header.split() == ["#", "depth", "score", "win", "nodes", "nodes/s", "time", "line"]
    assert [row.split()[:5] for row in rows] == [
        ["1", "1/3", "+91", "61.2%", "1.00k"],
        ["2", "1/3", "+81", "60.0%", "1.00k"],
        ["1", "2/4", "+92", "61.3%", "2.00k"],
        ["2", "2/4", "+82", "60.1%", "2.00k"],
    ]
    assert rows[-1].endswith("  b1 a1")
    text = "Black should play a1: +92, win rate 61.3%, depth 2; b1 is the expected reply."
    assert last == text


def test_json(cores: list[FakePlayer], capsys: pytest.CaptureFixture[str]) -> None:
    code, lines, _ = analyse(capsys, "h8", "--nodes", "3000", "--json", "--multipv", "2")
    *infos, last = objects(lines)
    assert code == 0
    assert [(info["depth"], info["multipv"]) for info in infos] == [
        (d, n) for d in (1, 2, 3) for n in (1, 2)
    ]
    assert infos[0]["id"] == last["id"] == "position"
    assert not any(info["final"] for info in infos)
    assert last["final"]
    assert (last["move"], last["ponder"], last["turn"]) == ("a1", "b1", "white")
    assert last["score"] == {"value": 93, "mate": None, "proven": False, "win_rate": 0.6142}
    assert last["pv"] == ["a1", "b1", "c1"]
    assert infos[5] == {**infos[5], "nodes": 3000, "nps": 100_000, "hashfull": 0.25}


def test_limits_and_settings_reach_the_core(
    cores: list[FakePlayer], capsys: pytest.CaptureFixture[str]
) -> None:
    analyse(capsys, "h8")
    analyse(capsys, "h8", "--time", "0.5", "--depth", "3", "--nodes", "9")
    more = ["--threads", "2", "--memory", "16", "--preset", "policy", "--option", "null-move=off"]
    analyse(capsys, "h8", "--depth", "1", *more)
    starts = [core.started[0] for core in cores]
    assert [(s["seconds"], s["depth"], s["nodes"]) for s in starts] == [
        (5.0, 0, 0),
        (0.5, 3, 9),
        (0.0, 1, 0),
    ]
    wanted = {"threads": "2", "memory": "16", "preset": "policy", "null_move": "false"}
    assert wanted.items() <= cores[2].options.items()


def test_positions_of_a_record(
    cores: list[FakePlayer], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[4]SZ[15]RU[renju];B[hh];W[ii];B[hi])", encoding="utf-8")
    for message, turn in (
        ([], "white"),
        (["--move", "2"], "black"),
        (["--side", "black"], "black"),
    ):
        _, lines, _ = analyse(capsys, str(path), "--depth", "1", "--json", *message)
        assert objects(lines)[-1]["turn"] == turn
    code, lines, _ = analyse(capsys, str(path), "--depth", "1", "--json", "--all")
    ends = [result for result in objects(lines) if result["final"]]
    assert code == 0
    assert [(end["id"], end["turn"]) for end in ends] == [
        ("move 0", "black"),
        ("move 1", "white"),
        ("move 2", "black"),
        ("move 3", "white"),
    ]
    _, lines, _ = analyse(capsys, str(path), "--depth", "1", "--all", "--multipv", "2")
    assert lines[1].startswith("evaluation: ")
    assert [line.split()[:3] for line in lines[2:4]] == [["move", "0", "1"], ["move", "0", "2"]]
    assert sum(line.startswith("evaluation: ") for line in lines) == 1


def test_a_game_that_is_over(
    cores: list[FakePlayer], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    won = "h8 a1 h9 a3 h10 a5 h11 a7 h12"
    code, lines, fault = analyse(capsys, won, "--depth", "1")
    assert (code, lines[1:]) == (1, [])
    assert "the game is over, black wins (five); --move N is an earlier position" in fault
    code, lines, _ = analyse(capsys, won, "--depth", "1", "--all")
    assert code == 0
    assert lines[-1].startswith("move 8")
    path = tmp_path / "over.jsonl"
    five = ["h8", "h9", "h10", "h11", "h12"]
    path.write_text(
        json.dumps({"id": "done", "black": five, "white": []}) + '\n{"black": ["h8"]}\nnonsense\n',
        encoding="utf-8",
    )
    code, lines, fault = analyse(capsys, str(path), "--depth", "1", "--json")
    assert code == 1
    result = objects(lines)
    assert result[0]["id"] == "done"
    assert "the game is over" in result[0]["error"]
    assert result[-2]["move"] == "a1"
    assert "no JSON" in result[-1]["error"]
    assert fault.count("\n") == 2


@pytest.mark.parametrize(
    ("arguments", "code", "fault"),
    [
        (["no-such.sgf"], 1, "No such file"),
        (["h8 h8"], 1, "h8"),
        (["h8", "--time", "-1"], 2, "no number of seconds"),
        (["h8", "--depth", "0"], 2, "no whole number of 1 or more"),
        (["h8", "--nodes", "x"], 2, "no whole number of 1 or more"),
        (["h8", "--threads", "0"], 2, "no whole number of 1 or more"),
        (["h8", "--threads", "1000"], 1, "no threads of 1000: use a whole number from 1 to 256"),
        (["h8", "--multipv", "1000"], 1, "no multipv of 1000"),
        (["h8", "--preset", "deep"], 2, "invalid choice"),
        (["h8", "--option", "nul_move=on"], 1, "did you mean null_move?"),
        (["h8", "--option", "null_move=maybe"], 1, "no null_move of 'maybe': use True or False"),
        (["h8", "--option", "null_move"], 1, "give NAME=VALUE"),
        (["h8", "--move", "1", "--all"], 2, "not allowed with"),
        (["h8", "--rule", "chess"], 2, "invalid choice"),
        ([], 2, "POSITION"),
    ],
)
def test_wrong_usage(
    cores: list[FakePlayer],
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    fault: str,
) -> None:
    try:
        result = main(["analyse", *arguments])
    except SystemExit as left:
        result = int(str(left.code))
    assert result == code
    assert fault in capsys.readouterr().err


def test_the_table_keeps_the_last_exact_line(
    cores: list[FakePlayer], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    script = [
        FakeEvent(depth=1, value=10, pv=[3], nodes=5, seconds=1.0),
        FakeEvent(depth=2, value=99, pv=[4], bound=1),
        FakeEvent(is_result=True, move=3, depth=1, value=10, pv=[3], nodes=5, seconds=1.0, nps=5),
    ]
    original = FakePlayer.start

    def start(self: FakePlayer, *args: Any, **options: Any) -> None:
        self.script = script
        original(self, *args, **options)

    monkeypatch.setattr(FakePlayer, "start", start)
    _, lines, _ = analyse(capsys, "h8", "--time", "0", "--preset", "classical")
    assert [re.sub(r"\s+", " ", line) for line in lines] == [
        " # depth score win nodes nodes/s time line",
        " 1 1/0 +10 51.2% 5 5 1.00 s d1",
        "evaluation: fake",
        "White should play d1: +10, win rate 51.2%, depth 1.",
    ]


def test_an_interrupt_prints_the_best_so_far(
    cores: list[FakePlayer], capsys: pytest.CaptureFixture[str]
) -> None:
    def press() -> None:
        while not (cores and cores[0].is_searching):
            pass
        signal.raise_signal(signal.SIGINT)

    threading.Thread(target=press).start()
    code, lines, _ = analyse(capsys, "h8", "--time", "0")
    assert code == 0
    assert lines[-1].startswith("White should play a1")


def test_short_numbers() -> None:
    given = [0, 999, 1000, 12_345, 99_960, 123_456, 999_499, 1_234_567, 10**9]
    arguments = ["0", "999", "1.00k", "12.3k", "100k", "123k", "999k", "1.23M", "1.00G"]
    assert list(map(short, given)) == arguments
