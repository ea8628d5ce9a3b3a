# SPDX-License-Identifier: MIT
"""SGF, the Smart Game Format (FF[4], GM[4]), read and written as docs/formats/sgf.md says.

The reader makes one pass over the text with an explicit stack. What it does not understand it keeps, escapes
and all, in `Node.properties`; the writer puts it back. Relies on the record model and `text`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from tengen.game.errors import BadNotation, BadRecord
from tengen.game.move import PASS, Move
from tengen.game.records.record import DEFAULT_SIZE, Node, Record, normal_result
from tengen.game.records.text import Budget, decode, escape, fault, unescape
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Colour, Rule

__all__ = ["dumps", "loads", "sniff"]

# The repeats are possessive (`++`, `*+`): a value or a name is never given back, so that matching is linear.
_START = re.compile(r"\(\s*+;")
_MARK = re.compile(r"\s*+([;()])")
_NAME = re.compile(r"\s*+([A-Za-z][A-Za-z0-9]*+)\s*+(?=\[)")
_VALUE = re.compile(r"\[([^\]\\]*+(?:\\.[^\]\\]*+)*+)\]\s*+", re.DOTALL)
_BARE_MOVE = re.compile(r"\s*+;([BW])\[([A-Za-z0-9]{0,3})\](?=[;()])")
_CHARSET = re.compile(rb"(?<![A-Za-z])CA\s{0,9}\[([^\]\\]{1,40})\]")
_SIZE = re.compile(r"\s*(\d{1,3})\s*(?::\s*(\d{1,3})\s*)?", re.ASCII)
_SECONDS = re.compile(r"(\d{1,9})(?:\.(\d{1,3}))?", re.ASCII)
_KEY = re.compile(r"[A-Z][A-Z0-9]*")
_RAW = re.compile(r"[^\]\\]*+(?:\\.[^\]\\]*+)*+", re.DOTALL)
_NOT_ALNUM = re.compile(r"[^a-z0-9]")

_COLOURS = {"B": Colour.BLACK, "W": Colour.WHITE}
_PLAYERS = {"b": Colour.BLACK, "black": Colour.BLACK, "w": Colour.WHITE, "white": Colour.WHITE}
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
_SETUP = {"AB": "black", "AW": "white", "AE": "empty"}
_HEADER = {"PB": "black", "PW": "white", "DT": "date", "EV": "event"}
# Properties that fields of the node stand for.
_FIELDS = frozenset({"B", "W", "C", *_SETUP})
# Written by us for every game, so not kept from the file.
_OURS = frozenset({"FF", "GM", "CA", "SZ", *_HEADER})
_GAMES = {"1": "go", "2": "othello", "3": "chess"}
MOVES_PER_LINE = 12


class _Value(NamedTuple):
    raw: str
    offset: int


_Properties = dict[str, list[_Value]]


def sniff(text: str) -> bool:
    """Whether a text looks like SGF."""
    return _START.search(text) is not None


def loads(data: bytes | str, source: str = "<text>", size: int = DEFAULT_SIZE) -> list[Record]:
    """All games of a collection. `size` is for games that do not tell theirs."""
    charset = ""
    if isinstance(data, bytes) and (named := _CHARSET.search(data, 0, 1 << 16)):
        charset = named[1].decode("latin-1")
    reader = _Reader(decode(data, source, charset), source, size)
    return list(reader.games())


class _Reader:
    """One file. `position` is where the next token begins, `size` and `points` belong to the current game."""

    def __init__(self, text: str, source: str, size: int) -> None:
        self.text = text
        self.source = source
        self.default_size = size
        self.position = 0
        self.points = _points(size)
        self.size = size
        self.budget = Budget(text, source)

    def games(self) -> Iterator[Record]:
        start = _START.search(self.text)
        if start is None:
            raise self.fault("no game: in SGF a game begins with '(;'", 0)
        while start is not None:
            yield self._game(start)
            start = _START.search(self.text, self.position)

    def fault(self, message: str, offset: int) -> BadRecord:
        return fault(message, self.source, self.text, offset)

    def _game(self, start: re.Match[str]) -> Record:
        self.position = start.end()
        record = Record(format="sgf", source=self.source)
        properties = self._properties()
        self._header(record, properties)
        self._fill(record.root, properties)
        self._tree(record.root, start.start())
        return record

    def _tree(self, root: Node, begin: int) -> None:
        """Read the rest of a game after its first node. `begin` is where the game began, for messages."""
        text, bare, node = self.text, _BARE_MOVE.match, root
        parents: list[Node] = []
        closed = False  # just after a variation: another may follow, a move may not
        while True:
            if not closed and (found := bare(text, self.position)):
                move = self.points.get(found[2])
                if move is not None:  # the common node, one plain move, by a short way
                    self.budget.spend(1, self.position)
                    self.position = found.end()
                    child = Node(move, _COLOURS[found[1]])
                    node.children.append(child)
                    node = child
                    continue
            mark = self._mark(begin)
            if mark == ")":
                if not parents:
                    return
                node, closed = parents.pop(), True
                continue
            if mark == "(":
                parents.append(node)
                if self._mark(begin) != ";":
                    raise self.fault("a variation begins with '(;'", self.position - 1)
            elif closed:
                raise self.fault("a node after a variation: expected '(' or ')'", self.position - 1)
            node, closed = self._child(node), False

    def _child(self, parent: Node) -> Node:
        node = Node()
        self._fill(node, self._properties())
        parent.children.append(node)
        return node

    def _mark(self, begin: int) -> str:
        found = _MARK.match(self.text, self.position)
        if found is not None:
            self.position = found.end()
            return found[1]
        rest = self.text[self.position :].lstrip()
        offset = len(self.text) - len(rest)
        if rest:
            words = f"expected a property with its value, ';', '(' or ')', not {rest[0]!r}"
            raise self.fault(words, offset)
        line = self.fault("", begin).line
        raise self.fault(f"the game that begins in line {line} has no end: ')' is missing", offset)

    def _properties(self) -> _Properties:
        """The properties of a node, up to the next mark. One that is given twice has the values of both."""
        found: _Properties = {}
        self.budget.spend(1, self.position)
        while name := _NAME.match(self.text, self.position):
            key = name[1] if name[1].isupper() else _capitals(name[1])
            values = found.setdefault(key, [])
            self.position = name.end()
            while value := _VALUE.match(self.text, self.position):
                self.budget.spend(1, self.position)
                values.append(_Value(value[1], self.position))
                self.position = value.end()
            if self.text.startswith("[", self.position):
                raise self.fault(f"the value of {key:.20} has no end: ']' is missing", self.position)
        return found

    def _header(self, record: Record, properties: _Properties) -> None:
        """Take the header of the game out of the properties of its first node."""
        for value in properties.pop("GM", []):
            game = value.raw.strip()
            if game not in ("", "4"):
                name = f", {_GAMES[game]}" if game in _GAMES else ""
                words = f"GM[{game:.20}] is another game{name}: gomoku and renju have GM[4], or no GM"
                raise self.fault(words, value.offset)
        sizes = properties.pop("SZ", [])
        self.size = self._size(sizes[0]) if sizes else self.default_size
        self.points = _points(self.size)
        record.size = self.size
        for key, name in _HEADER.items():
            if key in properties:
                setattr(record, name, "\n".join(unescape(value.raw) for value in properties.pop(key)))
        for key in ("FF", "CA"):
            properties.pop(key, None)
        if results := properties.get("RE"):
            record.result = normal_result(unescape(results[0].raw))
            if [value.raw for value in results] == [escape(record.result)]:
                del properties["RE"]
        if rules := properties.get("RU"):
            record.rule = _rule(rules[0].raw)
            if [value.raw for value in rules] == [record.rule]:
                del properties["RU"]

    def _size(self, value: _Value) -> int:
        found = _SIZE.fullmatch(value.raw)
        if found is None:
            raise self.fault(f"SZ[{value.raw:.20}] is no board size: use SZ[15]", value.offset)
        width, height = int(found[1]), int(found[2] or found[1])
        if width != height:
            raise self.fault(f"the board is {width}x{height}: only square boards are played", value.offset)
        if not MIN_SIZE <= width <= MAX_SIZE:
            words = f"board size {width}: boards have {MIN_SIZE} to {MAX_SIZE} lines"
            raise self.fault(words, value.offset)
        return width

    def _fill(self, node: Node, properties: _Properties) -> None:
        """Put properties into a node: those the model has a place for, all others verbatim."""
        for key, values in properties.items():
            if key in _COLOURS:
                self._move(node, key, values)
            elif key == "C":
                node.comment = "\n".join(unescape(value.raw) for value in values)
            elif key in _SETUP:
                setattr(node, _SETUP[key], self._stones(key, values))
            else:
                node.properties[key] = [value.raw for value in values]
        if node.properties:
            _take_player_and_time(node)
        if node.black and not set(node.black).isdisjoint(node.white):
            both = next(point for point in node.black if point in node.white)
            raise self.fault(f"{both} is both in AB and in AW of this node", self.position)

    def _move(self, node: Node, key: str, values: list[_Value]) -> None:
        if node.move is not None or len(values) > 1:
            raise self.fault("two moves in one node: begin a new node with ';'", values[-1].offset)
        node.move, node.colour = self._point(key, values[0]), _COLOURS[key]

    def _point(self, key: str, value: _Value) -> Move:
        """A point, by letters or by name, or the pass."""
        move = self.points.get(value.raw) or self.points.get(value.raw.strip())
        if move is None:
            last = chr(ord("a") + self.size - 1)
            words = f"{key}[{value.raw:.20}] is no point of the {self.size}x{self.size} board: "
            words += f"points are 'aa' (top left) to '{last}{last}', or a1 to {last}{self.size}"
            raise self.fault(words, value.offset)
        return move

    def _stones(self, key: str, values: list[_Value]) -> tuple[Move, ...]:
        """The points of a set-up list, rectangles like `aa:cc` written out, each once."""
        found: dict[Move, None] = {}
        for value in values:
            first, colon, second = value.raw.partition(":")
            one = self._point(key, _Value(first, value.offset))
            two = self._point(key, _Value(second, value.offset)) if colon else one
            if one.is_pass or two.is_pass:
                raise self.fault(f"{key}[{value.raw:.20}] is no point: a set-up cannot pass", value.offset)
            columns = range(min(one.x, two.x), max(one.x, two.x) + 1)
            rows = range(min(one.y, two.y), max(one.y, two.y) + 1)
            self.budget.spend(len(columns) * len(rows), value.offset)
            found.update((Move(x, y), None) for y in rows for x in columns)
        return tuple(found)


def _take_player_and_time(node: Node) -> None:
    """Move PL and EMT from the other properties into the fields, where they say what these can hold."""
    if node.move is None and "PL" in node.properties:
        node.colour = _PLAYERS.get(node.properties["PL"][0].strip().lower())
        if node.colour is not None:
            del node.properties["PL"]
    if spent := _SECONDS.fullmatch(node.properties.get("EMT", [""])[0]):
        node.time_ms = int(spent[1]) * 1000 + int((spent[2] or "").ljust(3, "0"))
        del node.properties["EMT"]


def _capitals(name: str) -> str:
    """Older files pad names with small letters that do not count: `SiZe` is SZ. Nothing but small ones is itself."""
    return "".join(letter for letter in name if not letter.islower()) or name.upper()


def _rule(raw: str) -> Rule | None:
    return _RULES.get(_NOT_ALNUM.sub("", unescape(raw).lower()))


@lru_cache(maxsize=None)
def _points(size: int) -> dict[str, Move]:
    """Every spelling of every point of a board, and of the pass, as they stand in a move."""
    found = {"": PASS}
    if size <= 19:
        found["tt"] = PASS
    for x in range(size):
        for y in range(size):
            move = Move(x, y)
            found[_letters(move, size)] = found[move.name] = found[move.name.upper()] = move
    return found


def _letters(move: Move, size: int) -> str:
    """Column letter, then row letter counted from the top; empty for the pass."""
    return "" if move.is_pass else chr(ord("a") + move.x) + chr(ord("a") + size - 1 - move.y)


def dumps(records: Iterable[Record]) -> str:
    """The games as one collection. Raises `BadRecord` for a tree that no SGF can hold."""
    return "\n".join("".join(_write_game(record)) for record in records)


def _write_game(record: Record) -> Iterator[str]:
    if not MIN_SIZE <= record.size <= MAX_SIZE:
        raise BadRecord(f"board size {record.size}: boards have {MIN_SIZE} to {MAX_SIZE} lines", record.source)
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
    """The header of the first node. Rule and result keep the spelling of the file they came from, if it fits."""
    kept = record.root.properties
    rule = kept.get("RU", [])
    if record.rule is not None and not (rule and _rule(rule[0]) == record.rule):
        rule = [str(record.rule)]
    result = kept.get("RE", [])
    if not result or normal_result(unescape(result[0])) != record.result:
        result = [escape(record.result)] if record.result else []
    found = f"SZ[{record.size}]" + _write_values("RU", rule, record) + _write_values("RE", result, record)
    for key, name in _HEADER.items():
        if text := getattr(record, name):
            found += f"{key}[{escape(text)}]"
    return found


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
        for key, name in _SETUP.items():
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
        clash = (key == "EMT" and node.time_ms is not None) or (key == "PL" and found.startswith("PL"))
        if clash or key in _FIELDS or not _KEY.fullmatch(key) or (is_root and key in _OURS):
            raise BadRecord(f"{key!r:.20} is no name for a further property", record.source)
        found += _write_values(key, values, record)
    return found


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
