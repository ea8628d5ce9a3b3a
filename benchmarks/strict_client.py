# SPDX-License-Identifier: MIT
"""A strict client of the Gomocup protocol for measurements: it times every answer, tolerates no
error, and shares no code with the package's client, so that each checks the other. Peak memory is
measured on Linux only.
"""

from __future__ import annotations

import os
import re
import select
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

ANSWER = re.compile(r"(\d{1,2}),(\d{1,2})", re.ASCII)
REMARKS = ("MESSAGE", "DEBUG")
MAX_LINE = 1 << 16

Place = tuple[int, int]


class BrokenPlayer(Exception):
    """A player that crashed, hangs, or broke the protocol; `kind` says which."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def memory_of(pid: int, kind: str = "VmRSS") -> int:
    """Resident memory of a process in bytes, on Linux; 0 if unknown."""
    try:
        status = Path(f"/proc/{pid}/status").read_text("utf-8")
    except OSError:
        return 0
    match = re.search(rf"^{kind}:\s*(\d+) kB", status, re.MULTILINE)
    return int(match[1]) * 1024 if match else 0


class Client:
    """A player in a process. Every method raises BrokenPlayer."""

    def __init__(self, command: Sequence[str]) -> None:
        start = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        self._read = b""
        self.size = 0
        self._started = start
        self.start_seconds: float | None = None  # from the start of the process to its first OK

    # --- the protocol ---

    def begin(self, size: int, infos: dict[str, int], infos_first: bool) -> None:
        """Start a game, by RESTART if the size is the same."""
        if infos_first:
            self.info(infos)
        command = "RESTART" if self.size == size else f"START {size}"
        self.send(command)
        answer = self.line(30)
        if answer != "OK":
            raise BrokenPlayer("protocol", f"{command} was answered {answer!r}")
        if self.start_seconds is None:
            self.start_seconds = time.perf_counter() - self._started
        self.size = size
        if not infos_first:
            self.info(infos)

    def info(self, values: dict[str, int]) -> None:
        for name, value in values.items():
            self.send(f"INFO {name} {value}")

    def move(self, stones: Sequence[Place], whole: bool, timeout: float) -> tuple[Place, float]:
        """The answer to a position, and the seconds that it took. `stones` are all moves in order;
        `whole` sends them all, otherwise only the last one.
        """
        start = time.perf_counter()
        self.request(stones, whole)
        answer = self.line(timeout)
        seconds = time.perf_counter() - start
        match = ANSWER.fullmatch(answer)
        if match is None:
            raise BrokenPlayer("protocol", f"no move: {answer!r}")
        if self._read:
            raise BrokenPlayer("protocol", f"more than one answer: {self._read!r}")
        return (int(match[1]), int(match[2])), seconds

    def request(self, stones: Sequence[Place], whole: bool) -> None:
        """Request a move for a position."""
        if not stones:
            self.send("BEGIN")
        elif whole:
            mine = len(stones) % 2  # whether the first stone is the opponent's
            lines = [f"{x},{y},{1 + (i + mine) % 2}" for i, (x, y) in enumerate(stones)]
            self.send("\r\n".join(["BOARD", *lines, "DONE"]))
        else:
            self.send(f"TURN {stones[-1][0]},{stones[-1][1]}")

    def is_silent(self) -> bool:
        """Whether there is no unread line, except remarks."""
        while select.select([self._from], [], [], 0)[0]:
            data = os.read(self._from.fileno(), 1 << 16)
            if not data:
                return False
            self._read += data
        lines = self._read.split(b"\n")
        rest = [line for line in lines if not line.decode("utf-8", "replace").startswith(REMARKS)]
        self._read = b"\n".join(rest)
        return not self._read

    def end(self, timeout: float, command: bool = True) -> float:
        """Send END, or only close its input; the seconds until the process ended."""
        start = time.perf_counter()
        if command:
            self.send("END")
        else:
            self._to.close()
        while self._process.poll() is None:
            if time.perf_counter() - start > timeout:
                self.kill()
                raise BrokenPlayer("hang", f"still there {timeout:g} s after END")
            time.sleep(0.0002)
        seconds = time.perf_counter() - start
        self.kill()
        return seconds

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._to.close()
        self._from.close()

    def peak_memory(self) -> int:
        """Peak resident memory in bytes; 0 if unknown."""
        return memory_of(self._process.pid, "VmHWM")

    # --- lines ---

    def send(self, text: str) -> None:
        try:
            self._to.write(text.encode("ascii") + b"\r\n")
        except OSError as error:
            raise BrokenPlayer("crash", f"{text.split(maxsplit=1)[0]}: {error.strerror}") from None

    def line(self, timeout: float) -> str:
        """The next line, except remarks."""
        deadline = time.perf_counter() + timeout
        while True:
            text, end, rest = self._read.partition(b"\n")
            if end:
                self._read = rest
                line = text.decode("utf-8", "replace").removesuffix("\r")
                if not line.startswith(REMARKS):
                    return line
                continue
            left = deadline - time.perf_counter()
            if left <= 0 or not select.select([self._from], [], [], left)[0]:
                raise BrokenPlayer("hang", f"no answer within {timeout:g} s")
            data = os.read(self._from.fileno(), 1 << 16)
            if not data:
                code = self._process.wait(5)
                raise BrokenPlayer("crash", f"the process ended with code {code}")
            self._read += data
            if len(self._read) > MAX_LINE:
                raise BrokenPlayer("protocol", "a line without end")
