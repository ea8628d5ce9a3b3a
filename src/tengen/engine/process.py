# SPDX-License-Identifier: MIT
"""`ProcessEngine`: an engine in its own process that speaks the Gomocup protocol. `Engine.popen`
starts it. `protocol.client` has the protocol, `pipes` the process.
"""

from __future__ import annotations

import os
import re
import shlex
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from time import monotonic
from types import MappingProxyType
from typing import TypeAlias

from tengen.engine.analysis import Analysis, Search
from tengen.engine.base import NO_LIMIT, AnyEngine, copy_to_search
from tengen.engine.errors import (
    BadOption,
    EngineBusy,
    EngineClosed,
    EngineDied,
    EngineRefused,
    EngineSilent,
    NotPondering,
)
from tengen.engine.info import Info, PlayResult
from tengen.engine.limit import Limit
from tengen.engine.pipes import Pipes
from tengen.engine.protocol.client import (
    ClientSession,
    EngineMove,
    EngineName,
    EngineReady,
    EngineSwap2Choice,
    IllegalReply,
    Rejected,
    Reply,
    SendLines,
)
from tengen.engine.swap2 import Swap2Choice
from tengen.game.board import Board
from tengen.game.errors import TengenError
from tengen.game.move import Move, MoveLike

PathLike: TypeAlias = str | os.PathLike[str]

_THINKING = ("BEGIN", "TURN", "DONE", "PLAY")  # start lines after which an engine thinks
_REMARKS = ("MESSAGE", "DEBUG")
_MAX_QUOTE = 200  # characters of an engine's line in a message
_KEY = re.compile(r"[a-z][a-z0-9_]{0,40}", re.ASCII)
_VALUE = re.compile(r"[ -~]{0,400}")
# Keys that follow from the board and the limit.
_RESERVED = {
    "timeout_turn",
    "timeout_match",
    "time_left",
    "time_increment",
    "max_depth",
    "max_node",
}
_RESERVED |= {"rule", "game_type"}
# Keys of options that `Engine` has under another name, and a factor.
_NAMES = {
    "threads": ("thread_num", 1),
    "memory": ("max_memory", 1 << 20),
    "ponder": ("pondering", 1),
}


class ProcessEngine(AnyEngine):
    """An engine in another process that speaks the Gomocup protocol.

    `command` is a program, with its arguments in a list or in shell syntax. `timeout` is how many
    seconds it may take to answer without a search, and how much longer than its limit a search may
    take. Options are keys of INFO, or `threads`, `memory` (MiB, of the whole process) and `ponder`.
    Raises EngineDied if the program cannot be started.
    """

    def __init__(
        self,
        command: PathLike | Sequence[PathLike],
        *,
        options: Mapping[str, object] | None = None,
        env: Mapping[str, str] | None = None,
        cwd: PathLike | None = None,
        timeout: float = 10.0,
    ) -> None:
        self._lock = threading.Lock()  # held briefly, while a search starts
        self._timeout = timeout
        self._session = ClientSession()
        self._options: dict[str, object] = {}
        self._search: _ProcessSearch | None = None
        self._board: Board | None = None  # of `ponder`
        self._closed: TengenError | None = None  # why it cannot be used any more
        self._name = ""
        self.configure(**options or {})
        try:
            arguments = split_command(command)
            self._name = Path(arguments[0]).name if arguments else ""
            self._pipes = Pipes(arguments, env, cwd)
        except (OSError, ValueError, IndexError) as error:
            raise EngineDied(f"{self._name or command!r} cannot be started: {error}") from None
        self._request_name()

    @property
    def name(self) -> str:
        return self._name

    @property
    def pid(self) -> int:
        """The id of its process."""
        return self._pipes.pid

    @property
    def options(self) -> Mapping[str, object]:
        """The options that were set, by name."""
        return MappingProxyType(self._options)

    def prepare(self, board: Board, *, seconds: float | None = 0.0) -> bool:
        """Start a game on such a board, which then takes no time of its first move. Waits until it
        has started.
        """
        with self._lock:
            self._check("prepare for a search")
            lines = self._session.prepare(board)
        reply = self._exchange(lines) if lines else None
        if lines and reply is None:
            raise self._silent("")
        if isinstance(reply, Rejected):
            raise _refused(self._name, reply)
        return True

    def configure(self, **options: object) -> None:
        """Set options; they are sent before the next search. Raises BadOption."""
        with self._lock:
            self._check("set options")
            self._session.options |= dict(_info(name, value) for name, value in options.items())
            self._options |= options

    def play(self, board: Board, limit: Limit, *, ponder: bool | None = None) -> PlayResult:
        if ponder is not None:
            self.configure(ponder=ponder)
        return self._begin(copy_to_search(board), limit).result()

    def analyse(
        self,
        board: Board,
        limit: Limit = NO_LIMIT,
        *,
        multipv: int | None = None,
        moves: Iterable[MoveLike] | None = None,
    ) -> Analysis:
        """As `AnyEngine.analyse`. Raises BadOption for several lines, and for `moves`."""
        if multipv not in (None, 1):
            raise BadOption(f"no multipv of {multipv!r}: the Gomocup protocol has one line")
        if moves is not None:
            raise BadOption("the Gomocup protocol cannot limit the moves to consider")
        return Analysis(self._begin(copy_to_search(board), limit))

    def swap2(self, board: Board, limit: Limit, *, number: int = 0) -> Swap2Choice:
        """As `AnyEngine.swap2`; the engine chooses its opening."""
        search = self._begin(copy_to_search(board), limit, swap2=True)
        return search.choice()

    def ponder(self, board: Board) -> None:
        """Sends nothing: engines of this protocol ponder by themselves, if the option is set."""
        self._check("ponder")
        self._board = copy_to_search(board)

    def ponder_hit(self, limit: Limit) -> PlayResult:
        if self._board is None:
            raise NotPondering("the engine does not ponder: call `ponder` first")
        return self._begin(self._board, limit).result()

    def stop(self) -> None:
        search = self._search
        if search is not None:
            search.stop()

    def new_game(self) -> None:
        with self._lock:
            self._check("start a new game")
            self._session.new_game()

    def close(self) -> None:
        """End the process: by END, then SIGTERM, then SIGKILL."""
        with self._lock:
            first = not isinstance(self._closed, EngineClosed)
            died, self._closed = self._closed, EngineClosed(f"{self._name} is closed")
            search, self._search = self._search, None
        if first and not died:
            self._pipes.close(["END"], timeout=min(1.0, self._timeout))
        if search is not None:
            search.abandon(EngineClosed(f"{self._name} was closed in the middle of a search"))

    # --- internals ---

    def _request_name(self) -> None:
        """Engines need not answer ABOUT; then they have the name of the program."""
        try:
            reply = self._exchange(self._session.hello())
        except BaseException:  # as Ctrl-C: nobody else can end the process
            self._pipes.kill()
            raise
        if isinstance(reply, EngineName):
            self._name = reply.name or self._name

    def _exchange(self, lines: Sequence[str]) -> Reply | None:
        """Send lines that start no search; the last reply. None: it does not come in time."""
        try:
            self._pipes.send(lines)
            deadline = monotonic() + self._timeout
            while (left := deadline - monotonic()) > 0:
                line = self._pipes.receive(left)
                reply = self._session.receive(line) if line is not None else None
                if isinstance(reply, SendLines):
                    self._pipes.send(reply.lines)
                elif isinstance(reply, EngineReady):
                    self._pipes.send(reply.lines)
                    return reply
                elif reply is not None:
                    return reply
        except (OSError, EOFError):
            raise self._died() from None
        return None

    def _begin(self, position: Board, limit: Limit, *, swap2: bool = False) -> _ProcessSearch:
        if not isinstance(limit, Limit):
            raise TypeError(f"expected a tengen.Limit, got {type(limit).__name__}")
        with self._lock:
            self._check("search")
            self._board = None
            self._pipes.forget()
            lines = self._session.request(position, limit, swap2=swap2)
            search = _ProcessSearch(self, limit)
            self._search = search
            search.send(lines)
        return search

    def _check(self, action: str) -> None:
        if self._closed is not None:
            raise type(self._closed)(f"{self._closed}: it cannot {action}")
        if self._search is not None and not self._search.is_done:
            message = "it is searching: wait for its end or `stop` it"
            raise EngineBusy(f"{self._name} cannot {action}: {message}, and read its analysis")

    def _died(self) -> EngineDied:
        """The process has ended, or does not read."""
        return self._ended(EngineDied, self._pipes.exit_text(timeout=0.5))

    def _silent(self, said: str) -> EngineDied:
        """The process does not answer. `said` is what it said instead."""
        error = self._ended(EngineSilent, "it does not answer")
        assert isinstance(error, EngineSilent)
        error.said = said
        return error

    def _ended(self, kind: type[EngineDied], reason: str) -> EngineDied:
        """End the process; the error to raise."""
        self._pipes.kill()
        tail = " / ".join(line[:_MAX_QUOTE] for line in self._pipes.tail)
        error = kind(f"{self._name}: {reason}" + (f"; its last lines: {tail}" if tail else ""))
        self._closed = self._closed or error
        return error

    def __repr__(self) -> str:
        return f"<ProcessEngine {self._name}>"


class _ProcessSearch(Search):
    """A search in another process."""

    def __init__(self, engine: ProcessEngine, limit: Limit) -> None:
        self._pipes = engine._pipes
        self._session = engine._session
        self._died: Callable[[], EngineDied] = engine._died
        self._silent: Callable[[str], EngineDied] = engine._silent
        self._said = ""  # the first line that is not an answer
        self._choice: Swap2Choice | None = None  # in a swap2 opening
        self._name = engine.name
        self._response_grace = engine._timeout
        self._limit = limit
        self._deadline: float | None = None
        self._reading = threading.Lock()
        self._stopping = False
        self._last: Info | None = None

    def choice(self) -> Swap2Choice:
        """Wait for the end of a swap2 opening."""
        self.wait()
        if self._choice is None:
            raise self._error or EngineDied(f"{self._name} has not chosen")
        return self._choice

    def send(self, lines: Sequence[str]) -> None:
        """Send lines, and set the deadline of the answer."""
        thinks = lines[-1].startswith(_THINKING)
        allowed = _seconds(self._limit) if thinks and not self._stopping else 0.0
        self._deadline = None if allowed is None else monotonic() + allowed + self._response_grace
        try:
            self._pipes.send(lines)
        except OSError:
            self._fail(self._died())

    def stop(self) -> None:
        self._stopping = True
        if not self._done and (lines := self._session.stop()):
            self.send(lines)

    def next_info(self, timeout: float) -> Info | None:
        with self._reading:
            if self._done:
                return None
            left = timeout if self._deadline is None else self._deadline - monotonic()
            try:
                line = self._pipes.receive(max(0.0, min(timeout, left)))
            except EOFError:
                self._fail(self._died())
                return None
            info = None if line is None else self._read(line)
            # Even if other lines keep coming.
            late = self._deadline is not None and monotonic() >= self._deadline
            if late and not self._done:
                self._fail(self._silent(self._said))
            return info

    def abandon(self, error: TengenError) -> None:
        """Fail, since the process has ended."""
        if not self._done:
            self._fail(error)

    def _read(self, line: str) -> Info | None:
        reply = self._session.receive(line)
        if isinstance(reply, Info):
            self._last = reply
            return reply
        if isinstance(reply, SendLines):
            self.send(reply.lines)
            if self._stopping:
                self.stop()
        elif isinstance(reply, EngineMove):
            self._played = self._with_info(reply.move)
            self._done = True
        elif isinstance(reply, EngineSwap2Choice):
            self._choice = reply.choice
            self._done = True
        elif isinstance(reply, IllegalReply):
            error = reply.error
            error.args = (f"{self._name} answered '{line}': {error}", *error.args[1:])
            self._fail(error)
        elif isinstance(reply, Rejected):
            self._fail(_refused(self._name, reply))
        elif reply is None and not self._said and not _is_remark(line):
            self._said = line.strip()[:_MAX_QUOTE]
        return None

    def _with_info(self, move: Move) -> PlayResult:
        """The move, with the last info if it is about the move."""
        info = self._last
        if info is None or (info.pv and info.pv[0] != move):
            return PlayResult(move)
        return PlayResult(move, info.pv[1] if len(info.pv) > 1 else None, info)

    def _fail(self, error: TengenError) -> None:
        self._error = self._error or error
        self._done = True


def _refused(name: str, reply: Rejected) -> EngineRefused:
    return EngineRefused(f"{name} rejected the request: {reply.text}")


def _seconds(limit: Limit) -> float | None:
    """How long a search may last; None: unknown."""
    known = [seconds for seconds in (limit.time, limit.clock) if seconds is not None]
    return min(known) if known else None


def _is_remark(line: str) -> bool:
    """Whether a line cannot be an answer: a remark, or a complaint about INFO."""
    text = line.upper()
    return not text.strip() or text.startswith(_REMARKS) or "INFO" in text


def split_command(command: PathLike | Sequence[PathLike]) -> list[str]:
    """The program and its arguments. A text that is not a file is split as by a shell. Raises
    ValueError for unbalanced quotes.
    """
    if isinstance(command, os.PathLike):
        return [os.fspath(command)]
    if isinstance(command, str):
        return [command] if _is_file(command) else shlex.split(command)
    return [os.fspath(word) for word in command]


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a name
        return False


def _info(name: str, value: object) -> tuple[str, str]:
    """The key and the value of an option for INFO. Raises BadOption."""
    key, factor = _NAMES.get(name, (name, 1))
    if key in _RESERVED:
        raise BadOption(f"no option {name!r}: it follows from the board and the limit")
    if not _KEY.fullmatch(key):
        raise BadOption(f"no option {name!r}: keys of INFO have lower-case letters, digits and _")
    if isinstance(value, int):  # True and False, too
        return key, str(int(value) * factor)
    text = str(value)
    if not isinstance(value, str) or not _VALUE.fullmatch(text) or name in _NAMES:
        raise BadOption(f"no {name} of {value!r}: use a whole number or a short ASCII text")
    return key, text
