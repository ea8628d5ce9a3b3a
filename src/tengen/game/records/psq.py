# SPDX-License-Identifier: MIT
"""PSQ, the records of Piskvork and of Gomocup, see docs/formats/psq.md.

A file is one game: a header line, one line per move, and a trailer that depends on the program.
Root properties (PSQL, PSQB, PSQT) keep what the record model has no field for, so that writing
restores the file. What PSQ cannot hold (comments, variations, the rule …) follows after the
trailer as SGF, which other programs ignore.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tengen.game.errors import BadRecord
from tengen.game.move import Move
from tengen.game.records import sgf
from tengen.game.records.losses import find_losses, played
from tengen.game.records.record import Node, Record
from tengen.game.records.text import RecordText, escape, one_line, unescape
from tengen.game.rule import Colour

LEVELS, BEGINS, TRAILER = "PSQL", "PSQB", "PSQT"
# The line after which the whole record follows as SGF.
WHOLE = "[SGF]"
_HOLDS = frozenset({"black", "white", "times", LEVELS, BEGINS, TRAILER})
# Piskvork's names for human players.
_HUMANS = ("homo-1", "homo-2")

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
    """The one game of a file. `size` is ignored: the header has it."""
    file = RecordText(data, source)
    start = len(file.text) - len(file.text.lstrip())
    header = _LINE.match(file.text, start)
    assert header is not None  # it matches an empty rest too
    record = _read_header(file, header[1], start)
    position = _read_moves(record, file, header.end())
    whole = _WHOLE.search(file.text, position)
    if again := _AGAIN.search(file.text, position, whole.start() if whole else len(file.text)):
        raise file.fault("another game begins here: a psq file holds one", again.start())
    if whole:
        return [_read_whole(record, file, whole.end())]
    _read_trailer(record, file, position)
    return [record]


def _read_header(file: RecordText, line: str, offset: int) -> Record:
    match = _HEADER.fullmatch(line)
    if match is None:
        example = "'Piskvorky 15x15, 11:11, 0'"
        raise file.fault(f"expected a line like {example}, not {line!r:.40}", offset)
    width, height, begins = int(match[1]), int(match[2]), match[5] or "0"
    if width != height:
        raise file.fault(f"the board is {width}x{height}, not square", offset)
    file.check_size(width, offset)
    if int(begins) not in (0, 1):
        begin = f"the last number of the header is {begins}"
        raise file.fault(f"{begin}: the player who begins is 0 or 1", offset + match.start(5))
    record = Record(size=width, format="psq", source=file.source)
    if match[3] and (int(match[3]) or int(match[4])):
        record.root.properties[LEVELS] = [f"{int(match[3])}:{int(match[4])}"]
    if int(begins):
        record.root.properties[BEGINS] = ["1"]
    return record


def _read_moves(record: Record, file: RecordText, position: int) -> int:
    """Append the moves that begin at `position`; returns where the trailer begins."""
    last, colour = record.root, Colour.BLACK
    while position < len(file.text):
        line = _LINE.match(file.text, position)
        assert line is not None
        match = _MOVE.fullmatch(line[1])
        if match is not None:
            file.count_items(1, position)
            node = _read_move(record, file, match, position)
            node.colour, colour = colour, colour.other
            last.children.append(node)
            last = node
        elif _MOVE_LIKE.fullmatch(line[1]):
            raise file.fault(f"expected a move like '8,8,1500', not {line[1]!r:.40}", position)
        elif line[1].strip():
            return position
        position = line.end()
    return position


def _read_move(record: Record, file: RecordText, match: re.Match[str], offset: int) -> Node:
    for part in (1, 2):
        if len(match[part]) > 4 or not 1 <= int(match[part]) <= record.size:
            board = f"the {record.size}x{record.size} board: lines are 1 to {record.size}"
            raise file.fault(f"{match[part]:.20} is off {board}", offset + match.start(part))
    spent = match[3] or "0"
    if len(spent) > 11 or int(spent) < 0:
        raise file.fault(f"{spent:.20} is no time in milliseconds", offset + match.start(3))
    return Node(Move(int(match[1]) - 1, int(match[2]) - 1), time_ms=int(spent) or None)


def _read_whole(record: Record, file: RecordText, offset: int) -> Record:
    """The record in the SGF part, whose moves must be those of the lines before it."""
    # Line breaks replace what was read already, so that faults have their line in the file.
    above = len(_BREAK.findall(file.text, 0, offset))
    games = sgf.loads("\n" * above + file.text[offset:], record.source, record.size)
    game = games[0]
    if len(games) != 1 or game.size != record.size or game.moves != record.moves:
        differs = f"the part after {WHOLE} has another game than the moves before it"
        raise file.fault(f"{differs}: remove it, or the moves", offset)
    game.format = "psq"
    return game


def _read_trailer(record: Record, file: RecordText, position: int) -> None:
    """Names are the first two lines, unless one has numbers; what follows is kept verbatim."""
    lines = _BREAK.sub("\n", file.text[position:]).split("\n")
    file.count_items(len(lines), position)
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
    """What a PSQ file of this record cannot hold without its SGF part."""
    lost = find_losses(record, _HOLDS)
    for what, name in (("black", record.black), ("white", record.white)):
        if name and not _fits(name):
            lost.append(f"the exact name of {what}, {name!r:.40}")
    return lost


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
        pairs = zip(names, _HUMANS, strict=True)
        lines += [name if _fits(name) else human for name, human in pairs]
    # Piskvork ends each file with a number, -1 while the result is unknown.
    default = [] if record.format == "psq" else ["-1"]
    return lines + [unescape(line) for line in kept.get(TRAILER, default)]
