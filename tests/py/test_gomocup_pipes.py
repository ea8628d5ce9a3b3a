# SPDX-License-Identifier: MIT
"""The engine as a process under a manager: dialogues through real pipes, invalid bytes, and its
end, also during a search. With `tengen gomocup` and the native program.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from itertools import groupby, product

import pytest

from gomocup_dialogues import Dialogue, all_dialogues
from gomocup_peer import NATIVE, REAL, TIMEOUT, Peer

PROGRAMS = {"python": REAL, "native": NATIVE}
# Fast, independent defaults for dialogues that do not set these.
QUICK = ["timeout_turn 20", "timeout_match 0", "max_node 200", "max_depth 0", "rule 0"]
QUICK += ["pondering 0", "show_detail 1", "max_memory 0", "thread_num 1"]
PLAIN = [d for d in all_dialogues() if d.pipes]
FROM_START = [d for d in PLAIN if d.lines[0] == (">", "START 15")]
BY_FILE = {f: list(ds) for f, ds in groupby(FROM_START, key=lambda d: d.file)}
# Some of those that need a process without a START.
BEFORE_START = [d for d in PLAIN if d not in FROM_START and d.file != "start.txt"][::8]


def is_move(answer: str | None) -> bool:
    return re.fullmatch(r"\d+,\d+", answer or "") is not None


@pytest.fixture(params=PROGRAMS)
def program(request: pytest.FixtureRequest) -> list[str]:
    return PROGRAMS[request.param]


@pytest.mark.parametrize("file", BY_FILE)
def test_dialogues_from_start(program: list[str], file: str) -> None:
    with Peer(program) as peer:
        for dialogue in BY_FILE[file]:
            peer.say(*(f"INFO {info}" for info in QUICK))
            peer.act(dialogue)
        peer.say("END")
        assert peer.end() == 0
    assert peer.errors == b""


@pytest.mark.parametrize("dialogue", BEFORE_START, ids=str)
def test_dialogue_before_start(dialogue: Dialogue) -> None:
    with Peer(NATIVE) as peer:
        peer.say("INFO timeout_turn 20", "INFO max_node 200")
        peer.act(dialogue)


@pytest.mark.parametrize("size", [5, 10, 20, 22])
def test_sizes(program: list[str], size: int) -> None:
    (dialogue,) = (d for d in PLAIN if d.title == f"a board of {size} lines [pipes]")
    with Peer(program) as peer:
        peer.say("INFO timeout_turn 20", "INFO max_node 200")
        peer.act(dialogue)


@pytest.mark.parametrize("ends", [b"\r\n", b"\n", b"\r", b"\n\r", b"\r\r\n"])
def test_ends_of_lines(ends: bytes) -> None:
    with Peer(NATIVE) as peer:
        lines = [b"INFO timeout_turn 20", b"START 15", b"BOARD", b"7,7,2", b"DONE", b""]
        peer.send(ends.join(lines))
        assert peer.answer() == "OK"
        assert is_move(peer.answer())
        peer.send(b"END" + ends)
        assert peer.end() == 0


def test_byte_by_byte() -> None:
    with Peer(NATIVE) as peer:
        for byte in b"INFO timeout_turn 20\r\nSTART 15\r\nTURN 7,7\r\n":
            peer.send(bytes([byte]))
        assert peer.answer() == "OK"
        assert is_move(peer.answer())


@pytest.mark.parametrize("rubbish", [b"\0", b"\xff\xfe\x80", b"x" * 3_000_000, b"\xc3\x28 15"])
def test_garbage_input(rubbish: bytes) -> None:
    with Peer(NATIVE) as peer:
        peer.send(rubbish + b"\nSTART 15\n")
        answers = [peer.answer(), peer.answer()]
        assert str(answers[0]).startswith("UNKNOWN")
        assert answers[1] == "OK"


def test_an_overlong_line_is_cut() -> None:
    with Peer(NATIVE) as peer:
        peer.send(b"INFO timeout_turn 20\nSTART 15" + b" " * 1_000_000 + b"20\nTURN 14,14\n")
        assert peer.answer() == "OK"
        assert is_move(peer.answer())


def test_empty_input(program: list[str]) -> None:
    with Peer(program) as peer:
        assert peer.process.stdin
        peer.process.stdin.close()
        assert peer.end() == 0
    assert peer.errors == b""


# --- the end ---


def thinking(command: list[str]) -> Peer:
    """An engine in the middle of a search that would last for minutes."""
    peer = Peer(command)
    peer.say("START 15", "INFO timeout_turn 600000", "TURN 7,7")
    assert peer.answer() == "OK"
    while not str(peer.line()).startswith("MESSAGE"):
        pass
    return peer


def test_end_in_the_middle_of_a_search(program: list[str]) -> None:
    with thinking(program) as peer:
        peer.say("END")
        assert peer.end() == 0
    assert peer.errors == b""


def test_the_input_ends_in_the_middle_of_a_search(program: list[str]) -> None:
    with thinking(program) as peer:
        assert peer.process.stdin
        peer.process.stdin.close()
        assert is_move(peer.answer())
        assert peer.end() == 0
    assert peer.errors == b""


def test_stop_in_the_middle_of_a_search(program: list[str]) -> None:
    with thinking(program) as peer:
        peer.say("STOP")
        assert is_move(peer.answer())


def test_early_turn_commands(program: list[str]) -> None:
    with Peer(program) as peer:
        peer.say("START 15", "INFO timeout_turn 200", "INFO max_node 2000", "BEGIN")
        peer.say("TURN 0,0", "TURN 14,14", "ABOUT", "TURN 0,14")
        reported = [peer.answer() for _ in range(6)]
        assert reported[0] == "OK"
        assert str(reported[4]).startswith("name=")
        moves = [reported[1], reported[2], reported[3], reported[5]]
        assert len(set(moves)) == 4
        assert all(map(is_move, moves))


def test_output_that_is_not_read(program: list[str]) -> None:
    ours, its = os.pipe()
    process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=its, stderr=subprocess.PIPE)
    os.close(its)
    os.close(ours)
    with process:
        assert process.stdin
        assert process.stderr
        process.stdin.write(b"START 15\n")  # and nothing more: the input stays open
        process.stdin.flush()
        assert process.wait(TIMEOUT) == 0
        assert process.stderr.read() == b""


def test_a_full_pipe_does_not_prevent_the_end(program: list[str]) -> None:
    process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdin
        process.stdin.write(b"ABOUT\n" * 10_000 + b"END\n")  # the answers are not read
        process.stdin.flush()
        assert process.wait(TIMEOUT) == 0


def test_all_answers_before_the_end(program: list[str]) -> None:
    """However slowly they are read."""
    count = 50_000
    process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"ABOUT\n" * count + b"END\n")
        process.stdin.flush()
        time.sleep(0.05)  # for the pipe to fill
        assert sum(line.startswith(b"name=") for line in process.stdout) == count
        assert process.wait(TIMEOUT) == 0


def test_pondering_continues_on_the_expected_reply(program: list[str]) -> None:
    """The nodes of a hit are those of a search that is older than the command."""
    with Peer([*program, "--net", "classical", "--memory", "16"]) as peer:
        peer.say("INFO pondering 1", "INFO max_depth 8", "START 15", "TURN 7,7")
        lines: list[str] = []
        while not is_move(line := peer.line()):
            lines.append(str(line))
        reply = lines[-1].split("LINE ")[1].split()[1]
        time.sleep(1.5)
        peer.say("INFO max_depth 0", "INFO timeout_turn 400", f"TURN {reply}")
        while not is_move(line := peer.line()):
            lines.append(str(line))
        found = re.search(r"NODES (\d+) \| SPEED (\d+) \| TIME (\d+)", lines[-1])
        assert found
        nodes, speed, own = map(int, found.groups())
        assert nodes / speed > 2 * own / 1000


# From little for the tables of a search to just enough for its net.
@pytest.mark.skipif(sys.platform != "linux", reason="the address space cannot be limited")
@pytest.mark.parametrize("mebibytes", [64, 82, 128, 290])
def test_every_game_of_a_process_fits_into_little_memory(mebibytes: int) -> None:
    limited = f'ulimit -v {mebibytes << 10}; exec "$@"'
    with Peer(["sh", "-c", limited, "sh", *NATIVE, "--threads", "2"]) as peer:
        for size, rule in product((15, 20), (0, 1, 4, 8, 9)):
            peer.say(f"INFO rule {rule}", f"START {size}", "INFO timeout_turn 100", "BEGIN")
            assert peer.answer() == "OK"
            centre = size // 2
            assert peer.answer() == f"{centre},{centre}"
