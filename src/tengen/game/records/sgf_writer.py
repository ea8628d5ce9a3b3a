# SPDX-License-Identifier: MIT
"""The writer of SGF; see docs/formats/sgf.md.

A loop with an explicit stack, as trees may be deep. Relies on the record model, `sgf_words` and
`text`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tengen.game.errors import BadNotation, BadRecord
from tengen.game.move import Move
from tengen.game.records.record import Node, Record
from tengen.game.records.sgf_words import HEADER, SETUP, letters, rule_of
from tengen.game.records.text import escape, size_fault

__all__ = ["dumps"]

MOVES_PER_LINE = 12

_KEY = re.compile(r"[A-Z][A-Z0-9]*")
_RAW = re.compile(r"[^\]\\]*+(?:\\.[^\]\\]*+)*+", re.DOTALL)
# Properties that fields of the node stand for, and those that no node but the first may have.
_FIELDS = frozenset({"B", "W", "C", "GM", "SZ", *SETUP})
# Properties of the first node that are written from the header of the record.
_OURS = frozenset({"FF", "GM", "CA", "SZ", *HEADER})


def dumps(records: Iterable[Record]) -> str:
    """The games as one collection. Raises `BadRecord` for a tree that no SGF can hold."""
    return "\n".join("".join(_write_game(record)) for record in records)


def _write_game(record: Record) -> Iterator[str]:
    if words := size_fault(record.size):
        raise BadRecord(words, record.source)
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
    found = f"SZ[{record.size}]" + _write_values("RU", rule, record)
    return found + "".join(f"{key}[{escape(text)}]" for key, text in texts.items() if text)


def _write_node(node: Node, record: Record, is_root: bool) -> str:
    """The properties of a node."""
    found = ""
    if node.move is not None:
        if node.colour is None:
            raise BadRecord(f"the move {node.move} has no colour", record.source)
        found += "BW"[node.colour - 1] + f"[{_write_point(node.move, record)}]"
    elif node.colour is not None:
        found += f"PL[{'BW'[node.colour - 1]}]"
    if node.is_setup:
        for key, name in SETUP.items():
            points = [_write_point(point, record) for point in getattr(node, name)]
            found += _write_values(key, points, record)
    if node.comment:
        found += f"C[{escape(node.comment)}]"
    if node.time_ms is not None:
        if not 0 <= node.time_ms < 10**12:
            raise BadRecord(f"no time for a move: {node.time_ms} ms", record.source)
        found += f"EMT[{node.time_ms // 1000}.{node.time_ms % 1000:03d}]"
    for key, values in node.properties.items():
        if is_root and key in ("RU", "RE"):  # the header has them
            continue
        clash = (key == "EMT" and node.time_ms is not None) or (
            key == "PL" and found.startswith("PL")
        )
        if clash or key in _FIELDS or not _KEY.fullmatch(key) or (is_root and key in _OURS):
            raise BadRecord(f"{key!r:.20} is no name for a further property", record.source)
        found += _write_values(key, values, record)
    return found


def _write_point(move: Move, record: Record) -> str:
    try:
        return letters(Move.parse(move, record.size), record.size)
    except BadNotation as error:
        raise BadRecord(str(error), record.source) from None


def _write_values(key: str, values: list[str], record: Record) -> str:
    for value in values:
        if not _RAW.fullmatch(value):
            raise BadRecord(f"the value {value!r:.40} of {key} is not escaped", record.source)
    return key + "".join(f"[{value}]" for value in values) if values else ""
