# SPDX-License-Identifier: MIT
"""A fake engine for protocol tests, which plays the free point nearest to the centre, and a program
around it.

As a program (`python gomocup_fakes.py [slow|deaf]`): `slow` searches until its time is up, `deaf`
ignores every stop.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Mapping

from tengen import Board, Move
from tengen.engine import Analysis, AnyEngine, Info, Limit, PlayResult, PovScore, Score
from tengen.engine.analysis import Search
from tengen.engine.protocol.gomocup_server import serve
from tengen.engine.protocol.gomocup_session import GomocupSession
from tengen.game.move import MoveLike

# Set when a test is over, so that no deaf engine outlives it.
HEARING = threading.Event()
ABOUT = 'name="Fake", version="1.5", author="Nobody"'


def favourites(board: Board) -> list[Move]:
    """The legal moves, those nearest to the centre first."""
    centre = (board.size - 1) / 2

    def distance(move: Move) -> tuple[float, int, int]:
        return (move.x - centre) ** 2 + (move.y - centre) ** 2, move.y, move.x

    return sorted(board.legal_moves(), key=distance)


def info_of(board: Board, score: Score, depth: int = 3, seconds: float = 0.01) -> Info:
    """The info of a fake search for the side to move."""
    return Info(
        score=PovScore(score, board.turn),
        pv=tuple(favourites(board)[:2]),
        depth=depth,
        seldepth=depth + 2,
        nodes=1000 * depth,
        time=seconds,
        nps=250_000,
    )


def played_of(board: Board, info: Info | None = None) -> PlayResult:
    moves = favourites(board)
    if not moves:
        return PlayResult(Move.PASS)
    return PlayResult(moves[0], moves[1] if len(moves) > 1 else None, info)


class FakeSearch(Search):
    """Sends one info and ends at once, or (`slow`) at the end of its time, or (`deaf`) never."""

    def __init__(self, board: Board, limit: Limit, manner: str) -> None:
        self._board = board
        self._manner = manner
        self._stopped = threading.Event()
        self._played: PlayResult | None = None
        self._infos = [info_of(board, Score(20))]
        seconds = [s for s in (limit.time, limit.clock) if s is not None]
        self._end = time.monotonic() + min(seconds) if seconds else None

    @property
    def is_done(self) -> bool:
        return self._played is not None

    @property
    def played(self) -> PlayResult | None:
        return self._played

    def stop(self) -> None:
        self._stopped.set()

    def next_info(self, timeout: float) -> Info | None:
        if self._infos:
            return self._infos.pop()
        if self._manner == "deaf":
            HEARING.wait()
        left = 0.0
        if self._manner == "slow":
            left = timeout if self._end is None else self._end - time.monotonic()
        if not self._stopped.is_set() and left > 0:
            self._stopped.wait(min(timeout, left))
            return None
        self._played = played_of(self._board, info_of(self._board, Score(20)))
        return None


class FakeEngine(AnyEngine):
    """Plays the free point nearest to the centre. Records its requests."""

    def __init__(self, manner: str = "", options: Mapping[str, int] | None = None) -> None:
        self.manner = manner
        self.asked: list[object] = []
        self.closed = threading.Event()
        self._options: dict[str, object] = dict(options or {})

    @property
    def name(self) -> str:
        return "Fake 1.5"

    @property
    def options(self) -> Mapping[str, object]:
        return self._options

    def configure(self, **options: object) -> None:
        self._options |= options
        self.asked.append(options)

    def play(self, board: Board, limit: Limit, *, ponder: bool | None = None) -> PlayResult:
        return FakeSearch(board.copy(), limit, self.manner).result()

    def analyse(
        self,
        board: Board,
        limit: Limit = Limit(),  # noqa: B008
        *,
        multipv: int | None = None,
        moves: Iterable[MoveLike] | None = None,
    ) -> Analysis:
        self.asked.append(("analyse", len(board.stones()), limit))
        return Analysis(FakeSearch(board.copy(), limit, self.manner))

    def ponder(self, board: Board) -> None:
        self.asked.append(("ponder", len(board.stones())))

    def ponder_hit(self, limit: Limit) -> PlayResult:
        raise NotImplementedError

    def stop(self) -> None:
        self.asked.append("stop")

    def new_game(self) -> None:
        self.asked.append("new game")

    def close(self) -> None:
        self.asked.append("close")
        self.closed.set()


def main() -> int:
    manner = "".join(sys.argv[1:])
    session = GomocupSession(lambda: ABOUT, seed=1)
    return serve(session, lambda options: FakeEngine(manner, options), 0, 1)


if __name__ == "__main__":
    raise SystemExit(main())
