# SPDX-License-Identifier: MIT
"""Random and damaged lines through the native program: every answer belongs to the protocol, and
the session still works afterwards. The same for the line splitter and for engine output in the
client. Needs `gomocup_lines`; tests/cpp/test_protocol.cpp checks that an ERROR changes nothing.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import pytest

from fuzz.gomocup_lines import damaged, next_lines
from gomocup_peer import NATIVE, Peer
from tengen import Board, Limit
from tengen.engine.protocol.client import ClientSession, EngineMove
from tengen.engine.protocol.syntax import MAX_LINE, LineSplitter

DEFAULT_LINES = 300_000
SLOW_LINES = 3_000_000
BLOCKS = 4
LINES_A_SESSION = 400
ANSWER = re.compile(
    r"OK|SWAP|-1,-1|\d+,\d+(?: \d+,\d+){0,2}|ERROR [ -~]+|UNKNOWN [ -~]+|MESSAGE [ -~]+|name=[ -~]+"
)


def run(seed: str, lines: int) -> int:
    """This many lines, in sessions of some hundred with a player of random moves; returns the
    number of moves.
    """
    rng = random.Random(seed)
    moves = output = 0
    while output < lines:
        wildness = rng.choice((0.02, 0.1, 0.4))
        spoken: list[str] = []
        while len(spoken) < LINES_A_SESSION:
            for line in next_lines(rng):
                line = damaged(rng, line) if rng.random() < wildness else line
                if line[:3].upper() == "END":  # would end it all
                    continue
                spoken.append(line)
        try:
            moves += talk(spoken)
        except BaseException as error:
            error.add_note(f"seed {seed!r}, after the lines:\n" + "\n".join(spoken))
            raise
        output += len(spoken)
    return moves


def talk(lines: Sequence[str]) -> int:
    """A session with these lines, and then, after any input, a new game, a position and a move.
    Returns the number of moves.
    """
    last = ["DONE", "INFO rule 4", "START 15", "BOARD", "7,7,2", "8,8,1", "6,6,2", "DONE", "LAST"]
    answers: list[str] = []
    with Peer([*NATIVE, "--preset", "random", "--memory", "4"]) as peer:
        peer.send("\n".join([*lines, *last, ""]).encode("utf-8", "replace"))
        while answers[-1:] != ["UNKNOWN command 'LAST'"]:
            answers.append(peer.line() or "the program has ended")
        peer.say("END")
        assert peer.end() == 0
    assert peer.errors == b""
    assert all(map(ANSWER.fullmatch, answers)), [a for a in answers if not ANSWER.fullmatch(a)]
    *before, ok, move, _ = [line for line in answers if not line.startswith("MESSAGE")]
    assert ok == "OK"
    board = Board(15, "renju")
    for point in ("7,7", "8,8", "6,6"):
        board.push(point)
    assert board.is_legal(move)
    return sum(line[0].isdigit() for line in before)


@pytest.mark.integration
@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_lines(block: int) -> None:
    lines = DEFAULT_LINES // BLOCKS
    moves = run(f"gomocup-{block}", lines)
    assert lines // 40 < moves < lines // 2, "the lines are too wild or too tame to tell anything"


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10, 10 + BLOCKS))
def test_many_random_lines(block: int) -> None:
    run(f"gomocup-{block}", SLOW_LINES // BLOCKS)


def test_chunks_do_not_matter() -> None:
    rng = random.Random("chunks")
    for _ in range(300):
        pieces = [rng.choice([b"TURN 7,7", b"\n", b"\r", b"\r\n", b"\xff", b"\0", b"x" * 700, b" "])
                  for _ in range(rng.randrange(40))]  # fmt: skip
        data = b"".join(pieces)
        whole = LineSplitter()
        expected = whole.feed(data) + whole.end()
        lines, result = LineSplitter(), []
        while data:
            size = 1 + rng.randrange(rng.choice((2, 9, 5000)))
            result += lines.feed(data[:size])
            data = data[size:]
        assert result + lines.end() == expected
        assert all(len(line) <= MAX_LINE for line in result)


def test_arbitrary_engine_output() -> None:
    """The client survives any lines, and takes none but legal moves for moves."""
    rng = random.Random("client")
    output = [
        "OK",
        "7,7",
        "7,8",
        "20,20",
        "ERROR no",
        "UNKNOWN",
        "SUGGEST 3,3",
        'name="E"',
        "DEBUG 1",
    ]
    output += ["MESSAGE depth 5-9 ev 30 n 42K n/ms 100 tm 12 pv H8 I9", "MESSAGE", "-1,-1", "7,7,7"]
    output += ["MESSAGE DEPTH 3-4 | EVAL -M5 | NODES 7 | SPEED 9.5M | TIME 1.5s | LINE 7,7 7,7 9,9"]
    moves = 0
    for _ in range(4000):
        client = ClientSession()
        board = Board(15, "renju")
        for _ in range(rng.randrange(4)):
            point = (rng.randrange(15), rng.randrange(15))
            if board.is_legal(point):
                board.push(point)
        assert client.request(board, Limit(time=1)) == ("START 15",)
        if rng.random() < 0.7:
            client.receive("OK")
        for _ in range(8):
            line = rng.choice(output)
            line = damaged(rng, line) if rng.random() < 0.5 else line
            reply = client.receive(line)
            if isinstance(reply, EngineMove):
                assert board.is_legal(reply.move)
                moves += 1
    assert moves > 200
