# SPDX-License-Identifier: MIT
"""A fake native player without a search: it emits the events of a script, at the pace of the test.
`fake_engines` installs it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import pytest

from tengen import _core
from tengen._core import SearchPurpose
from tengen.engine import engine as engine_module
from tengen.engine.errors import OutOfMemory
from tengen.engine.options import Value, option_texts

NODES_A_DEPTH = 1000
DEEPEST = 10_000


@dataclass
class FakeEvent:
    """A line, or the result."""

    is_result: bool = False
    depth: int = 0
    seldepth: int = 0
    multipv: int = 1
    value: int = 0
    mate: int = 0
    proven: bool = False
    bound: int = 0
    nodes: int = 0
    visits: int = 0
    vcf_nodes: int = 0
    solver_nodes: int = 0
    evaluations: int = 0
    seconds: float = 0.0
    nps: int = 0
    hashfull: int = 0
    evaluator: tuple[str, str, int] = ("fake", "", 0)
    pv: list[int] = field(default_factory=list)
    move: int = -2
    ponder: int | None = None


@dataclass
class FakePlayer:
    """Depth by depth it likes the first free points, or `moves`; it ends at its limits of depth and
    nodes, after `script`, or when it is stopped. Time does not pass for it.
    """

    options: dict[str, str] = field(default_factory=dict)
    started: list[dict[str, object]] = field(default_factory=list)
    script: list[FakeEvent] | None = None  # events to send instead, including the end
    fault: str = ""  # why it breaks down
    games: int = 0
    stops: int = 0
    hits: list[tuple[float, float, float]] = field(default_factory=list)  # of ponder_hit
    _events: deque[FakeEvent] = field(default_factory=deque)
    _running: bool = False
    _depth: int = 0
    _stopped: threading.Event = field(default_factory=threading.Event)
    _board: _core.Board | None = None
    _purpose: SearchPurpose = SearchPurpose.MOVE

    def configure(self, options: Mapping[str, str]) -> None:
        self.options = dict(options)

    def evaluator(self, rule: int, size: int) -> tuple[str, str, int]:
        return "fake", "", 0

    def prepare(self, rule: int, size: int) -> SimpleNamespace:
        return SimpleNamespace(is_ready=True)

    def take_notes(self) -> list[str]:
        return []

    def start(
        self,
        board: _core.Board,
        *,
        seconds: float = 0,
        nodes: int = 0,
        depth: int = 0,
        clock: float = 0,
        increment: float = 0,
        purpose: SearchPurpose = SearchPurpose.MOVE,
        multipv: int = 1,
        moves: Sequence[int] = (),
    ) -> None:
        if self._running:
            raise RuntimeError("a search is running")
        if self.options["memory"] == "77":
            raise OutOfMemory("not enough memory for tables of 77 MiB: use less")
        limits = {"seconds": seconds, "nodes": nodes, "depth": depth, "clock": clock}
        limits["increment"] = increment
        more = {"moves": moves, "ponder": purpose == SearchPurpose.PONDER, "played": board.moves()}
        self.started.append({**limits, "multipv": multipv, **more})
        self._board, self._purpose = board, purpose
        self._choices = list(moves) or [*board.legal(), -1]
        self._lines = min(multipv, len(self._choices))
        deepest = min(depth or DEEPEST, -(-nodes // NODES_A_DEPTH) or DEEPEST)
        self._last = 3 if seconds or clock else deepest
        self._running, self._depth = True, 0
        self._stopped.clear()
        self._events = deque(self.script or ())

    def next_event(self, timeout: float) -> FakeEvent | None:
        if self.fault:
            self._running = False
            raise RuntimeError(self.fault)
        if self._events:
            event = self._events.popleft()
            self._running = self._running and not event.is_result
            return event
        if not self._running or self.script is not None:
            self._running = False
            raise RuntimeError("the search ended without a move")
        if self._depth >= self._last or self._stopped.is_set():
            self._running = False
            return self._end()
        if self._depth >= 5 and self._last == DEEPEST:
            self._stopped.wait(timeout)  # nothing more to tell until someone stops it
            return None
        self._depth += 1
        self._events.extend(self._info(line) for line in range(1, self._lines + 1))
        return self._events.popleft()

    def _info(self, line: int) -> FakeEvent:
        nodes = self._depth * NODES_A_DEPTH
        rest = [place for place in self._choices if place != self._choices[line - 1]]
        return FakeEvent(
            depth=self._depth,
            seldepth=self._depth + 2,
            multipv=line,
            value=100 - 10 * line + self._depth,
            visits=nodes // 5,
            nodes=nodes,
            vcf_nodes=nodes // 2,
            evaluations=nodes // 4,
            seconds=nodes / 100_000,
            nps=100_000,
            hashfull=250,
            pv=[self._choices[line - 1], *rest[: self._depth - 1]],
        )

    def _end(self) -> FakeEvent:
        reply = self._choices[1] if len(self._choices) > 1 else None
        info = self._info(1) if self._depth else FakeEvent()
        return replace(info, is_result=True, move=self._choices[0], ponder=reply)

    def root_policy(self, board: _core.Board, prepared: object) -> list[tuple[int, float]]:
        return [(0, 1.0)]

    def progress(self) -> None:
        return None

    def ponder_hit(
        self,
        board: _core.Board,
        *,
        seconds: float,
        nodes: int,
        depth: int,
        clock: float,
        increment: float,
    ) -> bool:
        assert self._board is not None
        is_same = board.hash == self._board.hash
        is_full = self.options["level"] == "10"
        if not self._running or self._purpose != SearchPurpose.PONDER or self._stopped.is_set():
            return False
        if not is_same or not is_full or nodes or depth:
            return False
        self.hits.append((seconds, clock, increment))
        self._last = self._depth + 1
        return True

    def stop(self) -> None:
        self.stops += 1
        self._stopped.set()

    @property
    def is_searching(self) -> bool:
        return self._running

    def new_game(self) -> None:
        self.games += 1


def fake_engines(monkeypatch: pytest.MonkeyPatch) -> list[FakePlayer]:
    """Give every engine of the test a fake player; returns them in order of creation."""
    made: list[FakePlayer] = []

    def make(options: Mapping[str, Value]) -> FakePlayer:
        player = FakePlayer()
        player.configure(option_texts(options))
        made.append(player)
        return player

    monkeypatch.setattr(engine_module, "make_player", make)
    return made
