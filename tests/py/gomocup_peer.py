# SPDX-License-Identifier: MIT
"""A protocol manager for tests: starts an engine process, exchanges lines with it, and runs
dialogues. Shares no code with the client of the package.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, Queue
from typing import Self

from gomocup_dialogues import REMARKS, Dialogue, Points, matches

REAL = [sys.executable, "-m", "tengen", "gomocup"]
_ROOT = Path(__file__).parents[2]
NATIVE = [
    str(_ROOT / "build" / "release" / "pbrain-tengen"),
    "--data",
    str(_ROOT / "src" / "tengen" / "engine" / "data"),
]
# Seconds without output after which a process has failed; far more than needed.
TIMEOUT = 60.0


class Peer:
    """An engine in a process. Used with `with`, it is gone at the end."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._lines: Queue[str | None] = Queue()
        self.errors = b""
        self._readers = [threading.Thread(target=f) for f in (self._read, self._read_errors)]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdin
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        for reader in self._readers:
            reader.join()

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as stream:
            for line in stream:
                self._lines.put(line.decode("ascii").rstrip("\n"))
        self._lines.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr
        with self.process.stderr as stream:
            self.errors = stream.read()

    def send(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def say(self, *lines: str) -> None:
        self.send("".join(f"{line}\r\n" for line in lines).encode())

    def line(self) -> str | None:
        """The next line; None at the end of the output."""
        try:
            return self._lines.get(timeout=TIMEOUT)
        except Empty:
            raise AssertionError("the engine says nothing") from None

    def answer(self) -> str | None:
        """The next line that is no remark."""
        while (line := self.line()) is not None and line.startswith(REMARKS):
            pass
        return line

    def end(self) -> int:
        """Wait for its end, without saying so; the exit code."""
        return self.process.wait(TIMEOUT)

    def act(self, dialogue: Dialogue) -> None:
        """Run a dialogue. Afterwards the engine must have no more output."""
        points = Points()
        for sign, message in dialogue.lines:
            try:
                if sign == ">":
                    points.said(message)
                    self.say(message)
                else:
                    assert sign == "<", "only plain dialogues go through pipes"
                    reported = self.answer()
                    assert reported is not None, "the engine has ended"
                    matches(message, reported, points)
            except BaseException as error:
                error.add_note(f"in {dialogue}: {sign} {message}")
                raise
        self.say("ABOUT")
        reported = self.answer() or ""
        assert reported.startswith("name="), f"unexpected after {dialogue}: {reported}"
