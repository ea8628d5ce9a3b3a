# SPDX-License-Identifier: MIT
"""Long work of a page: analyses, solvers, reviews. Each runs on an engine of the pool, reports its
progress by events, and can be stopped.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from time import monotonic
from typing import Any, Literal, TypeVar

from tengen.engine import Analysis, Engine, Info, Limit
from tengen.engine.review import DEFAULT_TIME as REVIEW_TIME
from tengen.engine.review import Review, ReviewedMove, annotate_record, review
from tengen.game import records
from tengen.game.board import Board
from tengen.game.errors import TengenError
from tengen.game.rule import Colour
from tengen.solver import NoProof, Proof, Status, solve
from tengen.web import events, requests
from tengen.web.conversions import colour_name, to_board, to_line, to_start_board, win_rate
from tengen.web.engine_pool import JobHandle
from tengen.web.limits import RequestError
from tengen.web.server_state import Outbox, PageSession

_T = TypeVar("_T")

_ANALYSIS_INTERVAL = 0.1  # s between two events of an analysis
_REVIEW_INTERVAL = 0.25  # s between two events of a review
_MAX_PROOFS = 4  # kept for `proof_step`
_MAX_REPLIES = 60  # of a proof node
_SOLVER_MEMORY = 32  # MiB
_POLICY_POINTS = 24
_MIN_PROBABILITY = 0.004  # less would show as 0%


class _AnalysisProgress:
    """The latest output of a search; written by its thread, read by the event loop."""

    def __init__(self) -> None:
        self.policy: list[events.PolicyPoint] = []
        self.lines: dict[int, Info] = {}
        self.last: Info | None = None
        self.search: Analysis | None = None  # while it runs
        self.started: float | None = None  # by `monotonic`; None: it waits for an engine

    @property
    def seconds(self) -> float:
        return 0.0 if self.started is None else monotonic() - self.started

    def update(self, info: Info) -> None:
        lines = dict(self.lines)
        if info.multipv == 1 and info.bound == "exact":
            lines = {n: line for n, line in lines.items() if line.pv[:1] != info.pv[:1]}
        if info.bound == "exact" or info.multipv not in lines:
            lines[info.multipv] = info
        self.lines, self.last = lines, info

    def to_message(self, id: int, *, done: bool, preempted: bool) -> events.AnalysisEvent:
        unique: dict[object, Info] = {}  # of two lines with the same first move, one is outdated
        for _, line in sorted(self.lines.items()):
            unique.setdefault(line.pv[:1], line)
        lines, last = list(unique.values()), self.last
        search = self.search
        counters = (search.progress() if search else None) or last
        return events.AnalysisEvent(
            id=id,
            state="done" if done else "waiting" if self.started is None else "running",
            preempted=preempted,
            depth=max((line.depth for line in lines), default=0),
            seldepth=counters.seldepth if counters else 0,
            nodes=counters.nodes if counters else 0,
            nps=counters.nps if counters else 0,
            lines=[to_line(line) for line in lines],
            policy=self.policy,
            evaluation=str(last.evaluation) if last and last.evaluation else "",
        )


class Study:
    """The long work of one page."""

    def __init__(self, session: PageSession, page: Outbox) -> None:
        self._session, self._page = session, page
        self._limits = session.state.limits
        self._lane = session.state.pool.long
        self._active: dict[int, JobHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._proofs: dict[int, Proof] = {}

    def stop(self, request: requests.StopRequest) -> None:
        if request.id in self._active:
            self._active[request.id].stop()

    def close(self) -> None:
        for handle in self._active.values():
            handle.stop()
        for task in self._tasks:
            task.cancel()

    def _start(
        self,
        id: int,
        work: Callable[[Engine, JobHandle], _T],
        follow: Callable[[asyncio.Future[_T], JobHandle], Awaitable[None]],
    ) -> None:
        """Runs `work` on an engine, and `follow` on the event loop to report its progress."""
        if id in self._active:
            raise RequestError("id", f"request {id} is still running: use another id")

        async def run() -> None:
            try:
                await follow(self._lane.submit(self._session.name, handle, work), handle)
            except Exception as error:  # the page waits for an end in any case
                self._page.send(events.error_event(error, "invalid", id))
                if not isinstance(error, TengenError):
                    raise
            finally:
                handle.stop()
                self._active.pop(id, None)

        handle = self._active[id] = JobHandle(self._lane)
        task = asyncio.create_task(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _ticks(self, result: asyncio.Future[Any], interval: float) -> AsyncIterator[None]:
        """Yields every `interval` seconds until the result is there."""
        while not result.done():
            await asyncio.wait({result}, timeout=interval)
            if not result.done():
                yield

    # --- analysis ---

    def analyse(self, request: requests.AnalyseRequest) -> None:
        board = to_board(request.position)
        if board.is_over():
            raise RequestError("over", "the game is over: there is nothing to analyse")
        only = [board._check(move) for move in request.only]
        if request.exclude:
            excluded = {board._check(move) for move in request.exclude}
            only = [move for move in only or board.legal_moves() if move not in excluded]
            if not only:
                raise RequestError("blocked", "every move is excluded")
        limit = Limit(time=min(request.seconds, self._limits.analysis_time))
        progress = _AnalysisProgress()

        def work(engine: Engine, handle: JobHandle) -> None:
            progress.started = monotonic()
            progress.policy = _root_policy(engine, board)
            with engine.analyse(
                board, limit, multipv=request.lines, moves=only or None
            ) as analysis:
                if handle.is_stopped:
                    analysis.stop()
                progress.search = analysis
                for info in analysis:
                    progress.update(info)
                progress.search = None

        async def follow(result: asyncio.Future[None], handle: JobHandle) -> None:
            preempted = False
            async for _ in self._ticks(result, _ANALYSIS_INTERVAL):
                if not self._page.is_behind:
                    event = progress.to_message(request.id, done=False, preempted=False)
                    self._page.send(event)
                if progress.seconds > self._limits.slice_time and handle.others_wait:
                    preempted = True
                    handle.stop()
            result.result()
            self._page.send(progress.to_message(request.id, done=True, preempted=preempted))

        self._start(request.id, work, follow)

    # --- solvers ---

    def solve(self, request: requests.SolveRequest) -> None:
        board = to_board(request.position)
        if request.side is not None and Colour.parse(request.side) is not board.turn:
            board = board.with_stones(board.stones(), board.turn.other)
        seconds = min(request.seconds, self._limits.solve_time)

        def work(engine: Engine, handle: JobHandle) -> Proof | NoProof:
            return solve(
                board, request.goal, time=seconds, cancel=handle.cancel, memory=_SOLVER_MEMORY
            )

        def send(
            state: Literal["running", "win", "no_win", "unknown"], line: Sequence[str] = ()
        ) -> None:
            self._page.send(
                events.SolutionEvent(
                    id=request.id,
                    state=state,
                    attacker=colour_name(board.turn),
                    line=list(line),
                    depth=(len(line) + 1) // 2,
                )
            )

        async def follow(result: asyncio.Future[Proof | NoProof], handle: JobHandle) -> None:
            send("running")
            answer = await result
            if isinstance(answer, Proof):
                self._proofs[request.id] = answer
                if len(self._proofs) > _MAX_PROOFS:
                    del self._proofs[next(iter(self._proofs))]
                send("win", [move.name for move in answer.line()])
            else:
                send("no_win" if answer.status is Status.NO_WIN else "unknown")

        self._start(request.id, work, follow)

    def proof_step(self, request: requests.ProofStepRequest) -> None:
        """Sends the node of a proof after some moves. Raises IllegalMove for a line that is not in
        the proof.
        """
        proof = self._proofs.get(request.id)
        if proof is None:
            raise RequestError("proof", "the server has dropped this proof: solve again")
        board, moves = proof.board, request.moves
        for move in moves:
            board.push(move)
        node = proof.walk(moves)
        over = board.is_over()
        attacks = len(moves) % 2 == 0
        defends = not attacks and not over
        replies = sorted(node.replies.items(), key=lambda reply: -reply[1].bound)
        legal = [move.name for move, _ in replies if board.is_legal(move)] if defends else []
        self._page.send(
            events.ProofNodeEvent(
                id=request.id,
                moves=moves,
                attack=node.move.name if attacks and not over else None,
                replies=legal[:_MAX_REPLIES],
                threat=node.threat.move.name if defends and node.threat is not None else None,
                over=over,
            )
        )

    # --- review ---

    def review(self, request: requests.ReviewRequest) -> None:
        board = to_start_board(request.position)
        moves = list(to_board(request.position).moves)
        if not 1 <= len(moves) <= self._limits.review_moves:
            raise RequestError(
                "length",
                f"expected a game of 1 to {self._limits.review_moves} moves, got {len(moves)}",
            )
        done, total, known = 0, len(moves) + 1, list[ReviewedMove]()

        def work(engine: Engine, handle: JobHandle) -> Review:
            def progress(now_done: int, now_total: int, moves: Sequence[ReviewedMove]) -> bool:
                nonlocal done, total, known
                done, total, known = now_done, now_total, list(moves)
                return not handle.is_stopped

            engine.new_game()
            return review(engine, board, moves, REVIEW_TIME * request.effort, progress)

        async def follow(result: asyncio.Future[Review], handle: JobHandle) -> None:
            last = 0
            async for _ in self._ticks(result, _REVIEW_INTERVAL):
                if done != last and not self._page.is_behind:
                    last = done
                    self._page.send(
                        events.ReviewEvent(
                            id=request.id,
                            state="running",
                            done=done,
                            total=total,
                            moves=_move_reviews(known),
                        )
                    )
            self._page.send(_finished_review(request, result.result(), handle.is_stopped, total))

        self._start(request.id, work, follow)


def _root_policy(engine: Engine, board: Board) -> list[events.PolicyPoint]:
    """The policy of the engine before any search, most likely point first; empty if it has none.
    Takes milliseconds once the net is loaded.
    """
    try:
        policy = engine.policy(board)
    except TengenError:  # the search that follows reports it
        return []
    points = [
        events.PolicyPoint(point=move.name, probability=round(p, 4))
        for move, p in policy.items()
        if p >= _MIN_PROBABILITY
    ]
    return points[:_POLICY_POINTS]


def _move_reviews(moves: Sequence[ReviewedMove]) -> list[events.MoveReview]:
    return [
        events.MoveReview(
            ply=move.ply,
            move=move.move.name,
            colour=colour_name(move.colour),
            verdict=move.verdict.value,
            loss=round(move.loss, 4),
            better=[point.name for point in move.better],
            win_rate=win_rate(move.after.score),
            mate=move.after.score.black().mate,
        )
        for move in moves
    ]


def _finished_review(
    request: requests.ReviewRequest, found: Review, is_stopped: bool, total: int
) -> events.ReviewEvent:
    record = records.Record.from_board(to_board(request.position))
    record.black, record.white = request.black, request.white
    record.result = request.result or record.result

    def accuracy(colour: Colour) -> float | None:
        value = found.accuracy(colour)
        return None if value is None else round(value, 1)

    return events.ReviewEvent(
        id=request.id,
        state="stopped" if is_stopped else "done",
        done=total,
        total=total,
        start=win_rate(found.first.score),
        moves=_move_reviews(found.moves),
        accuracy_black=accuracy(Colour.BLACK),
        accuracy_white=accuracy(Colour.WHITE),
        turning_point=found.turning_point.ply if found.turning_point else None,
        sgf=records.dumps(annotate_record(record, found), "sgf"),
    )
