# SPDX-License-Identifier: MIT
"""A strict client of the Gomocup protocol, for measuring: it times every answer, forgives nothing,
and shares no code with the package's own client, so that each checks the other.

Relies on Linux for the peak of the memory. `pipes` plays its games with it.
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
LONGEST_LINE = 1 << 16

Place = tuple[int, int]


class BrokenPlayer(Exception):
    """A player that is not worth talking to any more. `kind` is crash, hang or protocol."""

    def __init__(self, kind: str, words: str) -> None:
        super().__init__(words)
        self.kind = kind


class Client:
    """A player in a process. Every call raises BrokenPlayer if something is not as it must be."""

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

    @property
    def pid(self) -> int:
        return self._process.pid

    # --- the protocol ---

    def begin(self, size: int, infos: dict[str, int], infos_first: bool) -> None:
        """A new game, by RESTART where the size stays the same."""
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

    def move(self, stones: Sequence[Place], whole: bool, patience: float) -> tuple[Place, float]:
        """The answer to a position, and the seconds that it took. `stones` are all moves so far,
        in turn; `whole` sends them all, else the last one is sent alone.
        """
        start = time.perf_counter()
        self.ask(stones, whole)
        answer = self.line(patience)
        seconds = time.perf_counter() - start
        found = ANSWER.fullmatch(answer)
        if found is None:
            raise BrokenPlayer("protocol", f"no move: {answer!r}")
        if self._read:
            raise BrokenPlayer("protocol", f"more than one answer: {self._read!r}")
        return (int(found[1]), int(found[2])), seconds

    def ask(self, stones: Sequence[Place], whole: bool) -> None:
        """Have it think about a position."""
        if not stones:
            self.send("BEGIN")
        elif whole:
            mine = len(stones) % 2  # whether the first stone is the opponent's
            lines = [f"{x},{y},{1 + (i + mine) % 2}" for i, (x, y) in enumerate(stones)]
            self.send("\r\n".join(["BOARD", *lines, "DONE"]))
        else:
            self.send(f"TURN {stones[-1][0]},{stones[-1][1]}")

    def is_silent(self) -> bool:
        """Has it said nothing that was not read, remarks aside?"""
        while select.select([self._from], [], [], 0)[0]:
            data = os.read(self._from.fileno(), 1 << 16)
            if not data:
                return False
            self._read += data
        lines = self._read.split(b"\n")
        rest = [line for line in lines if not line.decode("utf-8", "replace").startswith(REMARKS)]
        self._read = b"\n".join(rest)
        return not self._read

    def end(self, patience: float, command: bool = True) -> float:
        """Send END (or close its input alone); seconds until the process was gone."""
        start = time.perf_counter()
        if command:
            self.send("END")
        else:
            self._to.close()
        while self._process.poll() is None:
            if time.perf_counter() - start > patience:
                self.kill()
                raise BrokenPlayer("hang", f"still there {patience:g} s after END")
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
        """The most memory that was ever resident, in bytes; 0 where the system does not tell."""
        try:
            status = Path(f"/proc/{self.pid}/status").read_text("ascii")
        except OSError:
            return 0
        found = re.search(r"^VmHWM:\s*(\d+) kB", status, re.MULTILINE)
        return int(found[1]) * 1024 if found else 0

    # --- lines ---

    def send(self, text: str) -> None:
        try:
            self._to.write(text.encode("ascii") + b"\r\n")
        except OSError as error:
            raise BrokenPlayer("crash", f"{text.split(maxsplit=1)[0]}: {error.strerror}") from None

    def line(self, patience: float) -> str:
        """The next line that is no remark."""
        deadline = time.perf_counter() + patience
        while True:
            text, end, rest = self._read.partition(b"\n")
            if end:
                self._read = rest
                words = text.decode("utf-8", "replace").removesuffix("\r")
                if not words.startswith(REMARKS):
                    return words
                continue
            left = deadline - time.perf_counter()
            if left <= 0 or not select.select([self._from], [], [], left)[0]:
                raise BrokenPlayer("hang", f"no answer within {patience:g} s")
            data = os.read(self._from.fileno(), 1 << 16)
            if not data:
                code = self._process.wait(5)
                raise BrokenPlayer("crash", f"the process ended with code {code}")
            self._read += data
            if len(self._read) > LONGEST_LINE:
                raise BrokenPlayer("protocol", "a line without end")
