# SPDX-License-Identifier: MIT
"""A server session between two pipes. One thread reads, so that END acts while a search runs; one
runs the engine; the calling one does everything else.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from queue import Queue
from time import monotonic
from typing import TypeAlias

from tengen.engine.base import AnyEngine
from tengen.engine.protocol.actions import (
    Action,
    PrepareEvaluator,
    Quit,
    SendLine,
    StartGame,
    StartPondering,
    StartSearch,
    StopSearch,
)
from tengen.engine.protocol.engine_thread import EngineThread, Event
from tengen.engine.protocol.gomocup_session import GomocupSession
from tengen.engine.protocol.syntax import LineSplitter

# Bytes per read, and the number of items that may wait.
_CHUNK = 1 << 16
_MAX_WAITING = 1 << 14
# Max seconds from END to the exit of the process: for a search to end, for the manager to read an
# answer, and in all, after which the process is ended at once. Requests before END, or before the
# end of the input, are still answered: on a busy machine, or while an engine is created, that may
# take _PENDING_TIMEOUT.
_END_OF_SEARCH = 0.05
_END_OF_READING = 0.01
_EXIT_TIMEOUT = 0.08
_PENDING_TIMEOUT = 3.0

# A line, a report of the search, or None: the input has ended.
_Item: TypeAlias = str | Event | None


class GomocupServer:
    """One session. `read` returns some bytes, none at the end; `write` writes all it is given.

    `die` ends the process at once; it is called if an orderly end takes too long.
    """

    def __init__(
        self,
        session: GomocupSession,
        make_engine: Callable[[Mapping[str, int]], AnyEngine],
        read: Callable[[int], bytes],
        write: Callable[[bytes], None],
        die: Callable[[int], object] = os._exit,
    ) -> None:
        self._session = session
        self._read = read
        self._write = write
        self._die = die
        self._inbox: Queue[tuple[_Item, float]] = Queue(_MAX_WAITING)
        self._engine_thread = EngineThread(
            make_engine, lambda event: self._inbox.put((event, monotonic()))
        )
        self._last_progress = 0.0  # time of the last handled item or answer
        self._is_writing = False
        self._over = threading.Event()

    def run(self) -> int:
        """Serve to the end; returns the exit code, always 0."""
        listener = threading.Thread(target=self._listen, name="input", daemon=True)
        listener.start()
        try:
            while self._handle(*self._inbox.get()):
                pass
        except OSError:  # nobody reads our output: also an end
            pass
        ended = self._engine_thread.close(_END_OF_SEARCH)
        self._over.set()
        listener.join(_END_OF_READING)
        if not ended or listener.is_alive():
            self._die(0)
        return 0

    # --- on the calling thread ---

    def _handle(self, item: _Item, when: float) -> bool:
        """Handle a line or an event; whether to continue."""
        if item is None:
            actions = self._session.input_closed()
        elif isinstance(item, str):
            actions = self._session.handle(item)
        else:
            actions = self._session.search_event(item)
        for action in actions:
            if isinstance(action, Quit):
                return False
            self._do(action, when)
        if item is not None:
            self._last_progress = monotonic()
        return True

    def _do(self, action: Action, when: float) -> None:
        match action:
            case SendLine(line):
                self._say(line.encode("ascii", "replace") + b"\n")
            case StartSearch():
                self._engine_thread.think(action, when)
            case StartGame(options, board):
                self._engine_thread.new_game(options, board)
            case PrepareEvaluator(board, options):
                self._engine_thread.prepare(board, options)
            case StartPondering(board):
                self._engine_thread.ponder(board)
            case StopSearch():
                self._engine_thread.halt()

    def _say(self, line: bytes) -> None:
        self._last_progress = monotonic()
        self._is_writing = True
        self._write(line)
        self._is_writing = False

    # --- on the reading thread ---

    def _listen(self) -> None:
        lines = LineSplitter()
        while data := self._some_bytes():
            for line in lines.feed(data):
                self._inbox.put((line, monotonic()))
                if _is_end(line):
                    self._watch(_EXIT_TIMEOUT)
                    return
        for line in lines.end():
            self._inbox.put((line, monotonic()))
        self._inbox.put((None, monotonic()))
        self._watch(_PENDING_TIMEOUT)

    def _some_bytes(self) -> bytes:
        try:
            return self._read(_CHUNK)
        except OSError:
            return b""

    def _watch(self, read_timeout: float) -> None:
        """End the process if it does not end by itself: if it computes one answer for longer than
        `_PENDING_TIMEOUT`, or if nobody reads an answer for `read_timeout` seconds.
        """
        start = monotonic()
        while not self._over.wait(_EXIT_TIMEOUT / 4):
            allowed = read_timeout if self._is_writing else _PENDING_TIMEOUT
            if monotonic() - max(start, self._last_progress) > allowed:
                self._die(0)
                return


def _is_end(line: str) -> bool:
    return line.split(maxsplit=1)[0].upper() == "END"


def serve(
    session: GomocupSession,
    make_engine: Callable[[Mapping[str, int]], AnyEngine],
    source: int,
    sink: int,
) -> int:
    """Serve between two file descriptors; returns the exit code."""

    def write(data: bytes) -> None:
        while data:
            data = data[os.write(sink, data) :]

    return GomocupServer(session, make_engine, lambda size: os.read(source, size), write).run()
