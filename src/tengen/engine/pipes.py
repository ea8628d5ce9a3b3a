# SPDX-License-Identifier: MIT
"""A program in its own process, and the lines to and from it. Memory stays bounded whatever it
does, and its process group ends with it.
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

_CHUNK = 1 << 16
# Lines that wait to be read. Remarks are dropped first: they are many, and answers matter more.
_MAX_REMARKS = 2000
_MAX_LINES = 4000  # then the process has to wait
_TAIL = 12  # last lines kept for the message of an error
_POLL = 0.005  # seconds between two checks whether a process has ended
_READ_TIMEOUT = 1.0  # seconds from the end of a process to that of its output
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
        self._ended = False  # its output has ended
        self._closing = False  # lines are no longer kept
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
        """The last lines that it wrote, to stdout and stderr."""
        return list(self._tail)

    def send(self, lines: Sequence[str]) -> None:
        """Write lines at once. Raises OSError if the process does not read any more."""
        data = "".join(f"{line}\r\n" for line in lines).encode("ascii", "replace")
        stdin = self._process.stdin
        assert stdin is not None
        try:
            while data:
                data = data[os.write(stdin.fileno(), data) :]
        except ValueError as error:  # it was closed meanwhile
            raise BrokenPipeError(str(error)) from None

    def receive(self, timeout: float) -> str | None:
        """Wait at most `timeout` seconds for a line; None: none came. Raises EOFError."""
        with self._news:
            if not self._lines and not self._ended:
                self._news.wait(timeout)
            if self._lines:
                if len(self._lines) >= _MAX_LINES:
                    self._news.notify_all()  # there is room again
                return self._lines.popleft()
            if self._ended:
                raise EOFError
            return None

    def forget(self) -> None:
        """Drop unread lines."""
        with self._news:
            self._lines.clear()
            self._news.notify_all()

    def exit_text(self, timeout: float) -> str:
        """How it ended; waits for the end at most `timeout` seconds."""
        code = self._wait(timeout)
        if code is None:
            return "it closed its output"
        if code < 0:
            return f"it was ended by signal {-code}"
        return f"it ended with exit code {code}"

    def close(self, last_lines: Sequence[str] = (), timeout: float = 1.0) -> None:
        """End it: by the last lines, then SIGTERM, then SIGKILL, each after `timeout` seconds.
        Returns when the whole process group has ended.
        """
        with self._news:
            self._closing = True  # from here on nothing more is kept
            self._news.notify_all()
        with contextlib.suppress(OSError):
            self.send(last_lines)
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        if self._wait(timeout) is None:
            _signal_group(self._process, signal.SIGTERM)
            self._wait(timeout)
        self._kill_at_exit()
        for thread, stream in self._readers:
            thread.join(_READ_TIMEOUT)
            if not thread.is_alive():  # else a process that left the group has the other end
                stream.close()

    def kill(self) -> None:
        """End it at once."""
        self.close(timeout=0.0)

    def _wait(self, timeout: float) -> int | None:
        """The exit code; None if it still runs after `timeout` seconds. Does not reap the process,
        so that its id, which is that of its group, stays valid until the group has ended.
        """
        deadline = monotonic() + timeout
        while (code := _exit_code(self._process)) is None and monotonic() < deadline:
            threading.Event().wait(_POLL)
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
        """Drop remarks beyond the limit; other lines may be answers, so the process waits."""
        with self._news:
            for line in lines:
                self._tail.append(line)
                if line.startswith(("MESSAGE", "DEBUG")):
                    if len(self._lines) < _MAX_REMARKS:
                        self._lines.append(line)
                    continue
                while len(self._lines) >= _MAX_LINES and not self._closing:
                    self._news.wait(_POLL)
                if len(self._lines) < _MAX_LINES:
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
    """The exit code of a process, without reaping it where the system allows that."""
    if not _POSIX or process.returncode is not None:
        return process.poll()
    try:
        state = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
    except ChildProcessError:  # already reaped
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
