# SPDX-License-Identifier: MIT
"""What a record holds that a simpler format cannot, and the main line for such a format.

For the writers without a tree (psq, plain, openings), which drop nothing silently.
"""

from __future__ import annotations

from collections.abc import Collection

from tengen.game.errors import BadNotation, BadRecord
from tengen.game.move import Move
from tengen.game.records.record import Node, Record
from tengen.game.records.text import size_fault
from tengen.game.rule import Colour

SHOWN_NAMES = 6


def find_losses(record: Record, holds: Collection[str]) -> list[str]:
    """What a format drops that `holds` these: header fields, `times`, and property names."""
    found = []
    for name in ("rule", "black", "white", "result", "date", "event"):
        value = getattr(record, name)
        if value and name not in holds:
            what = {"black": "black's name", "white": "white's name"}.get(name, f"the {name}")
            found.append(f"{what} {str(value)!r:.60}")
    counts = {"comment": 0, "variation": 0, "node with a set-up": 0, "time of a move": 0}
    names: dict[str, None] = {}
    # Properties that only spell the rule and the result, which are reported themselves.
    spellings = {"RU"} if record.rule is not None else set()
    spellings |= {"RE"} if record.result else set()
    for node in record.nodes():
        counts["comment"] += bool(node.comment)
        counts["variation"] += max(0, len(node.children) - 1)
        counts["node with a set-up"] += node.is_setup or (
            node.move is None and node.colour is not None
        )
        counts["time of a move"] += bool(node.time_ms) and "times" not in holds
        if node.properties:
            names.update((name, None) for name in node.properties if name not in holds)
    for name in spellings:
        names.pop(name, None)
    found += [f"{count} {_plural(what, count)}" for what, count in counts.items() if count]
    if names:
        more = ", …" if len(names) > SHOWN_NAMES else ""
        found.append(f"the properties {', '.join(list(names)[:SHOWN_NAMES])}{more}")
    return found


def _plural(what: str, count: int) -> str:
    first, space, rest = what.partition(" ")
    return what if count == 1 else f"{first}s{space}{rest}"


def check(found: list[str], record: Record, format: str, lossy: bool) -> None:
    """Raise BadRecord for a record that would lose something, unless `lossy`."""
    if found and not lossy:
        raise BadRecord(f"{format} cannot hold {', '.join(found)}", record.source)


def played(record: Record) -> list[tuple[Move, Node]]:
    """The moves of the main line with their nodes. Raises `BadRecord` unless black begins and
    colours alternate: without colours, one such move would change the side of all that follow.
    """
    if fault := size_fault(record.size):
        raise BadRecord(fault, record.source)
    found: list[tuple[Move, Node]] = []
    colour = Colour.BLACK
    for node in record.main_line():
        if node.is_setup or (node.move is None and node.colour is not None):
            raise BadRecord("the game has a set-up: only SGF can hold it", record.source)
        if node.move is None:
            continue
        number = len(found) + 1
        if node.colour not in (None, colour):
            fault = f"move {number}, {node.move}, is {node.colour}'s and not {colour}'s"
            raise BadRecord(f"{fault}: only SGF can hold it", record.source)
        try:
            found.append((Move.parse(node.move, record.size), node))
        except BadNotation as error:
            raise BadRecord(f"move {number}: {error}", record.source) from None
        colour = colour.other
    return found
