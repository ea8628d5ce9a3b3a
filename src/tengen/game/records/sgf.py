# SPDX-License-Identifier: MIT
"""SGF, the Smart Game Format (FF[4], GM[4]), as in docs/formats/sgf.md.

One pass over the text with an explicit stack. The reader keeps properties that it does not know
verbatim in `Node.properties`; `sgf_writer`, whose `dumps` is here too, writes them back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tengen.game.move import Move
from tengen.game.records.record import DEFAULT_SIZE, Node, Record
from tengen.game.records.sgf_writer import HEADER, SETUP, dumps, point_spellings, rule_of
from tengen.game.records.text import RecordText, unescape
from tengen.game.rule import Colour

__all__ = ["dumps", "loads", "sniff"]

# Repeats are possessive (`*+`): no backtracking, so matching takes linear time.
_START = re.compile(r"\(\s*+;")
_MARK = re.compile(r"\s*+([;()])")
_NAME = re.compile(r"\s*+([A-Za-z][A-Za-z0-9]*+)\s*+(?=\[)")
_VALUE = re.compile(r"\[([^\]\\]*+(?:\\.[^\]\\]*+)*+)\]\s*+", re.DOTALL)
_BARE_MOVE = re.compile(r"\s*+;([BW])\[([A-Za-z0-9]{0,3})\](?=[;()])")
_CHARSET = re.compile(rb"(?<![A-Za-z])CA\s{0,9}\[([^\]\\]{1,40})\]")
_SIZE = re.compile(r"\s*(\d{1,3})\s*(?::\s*(\d{1,3})\s*)?", re.ASCII)
_SECONDS = re.compile(r"(\d{1,9})(?:\.(\d{1,3}))?", re.ASCII)

_COLOURS = {"B": Colour.BLACK, "W": Colour.WHITE}
_PLAYERS = {"b": Colour.BLACK, "black": Colour.BLACK, "w": Colour.WHITE, "white": Colour.WHITE}
_GAMES = {"1": "go", "2": "othello", "3": "chess"}
# Properties of the first node, which some programs write into the second.
_HEADER = frozenset({"GM", "SZ", "FF", "CA", "RE", "RU", *HEADER})


class _Value(NamedTuple):
    raw: str
    offset: int


_Properties = dict[str, list[_Value]]


def sniff(text: str) -> bool:
    """Whether a text looks like SGF."""
    return _START.search(text) is not None


def loads(data: bytes | str, source: str = "<text>", size: int = DEFAULT_SIZE) -> list[Record]:
    """All games of a collection. `size` is for games that do not state theirs."""
    charset = ""
    if isinstance(data, bytes) and (named := _CHARSET.search(data, 0, 1 << 16)):
        charset = named[1].decode("latin-1")
    return list(_SgfReader(RecordText(data, source, charset), size).games())


class _SgfReader:
    """One file. `position` is where the next token begins; `size` is that of the current game."""

    def __init__(self, file: RecordText, size: int) -> None:
        self.file, self.text = file, file.text
        self.fault, self.count_items = file.fault, file.count_items
        self.default_size = size
        self.position = 0
        self._set_size(size)

    def _set_size(self, size: int) -> None:
        self.size = size
        self.points = point_spellings(size)

    def games(self) -> Iterator[Record]:
        start = _START.search(self.text)
        if start is None:
            raise self.fault("no game: in SGF a game begins with '(;'", 0)
        while start is not None:
            yield self._game(start)
            start = _START.search(self.text, self.position)

    def _game(self, start: re.Match[str]) -> Record:
        self.position = start.end()
        self.record = record = Record(format="sgf", source=self.file.source)
        self.size_known = False
        self.in_moves = False  # whether a move or a set-up was read: the header ends there
        self._set_size(self.default_size)
        self._read_node(record.root)
        self._tree(record.root, start.start())
        record.size = self.size
        return record

    def _tree(self, root: Node, begin: int) -> None:
        """Read what follows the first node. `begin` is the offset of the game, for messages."""
        text, bare, node = self.text, _BARE_MOVE.match, root
        parents: list[Node] = []
        closed = False  # after a variation: another may follow, a move may not
        while True:
            if not closed and (match := bare(text, self.position)):
                move = self.points.get(match[2])
                if move is not None:  # fast path for the common node, one plain move
                    self.count_items(1, self.position)
                    self.position = match.end()
                    self.in_moves = True
                    child = Node(move, _COLOURS[match[1]])
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
        self._read_node(node)
        parent.children.append(node)
        return node

    def _read_node(self, node: Node) -> None:
        properties = self._properties()
        if not _HEADER.isdisjoint(properties):
            self._game_and_size(properties)
            if not self.in_moves:
                self._header(properties)
        self._fill(node, properties)
        self.in_moves = self.in_moves or node.move is not None or node.is_setup

    def _mark(self, begin: int) -> str:
        match = _MARK.match(self.text, self.position)
        if match is not None:
            self.position = match.end()
            return match[1]
        rest = self.text[self.position :].lstrip()
        offset = len(self.text) - len(rest)
        if rest:
            expected = "expected a property with its value, ';', '(' or ')'"
            raise self.fault(f"{expected}, not {rest[0]!r}", offset)
        line = self.fault("", begin).line
        raise self.fault(f"the game that begins in line {line} has no end: ')' is missing", offset)

    def _properties(self) -> _Properties:
        """The properties of a node. One that is given twice has the values of both."""
        properties: _Properties = {}
        self.count_items(1, self.position)
        while name := _NAME.match(self.text, self.position):
            key = name[1] if name[1].isupper() else _capitals(name[1])
            values = properties.setdefault(key, [])
            self.position = name.end()
            while value := _VALUE.match(self.text, self.position):
                self.count_items(1, self.position)
                values.append(_Value(value[1], self.position))
                self.position = value.end()
            if self.text.startswith("[", self.position):
                raise self.fault(
                    f"the value of {key:.20} has no end: ']' is missing", self.position
                )
        return properties

    def _game_and_size(self, properties: _Properties) -> None:
        """Take GM and SZ out of the properties of a node; neither may change in a game."""
        for value in properties.pop("GM", []):
            game = value.raw.strip()
            if game not in ("", "4"):
                name = f", {_GAMES[game]}" if game in _GAMES else ""
                game = f"GM[{_shown(value)}] is another game{name}"
                hint = "gomoku and renju have GM[4], or no GM"
                raise self.fault(f"{game}: {hint}", value.offset)
        if sizes := properties.pop("SZ", []):
            size = self._size(sizes[0])
            if size != self.size and (self.in_moves or self.size_known):
                change = f"SZ[{size}] on a board of {self.size} lines"
                raise self.fault(f"{change}: the size cannot change in a game", sizes[0].offset)
            self.size_known = True
            self._set_size(size)

    def _header(self, properties: _Properties) -> None:
        """Move properties of the whole game into the record, unless it has them already."""
        record = self.record
        kept = record.root.properties
        for key, name in HEADER.items():
            if key in properties and not getattr(record, name):
                setattr(record, name, _text(properties.pop(key)))
        for key in ("FF", "CA"):
            properties.pop(key, None)
        if "RE" in properties and not record.result and "RE" not in kept:
            record.set_result(_text(properties.pop("RE")))
        if "RU" in properties and record.rule is None and "RU" not in kept:
            rules = [value.raw for value in properties.pop("RU")]
            record.rule = rule_of(rules[0])
            if rules != [record.rule]:
                kept["RU"] = rules

    def _size(self, value: _Value) -> int:
        match = _SIZE.fullmatch(value.raw)
        if match is None:
            raise self.fault(f"SZ[{_shown(value)}] is no board size: use SZ[15]", value.offset)
        width, height = int(match[1]), int(match[2] or match[1])
        if width != height:
            raise self.fault(f"the board is {width}x{height}, not square", value.offset)
        self.file.check_size(width, value.offset)
        return width

    def _fill(self, node: Node, properties: _Properties) -> None:
        """Put properties into a node: those that have a field, all others verbatim."""
        for key, values in properties.items():
            if key in _COLOURS:
                self._move(node, key, values)
            elif key == "C":
                node.comment = _text(values)
            elif key in SETUP:
                setattr(node, SETUP[key], self._stones(key, values))
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
            point = f"{key}[{_shown(value)}] is no point of the {self.size}x{self.size} board"
            known = f"'aa' (top left) to '{last}{last}', or a1 to {last}{self.size}"
            raise self.fault(f"{point}: points are {known}", value.offset)
        return move

    def _stones(self, key: str, values: list[_Value]) -> tuple[Move, ...]:
        """The points of a set-up list, rectangles like `aa:cc` written out, each once."""
        points: dict[Move, None] = {}
        for value in values:
            first, colon, second = value.raw.partition(":")
            one = self._point(key, _Value(first, value.offset))
            two = self._point(key, _Value(second, value.offset)) if colon else one
            if one.is_pass or two.is_pass:
                raise self.fault(
                    f"{key}[{_shown(value)}] is no point: a set-up cannot pass", value.offset
                )
            columns = range(min(one.x, two.x), max(one.x, two.x) + 1)
            rows = range(min(one.y, two.y), max(one.y, two.y) + 1)
            self.count_items(len(columns) * len(rows) - 1, value.offset)  # one is counted already
            points.update((Move(x, y), None) for y in rows for x in columns)
        return tuple(points)


def _shown(value: _Value) -> str:
    """A value for a message: on one line, without control characters."""
    return repr(value.raw.strip())[1:-1][:20]


def _text(values: list[_Value]) -> str:
    return "\n".join(unescape(value.raw) for value in values)


def _take_player_and_time(node: Node) -> None:
    """Move PL and EMT from the other properties into the fields, if these can hold them."""
    if node.move is None and "PL" in node.properties:
        node.colour = _PLAYERS.get(node.properties["PL"][0].strip().lower())
        if node.colour is not None:
            del node.properties["PL"]
    if spent := _SECONDS.fullmatch(node.properties.get("EMT", [""])[0]):
        node.time_ms = int(spent[1]) * 1000 + int((spent[2] or "").ljust(3, "0"))
        del node.properties["EMT"]


def _capitals(name: str) -> str:
    """Older files pad names with small letters, which are dropped: `SiZe` is SZ; but `b` is B."""
    rest = "".join(letter for letter in name if not letter.islower())
    return rest if rest[:1].isalpha() else name.upper()
