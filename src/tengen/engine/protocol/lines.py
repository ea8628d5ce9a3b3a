# SPDX-License-Identifier: MIT
"""Bytes from a pipe, cut into lines. Relies on nothing; both ends of the protocol read through
it.
"""

from __future__ import annotations

__all__ = ["LONGEST", "Lines"]

# Bytes of a line that are kept; the protocol allows the rest to be cut off. A whole BOARD line has
# 8, the longest command of managers (a folder) some hundred.
LONGEST = 4096


class Lines:
    """Cuts a stream of bytes into lines, which end in CR, LF or both. Empty lines are left out.

    Never holds more than `LONGEST` bytes of a line, however long it is. Bytes that are no UTF-8
    become replacement characters.
    """

    def __init__(self) -> None:
        self._rest = b""  # of a line whose end has not come yet

    def feed(self, data: bytes) -> list[str]:
        """The lines that these bytes complete."""
        first, *others = data.replace(b"\r", b"\n").split(b"\n")
        self._rest = (self._rest + first[:LONGEST])[:LONGEST]
        if not others:
            return []
        *whole, rest = others
        found = [self._rest, *whole]
        self._rest = rest[:LONGEST]
        return [text for line in found if (text := _text(line))]

    def end(self) -> list[str]:
        """What was left when the stream ended: a line without its end, if any."""
        text, self._rest = _text(self._rest), b""
        return [text] if text else []


def _text(line: bytes) -> str:
    return line[:LONGEST].decode("utf-8", "replace").strip()
