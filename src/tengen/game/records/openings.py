# SPDX-License-Identifier: MIT
"""Gomocup opening files: one opening per line, as offsets from the centre; see
docs/formats/openings.md.

`read_openings` and `write_openings` use tuples of moves, for tournaments; `loads` and `dumps` use
records.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tengen.game.errors import BadRecord
from tengen.game.move import Move
from tengen.game.records.losses import check, find_losses, played
from tengen.game.records.record import DEFAULT_SIZE, Record
from tengen.game.records.text import RecordText

_LINE = re.compile(r"([^\r\n]*+)(?:\r\n|\n|\r|\Z)")
_NUMBER = re.compile(r"[ \t]*+([-+]?\d{1,3})(?!\d)[ \t]*+(,?)", re.ASCII)
_BLANK = re.compile(r"(?:\s++|#[^\r\n]*+)*+")
_SNIFF = re.compile(r"\s*+[-+\d]++\s*+,[-+\d,\s]*+(?:#|\Z)", re.ASCII)
_NEGATIVE = re.compile(r"-\d", re.ASCII)


def sniff(text: str) -> bool:
    """Whether a text looks like openings: numbers and commas only, some of them negative."""
    begin = _BLANK.match(text)
    start = begin.end() if begin else 0
    head = text[start : start + 4096]
    return _SNIFF.match(head) is not None and _NEGATIVE.search(head) is not None


def read_openings(
    data: bytes | str, size: int = DEFAULT_SIZE, source: str = "<text>"
) -> list[tuple[Move, ...]]:
    """The openings of a file, on a board of `size`. Blank lines and `# comments` are skipped."""
    file = RecordText(data, source)
    file.check_size(size, 0)
    found, position = [], 0
    while position < len(file.text):
        line = _LINE.match(file.text, position)
        assert line is not None
        end = position + len(line[1].partition("#")[0].rstrip(" \t,"))
        if end > position:
            found.append(_read_opening(file, _read_numbers(file, position, end), size))
        position = line.end()
    return found


def _read_numbers(file: RecordText, position: int, end: int) -> list[tuple[int, int]]:
    """The numbers of one line, each with its offset in the text."""
    found = []
    while position < end:
        number = _NUMBER.match(file.text, position, end)
        if number is None:
            begin = end - len(file.text[position:end].lstrip(" \t"))
            word = file.text[begin:end].partition(",")[0]
            raise file.fault(f"expected a number like -3, not {word!r:.20}", begin)
        file.count_items(1, position)
        found.append((int(number[1]), number.start(1)))
        position = number.end()
        if position < end and not number[2]:
            raise file.fault("expected a comma between two numbers", position)
    if len(found) % 2:
        raise file.fault("a single number: offsets come in pairs, 'dx,dy'", found[-1][1])
    return found


def _read_opening(file: RecordText, numbers: list[tuple[int, int]], size: int) -> tuple[Move, ...]:
    moves: dict[Move, None] = {}
    for (dx, offset), (dy, _) in zip(numbers[::2], numbers[1::2], strict=True):
        x, y = size // 2 + dx, size // 2 + dy
        if not (0 <= x < size and 0 <= y < size):
            raise file.fault(f"{dx},{dy} is off the {size}x{size} board", offset)
        if Move(x, y) in moves:
            raise file.fault(f"{dx},{dy} ({Move(x, y)}) is played twice", offset)
        moves[Move(x, y)] = None
    return tuple(moves)


def write_openings(openings: Iterable[Sequence[Move]], size: int = DEFAULT_SIZE) -> str:
    """The text of an opening file; every opening must have a move, and none a pass."""
    lines = []
    for number, opening in enumerate(openings, 1):
        if not opening or any(move.is_pass for move in opening):
            fault = "has a pass" if opening else "has no move"
            raise BadRecord(f"opening {number} {fault}: no opening file can hold it", "<openings>")
        lines.append(", ".join(f"{move.x - size // 2},{move.y - size // 2}" for move in opening))
    return "".join(line + "\n" for line in lines)


def loads(data: bytes | str, source: str = "<text>", size: int = DEFAULT_SIZE) -> list[Record]:
    """Each opening as a record. The file does not state the board size."""
    records = [Record.from_moves(moves, size) for moves in read_openings(data, size, source)]
    if not records:
        raise BadRecord("no opening: a line is like '0,0, 1,-1, 2,0'", source, 1, 1)
    for record in records:
        record.format, record.source = "openings", source
    return records


def losses(record: Record) -> list[str]:
    """What an opening file cannot hold. The size, which it never has, does not count."""
    return find_losses(record, ())


def dumps(records: Iterable[Record], lossy: bool = False) -> str:
    """The main lines as openings. `BadRecord` if that would lose something, unless `lossy`."""
    lines = []
    for record in records:
        check(losses(record), record, "openings", lossy)
        lines.append(write_openings([[move for move, _ in played(record)]], record.size))
    return "".join(lines)
