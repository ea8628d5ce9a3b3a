# SPDX-License-Identifier: MIT
"""Work that a page waits for and may stop: analyses, solvers, reviews. Each runs on an engine of
the pool and tells the page how far it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from time import monotonic
from typing import TYPE_CHECKING, Any

from tengen.engine import Analysis, Engine, Info, Limit
from tengen.engine.review import DEFAULT_TIME as REVIEW_TIME
from tengen.engine.review import Review, ReviewedMove, review
from tengen.engine.review_record import annotated
from tengen.game import records
from tengen.game.errors import TengenError
from tengen.game.rule import Colour
from tengen.solver import Answer, Proof, Status, solve
from tengen.web import asks, tells
from tengen.web.errors import Refused
from tengen.web.first_look import first_look
from tengen.web.pool import Ticket
from tengen.web.positions import board_of, colour_name, line_of, start_of, win_rate

if TYPE_CHECKING:
    from tengen.web.connection import Connection
    from tengen.web.session import Session

__all__ = ["Study"]

_BEAT = 0.1  # s between two messages about an analysis
_SLOW_BEAT = 0.25  # about a solver or a review
_PROOFS = 4  # kept for stepping through them
_SOLVER_MEMORY = 32  # MiB


class _Latest:
    """What a search has told last; written by its thread, read by the event loop."""

    def __init__(self) -> None:
        self.heat: list[tells.Heat] = []
        self.lines: dict[int, Info] = {}
        self.last: Info | None = None
        self.search: Analysis | None = None  # while it runs
        self.begun: float | None = None  # by `monotonic`; None: it waits for an engine

    @property
    def seconds(self) -> float:
        return 0.0 if self.begun is None else monotonic() - self.begun

    def take(self, info: Info) -> None:
        lines = dict(self.lines)
        if info.multipv == 1 and info.bound == "exact":
            lines = {n: line for n, line in lines.items() if line.pv[:1] != info.pv[:1]}
        if info.bound == "exact" or info.multipv not in lines:
            lines[info.multipv] = info
        self.lines, self.last = lines, info

    def _best_first(self) -> list[Info]:
        """The lines by their places; of two that begin alike, one is old."""
        found: dict[object, Info] = {}
        for _, line in sorted(self.lines.items()):
            found.setdefault(line.pv[:1], line)
        return list(found.values())

    def told(self, id: int, state: str, why: str = "") -> tells.Analysis:
        last, lines = self.last, self._best_first()
        now = self.search.progress() if self.search is not None else None
        return tells.Analysis.model_validate(
            {
                "type": "analysis",
                "id": id,
                "state": state,
                "why": why,
                "depth": max((line.depth for line in lines), default=0),
                "seldepth": now.seldepth if now else last.seldepth if last else 0,
                "nodes": now.nodes if now else last.nodes if last else 0,
                "nps": now.nps if now else last.nps if last else 0,
                "seconds": round(self.seconds, 2),
                "lines": [line_of(line) for line in lines],
                "heat": self.heat,
                "evaluation": str(last.evaluation) if last and last.evaluation else "",
            }
        )


class Study:
    """The long work of one page."""

    def __init__(self, session: Session, page: Connection) -> None:
        self._session, self._page = session, page
        self._bounds = session.house.bounds
        self._lane = session.house.pool.long
        self._at_work: dict[int, Ticket] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.proofs: dict[int, Proof] = {}

    def stop(self, id: int) -> None:
        if id in self._at_work:
            self._at_work[id].stop()

    def close(self) -> None:
        for ticket in self._at_work.values():
            ticket.stop()
        for task in self._tasks:
            task.cancel()

    def _begin(self, id: int, work: Callable[[Ticket], Coroutine[Any, Any, None]]) -> None:
        if id in self._at_work:
            raise Refused("id", f"{id} is at work already: use another number")
        ticket = self._at_work[id] = self._lane.ticket()
        task = asyncio.create_task(self._guarded(id, work, ticket))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guarded(
        self, id: int, work: Callable[[Ticket], Coroutine[Any, Any, None]], ticket: Ticket
    ) -> None:
        try:
            await work(ticket)
        except TengenError as error:
            code = error.code if isinstance(error, Refused) else "wrong"
            self._page.tell(tells.Fault(type="fault", id=id, code=code, words=str(error)))
        except Exception as error:  # whatever it is, the page waits for an end
            words = f"the engine failed: {type(error).__name__}: {error}"
            self._page.tell(tells.Fault(type="fault", id=id, code="wrong", words=words))
            raise
        finally:
            ticket.stop()
            self._at_work.pop(id, None)

    # --- analysis ---

    def analyse(self, ask: asks.Analyse) -> None:
        board = board_of(ask.position)
        if board.is_over():
            raise Refused("over", "the game is over: there is nothing to analyse")
        only = [board._check(move) for move in ask.only]
        if ask.block:
            blocked = {board._check(move) for move in ask.block}
            only = [move for move in only or board.legal_moves() if move not in blocked]
            if not only:
                raise Refused("blocked", "every move is blocked")
        seconds = min(ask.seconds, self._bounds.analysis_time)
        latest = _Latest()

        async def run(ticket: Ticket) -> None:
            def work(engine: Engine, ticket: Ticket) -> None:
                latest.begun = monotonic()
                latest.heat = first_look(engine, board)
                with engine.analyse(
                    board, Limit(time=seconds), multipv=ask.lines, moves=only or None
                ) as analysis:
                    if ticket.is_stopped:
                        analysis.stop()
                    latest.search = analysis
                    for info in analysis:
                        latest.take(info)
                    latest.search = None

            result = self._lane.submit(self._session.name, ticket, work)
            why = ""
            while not result.done():
                await asyncio.wait({result}, timeout=_BEAT)
                if not result.done() and not self._page.is_behind:
                    state = "waiting" if latest.begun is None else "running"
                    self._page.tell(latest.told(ask.id, state))
                if latest.seconds > self._bounds.slice_time and ticket.others_wait:
                    why = "others are waiting for the engine"
                    ticket.stop()
            result.result()
            self._page.tell(latest.told(ask.id, "done", why))

        self._begin(ask.id, run)

    # --- solvers ---

    def solve(self, ask: asks.Solve) -> None:
        board = board_of(ask.position)
        if ask.side is not None and Colour.parse(ask.side) is not board.turn:
            board = board.with_stones(board.stones(), board.turn.other)
        attacker = colour_name(board.turn)
        seconds = min(ask.seconds, self._bounds.solve_time)

        def told(state: str, words: str, found: Proof | Answer | None = None) -> tells.Solved:
            line = found.line() if isinstance(found, Proof) else []
            stats = found.stats if isinstance(found, Proof) else found
            return tells.Solved.model_validate(
                {
                    "type": "solved",
                    "id": ask.id,
                    "state": state,
                    "words": words,
                    "attacker": attacker,
                    "line": [move.name for move in line],
                    "depth": (len(line) + 1) // 2,
                    "nodes": stats.nodes if stats else 0,
                    "seconds": round(stats.seconds, 3) if stats else 0.0,
                }
            )

        async def run(ticket: Ticket) -> None:
            def work(engine: Engine, ticket: Ticket) -> Proof | Answer:
                return solve(
                    board, ask.goal, time=seconds, cancel=ticket.cancel, memory=_SOLVER_MEMORY
                )

            self._page.tell(told("running", ""))
            found = await self._lane.submit(self._session.name, ticket, work)
            if isinstance(found, Proof):
                self._keep(ask.id, found)
                self._page.tell(told("win", str(found), found))
            else:
                state = "no_win" if found.status is Status.NO_WIN else "unknown"
                self._page.tell(told(state, str(found), found))

        self._begin(ask.id, run)

    def _keep(self, id: int, proof: Proof) -> None:
        self.proofs[id] = proof
        while len(self.proofs) > _PROOFS:
            del self.proofs[next(iter(self.proofs))]

    # --- review ---

    def review(self, ask: asks.Review) -> None:
        board = start_of(ask.position)
        moves = list(board_of(ask.position).moves)
        if not 1 <= len(moves) <= self._bounds.review_moves:
            raise Refused("length", f"a game of 1 to {self._bounds.review_moves} moves is needed")
        latest: list[tuple[int, int, list[ReviewedMove]]] = [(0, len(moves) + 1, [])]

        async def run(ticket: Ticket) -> None:
            def progress(done: int, total: int, known: Any) -> bool:
                latest[0] = (done, total, list(known))
                return not ticket.is_stopped

            def work(engine: Engine, ticket: Ticket) -> Review:
                engine.new_game()
                return review(engine, board, moves, REVIEW_TIME * ask.effort, progress)

            result = self._lane.submit(self._session.name, ticket, work)
            last = 0
            while not result.done():
                await asyncio.wait({result}, timeout=_SLOW_BEAT)
                done, total, known = latest[0]
                if not result.done() and done != last and not self._page.is_behind:
                    last = done
                    self._page.tell(_reviewed(ask.id, "running", done, total, known))
            found = result.result()
            state = "stopped" if ticket.is_stopped else "done"
            self._page.tell(_review_done(ask, state, found, latest[0][1]))

        self._begin(ask.id, run)


def _moves(known: list[ReviewedMove]) -> list[tells.ReviewedMove]:
    return [
        tells.ReviewedMove(
            ply=move.ply,
            move=move.move.name,
            colour=colour_name(move.colour),
            verdict=move.verdict.value,
            loss=round(move.loss, 4),
            better=[point.name for point in move.better],
            win_rate=win_rate(move.after.score),
            mate=move.after.score.black().mate,
        )
        for move in known
    ]


def _reviewed(
    id: int, state: str, done: int, total: int, known: list[ReviewedMove], **more: Any
) -> tells.Reviewed:
    fields = {
        "start": 0.5,
        "accuracy_black": None,
        "accuracy_white": None,
        "turning_point": None,
        "sgf": "",
    }
    return tells.Reviewed.model_validate(
        {"type": "reviewed", "id": id, "state": state, "done": done, "total": total}
        | {"moves": _moves(known)}
        | fields
        | more
    )


def _review_done(ask: asks.Review, state: str, found: Review, total: int) -> tells.Reviewed:
    record = records.Record.from_board(board_of(ask.position))
    record.black, record.white = ask.black, ask.white
    record.result = ask.result or record.result
    turning = found.turning_point
    return _reviewed(
        ask.id,
        state,
        total,
        total,
        list(found.moves),
        start=win_rate(found.first.score),
        accuracy_black=_rounded(found.accuracy(Colour.BLACK)),
        accuracy_white=_rounded(found.accuracy(Colour.WHITE)),
        turning_point=turning.ply if turning else None,
        sgf=records.dumps(annotated(record, found), "sgf"),
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
