# SPDX-License-Identifier: MIT
"""PSQ, the records of Piskvork and of Gomocup, read and written as docs/formats/psq.md says.

A file is one game: a header line, one line a move, and a trailer that programs fill differently.
What the record model has no place for is kept as root properties (PSQL, PSQB, PSQT), so that
reading and writing is the identity. What PSQ has no place for (comments, variations, the rule …)
follows after the trailer as SGF, where other programs no longer look. Relies on the record model,
`sgf`, `text` and `losses`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tengen.game.errors import BadRecord
from tengen.game.move import Move
from tengen.game.records import sgf
from tengen.game.records.losses import find_losses, played
from tengen.game.records.record import Node, Record
from tengen.game.records.text import (
    Budget,
    decode,
    escape,
    fault,
    one_line,
    size_fault,
    unescape,
)
from tengen.game.rule import Colour

__all__ = ["dumps", "loads", "losses", "sniff"]

LEVELS, BEGINS, TRAILER = "PSQL", "PSQB", "PSQT"
# The line after which the whole record follows as SGF.
WHOLE = "[SGF]"
_HOLDS = frozenset({"black", "white", "times", LEVELS, BEGINS, TRAILER})
# What Piskvork calls people who play.
_NOBODY = ("homo-1", "homo-2")

_HEADER = re.compile(
    r"Piskvorky\s{1,9}(\d{1,4})\s{0,9}x\s{0,9}(\d{1,4})"
    r"(?:\s{0,9},\s{0,9}(-?\d{1,9})\s{0,9}:\s{0,9}(-?\d{1,9})"
    r"(?:\s{0,9},\s{0,9}(-?\d{1,9}))?)?[\s,]{0,99}",
    re.ASCII | re.IGNORECASE,
)
_BREAK = re.compile(r"\r\n|\n|\r")
_LINE = re.compile(r"([^\r\n]*+)(?:\r\n|\n|\r|\Z)")
_MOVE = re.compile(
    r"[ \t]*+(\d++)[ \t]*+,[ \t]*+(\d++)[ \t]*+(?:,[ \t]*+(-?\d++)?[ \t]*+)?", re.ASCII
)
# Meant as a move: numbers and commas only, or a point with something after it (a time of 1.5).
_MOVE_LIKE = re.compile(
    r"[-+\d \t]*+,[-+\d, \t]*+|[ \t]*+\d++[ \t]*+,[ \t]*+\d++[ \t]*+[,;.].*+", re.ASCII
)
# A line that begins another game.
_AGAIN = re.compile(r"(?<![^\r\n])[ \t]*+Piskvorky[ \t]++\d++[ \t]*+x", re.ASCII | re.IGNORECASE)
_LEVELS = re.compile(r"-?\d{1,9}:-?\d{1,9}", re.ASCII)
_NUMBER = re.compile(r"\s*[-+]?\d+\s*", re.ASCII)
_WHOLE = re.compile(rf"^{re.escape(WHOLE)}[ \t]*\r?$", re.MULTILINE)
_SNIFF = re.compile(r"\s*Piskvorky\b", re.IGNORECASE)


def sniff(text: str) -> bool:
    """Whether a text looks like a Piskvork record."""
    return _SNIFF.match(text) is not None


def loads(data: bytes | str, source: str = "<text>", size: int = 0) -> list[Record]:
    """The one game of a file. `size` is ignored: the header tells it."""
    text = decode(data, source)
    start = len(text) - len(text.lstrip())
    header = _LINE.match(text, start)
    assert header is not None  # it matches an empty rest too
    record = _read_header(header[1], source, text, start)
    position = _read_moves(record, text, header.end())
    whole = _WHOLE.search(text, position)
    if again := _AGAIN.search(text, position, whole.start() if whole else len(text)):
        words = "another game begins here: a psq file holds one"
        raise fault(words, source, text, again.start())
    if whole:
        return [_read_whole(record, text, whole.end())]
    _read_trailer(record, text, position)
    return [record]


def _read_header(line: str, source: str, text: str, offset: int) -> Record:
    found = _HEADER.fullmatch(line)
    if found is None:
        words = f"expected a line like 'Piskvorky 15x15, 11:11, 0', not {line!r:.40}"
        raise fault(words, source, text, offset)
    width, height, begins = int(found[1]), int(found[2]), found[5] or "0"
    if width != height:
        words = f"the board is {width}x{height}: only square boards are played"
        raise fault(words, source, text, offset)
    if words := size_fault(width):
        raise fault(words, source, text, offset)
    if int(begins) not in (0, 1):
        words = f"the last number of the header is {begins}: the player who begins is 0 or 1"
        raise fault(words, source, text, offset + found.start(5))
    record = Record(size=width, format="psq", source=source)
    if found[3] and (int(found[3]) or int(found[4])):
        record.root.properties[LEVELS] = [f"{int(found[3])}:{int(found[4])}"]
    if int(begins):
        record.root.properties[BEGINS] = ["1"]
    return record


def _read_moves(record: Record, text: str, position: int) -> int:
    """Append the moves that begin at `position`; returns where the trailer begins."""
    budget = Budget(text, record.source)
    last, colour = record.root, Colour.BLACK
    while position < len(text):
        line = _LINE.match(text, position)
        assert line is not None
        found = _MOVE.fullmatch(line[1])
        if found is not None:
            budget.spend(1, position)
            node = _read_move(record, found, text, position)
            node.colour, colour = colour, colour.other
            last.children.append(node)
            last = node
        elif _MOVE_LIKE.fullmatch(line[1]):
            words = f"expected a move like '8,8,1500', not {line[1]!r:.40}"
            raise fault(words, record.source, text, position)
        elif line[1].strip():
            return position
        position = line.end()
    return position


def _read_move(record: Record, found: re.Match[str], text: str, offset: int) -> Node:
    for part in (1, 2):
        if len(found[part]) > 4 or not 1 <= int(found[part]) <= record.size:
            words = f"{found[part]:.20} is off the {record.size}x{record.size} board: "
            words += f"lines are 1 to {record.size}"
            raise fault(words, record.source, text, offset + found.start(part))
    spent = found[3] or "0"
    if len(spent) > 11 or int(spent) < 0:
        words = f"{spent:.20} is no time in milliseconds"
        raise fault(words, record.source, text, offset + found.start(3))
    return Node(Move(int(found[1]) - 1, int(found[2]) - 1), time_ms=int(spent) or None)


def _read_whole(record: Record, text: str, offset: int) -> Record:
    """The record in the SGF part, which must tell the same moves as the lines before it."""
    # Line breaks in place of what was read already: so faults are told at their place in the file.
    above = len(_BREAK.findall(text, 0, offset))
    games = sgf.loads("\n" * above + text[offset:], record.source, record.size)
    found = games[0]
    if len(games) != 1 or found.size != record.size or found.moves != record.moves:
        words = f"the part after {WHOLE} tells another game than the moves before it"
        raise fault(f"{words}: remove it, or the moves", record.source, text, offset)
    found.format = "psq"
    return found


def _read_trailer(record: Record, text: str, position: int) -> None:
    """Names are the first two lines, if neither is of numbers; what follows is kept as it is."""
    lines = text[position:].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    Budget(text, record.source).spend(len(lines), position)
    while lines and not lines[-1].strip():
        lines.pop()
    if len(lines) >= 2 and all(_is_name(line) for line in lines[:2]):
        names = [line.strip() for line in lines[:2]]
        if BEGINS in record.root.properties:
            names.reverse()
        record.black, record.white = names
        del lines[:2]
    if lines:
        record.root.properties[TRAILER] = [escape(line) for line in lines]


def _is_name(line: str) -> bool:
    others = (_NUMBER.fullmatch(line), _MOVE_LIKE.fullmatch(line), _AGAIN.match(line))
    return bool(line.strip()) and not any(others)


def losses(record: Record) -> list[str]:
    """What a PSQ file of this record would not hold without its SGF part, in words."""
    found = find_losses(record, _HOLDS)
    for what, name in (("black", record.black), ("white", record.white)):
        if name and not _fits(name):
            found.append(f"the exact name of {what}, {name!r:.40}")
    return found


def _fits(name: str) -> bool:
    return name == one_line(name) and _is_name(name)


def dumps(records: Iterable[Record], lossy: bool = False) -> str:
    """The game as text. What PSQ itself cannot hold follows as SGF, or is left out if `lossy`."""
    games = list(records)
    if len(games) != 1:
        raise BadRecord(f"a psq file holds one game, not {len(games)}", "<psq>")
    lines = _write_lines(games[0])
    if losses(games[0]) and not lossy:
        lines += [WHOLE, sgf.dumps(games).rstrip("\n")]
    return "\n".join(lines) + "\n"


def _write_lines(record: Record) -> list[str]:
    kept = record.root.properties
    begins = "1" if kept.get(BEGINS) == ["1"] else "0"
    levels = kept.get(LEVELS, ["0:0"])[0]
    if not _LEVELS.fullmatch(levels):
        raise BadRecord(f"{LEVELS}[{levels:.20}] is no pair of levels like 11:11", record.source)
    lines = [f"Piskvorky {record.size}x{record.size}, {levels}, {begins}"]
    for number, (move, node) in enumerate(played(record), 1):
        if move.is_pass:
            raise BadRecord(f"move {number} is a pass: psq has none", record.source)
        lines.append(f"{move.x + 1},{move.y + 1},{node.time_ms or 0}")
    if record.black or record.white:
        names = [record.black, record.white] if begins == "0" else [record.white, record.black]
        pairs = zip(names, _NOBODY, strict=True)
        lines += [name if _fits(name) else nobody for name, nobody in pairs]
    # Piskvork ends each file with a number, -1 while nothing is known of the end.
    default = [] if record.format == "psq" else ["-1"]
    return lines + [unescape(line) for line in kept.get(TRAILER, default)]
