# SPDX-License-Identifier: MIT
"""A fake native engine without a search: it emits the events of a script, at the pace of the test.
`fake_engines` installs it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from tengen import _core
from tengen.engine import evaluator, tables
from tengen.engine import native as native_module

NODES_A_DEPTH = 1000
DEEPEST = 10_000


@dataclass
class FakeEvent:
    """An info, or (`kind` 1) the end."""

    kind: int = 0
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
    hashfull: int = 0
    pv: list[int] = field(default_factory=list)
    move: int = -2
    ponder: int = -2


@dataclass
class FakeCore:
    """Depth by depth it likes the first free points, or `moves`; it ends at its limits of depth and
    nodes, after `script`, or when it is stopped. Time does not pass for it.
    """

    threads: int = 1
    memory: int = 0
    options: dict[str, int] = field(default_factory=dict)
    loaded: list[int] = field(default_factory=list)
    evaluations: list[object] = field(default_factory=list)  # that it was given
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

    def load_tables(self, rule: int, data: bytes) -> None:
        if not data.startswith(b"TGCLASS1"):
            raise ValueError("no tables: they begin with TGCLASS1")
        self.loaded.append(rule)

    def set_classical(self) -> None:
        self.evaluations.append("classical")

    def set_nets(self, black: object, white: object) -> None:
        self.evaluations.append((black, white))

    def set_callback(self, callback: object, sizes: int) -> None:
        self.evaluations.append((callback, sizes))

    def set_option(self, name: str, value: int) -> None:
        if name == "memory" and value >= 1 << 39:
            raise MemoryError
        if name == "branching" and value == 13:
            raise ValueError("13 moves bring bad luck")
        self.options[name] = value

    def start(
        self,
        board: _core.Board,
        *,
        seconds: float = 0,
        nodes: int = 0,
        depth: int = 0,
        clock: float = 0,
        increment: float = 0,
        multipv: int = 1,
        moves: Sequence[int] = (),
        ponder: bool = False,
    ) -> None:
        if self._running:
            raise RuntimeError("a search is running")
        if self.options.get("memory", 0) == 77 << 20:
            raise MemoryError
        limits = {"seconds": seconds, "nodes": nodes, "depth": depth, "clock": clock}
        limits["increment"] = increment
        more = {"moves": moves, "ponder": ponder, "played": board.moves()}
        self.started.append({**limits, "multipv": multipv, **more})
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
            self._running = self._running and event.kind == 0
            return event
        if not self._running or self.script is not None:
            self._running = False
            return None
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
            hashfull=250,
            pv=[self._choices[line - 1], *rest[: self._depth - 1]],
        )

    def _end(self) -> FakeEvent:
        reply = self._choices[1] if len(self._choices) > 1 else -2
        info = self._info(1) if self._depth else FakeEvent()
        return replace(info, kind=1, move=self._choices[0], ponder=reply)

    def root_policy(self, board: _core.Board) -> list[tuple[int, float]]:
        return [(0, 1.0)]

    def progress(self) -> tuple[int, int, float] | None:
        return None

    def ponder_hit(self, *, seconds: float, clock: float, increment: float) -> None:
        self.hits.append((seconds, clock, increment))
        self._last = self._depth + 1

    def stop(self) -> None:
        self.stops += 1
        self._stopped.set()

    def is_running(self) -> bool:
        return self._running

    def new_game(self) -> None:
        self.games += 1


def fake_engines(monkeypatch: pytest.MonkeyPatch) -> list[FakeCore]:
    """Give every engine of the test a fake core; returns them in order of creation."""
    made: list[FakeCore] = []

    def make(threads: int, memory: int) -> FakeCore:
        if memory >= 1 << 39:
            raise MemoryError
        made.append(FakeCore(threads, memory))
        return made[-1]

    monkeypatch.setattr(native_module, "_make_core", make)
    monkeypatch.setattr(evaluator, "bundled_nets", lambda *where: None)
    monkeypatch.setattr(tables, "read_classical_tables", lambda rule: b"TGCLASS1 " + rule.encode())
    return made
