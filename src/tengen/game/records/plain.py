# SPDX-License-Identifier: MIT
"""Plain move lists, see docs/formats/plain.md.

One game per file: header lines such as `size: 15`, then moves by name (`h8`) or as Gomocup pairs
(`7,7`), with or without numbers between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tengen.game.errors import BadNotation, BadRecord
from tengen.game.move import PASS, Move
from tengen.game.records.losses import check, find_losses, played
from tengen.game.records.record import DEFAULT_SIZE, Node, Record
from tengen.game.records.text import RecordText, one_line
from tengen.game.rule import Colour, Rule

MOVES_PER_LINE = 10
_TEXTS = ("black", "white", "result", "date", "event")
_HOLDS = frozenset({"rule", "RE", *_TEXTS})

_HEADER = re.compile(
    r"[ \t]*+(size|rule|black|white|result|date|event)[ \t]*+:[ \t]*+([^\r\n]*+)", re.IGNORECASE
)
_SKIP = re.compile(r"(?:[\s,;]++|#[^\r\n]*+)*+")
_BLANK = re.compile(r"(?:\s++|#[^\r\n]*+)*+")
_TOKEN = re.compile(
    r"(?P<number>\d{1,6}[ \t]?(?:\.{1,3}|\)))"
    r"|(?P<name>[A-Za-z][1-9]\d?+)(?!\d)"
    r"|(?P<pair>(?P<x>\d{1,2}+)[ \t]*+,[ \t]*+(?P<y>\d{1,2}+))(?!\d)"
    r"|(?P<nothing>--|pass)",
    re.ASCII | re.IGNORECASE,
)


def sniff(text: str) -> bool:
    """Whether a text looks like a move list: it begins with a header line or a move."""
    start = _end(_BLANK, text, 0)
    return bool(_HEADER.match(text, start) or _TOKEN.match(text, start))


def loads(data: bytes | str, source: str = "<text>", size: int = DEFAULT_SIZE) -> list[Record]:
    """The one game of a file. `size` is for a file that does not state it."""
    file = RecordText(data, source)
    record = Record(size=size, format="plain", source=source)
    position = start = _end(_BLANK, file.text, 0)
    while header := _HEADER.match(file.text, position):
        _read_header(record, file, header)
        position = _end(_BLANK, file.text, header.end())
    _read_moves(record, file, _end(_SKIP, file.text, position))
    if start == len(file.text):
        raise file.fault("no move and no header line like 'size: 15'", 0)
    return [record]


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    """Where a match of a pattern that may be empty ends."""
    match = pattern.match(text, position)
    return position if match is None else match.end()


def _read_header(record: Record, file: RecordText, header: re.Match[str]) -> None:
    name, value = header[1].lower(), header[2].strip()
    if name == "result":
        record.set_result(value)
        return
    if name in _TEXTS:
        setattr(record, name, value)
        return
    value = value.partition("#")[0].strip()
    if name == "rule":
        try:
            record.rule = Rule.parse(value)
        except BadNotation as error:
            raise file.fault(f"{error}", header.start(2)) from None
        return
    record.size = int(value) if value.isdecimal() and len(value) < 4 else 0
    file.check_size(record.size, header.start(2), f"{value!r:.20}")


def _read_moves(record: Record, file: RecordText, position: int) -> None:
    """Append all moves from `position` to the end of the text."""
    last, colour = record.root, Colour.BLACK
    moves: dict[str, Move] = {}  # by spelling: to parse a move takes most of the time
    while position < len(file.text):
        token = _TOKEN.match(file.text, position)
        if token is None:
            raise file.fault(_no_move(file.text, position), position)
        if token["number"] is None:
            file.count_items(1, position)
            if token[0] not in moves:
                moves[token[0]] = _read_move(record, file, token)
            node = Node(moves[token[0]], colour)
            last.children.append(node)
            last, colour = node, colour.other
        position = _end(_SKIP, file.text, token.end())


def _no_move(text: str, position: int) -> str:
    if _HEADER.match(text, position):
        return "a header line after the first move"
    word = text[position : position + 20].split(maxsplit=1)[0]
    return f"no move {word!r}: use names like h8, pairs like 7,7, or pass"


def _read_move(record: Record, file: RecordText, token: re.Match[str]) -> Move:
    if token["nothing"]:
        return PASS
    try:
        return Move.parse(token["name"] or f"{token['x']},{token['y']}", record.size)
    except BadNotation as error:
        raise file.fault(str(error), token.start()) from None


def losses(record: Record) -> list[str]:
    """What a plain file of this record cannot hold."""
    lost = find_losses(record, _HOLDS)
    for name, text in _texts(record).items():
        if text != one_line(text):
            lost.append(f"line breaks or spaces around the {name}")
    return lost


def _texts(record: Record) -> dict[str, str]:
    return {name: getattr(record, name) for name in _TEXTS} | {"result": record.result_text()}


def dumps(records: Iterable[Record], lossy: bool = False) -> str:
    """The game as text. Raises `BadRecord` if that would lose something, unless `lossy`."""
    games = list(records)
    if len(games) != 1:
        raise BadRecord(f"a plain file holds one game, not {len(games)}", "<plain>")
    record = games[0]
    check(losses(record), record, "plain", lossy)
    lines = [f"size: {record.size}"]
    if record.rule is not None:
        lines.append(f"rule: {record.rule}")
    texts = {name: one_line(text) for name, text in _texts(record).items()}
    lines += [f"{name}: {text}" for name, text in texts.items() if text]
    names = [str(move) for move, _ in played(record)]
    starts = range(0, len(names), MOVES_PER_LINE)
    lines += ["", *(" ".join(names[start : start + MOVES_PER_LINE]) for start in starts)]
    return "\n".join(lines) + "\n"
