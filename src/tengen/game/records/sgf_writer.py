# SPDX-License-Identifier: MIT
"""The writer of SGF, and the properties, rule names and points that it shares with the reader.

See docs/formats/sgf.md. A loop with an explicit stack, as trees may be deep.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from tengen.game.errors import BadNotation, BadRecord
from tengen.game.move import PASS, Move
from tengen.game.records.record import Node, Record
from tengen.game.records.text import escape, size_fault, unescape
from tengen.game.rule import Rule

MOVES_PER_LINE = 12

# Property to field, of the node and of the record.
SETUP = {"AB": "black", "AW": "white", "AE": "empty"}
HEADER = {"PB": "black", "PW": "white", "DT": "date", "EV": "event"}

_NOT_ALNUM = re.compile(r"[^a-z0-9]")
# The rule, separated by a mark: "Renju, Soosorv-8" is renju, but "Gomoku Swap2" is not clear.
_FIRST_WORD = re.compile(r"([a-z0-9]+)\s*[,;:(/]")
# By small letters and digits alone. Plain "gomoku" is exactly five, as federations use the word.
_RULES = {str(rule): rule for rule in Rule} | {
    "freestylegomoku": Rule.FREESTYLE,
    "gomokufreestyle": Rule.FREESTYLE,
    "free": Rule.FREESTYLE,
    "gomoku": Rule.STANDARD,
    "standardgomoku": Rule.STANDARD,
    "gomokustandard": Rule.STANDARD,
    "exactfive": Rule.STANDARD,
    "rif": Rule.RENJU,
    "carogomoku": Rule.CARO,
    "gomokucaro": Rule.CARO,
}
_MAX_TT_PASS = 19  # on boards up to this size `tt` is a pass, as in older versions of SGF

_KEY = re.compile(r"[A-Z][A-Z0-9]*")
_RAW = re.compile(r"[^\]\\]*+(?:\\.[^\]\\]*+)*+", re.DOTALL)
# Properties that are fields of the node, and those that only the first node may have.
_FIELDS = frozenset({"B", "W", "C", "GM", "SZ", *SETUP})
# Properties of the first node that are written from the header of the record.
_FROM_HEADER = frozenset({"FF", "GM", "CA", "SZ", *HEADER})


def rule_of(raw: str) -> Rule | None:
    """The rule that the value of an RU property names, if it is a known one.

    A name, a Gomocup number, or a name, a mark and an opening rule (`Renju, Soosorv-8`).
    """
    text = unescape(raw[:200]).strip().lower()
    if re.fullmatch(r"\d{1,2}", text, re.ASCII):
        return next((rule for rule in Rule if rule.gomocup == int(text)), None)
    first = _FIRST_WORD.match(text)
    whole = _RULES.get(_NOT_ALNUM.sub("", text))
    return whole or (_RULES.get(first[1]) if first else None)


def _letters(move: Move, size: int) -> str:
    """Column letter, then row letter counted from the top; empty for the pass."""
    return "" if move.is_pass else chr(ord("a") + move.x) + chr(ord("a") + size - 1 - move.y)


@cache
def point_spellings(size: int) -> dict[str, Move]:
    """Every spelling of every point of a board, and of the pass, in a move."""
    spellings = {"": PASS}
    if size <= _MAX_TT_PASS:
        spellings["tt"] = PASS
    for x in range(size):
        for y in range(size):
            move = Move(x, y)
            names = (_letters(move, size), move.name, move.name.upper())
            spellings |= dict.fromkeys(names, move)
    return spellings


def dumps(records: Iterable[Record], lossy: bool = False) -> str:
    """The games as one collection. `lossy` changes nothing: SGF holds every record.

    Raises `BadRecord` for a tree that no SGF can hold.
    """
    return "\n".join("".join(_write_game(record)) for record in records)


def _write_game(record: Record) -> Iterator[str]:
    if fault := size_fault(record.size):
        raise BadRecord(fault, record.source)
    yield "(;FF[4]GM[4]CA[UTF-8]" + _write_header(record)
    waiting: list[Node | str] = [")\n"]
    node, column = record.root, 0
    while True:
        yield _write_node(node, record, node is record.root)
        column += 1
        if len(node.children) == 1:
            waiting.append(node.children[0])
        else:
            for child in reversed(node.children):
                waiting += [")", child, "\n(;"]
        while isinstance(item := waiting.pop(), str):
            yield item
            column = 0
            if not waiting:
                return
        node = item
        if column:
            yield ";" if column % MOVES_PER_LINE else "\n;"


def _write_header(record: Record) -> str:
    """The header. Rule and result keep the spelling of the file they came from, if it fits."""
    rule = record.root.properties.get("RU", [])
    if record.rule is not None and not (rule and rule_of(rule[0]) == record.rule):
        rule = [str(record.rule)]
    texts = {"RE": record.result_text()}
    texts |= {key: getattr(record, name) for key, name in HEADER.items()}
    start = f"SZ[{record.size}]" + _write_values("RU", rule, record)
    return start + "".join(f"{key}[{escape(text)}]" for key, text in texts.items() if text)


def _write_node(node: Node, record: Record, is_root: bool) -> str:
    """The properties of a node."""
    text = ""
    if node.move is not None:
        if node.colour is None:
            raise BadRecord(f"the move {node.move} has no colour", record.source)
        text += "BW"[node.colour - 1] + f"[{_write_point(node.move, record)}]"
    elif node.colour is not None:
        text += f"PL[{'BW'[node.colour - 1]}]"
    if node.is_setup:
        for key, name in SETUP.items():
            points = [_write_point(point, record) for point in getattr(node, name)]
            text += _write_values(key, points, record)
    if node.comment:
        text += f"C[{escape(node.comment)}]"
    if node.time_ms is not None:
        if not 0 <= node.time_ms < 10**12:
            raise BadRecord(f"no time for a move: {node.time_ms} ms", record.source)
        text += f"EMT[{node.time_ms // 1000}.{node.time_ms % 1000:03d}]"
    for key, values in node.properties.items():
        if is_root and key in ("RU", "RE"):  # the header has them
            continue
        clash = (key == "EMT" and node.time_ms is not None) or (
            key == "PL" and text.startswith("PL")
        )
        if clash or key in _FIELDS or not _KEY.fullmatch(key) or (is_root and key in _FROM_HEADER):
            raise BadRecord(f"{key!r:.20} is no name for a further property", record.source)
        text += _write_values(key, values, record)
    return text


def _write_point(move: Move, record: Record) -> str:
    try:
        return _letters(Move.parse(move, record.size), record.size)
    except BadNotation as error:
        raise BadRecord(str(error), record.source) from None


def _write_values(key: str, values: list[str], record: Record) -> str:
    for value in values:
        if not _RAW.fullmatch(value):
            raise BadRecord(f"the value {value!r:.40} of {key} is not escaped", record.source)
    return key + "".join(f"[{value}]" for value in values) if values else ""
