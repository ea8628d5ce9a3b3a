# SPDX-License-Identifier: MIT
"""Plain move lists as people type them, read and written as docs/formats/plain.md says.

One game a file: header lines such as `size: 15`, then moves by name (`h8`) or as Gomocup pairs
(`7,7`), with or without numbers between them. Relies on the record model, `text` and `losses`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tengen.game.errors import BadNotation, BadRecord
from tengen.game.move import PASS, Move
from tengen.game.records.losses import check, find_losses, played
from tengen.game.records.record import DEFAULT_SIZE, Node, Record
from tengen.game.records.text import Budget, decode, fault, one_line, size_fault
from tengen.game.rule import Colour, Rule

__all__ = ["dumps", "loads", "losses", "sniff"]

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
    """The one game of a file. `size` is for a file that does not tell it."""
    text = decode(data, source)
    record = Record(size=size, format="plain", source=source)
    position = start = _end(_BLANK, text, 0)
    while header := _HEADER.match(text, position):
        _read_header(record, header, text)
        position = _end(_BLANK, text, header.end())
    _read_moves(record, text, _end(_SKIP, text, position))
    if start == len(text):
        raise fault("no move and no header line like 'size: 15'", source, text, 0)
    return [record]


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    """Where a match of a pattern that may be empty ends."""
    found = pattern.match(text, position)
    return position if found is None else found.end()


def _read_header(record: Record, header: re.Match[str], text: str) -> None:
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
            raise fault(f"{error}", record.source, text, header.start(2)) from None
        return
    record.size = int(value) if value.isdecimal() and len(value) < 4 else 0
    if words := size_fault(record.size, f"{value!r:.20}"):
        raise fault(words, record.source, text, header.start(2))


def _read_moves(record: Record, text: str, position: int) -> None:
    """Append all moves from `position` to the end of the text."""
    budget = Budget(text, record.source)
    last, colour = record.root, Colour.BLACK
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            raise fault(_no_move(text, position), record.source, text, position)
        if token["number"] is None:
            budget.spend(1, position)
            node = Node(_read_move(record, token, text), colour)
            last.children.append(node)
            last, colour = node, colour.other
        position = _end(_SKIP, text, token.end())


def _no_move(text: str, position: int) -> str:
    if _HEADER.match(text, position):
        return "a header line after the first move"
    word = text[position : position + 20].split(maxsplit=1)[0]
    return f"no move {word!r}: use names like h8, pairs like 7,7, or pass"


def _read_move(record: Record, token: re.Match[str], text: str) -> Move:
    if token["nothing"]:
        return PASS
    if token["name"]:
        x, y = ord(token["name"][0].lower()) - ord("a"), int(token["name"][1:]) - 1
    else:
        x, y = int(token["x"]), int(token["y"])
    if x >= record.size or y >= record.size:
        last = Move(record.size - 1, record.size - 1)
        words = f"{token[0]} is off the {record.size}x{record.size} board, "
        words += f"which ends at {last} or {last.gomocup}"
        raise fault(words, record.source, text, token.start())
    return Move(x, y)


def losses(record: Record) -> list[str]:
    """What a plain file of this record would not hold, in words."""
    found = find_losses(record, _HOLDS)
    for name, text in _texts(record).items():
        if text != one_line(text):
            found.append(f"line breaks or spaces around the {name}")
    return found


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
