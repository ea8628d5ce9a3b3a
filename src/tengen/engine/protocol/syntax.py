# SPDX-License-Identifier: MIT
"""The syntax of the Gomocup protocol for the manager's end: lines, commands, points."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tengen.game.errors import BadNotation
from tengen.game.move import Move

_POINT = re.compile(r"(\d{1,9})\s*,\s*(\d{1,9})", re.ASCII)
_CONTROL = re.compile(r"[^ -~]")
PASS_TEXT = "-1,-1"  # an extension: the protocol has no pass
_BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
_MAX_QUOTE = 60
# Bytes of a line that are kept. A line of BOARD has 8, the longest command (a folder) some hundred.
MAX_LINE = 4096


@dataclass(frozen=True, slots=True)
class GomocupCommand:
    """One line. `verb` is its first word in upper case, `rest` what follows."""

    verb: str
    rest: str = ""
    word: str = field(default="", compare=False)  # the first word as it was sent

    @property
    def text(self) -> str:
        """The line."""
        return f"{self.word or self.verb} {self.rest}".rstrip()


def parse(line: str) -> GomocupCommand | None:
    """The command of a line; None if it is empty."""
    verb, *rest = line.lstrip(_BYTE_ORDER_MARK).split(maxsplit=1) or [""]
    return GomocupCommand(verb.upper(), rest[0].strip() if rest else "", verb) if verb else None


def parse_point(text: str, size: int) -> Move:
    """The point of `x,y` on a board of `size`. Raises BadNotation.

    Both count from 0; `0,0` is the first cell of the first row, as in Piskvork's records.
    """
    match = _POINT.fullmatch(text.strip())
    if match is None:
        raise BadNotation(f"no point '{quoted(text)}': expected x,y")
    x, y = int(match[1]), int(match[2])
    if x >= size or y >= size:
        raise BadNotation(f"{x},{y} is off the board: both numbers are 0 to {size - 1}")
    return Move(x, y)


def parse_move(text: str, size: int) -> Move:
    """A point or `PASS_TEXT`. Raises BadNotation."""
    return Move.PASS if text.replace(" ", "") == PASS_TEXT else parse_point(text, size)


def format_move(move: Move) -> str:
    return PASS_TEXT if move.is_pass else move.gomocup


def quoted(text: str) -> str:
    """A text for a reply: short, printable ASCII."""
    plain = _CONTROL.sub("?", text)
    return plain if len(plain) <= _MAX_QUOTE else plain[: _MAX_QUOTE - 3] + "..."


class LineSplitter:
    """Splits a stream of bytes into lines, which end in CR, LF or both. Skips empty lines, and cuts
    lines off after `MAX_LINE` bytes. Invalid UTF-8 becomes replacement characters.
    """

    def __init__(self) -> None:
        self._rest = b""  # an incomplete line

    def feed(self, data: bytes) -> list[str]:
        """The lines that the bytes complete."""
        first, *others = data.replace(b"\r", b"\n").split(b"\n")
        self._rest = (self._rest + first[:MAX_LINE])[:MAX_LINE]
        if not others:
            return []
        *whole, rest = others
        lines = [self._rest, *whole]
        self._rest = rest[:MAX_LINE]
        return [text for line in lines if (text := _text(line))]

    def end(self) -> list[str]:
        """The incomplete line at the end of the stream, if any."""
        text, self._rest = _text(self._rest), b""
        return [text] if text else []


def _text(line: bytes) -> str:
    return line[:MAX_LINE].decode("utf-8", "replace").strip()
