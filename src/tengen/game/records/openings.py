# SPDX-License-Identifier: MIT
"""Gomocup opening files: one opening a line, as offsets from the centre; see
docs/formats/openings.md.

`read_openings` and `write_openings` deal in plain tuples of moves, as tournaments want them;
`loads` and `dumps` make records of them for the command line. Relies on the record model, `text`
and `losses`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tengen.game.errors import BadRecord
from tengen.game.move import Move
from tengen.game.records.losses import check, find_losses, played
from tengen.game.records.record import DEFAULT_SIZE, Record
from tengen.game.records.text import Budget, decode, fault, size_fault

__all__ = ["dumps", "loads", "losses", "read_openings", "sniff", "write_openings"]

_LINE = re.compile(r"([^\r\n]*+)(?:\r\n|\n|\r|\Z)")
_NUMBER = re.compile(r"[ \t]*+([-+]?\d{1,3})(?!\d)[ \t]*+(,?)", re.ASCII)
_BLANK = re.compile(r"(?:\s++|#[^\r\n]*+)*+")
_SNIFF = re.compile(r"\s*+[-+\d]++\s*+,[-+\d,\s]*+(?:#|\Z)", re.ASCII)
_NEGATIVE = re.compile(r"-\d", re.ASCII)


def sniff(text: str) -> bool:
    """Whether a text looks like openings: numbers and commas only, and some number below 0."""
    begin = _BLANK.match(text)
    start = begin.end() if begin else 0
    head = text[start : start + 4096]
    return _SNIFF.match(head) is not None and _NEGATIVE.search(head) is not None


def read_openings(
    data: bytes | str, size: int = DEFAULT_SIZE, source: str = "<text>"
) -> list[tuple[Move, ...]]:
    """The openings of a file, on a board of `size`. Blank lines and `# remarks` do not count."""
    if words := size_fault(size):
        raise BadRecord(words, source, 1, 1)
    text = decode(data, source)
    budget = Budget(text, source)
    found, position = [], 0
    while position < len(text):
        line = _LINE.match(text, position)
        assert line is not None
        end = position + len(line[1].partition("#")[0].rstrip(" \t,"))
        if end > position:
            numbers = _read_numbers(text, position, end, source, budget)
            found.append(_read_opening(numbers, size, source, text))
        position = line.end()
    return found


def _read_numbers(
    text: str, position: int, end: int, source: str, budget: Budget
) -> list[tuple[int, int]]:
    """The numbers of one line, each with its offset in the text."""
    found = []
    while position < end:
        number = _NUMBER.match(text, position, end)
        if number is None:
            begin = end - len(text[position:end].lstrip(" \t"))
            word = text[begin:end].partition(",")[0]
            raise fault(f"expected a number like -3, not {word!r:.20}", source, text, begin)
        budget.spend(1, position)
        found.append((int(number[1]), number.start(1)))
        position = number.end()
        if position < end and not number[2]:
            raise fault("expected a comma between two numbers", source, text, position)
    if len(found) % 2:
        raise fault("a lone number: offsets come in pairs, 'dx,dy'", source, text, found[-1][1])
    return found


def _read_opening(
    numbers: list[tuple[int, int]], size: int, source: str, text: str
) -> tuple[Move, ...]:
    moves: dict[Move, None] = {}
    for (dx, offset), (dy, _) in zip(numbers[::2], numbers[1::2], strict=True):
        x, y = size // 2 + dx, size // 2 + dy
        if not (0 <= x < size and 0 <= y < size):
            raise fault(f"{dx},{dy} is off the {size}x{size} board", source, text, offset)
        move = Move(x, y)
        if move in moves:
            raise fault(f"{dx},{dy} ({move}) is played twice", source, text, offset)
        moves[move] = None
    return tuple(moves)


def write_openings(openings: Iterable[Sequence[Move]], size: int = DEFAULT_SIZE) -> str:
    """The text of an opening file; every opening must have a move, and none a pass."""
    lines = []
    for number, opening in enumerate(openings, 1):
        if not opening or any(move.is_pass for move in opening):
            words = "has no move" if not opening else "has a pass"
            raise BadRecord(f"opening {number} {words}: no opening file can hold it", "<openings>")
        lines.append(", ".join(f"{move.x - size // 2},{move.y - size // 2}" for move in opening))
    return "".join(line + "\n" for line in lines)


def loads(data: bytes | str, source: str = "<text>", size: int = DEFAULT_SIZE) -> list[Record]:
    """Each opening as a record. The file does not tell the board size."""
    records = [Record.from_moves(moves, size) for moves in read_openings(data, size, source)]
    if not records:
        raise BadRecord("no opening: a line is like '0,0, 1,-1, 2,0'", source, 1, 1)
    for record in records:
        record.format, record.source = "openings", source
    return records


def losses(record: Record) -> list[str]:
    """What an opening file would not hold, in words. The size, never told, is not counted."""
    return find_losses(record, ())


def dumps(records: Iterable[Record], lossy: bool = False) -> str:
    """The main lines as openings. `BadRecord` if that would lose something, unless `lossy`."""
    lines = []
    for record in records:
        check(losses(record), record, "openings", lossy)
        lines.append(write_openings([[move for move, _ in played(record)]], record.size))
    return "".join(lines)
