# SPDX-License-Identifier: MIT
"""A program in a process of its own, and the lines to and from it. However it behaves, memory stays
bounded and nothing is left behind: it has a process group of its own, which ends with it.

Relies on the line splitter alone; `process` relies on it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from time import monotonic
from typing import IO, Any

from tengen.engine.protocol.syntax import LineSplitter

__all__ = ["Pipes"]

_CHUNK = 1 << 16
# Lines that wait to be read. Remarks are dropped first: they are many, and answers matter more.
_MOST_REMARKS = 2000
_MOST_LINES = 4000  # then the process has to wait
_TAIL = 12  # last lines kept for the message of an error
_GLANCE = 0.005  # s between two looks whether a process has ended
_END_OF_READING = 1.0  # s from the end of a process to that of its output
_POSIX = os.name == "posix"


class Pipes:
    """A running program. Raises OSError if it cannot be started."""

    def __init__(
        self,
        command: Sequence[str],
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
    ) -> None:
        options: dict[str, Any] = {"start_new_session": True} if _POSIX else {}
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=None if env is None else {**os.environ, **env},
            cwd=cwd,
            **options,
        )
        self._news = threading.Condition()
        self._lines: deque[str] = deque()
        self._ended = False  # nothing more will come
        self._closing = False  # nothing more is wanted
        self._tail: deque[str] = deque(maxlen=_TAIL)
        self._readers = [
            _start(self._read_output, self._process.stdout),
            _start(self._read_errors, self._process.stderr),
        ]
        self._kill_at_exit = weakref.finalize(self, _kill_group, self._process)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def tail(self) -> list[str]:
        """The last lines that it wrote, those of stderr too."""
        return list(self._tail)

    def send(self, lines: Sequence[str]) -> None:
        """Write lines, in one piece. Raises OSError if nobody reads them any more."""
        data = "".join(f"{line}\r\n" for line in lines).encode("ascii", "replace")
        stdin = self._process.stdin
        assert stdin is not None
        try:
            while data:
                data = data[os.write(stdin.fileno(), data) :]
        except ValueError as error:  # it was closed meanwhile
            raise BrokenPipeError(str(error)) from None

    def receive(self, timeout: float) -> str | None:
        """Wait for a line. None: nothing within so many seconds. Raises EOFError after the last."""
        with self._news:
            if not self._lines and not self._ended:
                self._news.wait(timeout)
            if self._lines:
                if len(self._lines) >= _MOST_LINES:
                    self._news.notify_all()  # there is room again
                return self._lines.popleft()
            if self._ended:
                raise EOFError
            return None

    def forget(self) -> None:
        """Drop the lines that were not read."""
        with self._news:
            self._lines.clear()
            self._news.notify_all()

    def exit_words(self, timeout: float) -> str:
        """How it ended, in words; waits for the end so many seconds at most."""
        code = self._wait(timeout)
        if code is None:
            return "it closed its output"
        if code < 0:
            return f"it was ended by signal {-code}"
        return f"it ended with exit code {code}"

    def close(self, last_words: Sequence[str] = (), patience: float = 1.0) -> None:
        """End it: kindly with the last words, then with SIGTERM, then with SIGKILL, each after so
        many seconds. Returns when it is gone, and with it all that it has started.
        """
        with self._news:
            self._closing = True  # from here on nothing more is kept
            self._news.notify_all()
        with contextlib.suppress(OSError):
            self.send(last_words)
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        if self._wait(patience) is None:
            _signal_group(self._process, signal.SIGTERM)
            self._wait(patience)
        self._kill_at_exit()
        for thread, stream in self._readers:
            thread.join(_END_OF_READING)
            if not thread.is_alive():  # else someone who left the group still has the other end
                stream.close()

    def kill(self) -> None:
        """End it at once."""
        self.close(patience=0.0)

    def _wait(self, timeout: float) -> int | None:
        """The exit code; None if it still runs after so many seconds. The process is not reaped, so
        that its number, which is that of its group, stays its own until the group is gone.
        """
        deadline = monotonic() + timeout
        while (code := _exit_code(self._process)) is None and monotonic() < deadline:
            threading.Event().wait(_GLANCE)
        return code

    # --- on the reading threads ---

    def _read_output(self, stream: IO[bytes]) -> None:
        lines = LineSplitter()
        for data in _chunks(stream):
            self._add(lines.feed(data))
        self._add(lines.end())
        with self._news:
            self._ended = True
            self._news.notify_all()

    def _add(self, lines: list[str]) -> None:
        """Remarks that nobody reads are dropped; for the others the process waits, since an answer
        may be among them.
        """
        with self._news:
            for line in lines:
                self._tail.append(line)
                if line.startswith(("MESSAGE", "DEBUG")):
                    if len(self._lines) < _MOST_REMARKS:
                        self._lines.append(line)
                    continue
                while len(self._lines) >= _MOST_LINES and not self._closing:
                    self._news.wait(_GLANCE)
                if len(self._lines) < _MOST_LINES:
                    self._lines.append(line)
                    self._news.notify_all()
            self._news.notify_all()

    def _read_errors(self, stream: IO[bytes]) -> None:
        lines = LineSplitter()
        for data in _chunks(stream):
            self._tail.extend(lines.feed(data)[-_TAIL:])
        self._tail.extend(lines.end())


def _start(
    read: Callable[[IO[bytes]], None], stream: IO[bytes] | None
) -> tuple[threading.Thread, IO[bytes]]:
    assert stream is not None
    thread = threading.Thread(target=read, args=(stream,), daemon=True)
    thread.start()
    return thread, stream


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    with contextlib.suppress(OSError, ValueError):  # closed under its reader
        while data := stream.read(_CHUNK):
            yield data


def _exit_code(process: subprocess.Popen[bytes]) -> int | None:
    """The exit code of a process, which is not reaped where the system lets us leave it."""
    if not _POSIX or process.returncode is not None:
        return process.poll()
    try:
        state = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
    except ChildProcessError:  # someone else has seen to it
        return process.poll()
    if state is None:
        return None
    return state.si_status if state.si_code == os.CLD_EXITED else -state.si_status


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(OSError):
        if _POSIX:
            os.killpg(process.pid, number)
        else:
            process.terminate()


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """End a process and its group, and reap it."""
    if process.returncode is None:
        if _POSIX:
            _signal_group(process, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
