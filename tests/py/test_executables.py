# SPDX-License-Identifier: MIT
"""The program with its tables and nets inside: alone in a folder, and beside other data. The slow
tests build it with other compilers and for other systems, and run what can be run here.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import pytest

import tengen
from gomocup_dialogues import all_dialogues
from gomocup_peer import NATIVE, Peer

ROOT = Path(__file__).parents[2]
BUILT, DATA = Path(NATIVE[0]), Path(NATIVE[-1])
RULES = {"freestyle": 0, "standard": 1, "renju": 4, "caro": 9, "caro6": 8}
MAX_BYTES = 16 << 20
NET = "mixnet-s-freestyle"


def output_of(command: Sequence[str | Path], lines: Sequence[str] = ()) -> list[str]:
    """What a program answers, with the folder of its first argument as the working folder."""
    done = subprocess.run(
        command,
        cwd=Path(command[0]).parent,
        input="".join(f"{line}\r\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.fixture
def alone(tmp_path: Path) -> Path:
    """The program in a folder of its own."""
    folder = tmp_path / "a folder"
    folder.mkdir()
    return Path(shutil.copy2(BUILT, folder))


def test_it_names_its_version_and_net(alone: Path) -> None:
    (about,) = output_of([alone], ["ABOUT"])
    assert f'version="{tengen.__version__}"' in about
    assert 'evaluation="mixnet-m (net mixnet-m-freestyle)"' in about


@pytest.mark.parametrize("rule", RULES)
def test_it_plays_without_files(alone: Path, rule: str) -> None:
    infos = [f"INFO rule {RULES[rule]}", "INFO timeout_turn 20"]
    answers = output_of([alone], ["START 15", *infos, "TURN 7,7"])
    assert answers[0] == "OK"
    x, y = map(int, answers[-1].split(","))
    assert 0 <= x < 15
    assert 0 <= y < 15
    assert (x, y) != (7, 7)


def test_its_nets_are_those_of_the_package(alone: Path) -> None:
    bench: list[str | Path] = [
        alone,
        *f"bench --rule freestyle --depth 3 --positions 2 --net {NET}".split(),
    ]
    signature, *more = output_of(bench)
    assert signature == output_of([*bench, "--data", DATA])[0]
    assert any(NET in line for line in more)


def test_data_beside_it_come_first(alone: Path) -> None:
    (alone.parent / "data").mkdir()  # of another program
    answers = output_of([alone, "--preset", "classical"], ["START 15", "BEGIN"])
    assert not answers[-1].startswith("ERROR ")
    (alone.parent / "data" / "nets").mkdir()
    (alone.parent / "data" / "nets" / "registry.json").write_text('{"format": 1, "nets": []}')
    answers = output_of([alone, "--preset", "classical"], ["START 15", "BEGIN"])
    assert answers[-1].startswith("ERROR ")
    assert "classical-freestyle.tables cannot be read" in answers[-1]
    answers = output_of([alone, "--preset", "classical", "--data", DATA], ["START 15", "BEGIN"])
    assert not answers[-1].startswith("ERROR ")


def test_it_rejects_onnx_files(alone: Path) -> None:
    (alone.parent / "net.onnx").write_bytes(b"rubbish")
    answers = output_of([alone, "--net", "net.onnx"], ["START 15", "BEGIN"])
    assert answers[-1].startswith("ERROR ")
    assert "tengen gomocup" in answers[-1]


# --- other compilers and systems ---

pytestmark = pytest.mark.xdist_group("builds")  # one build at a time
PLAIN = [d for d in all_dialogues() if d.pipes and d.lines[0] == (">", "START 15")]
# Of each target: what runs its program here, and the signatures to compare; an emulator is slow.
TARGETS = {
    "linux-x86_64": ([], ".*"),
    "clang": ([], ".*"),
    "windows": (["wine"], ".*"),
    "linux-aarch64": (["qemu-aarch64"], "(alphabeta|mcts net) renju"),
}


@pytest.fixture(scope="module", params=TARGETS)
def target(request: pytest.FixtureRequest) -> str:
    """A target whose program was built."""
    name = str(request.param)
    built = subprocess.run(["make", name], cwd=ROOT, capture_output=True, text=True, check=False)
    if "needs one of:" in built.stdout:
        pytest.skip(built.stdout.strip())
    assert built.returncode == 0, built.stderr
    return name


@pytest.fixture
def command(
    target: str, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> list[str]:
    """What runs the program of a target."""
    runner = TARGETS[target][0]
    if runner and not shutil.which(runner[0]):
        pytest.skip(f"{runner[0]} is not installed")
    monkeypatch.setenv("WINEPREFIX", str(tmp_path_factory.getbasetemp() / "wine"))
    monkeypatch.setenv("WINEDEBUG", "-all")
    return [*runner, str(program(target))]


def program(target: str) -> Path:
    name = "pbrain-tengen.exe" if target == "windows" else "pbrain-tengen"
    return ROOT / "build" / target / name


@pytest.mark.slow
def test_size_and_libraries(target: str) -> None:
    if target == "clang":
        pytest.skip("linked dynamically, with symbols")
    assert program(target).stat().st_size <= MAX_BYTES
    headers = subprocess.run(
        ["objdump", "-p", program(target)], capture_output=True, text=True, check=True
    ).stdout
    if target == "windows":
        needed = {line.split()[-1] for line in headers.splitlines() if "DLL Name" in line}
        assert needed
        assert needed <= {"KERNEL32.dll", "msvcrt.dll"}
    else:
        assert "Program Header" in headers
        assert "NEEDED" not in headers


@pytest.mark.slow
def test_dialogues(command: list[str]) -> None:
    for _, dialogues in groupby(PLAIN, key=lambda d: d.file):
        with Peer(command) as peer:
            for dialogue in dialogues:
                peer.say("INFO timeout_turn 20", "INFO max_node 200", "INFO rule 0")
                peer.say("INFO show_detail 1", "INFO pondering 0")
                peer.act(dialogue)
            peer.say("END")
            assert peer.end() == 0


@pytest.mark.slow
def test_signature(target: str, command: list[str]) -> None:
    script = [sys.executable, "scripts/signature.py", "--only", TARGETS[target][1]]
    done = subprocess.run(
        [*script, "--program", *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
