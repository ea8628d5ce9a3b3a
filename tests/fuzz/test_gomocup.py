# SPDX-License-Identifier: MIT
"""Random and damaged lines through the server session: every answer belongs to the protocol, an
ERROR changes nothing, and the session still works afterwards. The same for the line splitter and
for engine output in the client. Needs `gomocup_lines`.
"""

from __future__ import annotations

import random
import re

import pytest

from fuzz.gomocup_lines import damaged, next_lines
from tengen import Board, Colour, Move
from tengen.engine import Info, Limit, PlayResult, PovScore, Score
from tengen.engine.protocol.actions import (
    Action,
    Quit,
    SearchFailed,
    SendLine,
    StartPondering,
    StartSearch,
)
from tengen.engine.protocol.client import ClientSession, EngineMove
from tengen.engine.protocol.gomocup_session import GomocupSession
from tengen.engine.protocol.syntax import MAX_LINE, LineSplitter

DEFAULT_LINES = 300_000
SLOW_LINES = 3_000_000
BLOCKS = 4
LINES_A_SESSION = 400
ANSWER = re.compile(
    r'OK|SWAP|-1,-1|\d+,\d+(?: \d+,\d+){0,2}|ERROR [ -~]+|UNKNOWN [ -~]+|MESSAGE [ -~]+|name="x"'
)


class Driver:
    """A session, and an engine that plays anywhere, and ends its searches whenever it likes."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.session = GomocupSession(lambda: 'name="x"', seed=rng.randrange(1000))
        self.search: StartSearch | None = None
        self.answers: list[str] = []
        self.moves = 0

    def say(self, line: str) -> None:
        before = self._stones()
        urgent = line.split(maxsplit=1)[0].upper() in ("INFO", "STOP") if line.split() else True
        thinking = self.search
        actions = self.session.handle(line)
        output = [action.line for action in actions if isinstance(action, SendLine)]
        assert not (urgent and output), f"an answer to {line!r}: {output}"
        if output and output[0].startswith(("ERROR", "UNKNOWN")) and len(actions) == 1:
            assert self._stones() == before, f"{line!r} changed the position: {output}"
        assert thinking is None or self.search is thinking
        self.do(actions)
        if self.search is not None and self.rng.random() < 0.7:
            self.end_search()

    def do(self, actions: list[Action]) -> None:
        for action in actions:
            if isinstance(action, SendLine):
                assert ANSWER.fullmatch(action.line), f"no answer of the protocol: {action.line!r}"
                self.answers.append(action.line)
            elif isinstance(action, StartSearch):
                assert self.search is None, "two searches at once"
                assert not action.board.is_over()
                self.search = action
            elif isinstance(action, StartPondering):
                assert not action.board.is_over()

    def end_search(self) -> None:
        """The running search ends, and so do those that waited for it."""
        while self.search is not None:
            board, self.search = self.search.board, None
            if self.rng.random() < 0.02:
                self.do(self.session.search_event(SearchFailed("no memory")))
                continue
            move = self._any_move(board)
            score = PovScore(Score(self.rng.randrange(-30, 30)), board.turn)
            reply = Move(self.rng.randrange(5), self.rng.randrange(5))
            line = (move, reply) if reply != move else (move,)
            info = Info(score, line, 1, time=self.rng.random())
            self.do(self.session.search_event(info))
            self.moves += 1
            self.do(self.session.search_event(PlayResult(move, reply, info)))

    def _any_move(self, board: Board) -> Move:
        for _ in range(20):
            move = Move(self.rng.randrange(board.size), self.rng.randrange(board.size))
            if board.is_legal(move):
                return move
        return (board.legal_moves() or [Move.PASS])[0]

    def _stones(self) -> dict[Move, Colour] | None:
        position = self.session.position
        return dict(position._stones) if position else None

    def check_alive(self) -> None:
        """After any input: a new game, a position, a legal move."""
        self.end_search()
        if self.session._block is not None:
            self.do(self.session.handle("DONE"))
            self.end_search()
        self.answers.clear()
        for line in ("INFO rule 4", "START 15", "BOARD", "7,7,2", "8,8,1", "6,6,2", "DONE"):
            self.do(self.session.handle(line))
        assert self.answers == ["OK"]
        assert self.search is not None
        board = Board(15, "renju")
        for point in ("7,7", "8,8", "6,6"):
            board.push(point)
        assert self.search.board == board
        assert self.search.board.moves == board.moves
        self.search = None
        self.do(self.session.search_event(PlayResult(Move(0, 14))))
        assert self.answers == ["OK", "0,14"]


def run(seed: str, lines: int) -> int:
    """This many lines, in sessions of some hundred; returns the number of moves."""
    rng = random.Random(seed)
    moves = output = 0
    while output < lines:
        driver = Driver(rng)
        wildness = rng.choice((0.02, 0.1, 0.4))
        spoken: list[str] = []
        try:
            while len(spoken) < LINES_A_SESSION:
                for line in next_lines(rng):
                    line = damaged(rng, line) if rng.random() < wildness else line
                    if line[:3].upper() == "END":  # would end it all
                        continue
                    spoken.append(line)
                    driver.say(line)
            driver.check_alive()
        except BaseException as error:
            error.add_note(f"seed {seed!r}, after the lines:\n" + "\n".join(spoken[-30:]))
            raise
        output += len(spoken)
        moves += driver.moves
    return moves


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


def test_end_and_what_comes_after_it() -> None:
    session = GomocupSession(lambda: 'name="x"')
    session.handle("START 15")
    session.handle("BEGIN")
    assert session.handle("END") == [Quit()]
    assert session.handle("END") == [Quit()]


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
