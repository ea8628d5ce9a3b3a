# SPDX-License-Identifier: MIT
"""Dialogues between a manager and an engine: reads the files of tests/dialogues, and compares
replies. README.md there describes the notation; tests/cpp/test_dialogues.cpp runs all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "dialogues"
REMARKS = ("MESSAGE", "DEBUG")


@dataclass(frozen=True)
class Dialogue:
    """Lines with their signs. `pipes`: any engine must be able to hold it, as a process too."""

    file: str
    line: int
    title: str
    pipes: bool
    lines: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.title}"


def read_dialogues(path: Path) -> Iterator[Dialogue]:
    title, start, pipes = "", 0, False
    lines: list[tuple[str, str]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("== "):
            if lines:
                yield Dialogue(path.name, start, title, pipes, tuple(lines))
            title, start, lines = line[3:].strip(), number, []
            pipes = title.endswith("[pipes]")
        elif line[:2].rstrip() in (">", "<", "~", "?"):
            assert title, f"{path.name}:{number}: a line before any title"
            lines.append((line[0], line[2:]))
        else:
            assert not line.strip() or line.startswith("#"), f"{path.name}:{number}: {line!r}"
    yield Dialogue(path.name, start, title, pipes, tuple(lines))


def all_dialogues() -> list[Dialogue]:
    return [d for path in sorted(FOLDER.glob("*.txt")) for d in read_dialogues(path)]


_WORDS = {
    "{about}": r'name="[^"]+", version="[^"]+", author="[^"]+".*',
    "{error}": r"ERROR \S.*",
    "{unknown}": r"UNKNOWN \S.*",
    "{message}": r"MESSAGE \S.*",
}


class Points:
    """The stones of a dialogue so far, to check moves of the engine."""

    def __init__(self) -> None:
        self.size = 0
        self._taken: set[tuple[int, int]] = set()
        self._before: set[tuple[int, int]] = set()

    def said(self, line: str) -> None:
        """The manager sent a line."""
        verb, *rest = line.upper().split() or [""]
        if verb not in ("DONE", "INFO") and not verb[:1].isdigit():
            self._before = set(self._taken)
        if verb == "START" and rest and rest[0].lstrip("+").isdecimal():
            self.size = int(rest[0])
        if verb in ("START", "RESTART", "BOARD", "SWAP2BOARD"):
            self._taken.clear()
        points = {(int(x), int(y)) for x, y in re.findall(r"(\d+) *, *(\d+)", line, re.ASCII)}
        if verb == "TAKEBACK":
            self._taken -= points
        elif verb in ("TURN", "PLAY") or verb[:1].isdigit():
            self._taken |= points

    def refused(self) -> None:
        """The engine rejected the command."""
        self._taken = set(self._before)

    def check(self, text: str, count: int) -> None:
        """The engine answered with this many moves."""
        result = re.fullmatch(r"\d+,\d+(?: \d+,\d+)*", text)
        assert result, f"no move: {text!r}"
        points = [(int(x), int(y)) for x, y in (p.split(",") for p in text.split())]
        assert len(points) == len(set(points)) == count
        for x, y in points:
            assert x < self.size, text
            assert y < self.size, text
            assert (x, y) not in self._taken, f"{text} is occupied"
            self._taken.add((x, y))


def matches(expected: str, reply: str, points: Points) -> None:
    """Assert that a reply is what a dialogue expects."""
    if reply.startswith(("ERROR", "UNKNOWN")):
        points.refused()
    if expected in ("{move}", "{moves 2}", "{moves 3}"):
        points.check(reply, 1 if expected == "{move}" else int(expected[7]))
    elif expected.startswith("/"):
        assert re.fullmatch(expected.strip("/"), reply), f"{reply!r} is not {expected}"
    elif expected in _WORDS:
        assert re.fullmatch(_WORDS[expected], reply), f"{reply!r} is no {expected}"
    else:
        assert reply == expected
