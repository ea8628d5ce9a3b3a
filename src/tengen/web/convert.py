# SPDX-License-Identifier: MIT
"""Converts records of any format that Python reads to SGF, in a process with its own limits:
reading a hostile text may take minutes and gigabytes.

`Converter` is the server's side; `python -m tengen.web.convert` is the process. Each message is its
length in four bytes, then JSON.
"""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import threading
import time
from typing import IO, Any

from tengen.game import records
from tengen.game.errors import BadRecord
from tengen.web.limits import ServerLimits

_MAX_GAMES = 2_000


class ConversionError(Exception):
    """A record that cannot be converted, and the CPU time that was spent on it."""

    def __init__(self, problem: str, seconds: float) -> None:
        super().__init__(problem)
        self.seconds = seconds


class Converter:
    """The process, started when it is first needed, and again after it was ended. For one
    thread.
    """

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None

    def convert(self, text: str, name: str) -> tuple[list[str], float]:
        """The games as SGF, and the CPU time in seconds. Raises ConversionError."""
        try:
            process = self._running()
        except OSError as error:
            raise ConversionError(f"no process to convert records: {error}", 0) from None
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(self._limits.convert_time, process.kill)
        timer.start()
        try:
            _write(process.stdin, [text, name])
            answer = _read(process.stdout)
        except (OSError, ValueError):
            answer = None
        finally:
            timer.cancel()
        if answer is None:  # it was killed, or ended itself
            self.close()
            problem = "the record is too large or too complicated to convert"
            raise ConversionError(problem, self._limits.convert_cpu)
        games, problem, seconds = answer
        if problem:
            raise ConversionError(problem, seconds)
        return games, seconds

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    if pipe is not None:
                        pipe.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            limits = self._limits
            numbers = [limits.convert_cpu, limits.convert_memory, limits.converted_size]
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tengen.web.convert", json.dumps(numbers)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._process


def _write(stream: IO[bytes], message: Any) -> None:
    data = json.dumps(message).encode()
    stream.write(len(data).to_bytes(4, "big") + data)
    stream.flush()


def _read(stream: IO[bytes]) -> Any:
    """The next message; None at the end."""
    length = int.from_bytes(stream.read(4), "big")
    data = stream.read(length)
    return json.loads(data) if data and len(data) == length else None


# --- the process ---


def _limit_memory(size: int) -> None:
    """Limits the address space, where the system can."""
    if sys.platform != "win32":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        if most == resource.RLIM_INFINITY or most > size:
            resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _limit_cpu(seconds: float) -> None:
    """Ends this process after so much CPU time from now; 0: no more."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _converted(text: str, name: str, size: int) -> list[str]:
    """The games of a record, as SGF. Raises BadRecord."""
    games = records.loads(text, source=name or "the text") if text.strip() else []
    if not games:
        raise BadRecord("there is no game in it", name or "the text")
    if len(games) > _MAX_GAMES:
        raise BadRecord(f"more than {_MAX_GAMES:,} games", name or "the text")
    result = []
    for game in games:
        result.append(records.dumps(game, "sgf"))
        size -= len(result[-1])
        if size < 0:
            raise BadRecord("the games are too large together", name or "the text")
    return result


def main() -> None:
    cpu, memory, size = json.loads(sys.argv[1])
    _limit_memory(memory)
    while (message := _read(sys.stdin.buffer)) is not None:
        start = time.process_time()
        _limit_cpu(cpu)
        games: list[str] = []
        problem = ""
        try:
            games = _converted(message[0], message[1], size)
        except BadRecord as error:
            problem = str(error)
        except (MemoryError, RecursionError):
            problem = "the record needs too much memory"
        _limit_cpu(0)
        _write(sys.stdout.buffer, [games, problem, time.process_time() - start])


if __name__ == "__main__":
    main()
