# SPDX-License-Identifier: MIT
"""`Record`: a game, whatever file it came from, as a tree of nodes under a header.

Trees may be a hundred thousand nodes deep, so nothing here or in the readers and writers recurses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tengen.game.board import Board
from tengen.game.errors import BadRecord, TengenError
from tengen.game.move import Move
from tengen.game.records.text import escape, unescape
from tengen.game.rule import Colour, Rule

DEFAULT_SIZE = 15
# Result of a game by its winner.
RESULTS = {Colour.BLACK: "B+", Colour.WHITE: "W+", None: "Draw"}

_SPELLINGS = tuple(
    (re.compile(pattern, re.IGNORECASE), winner)
    for pattern, winner in (
        (r"(b|black)\s*(\+.*|wins?\b.*|won\b.*)|1\s*-\s*0", Colour.BLACK),
        (r"(w|white)\s*(\+.*|wins?\b.*|won\b.*)|0\s*-\s*1", Colour.WHITE),
        (r"0|d|draw|drawn|jigo|1/2(\s*-\s*1/2)?|0\.5\s*-\s*0\.5", None),
    )
)


def normal_result(text: str) -> str:
    """`B+`, `W+`, `Draw` or "" for the usual spellings of a result; other text as it is."""
    stripped = text.strip()
    if len(stripped) > 100:  # a remark: not worth a search
        return text
    for pattern, winner in _SPELLINGS:
        if pattern.fullmatch(stripped):
            return RESULTS[winner]
    return "" if stripped == "?" else text


@dataclass(slots=True, eq=False)
class Node:
    """One step of a game: a set-up, then a move, and a comment on them; each may be missing."""

    move: Move | None = None
    # Whose move it is; in a node without one, whose turn it is after the set-up, if it says so.
    colour: Colour | None = None
    comment: str = ""
    # The continuations; the first is the main line, the others are variations.
    children: list[Node] = field(default_factory=list, repr=False)
    # Points that the set-up turns black, white or empty. Tuples, not lists: nearly every node
    # shares the empty one, so that a large tree is a third smaller and faster to read.
    black: tuple[Move, ...] = ()
    white: tuple[Move, ...] = ()
    empty: tuple[Move, ...] = ()
    # Time spent on the move, in milliseconds.
    time_ms: int | None = None
    # Everything else: property name (capital letters and digits) to its values, each as SGF would
    # write it between the brackets, escapes included (`text.escape`).
    properties: dict[str, list[str]] = field(default_factory=dict)

    @property
    def is_setup(self) -> bool:
        return bool(self.black or self.white or self.empty)

    def walk(self) -> Iterator[Node]:
        """This node and all below it, parents before children, the main line first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def extend(self, moves: Iterable[Move], colour: Colour) -> None:
        """Add a line of moves below this node; `colour` makes the first of them."""
        last = self
        for move in moves:
            node = Node(move, colour)
            last.children.append(node)
            last, colour = node, colour.other

    __hash__ = None  # type: ignore[assignment]  # it can change

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        pairs = [(self, other)]
        while pairs:
            one, two = pairs.pop()
            if one is two:
                continue
            if len(one.children) != len(two.children) or one._values() != two._values():
                return False
            pairs.extend(zip(one.children, two.children, strict=True))
        return True

    def _values(self) -> tuple[Any, ...]:
        """All fields but the children, in the order of the constructor without them."""
        stones = (tuple(self.black), tuple(self.white), tuple(self.empty))
        return (self.move, self.colour, self.comment, *stones, self.time_ms, self.properties)

    def __reduce__(self) -> tuple[Any, ...]:
        # The whole tree as one flat list: pickle and deepcopy would recurse through `children`.
        flat: list[tuple[int, tuple[Any, ...]]] = []
        waiting = [(-1, self)]
        while waiting:
            parent, node = waiting.pop()
            here = len(flat)
            flat.append((parent, node._values()))
            waiting.extend((here, child) for child in reversed(node.children))
        return _rebuild, (flat,)


def _rebuild(flat: list[tuple[int, tuple[Any, ...]]]) -> Node:
    """The tree that `Node.__reduce__` flattened to (index of the parent, values)."""
    nodes: list[Node] = []
    for parent, (move, colour, comment, *rest) in flat:
        node = Node(move, colour, comment, [], *rest)
        nodes.append(node)
        if parent >= 0:
            nodes[parent].children.append(node)
    return nodes[0]


@dataclass(slots=True)
class Record:
    """A game: header and tree. Where it came from is no part of equality."""

    size: int = DEFAULT_SIZE
    rule: Rule | None = None
    # The names of the players.
    black: str = ""
    white: str = ""
    # `B+`, `W+`, `Draw`, the empty text where unknown, or free text.
    result: str = ""
    date: str = ""
    event: str = ""
    root: Node = field(default_factory=Node)
    # The format it was read from, and the file or other source: for messages only.
    format: str = field(default="", compare=False)
    source: str = field(default="<record>", compare=False)

    @classmethod
    def from_moves(
        cls, moves: Sequence[Move], size: int = DEFAULT_SIZE, rule: Rule | None = None
    ) -> Record:
        """A game without variations: an empty root, then the moves, black first."""
        record = cls(size=size, rule=rule)
        record.root.extend(moves, Colour.BLACK)
        return record

    @classmethod
    def from_board(cls, board: Board) -> Record:
        """The game on a board: its set-up, its moves, and how it ended."""
        record = cls(size=board.size, rule=board.rule)
        start = board.copy()
        while start.ply:
            start.pop()
        stones = start.stones()
        record.root.black = tuple(p for p, colour in stones.items() if colour is Colour.BLACK)
        record.root.white = tuple(p for p, colour in stones.items() if colour is Colour.WHITE)
        if stones or start.turn is Colour.WHITE:
            record.root.colour = start.turn
        record.root.extend(board.moves, start.turn)
        if outcome := board.outcome():
            record.result = RESULTS[outcome.winner]
        return record

    def set_result(self, text: str) -> None:
        """Set the result from its text in a file; another spelling is kept as property RE."""
        self.result = normal_result(text)
        if self.result != text:
            self.root.properties["RE"] = [escape(text)]

    def result_text(self) -> str:
        """The result in the spelling of its file (`B+Resign`), where that still means the same."""
        text = unescape(self.root.properties.get("RE", [""])[0])
        return text if normal_result(text) == self.result else self.result

    def main_line(self) -> list[Node]:
        """The nodes from the root on, always by the first child. The root is the first of them."""
        return self.line({})

    def line(self, choices: Mapping[int, int]) -> list[Node]:
        """As `main_line`, but move `n` (from 1) is alternative `choices[n]` (1: the main line)."""
        nodes, number = [self.root], int(self.root.move is not None)
        left = dict(choices)
        while children := nodes[-1].children:
            wanted = left.pop(number + 1, 1) if len(children) > 1 else 1
            if not 1 <= wanted <= len(children):
                fault = f"move {number + 1} has no alternative {wanted}: it has {len(children)}"
                raise BadRecord(fault, self.source)
            nodes.append(children[wanted - 1])
            number += nodes[-1].move is not None
        for move, wanted in left.items():
            if wanted != 1:
                raise BadRecord(f"move {move} has no alternative {wanted}", self.source)
        return nodes

    @property
    def moves(self) -> list[Move]:
        """The moves of the main line, passes included."""
        return [node.move for node in self.main_line() if node.move is not None]

    def nodes(self) -> Iterator[Node]:
        """All nodes, parents before children, the main line first."""
        return self.root.walk()

    def board(
        self,
        ply: int | None = None,
        rule: Rule | str | None = None,
        line: Sequence[Node] | None = None,
    ) -> Board:
        """The board after `ply` moves of the line (all of the main line by default).

        The rule is `rule`, else the record's, else freestyle. Raises `BadRecord`, with the number
        of the move, where the record breaks the rule.
        """
        replayed = self.replay(ply, rule, line)
        if replayed.fault is not None:
            raise replayed.fault
        return replayed.board

    def replay(
        self,
        ply: int | None = None,
        rule: Rule | str | None = None,
        line: Sequence[Node] | None = None,
    ) -> RecordReplay:
        """As `board`, but a move that breaks the rule only ends the replay and is its `fault`."""
        nodes = self.main_line() if line is None else line
        total = sum(node.move is not None for node in nodes)
        if ply is not None and not 0 <= ply <= total:
            raise BadRecord(f"no move {ply}: the line has {total} moves", self.source)
        chosen = Rule.parse(rule) if rule is not None else self.rule or Rule.FREESTYLE
        state = RecordReplay(Board(size=self.size, rule=chosen))
        for node in nodes:
            if node.move is not None and state.ply == ply:
                break
            try:
                state.apply(node)
            except TengenError as error:
                state.fault = BadRecord(f"move {state.ply + 1}: {error}", self.source)
                break
        return state


@dataclass(slots=True)
class RecordReplay:
    """The board after part of a record; `fault` says why the replay stopped there."""

    board: Board
    # Moves played, passes included. The board itself forgets earlier moves at a set-up.
    ply: int = 0
    fault: BadRecord | None = None

    def apply(self, node: Node) -> None:
        """Apply the set-up of a node, then its move. Raises TengenError for an illegal one."""
        turn = node.colour or self.board.turn
        if node.is_setup or turn is not self.board.turn:
            stones = self.board.stones()
            stones.update(dict.fromkeys(node.black, Colour.BLACK))
            stones.update(dict.fromkeys(node.white, Colour.WHITE))
            for point in node.empty:
                stones.pop(point, None)
            # A board whose moves do not alternate is set up anew.
            self.board = self.board.with_stones(stones, turn)
        if node.move is not None:
            self.board.push(node.move)
            self.ply += 1
