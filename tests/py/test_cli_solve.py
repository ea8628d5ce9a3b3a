# SPDX-License-Identifier: MIT
"""`tengen solve` for one position: answers, exit codes, files, invalid usage, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from solver_cases import long_proof, open_three
from tengen import BadProof, Proof
from tengen.cli.main import main

Capture = pytest.CaptureFixture[str]

WIN = "h8 a1 h9 a3 h10 a5"  # black has an open three and is to move
NO_WIN = "h8 i9"
ENDLESS = ["k10 l11", "--size", "20", "--goal", "any", "--quiet", "5", "--time", "0"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def test_a_win(capsys: Capture) -> None:
    assert main(["solve", WIN, "--goal", "vcf"]) == 0
    caught = capsys.readouterr()
    lines = caught.out.splitlines()
    assert lines[0].startswith("Black wins by continuous fours in 2 moves, starting with h")
    assert lines[2].startswith("1.h")
    assert "15  .  ." in caught.out
    assert "  X" in caught.out
    assert lines[-1] == "The proof has 3 nodes; verified by the referee."
    assert caught.err == ""


def test_moves_need_no_quotes_and_the_board_needs_room(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert main(["solve", *WIN.split(), "--goal", "VCF", "--no-verify"]) == 0
    out = capsys.readouterr().out
    assert "15  ." not in out
    assert out.endswith("The proof has 3 nodes; not verified.\n")


def test_the_other_exit_codes(capsys: Capture) -> None:
    assert main(["solve", NO_WIN, "--goal", "vcf"]) == 3
    assert capsys.readouterr().out.startswith("Black has no win by continuous fours (")
    assert main(["solve", *ENDLESS, "--nodes", "2000"]) == 4
    assert "limit of 2,000 nodes reached" in capsys.readouterr().out


def test_the_side_may_be_chosen(capsys: Capture) -> None:
    assert main(["solve", f"{WIN} o1", "--goal", "vcf"]) == 3
    capsys.readouterr()
    assert main(["solve", f"{WIN} o1", "--goal", "vcf", "--side", "black", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["attacker"] == "black"


def test_json(capsys: Capture) -> None:
    assert main(["solve", WIN, "--goal", "vcf", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["line"][0] == result["move"]
    assert len(result["line"]) == 3
    assert (result["status"], result["moves"], result["goal"]) == ("win", 2, "vcf")
    assert (result["verified"], result["proof_nodes"]) == (True, 3)
    assert main(["solve", NO_WIN, "--goal", "vcf", "--json"]) == 3
    result = json.loads(capsys.readouterr().out)
    assert (result["status"], result["reason"]) == ("no win", "no win by continuous fours")


def test_files_and_their_positions(folder: Path, capsys: Capture) -> None:
    (folder / "game.txt").write_text(f"{WIN} h7 o1 h11")
    assert main(["solve", "game.txt"]) == 1
    assert "nothing to solve: the game is over, black wins (five)" in capsys.readouterr().err
    assert main(["solve", "game.txt", "--move", "6", "--goal", "vcf"]) == 0
    (folder / "board.txt").write_text(str(open_three()))
    assert main(["solve", "board.txt", "--side", "black", "--goal", "vcf"]) == 0
    stones = {"black": ["H8", "H9", "H10"], "white": ["A1", "A3", "A5"], "goal": "vcf_easy"}
    capsys.readouterr()
    assert main(["solve", json.dumps(stones | {"id": "p7"}), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["id"], result["goal"]) == ("p7", "vcf_easy")
    assert main(["solve", json.dumps(stones | {"goal": "mate"})]) == 1
    assert "no goal 'mate': known are" in capsys.readouterr().err
    assert main(["solve", json.dumps(stones | {"goal": "mate"}), "--goal", "vct"]) == 0


def test_proof_and_picture(folder: Path, capsys: Capture) -> None:
    arguments = ["solve", WIN, "--goal", "vcf", "--proof", "win.json.gz", "--svg", "win.svg"]
    assert main(arguments) == 0
    proof = Proof.load("win.json.gz")
    assert proof.verify()
    assert (folder / "win.svg").read_text() == proof.svg()
    err = capsys.readouterr().err
    assert "proof saved to win.json.gz" in err
    assert "wrote win.svg" in err
    before = (folder / "win.svg").read_bytes()
    assert main([*arguments, "--json"]) == 1
    assert "win.json.gz: the file exists: --overwrite" in capsys.readouterr().err
    assert main([*arguments, "--overwrite"]) == 0
    assert (folder / "win.svg").read_bytes() == before
    # A proof file is a position, too.
    capsys.readouterr()
    assert main(["solve", WIN, "--goal", "vcf", "--proof", "win.json"]) == 0
    assert main(["solve", "win.json", "--json"]) == 0
    assert main(["solve", NO_WIN, "--goal", "vcf", "--proof", "none.json"]) == 3
    assert "nothing is written: there is no proof" in capsys.readouterr().err
    assert not (folder / "none.json").exists()
    assert main(["solve", WIN, "--proof", "no/such/folder.json"]) == 1
    assert "there is no such folder" in capsys.readouterr().err


def test_an_invalid_proof_is_reported(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Proof, *_: object) -> bool:
        raise BadProof("no five is made", [self.move])

    monkeypatch.setattr(Proof, "verify", refuse)
    assert main(["solve", WIN, "--goal", "vcf", "--proof", "win.json"]) == 1
    assert "invalid proof: after h" in capsys.readouterr().err
    assert not Path("win.json").exists()


def test_a_pass_in_the_main_line_is_explained(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """White's four is not refuted: the point is forbidden to black."""
    stones = {
        "rule": "renju", "side": "white", "goal": "vcf",
        "black": ["I10", "G9", "L9", "H8", "I8", "J8", "G7", "I6", "K5"],
        "white": ["H9", "I9", "K9", "G8", "H7", "I7", "K7", "K6"],
    }  # fmt: skip
    assert main(["solve", json.dumps(stones)]) == 0
    out = capsys.readouterr().out
    assert ".pass" in out
    assert "(pass: any reply that does nothing against the threat)" in out


# --- defences ---------------------------------------------------------------------------------


def test_defences(folder: Path, capsys: Capture) -> None:
    position = "h8 a1 h9 a3 h10"
    assert main(["solve", position, "--defences", "--goal", "vcf", "--svg", "d.svg"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Black threatens to win by continuous fours, starting with")
    assert "10  . . . . . . .(X)" in out
    assert "11  . . . . . . . * ." in out
    assert "refute the threat (*)" in out
    assert "lose, verified by the referee." in out
    assert (folder / "d.svg").read_text().startswith("<svg")
    assert main(["solve", position, "--defences", "--goal", "vcf", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert {"h7", "h11"} <= set(result["moves"])
    assert len(result["losing"]["o1"]) == 3
    assert (result["threat"], result["defender"], result["verified"]) == ("win", "white", True)
    assert main(["solve", NO_WIN, "--defences", "--goal", "vcf"]) == 3
    assert capsys.readouterr().out == "White threatens no win by continuous fours.\n"


# --- wrong usage ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        [WIN, "--goal", "mate"],
        [WIN, "--time", "-1"],
        [WIN, "--time", "nan"],
        [WIN, "--time", "soon"],
        [WIN, "--nodes", "0"],
        [WIN, "--nodes", "1.5"],
        [WIN, "--memory", "0"],
        [WIN, "--memory", "-5"],
        [WIN, "--quiet", "-1"],
        [WIN, "--side", "red"],
        [WIN, "--rule", "chess"],
    ],
)
def test_wrong_usage(arguments: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["solve", *arguments])
    assert caught.value.code == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.sgf"], "No such file"),
        (["hello"], "is no file, and no moves"),
        ([WIN, "--size", "40"], "boards have 5 to 22 lines"),
        (["h8 h8"], "h8 is occupied"),
        ([WIN, "--quiet", "2", "--goal", "vct"], "quiet moves go with goal 'any'"),
        ([WIN, "--memory", "99999999"], "no memory (in MiB) of 99999999"),
        (['{"black": 3}'], "list of points"),
        (["{"], "no JSON"),
    ],
)
def test_faults(arguments: list[str], message: str, capsys: Capture) -> None:
    assert main(["solve", *arguments]) == 1
    caught = capsys.readouterr()
    assert caught.out == ""
    assert caught.err.startswith("tengen solve: ")
    assert caught.err.count("\n") == 1
    assert message in caught.err


def test_help_has_examples(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["solve", "--help"])
    assert caught.value.code == 0
    out = capsys.readouterr().out
    assert "examples:\n  tengen solve " in out
    assert "exit code:\n  0  a win was found" in out


# --- Ctrl-C -----------------------------------------------------------------------------------


class Started:
    """A separate `tengen` process, to be interrupted."""

    def __init__(self, *arguments: str) -> None:
        code = (
            "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "from tengen.cli.common import StopSignal\n"
            "enter = StopSignal.__enter__\n"
            "def told(self):\n"
            "    enter(self); print('ready', file=sys.stderr, flush=True); return self\n"
            "StopSignal.__enter__ = told\n"
            "from tengen.cli.main import main; sys.exit(main(sys.argv[1:]))"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, "solve", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        assert self.process.stderr.readline() == "ready\n"

    def interrupt(self) -> None:
        os.kill(self.process.pid, signal.SIGINT)

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


def test_ctrl_c_prints_the_answer_so_far() -> None:
    started = Started(*ENDLESS)
    started.interrupt()
    code, out, err = started.end()
    assert code == 4, err
    assert out.startswith("Unknown whether black wins by threats and quiet moves: cancelled (")


def test_ctrl_c_during_the_check_leaves_the_win(folder: Path) -> None:
    """The search is over at once; its proof takes minutes to check."""
    long_proof().save("long.json")
    code = (
        "import sys, tengen, tengen.cli.main as m; from tengen.solver import search\n"
        "proof = tengen.Proof.load('long.json')\n"
        "class Known(search.Solver):\n"
        "    def solve(self, board, goal, **options): return proof\n"
        "import tengen.cli.solve_many as s; s.Solver = Known\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code + CHECKED, "solve", "long.json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "checking\n"
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert out.endswith("The proof has 8 nodes; not verified.\n")


CHECKED = """
import signal; signal.signal(signal.SIGINT, signal.default_int_handler)
verify = tengen.Proof.verify
def told(self, *rest):
    print('checking', file=sys.stderr, flush=True)
    return verify(self, *rest)
tengen.Proof.verify = told
sys.exit(m.main(sys.argv[1:]))
"""


def test_a_second_ctrl_c_aborts() -> None:
    """A handler that ignores the flag, as in a slow part of the program."""
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from tengen.cli import main, solve\n"
        "def slow(*rest):\n"
        "    for _ in range(2): os.kill(os.getpid(), signal.SIGINT)\n"
        "    raise AssertionError('still there')\n"
        "solve.PositionSolver.solve = slow\n"
        "sys.exit(main.main(['solve', 'h8']))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert result.returncode == 130, result.stderr
    assert result.stderr == "\ntengen solve: interrupted\n"


def test_the_old_handler_is_restored(capsys: Capture) -> None:
    before = signal.getsignal(signal.SIGINT)
    assert main(["solve", WIN, "--goal", "vcf"]) == 0
    assert signal.getsignal(signal.SIGINT) is before
